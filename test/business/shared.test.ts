// A business refunds, tests an address, pays its plan on the provider's page and gets its events, all without ids of
// its own: a repeated request is one effect.
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals'
import { Webhook } from 'standardwebhooks'
import { atOnce, cardShop, ledger, paidOrder, refusalOf, type Sold, sim, until } from '../kit/orders/buying.ts'
import { type Answer, database, eitherApi, http, newShop, operator, type Shop, unique } from '../kit/shop.ts'
import { type Received, type Receiver, startReceiver } from '../kit/webhooks/receiver.ts'

jest.setTimeout(60_000)

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
let shop: Shop
let account: string
let tea: Sold
let receiver: Receiver
/** The shop sells as a store, whose helpers make its orders, and is asked as a business. */
const become = async (kind: 'store' | 'business', { store_id } = shop) => {
  await database().query('update tenants set kind = $2 where id = $1', [store_id, kind])
}
beforeAll(async () => {
  ;[{ shop, account, tea }, receiver] = await Promise.all([
    cardShop({ amount: 1_000_000 }),
    startReceiver(process.env.TEST_LOGS as string),
  ])
})
afterAll(async () => {
  await receiver.stop()
  await database().end()
})

const ask = (method: 'GET' | 'POST' | 'PUT', path: string, body?: unknown, key?: string, of = shop): Promise<Answer> =>
  http(method, `/v1/businesses/${of.store_id}${path}`, {
    body,
    headers: { ...of.op.headers, ...(key === undefined ? {} : { 'idempotency-key': key }) },
    base: eitherApi(),
  })

async function paid(): Promise<string> {
  await become('store')
  const { order_id } = await paidOrder(shop, [tea.item(1)])
  await become('business')
  return order_id
}
const sentFor = async (entity: string) =>
  (await ledger(account, '/v1/refunds')).filter(({ effect, metadata }) => effect && metadata.order_id === entity)

test('Twenty equal refunds at once and a later one are one refund, and another key is another', async () => {
  const entity = await paid()
  const answers = await atOnce(20, () => ask('POST', '/refund', { entity, amount: 300 }))
  const [first] = answers
  expect(answers.map(({ status }) => status).sort()).toEqual([...Array(19).fill(200), 201])
  expect(new Set(answers.map(({ body }) => body.refundId)).size).toBe(1)
  expect(first?.body).toMatchObject({ orderId: entity, amount: 300, status: 'succeeded', origin: 'operator' })
  expect((await ask('POST', '/refund', { entity, amount: 300 })).body.refundId).toBe(first?.body.refundId)
  expect(await sentFor(entity)).toHaveLength(1)

  const keyed = await atOnce(10, () => ask('POST', '/refund', { entity, amount: 300 }, 'second'))
  expect(new Set(keyed.map(({ body }) => body.refundId)).size).toBe(1)
  expect(keyed[0]?.body.refundId).not.toBe(first?.body.refundId)
  expect(refusalOf(await ask('POST', '/refund', { entity, amount: 301 }, 'second'))).toEqual([
    409,
    undefined,
    'idempotency_conflict',
  ])
  expect(await sentFor(entity)).toHaveLength(2)

  const after = await database().query(`update refunds set created_at = created_at - 601 where order_id = $1`, [entity])
  expect(after.rowCount).toBe(2)
  const third = await atOnce(5, () => ask('POST', '/refund', { entity, amount: 300 }))
  expect(new Set(third.map(({ body }) => body.refundId)).size).toBe(1)
  expect(await sentFor(entity)).toHaveLength(3)
  const { rows } = await database().query(
    'select refunded_amount::int, captured_amount::int from payments where order_id = $1',
    [entity],
  )
  expect(rows).toEqual([{ refunded_amount: 900, captured_amount: expect.any(Number) }])
})

