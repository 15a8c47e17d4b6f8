// A store has one account at its provider, however many requests are made and whichever answers are lost.
import { beforeAll, expect, test } from '@jest/globals'
import { made } from '../kit/content/content.ts'
import {
  apiWith,
  atOnce,
  card,
  connect,
  connected,
  fault,
  type LedgerEntry,
  order,
  product,
  providerOf,
  refusalOf,
  sim,
  until,
} from '../kit/orders/buying.ts'
import { eitherApi, newShop, operator, type Shop, unique } from '../kit/shop.ts'

let shop: Shop
beforeAll(async () => {
  shop = await newShop()
})

const accountsMade = async ({ store_id }: Shop): Promise<LedgerEntry[]> =>
  (await sim('GET', '/ledger?account=&path=/v1/accounts')).filter(
    (one: LedgerEntry) => one.path === '/v1/accounts' && one.metadata.tenant_id === store_id,
  )
const accountIn = (url: string) => /\/_sim\/onboarding\/(acct_\w+)\//.exec(url)?.[1]
const ready = { charges_enabled: true, details_submitted: true, payouts_enabled: true }
/** Applies only to calls for this store. */
const faultFor = ({ store_id }: Shop, what: Record<string, unknown>) =>
  fault({ method: 'POST', path: '/v1/accounts', body_match: `metadata[tenant_id]=${store_id}`, ...what })

test('Connecting creates the account once and returns a fresh link until the account is ready', async () => {
  const first = await connect(shop, { country: 'de', email: 'Owner@Shop.example' })
  expect(first.status).toBe(200)
  const provider = await providerOf(shop)
  expect(provider).toMatchObject({
    type: 'stripe',
    status: 'succeeded',
    ready: false,
    charges_enabled: false,
    country: 'DE',
    email: 'owner@shop.example',
  })
  expect(accountIn(first.body.onboarding_url)).toBe(provider.account_id)
  const second = await connect(shop, {}, eitherApi())
  expect(accountIn(second.body.onboarding_url)).toBe(provider.account_id)
  expect(second.body.onboarding_url).not.toBe(first.body.onboarding_url)
  expect((await accountsMade(shop)).map(({ metadata, times }) => [metadata, times])).toEqual([
    [{ tenant_id: shop.store_id, payment_provider_id: provider.id }, 1],
  ])

  // The merchant finishes the pages: the provider sends an event, and a later read shows it without one as well.
  await fetch(second.body.onboarding_url, { redirect: 'manual' })
  await until(async () => (await providerOf(shop)).ready)
  expect((await connect(shop)).body).toEqual({ onboarding_url: null })
  await sim('POST', `/accounts/${provider.account_id}`, { charges_enabled: false })
  await until(async () => !(await providerOf(shop)).ready)
  expect(accountIn((await connect(shop)).body.onboarding_url)).toBe(provider.account_id)
})

test('An account that became ready without an event is found ready', async () => {
  const own = await newShop()
  await connect(own)
  const { account_id } = await providerOf(own)
  await sim('POST', '/events', { hold: true, account: account_id })
  try {
    await sim('POST', `/accounts/${account_id}`, ready)
    expect((await providerOf(own)).ready).toBe(false)
    expect((await connect(own)).body).toEqual({ onboarding_url: null })
    expect((await providerOf(own)).ready).toBe(true)
  } finally {
    await sim('POST', '/events', { hold: false, account: account_id })
  }
})

test('Twenty concurrent connections of one store on two servers create one account', async () => {
  const own = await newShop()
  const answers = await atOnce(20, () => connect(own, {}, eitherApi()))
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200))
  const { account_id } = await providerOf(own)
  expect(new Set(answers.map(({ body }) => accountIn(body.onboarding_url)))).toEqual(new Set([account_id]))
  expect(await accountsMade(own)).toHaveLength(1)
  expect((await own.asOperator('GET', '/payment-providers')).body.items).toHaveLength(1)
})

test('A slow provider returns 503, and the same request continues', async () => {
  const impatient = await apiWith({ ANSWER_WAIT_MS: '100' })
  try {
    const own = await newShop()
    await faultFor(own, { fault: 'delay', delay_ms: 4_000 })
    const waiting = await connect(own, {}, impatient.url)
    expect([waiting.status, waiting.body.code]).toEqual([503, 'provider_retryable'])
    expect(waiting.headers.get('retry-after')).not.toBeNull()
    const before = await providerOf(own)
    expect(before).toMatchObject({ account_id: null })
    const done = await connect(own)
    expect(done.status).toBe(200)
    expect(await providerOf(own)).toMatchObject({ id: before.id, account_id: accountIn(done.body.onboarding_url) })
    expect(await accountsMade(own)).toMatchObject([{ times: 1 }])
  } finally {
    await impatient.stop()
  }
})

test('A lost onboarding link is requested again for the same account', async () => {
  const own = await newShop()
  await connect(own)
  const { account_id } = await providerOf(own)
  await fault({
    fault: 'status',
    status: 500,
    method: 'POST',
    path: '/v1/account_links',
    body_match: `account=${account_id}`,
  })
  const lost = await connect(own)
  expect([lost.status, lost.body.code]).toEqual([503, 'provider_retryable'])
  expect(accountIn((await connect(own)).body.onboarding_url)).toBe(account_id)
  expect(await accountsMade(own)).toHaveLength(1)
})

