// Events are delivered to subscribed webhooks at least once, under one id, signed, and retried for as long as the
// schedule lasts.
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals'
import { Webhook } from 'standardwebhooks'
import type { Orm } from '../../entities/kit/database/orm.ts'
import { encrypt } from '../../entities/kit/encrypted.ts'
import { until } from '../kit/codes.ts'
import { database, newShop, type Shop } from '../kit/shop.ts'
import { type DeliveryLab, startDeliveryLab } from '../kit/webhooks/delivery-lab.ts'
import type { Received, Receiver } from '../kit/webhooks/receiver.ts'
import {
  type DeliveryRow,
  deliveriesOf,
  type Hook,
  newWebhook,
  publish,
  secret,
} from '../kit/webhooks/webhook-events.ts'

jest.setTimeout(60_000)

let world: DeliveryLab
let receiver: Receiver
let orm: Orm
let shop: Shop

beforeAll(async () => {
  const settings = { DELIVERY_RETRY_S: '0,0.3,0.3,0.3', DELIVERY_TIMEOUT_MS: '1000', RECONCILE_EVERY_MS: '1000' }
  world = await startDeliveryLab('deliveries', settings)
  ;({ receiver, orm, shop } = world)
})
afterAll(() => world.stop())

const settledOnes = (hook: Hook, count: number, status = 'succeeded'): Promise<DeliveryRow[]> =>
  until(async () => {
    const rows = await deliveriesOf(hook)
    return rows.length === count && rows.every((row) => row.status === status) && rows
  }, 30_000)
/** Waits until no workflow drains the webhook, so that the next delivery starts a new one. */
const asleep = (hook: Hook) =>
  until(
    async () =>
      (await database().query('select 1 from webhooks where id = $1 and awake_until is null', [hook.id])).rows[0],
  )
const verified = (one: Received, key = secret) => new Webhook(key).verify(one.body, one.headers)

test('An event arrives with its body, custom headers and a valid Standard Webhooks signature', async () => {
  const hook = await newWebhook(shop, receiver, { headers: { 'X-Own': 'yes', authorization: 'Bearer own' } })
  await publish(orm, shop.store_id, [{ id: 'o1', note: 'Grüße "und" \\ mehr', amount: 12 }])
  const [row] = await settledOnes(hook, 1)
  const [one, ...more] = await receiver.arrivals(hook.path)
  expect(more).toEqual([])
  expect(verified(one as Received)).toEqual({
    id: row?.event_id,
    type: 'order.created',
    created_at: expect.any(Number),
    store_id: shop.store_id,
    data: { id: 'o1', note: 'Grüße "und" \\ mehr', amount: 12 },
  })
  expect(one).toMatchObject({
    method: 'POST',
    headers: {
      'webhook-id': row?.event_id,
      'content-type': 'application/json',
      'x-own': 'yes',
      authorization: 'Bearer own',
    },
  })
  expect(() => verified({ ...(one as Received), body: `${one?.body} ` })).toThrow()
})

test('A failed delivery is retried with the same id and bytes and a new signature', async () => {
  const hook = await newWebhook(shop, receiver)
  await receiver.rule(hook.path, { status: 500, body: 'no room' }, 1)
  await receiver.rule(hook.path, { do: 'hang' }, 1)
  await receiver.rule(hook.path, { do: 'reset_after_read' }, 1)
  await publish(orm, shop.store_id, [{ id: 'o2' }])
  const [row] = await settledOnes(hook, 1)
  const arrivals = await receiver.arrivals(hook.path)
  expect(arrivals.map(({ status }) => status)).toEqual([null, null, 500, 200])
  expect(new Set(arrivals.map(({ digest }) => digest)).size).toBe(1)
  expect(new Set(arrivals.map(({ headers }) => headers['webhook-id']))).toEqual(new Set([row?.event_id]))
  for (const one of arrivals) verified(one)
  expect(row).toMatchObject({ attempts: 4, provider_status_code: 200, error: null, due_in_s: null })
})

