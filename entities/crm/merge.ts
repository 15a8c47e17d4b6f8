// Two contacts become one: the target gets all that the source has, and the source is deleted. A session continues only
// if it proved an address that the target owns afterwards: a visitor who only claimed an address would get the records
// of its owner otherwise. The links to the pages of memberships end, too. Repeating a merge changes nothing.
import type { EntityManager } from '@mikro-orm/postgresql'
import { invalid, notFound } from '../../rules/refusal.ts'
import { followAddresses } from '../audiences/member-delivery.ts'
import { manageLinksOf, replaceLinks } from '../audiences/member-tokens.ts'
import { insertion } from '../kit/database/insert.ts'
import { sql } from '../kit/database/sql.ts'
import { newId } from '../kit/ids.ts'
import { lockChannels } from './channel-rows.ts'
import { ContactMerge } from './contact-merge.ts'
import { endUnproved } from './contact-sessions.ts'
import { lockContacts, moveRecords } from './moved-records.ts'
import { earlierProofSql } from './session-rights.ts'

export type Merge = { tenant_id: string; target_id: string; source_id: string; account_id: string; now: number }

/**
 * The contact that the source of this merge, if there was one, belongs to now: its target may have been merged, too.
 */
export async function heirOf(
  em: EntityManager,
  { tenant_id, source_id, target_id }: Pick<Merge, 'tenant_id' | 'source_id' | 'target_id'>,
): Promise<string | null> {
  const [found]: { id: string }[] = await em.execute(sql`
    with recursive heirs as (
      select target_id as id
      from contact_merges
      where tenant_id = ${tenant_id} and source_id = ${source_id} and target_id = ${target_id}
      union
      select m.target_id
      from heirs h
      join contact_merges m on m.tenant_id = ${tenant_id} and m.source_id = h.id
    )
    select c.id
    from heirs h
    join contacts c on c.tenant_id = ${tenant_id} and c.id = h.id
  `)
  return found?.id ?? null
}

const lockSessions = (em: EntityManager, { tenant_id, source_id, target_id }: Merge) =>
  // Sessions are locked by id, before the contacts: the order of every request of a visitor.
  em.execute(sql`
    select id
    from contact_sessions
    where tenant_id = ${tenant_id} and contact_id in (${source_id}, ${target_id})
    order by id
    for update
  `)

/**
 * A visitor who signed in to one of them meanwhile: waiting for the session here could deadlock. If it is locked, this
 * attempt ends in contention and is repeated.
 */
const lockLateSessions = (em: EntityManager, { tenant_id, source_id, target_id }: Merge) =>
  em.execute(sql`
    with locked_sessions as materialized (
      select id
      from contact_sessions
      where tenant_id = ${tenant_id} and contact_id = ${source_id}
      order by id
      for update nowait
    )
    select id
    from contact_sessions
    where tenant_id = ${tenant_id}
      and contact_id = ${target_id}
      and (select count(*) from locked_sessions) >= 0
    order by id
    for no key update nowait
  `)

/**
 * What a session of version 0.2.0 proved is written down while each contact has its own addresses; one that proves none
 * of them ends. At the merged contact it could seem to have proved an address of the other.
 */
const nameProofs = (em: EntityManager, { tenant_id, source_id, target_id, now }: Merge) =>
  em.execute(sql`
    update contact_sessions o
    set verified_address = sessions.address, revoked_at = case when sessions.address is null then ${now}::bigint end,
      updated_at = ${now}
    from (
      select s.id,
        (
          select p.address
          from contact_channels p
          where p.tenant_id = s.tenant_id and p.type = 'email' and p.owned and ${earlierProofSql}
          order by p.verified_at, p.id
          limit 1
        ) as address
      from contact_sessions s
      where s.tenant_id = ${tenant_id}
        and s.contact_id in (${source_id}, ${target_id})
        and s.revoked_at is null
        and s.verified_at is not null
        and s.verified_address is null
    ) sessions
    where o.tenant_id = ${tenant_id} and o.id = sessions.id
  `)

/** The sessions of the source are the target's. Those that prove no address of the target end. */
async function moveSessions(em: EntityManager, { tenant_id, source_id, target_id, now }: Merge): Promise<void> {
  await em.execute(sql`
    update contact_sessions
    set contact_id = ${target_id}, updated_at = ${now}
    where tenant_id = ${tenant_id} and contact_id = ${source_id}
  `)
  await endUnproved(em, tenant_id, target_id, null, now)
}

/**
 * Returns the contact that has all records; of a merge that is repeated, the one that has them now. 422 same_contact;
 * 409 both_subscribed; 404 for a contact that the store does not have. Locks the sessions, the channels and rows of
 * both contacts, then what moveRecords locks. At most 39 statements, however many records.
 */
export async function mergeContacts(em: EntityManager, merge: Merge): Promise<string> {
  const { tenant_id, source_id, target_id, account_id, now } = merge
  if (source_id === target_id)
    throw invalid('/source_contact_id', 'same_contact', 'A contact cannot be merged into itself.')
  await lockSessions(em, merge)
  await lockChannels(em, tenant_id, [source_id, target_id])
  const contacts = await lockContacts(em, tenant_id, [source_id, target_id])
  const [source, target] = [source_id, target_id].map((id) => contacts.find((contact) => contact.id === id))
  if (!source || !target) {
    const heir = source ? null : await heirOf(em, merge)
    if (heir) return heir
    throw notFound(target ? 'source contact' : 'contact')
  }
  await lockLateSessions(em, merge)
  await nameProofs(em, merge)
  await moveRecords(em, tenant_id, source, target, 'refuse', now)
  await replaceLinks(em, tenant_id, await manageLinksOf(em, tenant_id, target_id), now)
  await followAddresses(em, tenant_id, [target_id], now)
  const row = insertion(em, ContactMerge, {
    id: newId(),
    tenant_id,
    created_at: now,
    updated_at: now,
    source_id,
    target_id,
    account_id,
  })
  await moveSessions(em, merge)
  await em.execute(sql`
    with merge_record as (${row})
    update contacts
    set updated_at = ${now}
    where tenant_id = ${tenant_id} and id = ${target_id}
  `)
  // A statement of its own: the sessions above would be deleted with the source.
  await em.execute(sql`delete from contacts where tenant_id = ${tenant_id} and id = ${source_id}`)
  return target_id
}
