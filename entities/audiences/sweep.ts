// Ends memberships whose time is over. Access does not depend on it: the rule of access looks at the clock.
import type { EntityManager } from '@mikro-orm/postgresql'
import { type MemberStatus, PENDING_DAYS } from '../../rules/audiences/memberships.ts'
import { sql } from '../kit/database/sql.ts'
import { firstIdAt, uuids } from '../kit/ids.ts'
import { startAll } from '../kit/outbox.ts'
import type { RowsRun } from '../kit/process.ts'
import { emitAll } from '../webhooks/events.ts'
import { memberData, readMembers } from './member-rows.ts'

type Ended = { id: string; tenant_id: string; status: MemberStatus }

/** Publishes an event about members of several tenants, of those that have a subscriber. */
const publishAll = (
  em: EntityManager,
  ended: readonly Ended[],
  type: 'audience.member_access_cancelled' | 'audience.member_removed',
  now: number,
) =>
  emitAll(
    em,
    ended.map(({ tenant_id }) => tenant_id),
    type,
    async (subscribed) => {
      const events = []
      for (const tenant_id of subscribed) {
        const ids = ended.filter((one) => one.tenant_id === tenant_id).map(({ id }) => id)
        for (const row of await readMembers(em, tenant_id, ids)) events.push({ tenant_id, data: memberData(row, now) })
      }
      return events
    },
    now,
  )

/** The place of the last member that a batch looked at. */
type OverdueCursor = { access_until: number; id: string }

type Overdue = OverdueCursor & { tenant_id: string; live: string | null; read_at: number | null; waits: boolean | null }

/** Asks the workflows of these subscriptions to read the provider. */
async function wantReads(em: EntityManager, ids: readonly string[], now: number): Promise<void> {
  if (ids.length === 0) return
  const wanted: { id: string; tenant_id: string }[] = await em.execute(sql`
    update subscriptions
    set read_wanted_at = ${now}
    where id = any (${uuids(ids)}) and status = 'live' and read_wanted_at is null
    returning id, tenant_id
  `)
  for (const [tenant_id, own] of Map.groupBy(wanted, (one) => one.tenant_id))
    await startAll(
      em,
      'membership',
      own.map(({ id }) => id),
      // One that runs may have read its rows already.
      { tenant_id, signal: true },
    )
}

/**
 * Asks for a read, at most daily, of up to `limit` subscriptions that run at the provider, and for whose time no
 * payment arrived two hours after it ended: the event of a payment may be missing. Their members may have any status:
 * one that is pending or has ended may have paid. Of all tenants. `now` in Unix seconds.
 */
export async function readLapsed(em: EntityManager, limit: number, now: number): Promise<void> {
  // As in its index.
  const due = sql`greatest(paid_through_at + 7200, created_at + 7200, read_at + 86400)`
  // Subscriptions that another transaction has locked are skipped: a later round finds them.
  const found: { id: string }[] = await em.execute(sql`
    select id
    from subscriptions
    where status = 'live'
      and kind = 'recurring'
      and provider_subscription_id is not null
      and read_wanted_at is null
      and ${due} < ${now}
    order by ${due}
    limit ${limit}
    for update skip locked
  `)
  await wantReads(
    em,
    found.map(({ id }) => id),
    now,
  )
}

/**
 * Ends these members at the end of their access. Who ended the subscription decides what they become, and which event
 * is published.
 */
async function endAll(em: EntityManager, ids: readonly string[], now: number): Promise<void> {
  const by = sql`
    (
      select s.cancelled_by
      from subscriptions s
      where s.member_id = m.id and s.tenant_id = m.tenant_id and s.status in ('live', 'ended')
      order by s.status = 'live' desc, s.paid_through_at desc nulls last, s.created_at desc, s.id
      limit 1
    )
  `
  const ended: Ended[] = await em.execute(sql`
    update audience_members m
    set
      status = case ${by}
        when 'operator' then 'removed'
        when 'member' then 'cancelled'
        when 'provider' then 'cancelled'
        when 'archive' then 'cancelled'
        else 'expired'
      end,
      ended_at = m.access_until, updated_at = ${now}
    where m.id = any (${uuids(ids)})
    returning m.id, m.tenant_id, m.status
  `)
  const [removed, others] = [
    ended.filter(({ status }) => status === 'removed'),
    ended.filter(({ status }) => status !== 'removed'),
  ]
  if (others.length > 0) await publishAll(em, others, 'audience.member_access_cancelled', now)
  if (removed.length > 0) await publishAll(em, removed, 'audience.member_removed', now)
}

/**
 * Ends a member without access whose live subscription, if there is one, was read since. Requires the lock of the
 * member. `now` in Unix seconds.
 */
