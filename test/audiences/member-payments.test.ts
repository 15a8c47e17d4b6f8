// Payments of a member are listed over all subscriptions, and refunds of one never exceed what was captured.
import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from '@jest/globals'
import {
  intentOf,
  newPaidClub,
  newPaidMember,
  newPayment,
  type PaidClub,
  type PaidMember,
} from '../kit/audiences/paid-members.ts'
import { atOnce, connected, fault, ledger, refusalOf, sim, until } from '../kit/orders/buying.ts'
import { type Answer, database, eitherApi, newShop, operator, type Shop } from '../kit/shop.ts'

let shop: Shop
let account: string
let club: PaidClub
beforeAll(async () => {
  shop = await newShop()
  account = await connected(shop)
  club = await newPaidClub(shop, account)
})

type Paid = PaidMember & { invoice: string; payment_id: string; at: string }

/** A member with one payment of 5.00 USD. */
async function paid(more: Record<string, unknown> = {}): Promise<Paid> {
  const member = await newPaidMember(shop, club)
  const payment_id = await newPayment(shop, account, member, more)
  return { ...member, payment_id, at: `${member.path}/payments/${payment_id}` }
}
const paymentAt = async ({ at }: { at: string }) => (await shop.asOperator('GET', at)).body
const refund = ({ at }: Paid, body: Record<string, unknown>, base?: string): Promise<Answer> =>
  shop.asOperator('POST', `${at}/refunds`, { refund_id: randomUUID(), ...body }, base)
const sentFor = async (payment: Paid) => {
  const ids = (await database().query('select id from refunds where payment_id = $1', [payment.payment_id])).rows.map(
    ({ id }) => id,
  )
  return (await ledger(account, '/v1/refunds')).filter(({ metadata }) => ids.includes(metadata.refund))
}

test("A refund of a membership's payment finds the payment intent by the invoice and records it", async () => {
  const payment = await paid()
  expect(await paymentAt(payment)).toMatchObject({ kind: 'initial', captured_amount: 500, disputes: [] })
  const answer = await refund(payment, { amount: 200 })
  expect([answer.status, answer.body]).toMatchObject([
    201,
    { amount: 200, status: 'succeeded', payment_id: payment.payment_id, origin: 'operator' },
  ])
  expect(answer.body).toMatchObject({ subscription_id: payment.subscription_id })
  expect(answer.body).not.toHaveProperty('order_id')
  const after = await paymentAt(payment)
  expect(after).toMatchObject({ refunded_amount: 200, provider_payment_id: await intentOf(account, payment.invoice) })
  expect(await sentFor(payment)).toMatchObject([{ times: 1, metadata: { subscription: payment.subscription_id } }])
  const { items } = (await shop.asOperator('GET', `${payment.path}/refunds`)).body
  expect(items.map(({ refund_id }: { refund_id: string }) => refund_id)).toEqual([answer.body.refund_id])
  expect((await shop.asOperator('GET', `${payment.at}/refunds/${answer.body.refund_id}`)).body).toEqual(items[0])
  const { audience_id } = club
  const all = (await shop.asOperator('GET', '/refunds')).body.items
  expect(all).toEqual([
    expect.objectContaining({
      refund_id: answer.body.refund_id,
      audience_id,
      member_id: payment.member_id,
      order_id: null,
    }),
  ])
})

test('A refund records the payment intent of a payment that a read found to have none', async () => {
  const payment = await paid({ evidence: JSON.stringify({ payment_intent: 'none' }) })
  expect((await refund(payment, { amount: 200 })).body).toMatchObject({ status: 'succeeded' })
  expect(await paymentAt(payment)).toMatchObject({ provider_payment_id: await intentOf(account, payment.invoice) })
})

test('Eight racing refunds through two servers never exceed what was captured', async () => {
  const payment = await paid()
  const answers = await atOnce(8, () => refund(payment, { amount: 150 }, eitherApi()))
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 201, 422, 422, 422, 422, 422])
  expect(await paymentAt(payment)).toMatchObject({ refunded_amount: 450, refund_pending_amount: 0 })
  expect((await sentFor(payment)).filter(({ effect }) => effect)).toHaveLength(3)
})

test('Eight racing refunds without an amount send one refund of all that is left', async () => {
  const payment = await paid()
  expect((await refund(payment, { amount: 120 })).status).toBe(201)
  const answers = await atOnce(8, () => refund(payment, {}, eitherApi()))
  expect(answers.map(({ status, body }) => (status === 201 ? body.amount : body.code)).sort()).toEqual(
    [380, ...Array(7).fill('nothing_to_refund')].sort(),
  )
  expect(await paymentAt(payment)).toMatchObject({ refunded_amount: 500 })
  expect((await shop.asOperator('GET', `${payment.path}/refunds`)).body.items).toHaveLength(2)
})

test('A refund without an amount is replayed with and without it, and conflicts with another', async () => {
  const payment = await paid()
  const refund_id = randomUUID()
  const answers = await atOnce(8, (n) => refund(payment, { refund_id, ...(n % 2 ? { amount: 500 } : {}) }, eitherApi()))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 200, 200, 201])
  expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1)
  expect((await refund(payment, { refund_id })).status).toBe(200)
  expect((await refund(payment, { refund_id, amount: 500 })).status).toBe(200)
  expect(refusalOf(await refund(payment, { refund_id, amount: 499 }))).toEqual([409, undefined, 'idempotency_conflict'])
  const other = await paid()
  expect(refusalOf(await refund(other, { refund_id }))).toEqual([409, undefined, 'idempotency_conflict'])
  expect(await sentFor(payment)).toMatchObject([{ times: 1 }])
})

