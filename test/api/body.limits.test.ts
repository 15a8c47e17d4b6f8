// What a stranger may use of a process: the bytes of bodies, and look-ups of credentials.
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Route } from '../../api/kit/route.ts'
import { bodyLimitOf } from '../../api/limits/body-limit.ts'
import { routes as table } from '../../api/routes.ts'
import { until } from '../kit/codes.ts'
import { made as written } from '../kit/content/content.ts'
import { apiWith, sendEvent } from '../kit/orders/buying.ts'
import { api, database, http, newEmail, newShop, type Shop, unique } from '../kit/shop.ts'
import { onWire } from '../kit/wire.ts'

const routes: readonly Route[] = table
let shop: Shop
let other: Shop
/** Behind a proxy, so that a test chooses the network of each request. */
let small: Awaited<ReturnType<typeof apiWith>>
beforeAll(async () => {
  shop = await newShop()
  other = await newShop()
  small = await apiWith({
    BODY_BUDGET_MIB: '4',
    BODY_LIMIT_MS: '5000',
    RATE_FAILED_AUTH_PER_MINUTE: '5',
    TRUSTED_PROXIES: '1',
  })
})
afterAll(async () => {
  await small.stop()
  await database().end()
})

type Head = { from: string; length?: number; auth?: boolean; path?: string; unsigned?: boolean }
const head = ({ from, length, auth, unsigned, path = '/v1/webhooks/stripe' }: Head) =>
  [
    `POST ${path} HTTP/1.1`,
    'host: tillwright.test',
    `x-forwarded-for: ${from}`,
    'content-type: application/json',
    length === undefined ? 'transfer-encoding: chunked' : `content-length: ${length}`,
    ...(path.startsWith('/v1/webhooks/stripe') && !unsigned ? [`stripe-signature: t=1,v1=${'0'.repeat(64)}`] : []),
    ...(auth ? [`authorization: ${shop.op.headers.authorization}`] : []),
    '\r\n',
  ].join('\r\n')
const products = () => `/v1/stores/${shop.store_id}/products`
const mib = 1024 * 1024

