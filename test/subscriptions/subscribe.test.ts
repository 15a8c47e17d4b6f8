// Subscribing by card: one page at a time, opened by the process that answers, and a page that is not paid leaves
// nothing behind.
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals'
import { type EntityManager, type Orm, openOrm, unitOf } from '../../entities/kit/database/orm.ts'
import { newId } from '../../entities/kit/ids.ts'
import { lateCheckouts } from '../../entities/payments/checkout-steps.ts'
import { followMembers } from '../../entities/subscriptions/follow.ts'
import { requestClosing } from '../../entities/subscriptions/pages.ts'
import { memberOf } from '../kit/audiences/audiences.ts'
import {
  type Club,
  forever,
  free,
  monthly,
  paidAudience,
  subscribe,
  subscriptionsOf,
  yearly,
} from '../kit/audiences/paid-audiences.ts'
import { promoCode, usesOf } from '../kit/bookings/booking.ts'
import { recordStatements } from '../kit/database/statements.ts'
import { stripeApi } from '../kit/effects/provider.ts'
import {
  atOnce,
  buyer,
  card,
  checkOut,
  connected,
  fault,
  pay,
  product,
  refusalOf,
  return_url,
  sessionOf,
  sim,
  stripe,
  until,
} from '../kit/orders/buying.ts'
import { type Answer, database, eitherApi, http, newEmail, newShop, type Shop, type Visitor } from '../kit/shop.ts'

jest.setTimeout(60_000)

let shop: Shop
let account: string
let club: Club
let own: Awaited<ReturnType<typeof recordStatements>>
let orm: Orm
beforeAll(async () => {
  ;[shop, own] = await Promise.all([newShop(), recordStatements()])
  orm = await openOrm({ url: process.env.DATABASE_URL as string, pool: 2 })
  account = await connected(shop)
  club = await paidAudience(shop, account, [monthly, yearly, forever, free])
})
afterAll(async () => {
  await own.close()
  await orm.close(true)
  await database().end()
})

const inTransaction = <T>(work: (em: EntityManager) => Promise<T>): Promise<T> =>
  unitOf(orm, shop.store_id).transactional(work)

type Page = {
  id: string
  opened: number
  closed: number | null
  status: string
  amount_total: number
  mode: string
  customer: string | null
}
/** The pages that the provider has of these subscriptions, oldest first. */
async function pagesOf(contactId: string): Promise<Page[]> {
  const ids = (await subscriptionsOf(contactId)).map(({ id }) => id)
  const pages = (await sim('GET', `/ledger/pages?account=${account}`)) as (Page & {
    metadata: { subscription?: string }
  })[]
  return pages.filter(({ metadata }) => ids.includes(metadata.subscription ?? ''))
}
const statusOf = async (visitor: Visitor) => (await memberOf(shop, club.id, visitor.contact_id)).status
/** The hold of the open page ends now. */
async function endHold(contactId: string): Promise<void> {
  const open = (await subscriptionsOf(contactId)).find(({ status }) => status === 'pending')
  await database().query(`update subscriptions set hold_until = clock_timestamp() - interval '1 s' where id = $1`, [
    open?.id,
  ])
  await database().query(
    `insert into outbox (id, tenant_id, kind, row_id, not_before, tries, parked, again) values ($1, $2, 'checkout', $3, clock_timestamp(), 0, false, true)`,
    [newId(), shop.store_id, open?.id],
  )
  await until(async () => !(await subscriptionsOf(contactId)).some(({ status }) => status === 'pending'))
}
const discount = (bps: number, more: object = {}, conditions: unknown[] = []) =>
  promoCode(shop, { discounts: [{ type: 'audience_percentage', audience_id: club.id, bps, ...more }], conditions })
const opened = ({ status, body }: Answer) => {
  expect([status, body.payment_action?.type, body.code]).toEqual([200, 'card_embedded_checkout', undefined])
  return body
}

