// A booking that has to be approved: its card is authorised, captured once on approval, and cancelled on refusal or
// without a decision in time.
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { type Approvals, approvals } from '../kit/bookings/approving.ts'
import { scheduleOf } from '../kit/bookings/booking.ts'
import { atOnce, fault, ledger, pay, sim, stripe, until } from '../kit/orders/buying.ts'
import { database } from '../kit/shop.ts'

let desk: Approvals
beforeAll(async () => {
  desk = await approvals()
}, 60_000)
afterEach(async () => {
  const { taken, booked } = await scheduleOf(desk.shop.store_id)
  expect(taken).toEqual(booked)
})
afterAll(async () => database().end())

const put: Approvals['put'] = (id, body) => desk.put(id, body)
const read: Approvals['read'] = (id) => desk.read(id)
const sent: Approvals['sent'] = (intent, what) => desk.sent(intent, what)

test('A card is authorised, holds its time, and is captured once when the booking is approved', async () => {
  const { id, intent } = await desk.authorized()
  const waiting = await read(id)
  expect(waiting).toMatchObject({ status: 'AUTHORIZED', payment: { status: 'authorized', capturedAmount: 0 } })
  expect(waiting.decideBy - waiting.createdAt).toBe(48 * 3600)
  const approved = await put(id, { status: 'CONFIRMED' })
  expect([approved.status, approved.body]).toMatchObject([
    200,
    { status: 'CONFIRMED', payment: { status: 'paid', capturedAmount: 3000 } },
  ])
  expect(await stripe(desk.account, `/payment_intents/${intent}`)).toMatchObject({
    status: 'succeeded',
    amount_received: 3000,
  })
  expect([await sent(intent, 'capture'), await sent(intent, 'cancel')]).toEqual([1, 0])
})

test('A refused booking gives its time back, and its authorisation is cancelled, not refunded', async () => {
  const { id, intent } = await desk.authorized()
  const refused = await put(id, { status: 'CANCELLED' })
  expect(refused.body).toMatchObject({ status: 'CANCELLED', cancelReason: 'requested' })
  await until(async () => (await read(id)).payment.status === 'cancelled')
  expect(await stripe(desk.account, `/payment_intents/${intent}`)).toMatchObject({
    status: 'canceled',
    amount_received: 0,
  })
  expect([
    await sent(intent, 'capture'),
    await sent(intent, 'cancel'),
    (await ledger(desk.account, '/v1/refunds')).length,
  ]).toEqual([0, 1, 0])
})

test('Twenty approvals and twenty refusals at once are one decision', async () => {
  for (let round = 0; round < 3; round++) {
    const { id, intent } = await desk.authorized()
    const answers = await atOnce(40, (n) => put(id, { status: n % 2 ? 'CONFIRMED' : 'CANCELLED' }))
    await until(async () => ['paid', 'cancelled'].includes((await read(id)).payment.status))
    const { status, payment } = await read(id)
    const [captures, cancels] = [await sent(intent, 'capture'), await sent(intent, 'cancel')]
    expect(captures + cancels).toBe(1)
    // Captured, and cancelled by the operator later, it stays refundable.
    expect(payment.status).toBe(captures === 1 ? 'paid' : 'cancelled')
    if (captures === 0) expect(status).toBe('CANCELLED')
    for (const { status, body } of answers) expect(status === 200 || body.code === 'decision_made').toBe(true)
  }
})

test('An authorisation without a decision is cancelled at its time', async () => {
  const { id, intent } = await desk.authorized()
  const cash = (await desk.as(await desk.shop.visitor(), 'POST', '/reservations', desk.request('cash'))).body
  expect(cash).toMatchObject({ status: 'PENDING', payment: { status: 'pending' } })
  await database().query(
    'update orders set hold_until = now(), decide_by = extract(epoch from now())::bigint where id = any ($1)',
    [[id, cash.id]],
  )
  // Its workflow waits for the time that it has read.
  await put(id, { blocks: [{ key: 'note', type: 'text', value: 'wake' }] })
  await until(async () => (await read(id)).payment.status === 'cancelled', 60_000)
  expect(await read(id)).toMatchObject({ status: 'CANCELLED', cancelReason: 'approval_expired' })
  expect([await sent(intent, 'capture'), await sent(intent, 'cancel')]).toEqual([0, 1])
}, 90_000)

test('What was refused is set back, but neither approved nor authorised again', async () => {
  const { id } = await desk.authorized()
  await put(id, { status: 'FAILED' })
  for (const status of ['CONFIRMED', 'COMPLETED', 'AUTHORIZED']) {
    const { status: answered, body } = await put(id, { status })
    expect([status, answered, body.code]).toEqual([status, 409, 'decision_made'])
  }
  for (const status of ['PENDING', 'CREATED', 'CANCELLED']) expect((await put(id, { status })).body.status).toBe(status)
})

