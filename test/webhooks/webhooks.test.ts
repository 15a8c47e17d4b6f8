// Webhooks never return their URL, secret or header values, and a test delivery is sent once.
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals'
import { Webhook } from 'standardwebhooks'
import { newId } from '../../entities/kit/ids.ts'
import { eventTypes } from '../../rules/webhooks/events.ts'
import { untilAwaited } from '../kit/database/locks.ts'
import { atOnce } from '../kit/orders/buying.ts'
import { type Answer, database, eitherApi, newShop, type Shop, unique } from '../kit/shop.ts'
import { type Received, type Receiver, startReceiver } from '../kit/webhooks/receiver.ts'
import { newWebhook, secret } from '../kit/webhooks/webhook-events.ts'

jest.setTimeout(60_000)

let shop: Shop
let receiver: Receiver
beforeAll(async () => {
  ;[shop, receiver] = await Promise.all([newShop(), startReceiver(process.env.TEST_LOGS as string)])
})
afterAll(async () => {
  await receiver.stop()
  await database().end()
})

const body = (more: Record<string, unknown> = {}) => ({
  ...{
    key: unique(),
    url: 'https://hooks.example.com/in?token=geheim',
    events: [{ event: 'order.created' }],
    headers: { 'X-Token': 'geheim' },
    secret,
  },
  ...{ enabled: true, ...more },
})
const create = (more?: Record<string, unknown>) => shop.asOperator('POST', '/webhooks', body(more), eitherApi())

test('The URL, secret and header values of a webhook are redacted in every response', async () => {
  const given = body()
  const made = await shop.asOperator('POST', '/webhooks', given)
  expect([made.status, made.body]).toEqual([
    201,
    {
      id: expect.any(String),
      key: given.key,
      url: '__redacted__',
      events: [{ event: 'order.created' }],
      headers: { 'X-Token': '__redacted__' },
      secret: '__redacted__',
      enabled: true,
      disabled_reason: null,
      failing_since: null,
      previous_secret_until: null,
      created_at: expect.any(Number),
      updated_at: expect.any(Number),
    },
  ])
  const { id } = made.body
  expect((await shop.asOperator('GET', `/webhooks/${id}`)).body).toEqual(made.body)
  expect((await shop.asOperator('GET', '/webhooks')).body.items).toContainEqual(made.body)
  const { rows } = await database().query('select * from webhooks where id = $1', [id])
  expect(JSON.stringify(rows)).not.toMatch(/geheim|MfKQ9r8GKYqr/)
})

test('An update keeps absent fields, replaces all headers, and an old secret signs another day', async () => {
  const { id } = (await create({ headers: { 'X-One': '1', 'X-Two': '2' } })).body
  const stored = async () =>
    (await database().query('select url, secret, previous_secret from webhooks where id = $1', [id])).rows[0]
  const before = await stored()
  const put = async (change: object) => (await shop.asOperator('PUT', `/webhooks/${id}`, change)).body
  expect(
    await put({ events: [{ event: 'product.created' }, { event: 'product.created' }], enabled: false }),
  ).toMatchObject({
    ...{
      events: [{ event: 'product.created' }],
      enabled: false,
      headers: { 'X-One': '__redacted__', 'X-Two': '__redacted__' },
    },
    previous_secret_until: null,
  })
  expect(await stored()).toEqual(before)
  expect(await put({ headers: { 'X-Three': '3' } })).toMatchObject({ headers: { 'X-Three': '__redacted__' } })
  expect(await put({ secret })).toMatchObject({ previous_secret_until: null })
  const now = Math.floor(Date.now() / 1000)
  const { previous_secret_until } = await put({ secret: `whsec_${Buffer.alloc(24, 1).toString('base64')}` })
  expect(previous_secret_until - now - 86_400).toBeLessThan(10)
  expect((await stored()).url).toBe(before.url)
  expect((await shop.asOperator('DELETE', `/webhooks/${id}`)).body).toEqual({ success: true })
  expect((await shop.asOperator('DELETE', `/webhooks/${id}`)).status).toBe(404)
})