export async function endAfterRead(em: EntityManager, tenantId: string, memberId: string, now: number): Promise<void> {
  const overdue: unknown[] = await em.execute(sql`
    select 1
    from audience_members m
    where m.tenant_id = ${tenantId}
      and m.id = ${memberId}
      and m.status = 'active'
      and m.access_until < ${now}
      and not exists (
        select 1
        from subscriptions s
        where s.member_id = m.id
          and s.tenant_id = m.tenant_id
          and s.status = 'live'
          and s.provider_subscription_id is not null
          and s.kind = 'recurring'
          and (s.read_wanted_at is not null or coalesce(s.read_at, 0) <= m.access_until)
      )
  `)
  if (overdue.length > 0) await endAll(em, [memberId], now)
}

/**
 * Ends those of the next `limit` active members without access, of all tenants. A member with a live subscription is
 * left to its workflow, which first reads the provider: the event of a payment may be missing. Locked members are left
 * to the next round.
 * Returns where the next batch begins; null after the last one. `now` in Unix seconds.
 */
export async function endOverdue(
  em: EntityManager,
  limit: number,
  after: OverdueCursor | null,
  now: number,
): Promise<OverdueCursor | null> {
  const found: Overdue[] = await em.execute(sql`
    select m.id, m.tenant_id, m.access_until, subscription.id as live, subscription.read_at, subscription.waits
    from audience_members m
    left join lateral (
      select s.id, s.read_at, s.read_wanted_at is not null as waits
      from subscriptions s
      where s.member_id = m.id
        and s.tenant_id = m.tenant_id
        and s.status = 'live'
        and s.provider_subscription_id is not null
        and s.kind = 'recurring'
      limit 1
    ) subscription on true
    where m.status = 'active'
      and m.access_until is not null
      and m.access_until < ${now}
      and (m.access_until, m.id) > (${after?.access_until ?? 0}::bigint, ${after?.id ?? firstIdAt(0)}::uuid)
    order by m.access_until, m.id
    limit ${limit}
    for update of m skip locked
  `)
  if (found.length === 0) return null
  const isUnread = ({ live, read_at, access_until }: Overdue) => live !== null && (read_at ?? 0) <= access_until
  await wantReads(
    em,
    found.flatMap((one) => (isUnread(one) && !one.waits && one.live ? [one.live] : [])),
    now,
  )
  const overdue = found.filter((one) => !isUnread(one) && !one.waits).map(({ id }) => id)
  const { id, access_until } = found.at(-1) as Overdue
  const next = found.length < limit ? null : { id, access_until }
  if (overdue.length === 0) return next
  await endAll(em, overdue, now)
  return next
}

/**
 * Undoes up to `limit` memberships of confirmation audiences that were not confirmed for 30 days: they become what they
 * were before, or are deleted, unless the row holds an opt-out, or what an operator wrote about the member. Returns how
 * many. `now` in Unix seconds.
 */
async function undoUnconfirmed(em: EntityManager, limit: number, now: number): Promise<number> {
  // Members that a transaction has locked, such as a confirmation, are skipped: a later round finds them.
  const found: { id: string; is_new: boolean }[] = await em.execute(sql`
    select m.id,
      m.status_before is null and not m.opted_out and m.lead_description is null and m.fields = '{}' as is_new
    from audience_members m
    join audiences a on a.id = m.audience_id and a.tenant_id = m.tenant_id
    where m.status = 'pending' and m.pending_since < ${now - PENDING_DAYS * 86_400} and a.type = 'confirmation'
    order by m.pending_since
    limit ${limit}
    for update of m skip locked
  `)
  const idsOf = (is_new: boolean) => uuids(found.filter((one) => one.is_new === is_new).map(({ id }) => id))
  if (found.length === 0) return 0
  await em.execute(sql`delete from audience_members where id = any (${idsOf(true)})`)
  await em.execute(sql`
    update audience_members
    set status = coalesce(status_before, 'removed'), ended_at = coalesce(ended_at, ${now}), status_before = null,
      pending_since = null, updated_at = ${now}
    where id = any (${idsOf(false)})
  `)
  return found.length
}

const membersAtOnce = 500

/**
 * Memberships whose time is over. Many may end in the same second: a round continues until none is left, each batch in
 * a transaction of its own.
 */
export async function endMemberships({ transaction, now }: RowsRun): Promise<void> {
  let after: OverdueCursor | null = null
  do {
    const from: OverdueCursor | null = after
    after = await transaction((em) => endOverdue(em, membersAtOnce, from, now))
  } while (after !== null)
  await transaction((em) => readLapsed(em, membersAtOnce, now))
  while ((await transaction((em) => undoUnconfirmed(em, membersAtOnce, now))) === membersAtOnce);
}