test('Cash waits for the approval, and an operator’s own booking needs none', async () => {
  const made = await desk.as(await desk.shop.visitor(), 'POST', '/bookings', desk.request('cash'))
  expect(made.body).toMatchObject({ status: 'PENDING', decideBy: expect.any(Number) })
  expect((await put(made.body.id, { status: 'CONFIRMED' })).body).toMatchObject({
    status: 'CONFIRMED',
    payment: { status: 'pending' },
  })
  expect((await desk.op('POST', '/bookings', desk.request('cash'))).body).toMatchObject({
    status: 'CONFIRMED',
    decideBy: null,
  })
})

test('An authorisation that the provider ends, or that comes too late, captures nothing', async () => {
  const { id, intent } = await desk.authorized()
  await sim('POST', `/payment_intents/${intent}/lapse`)
  await until(async () => (await read(id)).status === 'CANCELLED')
  expect(await read(id)).toMatchObject({ cancelReason: 'authorization_expired', payment: { status: 'cancelled' } })

  const late = await desk.asked()
  await sim('POST', '/events', { hold: true, account: desk.account })
  await pay(late.session)
  await database().query(
    "update orders set status = 'cancelled', booking_status = 'failed', hold_until = null, cancelled_at = 1 where id = $1",
    [late.id],
  )
  await database().query("update order_bookings set status = 'cancelled' where order_id = $1", [late.id])
  await database().query(
    'update schedule_days set taken = (select coalesce(jsonb_agg(t), $2) from jsonb_array_elements(taken) t where not exists (select 1 from order_bookings b where b.order_id = $1 and b.starts_at = (t->>0)::bigint)) where tenant_id = $3',
    [late.id, '[]', desk.shop.store_id],
  )
  await sim('POST', '/events', { hold: false, account: desk.account })
  await until(async () => (await read(late.id)).payment.status === 'cancelled')
  expect([
    await sent(await desk.intentOf(late.id), 'cancel'),
    await sent(await desk.intentOf(late.id), 'capture'),
  ]).toEqual([1, 0])
})

test('A rejected capture fails the booking, and a lost answer waits for the signed event', async () => {
  const rejected = await desk.authorized()
  await fault({ path: `/v1/payment_intents/${rejected.intent}/capture`, fault: 'status', status: 402 })
  const refused = await put(rejected.id, { status: 'CONFIRMED' })
  expect([refused.status, refused.body.code]).toEqual([409, 'capture_rejected'])
  expect(await read(rejected.id)).toMatchObject({
    status: 'FAILED',
    cancelReason: 'capture_rejected',
    payment: { status: 'failed' },
  })

  const lost = await desk.authorized()
  await sim('POST', '/events', { hold: true, account: desk.account })
  await fault({ path: `/v1/payment_intents/${lost.intent}/capture`, fault: 'reset_after_read', after_effect: true })
  const unknown = await put(lost.id, { status: 'CONFIRMED' })
  expect([unknown.status, unknown.body.code]).toEqual([409, 'capture_unknown'])
  expect((await read(lost.id)).status).toBe('AUTHORIZED')
  expect((await put(lost.id, { status: 'CANCELLED' })).body.code).toBe('capture_unknown')
  await sim('POST', '/events', { hold: false, account: desk.account })
  await until(async () => (await read(lost.id)).status === 'CONFIRMED')
  expect([(await read(lost.id)).payment.status, await sent(lost.intent, 'capture')]).toEqual(['paid', 1])
})

test('Authorised time moves if the total stays, and AUTHORIZED follows any other status', async () => {
  const { id } = await desk.authorized()
  const slot = desk.next()
  const moved = await put(id, {
    parts: [{ serviceId: desk.cut.service_id, providerId: desk.cut.provider_id, slots: [slot] }],
  })
  expect([moved.status, moved.body.status, moved.body.parts[0].slots]).toEqual([200, 'AUTHORIZED', [slot]])
  for (const status of ['PENDING', 'CREATED', 'AUTHORIZED', 'PENDING', 'PENDING', 'AUTHORIZED'])
    expect((await put(id, { status })).body.status).toBe(status)
  expect((await put(id, { status: 'COMPLETED' })).body).toMatchObject({
    status: 'COMPLETED',
    payment: { status: 'paid' },
    parts: [{ status: 'completed' }],
  })
})

test('A cart of the storefront takes no service that has to be approved', async () => {
  const visitor = await desk.shop.visitor()
  const { body: cart } = await visitor.call('POST', '/carts/current', {})
  const filled = await visitor.call('PUT', `/carts/${cart.id}`, {
    market: 'booking',
    booking_items: [desk.cut.item(desk.next())],
  })
  expect(filled.status).toBe(200)
  const refused = await visitor.call('POST', `/carts/${cart.id}/checkout`, { payment_method_key: 'cash' })
  expect([refused.status, refused.body.code, refused.body.errors[0].pointer]).toEqual([
    422,
    'approval_required',
    '/booking_items',
  ])
})
