// Prices are created at the payment provider once each, and one whose answer was lost is found there by its lookup key.
import { beforeAll, expect, test } from '@jest/globals'
import { made } from '../kit/content/content.ts'
import { untilAwaited } from '../kit/database/locks.ts'
import { stripeApi } from '../kit/effects/provider.ts'
import {
  apiWith,
  atOnce,
  connect,
  connected,
  fault,
  ledger,
  providerOf,
  refusalOf,
  sim,
  stripe,
  until,
} from '../kit/orders/buying.ts'
import { type Answer, database, eitherApi, newShop, type Shop, unique } from '../kit/shop.ts'

type Price = { id: string; amount: number; status: string; ready: boolean; error: { code: string } | null }
type Tier = { id: string; prices: Price[] }

let shop: Shop
let account: string
let provider: { type: string; payment_provider_id: string }
beforeAll(async () => {
  shop = await newShop()
  account = await connected(shop)
  provider = { type: 'card_payment', payment_provider_id: (await providerOf(shop)).id }
})

const monthly = (amount = 500, more: Record<string, unknown> = {}) => ({
  amount,
  currency: 'USD',
  interval: { period: 'month', count: 1 },
  ...more,
})
const paidAudience = async (of: Shop) =>
  (await made(of.asOperator('POST', '/audiences', { key: unique(), name: 'Tea club', type: { type: 'paid' } }))).id
const pathOf = async (of: Shop = shop) => `/audiences/${await paidAudience(of)}/tiers`
const tierOf = ({ body }: Answer): Tier => body as unknown as Tier
const pricesMade = async (of: string, id: string) =>
  (await ledger(of, '/v1/prices')).filter(({ metadata }) => metadata.price_id === id)
const providerIds = async (id: string): Promise<(string | null)[]> =>
  (
    await database().query(
      'select provider_price_id from audience_prices where id = $1 union all select provider_price_id from price_provisions where price_id = $1',
      [id],
    )
  ).rows.map((row) => row.provider_price_id)

test('A tier is answered when its prices exist at the provider, with their terms and lookup keys', async () => {
  const path = await pathOf()
  const prices = [
    monthly(500),
    monthly(1_234, { currency: 'EUR', interval: { period: 'week', count: 2 } }),
    { amount: 9_900, currency: 'USD' },
    monthly(0),
  ]
  const answer = await shop.asOperator('POST', path, { key: 'gold', name: 'Gold', provider, prices })
  expect(answer.status).toBe(201)
  const [month, weeks, once, free] = tierOf(answer).prices as [Price, Price, Price, Price]
  expect(tierOf(answer).prices.map(({ ready, error }) => [ready, error])).toEqual(
    Array.from({ length: 4 }, () => [true, null]),
  )
  const { data } = await stripe(
    account,
    `/prices?lookup_keys[0]=${month.id}&lookup_keys[1]=${weeks.id}&lookup_keys[2]=${once.id}&lookup_keys[3]=${free.id}`,
  )
  const terms = data.map((one: Record<string, unknown>) => [
    one.lookup_key,
    one.currency,
    one.unit_amount,
    one.recurring,
  ])
  expect(terms).toHaveLength(2)
  expect(terms).toContainEqual([
    month.id,
    'usd',
    500,
    expect.objectContaining({ interval: 'month', interval_count: 1 }),
  ])
  expect(terms).toContainEqual([
    weeks.id,
    'eur',
    1_234,
    expect.objectContaining({ interval: 'week', interval_count: 2 }),
  ])
  expect((await stripe(account, `/products/${data[0].product}`)).name).toBe('Tea club: Gold')
  expect(new Set(await providerIds(month.id)).size).toBe(1)
})

test('Twenty equal updates through two servers create each price once', async () => {
  const path = await pathOf()
  const tier = tierOf(
    await shop.asOperator('POST', path, {
      key: 'gold',
      prices: [monthly(700), monthly(7_000, { interval: { period: 'year', count: 1 } })],
    }),
  )
  expect(tier.prices.map(({ ready, error }) => [ready, error])).toEqual([
    [false, null],
    [false, null],
  ])
  const answers = await atOnce(20, () => shop.asOperator('PUT', `${path}/${tier.id}`, { provider }, eitherApi()))
  expect(answers.map(({ status, body }) => [status, (body as Tier).prices.map(({ ready }) => ready)])).toEqual(
    Array.from({ length: 20 }, () => [200, [true, true]]),
  )
  for (const { id } of tier.prices)
    expect((await pricesMade(account, id)).map(({ times, effect }) => [times, effect])).toEqual([[1, true]])
})

