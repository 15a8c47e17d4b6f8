// Codes and other mails that strangers direct are limited per address, network, account and tenant across all
// processes, and no stranger keeps an operator from signing in.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type Process, processOf, script } from '../../dev/parts.ts'
import { newConfirmation } from '../kit/audiences/audiences.ts'
import { codeFor } from '../kit/codes.ts'
import {
  type Answer,
  database,
  http,
  newEmail,
  newShop,
  type Operator,
  operator,
  type Shop,
  unique,
} from '../kit/shop.ts'

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
        RATE_CODES_PER_TENANT: '30',
        RATE_MAILS_PER_EMAIL: '5',
        RATE_MAILS_PER_TENANT: '3',
        RATE_MAILS_PER_ACCOUNT: '4',
        RATE_TENANTS_PER_ACCOUNT: '2',
        RATE_MEMBERS_PER_ACCOUNT: '2',
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
  http('POST', '/v1/auth/code', {
    body: { email },
    base: urls[turn++ % 2] as string,
    headers: { 'x-forwarded-for': from },
  })

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

test('Confirmations have a limit per address, and one beyond it leaves no pending member', async () => {
  const shop = await newShop()
  const email = newEmail()
  const statuses: number[] = []
  for (const [at, { id }] of [
    await newConfirmation(shop),
    await newConfirmation(shop),
    await newConfirmation(shop),
  ].entries()) {
    const { headers } = await shop.visitor(email)
    const from = { 'x-forwarded-for': `203.0.113.${120 + at}` }
    const base = urls[turn++ % 2] as string
    statuses.push(
      (
        await http('POST', `/v1/storefront/audiences/${id}/subscribe`, {
          body: {},
          base,
          headers: { ...headers, ...from },
        })
      ).status,
    )
  }
  expect(statuses).toEqual([200, 200, 429])
  const { rows } = await database().query('select count(*)::int as n from audience_members where tenant_id = $1', [
    shop.store_id,
  ])
  expect(rows[0].n).toBe(2)
})

