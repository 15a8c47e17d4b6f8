// One decision about an authorised payment, in whichever order requests, events and answers meet: captured or
// cancelled, and never lost.
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { readBookings } from '../../entities/bookings/booking-records.ts'
import { type Orm, openOrm, unitOf } from '../../entities/kit/database/orm.ts'
import { giveUp } from '../../entities/kit/effects.ts'
import { newId } from '../../entities/kit/ids.ts'
import { Order } from '../../entities/orders/order.ts'
import { releaseCheckout } from '../../entities/orders/release.ts'
import { authorizationEndEffect } from '../../entities/payments/authorizations.ts'
import { checkoutStep } from '../../entities/payments/checkout-steps.ts'
import { type Approvals, approvals } from '../kit/bookings/approving.ts'
import { scheduleOf } from '../kit/bookings/booking.ts'
import { atOnce, eventsOf, fault, pay, sim, until } from '../kit/orders/buying.ts'
import { type Answer, database } from '../kit/shop.ts'

let desk: Approvals
let orm: Orm
beforeAll(async () => {
  orm = await openOrm({ url: process.env.DATABASE_URL as string, pool: 2 })
  desk = await approvals()
}, 60_000)
afterEach(async () => {
  await sim('POST', '/events', { hold: false, account: desk.account })
  const { taken, booked } = await scheduleOf(desk.shop.store_id)
  expect(taken).toEqual(booked)
})
afterAll(async () => {
  await orm.close()
  await database().end()
})

const holdEvents = () => sim('POST', '/events', { hold: true, account: desk.account })
const code = ({ status, body }: Answer) => [status, body.code ?? body.status]
/** As the order that the booking is. */
async function putOrder(id: string, change: object): Promise<Answer> {
  const { version } = (await desk.op('GET', `/orders/${id}`)).body
  return desk.op('PUT', `/orders/${id}`, { version, ...change })
}
const cancelled = (id: string) => until(async () => (await desk.read(id)).payment.status === 'cancelled')
/** A person captures it in the provider's dashboard. */
async function captureByDashboard(intent: string): Promise<void> {
  const headers = {
    authorization: `Bearer ${process.env.STRIPE_SECRET_KEY}`,
    'stripe-account': desk.account,
    'idempotency-key': newId(),
  }
  const answer = await fetch(`${process.env.TEST_STRIPE}/v1/payment_intents/${intent}/capture`, {
    method: 'POST',
    headers,
  })
  if (!answer.ok) throw new Error(`not captured: ${await answer.text()}`)
}
/** Writes a decision whose workflow is not started. */
async function decide(id: string, kind: 'capture' | 'cancel', status: string): Promise<string> {
  const end = newId()
  await database().query(
    `insert into authorization_ends (id, tenant_id, created_at, updated_at, order_id, payment_id, kind, confirms_as, provider_account_id, provider_payment_id, amount, currency, status, fingerprint)
     select $1, tenant_id, 1, 1, order_id, id, $3::text, case when $3 = 'capture' then 'confirmed' end, provider_account_id, provider_payment_id, amount, currency, $4, '' from payments where order_id = $2`,
    [end, id, kind, status],
  )
  return end
}
const stepOf = async (id: string) => (await checkoutStep(unitOf(orm, null), id)).do

describe('The route of the order', () => {
  test.each([{ cancel: true }, { bookingItems: [] }])(
    'Cancels the authorisation of a booking that it cancels: %j',
    async (change) => {
      const { id, intent } = await desk.authorized()
      expect(code(await putOrder(id, change))).toEqual([200, 'cancelled'])
      expect((await desk.read(id)).status).toBe('CANCELLED')
      await cancelled(id)
      expect([await desk.sent(intent, 'cancel'), await desk.sent(intent, 'capture')]).toEqual([1, 0])
    },
  )

  test('A confirmed booking whose form is open is cancelled when the form is closed', async () => {
    const { id } = await desk.asked()
    expect((await desk.put(id, { status: 'CONFIRMED' })).body.status).toBe('CONFIRMED')
    expect(code(await putOrder(id, { cancel: true }))).toEqual([200, 'cancelled'])
    expect(await desk.read(id)).toMatchObject({
      status: 'CANCELLED',
      cancelReason: 'requested',
      payment: { status: 'cancelled' },
    })
  })

  test('A booking that it confirms waits for no decision any more', async () => {
    const { id } = (await desk.as(await desk.shop.visitor(), 'POST', '/bookings', desk.request('cash'))).body
    expect(code(await putOrder(id, { confirm: true }))).toEqual([200, 'confirmed'])
    await database().query('update orders set hold_until = now() where id = $1 and hold_until is not null', [id])
    expect(await stepOf(id)).toBe('done')
    expect((await desk.read(id)).status).toBe('CONFIRMED')
  })
})