describe('The bytes of bodies', () => {
  /** The body of an event of which the last byte is missing. */
  const hold = (from: string, { length = mib / 4, ...more }: Omit<Head, 'from'> = {}) =>
    onWire(small.url, [head({ from, length, ...more }), 'x'.repeat(length - 1)], { withinMs: 60_000 })
  /** Waits until the process holds so many bytes, as its metrics say. */
  const holds = (isSo: (bytes: number) => boolean) =>
    until(async () =>
      isSo(Number(/^tillwright_body_bytes (\d+)/m.exec(await (await fetch(`${small.url}/metrics`)).text())?.[1])),
    )
  const product = (shopOf: Shop, from: string, letters: number) => {
    const text = JSON.stringify({
      key: `p${unique()}`,
      blocks: [{ key: 'a', type: 'text', value: 'x'.repeat(letters) }],
    })
    return http('POST', `/v1/stores/${shopOf.store_id}/products`, {
      text,
      headers: { 'x-forwarded-for': from, ...shopOf.op.headers },
      base: small.url,
    })
  }
  /** Requests with bodies of less than a kilobyte, as every client sends them. */
  const served = async (from: string) => [
    (await product(shop, from, 200)).status,
    (
      await http('POST', '/v1/auth/code', {
        body: { email: newEmail() },
        headers: { 'x-forwarded-for': from },
        base: small.url,
      })
    ).status,
    (await sendEvent({ id: `evt_${unique()}`, type: 'a.test', data: { object: {} } }, { base: small.url, from }))
      .status,
  ]
  const all = [201, 200, 200]

  test('One network holds a sixteenth of the budget at most, and the others are served', async () => {
    for (const from of [() => '203.0.113.1', (n: number) => `2001:db8:1:${n}::1`]) {
      const held = Array.from({ length: 12 }, (_, n) => hold(from(n)))
      await holds((bytes) => bytes >= mib / 4 - 1)
      expect(await served('203.0.113.2')).toEqual(all)
      const statuses = (await Promise.all(held)).map(({ status }) => status)
      expect(statuses.sort()).toEqual([408, ...Array(11).fill(503)])
    }
  }, 90_000)

  test('Strangers of many networks leave room for small bodies and for known callers', async () => {
    const held = Array.from({ length: 6 }, (_, n) => hold(`203.0.113.${10 + n}`))
    await holds((bytes) => bytes >= 6 * (mib / 4 - 1))
    const refused = await onWire(small.url, [head({ from: '203.0.113.4', length: mib / 4 }), 'x'.repeat(mib / 4 - 1)])
    expect([refused.status, refused.closed]).toEqual([503, true])
    expect(refused.text).toMatch(/"code":"overloaded"/)
    expect(refused.text).toMatch(/retry-after: \d/i)
    expect(await served('203.0.113.5')).toEqual(all)
    // Without a credential it is refused before it is read, as strangers hold much: this one never ends.
    const early = await onWire(small.url, [head({ from: '203.0.113.5', length: 200, path: products() })], {
      answers: 1,
    })
    expect(early.status).toBe(401)
    expect((await product(shop, '203.0.113.5', mib / 2)).status).toBe(201)
    expect((await Promise.all(held)).map(({ status }) => status)).toEqual(Array(6).fill(408))
    // What they held is free again.
    const whole = await onWire(small.url, [head({ from: '203.0.113.3', length: mib / 4 }), 'x'.repeat(mib / 4)], {
      answers: 1,
    })
    expect([whole.status, /"code":"bad_signature"/.test(whole.text)]).toEqual([400, true])
  }, 90_000)

  test('A known caller with large bodies leaves room for those of others', async () => {
    const held = Array.from({ length: 6 }, (_, n) =>
      hold(`203.0.113.${20 + n}`, { length: mib, auth: true, path: products() }),
    )
    await holds((bytes) => bytes >= mib)
    expect((await product(other, '203.0.113.2', mib / 2)).status).toBe(201)
    expect(await served('203.0.113.2')).toEqual(all)
    expect(new Set((await Promise.all(held)).map(({ status }) => status))).toEqual(new Set([408, 503]))
  }, 90_000)

  test('A body without a signature in its form is not read', async () => {
    for (const path of ['/v1/webhooks/stripe', `/v1/webhooks/stripe/${crypto.randomUUID()}`])
      expect(
        (await onWire(small.url, [head({ from: '203.0.113.9', length: 200, path, unsigned: true })], { answers: 1 }))
          .status,
      ).toBe(400)
  })

  test('A caller is identified before more than 16 KiB of a body are read, announced or not', async () => {
    const announced = await onWire(small.url, [head({ from: '203.0.113.6', length: mib, path: products() })], {
      answers: 1,
    })
    expect(announced.status).toBe(401)
    const chunk = `${(17 * 1024).toString(16)}\r\n${'x'.repeat(17 * 1024)}\r\n`
    const arriving = await onWire(small.url, [head({ from: '203.0.113.6', path: products() }), chunk], { answers: 1 })
    expect(arriving.status).toBe(401)
    // Below it, the body is read first: this one never ends.
    await expect(
      onWire(small.url, [head({ from: '203.0.113.6', length: 16_000, path: products() })], {
        answers: 1,
        withinMs: 1_000,
      }),
    ).rejects.toThrow('still open')
    for (const path of [`/v1/workflows/trigger/${'x'.repeat(43)}`, `/v1/webhooks/channels/${crypto.randomUUID()}`])
      expect([404, 401]).toContain(
        (await onWire(small.url, [head({ from: '203.0.113.7', length: 200_000, path })], { answers: 1 })).status,
      )
  })

  test('A body of a thousand chunks of one byte is read as one', async () => {
    const text = JSON.stringify({ key: 'tea', extra: 'x'.repeat(2_000) })
    const chunks = [...text].map((char) => `1\r\n${char}\r\n`).join('')
    const { status, text: answer } = await onWire(
      small.url,
      [head({ from: '203.0.113.8', auth: true, path: products() }), chunks, '0\r\n\r\n'],
      { answers: 1 },
    )
    expect([status, /"pointer":"\/extra"/.test(answer)]).toEqual([422, true])
  })
})