test.each([
  ['url', '/url', 'redacted_value', { url: '__redacted__' }],
  ['secret', '/secret', 'redacted_value', { secret: '__redacted__' }],
  ['a header', '/headers/X-Token', 'redacted_value', { headers: { 'X-Token': '__redacted__' } }],
])('The redaction placeholder is refused as %s of a webhook', async (_, pointer, code, change) => {
  const fault = { pointer, code, detail: expect.any(String) }
  expect((await create(change)).body).toMatchObject({ status: 422, errors: [fault] })
  const { id } = (await create()).body
  expect((await shop.asOperator('PUT', `/webhooks/${id}`, change)).body).toMatchObject({ status: 422, errors: [fault] })
})

test.each([
  ['an unknown event', '/events/1/event', { events: [{ event: 'order.created' }, { event: 'order.exploded' }] }],
  ['an event as a text', '/events/0', { events: ['order.created'] }],
  ['no event', '/events', { events: [] }],
  ['a URL without a scheme', '/url', { url: 'hooks.example.com/in' }],
  ['another scheme', '/url', { url: 'ftp://hooks.example.com/' }],
  ['a URL with a user', '/url', { url: 'https://me:geheim@hooks.example.com/' }],
  ['a reserved header', '/headers/Webhook-Signature', { headers: { 'Webhook-Signature': 'v1,x' } }],
  ['a Content-Type', '/headers/content-type', { headers: { 'content-type': 'text/plain' } }],
  ['a header of the connection', '/headers/Transfer-Encoding', { headers: { 'Transfer-Encoding': 'chunked' } }],
  ['a duplicate header', '/headers/X-A', { headers: { 'x-a': '1', 'X-A': '2' } }],
  ['a header with a line break', '/headers/X-A', { headers: { 'X-A': 'a\r\nHost: b' } }],
  ['a secret of plain text', '/secret', { secret: 'a-plain-secret-of-mine' }],
  ['a secret of base64 without its prefix', '/secret', { secret: 'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' }],
  ['a secret of another alphabet', '/secret', { secret: `whsec_${'-_aa'.repeat(8)}` }],
  [
    'a secret without its padding',
    '/secret',
    { secret: `whsec_${Buffer.alloc(25).toString('base64').replaceAll('=', '')}` },
  ],
  ['a secret of 23 bytes', '/secret', { secret: `whsec_${Buffer.alloc(23).toString('base64')}` }],
  ['a secret of 65 bytes', '/secret', { secret: `whsec_${Buffer.alloc(65).toString('base64')}` }],
])('A webhook with %s is refused with its pointer', async (_, pointer, change) => {
  const { status, body: problem } = await create(change)
  expect([status, new Set(problem.errors?.map((fault: { pointer: string }) => fault.pointer))]).toEqual([
    422,
    new Set([pointer]),
  ])
  expect(JSON.stringify(problem)).not.toMatch(/geheim/)
})

test('A secret of 24 to 64 bytes is accepted, and a generated one is shown once', async () => {
  for (const bytes of [24, 25, 26, 62, 63, 64])
    expect([bytes, (await create({ secret: `whsec_${Buffer.alloc(bytes, 255).toString('base64')}` })).status]).toEqual([
      bytes,
      201,
    ])
  const { path } = { path: `/${unique()}` }
  const made = await create({ secret: undefined, url: `${receiver.url}${path}` })
  expect([made.status, made.body.secret]).toEqual([201, expect.stringMatching(/^whsec_/)])
  expect((await shop.asOperator('GET', `/webhooks/${made.body.id}`)).body.secret).toBe('__redacted__')
  await shop.asOperator('POST', '/webhooks/test', { delivery_id: newId(), webhook_id: made.body.id })
  const [one] = (await receiver.arrivals(path)) as [Received]
  expect(() => new Webhook(made.body.secret).verify(one.body, one.headers)).not.toThrow()
})

