// Whether an audience's e-mail reaches a member. It follows from what is known of the address that the member shows, and from the opt-outs of the audience: one of
// another member with the same address holds, too. Every writer of those calls this file.
import type { EntityManager } from '@mikro-orm/postgresql'
import type { MemberDelivery } from '../../rules/audiences/memberships.ts'
import { preference } from '../crm/channel-rows.ts'
import { uuids } from '../kit/ids.ts'
import { type Sql, sql, text } from '../kit/sql.ts'
import { isWanted, writeEvents } from '../webhooks/events.ts'
import { emailSql, memberData, readMembers } from './member-rows.ts'

type Parts = { tenant: Sql; audience: Sql; contact: Sql; opted_out: Sql }

/** The `delivery_status` of a member, a scalar: complaints before bounces before opt-outs and withdrawn consents. `contact`: the member's own opt-out is `opted_out`. */
export const deliverySql = ({ tenant, audience, contact, opted_out }: Parts): Sql =>
  sql`(select case when h.status in ('complained', 'bounced') then h.status
       when ${opted_out} or h.consent_status = 'withdrawn' or exists (
         select 1 from contact_channels o join audience_members y on y.tenant_id = o.tenant_id and y.contact_id = o.contact_id
         where o.tenant_id = ${tenant} and o.type = 'email' and o.address = h.address and y.audience_id = ${audience} and y.opted_out and y.contact_id <> ${contact}
           and ${emailSql('y.tenant_id', 'y.contact_id')} = h.address) then 'unsubscribed'
       else 'subscribed' end
     from (select 1) one left join lateral (select k.address, k.status, k.consent_status from contact_channels k
       where k.tenant_id = ${tenant} and k.contact_id = ${contact} and k.type = 'email' order by ${preference} limit 1) h on true)`

const ofMember = deliverySql({ tenant: text('m.tenant_id'), audience: text('m.audience_id'), contact: text('m.contact_id'), opted_out: text('m.opted_out') })

type Changed = { id: string; was: MemberDelivery; becomes: MemberDelivery }

/** Locks the members `m` of the condition by id, and publishes which of them e-mail reaches no more, or again. One statement if none changes. */
async function follow(em: EntityManager, tenantId: string, which: Sql, now: number): Promise<void> {
  const changed: Changed[] = await em.execute(
    sql`with due as materialized (select m.id, m.delivery_status as was, ${ofMember} as becomes from audience_members m
       where m.tenant_id = ${tenantId} and ${which} order by m.id for update of m)
     update audience_members m set delivery_status = d.becomes, updated_at = ${now} from due d
     where m.tenant_id = ${tenantId} and m.id = d.id and d.becomes <> d.was returning m.id, d.was, d.becomes`,
  )
  if (changed.length === 0) return
  const events = [
    ['audience.member_email_unsubscribed', changed.filter(({ was }) => was === 'subscribed')],
    ['audience.member_email_resubscribed', changed.filter(({ becomes }) => becomes === 'subscribed')],
  ] as const
  for (const [type, some] of events) {
    if (some.length === 0 || !(await isWanted(em, tenantId, type))) continue
    const rows = await readMembers(
      em,
      tenantId,
      some.map(({ id }) => id),
    )
    await writeEvents(
      em,
      type,
      rows.map((row) => ({ tenant_id: tenantId, data: memberData(row, now) })),
      now,
    )
  }
}

/** The addresses of these contacts changed, or what is known of them. `now` in Unix seconds. */
export const followAddresses = (em: EntityManager, tenantId: string, contactIds: readonly string[], now: number): Promise<void> =>
  follow(em, tenantId, sql`m.contact_id = any (${uuids(contactIds)})`, now)

type Place = { audience_id: string; contact_id: string }

/** The opt-out of a member changed: those of its audience with one of its addresses follow. */
const followOptOut = (em: EntityManager, tenantId: string, { audience_id, contact_id }: Place, now: number): Promise<void> =>
  follow(
    em,
    tenantId,
    sql`m.audience_id = ${audience_id} and m.contact_id in (select ${contact_id}::uuid union all
      select o.contact_id from contact_channels h join contact_channels o on o.tenant_id = h.tenant_id and o.type = h.type and o.address = h.address
      where h.tenant_id = ${tenantId} and h.contact_id = ${contact_id} and h.type = 'email')`,
    now,
  )

/** The member opts out of the audience's e-mail. Nothing else changes. Waits for contacts with the address who are joining. `now` in Unix seconds. */
export async function optOut(em: EntityManager, tenantId: string, memberId: string, now: number): Promise<void> {
  await em.execute(
    sql`select 1 from audiences where tenant_id = ${tenantId} and id = (select audience_id from audience_members where tenant_id = ${tenantId} and id = ${memberId})
     for no key update`,
  )
  const [changed]: Place[] = await em.execute(
    sql`update audience_members set opted_out = true, updated_at = ${now} where tenant_id = ${tenantId} and id = ${memberId} and not opted_out returning audience_id, contact_id`,
  )
  if (changed) await followOptOut(em, tenantId, changed, now)
}

/**
 * The member opts in again. If the person proved the address (`address`, or the one that the member shows is verified and owned), the opt-outs of members who only claimed it end, too. A
 * bounce, a complaint and a withdrawn consent stay. `now` in Unix seconds.
 */
export async function optIn(em: EntityManager, tenantId: string, memberId: string, address: string | null, now: number): Promise<void> {
  const changed: (Place & { own: boolean })[] = await em.execute(
    sql`with own as materialized (select m.audience_id, m.contact_id, coalesce(${address}::text, (select k.address from (
         select c.address, c.owned, c.verified_at from contact_channels c where c.tenant_id = m.tenant_id and c.contact_id = m.contact_id and c.type = 'email'
         order by ${preference} limit 1) k where k.owned and k.verified_at is not null)) as proven
       from audience_members m where m.tenant_id = ${tenantId} and m.id = ${memberId}),
     ended as (update audience_members x set opted_out = false, updated_at = ${now} from own where x.tenant_id = ${tenantId} and x.audience_id = own.audience_id and x.opted_out
       and (x.contact_id = own.contact_id or x.contact_id in (select c.contact_id from contact_channels c
         where c.tenant_id = ${tenantId} and c.type = 'email' and c.address = own.proven and not c.owned and ${emailSql('c.tenant_id', 'c.contact_id')} = c.address)) returning x.id)
     select audience_id, contact_id from own where exists (select 1 from ended)`,
  )
  if (changed[0]) await followOptOut(em, tenantId, changed[0], now)
}
