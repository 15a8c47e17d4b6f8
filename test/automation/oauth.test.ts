// A code is exchanged once; its tokens are sealed, never returned, and revoked when the account is disconnected.
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals'
import { freePort } from '../../dev/ports.ts'
import { until } from '../kit/codes.ts'
import { atOnce } from '../kit/orders/buying.ts'
import { database, eitherApi, http, newShop, type Shop, unique } from '../kit/shop.ts'
import { startOauth } from '../kit/social/oauth.ts'

jest.setTimeout(60_000)

const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'tillwright-oauth-'))
let server: Awaited<ReturnType<typeof startOauth>>
let shop: Shop
let business: string
beforeAll(async () => {
  server = await startOauth(dir)
  shop = await newShop()
  const body = { key: `salon-${unique()}`, timezone: 'UTC', billingEmail: 'bills@tillwright.test' }
  business = `/v1/businesses/${(await http('POST', '/v1/businesses', { headers: shop.op.headers, body })).body.id}`
  const { client_id: clientId, client_secret: clientSecret, base_url: baseUrl, type } = server.client
  await ask('/integrations', { key: 'sign-in', provider: { type, clientId, clientSecret, baseUrl } })
})
afterAll(async () => {
  await server.stop()
  await database().end()
  fs.rmSync(dir, { recursive: true })
})

type Body = Record<string, unknown>
const ask = (at: string, body: Body) =>
  http('POST', `${business}${at}`, { headers: shop.op.headers, body, base: eitherApi() })
const read = async (at: string) => (await http('GET', `${business}${at}`, { headers: shop.op.headers })).body
type Given = { code: string; redirect_uri: string }
const connect = (provider: string, { code, redirect_uri: redirectUri }: Given, more: Body = {}) =>
  ask('/oauth/connect', { provider, code, redirectUri, ...more })
const arrived = async (code: string) => (await server.ledger()).requests.filter(({ fields }) => fields.code === code)
const connections = async () =>
  (await read('/integrations?type=oauth_connection')).items.map(({ key }: { key: string }) => key)
const outcome = ({ status, body }: { status: number; body: { code?: string } }) => [status, body.code]

test('Twenty equal requests exchange a code once, and all return the connection', async () => {
  const codeVerifier = unique().repeat(4)
  const given = await server.code({ challenge: createHash('sha256').update(codeVerifier).digest('base64url') })
  const answers = await atOnce(20, () => connect('calendar', given, { codeVerifier }))
  const [first] = answers
  expect(first).toMatchObject({
    status: 200,
    body: {
      ...{ key: 'calendar', type: 'oauth_connection', category: 'oauth' },
      provider: {
        accessToken: '__redacted__',
        refreshToken: '__redacted__',
        scopes: ['email', 'calendar'],
        expiresAt: expect.any(Number),
      },
    },
  })
  for (const { status, body } of answers) expect([status, body]).toEqual([200, first?.body])
  expect((await connect('calendar', given, { codeVerifier })).body).toEqual(first?.body)
  const [request, ...others] = await arrived(given.code)
  expect(others).toEqual([])
  expect(request?.fields).toEqual({ grant_type: 'authorization_code', ...given, code_verifier: codeVerifier })

  expect(
    outcome(await connect('calendar', { ...given, redirect_uri: 'https://other.example/' }, { codeVerifier })),
  ).toEqual([409, 'idempotency_conflict'])
  expect(await read(`/integrations/${first?.body.id}`)).toEqual(first?.body)
  const { rows } = await database().query('select row_to_json(i)::text as row from integrations i where id = $1', [
    first?.body.id,
  ])
  for (const token of request?.tokens ?? []) expect(rows[0].row).not.toContain(token)
  const { rows: left } = await database().query(
    'select request, oauth_grant, tokens from oauth_exchanges where connection_id = $1',
    [first?.body.id],
  )
  expect(left).toEqual([{ request: null, oauth_grant: null, tokens: null }])
})

