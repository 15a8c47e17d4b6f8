// What a subscription becomes that is linked or paid, in any order of the events that say so. Each is found by the
// provider's id or by its metadata, and locked with its member.
import type { EntityManager } from '@mikro-orm/postgresql'
import { isWithdrawn } from '../../rules/subscriptions/subscriptions.ts'
import { undoPending } from '../audiences/members.ts'
import { assignments, json, type Sql, sql, type Value } from '../kit/database/sql.ts'
import { uuids } from '../kit/ids.ts'
import { start } from '../kit/outbox.ts'
import { giveBackUse } from '../promotions/redemptions.ts'
import { subscriptionUpdated } from '../stores/account-events.ts'
import { requestChange } from './changes.ts'
import { followSubscription } from './follow.ts'
import { type LockedSubscription, lockSubscription } from './locks.ts'

export type Found = { id: string; tenant_id: string }
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/**
 * The subscription of an object of this account: by the provider's id, else the one that its metadata names, if that
 * has no other. Locks it with its member. null: the object belongs to something else that the account bills.
 */
export async function lockNamed(
  em: EntityManager,
  account: string | null,
  providerId: string,
  metadata: Record<string, string> | null | undefined,
): Promise<LockedSubscription | null> {
  const { subscription = '', tenant_id = '' } = metadata ?? {}
  const inAccount = sql`coalesce(provider_account_id, '') = ${account ?? ''}`
  const named =
    uuid.test(subscription) && uuid.test(tenant_id)
      ? sql`
        union all
        select id, tenant_id
        from subscriptions
        where id = ${subscription}
          and tenant_id = ${tenant_id}
          and kind = 'recurring'
          and provider_subscription_id is null
          and ${inAccount}
      `
      : sql``
  const [found]: Found[] = await em.execute(sql`
    select id, tenant_id
    from subscriptions
    where ${inAccount} and provider_subscription_id = ${providerId}${named}
    limit 1
  `)
  if (!found) return null
  const row = await lockSubscription(em, found)
  // Linked to another one while this transaction waited.
  return row && (row.provider_subscription_id === null || row.provider_subscription_id === providerId) ? row : null
}

type Columns = { [Name in keyof LockedSubscription]?: Value | Sql }

/** Writes columns of a locked subscription. `now` in Unix seconds. */
export const writeSubscription = async (
  em: EntityManager,
  row: LockedSubscription,
  columns: Columns,
  now: number,
): Promise<void> => {
  await em.execute(sql`
    update subscriptions
    set ${assignments({ ...columns, updated_at: now } as Record<string, Value | Sql>)}
    where id = ${row.id} and tenant_id = ${row.tenant_id}
  `)
}

/** Gives up those whose page was never opened, because another one of the member was paid. */
async function giveUpWaiting(em: EntityManager, tenantId: string, ids: readonly string[], now: number): Promise<void> {
  if (ids.length === 0) return
  const error = { code: 'payment_in_progress', message: 'The payment form of the former choice was paid.' }
  await em.execute(sql`
    with abandoned_subscriptions as (
      update subscriptions
      set status = 'given_up', cancel_requested = false, error = ${json(error)}, updated_at = ${now}
      where tenant_id = ${tenantId} and id = any (${uuids(ids)})
      returning id
    )
    update payments
    set status = 'cancelled', updated_at = ${now}
    where tenant_id = ${tenantId} and status = 'pending' and subscription_id in (select id from abandoned_subscriptions)
  `)
  for (const subscription_id of ids) await giveBackUse(em, tenantId, { subscription_id })
}

/** The subscriptions of the same member or store. */
const ofOwner = ({ member_id }: LockedSubscription): Sql =>
  member_id === null ? sql`plan_id is not null` : sql`member_id = ${member_id}`

/**
 * The page was paid and makes no membership: the member was removed or left meanwhile, or another amount was paid. The
 * member becomes what it was before. `now` in Unix seconds.
 */
export async function giveUpPaid(em: EntityManager, row: LockedSubscription, now: number): Promise<void> {
  const waiting: { id: string }[] = await em.execute(sql`
    select id
    from subscriptions
    where tenant_id = ${row.tenant_id} and ${ofOwner(row)} and status = 'waiting'
    for update
  `)
  await writeSubscription(em, row, { status: 'given_up', ...opened }, now)
  row.status = 'given_up'
  await giveBackUse(em, row.tenant_id, { subscription_id: row.id })
  const ids = waiting.map(({ id }) => id)
  await giveUpWaiting(em, row.tenant_id, ids, now)
  if (row.member_id !== null) await undoPending(em, row.tenant_id, row.member_id, now)
}

