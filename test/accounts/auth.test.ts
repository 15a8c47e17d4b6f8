// The code of the email signs in; guessing does not, however often and on however many servers.
import { expect, test } from '@jest/globals'
import { networkOf, siteOf } from '../../api/limits/networks.ts'
import { newId } from '../../entities/kit/ids.ts'
import { another, bearer, codeFor, mailTo, signIn } from '../kit/codes.ts'
import { api, database, eitherApi, http, newEmail, newShop, operator, secondApi } from '../kit/shop.ts'

const ask = async (email: string, path = '/v1/auth/code') =>
  (await http('POST', path, { body: { email } })).body.challenge_id as string
const verify = (challenge_id: string, code: string, base?: string, path = '/v1/auth/verify') =>
  http('POST', path, { body: { challenge_id, code }, base })

test('The emailed code signs in, and an unknown address becomes an account', async () => {
  const email = newEmail('Newcomer')
  const challenge = await ask(` ${email.toUpperCase()} `)
  const mail = await mailTo(email)
  const code = /^\d{6}/.exec(mail.text)?.[0] as string
  expect(mail.subject).toContain(code)
  expect(mail.html).toContain(code)
  const session = await verify(challenge, ` ${code.slice(0, 3)} ${code.slice(3)}`)
  expect(session.status).toBe(200)
  expect(session.body).toEqual({
    id: expect.any(String),
    access_token: expect.stringMatching(/^till_at_[\w-]{43}$/),
    refresh_token: expect.stringMatching(/^till_rt_/),
    access_expires_at: session.body.created_at + 3600,
    refresh_expires_at: session.body.created_at + 7 * 24 * 3600,
    created_at: expect.any(Number),
    is_verified: true,
  })
  const me = await http('GET', '/v1/accounts/me', { headers: bearer(session.body), base: secondApi() })
  expect(me.body).toMatchObject({
    email: email.toLowerCase(),
    lifecycle: { last_login_at: session.body.created_at, onboarding_completed: false },
  })
})

test('A known and an unknown address get the same response', async () => {
  const { email } = await operator()
  const [known, unknown] = await Promise.all(
    [email, newEmail()].map((one) => http('POST', '/v1/auth/code', { body: { email: one } })),
  )
  expect([known?.status, unknown?.status]).toEqual([200, 200])
  expect(Object.keys(known?.body)).toEqual(Object.keys(unknown?.body))
})

test('Twenty concurrent verifications of one code on two servers open one session', async () => {
  const email = newEmail()
  const challenge = await ask(email)
  const code = await codeFor(email)
  const answers = await Promise.all(Array.from({ length: 20 }, () => verify(challenge, code, eitherApi())))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  for (const { status, body } of answers.filter((one) => one.status !== 200))
    expect([status, body.code]).toEqual([422, 'code_expired'])
  const { rows } = await database().query(
    'select count(*) from account_sessions s join accounts a on a.id = s.account_id where a.email = $1',
    [email],
  )
  expect(Number(rows[0].count)).toBe(1)
})

test('Each sign-in opens a session of its own', async () => {
  const email = newEmail()
  const first = await signIn(email)
  const second = await signIn(email, 2)
  expect(second.id).not.toBe(first.id)
  const listed = await http('GET', '/v1/accounts/me/sessions', { headers: bearer(second) })
  expect(listed.body.items.map(({ id, status }: { id: string; status: string }) => [id, status])).toEqual([
    [second.id, 'active'],
    [first.id, 'active'],
  ])
})

test('Forty concurrent guesses on two servers count as five tries', async () => {
  const email = newEmail()
  const challenge = await ask(email)
  const code = await codeFor(email)
  const wrong = Array.from({ length: 40 }, () => another(code))
  const answers = await Promise.all(wrong.map((guess) => verify(challenge, guess, eitherApi())))
  expect(answers.filter(({ body }) => body.code === 'code_invalid')).toHaveLength(5)
  expect(answers.filter(({ body }) => body.code === 'code_expired')).toHaveLength(35)
  expect((await verify(challenge, code)).body.code).toBe('code_expired')
})

test('A wrong code returns the tries left, and the right one works before the last is used', async () => {
  const email = newEmail()
  const challenge = await ask(email)
  const code = await codeFor(email)
  for (const left of [4, 3, 2, 1]) {
    const refused = await verify(challenge, another(code), eitherApi())
    expect([refused.status, refused.body.code, refused.body.tries_left, refused.body.errors[0].pointer]).toEqual([
      422,
      'code_invalid',
      left,
      '/code',
    ])
  }
  expect((await verify(challenge, code)).status).toBe(200)
})

