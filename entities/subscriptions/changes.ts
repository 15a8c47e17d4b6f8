// Changes of a subscription at the provider are requested under the subscription's lock: the same change again is the
// same row.
import type { EntityManager } from '@mikro-orm/postgresql'
import { endsAsPaid } from '../../rules/audiences/memberships.ts'
import { conflict } from '../../rules/refusal.ts'
import { isUnpaid } from '../../rules/subscriptions/events.ts'
import { READ_BACK_MS } from '../../rules/subscriptions/membership.ts'
import type { CancelledBy, ChangeKind, ChangeOrigin } from '../../rules/subscriptions/subscriptions.ts'
import { endsAsPaidSql } from '../audiences/access.ts'
import { insertRow, insertSelect } from '../kit/database/insert.ts'
import { type Sql, sql, text } from '../kit/database/sql.ts'
import { newId, newIdSql, uuids } from '../kit/ids.ts'
import { start, startAll } from '../kit/outbox.ts'
import { lockSubscription } from './locks.ts'
import { SubscriptionChange } from './subscription-change.ts'

type Owner = {
  id: string
  tenant_id: string
  cancel_at: number | null
  paid_through_at: number | null
  billing_status: string | null
  cancelled_by?: CancelledBy | null
}
type Open = { id: string; kind: ChangeKind; status: string; requested_by: ChangeOrigin }

/**
 * Changes without an outcome: one that is unknown counts for the five minutes in which it is looked for at the
 * provider.
 */
const isOpen = (alias: string): Sql => sql`
  (
    ${text(alias)}.status in ('requested', 'processing')
    or ${text(alias)}.status = 'unknown'
    and ${text(alias)}.late_evidence is null
    and ${text(alias)}.settled_at > clock_timestamp() - make_interval(secs => ${READ_BACK_MS / 1000})
  )
`

const opposites: Partial<Record<ChangeKind, readonly ChangeKind[]>> = {
  cancel: ['resume'],
  resume: ['cancel', 'cancel_now'],
}

/** Starts the workflow of a membership, or signals it to read its rows again. */
export const wakeMembership = (em: EntityManager, { id, tenant_id }: { id: string; tenant_id: string }) =>
  start(em, 'membership', id, { tenant_id, signal: true })

/**
 * Requests a change, unless the same one is open or the subscription is in that state already. Who ends it decides how
 * the membership ends. Requires the lock of the subscription. 409 change_in_flight for a member who asks for the
 * opposite of an open change, and for an operator who takes an open cancellation back. `now` in Unix seconds.
 */
export async function requestChange(
  em: EntityManager,
  subscription: Owner,
  kind: ChangeKind,
  by: ChangeOrigin,
  now: number,
): Promise<void> {
  const { id: subscription_id, tenant_id } = subscription
  const open: Open[] = await em.execute(sql`
    select c.id, c.kind, c.status, c.requested_by
    from subscription_changes c
    where c.tenant_id = ${tenant_id} and c.subscription_id = ${subscription_id} and ${isOpen('c')}
  `)
  if ((by === 'member' || kind === 'resume') && open.some((one) => opposites[kind]?.includes(one.kind)))
    throw conflict(
      'change_in_flight',
      'The opposite change is being sent to the payment provider. Repeat the request in a moment.',
    )
  if ((kind === 'cancel' || kind === 'cancel_now') && by !== 'system') {
    // The row of the caller changes, too: the caller may write it again.
    subscription.cancelled_by = by
    await em.execute(sql`
      update subscriptions
      set cancelled_by = ${by}, updated_at = ${now}
      where tenant_id = ${tenant_id} and id = ${subscription_id}
    `)
  }
  // A card whose outcome is unknown may be an older one than the customer has now.
  const isSame = (one: Open) => one.kind === kind && !(kind === 'card' && one.status === 'unknown')
  const same = open.find((one) => isSame(one) || (kind === 'cancel' && one.kind === 'cancel_now'))
  if (same) {
    // The card that is being sent may be an older one.
    if (kind === 'card' && same.status === 'processing')
      await em.execute(sql`
        update subscription_changes
        set repeat = true
        where tenant_id = ${tenant_id} and id = ${same.id} and status = 'processing'
      `)
    return
  }
  const resumes = open.some((one) => one.kind === 'resume')
  // One that is being collected does not end with its period: it is cancelled at once.
  if (kind === 'cancel' && endsAsPaid(subscription) && !resumes && !isUnpaid(subscription.billing_status)) return
  if (kind === 'cancel' && by === 'system' && resumes) return
  if (kind === 'resume' && subscription.cancel_at === null) {
    // Its cancellation did not reach the provider, and must not be requested again.
    await em.execute(sql`
      update subscriptions
      set cancelled_by = null, updated_at = ${now}
      where tenant_id = ${tenant_id} and id = ${subscription_id} and cancelled_by is not null
    `)
    return
  }
  await insertRow(em, SubscriptionChange, {
    id: newId(),
    tenant_id,
    created_at: now,
    updated_at: now,
    subscription_id,
    kind,
    requested_by: by,
    fingerprint: '',
  })
  await wakeMembership(em, subscription)
}

