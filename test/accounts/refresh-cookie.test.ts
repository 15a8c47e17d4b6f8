// A browser's refresh token is in a cookie that no script and no other origin can use, and keeps what a session
// promises.
import fs from 'node:fs'
import { expect, test } from '@jest/globals'
import { bearer, codeFor, signIn } from '../kit/codes.ts'
import { apiWith } from '../kit/orders/buying.ts'
import { type Answer, api, database, eitherApi, http, newEmail, secondApi } from '../kit/shop.ts'

const ask = async (email: string, base?: string) =>
  (await http('POST', '/v1/auth/code', { body: { email }, base })).body.challenge_id as string
const fromOwnPage = (base = api()) => ({ origin: base })
/** Signs in as the console does. */
async function signInByCookie(base = api(), headers: Record<string, string> = fromOwnPage(base)) {
  const email = newEmail()
  const challenge_id = await ask(email, base)
  const body = { challenge_id, code: await codeFor(email), cookie: true }
  return http('POST', '/v1/auth/verify', { body, headers, base })
}
/** Name, value and attributes of the cookie that an answer sets. */
function cookieOf({ headers }: Answer): { pair: string; value: string; attributes: string } {
  const [pair = '', ...attributes] = (headers.get('set-cookie') ?? '').split('; ')
  return { pair, value: pair.split('=')[1] ?? '', attributes: attributes.join('; ') }
}
const deleted = { pair: 'till_refresh=', value: '', attributes: 'Path=/v1/auth; Max-Age=0; HttpOnly; SameSite=Strict' }
/** With the cookie, as the browser sends it from a page of this API. */
const send = (path: 'refresh' | 'logout', cookie: string, base = api(), headers = {}) =>
  http('POST', `/v1/auth/${path}`, { base, headers: { ...fromOwnPage(base), cookie, ...headers } })
const me = async ({ body }: Answer) =>
  (await http('GET', '/v1/accounts/me', { headers: bearer(body), base: eitherApi() })).status
const change = (id: string, what: string) => database().query(`update account_sessions set ${what} where id = $1`, [id])

test('With `cookie`, the refresh token is in an HttpOnly cookie of the sign-in routes alone', async () => {
  const session = await signInByCookie()
  expect([session.status, session.body.refresh_token]).toEqual([200, null])
  const { value, attributes } = cookieOf(session)
  expect(value).toMatch(/^till_rt_/)
  expect(JSON.stringify(session.body)).not.toContain(value)
  expect(attributes).toBe('Path=/v1/auth; Max-Age=604800; HttpOnly; SameSite=Strict')
  expect(await me(session)).toBe(200)
  const plain = await signIn()
  expect(plain.refresh_token).toMatch(/^till_rt_/)
})

test('A refresh without a body replaces the cookie, and the earlier access token is refused', async () => {
  const session = await signInByCookie()
  const renewed = await send('refresh', `other=1; ${cookieOf(session).pair}; more=2`)
  expect([renewed.status, renewed.body.id, renewed.body.refresh_token]).toEqual([200, session.body.id, null])
  expect(cookieOf(renewed).value).not.toBe(cookieOf(session).value)
  expect([await me(session), await me(renewed)]).toEqual([401, 200])
})

test('Two tabs that refresh at the same time on two servers get the same tokens', async () => {
  const { pair } = cookieOf(await signInByCookie())
  const answers = await Promise.all(Array.from({ length: 10 }, () => send('refresh', pair, eitherApi())))
  expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200))
  expect(new Set(answers.map(({ body }) => body.access_token)).size).toBe(1)
  expect(new Set(answers.map((one) => cookieOf(one).value)).size).toBe(1)
})

test('A tab that refreshes a moment after another one does not end its access token', async () => {
  const session = await signInByCookie()
  const first = await send('refresh', cookieOf(session).pair)
  const later = await send('refresh', cookieOf(first).pair, eitherApi())
  expect([later.body, cookieOf(later).value]).toEqual([first.body, cookieOf(first).value])
  expect(await me(first)).toBe(200)
  await change(session.body.id, "rotated_at = rotated_at - interval '12 s'")
  const next = await send('refresh', cookieOf(first).pair)
  expect([next.status, next.body.access_token === first.body.access_token, await me(first)]).toEqual([200, false, 401])
})

test('A cookie that is reused after ten seconds revokes the session, and is deleted', async () => {
  const session = await signInByCookie()
  const renewed = await send('refresh', cookieOf(session).pair)
  await change(session.body.id, "rotated_at = rotated_at - interval '12 s'")
  const reused = await send('refresh', cookieOf(session).pair)
  expect([reused.status, reused.body.code, cookieOf(reused)]).toEqual([401, 'refresh_reused', deleted])
  expect(await me(renewed)).toBe(401)
  expect((await send('refresh', cookieOf(renewed).pair)).body.code).toBe('unauthorized')
})

test('A cookie of a session that has expired is refused and deleted; so is none, or two of them', async () => {
  const session = await signInByCookie()
  const { pair } = cookieOf(session)
  expect((await send('refresh', `${pair}; ${pair}`)).status).toBe(401)
  const none = await send('refresh', 'till_refreshed=1')
  expect([none.status, none.body.code, none.headers.get('www-authenticate')]).toEqual([401, 'unauthorized', 'Bearer'])
  await change(session.body.id, 'refresh_expires_at = 1')
  const expired = await send('refresh', pair)
  expect([expired.status, expired.body.code, cookieOf(expired)]).toEqual([401, 'unauthorized', deleted])
})

