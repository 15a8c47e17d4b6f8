// A pending membership becomes active when the link that was mailed to its address is used.
import type { EntityManager } from '@mikro-orm/postgresql'
import type { MemberDelivery, MemberStatus } from '../../rules/audiences/memberships.ts'
import { conflict, notFound, unavailable } from '../../rules/refusal.ts'
// Backwards: a confirmed membership proves the address of its contact.
import { lockChannelsAndOwner } from '../crm/channel-rows.ts'
import { lockContacts } from '../crm/moved-records.ts'
import { verifyClaim } from '../crm/ownership.ts'
import { sql } from '../kit/database/sql.ts'
import { followAddresses, optIn } from './member-delivery.ts'
import { ownDelivery, readOwnMembers } from './member-rows.ts'
import { linkOfToken, type MemberLink } from './member-tokens.ts'
import { publish } from './members.ts'
import { moveToOwner } from './ownership.ts'

/** An audience `a` of an archived store `n` takes no confirmations either. */
const audienceStatus = sql`case when n.status = 'ARCHIVED' then 'archived' else a.status end`

/** What the page says that the link of a confirmation opens. */
export type AskedConfirmation = {
  status: MemberStatus
  delivery_status: MemberDelivery
  audience_status: string
  /** Null: the audience is of another type by now. */
  confirmation_url: string | null
  key: string
  settings: Record<string, unknown>
}

/**
 * Reads the confirmation that a token asks for. Null for a token that is unknown, has expired or is of another scope,
 * and while the store is being erased. Changes nothing. `now` in Unix seconds.
 */
export async function askedConfirmation(
  em: EntityManager,
  token: string,
  now: number,
): Promise<AskedConfirmation | null> {
  const link = await linkOfToken(em, token, now)
  if (link?.scope !== 'confirm' || link.member_id === null) return null
  const [member] = await readOwnMembers(em, link.tenant_id, [link.member_id])
  const [asked]: Omit<AskedConfirmation, 'delivery_status'>[] = await em.execute(sql`
    select m.status, ${audienceStatus} as audience_status, a.confirmation_url, n.key, n.settings
    from audience_members m
    join audiences a on a.id = m.audience_id and a.tenant_id = m.tenant_id
    join tenants n on n.id = m.tenant_id
    where m.tenant_id = ${link.tenant_id} and m.id = ${link.member_id}
  `)
  return asked && member ? { ...asked, delivery_status: ownDelivery(member) } : null
}

type Locked = { id: string; audience_id: string; contact_id: string; audience_status: string; status: MemberStatus }

/** Locks the audience `for share`, so that it keeps its status, then the member. */
async function lockPending(em: EntityManager, tenantId: string, memberId: string): Promise<Locked> {
  const rows: Locked[] = await em.execute(sql`
    select m.id, m.audience_id, m.contact_id, ${audienceStatus} as audience_status, m.status
    from audience_members m
    join audiences a on a.id = m.audience_id and a.tenant_id = m.tenant_id
    join tenants n on n.id = m.tenant_id
    where m.tenant_id = ${tenantId} and m.id = ${memberId}
    for share of a
    for update of m
  `)
  if (!rows[0]) throw notFound('member')
  return rows[0]
}

/**
 * Locks the channels of the member's contact and of the contact that owns the address, and returns both; without an
 * owner, the address is verified for the member's contact. 404; 409 channels_too_many.
 */
async function contactsOf(
  em: EntityManager,
  { tenant_id, member_id, address }: MemberLink,
  now: number,
): Promise<{ contact_id: string; owner: string | null }> {
  const [member]: { contact_id: string }[] = await em.execute(sql`
    select contact_id
    from audience_members
    where tenant_id = ${tenant_id} and id = ${member_id}
  `)
  if (!member) throw notFound('member')
  const { contact_id } = member
  if (address === null) return { contact_id, owner: null }
  const channels = await lockChannelsAndOwner(em, tenant_id, contact_id, address)
  const owned = channels.find((channel) => channel.type === 'email' && channel.address === address && channel.owned)
  if (!owned) await verifyClaim(em, tenant_id, { contact_id, channels }, address, now)
  return { contact_id, owner: owned ? owned.contact_id : null }
}

/**
 * Confirms a membership with a `confirm` link, and moves it to the contact that owns the address, if another one does.
 * Returns the member's id, which differs if that contact was a member already. A second use of the link returns the
 * same. The contact has the address of the link afterwards, also if it claimed another one meanwhile.
 * 409 not_pending, audience_not_active, channels_too_many. `now` in Unix seconds.
 */
export async function confirmMember(em: EntityManager, link: MemberLink, now: number): Promise<string> {
  const { tenant_id, member_id } = link
  const { contact_id, owner } = await contactsOf(em, link, now)
  // The owner may be joining at this moment: its row is waited for, and both become one.
  if (owner !== null && owner !== contact_id) await lockContacts(em, tenant_id, [contact_id, owner])
  const pending = await lockPending(em, tenant_id, member_id)
  if (pending.contact_id !== contact_id)
    throw unavailable('database_unavailable', 'Another request is moving this membership; repeat the request.')
  if (pending.status === 'active') return pending.id
  if (pending.status !== 'pending')
    throw conflict('not_pending', `The membership is ${pending.status}. Subscribe again for a new link.`)
  if (pending.audience_status !== 'active')
    throw conflict('audience_not_active', `The audience is ${pending.audience_status}.`)
  const id =
    owner === null || owner === pending.contact_id ? pending.id : await moveToOwner(em, tenant_id, pending, owner, now)
  if (id === null) throw notFound('member')
  const changed: unknown[] = await em.execute(sql`
    update audience_members
    set status = 'active', joined_at = ${now}, ended_at = null, pending_since = null, status_before = null,
      tier_id = null, price_id = null, paid_through_at = null, access_until = null, cancel_at = null,
      billing_status = null, updated_at = ${now}
    where tenant_id = ${tenant_id} and id = ${id} and status = 'pending'
    returning id
  `)
  if (changed.length > 0) await publish(em, tenant_id, ['audience.member_confirmed', 'audience.member_added'], id, now)
  // Who opens the link reads the mail of the address and agrees to it. A withdrawn consent stays.
  if (link.address !== null)
    await em.execute(sql`
      update contact_channels
      set verified_at = coalesce(verified_at, ${now}),
        consent_source = case when consent_status = 'unknown' then 'confirmation' else consent_source end,
        consent_at = case when consent_status = 'unknown' then ${now}::bigint else consent_at end,
        consent_status = case when consent_status = 'unknown' then 'granted' else consent_status end,
        updated_at = ${now}
      where tenant_id = ${tenant_id}
        and type = 'email'
        and address = ${link.address}
        and contact_id = ${owner ?? pending.contact_id}
        and (verified_at is null or consent_status = 'unknown')
    `)
  await optIn(em, { ...link, member_id: id }, now)
  await followAddresses(em, tenant_id, [owner ?? pending.contact_id], now)
  return id
}