test('A refund that is larger than what is left is recorded and refused again by a replay', async () => {
  const payment = await paid()
  const refund_id = randomUUID()
  for (const amount of [501, 501])
    expect(refusalOf(await refund(payment, { refund_id, amount }))).toEqual([
      422,
      '/amount',
      'amount_exceeds_refundable',
    ])
  expect(await sentFor(payment)).toEqual([])
  const { items } = (await shop.asOperator('GET', `${payment.path}/refunds?status=failed`)).body
  expect(items).toMatchObject([{ refund_id, status: 'failed' }])
})

test('An unknown refund of a member is not sent again and is resolved by an owner', async () => {
  const payment = await paid({ provider_payment_id: 'pi_unknown' })
  const refund_id = randomUUID()
  await fault({ body_match: refund_id, fault: 'reset_after_read' })
  expect((await refund(payment, { refund_id })).body).toMatchObject({
    status: 'unknown',
    amount: 500,
    needs_attention: true,
  })
  expect((await refund(payment, { refund_id })).body).toMatchObject({ status: 'unknown' })
  expect(refusalOf(await refund(payment, {}))).toEqual([409, undefined, 'nothing_to_refund'])
  expect(await sentFor(payment)).toMatchObject([{ times: 1 }])
  const resolve = (body: unknown) => shop.asOperator('POST', `${payment.at}/refunds/${refund_id}/resolve`, body)
  const admin = await operator()
  await shop.asOperator('POST', '/members', { email: admin.email, role: 'admin' })
  const outcome = { outcome: 'rejected', note: 'not in the dashboard' }
  expect((await shop.as(admin, 'POST', `${payment.at}/refunds/${refund_id}/resolve`, outcome)).status).toBe(403)
  expect((await resolve(outcome)).body).toMatchObject({ status: 'rejected', resolution: { note: outcome.note } })
  expect(await paymentAt(payment)).toMatchObject({ refund_unknown_amount: 0, refunded_amount: 0 })
  expect((await resolve({ ...outcome, outcome: 'succeeded', replaces: 'rejected' })).body).toMatchObject({
    status: 'succeeded',
    resolution: { before: { note: outcome.note } },
  })
})

test('Refunds and disputes of the dashboard find the payment of a member by its intent', async () => {
  const member = await newPaidMember(shop, club)
  const intent = await intentOf(account, member.invoice)
  const payment_id = await newPayment(shop, account, member, { provider_payment_id: intent })
  const payment = { ...member, payment_id, at: `${member.path}/payments/${payment_id}` }
  await sim('POST', `/payments/${intent}/refund`, { amount: 100 })
  await sim('POST', `/payments/${intent}/dispute`, { amount: 300 })
  const found = await until(async () => {
    const now = await paymentAt(payment)
    return now.refunded_amount === 100 && now.disputes.length === 1 && now
  })
  expect(found.disputes).toMatchObject([{ amount: 300, payment_id }])
  expect(found.disputes[0]).not.toHaveProperty('order_id')
  expect((await shop.asOperator('GET', `${member.path}/refunds`)).body.items).toMatchObject([
    { origin: 'provider', amount: 100, status: 'succeeded' },
  ])
  expect(refusalOf(await refund(payment, { amount: 401 }))).toEqual([422, '/amount', 'amount_exceeds_refundable'])
})

test('The payments of a member are those of all subscriptions and of no other member', async () => {
  const payment = await paid()
  const { rows } = await database().query(
    `insert into subscriptions (id, created_at, updated_at, tenant_id, member_id, tier_id, price_id, kind, status, amount, currency, interval, ended_at)
     select gen_random_uuid(), 1, 1, tenant_id, member_id, tier_id, price_id, kind, 'ended', amount, currency, interval, 1 from subscriptions where id = $1 returning id`,
    [payment.subscription_id],
  )
  const renewal = await newPayment(
    shop,
    account,
    { subscription_id: rows[0].id, invoice: `in_${randomUUID()}` },
    { kind: 'renewal', created_at: 1 },
  )
  const other = await paid()
  const list = async (query = '') =>
    (await shop.asOperator('GET', `${payment.path}/payments${query}`)).body.items.map(({ id }: { id: string }) => id)
  expect(await list()).toEqual([payment.payment_id, renewal])
  expect(await list('?kind=renewal')).toEqual([renewal])
  expect(await list('?status=pending')).toEqual([])
  expect((await shop.asOperator('GET', `${other.path}/payments/${payment.payment_id}`)).status).toBe(404)
  expect(
    (await shop.asOperator('POST', `${other.path}/payments/${payment.payment_id}/refunds`, { refund_id: randomUUID() }))
      .status,
  ).toBe(404)
  const stranger = await newShop()
  expect((await stranger.asOperator('GET', `${payment.path}/payments`)).status).toBe(404)
  expect((await stranger.asOperator('POST', `${payment.at}/refunds`, { refund_id: randomUUID() })).status).toBe(404)
})