test('A refused code returns 422 oauth_rejected and leaves no connection', async () => {
  const given = await server.code()
  for (const wrong of [
    { ...given, redirect_uri: 'https://other.example/' },
    { ...given, code: `no-${unique()}` },
  ]) {
    for (let times = 0; times < 2; times++)
      expect(outcome(await connect('refused', wrong))).toEqual([422, 'oauth_rejected'])
    expect(await arrived(wrong.code)).toHaveLength(1)
  }
  expect(await connections()).not.toContain('refused')
})

test('A lost answer returns 409 oauth_unknown, and only another code is sent', async () => {
  const given = await server.code()
  await server.fault({ path: '/token', reset: true })
  for (let times = 0; times < 2; times++) expect(outcome(await connect('lost', given))).toEqual([409, 'oauth_unknown'])
  expect(await arrived(given.code)).toHaveLength(1)
  expect(await connections()).not.toContain('lost')
  const broken = await server.code()
  await server.fault({ path: '/token', answer: { status: 503, body: { error: 'temporarily_unavailable' } } })
  expect(outcome(await connect('lost', broken))).toEqual([409, 'oauth_unknown'])
  expect((await connect('lost', await server.code())).status).toBe(200)
})

test('An answer without a refresh token keeps the stored one, which disconnecting revokes', async () => {
  const first = await server.code()
  const { body } = await connect('drive', first)
  expect((await connect('drive', await server.code({ refresh: false }))).body).toMatchObject({
    id: body.id,
    provider: { refreshToken: '__redacted__' },
  })
  const [, refresh] = (await arrived(first.code))[0]?.tokens ?? []
  expect((await ask('/oauth/disconnect', { provider: 'drive' })).body).toEqual({ success: true })
  expect([await connections(), outcome(await ask('/oauth/disconnect', { provider: 'drive' }))]).toEqual([
    expect.not.arrayContaining(['drive']),
    [404, 'not_found'],
  ])
  await until(async () => (await server.ledger()).revoked.includes(refresh as string))
  // Deleting the integration disconnects, too.
  const again = await connect('drive', await server.code())
  await http('DELETE', `${business}/integrations/${again.body.id}`, { headers: shop.op.headers })
  const { rows } = await database().query(
    "select kind from oauth_exchanges where connection_id = $1 and kind = 'revoke'",
    [again.body.id],
  )
  expect(rows).toHaveLength(1)
})

test('Scopes of text that cannot be stored are left out, and the tokens are stored', async () => {
  for (const scope of ['email\0calendar', 'email \ud800']) {
    await server.fault({ path: '/token', answer: { body: { access_token: 'a-token', scope } } })
    const { status, body } = await connect('odd', await server.code())
    expect([status, body.provider?.accessToken, body.provider?.scopes]).toEqual([200, '__redacted__', undefined])
  }
})

test('Tokens that arrive after the account was disconnected are revoked and not stored', async () => {
  const given = await server.code()
  await server.fault({ path: '/token', answer: { body: { access_token: 'late-token' }, slow_ms: 1_500 } })
  const connecting = connect('late', given)
  await until(async () => (await arrived(given.code)).length > 0)
  expect((await ask('/oauth/disconnect', { provider: 'late' })).status).toBe(200)
  expect(outcome(await connecting)).toEqual([404, 'not_found'])
  await until(async () => (await server.ledger()).revoked.includes('late-token'))
  expect(await connections()).not.toContain('late')
})