test('An address allows five guesses per code over all processes; the right code still works', async () => {
  const email = newEmail()
  const guess = (challenge_id: string, code: string) =>
    http('POST', '/v1/auth/verify', { body: { challenge_id, code }, base: urls[turn++ % 2] as string })
  const own = (await ask(email, '203.0.113.101')).body.challenge_id as string
  const ownCode = await codeFor(email)
  const other = (await ask(email, '203.0.113.102')).body.challenge_id as string
  const otherCode = await codeFor(email, 2)
  const wrong = (n: number) =>
    Array.from({ length: 100 }, (_, at) => String(at).padStart(6, '0')).filter(
      (one) => ![ownCode, otherCode].includes(one),
    )[n] as string
  // One attempt is left for the owner's code.
  for (let n = 0; n < 4; n++) await guess(own, wrong(n))
  const answers = await Promise.all(Array.from({ length: 60 }, (_, n) => guess(other, wrong(n))))
  expect(answers.filter(({ body }) => body.code === 'code_expired')).toHaveLength(55)
  const { rows } = await database().query(
    'select sum(tries) as tries, count(*) as codes from challenges where email = $1',
    [email],
  )
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

let host = 0
/** A network that no other test uses. */
const elsewhere = () => `10.77.${Math.floor(++host / 250)}.${host % 250}`
const visitorCode = (shop: Shop, email: string, from = elsewhere()) =>
  http('POST', '/v1/storefront/account/code', {
    body: { email },
    base: urls[turn++ % 2] as string,
    headers: { 'x-service-publishable-key': shop.publishable_key, 'x-forwarded-for': from },
  })
const statuses = async (times: number, call: (n: number) => Promise<Answer>): Promise<number[]> => {
  const all: number[] = []
  for (let n = 0; n < times; n++) all.push((await call(n)).status)
  return all
}

test('Codes of visitors, confirmations and invitations use up no code of an operator', async () => {
  const email = newEmail('owner')
  const shops = [await newShop(), await newShop(), await newShop(), await newShop()]
  for (const shop of shops) await visitorCode(shop, email)
  expect(await statuses(4, () => visitorCode(shops[0] as Shop, email))).toEqual([200, 429, 429, 429])
  // Five mails to one address over all stores.
  expect((await visitorCode(shops[1] as Shop, email)).status).toBe(429)
  expect(await statuses(3, () => ask(email, elsewhere()))).toEqual([200, 200, 429])
})

test('Strangers do not use up the codes of a network from which an address has signed in', async () => {
  const email = newEmail('owner')
  const home = elsewhere()
  const { challenge_id } = (await ask(email, home)).body
  const body = { challenge_id, code: await codeFor(email) }
  expect(
    (await http('POST', '/v1/auth/verify', { body, base: urls[0] as string, headers: { 'x-forwarded-for': home } }))
      .status,
  ).toBe(200)
  // Strangers use up the rest, through the installation and through a store.
  const shop = await newShop()
  const throughStore = () =>
    http('POST', `/v1/stores/${shop.store_id}/auth/code`, {
      body: { email },
      base: urls[1] as string,
      headers: { 'x-forwarded-for': elsewhere() },
    })
  expect(await statuses(3, throughStore)).toEqual([200, 429, 429])
  expect((await ask(email, elsewhere())).status).toBe(429)
  // Guesses stay bounded: the allowance is as large as that of all other networks together.
  expect(await statuses(3, () => ask(email, home))).toEqual([200, 200, 429])
  expect((await ask(newEmail(), home)).status).toBe(200)
})

test('A visitor who has signed in before has an allowance at the network, too', async () => {
  const shop = await newShop()
  const email = newEmail('visitor')
  const home = elsewhere()
  const asked = await visitorCode(shop, email, home)
  const headers = {
    'x-service-publishable-key': shop.publishable_key,
    'x-service-visitor-token': asked.headers.get('x-service-visitor-token') as string,
    'x-forwarded-for': home,
  }
  const body = { challenge_id: asked.body.challenge_id, code: await codeFor(email) }
  expect((await http('POST', '/v1/storefront/account/verify', { body, base: urls[0] as string, headers })).status).toBe(
    200,
  )
  expect(await statuses(3, () => visitorCode(shop, email))).toEqual([200, 429, 429])
  expect(await statuses(3, () => visitorCode(shop, email, home))).toEqual([200, 200, 429])
  // In another store the address is a stranger's, and one of five mails is left to it.
  const other = await newShop()
  expect(await statuses(2, () => visitorCode(other, email, home))).toEqual([200, 429])
})

const signIn = async (email: string, home: string) => {
  const { challenge_id } = (await ask(email, home)).body
  const body = { challenge_id, code: await codeFor(email) }
  return (
    await http('POST', '/v1/auth/verify', { body, base: urls[0] as string, headers: { 'x-forwarded-for': home } })
  ).status
}

test('Strangers of a network do not use up the codes of an address that has signed in there', async () => {
  const [email, home] = [newEmail('owner'), elsewhere()]
  expect(await signIn(email, home)).toBe(200)
  expect(await statuses(6, () => ask(newEmail(), home))).toEqual([200, 200, 200, 200, 200, 429])
  expect((await ask(email, home)).status).toBe(200)
})

test('Codes of a store’s visitors stop neither its operators nor other stores of its account', async () => {
  const shop = await newShop()
  const body = { key: `shop-${unique()}`, timezone: 'UTC', emails: { billing: shop.op.email, support: null } }
  const { publishable_key } = (await http('POST', '/v1/stores', { body, headers: shop.op.headers })).body
  // As if they had used up all codes of the store, which count for the account as well.
  for (const key of [`codes:tenant:${shop.store_id}`, `codes:account:${shop.op.account_id}`])
    await database().query(
      `insert into rate_windows (key, started_at, count, expires_at)
       select $1, n - n % 86400, 30, n + 86400
       from (select extract(epoch from now())::bigint) x(n)
       on conflict (key, started_at) do update set count = 30`,
      [key],
    )
  expect((await visitorCode(shop, newEmail())).status).toBe(429)
  const throughStore = () =>
    http('POST', `/v1/stores/${shop.store_id}/auth/code`, {
      body: { email: newEmail() },
      base: urls[1] as string,
      headers: { 'x-forwarded-for': elsewhere() },
    })
  expect((await throughStore()).status).toBe(200)
  expect((await visitorCode({ ...shop, publishable_key }, newEmail())).status).toBe(200)
})

test('The networks of one IPv6 /48 send ten times as much as one, together', async () => {
  const site = `2001:db8:${unique().slice(0, 4)}`
  const all = await statuses(63, (n) => ask(newEmail(), `${site}:${n}::1`))
  expect([all.slice(0, 60).every((status) => status === 200), all.slice(60)]).toEqual([true, [429, 429, 429]])
})

test('The addresses of one IPv6 network count together', async () => {
  const from = (n: number) => `2001:db8:77:${unique().slice(0, 4)}::${n}`
  const one = from(1).replace(/::1$/, '')
  expect(await statuses(7, (n) => ask(newEmail(), `${one}:${n}:a:b:c`))).toEqual([200, 200, 200, 200, 200, 200, 429])
})

/** A business whose operator may invite. */
async function businessOf(op: Operator, name?: string): Promise<string> {
  const body = {
    key: `salon-${unique()}`,
    timezone: 'UTC',
    billingEmail: op.email,
    settings: name === undefined ? {} : { name },
  }
  return (await http('POST', '/v1/businesses', { body, headers: op.headers })).body.id
}
const invite = (op: Operator, business: string, email: string, from = elsewhere()) =>
  http('POST', `/v1/businesses/${business}/invitation`, {
    body: { email },
    base: urls[turn++ % 2] as string,
    headers: { ...op.headers, 'x-forwarded-for': from },
  })

test('Invitations are counted by recipient, network, account and business', async () => {
  const op = await operator()
  const victim = newEmail('victim')
  const businesses = [await businessOf(op), await businessOf(op), await businessOf(op)]
  expect(await statuses(3, (n) => invite(op, businesses[n] as string, victim))).toEqual([201, 201, 429])
  const { rows } = await database().query('select count(*)::int as n from invitations where email = $1', [victim])
  expect(rows).toEqual([{ n: 2 }])
  // Four mails of an account in a day; three of a business.
  expect(await statuses(3, () => invite(op, businesses[2] as string, newEmail()))).toEqual([201, 201, 429])
  const another = await operator()
  const one = await businessOf(another)
  expect(await statuses(4, () => invite(another, one, newEmail()))).toEqual([201, 201, 201, 429])
  const from = elsewhere()
  const all = [await operator(), await operator(), await operator()]
  const theirs = await Promise.all(all.map((op) => businessOf(op)))
  expect(await statuses(7, (n) => invite(all[n % 3] as Operator, theirs[n % 3] as string, newEmail(), from))).toEqual([
    201, 201, 201, 201, 201, 201, 429,
  ])
})

test('Confirmations through the sender of the installation are counted by store and account', async () => {
  const shop = await newShop()
  const { id } = await newConfirmation(shop)
  // The account is the one that created the store, also when it has left.
  await database().query('delete from team_members where tenant_id = $1', [shop.store_id])
  const subscribe = async () => {
    const { headers } = await shop.visitor(newEmail())
    const from = { 'x-forwarded-for': elsewhere() }
    return http('POST', `/v1/storefront/audiences/${id}/subscribe`, {
      body: {},
      base: urls[turn++ % 2] as string,
      headers: { ...headers, ...from },
    })
  }
  expect(await statuses(4, subscribe)).toEqual([200, 200, 200, 429])
  const { rows } = await database().query(
    `select count from rate_windows where key = 'mails:account:' || (select created_by from tenants where id = $1) and count > 0`,
    [shop.store_id],
  )
  expect(rows).toEqual([{ count: 4 }])
})

test('Codes of one store are counted, and visitors who signed in before get theirs beyond it', async () => {
  const shop = await newShop()
  const [email, home] = [newEmail('visitor'), elsewhere()]
  const { headers } = await shop.visitor()
  const first = await http('POST', '/v1/storefront/account/code', {
    body: { email },
    base: urls[0] as string,
    headers: { ...headers, 'x-forwarded-for': home },
  })
  const body = { challenge_id: first.body.challenge_id, code: await codeFor(email) }
  await http('POST', '/v1/storefront/account/verify', {
    body,
    base: urls[0] as string,
    headers: { ...headers, 'x-forwarded-for': home },
  })
  expect((await statuses(30, () => visitorCode(shop, newEmail()))).filter((status) => status === 429)).toHaveLength(1)
  expect((await visitorCode(shop, email, home)).status).toBe(200)
})

test('An account creates a limited number of stores and businesses in a day', async () => {
  const op = await operator()
  const make = (n: number) => {
    const body = {
      key: `shop-${unique()}`,
      timezone: 'UTC',
      ...(n % 2 ? { billingEmail: op.email } : { emails: { billing: op.email, support: null } }),
    }
    return http('POST', n % 2 ? '/v1/businesses' : '/v1/stores', {
      body,
      headers: op.headers,
      base: urls[n % 2] as string,
    })
  }
  expect(await statuses(4, make)).toEqual([201, 201, 429, 429])
  // Nor does another account of the same address.
  await database().query("update accounts set email = 'gone-' || email where id = $1", [op.account_id])
  const next = await operator(op.email)
  const body = { key: `shop-${unique()}`, timezone: 'UTC', emails: { billing: op.email, support: null } }
  expect((await http('POST', '/v1/stores', { body, headers: next.headers, base: urls[0] as string })).status).toBe(429)
})

test('An account adds a limited number of members in a day over all its stores', async () => {
  const [one, another] = [await newShop(), await newShop()]
  await another.asOperator('POST', '/members', { email: one.op.email, role: 'owner' })
  const add = (shop: Shop, email = newEmail()) =>
    http('POST', `/v1/stores/${shop.store_id}/members`, {
      body: { email },
      headers: one.op.headers,
      base: urls[turn++ % 2] as string,
    })
  const known = newEmail()
  expect(await statuses(4, (n) => add(n % 2 ? another : one, n === 0 ? known : newEmail()))).toEqual([
    201, 201, 429, 429,
  ])
  // A change of a role adds no member.
  expect((await add(one, known)).status).toBe(200)
})
