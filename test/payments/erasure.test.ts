// What a buyer pays, and what becomes unknown, while a business is deleted: nothing is lost from the record.
import { afterAll, beforeEach, expect, jest, test } from '@jest/globals'
import { newId } from '../../entities/kit/ids.ts'
import {
  card,
  cardShop,
  fault,
  order,
  pay,
  paymentOf,
  requestRefund,
  type Sold,
  sim,
  stripe,
  until,
} from '../kit/orders/buying.ts'
import { database, http, operator, type Shop } from '../kit/shop.ts'

jest.setTimeout(90_000)
let shop: Shop
let account: string
let tea: Sold
beforeEach(async () => {
  ;({ shop, account, tea } = await cardShop())
})
afterAll(() => database().end())

const erasureOf = async () =>
  (
    await database().query('select id, status, message, needs_attention, open from erasures where erased_id = $1', [
      shop.store_id,
    ])
  ).rows[0]
async function erase(): Promise<void> {
  await database().query("update tenants set kind = 'business' where id = $1", [shop.store_id])
  const { status, body } = await http('DELETE', `/v1/businesses/${shop.store_id}`, { headers: shop.op.headers })
  expect([status, body]).toEqual([200, { success: true }])
}
const gone = () => until(async () => ['deleted', 'succeeded'].includes((await erasureOf()).status), 60_000)
const asOwner = (method: 'GET' | 'POST', path: string, body?: object) =>
  http(method, `/v1/erasures${path}`, { headers: shop.op.headers, ...(body ? { body } : {}) })

test('A buyer who pays a form that the deletion of a business left open gets the money back', async () => {
  const { session } = await order(shop, [tea.item()], card)
  await fault({ path: `/v1/checkout/sessions/${session}/expire`, fault: 'status', status: 503, times: 50 })
  const erasing = erase()
  await until(async () => (await erasureOf()) !== undefined)
  const { payment_intent } = await pay(session)
  await until(
    async () => (await stripe(account, `/refunds?payment_intent=${payment_intent}`)).data.length === 1,
    30_000,
  )
  await erasing
  await gone()
  const refunds = (await stripe(account, `/refunds?payment_intent=${payment_intent}`)).data as {
    amount: number
    status: string
  }[]
  const charge = (await stripe(account, `/charges?payment_intent=${payment_intent}`)).data[0]
  expect(refunds).toMatchObject([{ amount: charge.amount_captured, status: 'succeeded' }])
})

/** A refund that was in flight when the deletion began, and whose outcome is unknown now. */
async function lostRefund(): Promise<{ refund: string; erasure: string }> {
  const { order_id, session } = await order(shop, [tea.item()], card)
  await pay(session)
  await until(async () => (await paymentOf(shop, order_id)).status === 'paid')
  const { refund_id } = (await requestRefund(shop, order_id, 100, { status: 500 })).body
  const { rows } = await database().query(
    "update refunds set status = 'processing' where refund_id = $1 and status = 'unknown' returning id",
    [refund_id],
  )
  const erasing = erase()
  await until(async () => (await erasureOf()) !== undefined)
  await database().query("update refunds set status = 'unknown', needs_attention = true where id = $1", [rows[0].id])
  await until(async () => (await erasureOf()).needs_attention, 60_000)
  await erasing
  return { refund: rows[0].id, erasure: (await erasureOf()).id }
}

/** The bank returned a part of the payment of a refund. */
const loseDispute = (refund: string, amount: number) =>
  database().query(
    `insert into disputes (id, tenant_id, created_at, updated_at, order_id, payment_id, provider_account_id, provider_dispute_id, status, amount, currency, event_at)
     select $1::uuid, tenant_id, 1, 1, order_id, payment_id, provider_account_id, 'dp_' || $1::text, 'lost', $3, currency, 1 from refunds where id = $2`,
    [newId(), refund, amount],
  )

test('A deletion waits for a refund that became unknown, until who asked for it resolves that', async () => {
  const { refund, erasure } = await lostRefund()
  expect((await asOwner('GET', '')).body.items).toMatchObject([{ id: erasure, needs_attention: true }])
  expect((await asOwner('GET', `/${erasure}`)).body.items).toMatchObject([
    { id: refund, kind: 'refund', status: 'unknown', amount: 100 },
  ])
  const stranger = await operator()
  expect((await http('GET', `/v1/erasures/${erasure}`, { headers: stranger.headers })).status).toBe(404)
  expect(
    (await asOwner('POST', `/${erasure}/resolve`, { id: refund, outcome: 'rejected', note: 'It is not there.' })).body,
  ).toEqual({ item: null })
  await gone()
  expect((await database().query('select 1 from refunds where id = $1', [refund])).rows).toEqual([])
  expect((await asOwner('POST', `/${erasure}/continue`, { note: 'x' })).body.code).toBe('erasure_over')
  expect((await asOwner('GET', `/${erasure}`)).body.open).toMatchObject({
    items: [],
    rows: [],
    undelivered: [{ status: 'not_delivered', amount: 1_000 }],
  })
})

test('A deletion that goes on with an unknown refund keeps it in its own row', async () => {
  const { refund, erasure } = await lostRefund()
  await loseDispute(refund, 200)
  expect((await asOwner('POST', `/${erasure}/continue`, { note: 'The provider does not answer.' })).status).toBe(200)
  await gone()
  expect((await asOwner('GET', `/${erasure}`)).body).toMatchObject({
    continued: { account_id: shop.op.account_id, note: 'The provider does not answer.' },
    open: {
      items: [{ id: refund, kind: 'refund', amount: 100, provider_payment_id: expect.stringMatching(/^pi_/) }],
      // The order was paid, and not shipped. The refund may have returned a part, which the item has.
      undelivered: [
        { table: 'payments', status: 'not_delivered', amount: 700, provider_payment_id: expect.stringMatching(/^pi_/) },
      ],
    },
  })
})

test('A deletion that waits for a refund the provider holds needs a person, who can give it up', async () => {
  const { order_id, session } = await order(shop, [tea.item()], card)
  await pay(session)
  await until(async () => (await paymentOf(shop, order_id)).status === 'paid')
  await sim('POST', '/events', { hold: true, account })
  await sim('POST', '/next_refund', { status: 'pending', account })
  const { id } = (await requestRefund(shop, order_id, 100)).body
  await until(
    async () =>
      (await database().query('select status, answered_at from refunds where id = $1', [id])).rows[0].answered_at !==
      null,
  )
  await erase()
  expect(await erasureOf()).toMatchObject({ needs_attention: false })
  const { id: erasure } = await erasureOf()
  expect((await asOwner('POST', `/${erasure}/continue`, { note: 'x' })).body.code).toBe('erasure_goes_on')
  expect((await http('DELETE', '/v1/accounts', { headers: shop.op.headers })).body.code).toBe('referenced')
  await database().query("update refunds set answered_at = now() - interval '61 minutes' where id = $1", [id])
  await until(async () => (await erasureOf()).needs_attention, 60_000)
  expect((await asOwner('GET', `/${erasure}`)).body.items).toMatchObject([
    { id, kind: 'refund', status: 'processing', amount: 100, choices: [] },
  ])
  expect((await asOwner('POST', `/${erasure}/continue`, { note: 'The bank holds it.' })).status).toBe(200)
  await gone()
  const { open } = (await asOwner('GET', `/${erasure}`)).body
  expect(open).toMatchObject({
    items: [{ id }],
    rows: [{ id, status: 'processing', amount: 100 }],
    undelivered: [{ amount: 900 }],
  })
})
