// Signed events in any order, early, or with the account's own metadata: payment sums equal the provider's, and a
// failure stays a failure.
import { beforeAll, describe, expect, test } from '@jest/globals'
import { stripeApi } from '../kit/effects/provider.ts'
import {
  card,
  cardShop,
  disputesOf,
  eventsOf,
  order,
  outcomeOf,
  paidOrder,
  paidTooLate,
  pay,
  paymentOf,
  refundsOf,
  requestRefund,
  type Sold,
  sendEvent,
  sim,
  until,
} from '../kit/orders/buying.ts'
import { database, type Shop, unique } from '../kit/shop.ts'

let shop: Shop
let account: string
let tea: Sold
beforeAll(async () => {
  ;({ shop, account, tea } = await cardShop({ amount: 5000 }))
})

const refund = async (orderId: string, amount: number, meets?: Record<string, unknown>) =>
  (await requestRefund(shop, orderId, amount, meets)).body
/** A refund that the account's owner makes with a key of their own. */
const ownRefund = (payment_intent: string, amount: number, names: string) =>
  stripeApi<{ id: string }>(account, '/v1/refunds', {
    payment_intent,
    amount: String(amount),
    'metadata[refund]': names,
  })
const amounts = async (orderId: string) => {
  const { refunded_amount, refund_pending_amount, refund_unknown_amount, error } = await paymentOf(shop, orderId)
  return { refunded_amount, refund_pending_amount, refund_unknown_amount, error }
}
const none = { refunded_amount: 0, refund_pending_amount: 0, refund_unknown_amount: 0, error: null }

test.each(['before', 'after'])(
  'A refund that failed at the bank stays rejected; its resolution %s the event keeps it',
  async (when) => {
    const { order_id } = await paidOrder(shop, [tea.item()])
    await sim('POST', '/events', { hold: true, account })
    const lost = await refund(order_id, 5000, { fault: 'reset_after_read', after_effect: true })
    expect(lost.status).toBe('unknown')
    const created = (await eventsOf(account, 'refund.created')).find(({ event }) =>
      JSON.stringify(event).includes(lost.refund_id),
    )
    const provider_refund_id = created?.event.data.object.id
    await sim('POST', `/refunds/${provider_refund_id}/settle`, { status: 'failed' })
    // The operator has looked it up: it failed.
    const resolve = () =>
      shop.asOperator('POST', `/orders/${order_id}/refunds/${lost.refund_id}/resolve`, {
        outcome: 'rejected',
        note: 'looked it up',
      })
    const told = (await eventsOf(account)).filter(({ event }) => event.data.object.id === provider_refund_id)
    expect(told.map(({ type }) => type)).toEqual(['refund.created', 'refund.updated', 'refund.failed'])
    if (when === 'before') await resolve()
    await sim('POST', '/events/deliver', {
      ids: told
        .slice(1)
        .map(({ id }) => id)
        .reverse(),
    })
    if (when === 'after') await resolve()
    for (let times = 0; times < 2; times++) await sendEvent({ ...told[0]?.event, id: `evt_${unique()}` })
    await sim('POST', '/events', { hold: false, account })
    expect(await refundsOf(shop, order_id)).toMatchObject([{ status: 'rejected', provider_refund_id }])
    expect(await amounts(order_id)).toEqual(none)
  },
)

test.each([
  ['failed', 'rejected', 0],
  ['succeeded', 'succeeded', 2000],
])(
  'A dashboard refund without a recorded outcome that %s is settled by its event',
  async (status, becomes, refunded_amount) => {
    const { order_id, payment_intent } = await paidOrder(shop, [tea.item()])
    await sim('POST', '/next_refund', { status: 'pending', account })
    const { id } = await sim('POST', `/payments/${payment_intent}/refund`, { amount: 2000 })
    await until(async () => (await refundsOf(shop, order_id))[0])
    // As the migration writes it.
    await database().query(
      `update refunds set status = 'unknown', needs_attention = true, answered_at = null where order_id = $1`,
      [order_id],
    )
    await sim('POST', `/refunds/${id}/settle`, { status })
    await until(async () => (await refundsOf(shop, order_id))[0].status !== 'unknown')
    expect(await refundsOf(shop, order_id)).toMatchObject([
      { status: becomes, needs_attention: false, provider_refund_id: id },
    ])
    expect(await amounts(order_id)).toEqual({ ...none, refunded_amount })
  },
)