test('A delivery fails after its last attempt with a reason, and a redelivery keeps its id', async () => {
  const hook = await newWebhook(shop, receiver)
  await receiver.rule(hook.path, { status: 503, body: `busy \0${'x'.repeat(10_000)}` })
  await publish(orm, shop.store_id, [{ id: 'o3' }, { id: 'o3b' }])
  const [row] = await settledOnes(hook, 2, 'failed')
  expect(row).toMatchObject({ attempts: 4, provider_status_code: 503, error: { code: 'http_status' }, due_in_s: null })
  expect([row?.response_body?.startsWith('busy \ufffdxxx'), Buffer.byteLength(row?.response_body ?? '')]).toEqual([
    true,
    4096 + 2,
  ])
  await receiver.clear(hook.path)

  const path = `/webhooks/${hook.id}/deliveries/${row?.id}`
  const again = await shop.asOperator('POST', `${path}/redeliver`)
  expect([again.status, again.body]).toMatchObject([201, { status: 'pending', attempts: 0, event_id: row?.event_id }])
  await until(
    async () =>
      (await shop.asOperator('GET', `/webhooks/${hook.id}/deliveries/${again.body.id}`)).body.status === 'succeeded',
  )
  // The previous attempts stay recorded.
  expect((await shop.asOperator('GET', path)).body).toMatchObject({
    id: row?.id,
    status: row?.status,
    attempts: row?.attempts,
  })
  const arrivals = await receiver.arrivals(hook.path)
  const [first, last] = [arrivals.find(({ headers }) => headers['webhook-id'] === row?.event_id), arrivals.at(-1)]
  expect([last?.headers['webhook-id'], last?.digest, verified(last as Received)]).toEqual([
    row?.event_id,
    first?.digest,
    verified(first as Received),
  ])

  // Many at once: by status and since a time; deliveries that were redelivered meanwhile are left out.
  const recover = async (body: unknown) => (await shop.asOperator('POST', `/webhooks/${hook.id}/redeliver`, body)).body
  const succeeded = (times: number) =>
    until(async () => (await deliveriesOf(hook)).filter(({ status }) => status === 'succeeded').length === times)
  expect(await recover({ since: 4_000_000_000 })).toEqual({ count: 0 })
  expect(await recover({ since: 0 })).toEqual({ count: 1 })
  await succeeded(2)
  expect(await recover({ since: 0 })).toEqual({ count: 0 })
  expect(await recover({ since: 0, status: 'succeeded' })).toEqual({ count: 2 })
  await succeeded(2)
})

test('A webhook that answers 410 is disabled, and enabling it resumes pending deliveries', async () => {
  const hook = await newWebhook(shop, receiver)
  await receiver.rule(hook.path, { status: 410 }, 1)
  await publish(orm, shop.store_id, [{ id: 'o4' }])
  const read = async () => (await shop.asOperator('GET', `/webhooks/${hook.id}`)).body
  await until(async () => (await read()).enabled === false)
  expect(await read()).toMatchObject({ enabled: false, disabled_reason: 'gone' })
  expect(await deliveriesOf(hook)).toMatchObject([{ status: 'failed', attempts: 1, provider_status_code: 410 }])
  // No event is written for it while it is disabled, and one that was due stays pending.
  await database().query(
    "update deliveries set status = 'pending', attempts = 0, due_at = now() where webhook_id = $1",
    [hook.id],
  )
  const other = await newWebhook(shop, receiver)
  await publish(orm, shop.store_id, [{ id: 'o4b' }])
  await settledOnes(other, 1)
  expect(await deliveriesOf(hook)).toMatchObject([{ status: 'pending', attempts: 0 }])
  expect(await receiver.count(hook.path)).toBe(1)
  const { body } = await shop.asOperator('PUT', `/webhooks/${hook.id}`, { enabled: true })
  expect(body).toMatchObject({ enabled: true, disabled_reason: null, failing_since: null })
  await settledOnes(hook, 1)
})

