// The membership follows its subscriptions: what a member is follows from their rows, in any order of writing.
import type { EntityManager } from '@mikro-orm/postgresql'
import { GRACE_HOURS, type MemberStatus } from '../../rules/audiences/memberships.ts'
import { endsAsPaidSql } from '../audiences/access.ts'
import { publish } from '../audiences/members.ts'
import { type Sql, sql } from '../kit/database/sql.ts'
import { uuids } from '../kit/ids.ts'

const grace = sql`
  (
    select coalesce((t.settings ->> 'membership_grace_hours')::bigint, ${GRACE_HOURS}) * 3600
    from tenants t
    where t.id = s.tenant_id
  )
`

/**
 * Subscriptions that give time: paid for, and not ended at once. A payment proves a recurring subscription by its
 * period, a one-time one by the row being live. `until`: the last second of access, null without an end.
 */
const paidOf = (tenantId: string, which: Sql): Sql => sql`
  select s.*,
    case
      when s.kind = 'one_time' then null
      else greatest(
        s.paid_through_at + case when s.status = 'live' and not ${endsAsPaidSql('s')} then ${grace} else 0 end,
        case when s.status = 'live' then s.held_until end
      )
    end as until
  from subscriptions s
  where s.tenant_id = ${tenantId}
    and s.member_id ${which}
    and (s.status = 'live' and s.kind = 'one_time' or s.status in ('live', 'ended') and s.paid_through_at is not null)
    and not exists (select 1 from subscription_changes c where c.subscription_id = s.id and c.kind = 'cancel_now')
    and s.revoked_at is null
`

async function follow(em: EntityManager, tenantId: string, which: Sql, now: number): Promise<void> {
  const reached = sql`(a.forever or a.until >= ${now})`
  // Free access has no end while it is replaced: such a member stays as it is until paid time is reached.
  const keeps = sql`(m.status = 'active' and m.paid_through_at is null and ${reached} is not true)`
  // A pending member waited for this payment, even if its time is over already; one that has ended comes back only with
  // time that is left.
  const becomes = sql`
    (m.status = 'active' or ${reached} or m.status = 'pending' and (a.live or a.newest >= m.pending_since))
  `
  const moved: { id: string; was: MemberStatus; is: MemberStatus }[] = await em.execute(sql`
    with paid_subscriptions as (${paidOf(tenantId, which)}),
    paid_access as (
      select member_id, bool_or(kind = 'one_time') as forever, bool_or(status = 'live') as live,
        max(paid_through_at) as paid, max(until) as until, max(created_at) as newest
      from paid_subscriptions
      group by member_id
    ),
    latest_subscriptions as (
      select distinct on (member_id) member_id, tier_id, price_id, billing_status,
        case when status = 'ended' then coalesce(cancel_at, ended_at) else cancel_at end as cancel_at
      from subscriptions
      where tenant_id = ${tenantId}
        and member_id ${which}
        and (status = 'live' or status = 'ended' and paid_through_at is not null)
      order by member_id, status = 'live' desc, paid_through_at desc nulls last, created_at desc, id
    ),
    members as (
      select y.* from audience_members y where y.tenant_id = ${tenantId} and y.id ${which}
    )
    update audience_members n
    set status = case when ${becomes} then 'active' else m.status end,
      joined_at = case when ${becomes} and m.status <> 'active' then ${now} else m.joined_at end,
      ended_at = case when ${becomes} then null else m.ended_at end,
      pending_since = case when ${becomes} then null else m.pending_since end,
      status_before = case when ${becomes} then null else m.status_before end, tier_id = l.tier_id,
      price_id = l.price_id, cancel_at = l.cancel_at, billing_status = l.billing_status,
      paid_through_at = case when a.forever then null else greatest(m.paid_through_at, a.paid) end,
      access_until = case when a.forever then null when a.until is null then m.access_until else a.until end,
      updated_at = ${now}
    from members m
    join latest_subscriptions l on l.member_id = m.id
    left join paid_access a on a.member_id = m.id
    where n.id = m.id and n.tenant_id = m.tenant_id and not ${keeps}
    returning n.id, m.status as was, n.status as is
  `)
  for (const { id, was, is } of moved)
    if (was !== 'active' && is === 'active') await publish(em, tenantId, ['audience.member_added'], id, now)
}

/**
 * Copies the state of its subscriptions to the member of this one, and makes the member active if one was paid for.
 * Idempotent. Requires the lock of the member. One statement, and those of `audience.member_added`. `now` in Unix
 * seconds.
 */
export const followSubscription = (
  em: EntityManager,
  tenantId: string,
  subscriptionId: string,
  now: number,
): Promise<void> =>
  follow(
    em,
    tenantId,
    sql`in (select o.member_id from subscriptions o where o.tenant_id = ${tenantId} and o.id = ${subscriptionId})`,
    now,
  )

/** The same for members, by their ids, whose subscriptions were those of other members before. */
export const followMembers = (
  em: EntityManager,
  tenantId: string,
  memberIds: readonly string[],
  now: number,
): Promise<void> => follow(em, tenantId, sql`= any (${uuids(memberIds)})`, now)

/**
 * A new `membership_grace_hours` counts for the running memberships of the store, too. The members are locked first, in
 * a statement of their own: a payment that is recorded meanwhile is then seen by the next one. Free access has no end,
 * and rows whose access stays are not written. Requires the new setting in the store's row. Two statements.
 */
export async function followGrace(em: EntityManager, tenantId: string): Promise<void> {
  await em.execute(sql`
    select count(*)
    from (
      select id
      from audience_members
      where tenant_id = ${tenantId}
        and id in (
          select member_id
          from subscriptions
          where tenant_id = ${tenantId} and status in ('pending', 'live', 'ended')
        )
      order by id
      for update
    ) locked_members
  `)
  await em.execute(sql`
    with paid_subscriptions as (${paidOf(tenantId, sql`is not null`)}),
    paid_access as (
      select member_id, max(until) as until
      from paid_subscriptions
      group by member_id
      having not bool_or(kind = 'one_time')
    )
    update audience_members m
    set access_until = paid_access.until
    from paid_access
    where m.tenant_id = ${tenantId}
      and m.id = paid_access.member_id
      and m.status in ('active', 'pending')
      and m.paid_through_at is not null
      and m.access_until is distinct from paid_access.until
  `)
}