test('A provider that refuses the account returns 422, and a corrected request creates one', async () => {
  const own = await newShop()
  await faultFor(own, { fault: 'status', status: 400 })
  const refused = await connect(own)
  expect([refused.status, refused.body.code]).toEqual([422, 'connect_rejected'])
  const before = await providerOf(own)
  expect(before).toMatchObject({ status: 'rejected', account_id: null })
  const { id } = await made(own.asOperator('POST', '/audiences', { key: unique(), type: { type: 'paid' } }))
  const tier = {
    key: 'gold',
    provider: { type: 'card_payment', payment_provider_id: before.id },
    prices: [{ amount: 900, currency: 'USD', interval: { period: 'month' } }],
  }
  const { id: tierId } = await made(own.asOperator('POST', `/audiences/${id}/tiers`, tier))
  expect((await connect(own)).status).toBe(200)
  // The connection has another id, which the tiers of the store name from then on.
  const tierNow = async () => (await own.asOperator('GET', `/audiences/${id}/tiers/${tierId}`)).body
  expect((await tierNow()).provider.payment_provider_id).toBe((await providerOf(own)).id)
  await until(async () => (await tierNow()).prices[0].ready)
  expect((await accountsMade(own)).map(({ effect, times }) => [effect, times])).toEqual([
    [false, 1],
    [true, 1],
  ])
})

test.each([
  ['an invalid country', { country: 'XX' }, '/country'],
  ['a URL without HTTPS', { return_url: 'http://shop.example/' }, '/return_url'],
  ['credentials in a URL', { refresh_url: 'https://a:b@shop.example/' }, '/refresh_url'],
  ['no URL', { return_url: undefined }, '/return_url'],
  ['an invalid email address', { email: 'nobody' }, '/email'],
  ['a malformed account id', { connected_account_id: '../x' }, '/connected_account_id'],
])('A connection with %s is refused', async (_, bad, pointer) => {
  expect(refusalOf(await connect(await newShop(), bad)).slice(0, 2)).toEqual([422, pointer])
})

test('Connecting requires an owner, and an admin can read the state', async () => {
  const admin = await operator()
  await shop.asOperator('POST', '/members', { email: admin.email, role: 'admin' })
  const body = { return_url: 'https://shop.example/', refresh_url: 'https://shop.example/' }
  expect((await shop.as(admin, 'POST', '/payment-providers/stripe/connect', body)).status).toBe(403)
  expect((await shop.as(admin, 'GET', '/payment-providers')).body.items).toHaveLength(1)
  expect((await shop.as(await operator(), 'GET', '/payment-providers')).status).toBe(404)
})

test('An existing account is adopted only if its metadata names exactly this store', async () => {
  const own = await newShop()
  const connected_account_id = `acct_${unique()}`
  const name = { connected_account_id }
  expect(refusalOf(await connect(own, name))).toEqual([422, '/connected_account_id', 'account_not_owned'])
  const { id } = await providerOf(own)
  for (const metadata of [
    {},
    { tenant_id: own.store_id },
    { tenant_id: shop.store_id, payment_provider_id: id },
    { tenant_id: own.store_id, payment_provider_id: 'x' },
  ]) {
    await sim('POST', `/accounts/${connected_account_id}`, { metadata })
    expect(refusalOf(await connect(own, name))).toEqual([422, '/connected_account_id', 'account_not_owned'])
  }
  // The provider's idempotency key stays the same until a request is sent: so the account can carry it.
  expect((await providerOf(own)).id).toBe(id)
  await sim('POST', `/accounts/${connected_account_id}`, {
    metadata: { tenant_id: own.store_id, payment_provider_id: id },
  })
  expect(accountIn((await connect(own, name)).body.onboarding_url)).toBe(connected_account_id)
  expect(await providerOf(own)).toMatchObject({ id, account_id: connected_account_id, status: 'succeeded' })
  expect(await accountsMade(own)).toEqual([])
  await sim('POST', `/accounts/${connected_account_id}`, ready)
  await until(async () => (await providerOf(own)).ready)
  const sold = await product(own)
  expect((await order(own, [sold.item()], card)).answer.body.payment_action.account_id).toBe(connected_account_id)
})

test('A connected account cannot be replaced by another', async () => {
  const own = await newShop()
  const account_id = await connected(own)
  const other = await connect(own, { connected_account_id: `acct_${unique()}` })
  expect([other.status, other.body.code]).toEqual([409, 'already_connected'])
  expect((await connect(own, { connected_account_id: account_id })).body).toEqual({ onboarding_url: null })
})

test('An account that may have been created is unknown and not resent until an owner names it', async () => {
  const own = await newShop()
  await faultFor(own, { fault: 'reset_after_read', after_effect: true })
  const lost = await connect(own)
  expect([lost.status, lost.body.code]).toEqual([409, 'connect_unknown'])
  for (const answer of await atOnce(3, () => connect(own, {}, eitherApi())))
    expect([answer.status, answer.body.code]).toEqual([409, 'connect_unknown'])
  const { id } = await providerOf(own)

  // A wrong account id changes nothing.
  expect(refusalOf(await connect(own, { connected_account_id: `acct_${unique()}` }))).toEqual([
    422,
    '/connected_account_id',
    'account_not_owned',
  ])
  const still = await connect(own)
  expect([still.status, still.body.code]).toEqual([409, 'connect_unknown'])
  expect(await accountsMade(own)).toMatchObject([{ times: 1, effect: true, metadata: { payment_provider_id: id } }])

  const found = `acct_${unique()}`
  await sim('POST', `/accounts/${found}`, { metadata: { tenant_id: own.store_id, payment_provider_id: id } })
  expect(accountIn((await connect(own, { connected_account_id: found })).body.onboarding_url)).toBe(found)
  expect(await providerOf(own)).toMatchObject({ id, account_id: found, status: 'succeeded' })
  expect(await accountsMade(own)).toHaveLength(1)
})