/**
 * Whether the row `alias` of subscriptions is one that the archiving of its audience has to end. A member, and the
 * provider's dashboard, could take their cancellation back.
 */
export const runsOn = (alias: string): Sql => sql`
  ${text(alias)}.status = 'live'
  and ${text(alias)}.kind = 'recurring'
  and (${text(alias)}.cancelled_by is null or ${text(alias)}.cancelled_by in ('member', 'provider'))
`

/**
 * Requests the cancellation, at their period's end, of up to `limit` subscriptions of an archived audience. Returns how
 * many. Three statements, however many subscriptions. `now` in Unix seconds.
 */
export async function cancelOfArchived(
  em: EntityManager,
  tenantId: string,
  audienceId: string,
  limit: number,
  now: number,
): Promise<number> {
  // Members are locked before their subscriptions; members in use are skipped until a later batch.
  const found: { id: string }[] = await em.execute(sql`
    with locked_members as materialized (
      select m.id, s.id as subscription_id
      from audience_members m
      join subscriptions s on s.member_id = m.id and s.tenant_id = m.tenant_id
      where m.tenant_id = ${tenantId} and m.audience_id = ${audienceId} and ${runsOn('s')}
      order by m.id
      limit ${limit}
      for update of m skip locked
    )
    update subscriptions s
    set cancelled_by = 'archive', updated_at = ${now}
    from locked_members
    where s.id = locked_members.subscription_id and ${runsOn('s')}
    returning s.id
  `)
  if (found.length === 0) return 0
  const columns = {
    created_at: now,
    updated_at: now,
    kind: 'cancel' as const,
    requested_by: 'archive' as const,
    fingerprint: '',
  }
  const row = { id: newIdSql, tenant_id: tenantId, subscription_id: sql`s.id`, ...columns }
  const changed: { subscription_id: string }[] = await em.execute(sql`
    ${insertSelect(em, SubscriptionChange, row)}
    from subscriptions s
    where s.tenant_id = ${tenantId}
      and s.id = any (${uuids(found.map(({ id }) => id))})
      and not ${endsAsPaidSql('s')}
      and not exists (
        select 1
        from subscription_changes c
        where c.subscription_id = s.id and c.kind in ('cancel', 'cancel_now') and ${isOpen('c')}
      )
    returning subscription_id
  `)
  await startAll(
    em,
    'membership',
    changed.map(({ subscription_id }) => subscription_id),
    // One that runs may have read its rows already.
    { tenant_id: tenantId, signal: true },
  )
  return found.length
}

/** Seconds until a cancellation that the provider does not show is requested again: doubled with every try. */
const AGAIN_S = 300
const AGAIN_MAX_S = 86_400

type Uncancelled = { id: string; tenant_id: string; kind: 'cancel' | 'cancel_now' | null }

/**
 * `s`: what was cancelled and continues; each condition has an index. A second subscription of a member stays
 * `given_up` until it has ended.
 */
const uncancelled = [
  sql`
    s.status = 'live'
    and not ${endsAsPaidSql('s')}
    and s.cancelled_by is not null
    and s.cancelled_by <> 'provider'
    and s.kind = 'recurring'
    and s.provider_subscription_id is not null
  `,
  sql`s.status = 'given_up' and s.provider_subscription_id is not null`,
]

