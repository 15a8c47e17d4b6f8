// A store with one record of every kind, created through the API by authorised callers, so that the run knows valid ids
// from its first request on.
import { bookable, made, promoCode } from '../kit/bookings/booking.ts'
import { until } from '../kit/codes.ts'
import { send as upload } from '../kit/content/files.ts'
import {
  buyer,
  card,
  cash,
  checkOut,
  connected,
  order,
  paidOrder,
  paymentOf,
  product,
  sim,
} from '../kit/orders/buying.ts'
import { type Answer, database, type Method, type Shop, unique, type Visitor } from '../kit/shop.ts'
import { fillSocial } from './fill-social.ts'

/** Called for every request and its answer. */
export type Listener = (by: string, method: Method, path: string, body: unknown, answer: Answer) => void

/** The same store; its requests are reported to the listener. */
export function listening(shop: Shop, listen: Listener): Shop {
  const of = (visitor: Visitor): Visitor => ({
    ...visitor,
    async call(method, path, body, base) {
      const answer = await visitor.call(method, path, body, base)
      listen('buyer', method, `/v1/storefront${path}`, body, answer)
      return answer
    },
  })
  return {
    ...shop,
    async asOperator(method, path, body, base) {
      const answer = await shop.asOperator(method, path, body, base)
      listen('operator', method, path.startsWith('/v1/') ? path : `/v1/stores/${shop.store_id}${path}`, body, answer)
      return answer
    },
    visitor: async (email) => of(await shop.visitor(email)),
  }
}

/** The servers that effects are sent to. */
export type Outside = { receiver: string; smtp_port: number }

async function content(shop: Shop): Promise<void> {
  const post = (path: string, body: unknown) => made(shop.asOperator('POST', path, body))
  const collection = (await post('/collections', { key: unique(), schema: [{ key: 'title', type: 'text' }] })).id
  const entry = {
    collection_id: collection,
    blocks: [{ key: 'title', type: 'text', value: 'Hello' }],
    status: 'active',
    slug: { en: unique() },
  }
  await post('/entries', { ...entry, key: unique() })
  const taxonomy = (await post('/taxonomies', { key: unique() })).id
  const child = (await post('/taxonomies', { key: unique(), parent_id: taxonomy })).id
  await post('/entries', {
    collection_id: collection,
    key: unique(),
    taxonomies: [{ taxonomy_id: taxonomy, entry_ids: [child] }],
  })
  const form = (await post('/forms', { key: unique(), schema: [{ key: 'name', type: 'text' }] })).id
  const visitor = await shop.visitor()
  await visitor.call('POST', `/forms/${form}/submissions`, { fields: [{ key: 'name', value: 'Ada' }] })
  await post(`/forms/${form}/submissions`, { fields: [] })
  const { items } = (await upload(shop, [{ name: 'a.txt', bytes: 'hello' }])).body
  await shop.asOperator('PUT', `/media/${items[0].id}`, { name: 'b.txt' })
  for (const path of ['/collections', '/entries', '/forms', '/taxonomies', '/media?limit=20'])
    await shop.asOperator('GET', path)
}

async function automation(shop: Shop, { receiver, smtp_port }: Outside): Promise<void> {
  const post = (path: string, body: unknown) => made(shop.asOperator('POST', path, body))
  const edges = [{ source: 'start', target: 'tell', output: 'default' }]
  const shape = { start: { type: 'trigger' }, tell: { type: 'transform', code: 'return input.trigger' } }
  const http = {
    start: { type: 'trigger' },
    tell: { type: 'http', method: 'post', url: `${receiver}/graph`, body: { a: 1 }, timeout_ms: 2000 },
  }
  for (const nodes of [shape, http]) {
    const { id, webhook_url } = await post('/workflows', { key: unique(), status: 'active', nodes, edges })
    for (let n = 0; n < 2; n++) await shop.asOperator('POST', new URL(String(webhook_url)).pathname, { hello: n })
    const { body } = await shop.asOperator('GET', `/workflows/${id}/executions`)
    await shop.asOperator('GET', `/workflows/${id}/executions/${body.items[0].id}`)
    await until(
      async () =>
        (await shop.asOperator('GET', `/workflows/${id}/executions/${body.items[0].id}/runs`)).body.items.length > 0,
    )
  }
  const hangs = { start: { type: 'trigger' }, tell: { ...http.tell, url: `${receiver}/hang`, timeout_ms: 30_000 } }
  const { id: hanging, webhook_url } = await post('/workflows', {
    key: unique(),
    status: 'active',
    nodes: hangs,
    edges,
  })
  for (let n = 0; n < 8; n++) await shop.asOperator('POST', new URL(String(webhook_url)).pathname, {})
  await shop.asOperator('GET', `/workflows/${hanging}/executions`)
  await post('/build-hooks', { key: unique(), type: 'custom', url: `${receiver}/build` })
  const dav = { type: 'webdav', settings: { url: `${receiver}/dav` }, credentials: { username: 'u', password: 'p' } }
  await post('/workflow-connections', { key: unique(), ...dav })
  const hook = {
    url: `${receiver}/hook`,
    events: [{ event: 'collection.deleted' }],
    headers: {},
    secret: `whsec_${'signsAll'.repeat(4)}`,
    enabled: true,
  }
  const { id: webhook_id } = await post('/webhooks', { key: unique(), ...hook })
  await shop.asOperator('DELETE', `/collections/${(await post('/collections', { key: unique() })).id}`)
  await shop.asOperator('POST', '/webhooks/test', { delivery_id: crypto.randomUUID(), webhook_id })
  const deliveries = async () => (await shop.asOperator('GET', `/webhooks/${webhook_id}/deliveries`)).body.items
  await until(async () => (await deliveries()).length > 0)
  await shop.asOperator('POST', `/webhooks/${webhook_id}/deliveries/${(await deliveries())[0].id}/redeliver`)
  await shop.asOperator('POST', `/webhooks/${webhook_id}/redeliver`, { since: 1 })
  const smtp = { host: '127.0.0.1', port: smtp_port, security: 'none' }
  await post('/mailboxes', { key: unique(), email: 'shop@tillwright.test', smtp })
  const letter = { format: 'html', subject: 'Hello {{ name }}', body: '<p>Hello {{ name }}</p>' }
  const template = (await post('/email-templates', { key: unique(), ...letter })).id
  await shop.asOperator('POST', '/email-templates/preview', { ...letter, variables: { name: 'Ada' } })
  await shop.asOperator('POST', `/email-templates/${template}/preview`, { variables: { name: 'Ada' } })
}