test('While a payment is captured, an equal approval is the same one, and all else is refused', async () => {
  const { id, intent } = await desk.authorized()
  await fault({ path: `/v1/payment_intents/${intent}/capture`, fault: 'delay', delay_ms: 5_000 })
  const first = desk.put(id, { status: 'CONFIRMED' })
  await until(
    async () => (await database().query('select 1 from authorization_ends where order_id = $1', [id])).rowCount === 1,
  )
  const note = { status: 'CONFIRMED', blocks: [{ key: 'note', type: 'text', value: 'by the window' }] }
  for (const change of [note, { status: 'COMPLETED' }, { status: 'CANCELLED' }, { status: 'PENDING' }])
    expect([change, ...code(await desk.put(id, change))]).toEqual([change, 409, 'decision_made'])
  expect(code(await putOrder(id, { cancel: true }))).toEqual([409, 'decision_made'])
  for (const answer of await Promise.all([first, desk.put(id, { status: 'CONFIRMED' })]))
    expect(code(answer)).toEqual([200, 'CONFIRMED'])
  expect((await desk.put(id, note)).body.blocks).toMatchObject([{ key: 'note' }])
  expect([await desk.sent(intent, 'capture'), await desk.sent(intent, 'cancel')]).toEqual([1, 0])
})

describe('Captured in the dashboard of the provider', () => {
  test('Its event may come before that of the authorisation, and after that of a refund', async () => {
    const { id, session } = await desk.asked()
    await holdEvents()
    const { payment_intent } = await pay(session)
    await captureByDashboard(payment_intent)
    await sim('POST', `/payments/${payment_intent}/refund`, { amount: 1_000 })
    const held = (await eventsOf(desk.account)).filter(({ state }) => state === 'held')
    for (const type of [
      'refund.created',
      'payment_intent.succeeded',
      'payment_intent.amount_capturable_updated',
      'checkout.session.completed',
    ]) {
      const ids = held.filter((one) => one.type === type).map((one) => one.id)
      const [sent] = await sim('POST', '/events/deliver', { ids })
      expect(sent).toMatchObject({ type, status: 200 })
    }
    expect(await desk.read(id)).toMatchObject({
      status: 'CONFIRMED',
      payment: { status: 'paid', capturedAmount: 3_000, refundedAmount: 1_000 },
    })
  })

  test('An approval before its event finds it captured', async () => {
    const { id, intent } = await desk.authorized()
    await holdEvents()
    await captureByDashboard(intent)
    const approved = await desk.put(id, { status: 'CONFIRMED' })
    expect([approved.status, approved.body]).toMatchObject([
      200,
      { status: 'CONFIRMED', payment: { status: 'paid', capturedAmount: 3_000 } },
    ])
  })

  test('An approval that no answer and no read proves waits for its event', async () => {
    const { id, intent } = await desk.authorized()
    await holdEvents()
    await captureByDashboard(intent)
    await fault({ method: 'GET', path: `/v1/payment_intents/${intent}`, fault: 'status', status: 500 })
    expect(code(await desk.put(id, { status: 'CONFIRMED' }))).toEqual([409, 'capture_unknown'])
    expect((await desk.read(id)).status).toBe('AUTHORIZED')
    await sim('POST', '/events', { hold: false, account: desk.account })
    await until(async () => (await desk.read(id)).status === 'CONFIRMED')
  })
})