describe('The largest body of a route', () => {
  test('A route without a free text has a limit by its shape, and every limit is a power of two', () => {
    const limits = Object.fromEntries(
      routes
        .filter(({ method, upload, message }) => method !== 'GET' && !upload && !message)
        .map((route) => [route.spec, bodyLimitOf(route)]),
    )
    expect(
      Object.entries(limits).filter(([, limit]) => !Number.isInteger(Math.log2(limit)) || limit < 4096 || limit > mib),
    ).toEqual([])
    for (const spec of [
      'POST /v1/auth/code',
      'POST /v1/auth/refresh',
      'POST /v1/storefront/account/code',
      'POST /v1/storefront/account/identify',
      'DELETE /v1/accounts',
    ])
      expect([spec, limits[spec]]).toEqual([spec, 4096])
    const isOpen = ({ may }: Route) => may === 'public' || may === 'member-link'
    const large = routes
      .filter((route) => isOpen(route) && (limits[route.spec] ?? 0) > 32 * 1024)
      .map(({ spec }) => spec)
    // Signed bodies, whose sender is proved by all of them or by a header.
    for (const spec of ['POST /v1/webhooks/stripe', 'POST /v1/webhooks/stripe/{integrationId}'])
      expect(limits[spec]).toBe(mib / 4)
    expect(large.sort()).toEqual([
      'POST /v1/webhooks/channels/{id}',
      'POST /v1/webhooks/stripe',
      'POST /v1/webhooks/stripe/{integrationId}',
    ])
  })

  test('A body beyond the limit of its route is refused, announced or not', async () => {
    const email = 'a@tillwright.test'
    const big = { text: JSON.stringify({ email, padding: 'x'.repeat(5_000) }) }
    const { status, body } = await http('POST', '/v1/auth/code', big)
    expect([status, body.code, body.detail]).toEqual([413, 'too_large', 'The body is larger than 4 KiB.'])
    const chunk = `${(5_000).toString(16)}\r\n${'x'.repeat(5_000)}\r\n`
    expect((await onWire(api(), [head({ from: '', path: '/v1/auth/code' }), chunk], { answers: 1 })).status).toBe(413)
  })
})

