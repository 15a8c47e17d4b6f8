// What the provider took of a booking that has to be approved is recorded at any amount and after any decision made
// here, and then refunded, flagged or confirmed.
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { type Orm, openOrm, unitOf } from '../../entities/kit/database/orm.ts'
import { releaseCheckout } from '../../entities/orders/release.ts'
import { type Approvals, approvals } from '../kit/bookings/approving.ts'
import { scheduleOf } from '../kit/bookings/booking.ts'
import { stripeApi } from '../kit/effects/provider.ts'
import { eventsOf, fault, pay, sim, stripe, until } from '../kit/orders/buying.ts'
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
const captureAtProvider = (intent: string, amount?: number) =>
  stripeApi(
    desk.account,
    `/v1/payment_intents/${intent}/capture`,
    amount === undefined ? {} : { amount_to_capture: String(amount) },
  )
/** Delivers the held events of these types, each in its turn. */
async function deliver(intent: string, types: readonly string[]): Promise<void> {
  const held = (await eventsOf(desk.account)).filter(
    ({ state, event }) => state === 'held' && JSON.stringify(event).includes(intent),
  )
  for (const type of types) {
    const ids = held.filter((one) => one.type === type).map((one) => one.id)
    const [sent] = await sim('POST', '/events/deliver', { ids })
    expect(sent).toMatchObject({ type, status: 200 })
  }
}
/** What the provider took and gave back, after the system's refund. */
async function booksAgree(id: string, intent: string): Promise<{ captured: number; refunded: number }> {
  const charge = (await stripe(desk.account, `/charges?payment_intent=${intent}`)).data[0]
  const refunds = (await stripe(desk.account, `/refunds?payment_intent=${intent}`)).data as { amount: number }[]
  const [captured, refunded] = [charge.amount_captured, refunds.reduce((sum, { amount }) => sum + amount, 0)]
  expect((await desk.read(id)).payment).toMatchObject({
    capturedAmount: captured,
    refundedAmount: refunded,
    refundPendingAmount: 0,
  })
  return { captured, refunded }
}
const isRefunded = (id: string) => until(async () => (await desk.read(id)).payment.refundedAmount > 0)

test('The cancellation of a booking that was captured at the provider finds that, and refunds it', async () => {
  const { id, intent } = await desk.authorized()
  await holdEvents()
  await captureAtProvider(intent)
  expect(code(await desk.put(id, { status: 'CANCELLED' }))).toEqual([200, 'CANCELLED'])
  await isRefunded(id)
  expect(await desk.read(id)).toMatchObject({
    status: 'CANCELLED',
    payment: { status: 'paid', capturedAmount: 3_000, refundedAmount: 3_000, error: null },
  })
  await sim('POST', '/events', { hold: false, account: desk.account })
  await until(async () => (await eventsOf(desk.account)).every(({ state }) => state === 'delivered'))
  expect(await booksAgree(id, intent)).toEqual({ captured: 3_000, refunded: 3_000 })
})

test('A refused booking whose capture is known by its event alone is refunded', async () => {
  const { id, intent } = await desk.authorized()
  await fault({ path: `/v1/payment_intents/${intent}/cancel`, fault: 'status', status: 503, times: 3 })
  expect(code(await desk.put(id, { status: 'CANCELLED' }))).toEqual([200, 'CANCELLED'])
  await captureAtProvider(intent)
  await isRefunded(id)
  expect(await booksAgree(id, intent)).toEqual({ captured: 3_000, refunded: 3_000 })
  const { rows } = await database().query('select kind, status from authorization_ends where order_id = $1', [id])
  expect(rows).toEqual([{ kind: 'cancel', status: 'rejected' }])
})

test('A failed booking whose capture is reported before its authorisation is refunded', async () => {
  const { id, session } = await desk.asked()
  await holdEvents()
  const { payment_intent } = await pay(session)
  await captureAtProvider(payment_intent)
  await database().query('update orders set hold_until = now() where id = $1', [id])
  await unitOf(orm, null).transactional((em) => releaseCheckout(em, id, Math.floor(Date.now() / 1000)))
  expect((await desk.read(id)).status).toBe('FAILED')
  await deliver(payment_intent, [
    'payment_intent.succeeded',
    'payment_intent.amount_capturable_updated',
    'checkout.session.completed',
  ])
  await sim('POST', '/events', { hold: false, account: desk.account })
  await isRefunded(id)
  expect(await booksAgree(id, payment_intent)).toEqual({ captured: 3_000, refunded: 3_000 })
})

test('A part that is captured at the provider is recorded and flagged for an operator', async () => {
  const { id, intent } = await desk.authorized()
  await captureAtProvider(intent, 1_000)
  await until(async () => (await desk.read(id)).payment.status === 'paid')
  expect(await desk.read(id)).toMatchObject({
    status: 'AUTHORIZED',
    payment: { capturedAmount: 1_000, error: { code: 'amount_mismatch' } },
  })
  expect(code(await desk.put(id, { status: 'CONFIRMED' }))).toEqual([200, 'CONFIRMED'])
  expect((await desk.op('POST', '/refund', { entity: id, amount: 1_000 })).body).toMatchObject({ status: 'succeeded' })
  expect(await booksAgree(id, intent)).toEqual({ captured: 1_000, refunded: 1_000 })
  expect([await desk.sent(intent, 'capture'), await desk.sent(intent, 'cancel')]).toEqual([1, 0])
})