test('A secret is not sent to another API than it was entered for', async () => {
  const own = await newShop()
  const on = (at: string, body: Body) => own.asOperator('POST', at, body)
  const connectOwn = async (code?: Given) =>
    outcome(await on('/oauth/connect', { provider: 'calendar', ...(code ?? (await server.code())) }))
  expect(await connectOwn()).toEqual([422, 'oauth_not_configured'])
  const client = (await on('/integrations', { key: 'sign-in', provider: server.client })).body
  await on('/integrations', { key: 'mail', provider: { type: 'email_a', api_key: 'k' } })
  expect(outcome(await on('/oauth/connect', { provider: 'mail', ...(await server.code()) }))).toEqual([
    409,
    'key_taken',
  ])
  await own.asOperator('PUT', `/integrations/${client.id}`, { provider: { client_secret: 'wrong' } })
  expect(await connectOwn()).toEqual([422, 'oauth_rejected'])
  await own.asOperator('PUT', `/integrations/${client.id}`, {
    provider: { client_secret: server.client.client_secret, base_url: 'http://10.0.0.1' },
  })
  expect(await connectOwn()).toEqual([422, 'oauth_rejected'])
  await own.asOperator('PUT', `/integrations/${client.id}`, { provider: server.client })
  const connected = await on('/oauth/connect', { provider: 'calendar', ...(await server.code()) })
  const change = await own.asOperator('PUT', `/integrations/${connected.body.id}`, { key: 'other' })
  expect([connected.status, outcome(change)]).toEqual([200, [422, 'cannot_change']])
})

test('A request that was prepared for another API is never sent with the new secret', async () => {
  const own = await newShop()
  const away = { ...server.client, base_url: `http://127.0.0.1:${await freePort()}` }
  const client = (await own.asOperator('POST', '/integrations', { key: 'sign-in', provider: away })).body
  const given = await server.code()
  const connecting = own.asOperator('POST', '/oauth/connect', { provider: 'calendar', ...given })
  const isAway = 'select 1 from oauth_exchanges where tenant_id = $1 and attempt > 0 and status = $2'
  await until(async () => (await database().query(isAway, [own.store_id, 'requested'])).rows.length > 0)
  await own.asOperator('PUT', `/integrations/${client.id}`, { provider: server.client })
  expect(outcome(await connecting)).toEqual([422, 'oauth_rejected'])
  expect(await arrived(given.code)).toEqual([])
  // It was never sent, so the same code may be sent once more: now with the new client.
  expect((await own.asOperator('POST', '/oauth/connect', { provider: 'calendar', ...given })).status).toBe(200)
  expect(await arrived(given.code)).toHaveLength(1)
})

test('The tokens of another client are revoked there, and none is kept for the new one', async () => {
  const own = await newShop()
  const connectOwn = async (code: Given) =>
    (await own.asOperator('POST', '/oauth/connect', { provider: 'calendar', ...code })).status
  const other = await startOauth(fs.mkdtempSync(path.join(dir, 'other-')))
  try {
    await own.asOperator('POST', '/integrations', { key: 'first', provider: server.client })
    const first = await server.code()
    expect(await connectOwn(first)).toBe(200)
    const [, refresh] = (await arrived(first.code))[0]?.tokens ?? []
    await own.asOperator('POST', '/integrations', { key: 'second', provider: other.client })
    expect(await connectOwn(await other.code({ refresh: false }))).toBe(200)
    await until(async () => (await server.ledger()).revoked.includes(refresh as string))
    await own.asOperator('POST', '/oauth/disconnect', { provider: 'calendar' })
    await until(async () => (await other.ledger()).revoked.length > 0)
    expect((await other.ledger()).revoked).not.toContain(refresh)
  } finally {
    await other.stop()
  }
})

test('The deletion of a business revokes the tokens of its accounts first', async () => {
  const given = await server.code()
  await connect('kept', given)
  const [, refresh] = (await arrived(given.code))[0]?.tokens ?? []
  const { body } = await connect('lost', await server.code())
  // No key decrypts it any more.
  await database().query("update integrations set credentials = 'AAAA' where id = $1", [body.id])
  expect((await http('DELETE', business, { headers: shop.op.headers })).status).toBe(200)
  await until(async () => (await server.ledger()).revoked.includes(refresh as string))
  await until(
    async () => (await database().query('select 1 from integrations where id = $1', [body.id])).rows.length === 0,
  )
})
