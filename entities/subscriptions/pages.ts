// The page on which a subscription is paid for: written with its payment, its coupon and the use of its promo code, and
// released when it can no longer be paid. A member, and a store, has one page at a time: another one opens in the
// transaction that releases it.
import type { EntityManager } from '@mikro-orm/postgresql'
import type { PriceInterval } from '../../rules/audiences/audiences.ts'
import { Refusal } from '../../rules/refusal.ts'
import { saidOn } from '../../rules/spelling.ts'
import type { SubscriptionKind, SubscriptionStatus } from '../../rules/subscriptions/subscriptions.ts'
import { emailSql } from '../audiences/member-rows.ts'
import { undoPending } from '../audiences/members.ts'
import { json, sql } from '../kit/database/sql.ts'
import type { EffectError } from '../kit/effect-columns.ts'
import { start } from '../kit/outbox.ts'
import { wakeCheckout } from '../payments/checkout-steps.ts'
import { countUse, giveBackUse } from '../promotions/redemptions.ts'
import { followSubscription } from './follow.ts'
import { isFree, type Offer, readOffer } from './offer.ts'
import { type Opening, writeOpening } from './page-rows.ts'
import type { SubscriptionError } from './subscription.ts'

/**
 * Makes a subscription `pending` and starts its checkout; a free one is `live` at once, without a payment. Counts the
 * use of the code. Requires the lock of the member or the store; locks the promo code. Returns whether a page opens.
 * 422 promo_code_exhausted, promo_code_invalid. `now` in Unix seconds.
 */
export async function openSubscription(
  em: EntityManager,
  opening: Opening,
  offer: Offer,
  now: number,
  awaited: boolean,
): Promise<boolean> {
  const { id, tenant_id, contact_id } = opening
  const address = offer.promo && contact_id ? await countUse(em, tenant_id, offer.promo, contact_id) : null
  await writeOpening(em, opening, offer, address, now)
  const free = isFree(offer)
  if (free) await followSubscription(em, tenant_id, id, now)
  else await start(em, 'checkout', id, { tenant_id, awaited, signal: false })
  return !free
}

/** What the request that opens a page depends on. Amounts in minor units. */
export type PageFacts = {
  plan_id: string | null
  cancel_url: string | null
  kind: SubscriptionKind
  interval: PriceInterval | null
  hold_until: number | null
  provider_price_id: string | null
  audience: string | null
  tier: string | null
  coupon: { id: string; made: boolean; error: EffectError | null } | null
  /**
   * The provider's customer of the same contact, of the same membership under a claimed address, or of the same store,
   * in the same currency: a customer has one currency.
   */
  customer: string | null
  email: string | null
}

export async function pageFacts(em: EntityManager, tenantId: string, subscriptionId: string): Promise<PageFacts> {
  // The provider may have deleted the customer: a page that was refused because a record is missing is requested
  // without one. A membership under a claimed address may move to another contact without the others: its customer,
  // whose card and invoices move along, is no other membership's.
  const same = sql`
    x.provider_customer_id is not null
    and x.currency = u.currency
    and x.provider_account_id is not distinct from u.provider_account_id
    and x.claimed_address is not distinct from u.claimed_address
    and (u.claimed_address is null or x.member_id = u.member_id)
    and not exists (
      select 1
      from subscriptions g
      where g.tenant_id = u.tenant_id
        and (g.member_id = u.member_id or g.plan_id is not null and u.plan_id is not null)
        and g.status = 'given_up'
        and g.error ->> 'provider_code' = 'resource_missing'
        and g.created_at >= x.created_at
    )
    order by x.created_at desc, x.id desc
    limit 1
  `
  const [facts]: PageFacts[] = await em.execute(sql`
    select u.plan_id, u.kind, u.interval, u.cancel_url, extract(epoch from u.hold_until)::float8 as hold_until,
      p.provider_price_id, a.name as audience, t.name as tier,
      (
        select jsonb_build_object(
          'id', c.id, 'made', c.status = 'succeeded' or coalesce(c.at_provider, false), 'error', c.error
        )
        from coupons c
        where c.tenant_id = u.tenant_id and c.subscription_id = u.id
      ) as coupon,
      case
        when u.member_id is null
          then (
            select x.provider_customer_id
            from subscriptions x
            where x.tenant_id = u.tenant_id and x.plan_id is not null and ${same}
          )
        else (
          select x.provider_customer_id
          from audience_members y
          join subscriptions x on x.member_id = y.id and x.tenant_id = y.tenant_id
          where y.tenant_id = m.tenant_id and y.contact_id = m.contact_id and ${same}
        )
      end as customer,
      coalesce(
        u.claimed_address, ${emailSql('m.tenant_id', 'm.contact_id')},
        case when u.plan_id is not null then (select n.emails ->> 'billing' from tenants n where n.id = u.tenant_id) end
      ) as email
    from subscriptions u
    left join audience_members m on m.id = u.member_id and m.tenant_id = u.tenant_id
    left join audiences a on a.id = m.audience_id and a.tenant_id = m.tenant_id
    left join audience_prices p on p.id = u.price_id and p.tenant_id = u.tenant_id
    left join audience_tiers t on t.id = u.tier_id and t.tenant_id = u.tenant_id
    where u.tenant_id = ${tenantId} and u.id = ${subscriptionId}
  `)
  if (!facts) throw new Error('no such subscription')
  return facts
}