test('Twenty equal subscribes through two processes make one member and one page', async () => {
  const visitor = await shop.visitor(newEmail())
  const answers = await atOnce(20, () => subscribe(visitor, club, 0, {}, eitherApi()))
  const first = opened(answers[0] as Answer)
  for (const answer of answers) expect(answer.body).toEqual(first)
  expect(first.member).toMatchObject({ status: 'pending', contact_id: visitor.contact_id, manage_url: null })
  expect(first.payment).toMatchObject({
    kind: 'initial',
    status: 'pending',
    amount: 900,
    discount_amount: 0,
    currency: 'USD',
    provider_account_id: account,
  })
  expect(await subscriptionsOf(visitor.contact_id)).toMatchObject([{ status: 'pending' }])
  const [page, ...more] = await pagesOf(visitor.contact_id)
  expect([page?.mode, page?.amount_total, more]).toEqual(['subscription', 900, []])
})

test('The page is marked with the subscription and charges the price exactly', async () => {
  const email = newEmail()
  const visitor = await shop.visitor(email)
  const answer = await subscribe(visitor, club, 0)
  opened(answer)
  const id = (await subscriptionsOf(visitor.contact_id))[0]?.id
  const page = await stripe(account, `/checkout/sessions/${sessionOf(answer)}`)
  const metadata = { tenant_id: shop.store_id, subscription: id, payment_session: expect.any(String) }
  expect(page).toMatchObject({
    metadata,
    customer_email: email,
    adaptive_pricing: { enabled: false },
    allowed_payment_method_types: ['card'],
  })
  const paid = await pay(sessionOf(answer))
  expect((await stripe(account, `/subscriptions/${paid.subscription}`)).metadata).toEqual(page.metadata)
})

test('Another price closes the open page before its own is opened', async () => {
  const visitor = await shop.visitor(newEmail())
  const first = opened(await subscribe(visitor, club, 0))
  const second = opened(await subscribe(visitor, club, 2))
  expect(second.payment).toMatchObject({ kind: 'one_time', amount: 20_000 })
  expect(second.member.id).toBe(first.member.id)
  const [a, b] = (await pagesOf(visitor.contact_id)) as [Page, Page]
  expect([a.status, b.status, b.mode, (a.closed as number) < b.opened]).toEqual(['expired', 'open', 'payment', true])
  expect((await subscriptionsOf(visitor.contact_id)).map(({ status }) => status)).toEqual(['given_up', 'pending'])
  // The former choice opens a third page.
  opened(await subscribe(visitor, club, 0))
  expect((await pagesOf(visitor.contact_id)).map(({ status }) => status)).toEqual(['expired', 'expired', 'open'])
})

test('A membership is not subscribed to at another first payment than the expected one', async () => {
  const visitor = await shop.visitor(newEmail())
  const { id, code } = await discount(1000)
  const expecting = (expected_total: number, n = 0) =>
    subscribe(visitor, club, n, { promo_code: code, expected_total }, eitherApi())
  const quote = { amount: 900, discount_amount: 90, total: 810, currency: 'USD', interval: monthly.interval }
  expect((await expecting(900)).body).toMatchObject({ status: 409, code: 'total_changed', quote })
  expect([await subscriptionsOf(visitor.contact_id), await usesOf(shop, id)]).toEqual([[], 0])
  opened(await expecting(810))
  // The open form is of this amount.
  expect((await expecting(720)).body).toMatchObject({ status: 409, code: 'total_changed', quote })
  expect(opened(await expecting(810)).payment.amount).toBe(810)
})

test('A choice that waits for another form is given up if its first payment changed meanwhile', async () => {
  const visitor = await shop.visitor(newEmail())
  const { id, code } = await discount(1000)
  const first = opened(await subscribe(visitor, club, 0))
  const client = await database().connect()
  let waits: Promise<Answer>
  try {
    await client.query('begin')
    await client.query('select 1 from payments where id = $1 for update', [first.payment.id])
    waits = subscribe(visitor, club, 1, { promo_code: code, expected_total: 8100 })
    await until(async () => (await subscriptionsOf(visitor.contact_id)).some(({ status }) => status === 'waiting'))
    const discounts = [{ type: 'audience_percentage', audience_id: club.id, bps: 100 }]
    expect((await shop.asOperator('PUT', `/promo-codes/${id}`, { discounts })).status).toBe(200)
    await client.query('commit')
  } finally {
    client.release()
  }
  expect((await waits).body).toMatchObject({
    status: 409,
    code: 'total_changed',
    quote: { amount: 9000, discount_amount: 90, total: 8910 },
  })
  expect([await usesOf(shop, id), (await pagesOf(visitor.contact_id)).map(({ status }) => status)]).toEqual([
    0,
    ['expired'],
  ])
})