export type Begun = 'live' | 'ended' | 'second'

/**
 * What a subscription becomes that is linked or paid. `second`: its member was removed or left, its business is being
 * deleted, or it was given up and its member has another one that is live or may be paid at this moment. Those that
 * wait for its page are given up.
 */
export async function beginning(em: EntityManager, row: LockedSubscription, now: number): Promise<Begun> {
  if (row.status === 'live' || row.status === 'ended') return row.status
  // It was ended as a second one before, and its payments are refunded.
  const [found]: { was_second: boolean; erasing: boolean }[] = await em.execute(sql`
    select erasing_at is not null as erasing,
      exists (
        select 1
        from subscription_changes c
        where c.tenant_id = t.id
          and c.subscription_id = ${row.id}
          and c.kind = 'cancel_now'
          and c.requested_by = 'system'
      ) as was_second
    from tenants t
    where t.id = ${row.tenant_id}
  `)
  if (found?.was_second) return 'second'
  // Removed, or left by the member, before it was paid, with its page open or closed.
  if (found?.erasing || isWithdrawn(row.cancelled_by)) {
    if (row.status === 'pending') await giveUpPaid(em, row, now)
    return 'second'
  }
  const others: { id: string; status: string }[] = await em.execute(sql`
    select id, status
    from subscriptions
    where tenant_id = ${row.tenant_id}
      and ${ofOwner(row)}
      and id <> ${row.id}
      and status in ('waiting', 'pending', 'live')
    order by id
    for update
  `)
  if (others.some(({ status }) => status !== 'waiting')) return 'second'
  await giveUpWaiting(
    em,
    row.tenant_id,
    others.map(({ id }) => id),
    now,
  )
  return 'live'
}

/** A page that is no longer waited for. */
export const opened = { hold_until: null, cancel_requested: false }

/** Why it was given up is no error of a subscription that is paid after all. */
export const staleOf = ({ status }: LockedSubscription) => (status === 'given_up' ? { error: null } : {})

/** What follows from the subscription's row: the state of its member, or an event of the store that has the plan. */
export const follow = (em: EntityManager, row: LockedSubscription, now: number): Promise<void> =>
  row.member_id === null
    ? subscriptionUpdated(em, row.tenant_id, now)
    : followSubscription(em, row.tenant_id, row.id, now)

/** A subscription of an audience or a store that was archived meanwhile ends with its period. */
export async function endIfArchived(em: EntityManager, row: LockedSubscription, now: number): Promise<void> {
  if (row.kind !== 'recurring') return
  const archived: unknown[] = await em.execute(sql`
    select 1
    from tenants t
    left join audience_members m on m.tenant_id = t.id and m.id = ${row.member_id}
    left join audiences a on a.id = m.audience_id and a.tenant_id = m.tenant_id
    where t.id = ${row.tenant_id} and (t.status = 'ARCHIVED' or a.status = 'archived')
  `)
  if (archived.length > 0) await requestChange(em, row, 'cancel', 'archive', now)
}

/** Its page may be open, and its workflow ends with the payment. */
export const wakePage = (em: EntityManager, { id, tenant_id }: Found) =>
  start(em, 'checkout', id, { tenant_id, signal: true })

/**
 * Writes what links a subscription of the provider, or pays for it, and makes it live if it may be. A second one of its
 * member is cancelled at once. Returns what it is now, and whether it has become live. `now` in Unix seconds.
 */
export async function begin(
  em: EntityManager,
  row: LockedSubscription,
  columns: Columns,
  now: number,
): Promise<{ begun: Begun; begins: boolean }> {
  const begun = await beginning(em, row, now)
  const begins = begun === 'live' && row.status !== 'live'
  await writeSubscription(
    em,
    row,
    { ...columns, ...(begins ? { status: 'live', ...opened, ...staleOf(row) } : {}) },
    now,
  )
  if (begun === 'second') await requestChange(em, row, 'cancel_now', 'system', now)
  if (begins) await endIfArchived(em, row, now)
  return { begun, begins }
}