describe('Stored header values', () => {
  const at = 'https://hooks.example.com/in'
  const resources: [string, Record<string, unknown>][] = [
    ['webhooks', { ...body(), url: at }],
    ['build-hooks', { key: 'x', type: 'custom', url: at, headers: { 'X-Token': 'geheim' } }],
  ]
  test.each(resources)(
    'Another origin in %s requires the headers again, the same one does not',
    async (resource, given) => {
      const make = async (headers: object) =>
        (await shop.asOperator('POST', `/${resource}`, { ...given, key: unique(), headers })).body.id
      const put = async (id: string, change: object) =>
        (await shop.asOperator('PUT', `/${resource}/${id}`, change, eitherApi())).body
      const id = await make({ 'X-Token': 'geheim' })
      for (const url of [
        'https://other.example.com/in',
        'http://hooks.example.com/in',
        'https://hooks.example.com:8443/in',
        'https://hooks.example.com.evil.example/',
      ])
        expect(await put(id, { url })).toMatchObject({
          status: 422,
          errors: [{ pointer: '/headers', code: 'required', detail: expect.stringContaining('another origin') }],
        })
      for (const change of [
        { url: 'https://hooks.example.com:443/elsewhere' },
        { key: unique() },
        { url: 'https://other.example.com/', headers: { 'X-Token': 'new' } },
      ])
        expect(await put(id, change)).toMatchObject({ id, headers: { 'X-Token': '__redacted__' } })
      const bare = await make({})
      expect(await put(bare, { url: 'https://other.example.com/' })).toMatchObject({ id: bare })
    },
  )
})

test('A webhook that names neither headers nor whether it is enabled has none, and is enabled', async () => {
  const { headers: _, enabled: __, ...sent } = body()
  const made = await shop.asOperator('POST', '/webhooks', sent)
  expect([made.status, made.body]).toMatchObject([201, { headers: {}, enabled: true }])
})

test.each(['key', 'url', 'events'])('The field %s of a webhook is required', async (field) => {
  const { [field]: _, ...rest } = body() as Record<string, unknown>
  const { status, body: problem } = await shop.asOperator('POST', '/webhooks', rest)
  expect([status, problem.errors[0].pointer]).toEqual([422, `/${field}`])
})

test('A webhook key is unique in its store, also for concurrent creations', async () => {
  const key = unique()
  const answers = await atOnce(4, () => create({ key }))
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409])
  expect(answers.find(({ status }) => status === 409)?.body).toMatchObject({
    code: 'key_taken',
    errors: [{ pointer: '/key', code: 'key_taken' }],
  })
  const { id } = (await create()).body
  expect((await shop.asOperator('PUT', `/webhooks/${id}`, { key })).body.code).toBe('key_taken')
  const other = await newShop()
  expect((await other.asOperator('POST', '/webhooks', body({ key }))).status).toBe(201)
})

test('The limit of webhooks per store holds for concurrent creations', async () => {
  const full = await newShop()
  const at = async (base: string) => full.asOperator('POST', '/webhooks', body(), base)
  const first = (await at(eitherApi())).body.id
  let answers: Answer[] = []
  await database().query(
    `insert into webhooks (id, tenant_id, created_at, updated_at, key, url, headers, secret, events, enabled)
     select gen_random_uuid(), tenant_id, 1, 1, 'more-' || n, url, headers, secret, events, false from webhooks, generate_series(1, 97) n where id = $1`,
    [first],
  )
  const holder = await database().connect()
  try {
    await holder.query('begin')
    // Every request has counted, or waits to count, before the first one is written.
    await holder.query('lock table webhooks in share mode')
    const asked = atOnce(10, () => at(eitherApi()))
    await untilAwaited(holder, { count: 10, like: ['insert into "webhooks"%', 'select 1 from tenants %no key update'] })
    await holder.query('commit')
    answers = await asked
  } finally {
    await holder.query('rollback')
    holder.release()
  }
  expect(answers.map(({ status, body: { code } }) => `${status} ${code ?? ''}`).sort()).toEqual([
    ...['201 ', '201 '],
    ...Array.from({ length: 8 }, () => '409 webhooks_too_many'),
  ])
})

test('A webhook can subscribe to every event type, and its URL is not checked when it is saved', async () => {
  expect(
    (await create({ events: eventTypes.map((event) => ({ event })), url: 'http://127.0.0.1/internal' })).status,
  ).toBe(201)
})