test('Of choices made at the same time the last one gets the page and the others are cancelled', async () => {
  const visitor = await shop.visitor(newEmail())
  opened(await subscribe(visitor, club, 0))
  const answers = await Promise.all([1, 2, 1, 2].map((n) => subscribe(visitor, club, n, {}, eitherApi())))
  for (const { status, body } of answers)
    expect([200, 409]).toContain(status === 409 && body.code !== 'subscription_cancelled' ? body.code : status)
  const rows = await subscriptionsOf(visitor.contact_id)
  expect(rows.filter(({ status }) => status === 'pending').length).toBe(1)
  expect(rows.filter(({ status }) => status === 'waiting')).toEqual([])
  expect((await pagesOf(visitor.contact_id)).filter(({ status }) => status === 'open').length).toBe(1)
})

test('A page that was paid before it could be closed refuses the choice that waited for it', async () => {
  const visitor = await shop.visitor(newEmail())
  const answer = await subscribe(visitor, club, 0)
  opened(answer)
  await sim('POST', '/events', { hold: true, account })
  try {
    await pay(sessionOf(answer))
    expect(refusalOf(await subscribe(visitor, club, 1))).toEqual([409, undefined, 'payment_in_progress'])
    await until(async () => (await subscriptionsOf(visitor.contact_id)).every(({ status }) => status !== 'waiting'))
    expect(await subscriptionsOf(visitor.contact_id)).toMatchObject([
      { status: 'live', cancel_requested: false, paid_through_at: null },
      { error: { code: 'payment_in_progress' } },
    ])
    // The read of the page found its subscription.
    expect(refusalOf(await subscribe(visitor, club, 1))).toEqual([409, undefined, 'subscription_active'])
    expect((await pagesOf(visitor.contact_id)).length).toBe(1)
  } finally {
    await sim('POST', '/events', { hold: false, account })
  }
})

test('A page that was paid for a removed member is not offered as an equal choice', async () => {
  const visitor = await shop.visitor(newEmail())
  opened(await subscribe(visitor, club, 2))
  const [row] = await subscriptionsOf(visitor.contact_id)
  const leave = (state: string, by: string | null) =>
    database().query(
      `with s as (update payment_sessions set state = $2 where subscription_id = $1) update subscriptions set cancelled_by = $3, cancel_requested = false where id = $1`,
      [row?.id, state, by],
    )
  // As the checkout leaves it that dropped the choice which waited for the closing of this page.
  await leave('complete', 'operator')
  expect(refusalOf(await subscribe(visitor, club, 2))).toEqual([409, undefined, 'payment_in_progress'])
  await leave('open', null)
  opened(await subscribe(visitor, club, 2))
  expect((await subscriptionsOf(visitor.contact_id)).length).toBe(1)
})

test('A choice that waits for a page that is gone is replaced by the next call', async () => {
  const visitor = await shop.visitor(newEmail())
  const { member } = (await subscribe(visitor, club, 3)).body
  // As a release that was lost would leave it.
  await database().query(
    `update subscriptions set status = 'waiting', kind = 'recurring', interval = '{}', amount = 900, price_id = $2, return_url = $3 where member_id = $1`,
    [member.id, club.prices[0], return_url],
  )
  opened(await subscribe(visitor, club, 0))
  expect(await subscriptionsOf(visitor.contact_id)).toMatchObject([{ status: 'pending' }])
})

test('A member at a free price pays for another one, and stays an active member meanwhile', async () => {
  const visitor = await shop.visitor(newEmail())
  const { body } = await subscribe(visitor, club, 3)
  expect(body).toMatchObject({
    member: { status: 'active', paid_through_at: null },
    payment: null,
    payment_action: { type: 'none' },
  })
  expect((await subscribe(visitor, club, 3, { return_url: 'https://shop.example/again' })).body).toEqual(body)
  const answers = await atOnce(8, () => subscribe(visitor, club, 0, {}, eitherApi()))
  for (const answer of answers) expect(opened(answer)).toEqual(answers[0]?.body)
  expect(answers[0]?.body.member).toMatchObject({ status: 'active', price_id: club.prices[3] })
  // The page that is given up leaves the free membership, which takes the free price again.
  await endHold(visitor.contact_id)
  expect(await statusOf(visitor)).toBe('active')
  expect((await subscribe(visitor, club, 3)).body.member).toMatchObject({ status: 'active', price_id: club.prices[3] })
  await pay(sessionOf(await subscribe(visitor, club, 0)))
  await until(async () => (await memberOf(shop, club.id, visitor.contact_id)).paid_through_at)
  expect(await memberOf(shop, club.id, visitor.contact_id)).toMatchObject({
    status: 'active',
    price_id: club.prices[0],
    access_until: expect.any(Number),
  })
  expect(refusalOf(await subscribe(visitor, club, 3))).toEqual([409, undefined, 'subscription_active'])
  expect((await subscriptionsOf(visitor.contact_id)).map(({ status }) => status)).toEqual([
    'ended',
    'given_up',
    'ended',
    'live',
  ])
})