/**
 * Signals the workflow of a pending subscription to close its page, and drops one that waits. With the page closed, the
 * member becomes what it was before, or another choice opens its own page. Requires the lock of the member or the
 * store. `now` in Unix seconds.
 */
export async function requestClosing(
  em: EntityManager,
  page: { id: string; tenant_id: string },
  now: number,
  awaited = false,
): Promise<void> {
  const { id, tenant_id } = page
  const closing: unknown[] = await em.execute(sql`
    with deleted_subscription as (
      delete from subscriptions
      where tenant_id = ${tenant_id} and id = ${id} and status = 'waiting'
    )
    update subscriptions
    set cancel_requested = true, updated_at = ${now}
    where tenant_id = ${tenant_id} and id = ${id} and status = 'pending'
    returning id
  `)
  if (closing.length > 0) await wakeCheckout(em, page, awaited)
}

type Owner = {
  tenant_id: string
  member_id: string | null
  contact_id: string | null
  audience_id: string | null
  audience_active: boolean
}

/**
 * Locks what a subscription's rows are locked after: its contact, its audience and its member. If contacts are merged
 * at this moment, those that it belongs to after that. For a store's own plan it locks the store.
 */
async function lockOwner(em: EntityManager, id: string): Promise<Owner | null> {
  for (let tries = 0; tries < 3; tries++) {
    const [owner]: Owner[] = await em.execute(sql`
      select u.tenant_id, u.member_id, m.contact_id, m.audience_id, a.status = 'active' as audience_active
      from subscriptions u
      join audience_members m on m.id = u.member_id and m.tenant_id = u.tenant_id
      join contacts c on c.id = m.contact_id and c.tenant_id = m.tenant_id
      join audiences a on a.id = m.audience_id and a.tenant_id = m.tenant_id
      where u.id = ${id}
      for key share of c
      for share of a
      for update of m
    `)
    if (owner) return owner
    const [row]: { tenant_id: string; of_store: boolean }[] = await em.execute(sql`
      select u.tenant_id, u.plan_id is not null as of_store
      from subscriptions u
      join tenants t on t.id = u.tenant_id
      where u.id = ${id}
      for no key update of t
    `)
    if (!row) return null
    if (row.of_store)
      return { tenant_id: row.tenant_id, member_id: null, contact_id: null, audience_id: null, audience_active: false }
  }
  throw new Error('the member of a subscription moved three times')
}

type Row = {
  id: string
  tenant_id: string
  plan_id: string | null
  status: SubscriptionStatus
  price_id: string | null
  promo_code: string | null
  return_url: string | null
  expected_total: number | null
} & Pick<Offer, 'tier_id' | 'kind' | 'amount' | 'currency' | 'interval'>

/** Locks the subscription `id`, and the one that waits for it. */
async function lockWithWaiting(
  em: EntityManager,
  { tenant_id, member_id }: Owner,
  id: string,
): Promise<{ row: Row | undefined; waiting: Row | undefined }> {
  const same = member_id === null ? sql`plan_id is not null` : sql`member_id = ${member_id}`
  const rows: Row[] = await em.execute(sql`
    select id, tenant_id, plan_id, status, price_id, promo_code, return_url, expected_total, tier_id, kind, amount,
      currency, interval
    from subscriptions
    where tenant_id = ${tenant_id} and ${same} and (id = ${id} or status = 'waiting')
    order by id
    for update
  `)
  return {
    row: rows.find((one) => one.id === id),
    waiting: rows.find((one) => one.status === 'waiting' && one.id !== id),
  }
}

