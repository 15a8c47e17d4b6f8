// A store has the free plan until it pays for another one: equal choices are one row and one page, also through two
// servers.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import {
  freePlanOf,
  isPageUnknown,
  type PlanRow,
  Plans,
  priceFor,
  storeSubscription,
} from '../../rules/subscriptions/plans.ts'
import { untilAwaited } from '../kit/database/locks.ts'
import { apiWith, atOnce, refusalOf, sim, until } from '../kit/orders/buying.ts'
import { type Answer, database, eitherApi, http, newShop, operator, type Shop } from '../kit/shop.ts'

const return_url = 'https://shop.example/billing'
const choose = (shop: Shop, plan_id: string, more: Record<string, unknown> = {}, base?: string): Promise<Answer> =>
  shop.asOperator('POST', '/subscription', { plan_id, return_url, ...more }, base)
const rowsOf = async ({ store_id }: Shop) =>
  (
    await database().query(
      'select id, plan_id, status, amount::int, currency, market from subscriptions where tenant_id = $1 order by created_at, id',
      [store_id],
    )
  ).rows

let shop: Shop
let impatient: Awaited<ReturnType<typeof apiWith>>[]
beforeAll(async () => {
  shop = await newShop()
  impatient = await Promise.all([apiWith({ ANSWER_WAIT_MS: '50' }), apiWith({ ANSWER_WAIT_MS: '50' })])
})
afterAll(() => Promise.all(impatient.map(({ stop }) => stop())))

const free = {
  ...{
    plan_id: 'free',
    next_plan_id: null,
    billing_status: 'active',
    market: null,
    currency: null,
    amount: 0,
    started_at: null,
    paid_through_at: null,
  },
  ...{ cancel_at: null, canceled_at: null, checkout: null, payment_action: { type: 'none' } },
}

test('The plans are listed for any account with their prices by market', async () => {
  const { body } = await http('GET', '/v1/stores/plans', { headers: (await operator()).headers })
  expect(body.items).toMatchObject([
    { id: 'free', amount: 0, currency: null, interval: null, prices: [] },
    {
      id: 'pro',
      amount: 2_900,
      currency: 'USD',
      interval: { period: 'month', count: 1 },
      features: ['One store', 'Priority support'],
    },
  ])
  expect(body.items[1].prices.map((price: { market: string }) => price.market)).toEqual(['us', 'eu'])
  expect((await http('GET', '/v1/stores/plans')).status).toBe(401)
})

test('A store without a subscription has the free plan, and choosing it changes nothing', async () => {
  expect((await shop.asOperator('GET', '/subscription')).body).toEqual(free)
  const chosen = await choose(shop, 'free')
  expect([chosen.status, chosen.body]).toEqual([200, free])
  expect(await rowsOf(shop)).toEqual([])
  const portal = await shop.asOperator('POST', '/subscription/portal', { return_url })
  expect(refusalOf(portal)).toEqual([409, undefined, 'no_billing_customer'])
})

test('An unknown plan, a missing price and a wrong address are refused with their place', async () => {
  expect(refusalOf(await choose(shop, 'gold'))).toEqual([422, '/plan_id', 'plan_unknown'])
  expect(refusalOf(await choose(shop, 'pro', { return_url: 'http://shop.example/' })).slice(0, 2)).toEqual([
    422,
    '/return_url',
  ])
  const own = await newShop()
  await database().query(`update markets set key = 'to-' || key where tenant_id = $1`, [own.store_id])
  expect(refusalOf(await choose(own, 'pro'))).toEqual([422, '/plan_id', 'plan_unavailable'])
  expect(await rowsOf(own)).toEqual([])
})

test('A plan is not chosen at another price than the expected one', async () => {
  const own = await newShop()
  const quote = { amount: 2_900, total: 2_900, currency: 'USD', interval: { period: 'month', count: 1 } }
  expect((await choose(own, 'pro', { expected_total: 2_800 })).body).toMatchObject({
    status: 409,
    code: 'total_changed',
    quote,
  })
  expect(await rowsOf(own)).toEqual([])
  expect((await choose(own, 'pro', { expected_total: 2_900 })).body.payment_action.type).toBe('card_embedded_checkout')
  // The open form is of this amount.
  expect((await choose(own, 'pro', { expected_total: 2_800 })).body.code).toBe('total_changed')
  expect(await rowsOf(own)).toHaveLength(1)
})