test('Free access is kept while it is replaced, also after paid time that is over', async () => {
  const own = await newShop()
  const ownAccount = await connected(own)
  const place = await paidAudience(own, ownAccount, [monthly, free])
  const visitor = await own.visitor(newEmail())
  const paid = opened(await subscribe(visitor, place, 0))
  const { subscription } = await pay(sessionOf({ status: 200, body: paid } as Answer))
  const access = async () => (await visitor.call('GET', `/audiences/${place.id}/access`)).body
  await until(async () => (await access()).member.paid_through_at)
  await sim('POST', `/subscriptions/${subscription}/cancel`, { mode: 'now' })
  await until(async () => (await subscriptionsOf(visitor.contact_id))[0]?.status === 'ended')
  // Its paid time is over, and the sweep has ended the membership.
  const past = Math.floor(Date.now() / 1000) - 1000
  await database().query('update subscriptions set paid_through_at = $2 where member_id = $1', [paid.member.id, past])
  await database().query(
    `update audience_members set status = 'expired', ended_at = $2, paid_through_at = $2, access_until = $2 where id = $1`,
    [...[paid.member.id, past]],
  )
  expect((await subscribe(visitor, place, 1)).body.member).toMatchObject({
    status: 'active',
    paid_through_at: null,
    access_until: null,
  })
  const next = await subscribe(visitor, place, 0)
  opened(next)
  const isFree = {
    has_access: true,
    member: { status: 'active', price_id: place.prices[1], paid_through_at: null, access_until: null, cancel_at: null },
  }
  expect((await own.asOperator('PUT', '', { settings: { membership_grace_hours: 24 } })).status).toBe(200)
  expect(await access()).toMatchObject(isFree)
  // A sign-in, a merge or a link brings nothing that is paid.
  const { id } = (await own.asOperator('POST', '/contacts', { email: newEmail() })).body
  expect(
    (await own.asOperator('POST', `/contacts/${id}/merge`, { source_contact_id: visitor.contact_id })).status,
  ).toBe(200)
  await unitOf(orm, own.store_id).transactional((em) => followMembers(em, own.store_id, [paid.member.id], past + 1000))
  const { rows } = await database().query(
    'select status, price_id, paid_through_at, access_until, cancel_at from audience_members where id = $1',
    [paid.member.id],
  )
  expect(rows).toEqual([isFree.member])
  await pay(sessionOf(next))
  await until(async () => {
    const [member] = (await database().query('select * from audience_members where id = $1', [paid.member.id])).rows
    return (
      member.price_id === place.prices[0] &&
      Number(member.paid_through_at) > past &&
      Number(member.access_until) === Number(member.paid_through_at) + 86_400
    )
  })
})

test('A member for whom nothing is paid leaves by the link, and may join again', async () => {
  const visitor = await shop.visitor(newEmail())
  const { member } = (await subscribe(visitor, club, 3)).body
  const token = new URL(member.manage_url).searchParams.get('token')
  const link = (method: 'GET' | 'POST', path: string) => http(method, `/v1/customer/audiences/${path}?token=${token}`)
  expect((await link('GET', 'manage')).body).toMatchObject({
    has_access: true,
    subscription_cancellation_available: true,
  })
  opened(await subscribe(visitor, club, 0))
  expect((await link('POST', 'subscription/cancel')).body).toMatchObject({
    status: 'cancelled',
    has_access: false,
    subscription_cancellation_available: false,
  })
  await until(async () => (await pagesOf(visitor.contact_id)).every((page) => page.status === 'expired'))
  expect(await statusOf(visitor)).toBe('cancelled')
  expect((await subscribe(visitor, club, 3)).body.member).toMatchObject({ id: member.id, status: 'active' })
  // What was paid for once has no end, and is ended by the store only.
  await pay(sessionOf(await subscribe(visitor, club, 2)))
  await until(async () => (await subscriptionsOf(visitor.contact_id)).at(-1)?.status === 'live')
  expect(refusalOf(await link('POST', 'subscription/cancel'))).toEqual([409, undefined, 'not_subscribed'])
})

