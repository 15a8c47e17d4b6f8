// Creates a price at the payment provider, once: our id is its lookup key, by which a price whose answer was lost is
// found.
import type Stripe from 'stripe'
import { Audience } from '../../entities/audiences/audience.ts'
import { AudiencePrice } from '../../entities/audiences/audience-price.ts'
import { AudienceTier } from '../../entities/audiences/audience-tier.ts'
import { anyTenant, unitOf } from '../../entities/kit/database/orm.ts'
import { adoptPrice, PriceProvision, priceProvisionEffect } from '../../entities/prices/price-provision.ts'
import { productName, stripeAmount } from '../../rules/payments/provider-amounts.ts'
import { database, transaction } from '../kit/database.ts'
import { NeverSent, once } from '../kit/once.ts'
import { reading, sendToStripe } from '../providers/stripe.ts'

type Terms = {
  lookup_key: string
  currency: string
  unit_amount: number
  recurring: { interval: 'day' | 'week' | 'month' | 'year'; interval_count: number }
}
type Request = { account: string } & (
  | { adopt: string }
  | { create: Terms & { name: string; metadata: Record<string, string> } }
)

const isSame = (price: Stripe.Price, { lookup_key, currency, unit_amount, recurring }: Terms): boolean =>
  price.active &&
  price.lookup_key === lookup_key &&
  price.currency === currency &&
  price.unit_amount === unit_amount &&
  price.recurring?.interval === recurring.interval &&
  price.recurring.interval_count === recurring.interval_count

/**
 * The price that has the lookup key at the provider; null if there is none. Throws where the provider cannot be read.
 */
async function find(account: string, lookup_key: string): Promise<Stripe.Price | null> {
  const { client, options } = reading(account, 'prices')
  const { data } = await client.prices.list({ lookup_keys: [lookup_key], limit: 1 }, options)
  return data.find((price) => price.lookup_key === lookup_key) ?? null
}

async function read(id: string) {
  const em = unitOf(await database(), null)
  const provision = await em.findOneOrFail(PriceProvision, { id }, anyTenant)
  const { tenant_id } = provision
  const price = await em.findOneOrFail(AudiencePrice, { id: provision.price_id, tenant_id }, anyTenant)
  if (!price.interval)
    throw new NeverSent({
      code: 'price_not_recurring',
      message: 'the price is charged once and is not created at the provider',
    })
  const { period: interval, count: interval_count } = price.interval
  const { currency } = price
  const terms: Terms = {
    lookup_key: price.id,
    currency: currency.toLowerCase(),
    unit_amount: stripeAmount(price.amount, currency),
    recurring: { interval, interval_count },
  }
  return { em, provision, price, terms }
}

const differs = {
  code: 'price_differs',
  message: "The provider's price with this lookup key has other terms or is inactive.",
}

async function prepare(id: string): Promise<Request> {
  const { em, provision, price, terms } = await read(id)
  const { tenant_id, provider_account_id: account } = provision
  // An earlier request may have created the price.
  if ((await em.count(PriceProvision, { price_id: price.id, tenant_id }, anyTenant)) > 1) {
    const found = await find(account, price.id)
    if (found && !isSame(found, terms)) throw new NeverSent(differs)
    if (found) return { account, adopt: found.id }
  }
  const tier = await em.findOneOrFail(AudienceTier, { id: price.tier_id, tenant_id }, anyTenant)
  const audience = await em.findOneOrFail(Audience, { id: tier.audience_id, tenant_id }, anyTenant)
  const metadata = { tenant_id, audience_id: audience.id, tier_id: tier.id, price_id: price.id, price_provision: id }
  return { account, create: { ...terms, name: productName(`${audience.name}: ${tier.name}`), metadata } }
}

export const sendPriceProvision = once({
  row: priceProvisionEffect,
  prepare,
  async send(request: Request, sending) {
    if ('adopt' in request)
      return {
        kind: 'succeeded',
        evidence: { provider_price_id: request.adopt, adopted: true },
        columns: { provider_price_id: request.adopt },
      }
    const { name, metadata, ...terms } = request.create
    return sendToStripe(
      sending,
      request.account,
      'price',
      (client, options) => client.prices.create({ ...terms, metadata, product_data: { name, metadata } }, options),
      (price) =>
        isSame(price, terms)
          ? { kind: 'succeeded', evidence: { provider_price_id: price.id }, columns: { provider_price_id: price.id } }
          : null,
    )
  },
})

/** After an unknown creation: searches for the price at the provider and uses it. True if there is one. */
export async function findPrice(id: string): Promise<boolean> {
  const { provision, terms } = await read(id)
  if (provision.provider_price_id) return true
  const found = await find(provision.provider_account_id, terms.lookup_key)
  if (!found || !isSame(found, terms)) return false
  await transaction((em) => adoptPrice(em, id, found.id))
  return true
}
