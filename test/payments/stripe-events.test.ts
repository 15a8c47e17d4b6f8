// Only signed events of the provider settle a payment; repeated and in any order they lead to the same state.
import { beforeAll, describe, expect, test } from '@jest/globals'
import { strangeBodies } from '../kit/effects/strange-answers.ts'
import {
  atOnce,
  card,
  cardShop,
  connected,
  disputesOf,
  eventsOf,
  hasStatus,
  type Ordered,
  order,
  outcomeOf,
  paidOrder,
  pay,
  paymentOf,
  product,
  read,
  refundsOf,
  requestRefund,
  type Sold,
  sendEvent,
  sim,
  stripe,
  until,
  update,
  webhookSecrets,
} from '../kit/orders/buying.ts'
import { eitherApi, newShop, type Shop, secondApi, unique } from '../kit/shop.ts'

let shop: Shop
let account: string
let tea: Sold
beforeAll(async () => {
  ;({ shop, account, tea } = await cardShop())
})

/** A store of its own whose events are held back, so that a test controls their delivery. */
async function held(): Promise<{ shop: Shop; account: string; tea: Sold }> {
  const own = await cardShop()
  await sim('POST', '/events', { hold: true, account: own.account })
  return own
}

const deliver = (at: string, how: Record<string, unknown> = {}) =>
  sim('POST', '/events/deliver', { account: at, ...how })
const refund = async (at: Shop, orderId: string, amount: number) => (await requestRefund(at, orderId, amount)).body

describe('Authenticity of events', () => {
  const completed = async ({ session }: Ordered) => ({
    type: 'checkout.session.completed',
    account,
    data: {
      object: {
        ...(await stripe(account, `/checkout/sessions/${session}`)),
        status: 'complete',
        payment_status: 'paid',
        payment_intent: `pi_${unique()}`,
      },
    },
  })

  test('An event with an invalid signature is 400 and changes nothing', async () => {
    const made = await order(shop, [tea.item()], card)
    const event = { id: `evt_${unique()}`, ...(await completed(made)) }
    for (const wrong of [
      { secret: 'whsec_guessed' },
      { time: Math.floor(Date.now() / 1000) - 3_600 },
      { time: Math.floor(Date.now() / 1000) + 3_600 },
    ]) {
      const refused = await sendEvent(event, wrong)
      expect([refused.status, refused.body.code]).toEqual([400, 'bad_signature'])
    }
    const bare = await fetch(`${secondApi()}/v1/webhooks/stripe`, { method: 'POST', body: JSON.stringify(event) })
    expect(bare.status).toBe(400)
    expect(await paymentOf(shop, made.order_id)).toMatchObject({ status: 'pending' })
    expect((await sendEvent(event)).status).toBe(200)
    expect(await paymentOf(shop, made.order_id)).toMatchObject({ status: 'paid' })
  })

  test('An event is accepted under the secret of each endpoint', async () => {
    for (const secret of webhookSecrets()) {
      const made = await order(shop, [tea.item()], card)
      expect((await sendEvent({ id: `evt_${unique()}`, ...(await completed(made)) }, { secret })).status).toBe(200)
      expect(await paymentOf(shop, made.order_id)).toMatchObject({ status: 'paid' })
    }
    expect(new Set(webhookSecrets()).size).toBe(2)
  })

  test('Another account’s event is ignored, whatever ids its metadata contains', async () => {
    const foreign = await connected(await newShop())
    const made = await order(shop, [tea.item()], card)
    const event = await completed(made)
    for (const at of [foreign, undefined]) {
      const id = `evt_${unique()}`
      expect((await sendEvent({ id, ...event, account: at })).status).toBe(200)
      expect(await outcomeOf(id)).toBe('ignored: no session of this account')
    }
    const id = `evt_${unique()}`
    await sendEvent({ id, ...event, data: { object: { ...event.data.object, id: 'cs_test_another' } } })
    expect(await outcomeOf(id)).toBe('ignored: another session')
    expect(await paymentOf(shop, made.order_id)).toMatchObject({ status: 'pending', captured_amount: 0 })
    expect(await read(shop, made.order_id)).toMatchObject({ status: 'pending' })
  })

  test('A signed body that is not an event is refused and changes nothing', async () => {
    const whole = { id: `evt_${unique()}`, type: 'price.created', data: { object: { id: 'price_1' } } }
    const wrongs = [
      {},
      { id: undefined },
      { id: 7 },
      { type: null },
      { created: 'now' },
      { created: 1e300 },
      { data: undefined },
      { data: { object: 1 } },
      { account: {} },
      { id: 'evt_\u0000' },
    ]
    for (const wrong of wrongs) {
      const event = Object.keys(wrong).length === 0 ? {} : { ...whole, ...wrong }
      const { status, body } = await sendEvent(event)
      expect([wrong, status, body.code]).toEqual([wrong, 400, 'bad_event'])
    }
    for (const [, raw] of strangeBodies) expect([raw, (await sendEvent({}, { raw })).status]).toEqual([raw, 400])
    // The process that received all of these still answers.
    expect((await sendEvent(whole)).status).toBe(200)
  })

  test('Another account’s event cannot refund or dispute our payment', async () => {
    const foreign = await connected(await newShop())
    const { order_id, payment_intent } = await paidOrder(shop, [tea.item()])
    const ours = await refund(shop, order_id, 100)
    const object = {
      id: `re_${unique()}`,
      status: 'failed',
      amount: 100,
      currency: 'usd',
      payment_intent,
      metadata: { refund: ours.id },
    }
    for (const at of [foreign, undefined]) {
      const id = `evt_${unique()}`
      await sendEvent({ id, type: 'refund.failed', account: at, data: { object } })
      expect(await outcomeOf(id)).toMatch(/^(ignored|waits)/)
    }
    await sendEvent({
      id: `evt_${unique()}`,
      type: 'charge.dispute.created',
      account: foreign,
      created: Math.floor(Date.now() / 1000) - 7_200,
      data: { object: { id: `dp_${unique()}`, status: 'lost', amount: 1000, currency: 'usd', payment_intent } },
    })
    expect(await refundsOf(shop, order_id)).toMatchObject([{ status: 'succeeded', amount: 100 }])
    expect(await disputesOf(shop, order_id)).toEqual([])
    expect(await paymentOf(shop, order_id)).toMatchObject({ refunded_amount: 100 })
  })

  test('An event of an unused type is received and changes nothing', async () => {
    const id = `evt_${unique()}`
    expect((await sendEvent({ id, type: 'price.created', account, data: { object: { id: 'price_1' } } })).body).toEqual(
      { received: true },
    )
    expect(await outcomeOf(id)).toBe('not used')
  })
})