test('A free price without an address is live at once, also in place of an open page', async () => {
  const visitor = await shop.visitor(newEmail())
  opened(await subscribe(visitor, club, 0))
  const { status, body } = await visitor.call('POST', `/audiences/${club.id}/subscribe`, { price_id: club.prices[3] })
  expect([status, body.payment_action, body.member.status]).toEqual([200, { type: 'none' }, 'active'])
  expect((await pagesOf(visitor.contact_id)).map((page) => page.status)).toEqual(['expired'])
})

test('A price that cannot be subscribed to is refused at its place', async () => {
  const visitor = await shop.visitor(newEmail())
  const more = await paidAudience(shop, account, [
    monthly,
    { ...monthly, amount: 1000 },
    { ...monthly, amount: 1100 },
    { ...forever, amount: 5000 },
  ])
  await database().query(`update audience_prices set status = 'archived' where id = $1`, [more.prices[1]])
  await database().query('update audience_prices set ready = false where id = $1', [more.prices[2]])
  const asked = async (price_id: unknown, url: string | null = return_url) => {
    const { status, body } = await visitor.call('POST', `/audiences/${more.id}/subscribe`, {
      price_id,
      return_url: url,
    })
    return [status, body.errors?.[0]?.pointer, body.errors?.[0]?.code]
  }
  expect(await asked(null)).toEqual([422, '/price_id', 'required'])
  expect(await asked(newId())).toEqual([422, '/price_id', 'price_unknown'])
  expect(await asked(club.prices[0])).toEqual([422, '/price_id', 'price_unknown'])
  expect(await asked(more.prices[1])).toEqual([422, '/price_id', 'price_archived'])
  expect(await asked(more.prices[2])).toEqual([422, '/price_id', 'price_not_ready'])
  expect(await asked(more.prices[3], null)).toEqual([422, '/return_url', 'return_url_required'])
  await database().query('update payment_providers set charges_enabled = false where tenant_id = $1', [shop.store_id])
  expect(await asked(more.prices[0])).toEqual([422, '/price_id', 'payment_provider_not_connected'])
  await database().query('update payment_providers set charges_enabled = true where tenant_id = $1', [shop.store_id])
  await database().query(`update audience_tiers set status = 'archived' where id = $1`, [more.tier_id])
  expect(await asked(more.prices[0])).toEqual([422, '/price_id', 'tier_archived'])
  expect((await shop.asOperator('GET', `/audiences/${more.id}/members`)).body.items).toEqual([])
})

test('A page whose hold has ended is closed, and its member becomes what it was before', async () => {
  const [fresh, former] = [await shop.visitor(newEmail()), await shop.visitor(newEmail())]
  opened(await subscribe(fresh, club, 0))
  const { member } = opened(await subscribe(former, club, 0))
  await database().query(`update audience_members set status_before = 'expired', ended_at = 7 where id = $1`, [
    member.id,
  ])
  for (const { contact_id } of [fresh, former]) await endHold(contact_id)
  expect([await statusOf(fresh), await statusOf(former)]).toEqual(['removed', 'expired'])
  expect((await pagesOf(fresh.contact_id)).map(({ status }) => status)).toEqual(['expired'])
  const { rows } = await database().query(
    'select p.status from payments p join subscriptions u on u.id = p.subscription_id where u.member_id = $1',
    [member.id],
  )
  expect(rows).toEqual([{ status: 'cancelled' }])
  opened(await subscribe(former, club, 0))
  expect(await statusOf(former)).toBe('pending')
})

