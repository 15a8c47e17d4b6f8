// Orders that were paid by card at the simulator, and refunds without an answer.
import { client } from '../../client/client.ts'
import { newId } from '../../entities/kit/ids.ts'
import { until } from './until.ts'

export type Shop = { api: string; stripe: string; store_id: string; api_token: string; publishable_key: string }
/** `intent`: of the payment, at the provider. `total`: what was paid, in minor units. */
export type Order = { id: string; number: number; intent: string; total: number }

export const json = { 'content-type': 'application/json' }
const address = {
  name: 'Ada Buyer',
  street1: '5 Elm Street',
  city: 'Portland',
  state: 'OR',
  postal_code: '97201',
  country: 'US',
}

/** A request to the controls of a simulator. */
export async function sim<T = unknown>(base: string, at: string, body: object): Promise<T> {
  const answer = await fetch(`${base}/_sim${at}`, { method: 'POST', headers: json, body: JSON.stringify(body) })
  if (!answer.ok) throw new Error(`the simulator: ${answer.status} ${await answer.text()}`)
  return (await answer.json()) as T
}

export const operatorOf = ({ api, api_token }: Pick<Shop, 'api' | 'api_token'>) =>
  client({ base: api, headers: { authorization: `Bearer ${api_token}` } })

/** An order of the demo store that was paid by card. */
export async function paidOrder(shop: Shop): Promise<Order> {
  const { api, stripe, store_id, publishable_key } = shop
  const operator = operatorOf(shop)
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
  const { order_id, number, payment_action } = await buyer('POST /v1/storefront/carts/{id}/checkout', {
    path: { id },
    body: { payment_method_key: 'credit_card', return_url: 'http://127.0.0.1:3000/thanks' },
  })
  const session = 'client_secret' in payment_action && payment_action.client_secret.split('_secret_')[0]
  const { payment_intent } = await sim<{ payment_intent: string }>(stripe, `/checkout_sessions/${session}/pay`, {
    outcome: 'succeeded',
  })
  const path = { storeId: store_id, orderId: order_id }
  const total = await until('the payment', async () => {
    const payment = await operator('GET /v1/stores/{storeId}/orders/{orderId}/payment', { path })
    return payment.status === 'paid' && payment.captured_amount
  })
  return { id: order_id, number, intent: payment_intent, total }
}

export type Refund = { id: string; order: Order }

/**
 * A refund, of 1.00 or another amount, that ended unknown: its connection breaks after the provider has read the
 * request, which is not carried out, and no event tells of it.
 */
export async function stuckRefund(shop: Shop, amount = 100): Promise<Refund> {
  const order = await paidOrder(shop)
  await sim(shop.stripe, '/faults', {
    ...{ fault: 'reset_after_read', method: 'POST', path: '/v1/refunds', body_match: order.intent },
    ...{ after_effect: false, times: 1 },
  })
  const refund_id = newId()
  const path = { storeId: shop.store_id, orderId: order.id }
  const operator = operatorOf(shop)
  await operator('POST /v1/stores/{storeId}/orders/{orderId}/refunds', { path, body: { refund_id, amount } })
  return until('the refund’s end', async () => {
    const { id, status } = await operator('GET /v1/stores/{storeId}/orders/{orderId}/refunds/{refundId}', {
      path: { ...path, refundId: refund_id },
    })
    return status === 'unknown' && { id, order }
  })
}