test('A capture of a booking that was confirmed before it was paid is sent until it is answered', async () => {
  const { id } = await desk.authorized()
  await database().query(
    "update orders set status = 'confirmed', booking_status = 'confirmed', hold_until = null where id = $1",
    [id],
  )
  const end = await decide(id, 'capture', 'requested')
  expect(await unitOf(orm, null).transactional((em) => giveUp(em, authorizationEndEffect, end))).toBe('requested')
})

describe('Cancelled at the provider', () => {
  test.each(['AUTHORIZED', 'CANCELLED'])(
    'Its event may come before that of the authorisation: of a booking that would be %s',
    async (state) => {
      const { id, session } = await desk.asked()
      await holdEvents()
      const { payment_intent } = await pay(session)
      await sim('POST', `/payment_intents/${payment_intent}/lapse`)
      const isOver = state === 'CANCELLED'
      if (isOver) {
        // The provider would refuse another cancel, and no read would prove that it is cancelled.
        await fault({
          method: 'GET',
          path: `/v1/payment_intents/${payment_intent}`,
          fault: 'status',
          status: 500,
          times: 100,
        })
        await database().query('update orders set hold_until = now() where id = $1', [id])
        const now = Math.floor(Date.now() / 1000)
        await unitOf(orm, null).transactional((em) => releaseCheckout(em, id, now))
        expect((await desk.read(id)).status).toBe('FAILED')
      }
      const held = (await eventsOf(desk.account)).filter(({ state }) => state === 'held')
      for (const type of [
        'payment_intent.canceled',
        'payment_intent.amount_capturable_updated',
        'checkout.session.completed',
      ]) {
        const ids = held.filter((one) => one.type === type).map((one) => one.id)
        const [sent] = await sim('POST', '/events/deliver', { ids })
        expect(sent).toMatchObject({ type, status: 200 })
      }
      expect(await desk.read(id)).toMatchObject({
        ...(isOver
          ? { status: 'FAILED', cancelReason: 'payment_expired' }
          : { status: 'CANCELLED', cancelReason: 'authorization_expired' }),
        payment: { status: 'cancelled', error: { code: 'authorization_expired' } },
      })
      expect((await database().query('select 1 from authorization_ends where order_id = $1', [id])).rowCount).toBe(0)
    },
  )
})

test('A capture that the provider rejects leaves the status that an operator had set before', async () => {
  for (const status of ['CONFIRMED', 'COMPLETED']) {
    const { id, session } = await desk.asked()
    expect(code(await desk.put(id, { status }))).toEqual([200, status])
    await holdEvents()
    const { payment_intent } = await pay(session)
    await fault({ path: `/v1/payment_intents/${payment_intent}/capture`, fault: 'status', status: 402 })
    await sim('POST', '/events', { hold: false, account: desk.account })
    await until(async () => (await desk.read(id)).payment.status === 'failed')
    expect(await desk.read(id)).toMatchObject({ status, cancelReason: null, parts: [{ status: status.toLowerCase() }] })
  }
})

test('A record of a list is one state, also if it changes while it is read', async () => {
  const { id } = await desk.authorized()
  const em = unitOf(orm, desk.shop.store_id)
  const rows = await em.find(Order, { id })
  expect(code(await desk.put(id, { status: 'CONFIRMED' }))).toEqual([200, 'CONFIRMED'])
  const [shown] = await readBookings(em, rows)
  expect([shown?.status, shown?.payment]).toMatchObject(['confirmed', { status: 'paid' }])
})

