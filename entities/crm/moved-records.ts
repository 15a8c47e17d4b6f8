// Everything that a contact has becomes another contact's, in one function: a visitor who signs in and an operator who merges move the same.
import { UniqueConstraintViolationException } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import { takenOver } from '../../rules/crm/channels.ts'
import { mergedTaxonomies } from '../../rules/crm/contacts.ts'
import { unavailable } from '../../rules/refusal.ts'
import type { TaxonomyEntry } from '../../rules/shapes.ts'
import { type Moving, moveMemberships } from '../audiences/merging.ts'
import { moveEnrollments } from '../campaigns/moving.ts'
import { moveReactions } from '../community/moving.ts'
import { writeContent } from '../content/content.ts'
import { uuids } from '../kit/ids.ts'
import { json, sql } from '../kit/sql.ts'
import { deleteChannels, lockChannels, writeChannels } from './channel-rows.ts'
import { refreshContacts } from './contact-words.ts'

export type LockedContact = { id: string; taxonomies: TaxonomyEntry[] }

/**
 * Locks the contacts by id, sorted by id. A transaction that writes a row for one of them locks it `for key share` and waits; after this statement, all that such
 * transactions wrote is visible. Requires the locks of their channels.
 */
export const lockContacts = async (
  em: EntityManager,
  tenantId: string,
  ids: readonly string[],
): Promise<LockedContact[]> =>
  em.execute(sql`
    select id, taxonomies
    from contacts
    where tenant_id = ${tenantId} and id = any (${uuids(ids)})
    order by id
    for update
  `)

/** Of the current carts of both, the one with items becomes the current one, of two with items the one that was changed last; the others stay open. */
async function moveCarts(em: EntityManager, tenantId: string, from: string, to: string): Promise<void> {
  const open: { id: string; contact_id: string; is_current: boolean; filled: boolean; updated_at: number }[] =
    await em.execute(sql`
      select id, contact_id, is_current, updated_at,
        jsonb_array_length(product_items) + jsonb_array_length(booking_items) > 0 as filled
      from carts
      where tenant_id = ${tenantId} and contact_id in (${from}, ${to}) and status = 'open'
      order by id
      for update
    `)
  const currentOf = (contactId: string) => open.find((cart) => cart.contact_id === contactId && cart.is_current)
  const [brought, theirs] = [currentOf(from), currentOf(to)]
  const isOlder = brought?.filled && theirs?.filled && brought.updated_at < theirs.updated_at
  const current = (brought?.filled && !isOlder) || !theirs ? brought : theirs
  if (theirs && current !== theirs)
    await em.execute(sql`update carts set is_current = false where tenant_id = ${tenantId} and id = ${theirs.id}`)
  await em.execute(sql`
    update carts
    set contact_id = ${to},
      is_current = (status = 'open' and id is not distinct from ${current?.id ?? null})
        or (status <> 'open' and is_current)
    where tenant_id = ${tenantId} and contact_id = ${from}
  `)
}

/** Repeats the move if the other contact's first cart is created at the same time. */
async function moveCartsOrAgain(em: EntityManager, tenantId: string, from: string, to: string): Promise<void> {
  for (let tries = 0; tries < 3; tries++) {
    await em.execute('savepoint carts_move')
    try {
      await moveCarts(em, tenantId, from, to)
      await em.execute('release savepoint carts_move')
      return
    } catch (error) {
      if (!(error instanceof UniqueConstraintViolationException)) throw error
      await em.execute('rollback to savepoint carts_move')
    }
  }
  throw unavailable('database_unavailable', 'The carts of this visitor are being changed; repeat the request.')
}

/** Orders are locked by id before they move, and submissions after them. One statement, with the orders' uses of promo codes and the chats. */
const moveOrdersAndSubmissions = (em: EntityManager, tenantId: string, from: string, to: string) =>
  em.execute(sql`
    with o as materialized (
      select id
      from orders
      where tenant_id = ${tenantId} and contact_id = ${from}
      order by id
      for no key update
    ),
    moved as (
      update orders
      set contact_id = ${to}
      where tenant_id = ${tenantId} and id in (select id from o)
    ),
    talked as (
      update chats set contact_id = ${to} where tenant_id = ${tenantId} and contact_id = ${from}
    ),
    used as (
      update promo_redemptions
      set contact_id = ${to}
      where tenant_id = ${tenantId} and contact_id = ${from} and order_id is not null
    )
    update form_submissions
    set contact_id = ${to}
    where tenant_id = ${tenantId} and contact_id = ${from}
  `)

/** An address that both have becomes one channel, in which what forbids messages wins. */
async function moveChannels(em: EntityManager, tenantId: string, from: string, to: string, now: number): Promise<void> {
  // Read again under the locks of the contacts: no channel is added any more.
  const channels = await lockChannels(em, tenantId, [from, to], true)
  const of = (id: string) => channels.filter(({ contact_id }) => contact_id === id)
  const { kept, gone } = takenOver(of(from), of(to))
  if (gone.length > 0) await deleteChannels(em, tenantId, gone)
  if (kept.length > 0) await writeChannels(em, tenantId, to, kept, now)
}

async function moveTaxonomies(
  em: EntityManager,
  tenantId: string,
  from: LockedContact,
  to: LockedContact,
): Promise<void> {
  if (from.taxonomies.length === 0) return
  const taxonomies = mergedTaxonomies(to.taxonomies, from.taxonomies)
  const rows = [
    { id: from.id, taxonomies: [] },
    { id: to.id, taxonomies },
  ]
  await em.execute(sql`
    with l as (
      delete from taxonomy_links where tenant_id = ${tenantId} and owner_id = ${from.id}
    )
    update contacts c
    set taxonomies = x.taxonomies
    from jsonb_to_recordset(${json(rows)}) as x(id uuid, taxonomies jsonb)
    where c.tenant_id = ${tenantId} and c.id = x.id
  `)
  await writeContent(em, tenantId, 'contact', to.id, { references: undefined, taxonomies }, false)
}

/**
 * Moves all records of `from` to `to`, except its sessions: of those the caller decides. Requires the locks of the source's sessions that move, of the channels and
 * of both contacts. `both`: what happens to two subscribed memberships of one audience (`Moving`). Locks carts, orders, submissions, memberships, enrollments and reactions.
 * Returns the members that were left with `from`. At most 37 statements, however many records. `now` in Unix seconds.
 */
export async function moveRecords(
  em: EntityManager,
  tenantId: string,
  from: LockedContact,
  to: LockedContact,
  both: Moving['both'],
  now: number,
): Promise<string[]> {
  await moveCartsOrAgain(em, tenantId, from.id, to.id)
  await moveOrdersAndSubmissions(em, tenantId, from.id, to.id)
  const left = await moveMemberships(em, tenantId, from.id, to.id, now, { both })
  await moveEnrollments(em, tenantId, from.id, to.id, now)
  await moveReactions(em, tenantId, from.id, to.id, now)
  await moveChannels(em, tenantId, from.id, to.id, now)
  await moveTaxonomies(em, tenantId, from, to)
  await refreshContacts(em, tenantId, [from.id, to.id])
  return left
}
