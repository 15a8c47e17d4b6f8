// Members with payments: the provider charged for them, and their rows are written directly.
import { createHash, randomBytes } from 'node:crypto'
import { until } from '../codes.ts'
import { made } from '../content/content.ts'
import { stripeApi } from '../effects/provider.ts'
import { providerOf, sim } from '../orders/buying.ts'
import { database, newEmail, type Shop, unique } from '../shop.ts'
import { insertRow } from './subscribing.ts'

type Row = Record<string, unknown>

const now = () => Math.floor(Date.now() / 1000)

export type PaidClub = { audience_id: string; tier_id: string; price_id: string; account: string }

/** An active paid audience with one monthly price in USD, which the provider has. */
export async function newPaidClub(shop: Shop, account: string, amount = 500): Promise<PaidClub> {
  const { id } = await made(shop.asOperator('POST', '/audiences', { key: unique(), type: { type: 'paid' } }))
  const provider = { type: 'card_payment', payment_provider_id: (await providerOf(shop)).id }
  const prices = [{ amount, currency: 'USD', interval: { period: 'month', count: 1 } }]
  const tier = await shop.asOperator('POST', `/audiences/${id}/tiers`, { key: 'gold', provider, prices })
  const price_id = tier.body.prices[0].id
  // A price whose creation is unknown is ready once it was found.
  await until(
    async () => (await database().query('select ready from audience_prices where id = $1', [price_id])).rows[0].ready,
  )
  const active = await shop.asOperator('PUT', `/audiences/${id}`, { status: 'active' })
  if (active.status !== 200) throw new Error(`not active: ${JSON.stringify(active.body)}`)
  return { audience_id: id, tier_id: tier.body.id, price_id, account }
}

export type PaidMember = { member_id: string; subscription_id: string; customer: string; path: string }

/**
 * A member with a live subscription, whose first invoice the provider has charged. The row does not name the provider's
 * subscription: events of it change nothing.
 */
export async function newPaidMember(
  shop: Shop,
  { audience_id, tier_id, price_id, account }: PaidClub,
): Promise<PaidMember & { invoice: string }> {
  const price = (await database().query('select provider_price_id from audience_prices where id = $1', [price_id]))
    .rows[0].provider_price_id
  const { id } = await stripeApi<{ id: string }>(account, '/v1/checkout/sessions', {
    ...{
      mode: 'subscription',
      ui_mode: 'embedded_page',
      return_url: 'https://shop.example/',
      customer_email: newEmail('member'),
    },
    ...{ 'line_items[0][price]': price, 'line_items[0][quantity]': '1' },
  })
  const { customer, invoice } = await sim('POST', `/checkout_sessions/${id}/pay`)
  const contact_id = await insertRow('contacts', { tenant_id: shop.store_id, taxonomies: '[]' })
  const paid_through_at = now() + 30 * 86_400
  const member_id = await insertRow('audience_members', {
    ...{
      tenant_id: shop.store_id,
      audience_id,
      contact_id,
      status: 'active',
      source: 'storefront',
      fields: '{}',
      joined_at: now(),
      tier_id,
      price_id,
    },
    paid_through_at,
  })
  const subscription_id = await insertRow('subscriptions', {
    ...{
      tenant_id: shop.store_id,
      member_id,
      tier_id,
      price_id,
      kind: 'recurring',
      status: 'live',
      amount: 500,
      currency: 'USD',
      paid_through_at,
    },
    ...{
      interval: JSON.stringify({ period: 'month', count: 1 }),
      billing_status: 'active',
      provider_account_id: account,
      provider_customer_id: customer,
    },
  })
  const path = `/audiences/${audience_id}/members/${member_id}`
  return { member_id, subscription_id, customer, path, invoice }
}

/** A payment of a paid invoice, as a signed event writes it: without the payment intent, unless `more` has one. */
export const newPayment = (
  shop: Shop,
  account: string,
  { subscription_id, invoice }: { subscription_id: string; invoice: string },
  more: Row = {},
) =>
  insertRow('payments', {
    ...{
      tenant_id: shop.store_id,
      subscription_id,
      kind: 'initial',
      type: 'card',
      status: 'paid',
      currency: 'USD',
      amount: 500,
      captured_amount: 500,
    },
    ...{ provider: 'stripe', provider_account_id: account, provider_invoice_id: invoice, paid_at: now(), ...more },
  })

/** The payment intent that paid an invoice. */
export async function intentOf(account: string, invoice: string): Promise<string> {
  const invoices: { id: string; payment_intents: string[] }[] = await sim('GET', `/ledger/invoices?account=${account}`)
  return invoices.find(({ id }) => id === invoice)?.payment_intents[0] as string
}

/** The token of a new link of the member. */
export async function memberToken(shop: Shop, { member_id }: { member_id: string }, scope = 'manage'): Promise<string> {
  const token = `till_ml_${randomBytes(32).toString('base64url')}`
  const digest = createHash('sha256').update(token).digest('hex')
  await insertRow('member_tokens', {
    tenant_id: shop.store_id,
    member_id,
    scope,
    digest,
    value: '',
    address: scope === 'unsubscribe' ? newEmail() : null,
  })
  return token
}