test('The plan of a store belongs to its owners', async () => {
  const admin = await operator()
  await shop.asOperator('POST', '/members', { email: admin.email, role: 'admin' })
  expect((await shop.as(admin, 'GET', '/subscription')).status).toBe(403)
  expect((await shop.as(admin, 'POST', '/subscription', { plan_id: 'free', return_url })).status).toBe(403)
  expect((await shop.as(await operator(), 'GET', '/subscription')).status).toBe(404)
})

test('Twenty equal choices of a paid plan through two servers write one row and one page', async () => {
  const own = await newShop()
  await atOnce(20, (n) => choose(own, 'pro', {}, impatient[n % 2]?.url))
  const rows = await rowsOf(own)
  expect(rows).toMatchObject([{ plan_id: 'pro', amount: 2_900, currency: 'USD', market: 'us' }])
  const { rows: pages } = await database().query(
    `select s.mode, s.provider_account_id, p.kind, p.amount::int from payment_sessions s join payments p on p.id = s.payment_id where s.subscription_id = $1`,
    [rows[0].id],
  )
  expect(pages).toEqual([{ mode: 'subscription', provider_account_id: null, kind: 'initial', amount: 2_900 }])
})

test('A store with a paid plan gets 409 for another one, and the free one ends it', async () => {
  const own = await newShop()
  await database().query(
    `insert into subscriptions (id, tenant_id, created_at, updated_at, plan_id, kind, status, amount, currency, interval, market, billing_status, paid_through_at)
     values (gen_random_uuid(), $1, 100, 100, 'team', 'recurring', 'live', 900, 'EUR', '{"period":"month","count":1}', 'eu', 'active', 5000)`,
    [own.store_id],
  )
  const paid = {
    plan_id: 'team',
    next_plan_id: null,
    billing_status: 'active',
    market: 'eu',
    currency: 'EUR',
    amount: 900,
    started_at: 100,
    paid_through_at: 5_000,
  }
  expect((await own.asOperator('GET', '/subscription')).body).toMatchObject(paid)
  expect(refusalOf(await choose(own, 'pro'))).toEqual([409, undefined, 'subscription_active'])
  const hook = {
    key: 'billing',
    url: 'https://hooks.example.com/',
    events: [{ event: 'account.updated' }],
    headers: {},
    enabled: true,
  }
  expect((await own.asOperator('POST', '/webhooks', { ...hook, secret: `whsec_${'signsAll'.repeat(4)}` })).status).toBe(
    201,
  )
  for (const answer of await atOnce(4, () => choose(own, 'free', {}, eitherApi())))
    expect(answer.body).toMatchObject({ ...paid, next_plan_id: 'free' })
  expect(await rowsOf(own)).toHaveLength(1)
  const { rows } = await database().query(
    `select data ->> 'action' as action from events where tenant_id = $1 and type = 'account.updated'`,
    [own.store_id],
  )
  expect(rows).toEqual([{ action: 'subscription_updated' }])
})

test('A choice that waits for no page any more is replaced by a page of its own', async () => {
  const own = await newShop()
  await database().query(
    `insert into subscriptions (id, tenant_id, created_at, updated_at, plan_id, kind, status, amount, currency, interval, market, return_url)
     values (gen_random_uuid(), $1, 100, 100, 'pro', 'recurring', 'waiting', 2900, 'USD', '{"period":"month","count":1}', 'us', $2)`,
    [own.store_id, return_url],
  )
  const { status, body } = await choose(own, 'pro')
  expect([status, body.payment_action?.type]).toEqual([200, 'card_embedded_checkout'])
  expect(await rowsOf(own)).toMatchObject([{ status: 'pending' }])
})

test('An event of a plan waits for the choice of a plan that is being made', async () => {
  const own = await newShop()
  await choose(own, 'pro')
  const [{ id }] = await rowsOf(own)
  const choosing = await database().connect()
  try {
    await choosing.query('begin')
    await choosing.query('select 1 from tenants where id = $1 for no key update', [own.store_id])
    const [page] = await platformPages(id)
    const paid = sim('POST', `/checkout_sessions/${page?.id}/pay`)
    await untilAwaited(choosing)
    expect(await rowsOf(own)).toMatchObject([{ status: 'pending' }])
    await choosing.query('commit')
    await paid
    await until(async () => (await rowsOf(own))[0]?.status === 'live')
  } finally {
    // An open transaction ends with its connection.
    choosing.release(true)
  }
})