test('A cancelled page is closed, and a choice that is made meanwhile opens its own', async () => {
  const visitor = await shop.visitor(newEmail())
  const { member } = opened(await subscribe(visitor, club, 0))
  const close = () =>
    inTransaction(async (em) => {
      await em.execute('select id from audience_members where id = ? for update', [member.id])
      const rows: { id: string }[] = await em.execute(
        `select id from subscriptions where member_id = ? and status in ('waiting', 'pending')`,
        [member.id],
      )
      for (const { id } of rows)
        await requestClosing(em, { id, tenant_id: shop.store_id }, Math.floor(Date.now() / 1000))
    })
  await close()
  await until(async () => (await statusOf(visitor)) === 'removed')
  expect((await pagesOf(visitor.contact_id)).map(({ status }) => status)).toEqual(['expired'])
  expect(await subscriptionsOf(visitor.contact_id)).toMatchObject([{ status: 'given_up', cancel_requested: true }])
  opened(await subscribe(visitor, club, 0))
  // A choice that was made while the page is being closed.
  const [, next] = await Promise.all([close(), subscribe(visitor, club, 1)])
  expect([200, 409]).toContain(next.status)
  opened(await subscribe(visitor, club, 1))
})

test('The reconciler finds pages that their workflow should have closed', async () => {
  const visitor = await shop.visitor(newEmail())
  opened(await subscribe(visitor, club, 0))
  const id = (await subscriptionsOf(visitor.contact_id))[0]?.id
  const part = { idleS: 60, now: 0, limit: 1_000, after: null }
  const isOverdue = () =>
    inTransaction(async (em) => {
      for (const late of lateCheckouts) if ((await late(em, part)).rows.some((one) => one.id === id)) return true
      return false
    })
  expect(await isOverdue()).toBe(false)
  await database().query(`update subscriptions set hold_until = clock_timestamp() - interval '61 s' where id = $1`, [
    id,
  ])
  expect(await isOverdue()).toBe(true)
  await database().query(
    `update subscriptions set hold_until = clock_timestamp() + interval '1 h', cancel_requested = true, updated_at = 1 where id = $1`,
    [id],
  )
  expect(await isOverdue()).toBe(true)
})

