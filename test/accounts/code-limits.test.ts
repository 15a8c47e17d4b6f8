// Codes are limited per email address and per network across all processes; a refused request counts too.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type Process, processOf, script } from '../../dev/parts.ts'
import { newConfirmation } from '../kit/audiences.ts'
import { codeFor } from '../kit/codes.ts'
import { database, http, newEmail, newShop } from '../kit/shop.ts'

const processes: Process[] = []
const urls: string[] = []
const network = `198.51.100.${Math.floor(Math.random() * 250)}`

/** Servers with low limits behind a proxy, so that each test can have a network of its own. */
beforeAll(async () => {
  for (const name of ['limited-1', 'limited-2']) {
    const child = script('api/main.ts', [], {
      name,
      env: {
        ...process.env,
        PORT: '0',
        TRUSTED_PROXIES: '1',
        RATE_CODES_PER_EMAIL: '2',
        RATE_CODES_PER_IP: '6',
        RATE_CODES_WINDOW_S: '86400',
        LOG_LEVEL: 'info',
      },
    })
    processes.push(processOf(child))
    urls.push(`http://127.0.0.1:${/"port":(\d+)/.exec(await child.said(/"msg":"listening"/))?.[1]}`)
  }
})
afterAll(async () => {
  await Promise.all(processes.map((one) => one.stop()))
})

let turn = 0
const ask = (email: string, from: string) =>
  http('POST', '/v1/auth/code', { body: { email }, base: urls[turn++ % 2] as string, headers: { 'x-forwarded-for': from } })

test('The code limit of an email address holds across processes', async () => {
  const email = newEmail()
  const answers = await Promise.all(Array.from({ length: 6 }, (_, at) => ask(email, `203.0.113.${at}`)))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 429, 429, 429, 429])
  const refused = answers.find(({ status }) => status === 429)
  expect(refused?.body.code).toBe('too_many_requests')
  expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0)
  const { rows } = await database().query('select count(*) from challenges where email = $1', [email])
  expect(Number(rows[0].count)).toBe(2)
})

test('The code limit of a network holds, and refused requests count towards it', async () => {
  const email = newEmail()
  for (const expected of [200, 200, 429, 429]) expect((await ask(email, network)).status).toBe(expected)
  for (const expected of [200, 200, 429]) expect((await ask(newEmail(), network)).status).toBe(expected)
  expect((await ask(newEmail(), '203.0.113.99')).status).toBe(200)
})

test('Confirmations count as codes, and one beyond the limit leaves no pending member', async () => {
  const shop = await newShop()
  const email = newEmail()
  const statuses: number[] = []
  for (const [at, { id }] of [await newConfirmation(shop), await newConfirmation(shop), await newConfirmation(shop)].entries()) {
    const { headers } = await shop.visitor(email)
    const from = { 'x-forwarded-for': `203.0.113.${120 + at}` }
    const base = urls[turn++ % 2] as string
    statuses.push((await http('POST', `/v1/storefront/audiences/${id}/subscribe`, { body: {}, base, headers: { ...headers, ...from } })).status)
  }
  expect(statuses).toEqual([200, 200, 429])
  const { rows } = await database().query('select count(*)::int as n from audience_members where tenant_id = $1', [shop.store_id])
  expect(rows[0].n).toBe(2)
})

test('An address allows five guesses per code over all processes; the right code still works', async () => {
  const email = newEmail()
  const guess = (challenge_id: string, code: string) => http('POST', '/v1/auth/verify', { body: { challenge_id, code }, base: urls[turn++ % 2] as string })
  const own = (await ask(email, '203.0.113.101')).body.challenge_id as string
  const ownCode = await codeFor(email)
  const other = (await ask(email, '203.0.113.102')).body.challenge_id as string
  const otherCode = await codeFor(email, 2)
  const wrong = (n: number) =>
    Array.from({ length: 100 }, (_, at) => String(at).padStart(6, '0')).filter((one) => ![ownCode, otherCode].includes(one))[n] as string
  // One attempt is left for the owner's code.
  for (let n = 0; n < 4; n++) await guess(own, wrong(n))
  const answers = await Promise.all(Array.from({ length: 60 }, (_, n) => guess(other, wrong(n))))
  expect(answers.filter(({ body }) => body.code === 'code_expired')).toHaveLength(55)
  const { rows } = await database().query('select sum(tries) as tries, count(*) as codes from challenges where email = $1', [email])
  expect(rows[0]).toEqual({ tries: '9', codes: '2' })
  expect((await ask(email, '203.0.113.105')).status).toBe(429)
  expect((await guess(own, ownCode)).status).toBe(200)
})

test('A store’s visitors have the same code limits as operators, and a refusal stores nothing', async () => {
  const shop = await newShop()
  const email = newEmail()
  const code = (at: number) =>
    http('POST', '/v1/storefront/account/code', {
      body: { email },
      base: urls[0] as string,
      headers: { 'x-service-publishable-key': shop.publishable_key, 'x-forwarded-for': `192.0.2.${at}` },
    })
  for (const [at, expected] of [200, 200, 429, 429].entries()) expect((await code(at)).status).toBe(expected)
  const { rows } = await database().query('select count(*) from contacts where tenant_id = $1', [shop.store_id])
  expect(Number(rows[0].count)).toBe(2)
})