test('Signing out revokes the session and deletes the cookie, and may be repeated', async () => {
  const session = await signInByCookie()
  const { pair } = cookieOf(session)
  for (let round = 0; round < 2; round++) {
    const ended = await send('logout', pair, eitherApi())
    expect([ended.status, ended.body, cookieOf(ended)]).toEqual([200, { success: true }, deleted])
  }
  expect([await me(session), (await send('refresh', pair)).status]).toEqual([401, 401])
  expect((await send('logout', '')).status).toBe(200)
})

test('Signing out with two cookies of the name revokes the sessions of both', async () => {
  const sessions = await Promise.all([signInByCookie(), signInByCookie()])
  const pairs = sessions.map((one) => cookieOf(one).pair)
  // An unknown value in front does not keep the others.
  const ended = await send('logout', ['till_refresh=none', ...pairs, ...pairs].join('; '))
  expect([ended.status, cookieOf(ended)]).toEqual([200, deleted])
  for (const session of sessions) expect(await me(session)).toBe(401)
})

test('The refusal of an origin names under which address the session can be used', async () => {
  const refused = await http('POST', '/v1/auth/refresh', { headers: { origin: 'https://other.example' } })
  expect([refused.status, refused.body.detail.includes(new URL(api()).origin)]).toEqual([403, true])
})

test('A program signs out with any refresh token of the session; an unproved one changes nothing', async () => {
  const session = await signIn()
  const refreshed = await http('POST', '/v1/auth/refresh', { body: { refresh_token: session.refresh_token } })
  const [random = '', id = '', , mac = ''] = refreshed.body.refresh_token.split('.')
  const out = (refresh_token: string) => http('POST', '/v1/auth/logout', { body: { refresh_token } })
  for (const forged of [`${random}.${id}.0.${mac}`, `${'x'.repeat(51)}.${id}`, 'none'])
    expect((await out(forged)).body).toEqual({ success: true })
  expect(await me(refreshed)).toBe(200)
  const ended = await out(session.refresh_token)
  expect([ended.status, ended.headers.get('set-cookie'), await me(refreshed)]).toEqual([200, null, 401])
})

const port = () => new URL(api()).port
test.each([
  ['no origin', () => ({})],
  ['the origin of a sandboxed frame', () => ({ origin: 'null' })],
  ['another host', () => ({ origin: 'https://evil.example' })],
  ['a host that begins alike', () => ({ origin: `${api()}.evil.example` })],
  ['another port', () => ({ origin: secondApi() })],
  ['another name of this machine', () => ({ origin: `http://localhost:${port()}` })],
  ['another scheme', () => ({ origin: `https://127.0.0.1:${port()}` })],
  ['two origins', () => ({ origin: `${api()} ${api()}` })],
  ['a page of another origin, as the browser says', () => ({ origin: api(), 'sec-fetch-site': 'same-site' })],
  ['a page of another site, as the browser says', () => ({ origin: api(), 'sec-fetch-site': 'cross-site' })],
  ['an address that a person typed, as the browser says', () => ({ origin: api(), 'sec-fetch-site': 'none' })],
])('A request from %s neither gets nor uses a cookie', async (_, foreign) => {
  const session = await signInByCookie()
  const cookie = cookieOf(session).pair
  const headers = { ...foreign(), cookie }
  for (const path of ['refresh', 'logout']) {
    const refused = await http('POST', `/v1/auth/${path}`, { headers })
    expect([path, refused.status, refused.body.code, refused.headers.get('set-cookie')]).toEqual([
      path,
      403,
      'foreign_origin',
      null,
    ])
  }
  const email = newEmail()
  const body = { challenge_id: await ask(email), code: await codeFor(email), cookie: true }
  const refused = await http('POST', '/v1/auth/verify', { body, headers })
  expect([refused.status, refused.body.code, refused.headers.get('set-cookie')]).toEqual([403, 'foreign_origin', null])
  // Nothing happened: the session goes on with this cookie, and the code opens another one.
  expect([await me(session), (await send('refresh', cookie)).status]).toEqual([200, 200])
  expect((await http('POST', '/v1/auth/verify', { body, headers: fromOwnPage() })).status).toBe(200)
})

test('On this machine a page may use any of its names, and says so by `Sec-Fetch-Site`', async () => {
  const local = `http://localhost:${port()}`
  const session = await signInByCookie(local, { origin: local, 'sec-fetch-site': 'same-origin' })
  expect(session.status).toBe(200)
  expect((await send('refresh', cookieOf(session).pair, local, { 'sec-fetch-site': 'same-origin' })).status).toBe(200)
})

test('Behind https the cookie is Secure, and taken from pages of the public address alone', async () => {
  const base = 'https://api.example'
  const behind = await apiWith({ PUBLIC_URL: `${base}/shop` })
  try {
    const session = await signInByCookie(behind.url, { origin: base, 'sec-fetch-site': 'same-origin' })
    const document = JSON.parse(fs.readFileSync(new URL('../../api/openapi.json', import.meta.url), 'utf8'))
    const { name, in: place } = document.components.securitySchemes.refreshCookie
    const { pair, value, attributes } = cookieOf(session)
    expect([pair, place]).toEqual([`${name}=${value}`, 'cookie'])
    expect(attributes).toBe('Path=/shop/v1/auth; Max-Age=604800; HttpOnly; SameSite=Strict; Secure')
    // Not even its own address, which is behind the proxy.
    for (const origin of [behind.url, `http://${new URL(base).host}`, 'https://other.example'])
      expect((await send('refresh', pair, behind.url, { origin })).status).toBe(403)
    expect((await send('refresh', pair, behind.url, { origin: base })).status).toBe(200)
  } finally {
    await behind.stop()
  }
})