describe('Promo codes', () => {
  test('A code takes its percentage off the first payment by a coupon that is made before the page', async () => {
    const visitor = await shop.visitor(newEmail())
    const { id, code } = await discount(5000)
    const { payment } = opened(await subscribe(visitor, club, 0, { promo_code: code.toLowerCase() }))
    expect(payment).toMatchObject({ amount: 450, discount_amount: 450 })
    expect((await pagesOf(visitor.contact_id)).map(({ amount_total }) => amount_total)).toEqual([450])
    const { rows } = await database().query(
      'select c.id from coupons c join subscriptions u on u.id = c.subscription_id where u.member_id = $1',
      [(await memberOf(shop, club.id, visitor.contact_id)).id],
    )
    expect(await stripe(account, `/coupons/${rows[0].id}`)).toMatchObject({
      amount_off: 450,
      currency: 'usd',
      duration: 'once',
      max_redemptions: 1,
    })
    expect(await usesOf(shop, id)).toBe(1)
    // Written otherwise, it is the same choice.
    expect((await subscribe(visitor, club, 0, { promo_code: ` ${code} ` })).body.payment.id).toBe(payment.id)
  })

  test('A one-time price is charged what a code leaves, and one that is left free needs no page', async () => {
    const [paying, lucky] = [await shop.visitor(newEmail()), await shop.visitor(newEmail())]
    expect(opened(await subscribe(paying, club, 2, { promo_code: (await discount(2500)).code })).payment).toMatchObject(
      { amount: 15_000 },
    )
    expect((await pagesOf(paying.contact_id)).map(({ amount_total }) => amount_total)).toEqual([15_000])
    const { body } = await subscribe(lucky, club, 2, { promo_code: (await discount(10_000)).code })
    expect(body).toMatchObject({
      member: { status: 'active', access_until: null },
      payment: null,
      payment_action: { type: 'none' },
    })
    expect(await pagesOf(lucky.contact_id)).toEqual([])
  })

  test('A first period that a code makes free still opens a page for the card of the renewal', async () => {
    const visitor = await shop.visitor(newEmail())
    const answer = await subscribe(visitor, club, 0, { promo_code: (await discount(10_000)).code })
    expect(opened(answer).payment).toMatchObject({ amount: 0, discount_amount: 900, status: 'pending' })
    expect(await stripe(account, `/checkout/sessions/${sessionOf(answer)}`)).toMatchObject({
      amount_total: 0,
      payment_method_collection: 'always',
    })
  })

  test('A code that does not fit the membership is refused at its place', async () => {
    const visitor = await shop.visitor(newEmail())
    const asked = async (promo_code: string) => refusalOf(await subscribe(visitor, club, 0, { promo_code }))
    const refused = (code: string) => [422, '/promo_code', code]
    const tea = await product(shop)
    expect(await asked('nothing')).toEqual(refused('promo_code_invalid'))
    expect(await asked((await promoCode(shop)).code)).toEqual(refused('promo_code_not_applicable'))
    expect(await asked((await discount(5000, { applies_to: 'items' })).code)).toEqual(
      refused('promo_code_not_applicable'),
    )
    expect(await asked((await discount(5000, { price_ids: [club.prices[1]] })).code)).toEqual(
      refused('promo_code_not_applicable'),
    )
    expect(await asked((await discount(5000, {}, [{ type: 'products', product_ids: [tea.id] }])).code)).toEqual(
      refused('promo_code_not_applicable'),
    )
    expect(await asked((await discount(5000, {}, [{ type: 'min_order_amount', amount: 901 }])).code)).toEqual(
      refused('promo_code_not_applicable'),
    )
    expect(await asked((await discount(5000, {}, [{ type: 'date_range', end: 1000 }])).code)).toEqual(
      refused('promo_code_expired'),
    )
    expect(await asked((await discount(9500)).code)).toEqual(refused('card_total_too_small'))
    expect(await subscriptionsOf(visitor.contact_id)).toEqual([])
  })

  test('A code with one use serves a cart or a membership, and its page gives it back', async () => {
    const tea = await product(shop)
    const once = [{ type: 'max_uses', count: 1 }]
    const discounts = [
      { type: 'items_percentage', market_key: 'us', bps: 1000 },
      { type: 'audience_percentage', audience_id: club.id, bps: 1000 },
    ]
    for (let n = 0; n < 3; n++) {
      const { id, code } = await promoCode(shop, { discounts, conditions: once })
      const [visitor, { visitor: shopper, cart }] = [
        await shop.visitor(newEmail()),
        await buyer(shop, [tea.item(1)], { promo_code: code }),
      ]
      const answers = await Promise.all([
        subscribe(visitor, club, 0, { promo_code: code }, eitherApi()),
        checkOut(shopper, cart, card, eitherApi()),
        subscribe(await shop.visitor(newEmail()), club, 0, { promo_code: code }, eitherApi()),
      ])
      expect(answers.filter(({ status }) => status === 200).length).toBe(1)
      for (const { status, body } of answers)
        if (status !== 200) expect([status, body.code]).toEqual([422, 'promo_code_exhausted'])
      expect(await usesOf(shop, id)).toBe(1)
    }
    const { id, code } = await promoCode(shop, { discounts, conditions: once })
    const visitor = await shop.visitor(newEmail())
    opened(await subscribe(visitor, club, 0, { promo_code: code }))
    // The own use of the page that is replaced counts once.
    opened(await subscribe(visitor, club, 1, { promo_code: code }))
    expect(await usesOf(shop, id)).toBe(1)
    await endHold(visitor.contact_id)
    expect(await usesOf(shop, id)).toBe(0)
    opened(await subscribe(await shop.visitor(newEmail()), club, 0, { promo_code: code }))
  })

  test('A code that another contact used up before its page could open refuses the choice', async () => {
    const { id, code } = await discount(1000, {}, [{ type: 'max_uses', count: 1 }])
    const [one, other] = [await shop.visitor(newEmail()), await shop.visitor(newEmail())]
    const first = opened(await subscribe(one, club, 0))
    const client = await database().connect()
    let waits: Promise<Answer>
    try {
      // The page of the first choice cannot be released meanwhile.
      await client.query('begin')
      await client.query('select 1 from payments where id = $1 for update', [first.payment.id])
      waits = subscribe(one, club, 1, { promo_code: code })
      await until(async () => (await subscriptionsOf(one.contact_id)).some(({ status }) => status === 'waiting'))
      opened(await subscribe(other, club, 0, { promo_code: code }))
      await client.query('commit')
    } finally {
      client.release()
    }
    expect(refusalOf(await waits)).toEqual([409, undefined, 'subscription_cancelled'])
    expect([await statusOf(one), await usesOf(shop, id)]).toEqual(['removed', 1])
  })

  test('A code used under an address in another browser is not used again under it by a membership', async () => {
    const { id, code } = await discount(1000, {}, [{ type: 'max_uses_per_user', count: 1 }])
    const email = newEmail()
    const [one, other] = [await shop.visitor(email), await shop.visitor(email)]
    opened(await subscribe(one, club, 0, { promo_code: code }))
    expect(refusalOf(await subscribe(other, club, 0, { promo_code: code }, eitherApi()))).toEqual([
      422,
      '/promo_code',
      'promo_code_exhausted',
    ])
    expect(await usesOf(shop, id)).toBe(1)
  })

  test('A coupon whose outcome is unknown is looked up and used', async () => {
    const visitor = await shop.visitor(newEmail())
    const { code } = await discount(1000)
    await fault({ body_match: `name=${code}`, fault: 'reset_after_read', after_effect: true })
    opened(await subscribe(visitor, club, 0, { promo_code: code }))
    const { rows } = await database().query(
      'select c.status, c.at_provider from coupons c join subscriptions u on u.id = c.subscription_id join audience_members m on m.id = u.member_id where m.contact_id = $1',
      [visitor.contact_id],
    )
    expect(rows).toEqual([{ status: 'unknown', at_provider: true }])
  })

  test('Without its coupon a page is not opened, and the use of the code is given back', async () => {
    for (const how of [{ fault: 'status', status: 402 }, { fault: 'reset_after_read' }]) {
      const visitor = await shop.visitor(newEmail())
      const { id, code } = await discount(1000)
      await fault({ body_match: `name=${code}`, ...how })
      expect(refusalOf(await subscribe(visitor, club, 0, { promo_code: code }))).toEqual([
        503,
        undefined,
        'provider_unavailable',
      ])
      expect([await statusOf(visitor), await usesOf(shop, id), await pagesOf(visitor.contact_id)]).toEqual([
        'removed',
        0,
        [],
      ])
    }
  })
})