test('Prices of a tier whose provider is connected later are created then', async () => {
  const own = await newShop()
  const path = await pathOf(own)
  await fault({
    method: 'POST',
    path: '/v1/accounts',
    body_match: `metadata[tenant_id]=${own.store_id}`,
    fault: 'delay',
    delay_ms: 1_000,
  })
  const connecting = connect(own)
  const row = await until(async () => (await providerOf(own)) as { id: string } | undefined)
  const body = { key: 'gold', provider: { type: 'card_payment', payment_provider_id: row.id }, prices: [monthly()] }
  const tier = tierOf(await own.asOperator('POST', path, body))
  expect(tier.prices[0]).toMatchObject({ ready: false, error: null })
  await connecting
  const ready = await until(async () => {
    const found = tierOf(await own.asOperator('GET', `${path}/${tier.id}`))
    return found.prices[0]?.ready && found
  })
  expect(await pricesMade((await providerOf(own)).account_id, (ready.prices[0] as Price).id)).toMatchObject([
    { times: 1 },
  ])
})

test('A price whose answer was lost is found at the provider and used, and is not created again', async () => {
  const path = await pathOf()
  const amount = 31_417
  await fault({
    method: 'POST',
    path: '/v1/prices',
    body_match: `unit_amount=${amount}`,
    fault: 'reset_after_read',
    after_effect: true,
  })
  const tier = tierOf(await shop.asOperator('POST', path, { key: 'gold', provider, prices: [monthly(amount)] }))
  const { id } = tier.prices[0] as Price
  await until(async () => tierOf(await shop.asOperator('GET', `${path}/${tier.id}`)).prices[0]?.ready)
  expect(await pricesMade(account, id)).toMatchObject([{ times: 1, effect: true }])
  const { rows } = await database().query('select status from price_provisions where price_id = $1', [id])
  expect(rows).toEqual([{ status: 'unknown' }])
  expect(new Set(await providerIds(id)).size).toBe(1)
})

test('A price that the provider never made is unknown, and an update of its tier creates it', async () => {
  const path = await pathOf()
  const amount = 27_182
  await fault({ method: 'POST', path: '/v1/prices', body_match: `unit_amount=${amount}`, fault: 'reset_after_read' })
  const tier = tierOf(await shop.asOperator('POST', path, { key: 'gold', provider, prices: [monthly(amount)] }))
  const { id } = tier.prices[0] as Price
  expect(tier.prices[0]).toMatchObject({ ready: false, error: { code: 'no_answer' } })
  const again = tierOf(await shop.asOperator('PUT', `${path}/${tier.id}`, {}))
  expect(again.prices[0]).toMatchObject({ ready: true, error: null })
  expect((await pricesMade(account, id)).filter(({ effect }) => effect)).toHaveLength(1)
})

test('A price that appears after an unknown creation is adopted by the next request', async () => {
  const path = await pathOf()
  const amount = 16_180
  await fault({ method: 'POST', path: '/v1/prices', body_match: `unit_amount=${amount}`, fault: 'reset_after_read' })
  const tier = tierOf(await shop.asOperator('POST', path, { key: 'gold', provider, prices: [monthly(amount)] }))
  const { id } = tier.prices[0] as Price
  const form = {
    currency: 'usd',
    unit_amount: String(amount),
    lookup_key: id,
    'recurring[interval]': 'month',
    'product_data[name]': 'Late',
  }
  const late = await stripeApi<{ id: string }>(account, '/v1/prices', form)
  expect(tierOf(await shop.asOperator('PUT', `${path}/${tier.id}`, {})).prices[0]).toMatchObject({
    ready: true,
    error: null,
  })
  expect(await providerIds(id)).toContain(late.id)
})

test('A price that is inactive at the provider is not adopted', async () => {
  const path = await pathOf()
  const amount = 16_181
  await fault({ method: 'POST', path: '/v1/prices', body_match: `unit_amount=${amount}`, fault: 'reset_after_read' })
  const tier = tierOf(await shop.asOperator('POST', path, { key: 'gold', provider, prices: [monthly(amount)] }))
  const { id } = tier.prices[0] as Price
  const form = {
    currency: 'usd',
    unit_amount: String(amount),
    lookup_key: id,
    'recurring[interval]': 'month',
    'product_data[name]': 'Late',
  }
  await stripeApi(account, '/v1/prices', { ...form, active: 'false' })
  expect(tierOf(await shop.asOperator('PUT', `${path}/${tier.id}`, {})).prices[0]).toMatchObject({
    ready: false,
    error: { code: 'price_differs' },
  })
})