async function trade(shop: Shop): Promise<void> {
  await connected(shop)
  const tea = await product(shop, { stock: 10_000, requires_shipping: false })
  await product(shop, { amount: 500 })
  const cut = await bookable(shop, { concurrent_limit: 50 })
  const { code } = await promoCode(shop)
  const [slot] = await cut.free()
  const booked = slot ? { booking_items: [cut.item(slot)] } : {}
  const { visitor, cart } = await buyer(shop, [tea.item()], { promo_code: code, ...booked })
  await visitor.call('POST', `/carts/${cart.id}/quote`, {})
  const done = await checkOut(visitor, cart, cash)
  for (const path of [
    '/orders',
    `/orders/${done.body.order_id}`,
    '/products',
    '/services',
    `/services/availability?service_id=${cut.service_id}&month=2030-01`,
  ])
    await visitor.call('GET', path)
  const sent = await order(shop, [(await product(shop, { stock: 1000 })).item(50)], cash)
  const [line] = (await shop.asOperator('GET', `/orders/${sent.order_id}/products`)).body
  const { version } = (await shop.asOperator('GET', `/orders/${sent.order_id}`)).body
  await shop.asOperator('PUT', `/orders/${sent.order_id}`, { version, confirm: true })
  await shop.asOperator('POST', `/orders/${sent.order_id}/shipments`, {
    items: [{ line_id: line.id, quantity: 1 }],
    carrier: 'dhl',
    tracking_number: '1',
  })
  await shop.asOperator('POST', `/orders/${done.body.order_id}/payment/mark-paid`, {})
  const paid = await paidOrder(shop, [tea.item(5)])
  await order(shop, [tea.item()], card)
  await until(async () => (await paymentOf(shop, paid.order_id)).captured_amount > 0)
  for (let n = 0; n < 24; n++)
    await shop.asOperator('POST', `/orders/${paid.order_id}/refunds`, { refund_id: crypto.randomUUID(), amount: 10 })
  await sim('POST', `/payments/${paid.payment_intent}/dispute`, { status: 'needs_response' })
  await until(async () => (await shop.asOperator('GET', `/orders/${paid.order_id}/disputes`)).body.items.length > 0)
  // As if their answers had been lost: an unknown effect waits for an operator.
  await database().query(
    `with u as (update refunds set status = 'unknown' where id in
       (select id from refunds where tenant_id = $1 and order_id = $2 and status = 'succeeded' limit 20) returning amount)
     update payments set refunded_amount = refunded_amount - (select sum(amount) from u), refund_unknown_amount = refund_unknown_amount + (select sum(amount) from u)
     where tenant_id = $1 and order_id = $2`,
    [shop.store_id, paid.order_id],
  )
  await shop.asOperator('GET', `/orders/${paid.order_id}/refunds`)
}

/** The model is the receiver, whose answers are none: the run fails, and its message too. */
async function research(shop: Shop, { receiver }: Outside): Promise<void> {
  const post = (path: string, body: unknown) => made(shop.asOperator('POST', path, body))
  await post('/integrations', {
    key: 'model',
    provider: { type: 'llm_a', api_key: 'key', model: 'small', base_url: `${receiver}/v1` },
  })
  const audience_id = (await post('/audiences', { key: unique(), type: { type: 'private' } })).id
  await shop.asOperator('PUT', `/audiences/${audience_id}`, { status: 'active' })
  const contact_id = (await post('/contacts', { email: `${unique()}@gmail.com` })).id
  const member = (await post(`/audiences/${audience_id}/members`, { contact_id })).id
  const run = await post('/lead-research/runs', {
    audience_id,
    member_ids: [member],
    goal: 'Do they export?',
    model_id: 'model',
  })
  const at = `/lead-research/runs/${run.id}`
  await shop.asOperator('POST', `${at}/messages`, { message_id: crypto.randomUUID(), message: 'Hello' })
  for (const path of [
    at,
    `${at}/messages`,
    `${at}/sources`,
    '/lead-research/runs',
    `/audiences/leads?member_ids=${member}`,
  ])
    await shop.asOperator('GET', path)
}

async function house(shop: Shop): Promise<void> {
  for (const path of [
    '/locations',
    '/markets',
    '/members',
    '/service-providers',
    '/services',
    '/providers',
    '/orders',
    '/promo-codes',
    '/payment-providers',
  ])
    await shop.asOperator('GET', path)
  await shop.asOperator('GET', `/v1/stores/${shop.store_id}`)
  await shop.asOperator('POST', '/auth/code', { email: `fuzz-${unique()}@tillwright.test` })
}

export async function fillStore(shop: Shop, outside: Outside): Promise<void> {
  await Promise.all([content(shop), automation(shop, outside), trade(shop), research(shop, outside), fillSocial(shop)])
  await house(shop)
}