test("The provider's customer of an earlier subscription is used again in the same currency only", async () => {
  const visitor = await shop.visitor(newEmail())
  const euros = await paidAudience(shop, account, [{ ...monthly, currency: 'EUR' }])
  const { id } = await stripeApi<{ id: string }>(account, '/v1/customers', { email: newEmail() })
  opened(await subscribe(visitor, club, 0))
  await endHold(visitor.contact_id)
  await database().query(
    'update subscriptions set provider_customer_id = $2 from audience_members m where m.id = member_id and m.contact_id = $1',
    [...[visitor.contact_id, id]],
  )
  opened(await subscribe(visitor, club, 1))
  opened(await subscribe(visitor, euros, 0))
  expect((await pagesOf(visitor.contact_id)).map(({ customer }) => customer)).toEqual([null, id, null])
})

test('A customer that the provider has deleted is left out of the next page', async () => {
  const visitor = await shop.visitor(newEmail())
  opened(await subscribe(visitor, club, 0))
  await endHold(visitor.contact_id)
  await database().query(
    `update subscriptions set provider_customer_id = 'cus_deleted' from audience_members m where m.id = member_id and m.contact_id = $1`,
    [visitor.contact_id],
  )
  expect(refusalOf(await subscribe(visitor, club, 1))).toEqual([503, undefined, 'provider_unavailable'])
  opened(await subscribe(visitor, club, 1))
})

test('A refused page is given up with the reason, and the next call opens another one', async () => {
  const visitor = await shop.visitor(newEmail())
  await fault({ body_match: encodeURIComponent('https://shop.example/refused'), fault: 'status', status: 402 })
  const refused = await subscribe(visitor, club, 0, { return_url: 'https://shop.example/refused' })
  expect([refused.status, refused.body.code]).toEqual([422, 'payment_rejected'])
  expect(await statusOf(visitor)).toBe('removed')
  opened(await subscribe(visitor, club, 0))
})

test('Subscribing by card takes at most 14 statements, and one for each further poll of its page', async () => {
  const visitor = await shop.visitor(newEmail())
  const { code } = await discount(1000, {}, [{ type: 'max_uses_per_user', count: 1 }])
  const statements = await own.said((base) => subscribe(visitor, club, 0, { promo_code: code }, base))
  const polls = statements.filter(({ text }) => text.includes('blocked_by')).length
  expect(statements.length - polls + 1).toBeLessThanOrEqual(14)
})
