// Unsubscribing by the link of a message: once it is answered, nothing of the campaign is stamped for the recipient.
import type { EntityManager } from '@mikro-orm/postgresql'
import type { MemberDelivery } from '../../rules/audiences/memberships.ts'
import type { EnrollmentStatus } from '../../rules/campaigns/campaigns.ts'
import { followAddresses, optOut } from '../audiences/member-delivery.ts'
import type { Link, MemberLink } from '../audiences/member-tokens.ts'
import { sql } from '../kit/database/sql.ts'
import { arrayOf, uuids } from '../kit/ids.ts'
import { completeCampaigns } from '../sending/completion.ts'
import { keepAddresses } from './suppressions.ts'

/**
 * Ends those of these enrollments that are in one of the states `from`. Locks their campaigns by id, then the
 * enrollments: messages are stamped under a share lock of the campaign, and none of these are stamped once the
 * transaction has ended. `now` in Unix seconds.
 */
export async function endSequences(
  em: EntityManager,
  tenantId: string,
  enrollmentIds: readonly string[],
  { from, to }: { from: readonly EnrollmentStatus[]; to: EnrollmentStatus },
  now: number,
): Promise<void> {
  const ids = uuids(enrollmentIds)
  const open = sql`n.tenant_id = ${tenantId} and n.id = any (${ids}) and n.status = any (${arrayOf(from)}::text[])`
  const campaigns = sql`select n.campaign_id from enrollments n where ${open}`
  const locked: { id: string }[] = await em.execute(sql`
    select id
    from campaigns
    where tenant_id = ${tenantId} and id in (${campaigns})
    order by id
    for no key update
  `)
  if (locked.length === 0) return
  await em.execute(sql`
    with locked_enrollments as materialized (
      select n.id from enrollments n where ${open} order by n.id for no key update
    )
    update enrollments n
    set status = ${to}, due_at = null, updated_at = ${now}
    from locked_enrollments
    where n.tenant_id = ${tenantId} and n.id = locked_enrollments.id
  `)
  await completeCampaigns(em, uuids(locked.map(({ id }) => id)))
}

/** What is known of the store's e-mail to an address, of all contacts with it. */
export async function addressDelivery(em: EntityManager, tenantId: string, address: string): Promise<MemberDelivery> {
  const [known]: { delivery: MemberDelivery }[] = await em.execute(sql`
    select case
      when bool_or(status = 'complained') then 'complained'
      when bool_or(status = 'bounced') then 'bounced'
      when bool_or(consent_status = 'withdrawn') then 'unsubscribed'
      else 'subscribed'
    end as delivery
    from contact_channels
    where tenant_id = ${tenantId} and type = 'email' and address = ${address}
  `)
  return known?.delivery ?? 'subscribed'
}

/** Withdraws the consent of all channels of the store with the address. Their members get no mail of audiences. */
async function withdraw(
  em: EntityManager,
  tenantId: string,
  address: string,
  enrollmentId: string | null,
  now: number,
): Promise<void> {
  // Channels of an address are locked by id, the order of all changes of several channels.
  const rows: { contact_id: string }[] = await em.execute(sql`
    with locked_channels as materialized (
      select id
      from contact_channels
      where tenant_id = ${tenantId} and type = 'email' and address = ${address}
      order by id
      for no key update
    )
    update contact_channels c
    set consent_status = 'withdrawn', consent_source = 'unsubscribe_link', consent_at = ${now}, updated_at = ${now}
    from locked_channels
    where c.tenant_id = ${tenantId} and c.id = locked_channels.id and c.consent_status <> 'withdrawn'
    returning c.contact_id
  `)
  const recipients = sql`
    (select contact_id, address from enrollments where tenant_id = ${tenantId} and id = ${enrollmentId})
  `
  const kept = await keepAddresses(em, tenantId, recipients, { status: 'active', consent_status: 'withdrawn' }, now)
  const contacts = [...new Set([...rows.map(({ contact_id }) => contact_id), ...kept])]
  if (contacts.length > 0) await followAddresses(em, tenantId, contacts, now)
}

/**
 * The enrollments that a link ends: the one that it was mailed to, also after its last message, and all active ones of
 * its member.
 */
async function enrollmentsOf(em: EntityManager, { tenant_id, member_id, enrollment_id }: Link): Promise<string[]> {
  const own = enrollment_id === null ? [] : [enrollment_id]
  if (member_id === null) return own
  const rows: { id: string }[] = await em.execute(sql`
    select id
    from enrollments
    where tenant_id = ${tenant_id} and member_id = ${member_id} and status = 'active'
  `)
  return [...new Set([...own, ...rows.map(({ id }) => id)])]
}

/**
 * Opts the link's member out of the audience's e-mail; without a member, the consent of the address is withdrawn. The
 * member's active enrollments and the one that the link was mailed to end as `unsubscribed`, also after its last
 * message, and no message of them is stamped any more. Using the link again changes nothing. `now` in Unix seconds.
 */
export async function unsubscribe(em: EntityManager, link: Link, now: number): Promise<void> {
  const { tenant_id, member_id, address } = link
  if (member_id !== null) await optOut(em, link as MemberLink, now)
  else if (address !== null) await withdraw(em, tenant_id, address, link.enrollment_id, now)
  const enrollments = await enrollmentsOf(em, link)
  if (enrollments.length > 0)
    await endSequences(
      em,
      tenant_id,
      enrollments,
      { from: ['active', 'completed', 'unknown'], to: 'unsubscribed' },
      now,
    )
}