test('An account’s refund that names ours with another amount is recorded beside it', async () => {
  const { order_id, payment_intent } = await paidOrder(shop, [tea.item()])
  const ours = await refund(order_id, 1000)
  const theirs = await ownRefund(payment_intent, 500, ours.id)
  await until(async () => (await refundsOf(shop, order_id)).length === 2)
  expect(await refundsOf(shop, order_id)).toMatchObject([
    { status: 'succeeded', origin: 'provider', amount: 500, provider_refund_id: theirs.id },
    { status: 'succeeded', origin: 'operator', amount: 1000, provider_refund_id: ours.provider_refund_id },
  ])
  expect(await amounts(order_id)).toEqual({ ...none, refunded_amount: 1500 })
})

test('An account’s refund that names ours on another payment is recorded with its payment', async () => {
  const [one, other] = [await paidOrder(shop, [tea.item()]), await paidOrder(shop, [tea.item()])]
  const asked = refund(one.order_id, 700, { fault: 'delay', delay_ms: 2_500 })
  const ours = await until(async () => (await refundsOf(shop, one.order_id))[0])
  const theirs = await ownRefund(other.payment_intent, 700, ours.id)
  await until(async () => (await refundsOf(shop, other.order_id))[0])
  expect(await refundsOf(shop, other.order_id)).toMatchObject([
    { status: 'succeeded', origin: 'provider', provider_refund_id: theirs.id },
  ])
  expect(await asked).toMatchObject({ status: 'succeeded', provider_refund_id: expect.not.stringContaining(theirs.id) })
  expect(await amounts(one.order_id)).toEqual({ ...none, refunded_amount: 700 })
})

test('An account’s refund that names a resolved or unsent one of ours is recorded beside it', async () => {
  const { order_id, payment_intent } = await paidOrder(shop, [tea.item()])
  const lost = await refund(order_id, 600, { fault: 'status', status: 500, after_effect: true })
  await shop.asOperator('POST', `/orders/${order_id}/refunds/${lost.refund_id}/resolve`, {
    outcome: 'succeeded',
    note: 'looked it up',
  })
  await until(async () => (await refundsOf(shop, order_id))[0].provider_refund_id)
  expect(await refund(order_id, 9000)).toMatchObject({ code: 'amount_exceeds_refundable' })
  const tooMuch = (await refundsOf(shop, order_id)).find(({ status }: { status: string }) => status === 'failed')
  await ownRefund(payment_intent, 600, lost.id)
  await ownRefund(payment_intent, 400, tooMuch.id)
  await until(async () => (await paymentOf(shop, order_id)).refunded_amount === 1600)
  expect(await refundsOf(shop, order_id)).toHaveLength(4)
})

