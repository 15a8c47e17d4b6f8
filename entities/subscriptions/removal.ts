// How memberships with a subscription end: removed by an operator, or cancelled and resumed by the member.
import type { EntityManager } from '@mikro-orm/postgresql'
import type { MemberRemoval } from '../../rules/audiences/memberships.ts'
import { conflict, notFound } from '../../rules/refusal.ts'
import { endsAsPaidSql } from '../audiences/access.ts'
import { endMember, isOver, lockMember, type MemberKey, publish } from '../audiences/members.ts'
import { sql } from '../kit/database/sql.ts'
import { requestChange } from './changes.ts'
import { endFree, freeSql } from './free.ts'
import { type LockedSubscription, lockRunning } from './locks.ts'
import { requestClosing } from './pages.ts'

/** Those with a page. One that waits is given up first: the page that it waits for would promote it. */
const pagesOf = (running: readonly LockedSubscription[]) =>
  running.filter((one) => one.status !== 'live').sort((one) => (one.status === 'waiting' ? -1 : 1))

const isRenewing = (one: LockedSubscription) =>
  one.status === 'live' && one.kind === 'recurring' && one.provider_subscription_id !== null

/** A payment that comes before the page is closed is refunded. */
async function closePages(
  em: EntityManager,
  tenantId: string,
  memberId: string,
  pages: readonly LockedSubscription[],
  by: 'member' | 'operator',
  now: number,
): Promise<void> {
  await em.execute(sql`
    update subscriptions
    set cancelled_by = ${by}, updated_at = ${now}
    where tenant_id = ${tenantId} and member_id = ${memberId} and status = 'pending'
  `)
  for (const page of pages) await requestClosing(em, page, now)
}

/**
 * Ends the membership. One with a recurring subscription ends with the paid time: the subscription is cancelled at the
 * provider, with `immediately` at once, as the membership then. A page that may still be paid is closed, and the
 * membership becomes what it was before. `already_removed`: it had ended before. 404. `now` in Unix seconds.
 */
export async function removeMember(
  em: EntityManager,
  tenantId: string,
  key: MemberKey,
  immediately: boolean,
  now: number,
): Promise<{ type: MemberRemoval }> {
  const { status } = await lockMember(em, tenantId, key)
  const subscriptions = await lockRunning(em, tenantId, key.id)
  const live = subscriptions.find((one) => one.status === 'live')
  const pages = pagesOf(subscriptions)
  await closePages(em, tenantId, key.id, pages, 'operator', now)
  const isRecurring = live?.kind === 'recurring' && live.provider_subscription_id !== null
  if (live && isRecurring) await requestChange(em, live, immediately ? 'cancel_now' : 'cancel', 'operator', now)
  if (isOver(status)) return { type: 'already_removed' }
  if ((isRecurring && !immediately) || (status === 'pending' && pages.length > 0))
    return { type: 'subscription_cancellation_requested' }
  if (live && !isRecurring)
    await em.execute(sql`
      update subscriptions
      set status = 'ended', ended_at = ${now}, cancelled_by = 'operator', updated_at = ${now}
      where tenant_id = ${tenantId} and id = ${live.id}
    `)
  // An ended one may have paid time left, and a payment may still be reported.
  await em.execute(sql`
    update subscriptions
    set revoked_at = ${now}, updated_at = ${now}
    where tenant_id = ${tenantId} and member_id = ${key.id} and status in ('live', 'ended') and revoked_at is null
  `)
  await endMember(em, tenantId, key.id, now)
  await publish(em, tenantId, ['audience.member_removed'], key.id, now)
  return { type: 'removed' }
}

/**
 * An active member `m` of a paid audience for whom nothing is or was paid: no subscription has to be ended at the
 * provider.
 */
const isFreeMember = sql`
  (
    m.status = 'active'
    and m.paid_through_at is null
    and exists (
      select 1
      from audiences a
      where a.tenant_id = m.tenant_id and a.id = m.audience_id and a.type = 'paid'
    )
    and not exists (
      select 1
      from subscriptions p
      where p.tenant_id = m.tenant_id and p.member_id = m.id and p.status = 'live' and not ${freeSql('p')}
    )
  )
`