async function repeatOne(em: EntityManager, key: Uncancelled, now: number): Promise<void> {
  const row = await lockSubscription(em, key)
  if (row?.status === 'given_up') return requestChange(em, row, 'cancel_now', 'system', now)
  if (row?.status !== 'live' || endsAsPaid(row) || row.cancelled_by === null || row.cancelled_by === 'provider') return
  await requestChange(em, row, key.kind ?? 'cancel', row.cancelled_by, now)
}

/**
 * Each in a transaction of its own: one that fails does not undo or stop the others. The first error is thrown at the
 * end.
 */
async function eachApart<T>(
  em: EntityManager,
  all: readonly T[],
  work: (at: EntityManager, one: T) => Promise<void>,
): Promise<void> {
  const errors: unknown[] = []
  for (const one of all) await em.transactional((at) => work(at, one)).catch((error) => errors.push(error))
  if (errors.length > 0) throw errors[0]
}

/** The pause before the next try of `change`, which was settled without effect, after its `tries` so far. */
const againAfter = sql`make_interval(secs => least(${AGAIN_MAX_S}, ${AGAIN_S} * power(2, least(change.tries - 1, 10))))`

/**
 * Requests the card of up to `limit` live subscriptions of all tenants again, whose last request was refused, failed,
 * or has an unknown outcome that five minutes of reads did not show: the provider would keep charging the card before
 * it. A customer without a card is left as it is. `now` in Unix seconds.
 */
export async function repeatCards(em: EntityManager, limit: number, now: number): Promise<void> {
  const found: { id: string; tenant_id: string }[] = await em.execute(sql`
    select change.subscription_id as id, change.tenant_id
    from (
      select c.*,
        (
          select count(*)
          from subscription_changes k
          where k.subscription_id = c.subscription_id and k.kind = 'card'
        ) as tries
      from subscription_changes c
      where c.kind = 'card' and c.status in ('rejected', 'failed', 'unknown')
    ) change
    join subscriptions s on s.id = change.subscription_id and s.tenant_id = change.tenant_id
    where s.status = 'live'
      and coalesce(change.late_evidence ->> 'status', '') not in ('seen', 'succeeded')
      and change.error ->> 'code' is distinct from 'no_card'
      and change.settled_at < clock_timestamp() - ${againAfter}
      and not exists (
        select 1
        from subscription_changes k
        where k.subscription_id = change.subscription_id
          and k.kind = 'card'
          and (k.created_at, k.id) > (change.created_at, change.id)
      )
    order by change.settled_at
    limit ${limit}
  `)
  await eachApart(em, found, async (at, one) => {
    const row = await lockSubscription(at, one)
    if (row?.status === 'live') await requestChange(at, row, 'card', 'system', now)
  })
}

/**
 * Requests cancellations again, of all tenants, at most `limit` of each kind, whose last request was refused, failed,
 * or has an unknown outcome that five minutes of reads did not show: otherwise the provider would keep charging. A
 * cancellation sets a state, so that a second one adds nothing. `now` in Unix seconds.
 */
export async function repeatCancellations(em: EntityManager, limit: number, now: number): Promise<void> {
  for (const condition of uncancelled) {
    const found: Uncancelled[] = await em.execute(sql`
      select s.id, s.tenant_id, change.kind
      from subscriptions s
      left join lateral (
        select c.kind, c.status, c.settled_at, count(*) over () as tries
        from subscription_changes c
        where c.tenant_id = s.tenant_id and c.subscription_id = s.id and c.kind in ('cancel', 'cancel_now')
        order by c.created_at desc, c.id desc
        limit 1
      ) change on true
      where ${condition}
        and not exists (select 1 from subscription_changes o where o.subscription_id = s.id and ${isOpen('o')})
        and case
          when change.kind is null then s.updated_at < ${now - AGAIN_S}
          else change.status <> 'succeeded' and change.settled_at < clock_timestamp() - ${againAfter}
        end
      order by s.updated_at
      limit ${limit}
    `)
    await eachApart(em, found, (at, one) => repeatOne(at, one, now))
  }
}