test('Wrong codes count per address, and a new code of any flow does not reset the count', async () => {
  const shop = await newShop()
  const email = newEmail()
  const first = await ask(email)
  const code = await codeFor(email)
  for (let tries = 0; tries < 3; tries++) await verify(first, another(code))
  const path = `/v1/stores/${shop.store_id}/auth`
  const second = await ask(email, `${path}/code`)
  const newer = await codeFor(email, 2)
  for (let tries = 0; tries < 2; tries++)
    expect((await verify(second, another(newer), undefined, `${path}/verify`)).body.code).toBe('code_invalid')
  const refused = await verify(second, another(newer), undefined, `${path}/verify`)
  expect([refused.status, refused.body.code]).toEqual([429, 'too_many_requests'])
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  const third = await ask(email)
  expect((await verify(third, another(await codeFor(email, 3)), secondApi())).status).toBe(429)
})

test.each([
  ['an operator', async () => newEmail()],
  ['a platform administrator', async () => String(process.env.SUPER_EMAIL?.split(',')[0])],
])('The right code of %s signs in, however many wrong ones a stranger tried', async (_, address) => {
  const email = await address()
  const before = ((await (await fetch(`${process.env.TEST_MAIL}/messages?to=${email}`)).json()) as unknown[]).length
  const own = await ask(email)
  const code = await codeFor(email, before + 1)
  for (const round of [2, 3]) {
    const strangers = await ask(email)
    const theirs = await codeFor(email, before + round)
    for (let tries = 0; tries < 5; tries++)
      expect([422, 429]).toContain((await verify(strangers, another(theirs), eitherApi())).status)
  }
  expect((await verify(own, another(code))).status).toBe(429)
  expect((await verify(own, code, secondApi())).status).toBe(200)
})

test('Wrong codes are forgotten when the owner of the address signs in', async () => {
  const email = newEmail()
  for (const round of [1, 2, 3]) {
    const challenge = await ask(email)
    const code = await codeFor(email, round)
    for (let tries = 0; tries < 3; tries++) await verify(challenge, another(code))
    expect((await verify(challenge, code)).status).toBe(200)
  }
})

test('A code is valid for ten minutes', async () => {
  const email = newEmail()
  const challenge = await ask(email)
  const code = await codeFor(email)
  const { rows } = await database().query('select expires_at - created_at as life from challenges where id = $1', [
    challenge,
  ])
  expect(Number(rows[0].life)).toBe(600)
  await database().query('update challenges set expires_at = $2 where id = $1', [
    challenge,
    Math.floor(Date.now() / 1000),
  ])
  expect((await verify(challenge, code)).body.code).toBe('code_expired')
})

test('A code works only where it was requested, and a store sign-in grants no membership', async () => {
  const [shop, other] = [await newShop(), await newShop()]
  const email = newEmail()
  const challenge = await ask(email, `/v1/stores/${shop.store_id}/auth/code`)
  const mail = await mailTo(email)
  expect(mail.subject).toContain(shop.store.key)
  const code = /\d{6}/.exec(mail.text)?.[0] as string
  expect((await verify(challenge, code)).body.code).toBe('code_expired')
  expect((await verify(challenge, code, undefined, `/v1/stores/${other.store_id}/auth/verify`)).body.code).toBe(
    'code_expired',
  )
  const visitor = await shop.visitor()
  expect((await visitor.call('POST', '/account/verify', { challenge_id: challenge, code })).body.code).toBe(
    'code_expired',
  )
  const session = await verify(challenge, code, undefined, `/v1/stores/${shop.store_id}/auth/verify`)
  expect(session.status).toBe(200)
  expect((await http('GET', `/v1/stores/${shop.store_id}`, { headers: bearer(session.body) })).status).toBe(404)
  expect((await http('GET', '/v1/stores', { headers: bearer(session.body) })).status).toBe(403)
})