test('An event delivered twenty times at once to two servers is applied once', async () => {
  const own = await held()
  const { order_id, session } = await order(own.shop, [own.tea.item()], card)
  await pay(session)
  const [completed] = await eventsOf(own.account, 'checkout.session.completed')
  const answers = await atOnce(20, () => sendEvent(completed?.event ?? {}, { base: eitherApi() }))
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200))
  const found = await read(own.shop, order_id)
  expect([found.status, found.version]).toEqual(['confirmed', 2])
  expect(await paymentOf(own.shop, order_id)).toMatchObject({
    status: 'paid',
    captured_amount: 1000,
    provider_session_id: session,
  })
})

test('A store with auto_confirm_paid off keeps a paid order pending until it is confirmed', async () => {
  const own = await newShop({ settings: { auto_confirm_paid: false } })
  await connected(own)
  const { order_id } = await paidOrder(own, [(await product(own)).item()])
  expect(await read(own, order_id)).toMatchObject({ status: 'pending', version: 2 })
  expect((await update(own, order_id, { confirm: true })).body).toMatchObject({ status: 'confirmed', version: 3 })
})

test.each([1, 2, 3, 4])(
  'Payment, refund and dispute events lead to one state in any order (round %i)',
  async (round) => {
    const own = await held()
    const { order_id, session } = await order(own.shop, [own.tea.item(2)], card)
    const { payment_intent } = await pay(session)
    // The events at the provider, none of them delivered yet.
    const kept = await sim('POST', `/payments/${payment_intent}/refund`, { amount: 300 })
    const lost = await sim('POST', `/payments/${payment_intent}/refund`, { amount: 500 })
    await sim('POST', `/refunds/${lost.id}/settle`, { status: 'failed' })
    for (const status of ['needs_response', 'under_review', 'lost'])
      await sim('POST', `/payments/${payment_intent}/dispute`, { status })

    const order_ = round === 1 ? 'reverse' : 'shuffle'
    await deliver(own.account, { order: order_, times: 2, parallel: round > 2 })
    await sim('POST', '/events', { hold: false, account: own.account })
    await until(async () => (await eventsOf(own.account)).every(({ state }) => state === 'delivered'), 20_000)

    expect(await read(own.shop, order_id)).toMatchObject({ status: 'confirmed' })
    expect(await paymentOf(own.shop, order_id)).toMatchObject({
      status: 'paid',
      captured_amount: 2000,
      refunded_amount: 300,
      refund_pending_amount: 0,
      error: null,
    })
    const refunds = await refundsOf(own.shop, order_id)
    const seen = refunds.map((one: Record<string, unknown>) => [
      one.provider_refund_id,
      one.amount,
      one.origin,
      one.status,
    ])
    expect(seen.sort()).toEqual(
      [
        [kept.id, 300, 'provider', 'succeeded'],
        [lost.id, 500, 'provider', 'rejected'],
      ].sort(),
    )
    const disputes = await disputesOf(own.shop, order_id)
    expect(disputes).toMatchObject([
      {
        status: 'lost',
        amount: 2000,
        currency: 'USD',
        order_id,
        closed_at: expect.any(Number),
        evidence_due_at: expect.any(Number),
      },
    ])
    expect((await own.shop.asOperator('GET', `/orders/${order_id}/disputes/${disputes[0].id}`)).body).toEqual(
      disputes[0],
    )
  },
)

