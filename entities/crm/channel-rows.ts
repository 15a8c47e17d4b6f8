// Statements on channels. A transaction locks a visitor's session first, then channels by id, then contacts by id, and
// only then carts and orders.
import type { EntityManager } from '@mikro-orm/postgresql'
import { isSuppressed, type MergedChannel } from '../../rules/crm/channels.ts'
import { columnsOf } from '../kit/database/columns.ts'
import type { RowOf } from '../kit/database/row.ts'
import { json, type Sql, sql, text } from '../kit/database/sql.ts'
import { uuids } from '../kit/ids.ts'
import { ContactChannel } from './contact-channel.ts'

export type ChannelRow = RowOf<ContactChannel>

/** Messages to the channel are forbidden: isSuppressed of rules/crm/channels.ts. */
export const suppressed = sql`(status <> 'active' or consent_status = 'withdrawn')`

/** Which of a contact's addresses of a type is shown and used: the first in this order. */
export const preference = sql`is_primary desc, owned desc, verified_at desc nulls last, updated_at desc, id`

/**
 * Locks and returns the channels of these contacts, and all of the store with the e-mail address, sorted by id.
 * `isLate`: the contacts are locked already, so waiting for a channel that was added meanwhile could deadlock. If one
 * is locked, this attempt ends in contention and is repeated.
 */
export async function lockChannels(
  em: EntityManager,
  tenantId: string,
  contactIds: readonly string[],
  isLate = false,
  address: Sql = text('null'),
): Promise<ChannelRow[]> {
  const locking = sql`
    select ${columnsOf(em, ContactChannel)}
    from contact_channels
    where tenant_id = ${tenantId}
      and (contact_id = any (${uuids(contactIds)}) or (type = 'email' and address = ${address}))
    order by id
    for update
  `
  return em.execute(isLate ? sql`${locking} nowait` : locking)
}

/** Locks and returns the channels of a contact and of the contact that owns the e-mail address, sorted by id. */
export const lockChannelsAndOwner = async (
  em: EntityManager,
  tenantId: string,
  contactId: string,
  email: string,
): Promise<ChannelRow[]> =>
  em.execute(sql`
    select ${columnsOf(em, ContactChannel)}
    from contact_channels
    where tenant_id = ${tenantId}
      and (
        contact_id = ${contactId}
        or contact_id = (
          select o.contact_id
          from contact_channels o
          where o.tenant_id = ${tenantId} and o.type = 'email' and o.address = ${email} and o.owned
        )
      )
    order by id
    for update
  `)

/**
 * What a new channel with the e-mail address begins with: what forbids messages to it holds for every contact of the
 * store. Columns of an insertion, as SQL. `address`: an expression.
 */
export function reachOfAddress(tenantId: string, address: Sql) {
  const fromChannels = sql`
    from contact_channels k
    where k.tenant_id = ${tenantId} and k.type = 'email' and k.address = ${address}
  `
  const withdrawn = (column: string) => sql`
    (
      select k.${text(column)} ${fromChannels} and k.consent_status = 'withdrawn'
      order by k.consent_at desc, k.id
      limit 1
    )
  `
  return {
    // `max` picks the last one in the order of the alphabet: active, bounced, complained.
    status: sql`coalesce((select max(k.status) ${fromChannels}), 'active')`,
    consent_status: sql`coalesce(${withdrawn('consent_status')}, 'unknown')`,
    consent_source: withdrawn('consent_source'),
    consent_at: withdrawn('consent_at'),
  }
}

type ShownAddress = { contact_id: string; address: string; owned: boolean; verified_at: number | null }

/** The e-mail address of each of these contacts that is shown, by contact. One statement. */
export async function shownAddresses(
  em: EntityManager,
  tenantId: string,
  contactIds: readonly string[],
): Promise<Map<string, ShownAddress>> {
  if (contactIds.length === 0) return new Map()
  const rows: ShownAddress[] = await em.execute(sql`
    select distinct on (contact_id) contact_id, address, owned, verified_at
    from contact_channels
    where tenant_id = ${tenantId} and contact_id = any (${uuids(contactIds)}) and type = 'email'
    order by contact_id, ${preference}
  `)
  return new Map(rows.map((row) => [row.contact_id, row]))
}

/** The same choice among locked channels. */
export const shownOf = (channels: readonly ChannelRow[]): ChannelRow | undefined =>
  channels
    .filter(({ type }) => type === 'email')
    .toSorted(
      (a, b) =>
        Number(b.is_primary) - Number(a.is_primary) ||
        Number(b.owned) - Number(a.owned) ||
        (b.verified_at ?? 0) - (a.verified_at ?? 0) ||
        b.updated_at - a.updated_at ||
        (a.id < b.id ? -1 : 1),
    )[0]

/** The ids of those that may be deleted. */
export const removable = (channels: readonly ChannelRow[]): string[] =>
  channels.filter((channel) => !isSuppressed(channel)).map(({ id }) => id)

export const deleteChannels = (em: EntityManager, tenantId: string, ids: readonly string[]) =>
  em.execute(sql`delete from contact_channels where tenant_id = ${tenantId} and id = any (${uuids(ids)})`)

/** Writes the values of existing channels, and moves them to the contact. One statement. */
export const writeChannels = (
  em: EntityManager,
  tenantId: string,
  contactId: string,
  channels: readonly MergedChannel[],
  now: number,
) =>
  em.execute(sql`
    update contact_channels c
    set contact_id = ${contactId}, owned = x.owned, verified_at = x.verified_at, provider_subject = x.provider_subject,
      is_primary = x.is_primary, status = x.status, consent_status = x.consent_status,
      consent_source = x.consent_source, consent_at = x.consent_at, updated_at = ${now}
    from jsonb_to_recordset(${json(channels)}) as x(
      id uuid, owned boolean, verified_at bigint, provider_subject text, is_primary boolean, status text,
      consent_status text, consent_source text, consent_at bigint
    )
    where c.tenant_id = ${tenantId} and c.id = x.id
  `)