describe('A request that the provider does not carry out', () => {
  const meets = (intent: string, what: 'capture' | 'cancel', with_: object) =>
    fault({ path: `/v1/payment_intents/${intent}/${what}`, ...with_ })

  test.each([429, 401, 403])('An approval that it does not let in, with %i, is sent again', async (status) => {
    const { id, intent } = await desk.authorized()
    await meets(intent, 'capture', { fault: 'status', status })
    expect(code(await desk.put(id, { status: 'CONFIRMED' }))).toEqual([200, 'CONFIRMED'])
    expect([(await desk.read(id)).payment.status, await desk.sent(intent, 'capture')]).toEqual(['paid', 1])
  })

  test.each([
    { fault: 'status', status: 429 },
    { fault: 'status', status: 401 },
    { fault: 'status', status: 500 },
    { fault: 'reset_after_read' },
    { fault: 'reset_after_read', after_effect: true },
  ])('A cancellation is sent until nothing is reserved on the card: after %j', async (lost) => {
    const { id, intent } = await desk.authorized()
    await holdEvents()
    await meets(intent, 'cancel', lost)
    expect(code(await desk.put(id, { status: 'CANCELLED' }))).toEqual([200, 'CANCELLED'])
    await cancelled(id)
    expect([await desk.sent(intent, 'cancel'), await desk.sent(intent, 'capture')]).toEqual([1, 0])
  })
})

describe('The end of the time to decide', () => {
  const over = (id: string) =>
    database().query('update orders set hold_until = now() where id = $1 and hold_until is not null', [id])

  test.each(['booking', 'payment'])(
    'A booking that was paid in cash does not lapse: by the route of the %s',
    async (route) => {
      const made = (await desk.as(await desk.shop.visitor(), 'POST', '/bookings', desk.request('cash'))).body
      if (route === 'booking') await desk.put(made.id, { payment: { ...made.payment, status: 'paid' } })
      else await desk.op('POST', `/orders/${made.id}/payment/mark-paid`, {})
      expect(await desk.read(made.id)).toMatchObject({ status: 'PENDING', payment: { status: 'paid' } })
      await over(made.id)
      expect(await stepOf(made.id)).toBe('done')
      expect((await desk.read(made.id)).status).toBe('PENDING')
    },
  )

  test('A decision whose outcome is unknown is waited for without a time', async () => {
    const { id } = await desk.authorized()
    await decide(id, 'capture', 'unknown')
    await over(id)
    await unitOf(orm, null).transactional((em) => releaseCheckout(em, id, Math.floor(Date.now() / 1000)))
    expect(await stepOf(id)).toBe('done')
    expect((await desk.read(id)).status).toBe('AUTHORIZED')
  })

  test('A booking that moves to an earlier time has to be decided before that', async () => {
    const { id } = await desk.authorized()
    const moved = await desk.put(id, {
      parts: [{ serviceId: desk.cut.service_id, providerId: desk.cut.provider_id, slots: [desk.soon] }],
    })
    expect([moved.status, moved.body.decideBy]).toEqual([200, desk.soon.from])
    const { rows } = await database().query(
      'select extract(epoch from hold_until)::int as until from orders where id = $1',
      [id],
    )
    expect(rows[0].until).toBe(desk.soon.from)
    await desk.put(id, { status: 'CANCELLED' })
  })
})

test('Equal bookings of an operator at once are for one new contact', async () => {
  const contacts = async () =>
    Number(
      (await database().query('select count(*) from contacts where tenant_id = $1', [desk.shop.store_id])).rows[0]
        .count,
    )
  const before = await contacts()
  const body = desk.request('cash')
  const answers = await atOnce(5, () => desk.op('POST', '/bookings', body))
  expect(new Set(answers.map(({ body }) => body.customerInfo.id)).size).toBe(1)
  expect((await contacts()) - before).toBe(1)
})