test('A code of a store opens that store alone, and a refresh keeps that scope', async () => {
  const [mine, other] = [await newShop(), await newShop()]
  const { email, account_id, headers } = mine.op
  await database().query(
    "insert into team_members (id, created_at, updated_at, tenant_id, account_id, role) values (gen_random_uuid(), 1, 1, $1, $2, 'owner')",
    [other.store_id, account_id],
  )
  const path = `/v1/stores/${other.store_id}/auth`
  const opened = await verify(await ask(email, `${path}/code`), await codeFor(email), undefined, `${path}/verify`)
  const renewed = (await http('POST', '/v1/auth/refresh', { body: { refresh_token: opened.body.refresh_token } })).body
  const as = (method: 'GET' | 'POST' | 'DELETE', at: string, body?: unknown) =>
    http(method, at, { headers: bearer(renewed), body, base: eitherApi() })
  expect((await as('GET', `/v1/stores/${other.store_id}/orders`)).status).toBe(200)
  expect((await as('GET', '/v1/accounts/me')).body.email).toBe(email)
  for (const at of ['', '/orders', '/members'])
    expect((await as('GET', `/v1/stores/${mine.store_id}${at}`)).status).toBe(404)
  const minted = await as('POST', '/v1/accounts/me/api-tokens', { name: 'a way out' })
  expect([minted.status, minted.body.code, minted.body.value]).toEqual([403, 'session_limited_to_store', undefined])
  const whole = await signIn(email, 2)
  expect((await as('DELETE', `/v1/accounts/me/sessions/${whole.id}`)).status).toBe(404)
  expect((await http('GET', '/v1/stores', { headers: bearer(whole) })).body.items).toHaveLength(2)
  expect(
    (await http('GET', '/v1/accounts/me/sessions', { headers })).body.items.map(({ id }: { id: string }) => id),
  ).toEqual([whole.id, renewed.id])
  expect((await as('DELETE', `/v1/accounts/me/sessions/${renewed.id}`)).status).toBe(200)
  expect((await as('GET', '/v1/accounts/me')).status).toBe(401)
})

test('An unknown challenge or store is refused without saying why', async () => {
  expect((await verify(newId(), '123456')).body.code).toBe('code_expired')
  expect((await http('POST', `/v1/stores/${newId()}/auth/code`, { body: { email: newEmail() } })).status).toBe(404)
  expect(
    (await http('POST', '/v1/auth/verify', { body: { challenge_id: 'x', code: '12345' } })).body.errors,
  ).toHaveLength(2)
  expect((await http('POST', '/v1/auth/code', { body: { email: 'not an address' } })).status).toBe(422)
})

test('One request sends one email, and no table holds the code or a token in clear text', async () => {
  const email = newEmail()
  const challenge = await ask(email)
  const code = await codeFor(email)
  const session = (await verify(challenge, code)).body
  const ledger = (await (await fetch(`${process.env.TEST_MAIL}/ledger`)).json()) as { to: string[] }[]
  expect(ledger.filter(({ to }) => to.includes(email))).toHaveLength(1)
  const { rows } = await database().query(
    `select row_to_json(c)::text as text from challenges c where id = $1 union all select row_to_json(s)::text from account_sessions s where id = $2
     union all select row_to_json(m)::text from mails m where created_at >= $3`,
    [challenge, session.id, session.created_at - 60],
  )
  expect(rows.length).toBeGreaterThanOrEqual(3)
  for (const { text } of rows) {
    expect(text).not.toContain(session.access_token)
    expect(text).not.toContain(session.refresh_token)
    expect(text).not.toContain(`"${code}"`)
    expect(text).not.toMatch(/your code/)
  }
})

test('An IPv6 address counts as its /64 network, an IPv4 address as itself in every notation', () => {
  expect(networkOf('2001:db8:1:2:aaaa::1')).toBe(networkOf('2001:0db8:0001:0002::ffff'))
  expect(networkOf('2001:db8:1:2::1')).not.toBe(networkOf('2001:db8:1:3::1'))
  expect(networkOf('::1')).toBe('0:0:0:0')
  expect(networkOf('::ffff:192.0.2.7')).toBe('192.0.2.7')
  expect(networkOf('192.0.2.7')).toBe('192.0.2.7')
  // As gateways write it: with a port, in brackets, with a zone, or an IPv4 address in hexadecimal digits.
  for (const text of ['192.0.2.7:5678', '::ffff:c000:207', '[::ffff:192.0.2.7]:5678'])
    expect(networkOf(text)).toBe('192.0.2.7')
  for (const text of ['[2001:db8:1:2::1]:5678', '[2001:db8:1:2::7]', '2001:db8:1:2::1%eth0', '2001:db8:1:2::192.0.2.7'])
    expect(networkOf(text)).toBe('2001:db8:1:2')
  expect(siteOf('2001:db8:1:2::1')).toBe(siteOf('2001:db8:1:3::1'))
  expect(api()).not.toBe(secondApi())
})