test('Failing is recorded, ends with the first success, and disables a webhook after five days', async () => {
  const hook = await newWebhook(shop, receiver)
  const read = async () => (await shop.asOperator('GET', `/webhooks/${hook.id}`)).body
  // All attempts of one delivery.
  await receiver.rule(hook.path, { status: 500 }, 4)
  await publish(orm, shop.store_id, [{ id: 'o5' }])
  await settledOnes(hook, 1, 'failed')
  expect(await read()).toMatchObject({ enabled: true, failing_since: expect.any(Number) })
  await publish(orm, shop.store_id, [{ id: 'o5a' }])
  await until(async () => (await deliveriesOf(hook)).some(({ status }) => status === 'succeeded'), 30_000)
  expect(await read()).toMatchObject({ enabled: true, failing_since: null })

  await receiver.rule(hook.path, { status: 500 })
  await database().query('update webhooks set failing_since = $2 where id = $1', [
    hook.id,
    Math.floor(Date.now() / 1000) - 5 * 86_400 - 1,
  ])
  await publish(orm, shop.store_id, [{ id: 'o5b' }])
  await until(async () => (await read()).enabled === false)
  expect(await read()).toMatchObject({ enabled: false, disabled_reason: 'failing', failing_since: expect.any(Number) })
  // A second attempt may be under way when the first one disables it.
  const [, , left] = await deliveriesOf(hook)
  expect(left?.status).toBe('pending')
  expect([1, 2]).toContain(left?.attempts)
})

test('Retry-After is honoured when it exceeds the schedule', async () => {
  const hook = await newWebhook(shop, receiver)
  await receiver.rule(hook.path, { status: 429, headers: { 'retry-after': '3600' } }, 1)
  await publish(orm, shop.store_id, [{ id: 'o6' }])
  const row = await until(async () =>
    (await deliveriesOf(hook)).find(({ provider_status_code }) => provider_status_code === 429),
  )
  expect(row).toMatchObject({ status: 'pending', attempts: 1 })
  expect(row.due_in_s).toBeGreaterThan(3_500)
})

test('A replaced secret signs for one more day beside the new one', async () => {
  const hook = await newWebhook(shop, receiver)
  const next = 'whsec_dGhlIG5leHQgc2VjcmV0IG9mIHRoaXMgd2ViaG9vaw=='
  await shop.asOperator('PUT', `/webhooks/${hook.id}`, { secret: next })
  await publish(orm, shop.store_id, [{ id: 'o7' }])
  await settledOnes(hook, 1)
  const [both] = (await receiver.arrivals(hook.path)) as [Received]
  verified(both)
  verified(both, next)
  // The day is over.
  await asleep(hook)
  await database().query('update webhooks set previous_secret_until = 1 where id = $1', [hook.id])
  await publish(orm, shop.store_id, [{ id: 'o7b' }])
  await settledOnes(hook, 2)
  const [, one] = (await receiver.arrivals(hook.path)) as [Received, Received]
  verified(one, next)
  expect(() => verified(one)).toThrow()
})

test('A plain text secret of an earlier version signs with its bytes', async () => {
  const hook = await newWebhook(shop, receiver)
  await database().query('update webhooks set secret = $2 where id = $1', [hook.id, encrypt('schlüssel-im-klartext')])
  await publish(orm, shop.store_id, [{ id: 'o8' }])
  await settledOnes(hook, 1)
  const [one] = (await receiver.arrivals(hook.path)) as [Received]
  new Webhook(new TextEncoder().encode('schlüssel-im-klartext'), { format: 'raw' }).verify(one.body, one.headers)
})

test('A redirect is not followed', async () => {
  const hook = await newWebhook(shop, receiver)
  await receiver.rule(hook.path, { status: 307, headers: { location: `${receiver.url}/elsewhere` } })
  await publish(orm, shop.store_id, [{ id: 'o9' }])
  const [row] = await settledOnes(hook, 1, 'failed')
  expect(row).toMatchObject({ provider_status_code: 307, error: { code: 'http_status' } })
  expect(await receiver.count('/elsewhere')).toBe(0)
})

test.each([
  'http://10.1.2.3/',
  'http://169.254.169.254/latest/meta-data',
  'http://[::ffff:10.0.0.1]:8080/',
  'http://0x0a000001/',
])('A delivery to the private address %s is refused when it is sent', async (url) => {
  const hook = await newWebhook(shop, receiver, { url })
  await publish(orm, shop.store_id, [{ id: 'o10' }])
  const [row] = await settledOnes(hook, 1, 'failed')
  expect(row).toMatchObject({
    provider_status_code: null,
    error: { code: 'egress_refused', message: expect.stringMatching(/not public/) },
  })
  // Other tests publish events of the same store.
  await shop.asOperator('DELETE', `/webhooks/${hook.id}`)
})