test('A refund that is too large may be asked for again, and one of another business is unknown', async () => {
  const entity = await paid()
  const tooMuch = { entity, amount: 2_000_000_000 }
  for (const _ of [1, 2])
    expect(refusalOf(await ask('POST', '/refund', tooMuch))).toEqual([422, '/amount', 'amount_exceeds_refundable'])
  expect(await sentFor(entity)).toEqual([])
  const other = await newShop()
  await become('business', other)
  expect(refusalOf(await ask('POST', '/refund', { entity, amount: 1 }, undefined, other))).toEqual([
    422,
    '/entity',
    'order_unknown',
  ])
  expect(refusalOf(await ask('POST', '/refund', { entity, amount: 1 }, 'ü'))).toEqual([
    422,
    'Idempotency-Key',
    'invalid_input',
  ])
  expect(refusalOf(await ask('POST', '/refund', { entity, amount: 1 }, 'a'.repeat(256)))).toEqual([
    422,
    'Idempotency-Key',
    'invalid_input',
  ])
})

test('A test of an address arrives once, signed if there is a secret, with a sample of its event', async () => {
  await become('business')
  const of = (more: object = {}) => ({
    webhook: { url: `${receiver.url}/test`, events: [{ event: 'node.created' }, { event: 'order.created' }], ...more },
  })
  const answers = await atOnce(10, () => ask('POST', '/webhooks/test', of({ secret })))
  expect(answers.map(({ status, body }) => [status, body.status, body.webhookId, body.providerStatusCode])).toEqual(
    Array(10).fill([200, 'succeeded', null, 200]),
  )
  const arrived = await receiver.arrivals('/test')
  expect(arrived).toHaveLength(1)
  const [{ body, headers }] = arrived as [Received]
  const sample = new Webhook(secret).verify(body, headers as Record<string, string>) as Record<string, unknown>
  expect(sample).toMatchObject({
    id: answers[0]?.body.deliveryId,
    type: 'node.created',
    businessId: shop.store_id,
    data: { key: '', blocks: [] },
  })
  expect(Object.keys(sample.data as object).filter((name) => name.includes('_'))).toEqual([])

  const plain = await ask('POST', '/webhooks/test', of())
  expect([plain.status, plain.body.status]).toEqual([200, 'succeeded'])
  const [, unsigned] = await receiver.arrivals('/test')
  expect(Object.keys(unsigned?.headers ?? {}).filter((name) => name.startsWith('webhook-'))).toEqual([])
  const again = await ask('POST', '/webhooks/test', of(), 'again')
  expect(again.body.deliveryId).not.toBe(plain.body.deliveryId)
  const wrong = { webhook: { url: 'ftp://x', events: [{ event: 'entry.created' }] } }
  expect(
    (await ask('POST', '/webhooks/test', wrong)).body.errors.map(({ pointer }: { pointer: string }) => pointer),
  ).toEqual(['/webhook/url', '/webhook/events/0/event'])
  const { rows } = await database().query('select target from webhook_tests where tenant_id = $1', [shop.store_id])
  expect(JSON.stringify(rows)).not.toContain(receiver.url)
})

test('A webhook of a business takes the names there, and its events arrive by them in camelCase', async () => {
  await become('business')
  const body = { key: unique(), url: `${receiver.url}/events`, headers: {}, secret, enabled: true }
  const events = [{ event: 'node.created' }, { event: 'product.created' }]
  const made = await ask('POST', '/webhooks', { ...body, events })
  expect([made.status, made.body.events]).toEqual([201, events])
  for (const event of ['entry.created', 'collection.created', 'account.updated']) {
    const refused = await ask('POST', '/webhooks', { ...body, key: unique(), events: [{ event }] })
    expect([refused.status, refused.body.errors]).toMatchObject([
      422,
      [{ pointer: '/events/0/event', detail: expect.stringContaining('node.created, node.updated') }],
    ])
  }
  expect((await ask('POST', '/products', { key: 'scarf' })).status).toBe(201)
  const collection = await ask('POST', '/collections', { key: 'pages' })
  const entry = await ask('POST', '/entries', { key: 'about', collectionId: collection.body.id })
  expect([collection.status, entry.status]).toEqual([201, 201])
  const delivered = () => receiver.arrivals('/events')
  await until(async () => (await delivered()).length === 2)
  const told = (await delivered()).map(
    ({ body, headers }) =>
      new Webhook(secret).verify(body, headers as Record<string, string>) as Record<string, unknown>,
  )
  const node = told.find(({ type }) => type === 'node.created')
  expect(node).toEqual({
    id: expect.any(String),
    type: 'node.created',
    createdAt: expect.any(Number),
    businessId: shop.store_id,
    data: entry.body,
  })
  expect(told.find(({ type }) => type === 'product.created')?.data).toMatchObject({
    key: 'scarf',
    status: 'ACTIVE',
    createdAt: expect.any(Number),
  })
  const list = await ask('GET', `/webhooks/${made.body.id}/deliveries?limit=10&type=node.created`)
  expect(list.body.items).toMatchObject([{ type: 'node.created' }])
  expect((await ask('GET', `/webhooks/${made.body.id}/deliveries/${list.body.items[0].id}`)).body.event).toEqual(node)
})