/**
 * What a member may change about the subscription. `may_resume`: it ends, and neither the store nor the archiving of
 * the audience ended it.
 */
export type OwnSubscription = { has_card: boolean; may_cancel: boolean; may_resume: boolean }

/** Reads the subscription of a member. One statement. */
export async function readOwnSubscription(
  em: EntityManager,
  tenantId: string,
  memberId: string,
): Promise<OwnSubscription> {
  const [found]: OwnSubscription[] = await em.execute(sql`
    select s.provider_customer_id is not null as has_card,
      coalesce(not ${endsAsPaidSql('s')} and s.kind = 'recurring', false) or ${isFreeMember} as may_cancel,
      s.cancel_at is not null and coalesce(s.cancelled_by, 'member') in ('member', 'provider') as may_resume
    from audience_members m
    left join subscriptions s
      on s.tenant_id = m.tenant_id
      and s.member_id = m.id
      and s.status = 'live'
      and s.provider_subscription_id is not null
    where m.tenant_id = ${tenantId} and m.id = ${memberId}
  `)
  return found ?? { has_card: false, may_cancel: false, may_resume: false }
}

/**
 * A member leaves who pays nothing: the membership ends at once, and a page that is open is closed; a payment on it is
 * refunded. Requires the lock of the member. Returns false for any other member.
 */
async function leaveFree(
  em: EntityManager,
  tenantId: string,
  memberId: string,
  pages: readonly LockedSubscription[],
  now: number,
): Promise<boolean> {
  const memberIds: unknown[] = await em.execute(sql`
    update audience_members m
    set status = 'cancelled', ended_at = ${now}, updated_at = ${now}
    where m.tenant_id = ${tenantId} and m.id = ${memberId} and ${isFreeMember}
    returning m.id
  `)
  if (memberIds.length === 0) return false
  await endFree(em, tenantId, [memberId], now)
  await closePages(em, tenantId, memberId, pages, 'member', now)
  await publish(em, tenantId, ['audience.member_access_cancelled'], memberId, now)
  return true
}

/**
 * The member cancels the subscription at the end of the paid time, or takes that back. A free membership of a paid
 * audience ends at once. 404; 409 not_subscribed, cancelled_by_store, change_in_flight. `now` in Unix seconds.
 */
export async function changeOwnSubscription(
  em: EntityManager,
  tenantId: string,
  memberId: string,
  kind: 'cancel' | 'resume',
  now: number,
): Promise<void> {
  const running = await lockOwn(em, tenantId, memberId)
  const live = running.find(isRenewing)
  if (!live && kind === 'cancel' && (await leaveFree(em, tenantId, memberId, pagesOf(running), now))) return
  if (!live) throw conflict('not_subscribed', 'The membership has no running subscription.')
  if (live.cancelled_by === 'operator' || live.cancelled_by === 'archive') {
    if (kind === 'cancel') return
    throw conflict(
      'cancelled_by_store',
      'The {store} ended this subscription. Subscribe again where the {store} offers it.',
    )
  }
  await requestChange(em, live, kind, 'member', now)
}

/**
 * An operator takes back the cancellation of the store's own removal, which is not over yet. 404; 409 not_subscribed,
 * not_cancelled_by_store, change_in_flight. `now` in Unix seconds.
 */
export async function resumeMember(em: EntityManager, tenantId: string, key: MemberKey, now: number): Promise<void> {
  await lockMember(em, tenantId, key)
  const live = (await lockRunning(em, tenantId, key.id)).find(isRenewing)
  if (!live) throw conflict('not_subscribed', 'The membership has no running subscription.')
  if (live.cancelled_by !== 'operator')
    throw conflict(
      'not_cancelled_by_store',
      'No operator cancelled this subscription. What the member cancelled, the member resumes.',
    )
  await requestChange(em, live, 'resume', 'operator', now)
}

async function lockOwn(em: EntityManager, tenantId: string, memberId: string): Promise<LockedSubscription[]> {
  // The member is locked before its subscriptions, as in all of this domain.
  const locked: unknown[] = await em.execute(sql`
    select 1
    from audience_members
    where tenant_id = ${tenantId} and id = ${memberId}
    for update
  `)
  if (locked.length === 0) throw notFound('member')
  return lockRunning(em, tenantId, memberId)
}