describe('Early events', () => {
  const hours = 3_600
  /** A page that was paid two hours ago, and of which no event was delivered. */
  async function paidUnseen() {
    await sim('POST', '/events', { hold: true, account })
    const made = await order(shop, [tea.item()], card)
    const { payment_intent } = await pay(made.session)
    return { ...made, payment_intent: String(payment_intent) }
  }
  /** The provider's events for a payment as they arrive after an outage: newest first, all of them old. */
  async function toldLate(of: { session: string; payment_intent: string }) {
    const made = (await eventsOf(account)).filter(({ event }) => event.data.object.payment_intent === of.payment_intent)
    const now = Math.floor(Date.now() / 1000)
    const all = made.map(({ event }, n) => ({
      ...event,
      id: `evt_${unique()}`,
      created: now - 2 * hours + n,
      type: String(event.type),
    }))
    const session = all.filter(({ type }) => type.startsWith('checkout.session.'))
    return {
      early: all.filter((one) => !session.includes(one) && /^(refund|charge\.dispute)\./.test(one.type)).reverse(),
      session,
    }
  }
  const send = async (events: { id: string }[]) => {
    for (const event of events) expect((await sendEvent(event)).status).toBe(200)
  }

  test('A lost dispute that precedes a payment that is too late leaves nothing to refund', async () => {
    const paid = await paidUnseen()
    await database().query(
      `update orders set status = 'cancelled', hold_until = null, cancelled_at = updated_at where id = $1`,
      [paid.order_id],
    )
    await database().query(`update payments set status = 'cancelled' where order_id = $1`, [paid.order_id])
    await sim('POST', `/payments/${paid.payment_intent}/dispute`, { status: 'lost' })
    const { early, session } = await toldLate(paid)
    await send(early)
    await send(session)
    expect(await disputesOf(shop, paid.order_id)).toMatchObject([{ status: 'lost', amount: 5000 }])
    expect([await refundsOf(shop, paid.order_id), (await paymentOf(shop, paid.order_id)).error]).toEqual([[], null])
  })

  test('Events that arrive before their payment are applied with it, once, however old', async () => {
    const paid = await paidUnseen()
    const kept = await sim('POST', `/payments/${paid.payment_intent}/refund`, { amount: 300 })
    const lost = await sim('POST', `/payments/${paid.payment_intent}/refund`, { amount: 500 })
    await sim('POST', `/refunds/${lost.id}/settle`, { status: 'failed' })
    for (const status of ['needs_response', 'under_review'])
      await sim('POST', `/payments/${paid.payment_intent}/dispute`, { status })
    const { early, session } = await toldLate(paid)
    expect(early.length).toBeGreaterThanOrEqual(5)
    await send(early)
    for (const { id } of early) expect(await outcomeOf(id)).toBe('waits for its payment')
    await send(session)
    const both = [
      ['rejected', 500, lost.id],
      ['succeeded', 300, kept.id],
    ]
    for (let times = 0; times < 2; times++) {
      expect(await amounts(paid.order_id)).toEqual({ ...none, refunded_amount: 300 })
      const seen = (await refundsOf(shop, paid.order_id)).map((one: Record<string, unknown>) => [
        one.status,
        one.amount,
        one.provider_refund_id,
      ])
      expect(seen.sort()).toEqual(both)
      expect(await disputesOf(shop, paid.order_id)).toMatchObject([{ status: 'under_review', amount: 5000 }])
      await send(early)
    }
    const { rows } = await database().query(
      'select count(*)::int as left from provider_events where id = any($1) and payment_intent is not null',
      [early.map(({ id }) => id)],
    )
    expect(rows).toEqual([{ left: 0 }])
    await sim('POST', '/events', { hold: false, account })
  })

  test('Early refund events are counted before the system refunds a late payment', async () => {
    const late = await paidTooLate(shop, account, [tea.item()], async () => {
      const completed = (await eventsOf(account, 'checkout.session.completed')).findLast(
        ({ state }) => state === 'held',
      )
      const payment_intent = String(completed?.event.data.object.payment_intent)
      await sim('POST', `/payments/${payment_intent}/refund`, { amount: 2000 })
      const { early } = await toldLate({ session: '', payment_intent })
      await send(early)
    })
    await until(async () => (await paymentOf(shop, late.order_id)).refunded_amount === 5000)
    const refunds = (await refundsOf(shop, late.order_id)).map(
      ({ origin, amount, status }: Record<string, unknown>) => [origin, amount, status],
    )
    expect(refunds.sort()).toEqual([
      ['provider', 2000, 'succeeded'],
      ['system', 3000, 'succeeded'],
    ])
  })

  test('Events of an account without a store are ignored', async () => {
    const id = `evt_${unique()}`
    const object = {
      id: `re_${unique()}`,
      status: 'succeeded',
      amount: 100,
      currency: 'usd',
      payment_intent: `pi_${unique()}`,
    }
    await send([{ id, type: 'refund.created', account: `acct_${unique()}`, data: { object } } as { id: string }])
    expect(await outcomeOf(id)).toMatch(/^ignored/)
  })
})