const giveUp = (em: EntityManager, row: Row, error: SubscriptionError | null, now: number) =>
  em.execute(sql`
    update subscriptions
    set status = 'given_up', hold_until = null, error = ${json(error)}, updated_at = ${now}
    where tenant_id = ${row.tenant_id} and id = ${row.id}
  `)

/**
 * Opens the page of the subscription that waited. Where it can no longer be subscribed to, it is given up with the
 * reason.
 */
async function promote(em: EntityManager, owner: Owner, row: Row, now: number): Promise<boolean> {
  const { audience_id, member_id, contact_id } = owner
  const { id, tenant_id, plan_id, price_id, promo_code, return_url, expected_total } = row
  const opening = { id, tenant_id, plan_id, return_url, member_id, contact_id, claimed_address: null, waited: true }
  await em.execute('savepoint promotion')
  try {
    const isMembership = price_id !== null && audience_id !== null && member_id !== null && contact_id !== null
    if (isMembership && !owner.audience_active)
      throw new Refusal(409, 'audience_not_active', 'The audience is not active.')
    const offer = isMembership
      ? await readOffer(
          em,
          tenant_id,
          { audience_id, member_id, contact_id },
          { price_id, promo_code, return_url, expected_total },
          now,
        )
      : { ...row, discount_amount: 0, provider_account_id: null, promo: null }
    await openSubscription(em, opening, offer, now, false)
    await em.execute('release savepoint promotion')
    return true
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    await em.execute('rollback to savepoint promotion')
    await giveUp(em, row, { ...error.details.members, code: error.code, message: saidOn('store', error.message) }, now)
    return false
  }
}

/**
 * Gives up a subscription whose page cannot be paid any more: its code's use is given back, its payment is cancelled,
 * and the choice that waited opens its page. Without one, the pending member becomes what it was before; one that was
 * nothing becomes `removed`, as its payments refer to it. A subscription that was paid for or given up stays as it is.
 * Returns false if there is no such subscription. `now` in Unix seconds.
 */
export async function releaseSubscription(em: EntityManager, id: string, now: number): Promise<boolean> {
  const owner = await lockOwner(em, id)
  if (!owner) return false
  const { tenant_id } = owner
  const { row, waiting } = await lockWithWaiting(em, owner, id)
  const [payment]: { status: string }[] = await em.execute(sql`
    select status
    from payments
    where tenant_id = ${tenant_id} and subscription_id = ${id} and kind in ('initial', 'one_time')
    for update
  `)
  if (row?.status !== 'pending' || payment?.status === 'paid') return true
  const [session]: { opened: boolean; unknown: boolean; error: EffectError | null }[] = await em.execute(sql`
    select status = 'succeeded' as opened, status = 'unknown' as unknown, error
    from payment_sessions
    where tenant_id = ${tenant_id} and subscription_id = ${id}
  `)
  const error = session?.opened ? null : (session?.error ?? null)
  await giveUp(em, row, error, now)
  await em.execute(sql`
    update payments
    set status = ${session?.opened ? 'cancelled' : 'failed'}, error = coalesce(${json(error)}, error),
      updated_at = ${now}
    where tenant_id = ${tenant_id}
      and subscription_id = ${id}
      and kind in ('initial', 'one_time')
      and status in ('pending', 'processing')
  `)
  await giveBackUse(em, tenant_id, { subscription_id: id })
  if (waiting && owner.member_id === null && session?.unknown) {
    // A store chooses again when the page was found and closed.
    await giveUp(
      em,
      waiting,
      { code: 'checkout_unknown', message: 'A payment form may be open that is not known.' },
      now,
    )
    return true
  }
  if (waiting && (await promote(em, owner, waiting, now))) return true
  if (owner.member_id !== null) await undoPending(em, tenant_id, owner.member_id, now)
  return true
}

/**
 * The page of the subscription `id` was paid: the choice that waits for its closing is given up. `now` in Unix seconds.
 */
export async function dropWaiting(em: EntityManager, id: string, now: number): Promise<void> {
  const owner = await lockOwner(em, id)
  if (!owner) return
  const { waiting } = await lockWithWaiting(em, owner, id)
  if (waiting)
    await giveUp(
      em,
      waiting,
      { code: 'payment_in_progress', message: 'The payment form of the former choice was paid.' },
      now,
    )
  await em.execute(sql`
    update subscriptions
    set cancel_requested = false, updated_at = ${now}
    where tenant_id = ${owner.tenant_id} and id = ${id} and status in ('pending', 'live') and cancel_requested
  `)
}