test('A dispute moves from needs_response over under_review to its end, and never back', async () => {
  const { order_id, payment_intent } = await paidOrder(shop, [tea.item()])
  const move = async (status: string) => {
    await sim('POST', `/payments/${payment_intent}/dispute`, { status })
    return until(async () => {
      const [one] = await disputesOf(shop, order_id)
      return one?.status === status && one
    })
  }
  expect(await move('needs_response')).toMatchObject({ amount: 1000, reason: 'fraudulent', closed_at: null })
  expect(await move('under_review')).toMatchObject({ closed_at: null })
  expect(await move('won')).toMatchObject({ closed_at: expect.any(Number) })
  const events = (await eventsOf(account)).filter(
    ({ type, event }) => type.startsWith('charge.dispute.') && event.data.object.payment_intent === payment_intent,
  )
  expect(events).toHaveLength(3)
  // The same events under new ids: older states change nothing.
  for (const { event } of events.reverse()) await sendEvent({ ...event, id: `evt_${unique()}` })
  expect(await disputesOf(shop, order_id)).toMatchObject([{ status: 'won', closed_at: expect.any(Number) }])
})

test('An inquiry is recorded as a warning', async () => {
  const { order_id, payment_intent } = await paidOrder(shop, [tea.item()])
  await sim('POST', `/payments/${payment_intent}/dispute`, { status: 'warning_needs_response' })
  await until(async () => (await disputesOf(shop, order_id))[0]?.status === 'warning')
})

test('A dashboard refund becomes a record and leaves the rest refundable', async () => {
  const { order_id, payment_intent } = await paidOrder(shop, [tea.item()])
  await sim('POST', `/payments/${payment_intent}/refund`, { amount: 600 })
  await until(async () => (await paymentOf(shop, order_id)).refunded_amount === 600)
  expect(await refundsOf(shop, order_id)).toMatchObject([{ origin: 'provider', status: 'succeeded', amount: 600 }])
  expect(await refund(shop, order_id, 401)).toMatchObject({ code: 'amount_exceeds_refundable' })
  expect(await refund(shop, order_id, 400)).toMatchObject({ status: 'succeeded' })
})

test('A refund answered with pending is processing and keeps its amount until the event', async () => {
  const { order_id } = await paidOrder(shop, [tea.item()])
  for (const [end, left] of [
    ['failed', 0],
    ['succeeded', 1000],
  ] as const) {
    await sim('POST', '/next_refund', { status: 'pending', account })
    const asked = await refund(shop, order_id, 1000)
    expect(asked).toMatchObject({ status: 'processing', answered_at: expect.any(Number) })
    expect(await paymentOf(shop, order_id)).toMatchObject({ refund_pending_amount: 1000, refunded_amount: 0 })
    expect(await update(shop, order_id, { cancel: true })).toMatchObject({
      status: 409,
      body: { code: 'refund_in_progress' },
    })
    await sim('POST', `/refunds/${asked.provider_refund_id}/settle`, { status: end })
    await until(async () => (await paymentOf(shop, order_id)).refund_pending_amount === 0)
    expect(await paymentOf(shop, order_id)).toMatchObject({ refunded_amount: left })
    const found = (await shop.asOperator('GET', `/orders/${order_id}/refunds/${asked.refund_id}`)).body
    expect(found.status).toBe(end === 'failed' ? 'rejected' : 'succeeded')
  }
})

test('A refund that fails later at the bank is rejected, and its amount is refundable again', async () => {
  const { order_id } = await paidOrder(shop, [tea.item()])
  const first = await refund(shop, order_id, 1000)
  expect(first).toMatchObject({ status: 'succeeded' })
  await sim('POST', `/refunds/${first.provider_refund_id}/settle`, { status: 'failed' })
  await until(async () => (await paymentOf(shop, order_id)).refunded_amount === 0)
  expect(await refundsOf(shop, order_id)).toMatchObject([{ status: 'rejected', error: { code: 'refund_failed' } }])
  expect(await refund(shop, order_id, 1000)).toMatchObject({ status: 'succeeded' })
  await until(async () => (await paymentOf(shop, order_id)).refunded_amount === 1000)
})

test('An order is confirmed by the event, not by reading the payment page', async () => {
  const own = await held()
  const { order_id, session, visitor } = await order(own.shop, [own.tea.item()], card)
  await pay(session)
  expect((await stripe(own.account, `/checkout/sessions/${session}`)).payment_status).toBe('paid')
  expect((await visitor.call('GET', `/orders/${order_id}`)).body).toMatchObject({ status: 'pending' })
  await sim('POST', '/events', { hold: false, account: own.account })
  await hasStatus(own.shop, order_id, 'confirmed')
})