test('A tier that is written while its provider connects gets its prices', async () => {
  const late = await newShop()
  await connected(late)
  const { id, account_id } = (await providerOf(late)) as { id: string; account_id: string }
  const path = await pathOf(late)
  await database().query('update payment_providers set account_id = null where id = $1', [id])
  const connecting = await database().connect()
  try {
    await connecting.query('begin')
    await connecting.query('update payment_providers set account_id = $1 where id = $2', [account_id, id])
    const written = late.asOperator('POST', path, {
      key: 'gold',
      provider: { type: 'card_payment', payment_provider_id: id },
      prices: [monthly()],
    })
    await untilAwaited(connecting, { like: '%payment_providers%for share of v%' })
    await connecting.query('commit')
    expect(tierOf(await written).prices[0]).toMatchObject({ ready: true, error: null })
  } finally {
    connecting.release()
  }
})

test('A price that the provider refuses has an error and is requested again by an update', async () => {
  const path = await pathOf()
  const amount = 14_142
  await fault({ method: 'POST', path: '/v1/prices', body_match: `unit_amount=${amount}`, fault: 'status', status: 400 })
  const tier = tierOf(
    await shop.asOperator('POST', path, { key: 'gold', provider, prices: [monthly(amount), monthly()] }),
  )
  expect(tier.prices.map(({ ready, error }) => [ready, error?.code ?? null])).toEqual([
    [false, 'provider_request_refused'],
    [true, null],
  ])
  const { id, prices } = tier
  const archived = tierOf(await shop.asOperator('PUT', `${path}/${id}`, { prices: [prices[1]] }))
  expect(archived.prices.map(({ status, ready }) => [status, ready])).toContainEqual(['archived', false])
  expect((await pricesMade(account, (prices[0] as Price).id)).length).toBe(1)
  const restored = tierOf(
    await shop.asOperator('PUT', `${path}/${id}`, { prices: [{ ...prices[0], status: 'active' }, prices[1]] }),
  )
  expect(restored.prices.map(({ ready }) => ready)).toEqual([true, true])
})

test('A tier is answered without its prices when the provider is slow, and shows them later', async () => {
  const impatient = await apiWith({ ANSWER_WAIT_MS: '100' })
  try {
    const path = await pathOf()
    await fault({
      method: 'POST',
      path: '/v1/prices',
      body_match: 'unit_amount=22360',
      fault: 'delay',
      delay_ms: 4_000,
    })
    const answer = await shop.asOperator(
      'POST',
      path,
      { key: 'gold', provider, prices: [monthly(22_360)] },
      impatient.url,
    )
    expect([answer.status, tierOf(answer).prices[0]?.ready]).toEqual([201, false])
    await until(async () => tierOf(await shop.asOperator('GET', `${path}/${tierOf(answer).id}`)).prices[0]?.ready)
  } finally {
    await impatient.stop()
  }
})

test('The provider of a tier is fixed once a price was created there', async () => {
  const path = await pathOf()
  const bare = tierOf(
    await shop.asOperator('POST', path, { key: 'bare', provider, prices: [{ amount: 900, currency: 'USD' }] }),
  )
  expect((await shop.asOperator('PUT', `${path}/${bare.id}`, { provider: null })).status).toBe(200)
  const tier = tierOf(await shop.asOperator('POST', path, { key: 'gold', provider, prices: [monthly()] }))
  expect((await shop.asOperator('PUT', `${path}/${tier.id}`, { provider })).status).toBe(200)
  expect(refusalOf(await shop.asOperator('PUT', `${path}/${tier.id}`, { provider: null }))).toEqual([
    409,
    undefined,
    'provider_fixed',
  ])
})

test('Storefronts show a price with an interval when the provider has it', async () => {
  const audience = await paidAudience(shop)
  await fault({ method: 'POST', path: '/v1/prices', body_match: 'unit_amount=17320', fault: 'status', status: 400 })
  const tier = tierOf(
    await shop.asOperator('POST', `/audiences/${audience}/tiers`, { key: 'gold', provider, prices: [monthly(17_320)] }),
  )
  expect(refusalOf(await shop.asOperator('PUT', `/audiences/${audience}`, { status: 'active' })).slice(2)).toEqual([
    'audience_not_ready',
  ])
  await shop.asOperator('PUT', `/audiences/${audience}/tiers/${tier.id}`, {})
  const active = await shop.asOperator('PUT', `/audiences/${audience}`, { status: 'active' })
  expect(active.status).toBe(200)
  const shown = await shop.asVisitor('GET', `/audiences/${(active.body as { key: string }).key}`)
  expect((shown.body as { tiers: Tier[] }).tiers[0]?.prices.map(({ id }) => id)).toEqual([tier.prices[0]?.id])
})

test('The provider receives one request for each price of the store', async () => {
  const asked = (await ledger(account, '/v1/prices')).filter(({ effect, metadata }) => effect && metadata.price_id)
  expect(new Set(asked.map(({ metadata }) => metadata.price_id)).size).toBe(asked.length)
  expect(await sim('GET', '/faults')).toBeDefined()
})
