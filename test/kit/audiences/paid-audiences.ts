// Audiences that visitors pay for, with prices that the provider has.
//   const { shop, account } = await payingShop()
//   const club = await paidAudience(shop, account, [monthly, forever])
//   const answer = await subscribe(visitor, club, 0)

import { made } from '../content/content.ts'
import { stripeApi } from '../effects/provider.ts'
import { providerOf, return_url } from '../orders/buying.ts'
import { type Answer, database, type Shop, unique, type Visitor } from '../shop.ts'

type Terms = { amount: number; currency: string; interval?: { period: string; count: number } }
export const monthly = { amount: 900, currency: 'USD', interval: { period: 'month', count: 1 } }
export const yearly = { amount: 9000, currency: 'USD', interval: { period: 'year', count: 1 } }
export const forever = { amount: 20_000, currency: 'USD' }
export const free = { amount: 0, currency: 'USD' }

export type Club = { id: string; tier_id: string; prices: string[] }

/** Prices that are charged repeatedly exist at the provider; without a worker, nothing created them. */
async function makeReady(account: string, priceId: string, { amount, currency, interval }: Terms): Promise<void> {
  const { rows } = await database().query('select ready from audience_prices where id = $1', [priceId])
  if (rows[0].ready || !interval) return
  const { id } = await stripeApi<{ id: string }>(account, '/v1/prices', {
    ...{
      currency: currency.toLowerCase(),
      unit_amount: String(amount),
      lookup_key: priceId,
      'product_data[name]': 'Club',
    },
    ...{ 'recurring[interval]': interval.period, 'recurring[interval_count]': String(interval.count) },
  })
  await database().query(
    'update audience_prices set ready = true, provider_price_id = $2, error = null where id = $1',
    [priceId, id],
  )
}

/** An active audience with one tier; `prices` are the ids of the given ones, in their order. */
export async function paidAudience(
  shop: Shop,
  account: string,
  prices: readonly Terms[],
  providerId?: string,
): Promise<Club> {
  const { id } = await made(
    shop.asOperator('POST', '/audiences', { key: unique(), name: 'Club', type: { type: 'paid' } }),
  )
  const payment_provider_id = providerId ?? (await providerOf(shop)).id
  const provider = { type: 'card_payment', payment_provider_id }
  const tier = await made(
    shop.asOperator('POST', `/audiences/${id}/tiers`, { key: 'gold', name: 'Gold', provider, prices }),
  )
  const ids = (tier.prices as unknown as { id: string }[]).map((price) => price.id)
  for (const [n, terms] of prices.entries()) await makeReady(account, ids[n] as string, terms)
  const active = await shop.asOperator('PUT', `/audiences/${id}`, { status: 'active' })
  if (active.status !== 200) throw new Error(`not active: ${JSON.stringify(active.body)}`)
  return { id, tier_id: tier.id, prices: ids }
}

type Body = { promo_code?: string; return_url?: string; expected_total?: number }
/** Subscribes with the n-th price of the audience. */
export const subscribe = (visitor: Visitor, club: Club, n: number, more: Body = {}, base?: string): Promise<Answer> =>
  visitor.call('POST', `/audiences/${club.id}/subscribe`, { price_id: club.prices[n], return_url, ...more }, base)

export type SubscriptionRow = {
  id: string
  status: string
  kind: string
  price_id: string
  discount_amount: string
  paid_through_at: string | null
  cancel_requested: boolean
  error: { code: string } | null
}
/** The subscriptions of a contact, oldest first. */
export const subscriptionsOf = async (contactId: string): Promise<SubscriptionRow[]> =>
  (
    await database().query(
      'select u.* from subscriptions u join audience_members m on m.id = u.member_id where m.contact_id = $1 order by u.id',
      [contactId],
    )
  ).rows