describe('Failed authentications', () => {
  const ask = (from: string, headers: Record<string, string>, target = products()) =>
    http('GET', target, { headers: { 'x-forwarded-for': from, ...headers }, base: small.url })
  const madeUp = () => ({ authorization: `Bearer till_sk_${crypto.randomUUID()}${crypto.randomUUID()}` })

  test('A network whose credentials fail is refused before the next is looked up', async () => {
    const from = '203.0.113.20'
    expect((await ask(from, shop.op.headers)).status).toBe(200)
    const statuses: number[] = []
    for (let n = 0; n < 9; n++) statuses.push((await ask(from, madeUp())).status)
    expect(statuses).toEqual([...Array(5).fill(401), ...Array(4).fill(429)])
    const refused = await ask(from, madeUp())
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    // A credential that was valid here goes on, and so does another network.
    expect((await ask(from, shop.op.headers)).status).toBe(200)
    expect((await ask('203.0.113.21', madeUp())).status).toBe(401)
    // A request without a credential is looked up nowhere.
    expect((await ask(from, {})).status).toBe(401)
  })

  test('The addresses of one /64 are one network', async () => {
    const statuses: number[] = []
    for (let n = 1; n < 9; n++) statuses.push((await ask(`2001:db8:0:7::${n}`, madeUp())).status)
    expect(statuses).toEqual([...Array(5).fill(401), ...Array(3).fill(429)])
    expect((await ask('2001:db8:0:8::1', madeUp())).status).toBe(401)
  })

  test.each([
    [
      'a publishable key',
      '/v1/storefront/products',
      () => ({ 'x-service-publishable-key': `till_pk_${crypto.randomUUID()}` }),
    ],
    [
      'a visitor token',
      '/v1/storefront/account/me',
      () => ({
        'x-service-publishable-key': shop.publishable_key,
        'x-service-visitor-token': `till_vt_${crypto.randomUUID()}`,
      }),
    ],
    ['the token of a link', () => `/v1/customer/audiences/manage?token=till_ml_${crypto.randomUUID()}`, () => ({})],
  ])('%s that is made up counts for its network', async (kind, target, headers) => {
    const from = `203.0.113.${30 + kind.length}`
    const statuses: number[] = []
    for (let n = 0; n < 7; n++)
      statuses.push((await ask(from, headers(), typeof target === 'string' ? target : target())).status)
    expect(statuses).toEqual([...Array(5).fill(401), 429, 429])
  })

  test('A call without a visitor token is no failed authentication', async () => {
    const from = '203.0.113.60'
    const key = { 'x-service-publishable-key': shop.publishable_key }
    for (let n = 0; n < 8; n++) expect((await ask(from, key, '/v1/storefront/account/me')).status).toBe(401)
    expect((await ask(from, madeUp())).status).toBe(401)
    // Tokens that are made up stop neither new visitors nor those of other stores.
    const fake = (of: Shop) => ({
      'x-service-publishable-key': of.publishable_key,
      'x-service-visitor-token': `till_vt_${crypto.randomUUID()}`,
    })
    for (let n = 0; n < 6; n++) await ask(from, fake(shop), '/v1/storefront/account/me')
    expect((await ask(from, fake(shop), '/v1/storefront/account/me')).status).toBe(429)
    expect((await ask(from, fake(other), '/v1/storefront/account/me')).status).toBe(401)
    expect((await ask(from, key, '/v1/storefront/products')).status).toBe(200)
    expect((await ask(from, madeUp())).status).toBe(401)
  })

  describe('Failures at a path that many tenants call from one network', () => {
    const post = (from: string, target: string, headers: object = {}) =>
      http('POST', target, { body: { id: 'a' }, headers: { 'x-forwarded-for': from, ...headers }, base: small.url })
    const statusesOf = async (count: number, send: (n: number) => Promise<{ status: number }>) => {
      const statuses: number[] = []
      for (let n = 0; n < count; n++) statuses.push((await send(n)).status)
      return statuses
    }
    const garbage = () => `${'y'.repeat(20)}${crypto.randomUUID().slice(0, 23)}`
    const signature = () => ({
      'stripe-signature': `t=${Math.floor(Date.now() / 1000)},v1=${createHash('sha256').update(unique()).digest('hex')}`,
    })
    const secret = { 'x-telegram-bot-api-secret-token': 'wrong' }
    const eml = { 'content-type': 'message/rfc822' }

    let drawn = 0
    test.each([
      [
        'the events of an integration',
        (id: string) => `/v1/webhooks/stripe/${id}`,
        signature,
        400,
        () => crypto.randomUUID(),
      ],
      [
        'the updates of a bot',
        (id: string) => `/v1/webhooks/channels/${id}`,
        () => secret,
        401,
        () => crypto.randomUUID(),
      ],
      ['a trigger', (id: string) => `/v1/workflows/trigger/${id}`, () => ({}), 404, garbage],
      ['a mailbox', (id: string) => `/v1/mail/${id}`, () => eml, 404, garbage],
    ] as const)(
      'Failures at %s count for their target, and unknown ones apart',
      async (_, pathOf, headers, status, made) => {
        // Of one network, unknown targets of all kinds count together.
        const from = `198.51.100.${++drawn}`
        const one = made()
        expect(await statusesOf(7, () => post(from, pathOf(one), headers()))).toEqual([
          ...Array(5).fill(status),
          429,
          429,
        ])
        // Another target of the same network is looked up.
        expect((await post(from, pathOf(made()), headers())).status).toBe(status)
        // Up to a limit: a stranger would have every target looked up.
        const many = await statusesOf(200, () => post(from, pathOf(made()), headers()))
        expect(new Set(many.slice(0, 80))).toEqual(new Set([status]))
        expect(many).toContain(429)
        // Credentials of operators do not share it.
        expect((await ask(from, madeUp())).status).toBe(401)
      },
    )

    test('Genuine events are accepted while others of the same network fail', async () => {
      const from = '198.51.100.251'
      const keys = {
        secret_key: `sk_test_${unique()}`,
        publishable_key: `pk_test_${unique()}`,
        webhook_secret: `whsec_${unique()}`,
      }
      const integration = (
        await written(
          shop.asOperator('POST', '/integrations', { key: unique(), provider: { type: 'card_payment', ...keys } }),
        )
      ).id
      const event = () =>
        sendEvent(
          { id: `evt_${unique()}`, type: 'a.test', data: { object: {} } },
          { base: small.url, from, integration, secret: keys.webhook_secret },
        )
      expect((await event()).status).toBe(200)
      await statusesOf(110, () => post(from, `/v1/webhooks/stripe/${crypto.randomUUID()}`, signature()))
      // Nor do failures of its own: the integration was proved from this network.
      await statusesOf(6, () => post(from, `/v1/webhooks/stripe/${integration}`, signature()))
      expect((await event()).status).toBe(200)
    })
  })

  test('Every limit by an address is one of its network', () => {
    const files = fs
      .readdirSync(path.resolve(import.meta.dirname, '../../api'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
    const texts = files.map(
      (name) => [name, fs.readFileSync(path.resolve(import.meta.dirname, '../../api', name), 'utf8')] as const,
    )
    const counts = texts.flatMap(([name, text]) =>
      [...text.matchAll(/\b(?:throttle|limit|count|countVisitor|take|has)\(.*\bip\b.*/g)].map(
        ([line]) => [name, line] as const,
      ),
    )
    expect(counts.length).toBeGreaterThan(4)
    expect(counts.filter(([, line]) => !/networkOf\((incoming\.)?ip\)/.test(line))).toEqual([])
  })
})