test('An approval of a booking that was captured in part records the part and captures nothing', async () => {
  const { id, intent } = await desk.authorized()
  await holdEvents()
  await captureAtProvider(intent, 1_000)
  expect(code(await desk.put(id, { status: 'CONFIRMED' }))).toEqual([409, 'capture_rejected'])
  expect(await desk.read(id)).toMatchObject({
    status: 'AUTHORIZED',
    payment: { status: 'paid', capturedAmount: 1_000, error: { code: 'amount_mismatch' } },
  })
  expect(code(await desk.put(id, { status: 'CONFIRMED' }))).toEqual([200, 'CONFIRMED'])
  await sim('POST', '/events', { hold: false, account: desk.account })
  expect(await booksAgree(id, intent)).toEqual({ captured: 1_000, refunded: 0 })
})

test('A refused booking of which a part was captured gets that part refunded', async () => {
  const { id, intent } = await desk.authorized()
  await holdEvents()
  await captureAtProvider(intent, 1_000)
  expect(code(await desk.put(id, { status: 'CANCELLED' }))).toEqual([200, 'CANCELLED'])
  await isRefunded(id)
  await sim('POST', '/events', { hold: false, account: desk.account })
  expect(await booksAgree(id, intent)).toEqual({ captured: 1_000, refunded: 1_000 })
})

test('A capture that the provider refuses ends the hold on the card', async () => {
  const { id, intent } = await desk.authorized()
  await fault({ path: `/v1/payment_intents/${intent}/capture`, fault: 'status', status: 402 })
  expect(code(await desk.put(id, { status: 'CONFIRMED' }))).toEqual([409, 'capture_rejected'])
  await until(async () => (await stripe(desk.account, `/payment_intents/${intent}`)).status === 'canceled')
  expect(await desk.read(id)).toMatchObject({
    status: 'FAILED',
    cancelReason: 'capture_rejected',
    payment: { status: 'failed', capturedAmount: 0 },
  })
  expect([await desk.sent(intent, 'capture'), await desk.sent(intent, 'cancel')]).toEqual([0, 1])
})

test('A booking whose capture was refused and that the dashboard then captures is refunded', async () => {
  const { id, intent } = await desk.authorized()
  await fault({ path: `/v1/payment_intents/${intent}/capture`, fault: 'status', status: 402 })
  await fault({ path: `/v1/payment_intents/${intent}/cancel`, fault: 'status', status: 503, times: 4 })
  expect(code(await desk.put(id, { status: 'CONFIRMED' }))).toEqual([409, 'capture_rejected'])
  await captureAtProvider(intent)
  await isRefunded(id)
  expect(await booksAgree(id, intent)).toEqual({ captured: 3_000, refunded: 3_000 })
})

test.each(['refund', 'dispute'])(
  'A %s that arrives before the authorisation is applied when a read proves the capture',
  async (what) => {
    const { id, session } = await desk.asked()
    await holdEvents()
    const { payment_intent } = await pay(session)
    await captureAtProvider(payment_intent)
    await sim('POST', `/payments/${payment_intent}/${what}`, {})
    await deliver(payment_intent, [
      what === 'refund' ? 'refund.created' : 'charge.dispute.created',
      'payment_intent.amount_capturable_updated',
    ])
    expect((await desk.read(id)).payment).toMatchObject({ status: 'authorized', refundedAmount: 0, error: null })
    expect(code(await desk.put(id, { status: 'CONFIRMED' }))).toEqual([200, 'CONFIRMED'])
    expect((await desk.read(id)).payment).toMatchObject({
      status: 'paid',
      capturedAmount: 3_000,
      refundedAmount: what === 'refund' ? 3_000 : 0,
    })
    const { rows } = await database().query('select 1 from disputes where order_id = $1', [id])
    expect(rows).toHaveLength(what === 'dispute' ? 1 : 0)
  },
)

test('A refund that is reported while the payment is authorised waits for the capture', async () => {
  const { id, intent } = await desk.authorized()
  await holdEvents()
  await captureAtProvider(intent)
  await sim('POST', `/payments/${intent}/refund`, { amount: 1_000 })
  await deliver(intent, ['refund.created'])
  expect((await desk.read(id)).payment).toMatchObject({ status: 'authorized', refundedAmount: 0, error: null })
  await deliver(intent, ['payment_intent.succeeded'])
  expect(await booksAgree(id, intent)).toEqual({ captured: 3_000, refunded: 1_000 })
})

test.each(['PENDING', 'CREATED'])(
  'An authorised booking that is set to %s lapses when its time to decide is over',
  async (status) => {
    const { id, intent } = await desk.authorized()
    expect(code(await desk.put(id, { status }))).toEqual([200, status])
    const { rows } = await database().query(
      'select extract(epoch from hold_until)::int as until, decide_by::int from orders where id = $1',
      [id],
    )
    expect(rows[0].until).toBe(rows[0].decide_by)
    await database().query(
      'update orders set hold_until = now(), decide_by = extract(epoch from now())::bigint where id = $1',
      [id],
    )
    await unitOf(orm, null).transactional((em) => releaseCheckout(em, id, Math.floor(Date.now() / 1000)))
    await until(async () => (await desk.read(id)).payment.status === 'cancelled')
    expect(await desk.read(id)).toMatchObject({ status: 'CANCELLED', cancelReason: 'approval_expired' })
    expect(await desk.sent(intent, 'cancel')).toBe(1)
  },
)
