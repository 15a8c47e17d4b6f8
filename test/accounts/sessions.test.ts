// A session lasts while one client rotates its tokens; a reused token revokes it everywhere at once.
import { createHash } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { bearer, type Session, signIn } from '../kit/codes.ts'
import { database, eitherApi, http, operator, secondApi } from '../kit/shop.ts'

const refresh = (refresh_token: string, base?: string) =>
  http('POST', '/v1/auth/refresh', { body: { refresh_token }, base })
const me = (session: Pick<Session, 'access_token'>) =>
  http('GET', '/v1/accounts/me', { headers: bearer(session), base: secondApi() })
/** Moves the last rotation so many seconds into the past. */
const age = (id: string, seconds: number) =>
  database().query('update account_sessions set rotated_at = rotated_at - make_interval(secs => $2) where id = $1', [
    id,
    seconds,
  ])

test('A refresh returns a new token pair and invalidates the previous one', async () => {
  const first = await signIn()
  const second = await refresh(first.refresh_token)
  expect(second.status).toBe(200)
  expect(second.body).toMatchObject({ id: first.id, created_at: first.created_at, is_verified: true })
  expect(second.body.access_token).not.toBe(first.access_token)
  expect((await me(first)).status).toBe(401)
  expect((await me(second.body)).status).toBe(200)
  expect((await refresh(second.body.refresh_token)).status).toBe(200)
})

test('Twenty concurrent refreshes with one token on two servers return the same pair', async () => {
  const { refresh_token } = await signIn()
  const answers = await Promise.all(Array.from({ length: 20 }, () => refresh(refresh_token, eitherApi())))
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200))
  expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1)
  expect((await me(answers[0]?.body)).status).toBe(200)
})

test('A refresh token that is reused after ten seconds revokes the whole session', async () => {
  const first = await signIn()
  const second = (await refresh(first.refresh_token)).body
  await age(first.id, 8)
  expect((await refresh(first.refresh_token)).body).toEqual(second)
  await age(first.id, 4)
  const reused = await refresh(first.refresh_token)
  expect([reused.status, reused.body.code]).toEqual([401, 'refresh_reused'])
  expect(reused.headers.get('www-authenticate')).toBe('Bearer')
  expect((await me(second)).status).toBe(401)
  expect((await refresh(second.refresh_token)).status).toBe(401)
})

test('A refresh token of any earlier rotation is recognised as reused', async () => {
  const first = await signIn()
  const second = (await refresh(first.refresh_token)).body
  const third = (await refresh(second.refresh_token)).body
  expect((await refresh(first.refresh_token)).body.code).toBe('refresh_reused')
  expect((await me(third)).status).toBe(401)
})

test('A refresh token that was never issued is refused and revokes no session', async () => {
  const session = await signIn()
  const [random = '', id = '', generation = '', mac = ''] = session.refresh_token.split('.')
  const made = `till_rt_${'a'.repeat(43)}`
  const later = (await refresh(session.refresh_token)).body
  await age(session.id, 60)
  const forged = [
    ...['x', 'till_rt_', session.access_token, session.refresh_token.slice(0, -1), made],
    // The id of the session alone, as version 0.2.0 took it; another random part, rotation or session with the MAC of a
    // genuine token.
    ...[`${made}.${id}`, `${made}.${id}.${generation}`, `${made}.${id}.${generation}.${mac}`, `${random}.${id}`],
    ...[
      `${random}.${id}.7.${mac}`,
      `${random}.${'0'.repeat(32)}.${generation}.${mac}`,
      `${random}.${id}.${generation}.${'A'.repeat(22)}`,
    ],
  ]
  for (const token of forged) {
    const refused = await refresh(token)
    expect([refused.status, refused.body.code]).toEqual([401, 'unauthorized'])
  }
  expect((await me(later)).status).toBe(200)
  expect((await refresh(session.refresh_token)).body.code).toBe('refresh_reused')
})

test('A refresh token of version 0.2.0 is exchanged once, and its reuse revokes the session', async () => {
  const session = await signIn()
  const old = `till_rt_${'b'.repeat(43)}.${session.id.replaceAll('-', '')}`
  await database().query('update account_sessions set refresh_digest = $2 where id = $1', [
    session.id,
    createHash('sha256').update(old).digest('hex'),
  ])
  const next = await refresh(old)
  expect(next.status).toBe(200)
  expect((await refresh(old)).body).toEqual(next.body)
  await age(session.id, 60)
  expect((await refresh(old)).body.code).toBe('refresh_reused')
  expect((await me(next.body)).status).toBe(401)
})

test('A refresh token outlasts the key under which it was made', async () => {
  const session = await signIn()
  const old = `till_rt_${'c'.repeat(43)}.${session.id.replaceAll('-', '')}.0.${'A'.repeat(22)}`
  await database().query('update account_sessions set refresh_digest = $2 where id = $1', [
    session.id,
    createHash('sha256').update(old).digest('hex'),
  ])
  const next = await refresh(old)
  expect(next.status).toBe(200)
  await age(session.id, 60)
  expect((await refresh(old)).body.code).toBe('refresh_reused')
})

test('A session ends ninety days after its sign-in, however often it is refreshed', async () => {
  const session = await signIn()
  const now = Math.floor(Date.now() / 1000)
  const signedIn = (daysAgo: number) =>
    database().query('update account_sessions set created_at = $2 where id = $1', [session.id, now - daysAgo * 86_400])
  await signedIn(88)
  const next = (await refresh(session.refresh_token)).body
  expect([next.refresh_expires_at, next.access_expires_at - now < 3_700]).toEqual([now + 2 * 86_400, true])
  await signedIn(91)
  expect((await refresh(next.refresh_token)).body.code).toBe('unauthorized')
})

test('An access token lasts one hour and a refresh token seven days', async () => {
  const session = await signIn()
  const now = Math.floor(Date.now() / 1000)
  await database().query('update account_sessions set access_expires_at = $2 where id = $1', [session.id, now])
  expect((await me(session)).status).toBe(401)
  const next = (await refresh(session.refresh_token)).body
  expect((await me(next)).status).toBe(200)
  await database().query('update account_sessions set refresh_expires_at = $2 where id = $1', [session.id, now])
  expect((await refresh(next.refresh_token)).status).toBe(401)
  const listed = await http('GET', '/v1/accounts/me/sessions', { headers: bearer(next) })
  expect(listed.body.items).toEqual([
    { id: session.id, status: 'expired', refresh_expires_at: now, created_at: session.created_at },
  ])
})

test('A session can be ended from another of the same operator, but not by a stranger', async () => {
  const email = (await operator()).email
  const [lost, own] = [await signIn(email), await signIn(email, 2)]
  const stranger = await operator()
  const path = `/v1/accounts/me/sessions/${lost.id}`
  expect((await http('DELETE', path, { headers: stranger.headers })).status).toBe(404)
  expect((await me(lost)).status).toBe(200)
  for (let times = 0; times < 2; times++)
    expect((await http('DELETE', path, { headers: bearer(own) })).body).toEqual({ success: true })
  expect((await me(lost)).status).toBe(401)
  expect((await refresh(lost.refresh_token)).status).toBe(401)
  const listed = await http('GET', '/v1/accounts/me/sessions', { headers: bearer(own) })
  expect(listed.body.items.map(({ status }: { status: string }) => status)).toEqual(['active', 'revoked'])
})