describe('Test deliveries', () => {
  const send = (webhook_id: string, delivery_id: string, base?: string) =>
    shop.asOperator('POST', '/webhooks/test', { delivery_id, webhook_id }, base)

  test('A test delivery arrives once, signed, under the caller’s id, and repeating it reads it', async () => {
    const hook = await newWebhook(shop, receiver, { headers: { 'X-Own': 'yes' } })
    const delivery_id = newId()
    const done = { delivery_id, webhook_id: hook.id, status: 'succeeded', provider_status_code: 200, error: null }
    const answers = await atOnce(6, () => send(hook.id, delivery_id, eitherApi()))
    for (const { status, body: state } of answers) expect([status, state]).toEqual([200, done])
    const [one, ...more] = await receiver.arrivals(hook.path)
    expect(more).toEqual([])
    expect(one?.headers).toMatchObject({
      'webhook-id': delivery_id,
      'x-own': 'yes',
      'content-type': 'application/json',
    })
    expect(new Webhook(secret).verify((one as Received).body, (one as Received).headers)).toEqual({
      ...{ id: delivery_id, type: 'webhook.test', created_at: expect.any(Number), store_id: shop.store_id, data: {} },
    })
    expect((await send(hook.id, delivery_id)).body).toEqual(done)
    expect(await receiver.count(hook.path)).toBe(1)
    // Another webhook with the same id is a different test.
    const another = await newWebhook(shop, receiver)
    expect((await send(another.id, delivery_id)).body).toMatchObject({ status: 409, code: 'idempotency_conflict' })
    // Disabled since: the recorded outcome is returned all the same.
    await shop.asOperator('PUT', `/webhooks/${hook.id}`, { enabled: false })
    expect((await send(hook.id, delivery_id)).body).toEqual(done)
  })

  test.each([
    [404, 'rejected'],
    [503, 'rejected'],
    [307, 'rejected'],
    [204, 'succeeded'],
  ])('A test delivery answered with %s is %s', async (status, verdict) => {
    const hook = await newWebhook(shop, receiver)
    await receiver.rule(hook.path, { status, ...(status === 307 ? { headers: { location: '/elsewhere' } } : {}) })
    const { body: state } = await send(hook.id, newId())
    expect(state).toMatchObject({
      status: verdict,
      provider_status_code: status,
      error: verdict === 'rejected' ? { code: 'http_status' } : null,
    })
    expect(await receiver.count(hook.path)).toBe(1)
  })

  test('A test delivery without an answer is unknown and is not sent again', async () => {
    const hook = await newWebhook(shop, receiver)
    await receiver.rule(hook.path, { do: 'reset_after_read' })
    const delivery_id = newId()
    expect((await send(hook.id, delivery_id)).body).toMatchObject({
      status: 'unknown',
      provider_status_code: null,
      error: { code: 'egress_no_answer' },
    })
    await receiver.clear(hook.path)
    expect((await send(hook.id, delivery_id)).body).toMatchObject({ status: 'unknown' })
    expect(await receiver.count(hook.path)).toBe(1)
  })

  test('A test delivery to a private address fails and sends nothing', async () => {
    const hook = await newWebhook(shop, receiver, { url: 'http://10.0.0.1/' })
    expect((await send(hook.id, newId())).body).toMatchObject({
      status: 'failed',
      provider_status_code: null,
      error: { code: 'egress_refused' },
    })
  })

  test('Of twenty concurrent test deliveries, those beyond ten open ones are refused', async () => {
    const other = await newShop()
    const hook = await newWebhook(other, receiver)
    await receiver.rule(hook.path, { delay_ms: 3_000 })
    const answers = await atOnce(20, () =>
      other.asOperator('POST', '/webhooks/test', { delivery_id: newId(), webhook_id: hook.id }, eitherApi()),
    )
    expect(answers.filter(({ status }) => status === 200).length).toBe(10)
    expect(answers.filter(({ status, body: { code } }) => status === 429 && code === 'too_many_requests').length).toBe(
      10,
    )
  })

  test('A test delivery of a disabled or unknown webhook is refused and leaves no record', async () => {
    const hook = await newWebhook(shop, receiver, { enabled: false })
    const delivery_id = newId()
    const fault = (code: string) => ({ status: 422, errors: [{ pointer: '/webhook_id', code }] })
    expect((await send(hook.id, delivery_id)).body).toMatchObject(fault('webhook_disabled'))
    expect((await send(newId(), delivery_id)).body).toMatchObject(fault('webhook_unknown'))
    const theirs = await newWebhook(await newShop(), receiver)
    expect((await send(theirs.id, delivery_id)).body).toMatchObject(fault('webhook_unknown'))
    expect((await database().query('select 1 from webhook_tests where delivery_id = $1', [delivery_id])).rows).toEqual(
      [],
    )
    // Its id is still free.
    await shop.asOperator('PUT', `/webhooks/${hook.id}`, { enabled: true })
    expect((await send(hook.id, delivery_id)).body).toMatchObject({ status: 'succeeded' })
  })
})
