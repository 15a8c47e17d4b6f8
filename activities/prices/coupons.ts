// The provider's coupon for the first invoice of a subscription: made once, and looked up by its id after an unknown
// outcome.
import Stripe from 'stripe'
import { anyTenant, unitOf } from '../../entities/kit/database/orm.ts'
import { Coupon, couponEffect } from '../../entities/prices/coupon.ts'
import { Subscription } from '../../entities/subscriptions/subscription.ts'
import { cut } from '../../rules/excerpts.ts'
import { stripeAmount } from '../../rules/payments/provider-amounts.ts'
import { database, statement } from '../kit/database.ts'
import { once } from '../kit/once.ts'
import { reading, sendToStripe } from '../providers/stripe.ts'

type CouponRequest = {
  account: string | null
  id: string
  amount: number
  currency: string
  name: string
  metadata: Record<string, string>
}

const requestOf = (
  { id, tenant_id, subscription_id, provider_account_id, amount, currency }: Coupon,
  code: string,
): CouponRequest => ({
  account: provider_account_id ?? null,
  id,
  amount: stripeAmount(amount, currency),
  currency: currency.toLowerCase(),
  // Shown on the invoice; Stripe takes 40 characters at most.
  name: cut(code, 40),
  metadata: { tenant_id, subscription: String(subscription_id) },
})

export const sendCoupon = once({
  row: couponEffect,
  async prepare(id): Promise<CouponRequest> {
    const em = unitOf(await database(), null)
    const coupon = await em.findOneOrFail(Coupon, { id }, anyTenant)
    const { promo_code } = await em.findOneOrFail(
      Subscription,
      { id: String(coupon.subscription_id), tenant_id: coupon.tenant_id },
      anyTenant,
    )
    return requestOf(coupon, promo_code ?? 'Discount')
  },
  send: (request, sending) =>
    sendToStripe(
      sending,
      request.account,
      'coupon',
      (client, options) =>
        client.coupons.create(
          {
            id: request.id,
            amount_off: request.amount,
            currency: request.currency,
            duration: 'once',
            max_redemptions: 1,
            name: request.name,
            metadata: request.metadata,
          },
          options,
        ),
      ({ id }) => (id === request.id ? { kind: 'succeeded', evidence: { coupon: id } } : null),
    ),
})

/** After an unknown outcome: records whether the provider has the coupon. A read: it may be retried. */
export async function findCoupon(id: string): Promise<void> {
  const em = unitOf(await database(), null)
  const coupon = await em.findOneOrFail(Coupon, { id }, anyTenant)
  const { client, options } = reading(coupon.provider_account_id ?? null, 'coupon')
  const found = await client.coupons.retrieve(id, {}, options).catch((error: unknown) => {
    if (error instanceof Stripe.errors.StripeError && error.statusCode === 404) return null
    throw error
  })
  const at_provider =
    found?.amount_off === stripeAmount(coupon.amount, coupon.currency) &&
    found.currency === coupon.currency.toLowerCase()
  await statement((at) => at.nativeUpdate(Coupon, { id, tenant_id: coupon.tenant_id }, { at_provider }, anyTenant))
}