test('A changed URL and a deleted webhook take effect while events are published', async () => {
  const hook = await newWebhook(shop, receiver)
  let going = true
  const stream = (async () => {
    while (going) await publish(orm, shop.store_id, [{ id: 'o11' }])
  })()
  await until(async () => (await receiver.count(hook.path)) > 5)
  await shop.asOperator('PUT', `/webhooks/${hook.id}`, { url: `${receiver.url}${hook.path}-moved` })
  await until(async () => (await receiver.count(`${hook.path}-moved`)) > 5)
  await shop.asOperator('DELETE', `/webhooks/${hook.id}`)
  going = false
  await stream
  expect(await deliveriesOf(hook)).toEqual([])
})

test('A webhook with overdue deliveries and no workflow is started again by the reconciler', async () => {
  const hook = await newWebhook(shop, receiver)
  await publish(orm, shop.store_id, [{ id: 'o12' }])
  await settledOnes(hook, 1)
  await asleep(hook)
  await database().query(
    "update deliveries set status = 'pending', due_at = now() - interval '1 minute' where webhook_id = $1",
    [hook.id],
  )
  await settledOnes(hook, 1)
})

test('Webhooks and deliveries of another tenant return 404', async () => {
  const hook = await newWebhook(shop, receiver)
  await publish(orm, shop.store_id, [{ id: 'o13' }])
  const [row] = await settledOnes(hook, 1)
  const stranger = await newShop()
  const own = await newWebhook(stranger, receiver)
  for (const [method, path, body] of [
    ['GET', `/webhooks/${hook.id}/deliveries`],
    ['GET', `/webhooks/${hook.id}/deliveries/${row?.id}`],
    ['GET', `/webhooks/${own.id}/deliveries/${row?.id}`],
    ['POST', `/webhooks/${hook.id}/deliveries/${row?.id}/redeliver`],
    ['POST', `/webhooks/${own.id}/deliveries/${row?.id}/redeliver`],
    ['POST', `/webhooks/${hook.id}/redeliver`, { since: 0, status: 'succeeded' }],
  ] as const)
    expect([path, (await stranger.asOperator(method, path, body)).status]).toEqual([path, 404])
  expect(await deliveriesOf(hook)).toMatchObject([{ status: 'succeeded', attempts: 1 }])
})

test('Deliveries are listed by status, event and type, and one is read with its payload', async () => {
  const hook = await newWebhook(shop, receiver, { events: [{ event: 'order.created' }, { event: 'order.updated' }] })
  await publish(orm, shop.store_id, [{ id: 'o14' }])
  await settledOnes(hook, 1)
  await receiver.rule(hook.path, { status: 500 })
  await publish(orm, shop.store_id, [{ id: 'o14' }], 'order.updated')
  const list = async (query: string) =>
    (await shop.asOperator('GET', `/webhooks/${hook.id}/deliveries${query}`)).body.items
  await until(async () => (await list('?status=failed')).length === 1)
  expect(await list('')).toHaveLength(2)
  expect(await list('?status=failed')).toMatchObject([{ type: 'order.updated', status: 'failed', attempts: 4 }])
  const [one] = await list('?type=order.created')
  expect(one).toMatchObject({
    due_at: null,
    last_attempt_at: expect.any(Number),
    settled_at: expect.any(Number),
    provider_status_code: 200,
    response_body: '',
    error: null,
  })
  expect(await list(`?event_id=${one.event_id}`)).toEqual([one])
  expect(await list('?status=pending')).toEqual([])
  const { body } = await shop.asOperator('GET', `/webhooks/${hook.id}/deliveries/${one.id}`)
  expect(body).toEqual({
    ...one,
    event: {
      id: one.event_id,
      type: 'order.created',
      created_at: expect.any(Number),
      store_id: shop.store_id,
      data: { id: 'o14' },
    },
  })
})
