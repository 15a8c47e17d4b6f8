// The header Idempotency-Key names a request of its caller: on no route do the keys of two callers meet. The table has
// every route that takes the header.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals'
import { routes } from '../../api/routes.ts'
import { type Models, startModels } from '../kit/agents/models.ts'
import { type Bookable, bookable, dateIn, type Slot } from '../kit/bookings/booking.ts'
import { newSalon, type Salon } from '../kit/business.ts'
import { paidOrder, product } from '../kit/orders/buying.ts'
import { type Answer, database, eitherApi, http, operator, unique } from '../kit/shop.ts'
import { type Receiver, startReceiver } from '../kit/webhooks/receiver.ts'

jest.setTimeout(120_000)

const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'tillwright-keys-'))
let salon: Salon
let models: Models
let receiver: Receiver
let agent: string
let order: string
let cut: Bookable
let slots: Slot[]
/** Headers of two callers of each kind. */
const callers: { visitor: Record<string, string>[]; operator: Record<string, string>[] } = { visitor: [], operator: [] }

beforeAll(async () => {
  ;[salon, models, receiver] = await Promise.all([
    newSalon(),
    startModels(dir),
    startReceiver(process.env.TEST_LOGS as string),
  ])
  const { shop } = salon
  cut = await bookable(shop, {
    prices: ['booking', 'us'].map((market) => ({ market, amount: 3000 })),
    concurrent_limit: 20,
  })
  slots = await cut.free(dateIn(2), dateIn(3))
  order = (await paidOrder(shop, [(await product(shop)).item()])).order_id
  callers.visitor = [await shop.visitor(), await shop.visitor()].map(({ headers }) => headers)
  const colleague = await operator()
  await shop.asOperator('POST', '/members', { email: colleague.email, role: 'owner' })
  callers.operator = [shop.op, colleague].map(({ headers }) => headers)
  await salon.open()
  const { type, api_key: apiKey, model, base_url: baseUrl } = models.provider()
  await salon.op('POST', '/integrations', { key: 'model', provider: { type, apiKey, model, baseUrl } })
  agent = (await salon.op('POST', '/agents', { key: unique(), prompt: 'You cut hair.', modelId: 'model' })).body.id
})
afterAll(async () => {
  await Promise.all([models.stop(), receiver.stop()])
  await database().end()
  fs.rmSync(dir, { recursive: true })
})

const service = () => ({ serviceId: cut.service_id, providerId: cut.provider_id })
const slot = (n: number) => ({ from: slots[n]?.from as number, to: slots[n]?.to as number })
const booking = (n: number) => ({ items: [{ ...service(), slots: [slot(n)] }], paymentMethodId: 'cash' })
const reservation = (n: number) => ({ items: [{ ...service(), ...slot(n) }], paymentMethodId: 'cash' })

type Case = {
  by: keyof typeof callers
  path: () => string
  body: (n: number) => object
  record: (answer: Answer) => unknown
}

const cases: Record<string, Case> = {
  'POST /v1/businesses/{businessId}/agents/{id}/chats/messages': {
    by: 'visitor',
    path: () => `/agents/${agent}/chats/messages`,
    body: (n) => ({ message: `Hello ${n}` }),
    record: ({ body }) => body.messageId,
  },
  'POST /v1/businesses/{businessId}/bookings/checkout': {
    by: 'visitor',
    path: () => '/bookings/checkout',
    body: booking,
    record: ({ body }) => body.booking.id,
  },
  'POST /v1/businesses/{businessId}/bookings': {
    by: 'visitor',
    path: () => '/bookings',
    body: booking,
    record: ({ body }) => body.id,
  },
  'POST /v1/businesses/{businessId}/reservations/checkout': {
    by: 'visitor',
    path: () => '/reservations/checkout',
    body: reservation,
    record: ({ body }) => body.booking.id,
  },
  'POST /v1/businesses/{businessId}/reservations': {
    by: 'visitor',
    path: () => '/reservations',
    body: reservation,
    record: ({ body }) => body.id,
  },
  'POST /v1/businesses/{businessId}/refund': {
    by: 'operator',
    path: () => '/refund',
    body: (n) => ({ entity: order, amount: 100 + n }),
    record: ({ body }) => body.refundId,
  },
  'POST /v1/businesses/{businessId}/webhooks/test': {
    by: 'operator',
    path: () => '/webhooks/test',
    body: (n) => ({ webhook: { url: `${receiver.url}/keys/${n}`, events: [{ event: 'order.created' }] } }),
    record: ({ body }) => body.deliveryId,
  },
}

test('The table has every route that takes the header Idempotency-Key', () => {
  expect(Object.keys(cases).sort()).toEqual(
    routes
      .filter(({ request }) => request.headers && 'Idempotency-Key' in request.headers)
      .map(({ spec }) => spec)
      .sort(),
  )
})

test.each(Object.entries(cases))(
  '%s: one key of two callers makes two records',
  async (_, { by, path: at, body, record }) => {
    const [one, other] = callers[by] as [Record<string, string>, Record<string, string>]
    const call = (caller: Record<string, string>, sent: object) =>
      http('POST', `/v1/businesses/${salon.shop.store_id}${at()}`, {
        body: sent,
        headers: { ...caller, 'idempotency-key': '1' },
        base: eitherApi(),
      })
    const first = await call(one, body(0))
    const second = await call(other, body(1))
    expect([record(first), record(second)]).toEqual([expect.any(String), expect.any(String)])
    expect(record(second)).not.toBe(record(first))
    expect(record(await call(one, body(0)))).toBe(record(first))
    expect((await call(one, body(1))).body.code).toBe('idempotency_conflict')
    expect(record(await call(other, body(1)))).toBe(record(second))
  },
)

test('A refund whose key version 0.2.0 received is the same refund when it is repeated', async () => {
  const { idOf, fingerprintOf } = await import('../../api/kit/idempotency.ts')
  const { store_id } = salon.shop
  const [headers] = callers.operator
  const ask = () =>
    http('POST', `/v1/businesses/${store_id}/refund`, {
      body: { entity: order, amount: 7 },
      headers: { ...headers, 'idempotency-key': 'earlier' },
    })
  const made = await ask()
  await database().query('update refunds set refund_id = $2 where tenant_id = $1 and fingerprint = $3', [
    store_id,
    idOf(store_id, 'refund', 'key', 'earlier'),
    fingerprintOf({ entity: order, amount: 7 }),
  ])
  const again = await ask()
  expect([again.status, again.body.id]).toEqual([200, made.body.id])
})
