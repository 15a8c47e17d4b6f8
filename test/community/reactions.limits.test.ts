// Content and new visitors are limited over all processes, and the answer says when to come back. An address limits,
// and never counts as a person.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { apiWith } from '../kit/orders/buying.ts'
import { type Forum, newForum, said } from '../kit/reactions.ts'
import { type Answer, database, http, newShop, unique } from '../kit/shop.ts'

let forum: Forum
let processes: { url: string; stop(): Promise<void> }[]
let turn = 0
/** Servers behind a proxy, so that each test has networks of its own. */
const from = (ip: string) => ({ base: processes[turn++ % 2]?.url, headers: { 'x-forwarded-for': ip } })
const network = Math.floor(Math.random() * 200)
const ip = (n: number) => `198.51.${network}.${n}`

beforeAll(async () => {
  const low = {
    TRUSTED_PROXIES: '1',
    RATE_REACTION_CONTENT_PER_CONTACT: '3',
    RATE_REACTION_CONTENT_PER_IP: '5',
    RATE_REACTION_VISITORS_PER_IP: '4',
    RATE_VISITORS_PER_IP: '6',
  }
  ;[forum, processes] = await Promise.all([newForum(), Promise.all([apiWith(low), apiWith(low)])])
}, 60_000)
afterAll(async () => {
  await Promise.all(processes.map((one) => one.stop()))
  await database().end()
})

/** A window ends within this time, and begins again: a test that meets its end meets two of them. */
const tellsWhen = ({ status, body, headers }: Answer, seconds: number) => {
  const after = Number(headers.get('retry-after'))
  expect([status, body.code, after >= 1 && after <= seconds]).toEqual([429, 'too_many_requests', true])
}
const statuses = (answers: Answer[]) => answers.map(({ status }) => status)

test('Content of a person is limited over all processes and addresses, and marks are not', async () => {
  const [ann, target] = [await forum.person(), await forum.product()]
  const comment = (n: number) => forum.react(ann, target, 'comment', said(`Comment ${unique()}`), from(ip(n)))
  const answers: Answer[] = []
  // Two windows, if one ends meanwhile.
  for (let n = 0; n < 7; n++) answers.push(await comment(n))
  const refusals = answers.filter(({ status }) => status === 429)
  expect(statuses(answers).slice(0, 3)).toEqual([201, 201, 201])
  expect(refusals.length).toBeGreaterThan(0)
  for (const one of refusals) tellsWhen(one, 600)
  for (const kind of ['like', 'love', 'star_4'])
    expect((await forum.react(ann, target, kind, {}, from(ip(1)))).status).toBe(201)
})

test('Content of one address is limited, and that of another is not', async () => {
  const target = await forum.product()
  const answers: Answer[] = []
  for (let n = 0; n < 11; n++)
    answers.push(await forum.react(await forum.person(), target, 'comment', said('Hello'), from(ip(20))))
  const refusals = answers.filter(({ status }) => status === 429)
  expect(statuses(answers).slice(0, 5)).toEqual([201, 201, 201, 201, 201])
  expect(refusals.length).toBeGreaterThan(0)
  for (const one of refusals) tellsWhen(one, 3_600)
  expect((await forum.react(await forum.person(), target, 'comment', said('Hello'), from(ip(21)))).status).toBe(201)
})

test('Visitors whom reactions create are limited by address, and those with a token go on', async () => {
  const [ann, target] = [await forum.person(), await forum.product()]
  const answers: Answer[] = []
  for (let n = 0; n < 9; n++) answers.push(await forum.react(null, target, 'like', {}, from(ip(40))))
  const refusals = answers.filter(({ status }) => status === 429)
  expect(statuses(answers).slice(0, 4)).toEqual([201, 201, 201, 201])
  expect(refusals.length).toBeGreaterThan(0)
  for (const one of refusals) tellsWhen(one, 600)
  expect((await forum.react(ann, target, 'like', {}, from(ip(40)))).status).toBe(201)
  const made = answers.filter(({ status }) => status === 201).length
  expect((await forum.summary(target)).body.counts).toEqual({ like: made + 1 })
  // A refused request leaves no visitor behind.
  const { rows } = await database().query(
    'select count(*)::int as n from contact_sessions where tenant_id = $1 and revoked_at is null and contact_id in (select author_id from reactions where target_id = $2)',
    [forum.id, target.id],
  )
  expect(rows[0].n).toBe(made + 1)
})

test('Visitors of one address are limited for each business and store, whatever creates them', async () => {
  const store = await newShop()
  const [identify, cart] = ['/v1/storefront/account/identify', '/v1/storefront/carts/current']
  const create = (path: string, key: string, n: number, token: object = {}) => {
    const { base = '', headers } = from(ip(n))
    return http('POST', path, { body: {}, base, headers: { ...headers, 'x-service-publishable-key': key, ...token } })
  }
  // The limit of the one leaves that of the other as it is. A business without a market has no carts.
  for (const [key, paths] of [
    [forum.publishable_key, [identify]] as const,
    [store.publishable_key, [identify, cart]] as const,
  ]) {
    const answers: Answer[] = []
    for (let n = 0; n < 13; n++) answers.push(await create(paths[n % paths.length] as string, key, 80))
    const refusals = answers.filter(({ status }) => status === 429)
    expect(statuses(answers).slice(0, 6)).toEqual([200, 200, 200, 200, 200, 200])
    expect(refusals.length).toBeGreaterThan(0)
    for (const one of refusals) tellsWhen(one, 600)
    // With a token no visitor is created.
    const token = { 'x-service-visitor-token': answers[0]?.headers.get('x-service-visitor-token') }
    expect((await create(identify, key, 80, token)).status).toBe(200)
    expect((await create(identify, key, 81)).status).toBe(200)
  }
})

test('Two people behind one address both count', async () => {
  const [ann, ben, target] = [await forum.person(), await forum.person(), await forum.product()]
  for (const person of [ann, ben, ann]) await forum.react(person, target, 'like', {}, from(ip(60)))
  const tokens = [
    await forum.react(null, target, 'like', {}, from(ip(60))),
    await forum.react(null, target, 'like', {}, from(ip(60))),
  ]
  expect(new Set(tokens.map(({ headers }) => headers.get('x-service-visitor-token'))).size).toBe(2)
  expect((await forum.summary(target)).body.counts).toEqual({ like: 4 })
})