const back = { successUrl: 'https://salon.example/yes', cancelUrl: 'https://salon.example/no' }

test('Two tabs that choose a plan get one page, whose payment begins one subscription', async () => {
  const own = await newShop()
  await become('business', own)
  expect((await ask('GET', '/subscription', undefined, undefined, own)).body).toMatchObject({
    planId: 'free',
    paymentAction: { type: 'none' },
  })
  const plans = await http('GET', '/v1/businesses/plans', { headers: own.op.headers })
  expect(plans.body.items).toMatchObject([{ id: 'free' }, { id: 'pro', amount: 2_900 }])
  expect(refusalOf(await ask('POST', '/subscribe', { planId: 'free', ...back }, undefined, own))).toEqual([
    422,
    '/planId',
    'plan_unavailable',
  ])
  const tabs = await atOnce(6, () => ask('POST', '/subscribe', { planId: 'pro', ...back }, undefined, own))
  expect(tabs.map(({ status }) => status)).toEqual(Array(6).fill(200))
  expect(new Set(tabs.map(({ body }) => body.url)).size).toBe(1)
  expect(tabs[0]?.body).toEqual({ url: expect.stringMatching(/\/_sim\/card#secret=cs_/) })
  const [first] = await sessionsOf(own)
  const other = await ask(
    'POST',
    '/subscribe',
    { planId: 'pro', ...back, cancelUrl: 'https://salon.example/other' },
    undefined,
    own,
  )
  expect(other.body.url).not.toBe(tabs[0]?.body.url)
  expect((await sessionsOf(own)).map(({ id, state }) => [id === first?.id, state])).toEqual([
    [true, 'expired'],
    [false, 'open'],
  ])
  await sim('POST', `/checkout_sessions/${String(other.body.url).split('#secret=').at(-1)}/pay`)
  await until(async () => (await ask('GET', '/subscription', undefined, undefined, own)).body.planId === 'pro')
  expect(refusalOf(await ask('POST', '/subscribe', { planId: 'pro', ...back }, undefined, own))).toEqual([
    409,
    undefined,
    'subscription_active',
  ])
  const portal = await ask('POST', '/subscription/portal', { returnUrl: 'https://salon.example/' }, undefined, own)
  expect([portal.status, portal.body]).toEqual([200, { url: expect.stringMatching(/^https?:/) }])
  const { rows } = await database().query(`select status from subscriptions where tenant_id = $1 and status = 'live'`, [
    own.store_id,
  ])
  expect(rows).toHaveLength(1)
})

const sessionsOf = async ({ store_id }: Shop): Promise<{ id: string; state: string }[]> =>
  (
    await database().query('select id, state from payment_sessions where tenant_id = $1 order by created_at, id', [
      store_id,
    ])
  ).rows

test('The plan of a business belongs to its owners', async () => {
  const own = await newShop()
  const admin = await operator()
  await own.asOperator('POST', '/members', { email: admin.email, role: 'admin' })
  await become('business', own)
  const as = (path: string, body: object) =>
    http('POST', `/v1/businesses/${own.store_id}${path}`, { body, headers: admin.headers })
  expect((await as('/subscribe', { planId: 'pro', ...back })).status).toBe(403)
  expect((await as('/subscription/portal', { returnUrl: 'https://salon.example/' })).status).toBe(403)
})
