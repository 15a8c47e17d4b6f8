// The membership follows its subscription: what a member is follows from the subscription's row, in whatever order that row was written.
import type { EntityManager } from '@mikro-orm/postgresql'
import { GRACE_HOURS, type MemberStatus } from '../../rules/audiences/memberships.ts'
import { publish } from '../audiences/members.ts'
import { sql } from '../kit/sql.ts'

/**
 * Copies the state of a subscription to its member, and makes the member active if the subscription was paid for. A payment proves a recurring subscription by
 * its period, a one-time one by the row being live. Idempotent. Requires the locks of the member and of the subscription. `now` in Unix seconds.
 */
export async function followSubscription(em: EntityManager, tenantId: string, subscriptionId: string, now: number): Promise<void> {
  const proved = sql`(s.status = 'live' and (s.kind = 'one_time' or s.paid_through_at is not null))`
  const grace = sql`(select coalesce((t.settings ->> 'membership_grace_hours')::bigint, ${GRACE_HOURS}) * 3600 from tenants t where t.id = s.tenant_id)`
  const paidThrough = sql`case when ${proved} and s.kind = 'one_time' then null else greatest(m.paid_through_at, s.paid_through_at) end`
  const [moved]: { id: string; was: MemberStatus; is: MemberStatus }[] = await em.execute(
    sql`with s as (select * from subscriptions where tenant_id = ${tenantId} and id = ${subscriptionId}),
       m as (select x.* from audience_members x join s on x.id = s.member_id and x.tenant_id = s.tenant_id)
     update audience_members n set status = case when ${proved} then 'active' else m.status end,
       joined_at = case when ${proved} and m.status <> 'active' then ${now} else m.joined_at end,
       ended_at = case when ${proved} then null else m.ended_at end, pending_since = case when ${proved} then null else m.pending_since end,
       status_before = case when ${proved} then null else m.status_before end, tier_id = s.tier_id, price_id = s.price_id,
       paid_through_at = ${paidThrough}, cancel_at = s.cancel_at, billing_status = s.billing_status,
       access_until = (${paidThrough}) + case when s.status = 'live' and s.cancel_at is null then ${grace} else 0 end, updated_at = ${now}
     from s, m where n.id = m.id and n.tenant_id = m.tenant_id returning n.id, m.status as was, n.status as is`,
  )
  if (moved && moved.was !== 'active' && moved.is === 'active') await publish(em, tenantId, ['audience.member_added'], moved.id, now)
}