test('A store that chooses its plan again after a cancellation that failed keeps the plan', async () => {
  const own = await newShop()
  await database().query(
    `insert into subscriptions (id, tenant_id, created_at, updated_at, plan_id, kind, status, amount, currency, interval, market, billing_status, cancelled_by)
     values (gen_random_uuid(), $1, 100, 100, 'pro', 'recurring', 'live', 2900, 'USD', '{"period":"month","count":1}', 'us', 'active', 'operator')`,
    [own.store_id],
  )
  expect((await choose(own, 'pro')).status).toBe(200)
  expect(
    (await database().query('select cancelled_by from subscriptions where tenant_id = $1', [own.store_id])).rows,
  ).toEqual([{ cancelled_by: null }])
})

const row: PlanRow = {
  ...{
    id: 'a',
    plan_id: 'pro',
    status: 'pending',
    billing_status: null,
    market: 'us',
    currency: 'USD',
    amount: 2_900,
    return_url,
    paid_through_at: null,
  },
  cancel_url: null,
  ...{
    cancel_requested: false,
    cancelled_by: null,
    cancel_at: null,
    is_ending: false,
    is_resuming: false,
    ended_at: null,
    created_at: 10,
    error: null,
  },
  ...{ session_status: 'unknown', state: null, expires_at: 1_000, session_error: null },
}

test('A page that may be open is unknown until it was closed or its time is over', () => {
  const of = (more: Partial<PlanRow>, now: number) => isPageUnknown({ ...row, ...more }, now)
  expect([of({}, 999), of({}, 1_000), of({ expires_at: null }, 9_999), of({ state: 'open' }, 1)]).toEqual([
    true,
    false,
    true,
    true,
  ])
  // It was never prepared, and the provider leaves no page open for longer than a day.
  expect([of({ expires_at: null }, 86_409), of({ expires_at: null }, 86_410)]).toEqual([true, false])
  expect([of({ state: 'expired' }, 1), of({ state: 'complete' }, 1), of({ session_status: 'succeeded' }, 1)]).toEqual([
    false,
    false,
    false,
  ])
})

test('The subscription of a store follows from its rows, and a page beside it is its checkout', () => {
  const plans = Plans.parse([{ id: 'free', name: 'Free' }])
  const live: PlanRow = {
    ...row,
    id: 'b',
    status: 'live',
    session_status: 'succeeded',
    billing_status: 'past_due',
    paid_through_at: 50,
    cancel_at: 50,
  }
  const of = (...rows: PlanRow[]) => storeSubscription(rows, freePlanOf(plans))
  expect(of(live)).toMatchObject({
    plan_id: 'pro',
    next_plan_id: 'free',
    billing_status: 'past_due',
    cancel_at: 50,
    checkout: null,
  })
  const ended: PlanRow = { ...live, status: 'ended', ended_at: 50 }
  expect(of(row, ended)).toMatchObject({
    plan_id: 'free',
    amount: 0,
    canceled_at: 50,
    paid_through_at: 50,
    checkout: { plan_id: 'pro', status: 'unknown', expires_at: 1_000 },
  })
})

test('The setting of the plans needs one free plan and prices that can be charged', () => {
  const fault = (value: unknown) => Plans.safeParse(value).error?.issues[0]?.message
  const paid = { id: 'pro', name: 'Pro', prices: [{ market: 'eu', currency: 'EUR', amount: 900 }] }
  const plans = Plans.parse([{ id: 'free', name: 'Free' }, paid])
  expect([fault([]), fault([paid])]).toEqual(Array(2).fill('Exactly one plan must be without prices.'))
  expect(
    fault([
      { id: 'free', name: 'Free' },
      { ...paid, id: 'free' },
    ]),
  ).toBe('Two plans have one id.')
  expect(fault([{ ...paid, prices: [...paid.prices, ...paid.prices] }])).toBe('A market has two prices.')
  expect(fault([{ ...paid, prices: [{ market: 'eu', currency: 'EUR', amount: 1 }] }])).toMatch(/minimum for cards/)
  expect(priceFor(plans[1] as never, ['us', 'eu'])).toMatchObject({ currency: 'EUR', amount: 900 })
  expect(priceFor(plans[1] as never, ['us'])).toBeNull()
})

const platformPages = async (subscription: string) =>
  (
    (await sim('GET', '/ledger/pages?account=')) as {
      id: string
      status: string
      mode: string
      metadata: Record<string, string>
      amount_total: number
      opened: number
      closed: number | null
    }[]
  ).filter(({ metadata }) => metadata.subscription === subscription)

