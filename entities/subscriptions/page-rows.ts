// The rows of a subscription whose page is opened: the subscription, the use of its promo code, its payment, the page
// at the provider, and its coupon; written in one statement.
import type { EntityManager } from '@mikro-orm/postgresql'
import { config } from '../../config.ts'
import { insertion } from '../kit/database/insert.ts'
import { join, type Sql, sql } from '../kit/database/sql.ts'
import { newId } from '../kit/ids.ts'
import { Payment } from '../payments/payment.ts'
import { PaymentSession } from '../payments/payment-session.ts'
import { Coupon } from '../prices/coupon.ts'
import { PromoRedemption } from '../promotions/promo-redemption.ts'
import { isFree, type Offer } from './offer.ts'
import { Subscription } from './subscription.ts'

/**
 * A subscription whose page is to be opened: a new row, or one that waited. `contact_id`: who pays; null for a store's
 * own plan.
 */
export type Opening = {
  id: string
  tenant_id: string
  member_id: string | null
  plan_id: string | null
  contact_id: string | null
  return_url: string | null
  /** Set for a page that is the provider's own. */
  cancel_url?: string | null
  /** The contact's address, if it does not own it. */
  claimed_address: string | null
  /** Its row exists, with the address under which it was chosen. */
  waited: boolean
}

type Owned = Pick<Opening, 'id' | 'tenant_id'>

const dueOf = ({ amount, discount_amount }: Offer): number => amount - discount_amount

/** A free subscription is `live` at once; another one is `pending` until its hold ends. */
const stateOf = (offer: Offer) =>
  isFree(offer)
    ? { status: 'live' as const, hold_until: null }
    : {
        status: 'pending' as const,
        hold_until: sql`clock_timestamp() + make_interval(secs => ${config.checkoutHoldMinutes * 60})`,
      }

/** The row that waited, under the terms of now. */
const subscriptionUpdate = ({ id, tenant_id }: Owned, offer: Offer, now: number): Sql => sql`
  update subscriptions
  set status = ${stateOf(offer).status}, hold_until = ${stateOf(offer).hold_until},
    discount_amount = ${offer.discount_amount}, provider_account_id = ${offer.provider_account_id}, updated_at = ${now}
  where tenant_id = ${tenant_id} and id = ${id}
`

const subscriptionInsert = (em: EntityManager, opening: Opening, offer: Offer, now: number): Sql =>
  insertion(em, Subscription, {
    ...{ id: opening.id, tenant_id: opening.tenant_id, created_at: now, updated_at: now, ...stateOf(offer) },
    ...{ member_id: opening.member_id, plan_id: opening.plan_id },
    ...{ tier_id: offer.tier_id, price_id: offer.price_id, kind: offer.kind, interval: offer.interval },
    ...{ amount: offer.amount, discount_amount: offer.discount_amount, currency: offer.currency },
    ...{ promo_code: offer.promo?.code ?? null, provider_account_id: offer.provider_account_id },
    ...{ return_url: opening.return_url, cancel_url: opening.cancel_url ?? null },
    claimed_address: opening.claimed_address,
  })

/** `address`: under which the use is counted. */
const redemptionInsert = (
  em: EntityManager,
  opening: Owned,
  use: { promo_code_id: string; contact_id: string; address: string | null },
  now: number,
): Sql =>
  insertion(em, PromoRedemption, {
    ...{ id: newId(), tenant_id: opening.tenant_id, created_at: now, updated_at: now },
    ...{ subscription_id: opening.id, ...use },
  })

const paymentInsert = (em: EntityManager, opening: Opening, offer: Offer, id: string, now: number): Sql =>
  insertion(em, Payment, {
    ...{ id, tenant_id: opening.tenant_id, created_at: now, updated_at: now, subscription_id: opening.id },
    ...{ kind: offer.kind === 'recurring' ? 'initial' : 'one_time', type: 'card', status: 'pending' },
    ...{ currency: offer.currency, amount: dueOf(offer), discount_amount: offer.discount_amount },
    ...{ payer_contact_id: opening.contact_id, provider: 'stripe', provider_account_id: offer.provider_account_id },
  })

const sessionInsert = (em: EntityManager, opening: Opening, offer: Offer, payment_id: string, now: number): Sql =>
  insertion(em, PaymentSession, {
    ...{ id: newId(), tenant_id: opening.tenant_id, created_at: now, updated_at: now },
    ...{ subscription_id: opening.id, payment_id },
    ...{ mode: offer.kind === 'recurring' ? 'subscription' : 'payment', amount: dueOf(offer) },
    ...{ currency: offer.currency, provider_account_id: offer.provider_account_id },
    ...{ return_url: opening.return_url ?? '', fingerprint: '' },
  })

const couponInsert = (em: EntityManager, opening: Owned, offer: Offer, now: number): Sql =>
  insertion(em, Coupon, {
    ...{ id: newId(), tenant_id: opening.tenant_id, created_at: now, updated_at: now },
    ...{ subscription_id: opening.id, provider_account_id: offer.provider_account_id },
    ...{ amount: offer.discount_amount, currency: offer.currency, fingerprint: '' },
  })

/**
 * Writes the subscription, and what is paid for it unless it is free, in one statement. `address`: under which the use
 * of the promo code was counted. Requires the lock of the member or the store; locks the row of a subscription that
 * waited. `now` in Unix seconds.
 */
export async function writeOpening(
  em: EntityManager,
  opening: Opening,
  offer: Offer,
  address: string | null,
  now: number,
): Promise<void> {
  const { contact_id } = opening
  const { promo, kind, discount_amount } = offer
  const [isPaid, payment_id] = [!isFree(offer), newId()]
  const parts = [
    opening.waited
      ? sql`subscription as (${subscriptionUpdate(opening, offer, now)})`
      : sql`subscription as (${subscriptionInsert(em, opening, offer, now)})`,
    ...(promo && contact_id
      ? [
          sql`
            redemption as (
              ${redemptionInsert(em, opening, { promo_code_id: promo.id, contact_id, address }, now)}
            )
          `,
        ]
      : []),
    ...(isPaid
      ? [
          sql`payment as (${paymentInsert(em, opening, offer, payment_id, now)})`,
          sql`session as (${sessionInsert(em, opening, offer, payment_id, now)})`,
        ]
      : []),
    ...(isPaid && kind === 'recurring' && discount_amount > 0
      ? [sql`coupon as (${couponInsert(em, opening, offer, now)})`]
      : []),
  ]
  await em.execute(sql`with ${join(parts)} select 1`)
}
