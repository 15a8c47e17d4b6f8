// A decision that is far away waits in its row: no workflow does, and it lapses at its time all the same, once, with
// engines and workers away in between.
import { afterAll, afterEach, beforeAll, expect, jest, test } from '@jest/globals'
import { Client, Connection } from '@temporalio/client'
import type { Process } from '../../dev/parts.ts'
import { type Orm, openOrm, unitOf } from '../../entities/kit/database/orm.ts'
import { releaseCheckout } from '../../entities/orders/release.ts'
import { startDecisions } from '../../entities/payments/checkout-steps.ts'
import { type Approvals, approvals } from '../kit/bookings/approving.ts'
import { scheduleOf } from '../kit/bookings/booking.ts'
import { until } from '../kit/codes.ts'
import { database } from '../kit/shop.ts'
import { type Lab, startLab } from '../kit/stack/lab.ts'

jest.setTimeout(90_000)

let lab: Lab
let orm: Orm
let desk: Approvals
let worker: Process
let connection: Connection
let temporal: Client

beforeAll(async () => {
  lab = await startLab('lapse', { RECONCILE_EVERY_MS: '1000' }, { queues: ['money', 'default', 'mail'] })
  await lab.stack.startApi()
  worker = await lab.startWorker()
  orm = await openOrm({ url: process.env.DATABASE_URL as string, pool: 8 })
  connection = await Connection.connect({ address: lab.stack.env.TEMPORAL_ADDRESS as string })
  temporal = new Client({ connection })
  desk = await approvals()
}, 120_000)
afterEach(async () => {
  const { taken, booked } = await scheduleOf(desk.shop.store_id)
  expect(taken).toEqual(booked)
})
afterAll(async () => {
  await connection?.close()
  await orm?.close(true)
  await database().end()
  await lab?.stop()
})

const now = () => Math.floor(Date.now() / 1000)
const statusOf = async (id: string): Promise<string | undefined> =>
  (
    await temporal.workflow
      .getHandle(`checkout/${id}`)
      .describe()
      .catch(() => null)
  )?.status.name
const isIn = (id: string, status: string) => until(async () => (await statusOf(id)) === status, 20_000)
const rowOf = async (id: string) =>
  (await database().query('select hold_started, hold_until, status from orders where id = $1', [id])).rows[0]
const startsOf = async (id: string) => (await database().query('select 1 from outbox where row_id = $1', [id])).rowCount
/** As if so many seconds were left for the decision. */
const leave = (id: string, seconds: number) =>
  database().query('update orders set decide_by = $2::bigint, hold_until = to_timestamp($2::bigint) where id = $1', [
    id,
    now() + seconds,
  ])
const inCash = async (): Promise<string> =>
  (await desk.as(await desk.shop.visitor(), 'POST', '/bookings', desk.request('cash'))).body.id
const lapsed = async (id: string) => {
  await until(async () => (await desk.read(id)).status === 'CANCELLED', 40_000)
  expect(await desk.read(id)).toMatchObject({ cancelReason: 'approval_expired' })
}

test('No workflow waits for a decision that is days ahead, and a decision starts none', async () => {
  const [{ id, intent }, cash] = [await desk.authorized(), await inCash()]
  // The one that waited for the payment form has ended.
  await isIn(id, 'COMPLETED')
  const { runId } = await temporal.workflow.getHandle(`checkout/${id}`).describe()
  expect([await statusOf(cash), await startsOf(cash)]).toEqual([undefined, 0])
  for (const one of [id, cash])
    expect(await rowOf(one)).toMatchObject({ hold_started: false, hold_until: expect.any(Date) })
  for (const one of [id, cash]) expect((await desk.put(one, { status: 'CONFIRMED' })).body.status).toBe('CONFIRMED')
  expect([await startsOf(cash), await statusOf(cash)]).toEqual([0, undefined])
  expect((await temporal.workflow.getHandle(`checkout/${id}`).describe()).runId).toBe(runId)
  expect([await desk.sent(intent, 'capture'), await desk.sent(intent, 'cancel')]).toEqual([1, 0])
})

test('A decision that comes near is waited for by one workflow, which a decision ends', async () => {
  const [{ id }, cash] = [await desk.authorized(), await inCash()]
  await isIn(id, 'COMPLETED')
  for (const one of [id, cash]) await leave(one, 500)
  for (const one of [id, cash]) await isIn(one, 'RUNNING')
  for (const one of [id, cash]) expect(await rowOf(one)).toMatchObject({ hold_started: true })
  expect(await unitOf(orm, null).transactional((em) => startDecisions(em, 100, now()))).toBe(0)
  for (const one of [id, cash]) expect((await desk.put(one, { status: 'CONFIRMED' })).body.status).toBe('CONFIRMED')
  for (const one of [id, cash]) await isIn(one, 'COMPLETED')
})

test('A decision that is due soon when it is asked for is waited for at once', async () => {
  const { id } = await desk.authorized()
  const cash = await inCash()
  for (const one of [id, cash]) await leave(one, 4)
  for (const one of [id, cash]) await lapsed(one)
  await until(async () => (await desk.read(id)).payment.status === 'cancelled')
})

test('A decision lapses that came near and passed while the engine was away', async () => {
  const { id, intent } = await desk.authorized()
  await isIn(id, 'COMPLETED')
  await lab.stack.temporal.stop()
  await leave(id, 2)
  await until(async () => (await rowOf(id)).hold_started && (await rowOf(id)).hold_until < new Date())
  expect((await desk.read(id)).status).toBe('AUTHORIZED')
  await lab.stack.temporal.start()
  await lapsed(id)
  await until(async () => (await desk.read(id)).payment.status === 'cancelled', 40_000)
  expect([await desk.sent(intent, 'capture'), await desk.sent(intent, 'cancel')]).toEqual([0, 1])
})

test('A decision lapses that came near and passed while no worker ran', async () => {
  const [{ id, intent }, cash] = [await desk.authorized(), await inCash()]
  worker.child.kill('SIGKILL')
  await worker.child.ended
  for (const one of [id, cash]) await leave(one, 1)
  await until(async () => (await rowOf(cash)).hold_until < new Date())
  worker = await lab.startWorker()
  for (const one of [id, cash]) await lapsed(one)
  await until(async () => (await desk.read(id)).payment.status === 'cancelled', 40_000)
  expect([await desk.sent(intent, 'capture'), await desk.sent(intent, 'cancel')]).toEqual([0, 1])
})

test('A decision of the last second and the end of the time are one of the two', async () => {
  const outcomes = new Set<string>()
  for (let round = 0; round < 8; round++) {
    const { id, intent } = await desk.authorized()
    await leave(id, 0)
    const lapse = () => unitOf(orm, null).transactional((em) => releaseCheckout(em, id, now()))
    const decide = () => desk.put(id, { status: 'CONFIRMED' })
    const [answer] =
      round % 2 ? await Promise.all([decide(), lapse()]) : await Promise.all([lapse().then(decide), lapse()])
    await until(async () => ['paid', 'cancelled'].includes((await desk.read(id)).payment.status))
    const { status, payment } = await desk.read(id)
    const isCaptured = payment.status === 'paid'
    expect([answer.status === 200, status]).toEqual([isCaptured, isCaptured ? 'CONFIRMED' : 'CANCELLED'])
    if (!isCaptured) expect(answer.body.code).toBe('decision_made')
    expect([await desk.sent(intent, 'capture'), await desk.sent(intent, 'cancel')]).toEqual(
      isCaptured ? [1, 0] : [0, 1],
    )
    outcomes.add(status)
  }
  expect(outcomes.has('CANCELLED')).toBe(true)
})
