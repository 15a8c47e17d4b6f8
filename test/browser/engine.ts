// An operator who searches for effects that need attention finds them in the Temporal UI by the filter that the README
// names.
import assert from 'node:assert/strict'
import { client } from '../../client/client.ts'
import { newId } from '../../entities/kit/ids.ts'
import { until } from './until.ts'
import type { Window } from './window.ts'

export type Engine = {
  api: string
  ui: string
  stripe: string
  store_id: string
  api_token: string
  publishable_key: string
  window: Window
}
type Check = [guarantee: string, prove: (engine: Engine) => Promise<string>]

const json = { 'content-type': 'application/json' }
const address = {
  name: 'Ada Buyer',
  street1: '5 Elm Street',
  city: 'Portland',
  state: 'OR',
  postal_code: '97201',
  country: 'US',
}

async function sim(stripe: string, at: string, body: object): Promise<void> {
  const answer = await fetch(`${stripe}/_sim${at}`, { method: 'POST', headers: json, body: JSON.stringify(body) })
  if (!answer.ok) throw new Error(`the simulator: ${answer.status} ${await answer.text()}`)
}

type Shop = Omit<Engine, 'ui' | 'window'>

/** An order that was paid by card. */
export async function paidOrder({ api, stripe, store_id, api_token, publishable_key }: Shop): Promise<string> {
  const operator = client({ base: api, headers: { authorization: `Bearer ${api_token}` } })
  const key = { 'x-service-publishable-key': publishable_key }
  const visitor = client({ base: api, headers: key })
  const { items } = await visitor('GET /v1/storefront/products', { query: { query: 'tea' } })
  const [product] = items
  const made = await fetch(`${api}/v1/storefront/carts/current`, {
    method: 'POST',
    headers: { ...key, ...json },
    body: '{}',
  })
  const token = made.headers.get('x-service-visitor-token') ?? ''
  const { id } = (await made.json()) as { id: string }
  const buyer = client({ base: api, headers: { ...key, 'x-service-visitor-token': token } })
  const product_items = [{ product_id: product?.id ?? '', variant_id: product?.variants[0]?.id ?? '', quantity: 1 }]
  await buyer('PUT /v1/storefront/carts/{id}', {
    path: { id },
    body: { product_items, shipping_address: address, shipping_method_id: 'us-standard' },
  })
  const card = { payment_method_key: 'credit_card', return_url: 'http://127.0.0.1:3000/thanks' }
  const { order_id, payment_action } = await buyer('POST /v1/storefront/carts/{id}/checkout', {
    path: { id },
    body: card,
  })
  const session = 'client_secret' in payment_action && payment_action.client_secret.split('_secret_')[0]
  await sim(stripe, `/checkout_sessions/${session}/pay`, { outcome: 'succeeded' })
  const path = { storeId: store_id, orderId: order_id }
  await until(
    'the payment',
    async () => (await operator('GET /v1/stores/{storeId}/orders/{orderId}/payment', { path })).status === 'paid',
  )
  return order_id
}

/**
 * The row of a stuck refund: a paid card order, then a refund whose connection breaks after the provider has read it,
 * and no event.
 */
export async function stuckRefund(shop: Shop): Promise<string> {
  const { api, stripe, store_id, api_token } = shop
  const operator = client({ base: api, headers: { authorization: `Bearer ${api_token}` } })
  const path = { storeId: store_id, orderId: await paidOrder(shop) }
  await sim(stripe, '/faults', {
    fault: 'reset_after_read',
    method: 'POST',
    path: '/v1/refunds',
    after_effect: false,
    times: 1,
  })
  const refund_id = newId()
  await operator('POST /v1/stores/{storeId}/orders/{orderId}/refunds', { path, body: { refund_id, amount: 100 } })
  return until('the refund’s end', async () => {
    const refund = await operator('GET /v1/stores/{storeId}/orders/{orderId}/refunds/{refundId}', {
      path: { ...path, refundId: refund_id },
    })
    return refund.status === 'unknown' ? refund.id : undefined
  })
}

export const engineChecks: Check[] = [
  [
    'a refund that ended unknown is found in the Temporal UI by ExecutionStatus="Failed" AND EffectStatus="unknown"',
    async (engine) => {
      const { page } = engine.window
      const refund = await stuckRefund(engine)
      const id = `refund/${refund}`
      const list = (query: string) => `${engine.ui}/namespaces/default/workflows?query=${encodeURIComponent(query)}`
      const rows = page.locator(`a[href*="${refund}"]`)
      const shown = await until('the refund in the list', async () => {
        await page.goto(list('ExecutionStatus="Failed" AND EffectStatus="unknown"'))
        // Temporal lists closed workflows a moment later: then the page is loaded again.
        await rows
          .first()
          .waitFor({ timeout: 20_000 })
          .catch(() => {})
        return (await rows.count()) || undefined
      })
      await page.goto(list('ExecutionStatus="Failed" AND EffectStatus="succeeded"'))
      await page.getByText('No Results').first().waitFor()
      assert.equal(await rows.count(), 0, 'another query shows it too')
      await page.goto(`${engine.ui}/namespaces/default/workflows/${encodeURIComponent(id)}`)
      await page.getByText('Failed').first().waitFor()
      assert.ok(shown > 0)
      const { foreign } = engine.window.take()
      return `${id}${foreign.length > 0 ? `; the UI also wanted ${[...new Set(foreign.map((url) => new URL(url).host))].join(', ')}, in vain` : ''}`
    },
  ],
]