test("A paid plan opens one page of the platform's own account, and equal choices return it", async () => {
  const own = await newShop()
  const answers = await atOnce(10, () => choose(own, 'pro', {}, eitherApi()))
  expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200))
  expect(new Set(answers.map(({ body }) => body.payment_action.client_secret)).size).toBe(1)
  expect(answers[0]?.body).toMatchObject({
    plan_id: 'free',
    checkout: { plan_id: 'pro', status: 'succeeded', state: 'open', return_url },
  })
  const [row] = await rowsOf(own)
  expect(await platformPages(row.id)).toMatchObject([{ status: 'open', mode: 'subscription', amount_total: 2_900 }])
})

test('Another address closes the open page before the next one opens, and so does the free plan', async () => {
  const own = await newShop()
  // The cancellation may still wait for its answer: 409 change_in_flight until then.
  await until(async () => (await choose(own, 'pro')).status === 200)
  const second = await choose(own, 'pro', { return_url: 'https://shop.example/other' })
  expect([second.status, second.body.checkout?.return_url]).toEqual([200, 'https://shop.example/other'])
  const rows = await rowsOf(own)
  const [first, next] = (await Promise.all(rows.map(({ id }) => platformPages(id)))).flat()
  expect([first?.status, next?.status, (first?.closed ?? 0) < (next?.opened ?? 0)]).toEqual(['expired', 'open', true])
  expect((await choose(own, 'free')).body).toMatchObject({ plan_id: 'free' })
  await until(async () => (await rowsOf(own)).every(({ status }) => status === 'given_up'))
})

test('A page that the free plan cancelled is closed when the plan is chosen again', async () => {
  const own = await newShop()
  const first = await choose(own, 'pro')
  expect(first.status).toBe(200)
  await database().query(`update subscriptions set cancelled_by = 'operator' where tenant_id = $1`, [own.store_id])
  const second = await choose(own, 'pro')
  expect([second.status, second.body.payment_action.client_secret === first.body.payment_action.client_secret]).toEqual(
    [200, false],
  )
  expect(await rowsOf(own)).toMatchObject([{ status: 'given_up' }, { status: 'pending' }])
})

test('A plan that is paid for before the free one is chosen is refunded and cancelled', async () => {
  const own = await newShop()
  await until(async () => (await choose(own, 'pro')).status === 200)
  const [{ id }] = await rowsOf(own)
  const [page] = await platformPages(id)
  await sim('POST', '/events', { hold: true, account: '' })
  const { subscription } = await sim('POST', `/checkout_sessions/${page?.id}/pay`)
  expect((await choose(own, 'free')).body).toMatchObject({ plan_id: 'free' })
  await sim('POST', '/events', { hold: false, account: '' })
  await until(async () => {
    const { rows } = await database().query('select status, amount::int from refunds where subscription_id = $1', [id])
    return rows[0]?.status === 'succeeded' && rows[0]?.amount === 2_900
  }, 20_000)
  const billed: { id: string; status: string }[] = await sim('GET', '/ledger/subscriptions?account=')
  expect(billed.find((one) => one.id === subscription)).toMatchObject({ status: 'canceled' })
  expect((await own.asOperator('GET', '/subscription')).body).toMatchObject({
    plan_id: 'free',
    billing_status: 'active',
  })
})

test('A paid plan is live by signed events, opens the portal, and ends with its paid time', async () => {
  const own = await newShop()
  await choose(own, 'pro')
  const [{ id }] = await rowsOf(own)
  const [page] = await platformPages(id)
  const { subscription } = await sim('POST', `/checkout_sessions/${page?.id}/pay`)
  const read = async () => (await own.asOperator('GET', '/subscription')).body
  const live = await until(async () => {
    const now = await read()
    return now.paid_through_at !== null && now.billing_status === 'active' && now.plan_id === 'pro' && now
  })
  expect(live).toMatchObject({
    market: 'us',
    currency: 'USD',
    amount: 2_900,
    checkout: null,
    payment_action: { type: 'none' },
    next_plan_id: null,
  })
  const portal = await own.asOperator('POST', '/subscription/portal', { return_url })
  expect([portal.status, portal.body.portal_url]).toEqual([200, expect.stringContaining('/_sim/portal#')])
  expect((await choose(own, 'free')).body).toMatchObject({ plan_id: 'pro', next_plan_id: 'free' })
  await until(async () => (await read()).cancel_at !== null)
  // The event may come before the answer of the change: 409 change_in_flight until then.
  await until(async () => (await choose(own, 'pro')).status === 200)
  await until(async () => (await read()).next_plan_id === null)
  await sim('POST', `/subscriptions/${subscription}/cancel`, { mode: 'now' })
  expect(await until(async () => (await read()).plan_id === 'free' && read())).toMatchObject({
    amount: 0,
    billing_status: 'active',
    canceled_at: expect.any(Number),
  })
})