describe('Any status follows any other while a payment is authorised', () => {
  const states = ['CREATED', 'PENDING', 'AUTHORIZED', 'CONFIRMED', 'COMPLETED', 'CANCELLED', 'FAILED']
  const [captures, ends] = [
    ['CONFIRMED', 'COMPLETED'],
    ['CANCELLED', 'FAILED'],
  ]
  /** The answer, by the decision that stands: the new status, or the code of the refusal. */
  const expected = (from: string, to: string, decision: string | null): [number, string] => {
    if (from === to) return [200, to]
    if (decision === 'capture') return [409, 'decision_made']
    if (decision === 'cancel' && (captures.includes(to) || to === 'AUTHORIZED')) return [409, 'decision_made']
    return [200, to]
  }
  async function moves(id: string, from: string, to: string, decision: string | null): Promise<void> {
    const before = await desk.read(id)
    expect(before.status).toBe(from)
    const answer = await desk.put(id, { status: to })
    const wanted = expected(from, to, decision)
    expect([from, to, ...code(answer)]).toEqual([from, to, ...wanted])
    const now = (await desk.read(id)).status
    expect([from, to, now]).toEqual([from, to, answer.status === 200 ? to : from])
    const { rows } = await database().query(
      `select array_agg(distinct b.status) as parts, o.status from orders o join order_bookings b on b.order_id = o.id and not b.replaced where o.id = $1 group by o.id`,
      [id],
    )
    const meaning: Record<string, [string, string]> = {
      CONFIRMED: ['confirmed', 'confirmed'],
      COMPLETED: ['confirmed', 'completed'],
    }
    const [order, part] = meaning[now] ?? (ends.includes(now) ? ['cancelled', 'cancelled'] : ['pending', 'pending'])
    expect(rows).toEqual([{ status: order, parts: [part] }])
    const { taken, booked } = await scheduleOf(desk.shop.store_id)
    expect(taken).toEqual(booked)
  }
  const endsOf = async (id: string) =>
    (await database().query('select kind from authorization_ends where order_id = $1', [id])).rows.map(
      ({ kind }) => kind,
    )

  test('Before a decision: it is awaited, captured or cancelled', async () => {
    const before = ['CREATED', 'PENDING', 'AUTHORIZED']
    const { id } = await desk.authorized()
    for (const from of before)
      for (const to of before) {
        await desk.put(id, { status: from })
        await moves(id, from, to, null)
      }
    expect([(await desk.read(id)).payment.status, await endsOf(id)]).toEqual(['authorized', []])
    for (const from of before)
      for (const to of [...captures, ...ends]) {
        const one = await desk.authorized()
        await desk.put(one.id, { status: from })
        await moves(one.id, from, to, null)
        const isCaptured = captures.includes(to)
        if (!isCaptured) await cancelled(one.id)
        expect([(await desk.read(one.id)).payment.status, await endsOf(one.id)]).toEqual(
          isCaptured ? ['paid', ['capture']] : ['cancelled', ['cancel']],
        )
        expect([await desk.sent(one.intent, 'capture'), await desk.sent(one.intent, 'cancel')]).toEqual(
          isCaptured ? [1, 0] : [0, 1],
        )
      }
  }, 120_000)

  test('While a booking that was confirmed before it was paid is captured: nothing moves', async () => {
    for (const from of captures) {
      const { id, session } = await desk.asked()
      expect(code(await desk.put(id, { status: from }))).toEqual([200, from])
      await holdEvents()
      const { payment_intent } = await pay(session)
      await fault({ path: `/v1/payment_intents/${payment_intent}/capture`, fault: 'delay', delay_ms: 8_000 })
      await sim('POST', '/events', { hold: false, account: desk.account })
      await until(async () => (await desk.read(id)).payment.status === 'authorized')
      for (const to of states) await moves(id, from, to, 'capture')
      await until(async () => (await desk.read(id)).payment.status === 'paid')
      expect([(await desk.read(id)).status, await endsOf(id), await desk.sent(payment_intent, 'capture')]).toEqual([
        from,
        ['capture'],
        1,
      ])
    }
  }, 120_000)

  test('While it is cancelled: it is set back, and neither approved nor authorised', async () => {
    const { id, intent } = await desk.authorized()
    await fault({ path: `/v1/payment_intents/${intent}/cancel`, fault: 'delay', delay_ms: 6_000 })
    await desk.put(id, { status: 'CANCELLED' })
    const open = ['CREATED', 'PENDING', ...ends]
    for (const from of open)
      for (const to of states) {
        await desk.put(id, { status: from })
        await moves(id, from, to, 'cancel')
      }
    await cancelled(id)
    expect([await endsOf(id), await desk.sent(intent, 'capture'), await desk.sent(intent, 'cancel')]).toEqual([
      ['cancel'],
      0,
      1,
    ])
  }, 120_000)
})
