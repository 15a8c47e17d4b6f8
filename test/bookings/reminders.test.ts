// Each slot of a confirmed booking publishes one reminder to its subscribers, in time, through crashes, repeated starts
// and changes.
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals'
import { Client, Connection } from '@temporalio/client'
import type { Process } from '../../dev/parts.ts'
import { refreshReminders, remind, startReminders } from '../../entities/bookings/reminders.ts'
import { type Orm, openOrm, unitOf } from '../../entities/kit/database/orm.ts'
import { newId } from '../../entities/kit/ids.ts'
import { createTenant } from '../../entities/stores/new-tenant.ts'
import {
  booking,
  changed,
  newOrder,
  now,
  remindersOf,
  rowOf,
  soon,
  webhook,
} from '../kit/bookings/booking-reminders.ts'
import { until } from '../kit/codes.ts'
import { database, operator, unique } from '../kit/shop.ts'
import { type Lab, startLab } from '../kit/stack/lab.ts'

jest.setTimeout(60_000)

const day = 86_400
const reminder = 'order_booking.reminder'
let lab: Lab
let orm: Orm
let said: string[] = []
let workers: Process[]
let connection: Connection
let temporal: Client
/** A store that reminds one minute before a booking and subscribes to the reminder. */
let store: string

async function newStore(settings: Record<string, unknown> = {}): Promise<string> {
  const { account_id, email } = await operator()
  const given = {
    key: `shop-${unique()}`,
    timezone: 'Europe/Berlin',
    languages: ['en'],
    emails: { billing: email, support: null },
  }
  return unitOf(orm, null).transactional(async (em) => {
    const id = newId()
    em.setFilterParams('tenant', { tenant: id })
    return (await createTenant(em, 'store', { ...given, settings, account_id }, now())).id
  })
}

beforeAll(async () => {
  lab = await startLab(
    'reminders',
    { RECONCILE_EVERY_MS: '1000' },
    { parts: ['postgres', 'migrations', 'temporal'], queues: ['default'] },
  )
  orm = await openOrm({ url: process.env.DATABASE_URL as string, pool: 12, onStatement: (sql) => said.push(sql) })
  workers = await Promise.all([lab.startWorker(), lab.startWorker()])
  connection = await Connection.connect({ address: lab.stack.env.TEMPORAL_ADDRESS as string })
  temporal = new Client({ connection })
  store = await newStore({ booking_reminder_minutes: 1 })
  await webhook(store, ['order.created', reminder])
}, 120_000)

afterAll(async () => {
  await connection?.close()
  await orm?.close(true)
  await database().end()
  await lab?.stop()
})

const confirm = (id: string) => changed(orm, id, { status: 'confirmed' })
const cancel = (id: string) => changed(orm, id, { status: 'cancelled' })
const told = (id: string, count = 1) =>
  until(async () => {
    const found = await remindersOf(id)
    return found.length >= count && found
  }, 20_000)
const noStarts = (id: string) =>
  until(async () => (await database().query('select 1 from outbox where row_id = $1', [id])).rowCount === 0)

const handleOf = (id: string) => temporal.workflow.getHandle(`booking_reminder/${id}`)
const isIn = (id: string, status: string) =>
  until(async () => {
    const found = await handleOf(id)
      .describe()
      .catch(() => null)
    return found?.status.name === status
  }, 20_000)
/** A slot so near that its reminder, a minute before, is waited for by a workflow. */
const near = () => soon(400)
/** The timers that the workflow started, in seconds. */
async function timersOf(id: string): Promise<number[]> {
  const { events } = await handleOf(id)
    .fetchHistory()
    .catch(() => ({ events: [] }))
  return (events ?? []).flatMap(({ timerStartedEventAttributes: timer }) =>
    timer ? [Number(timer.startToFireTimeout?.seconds)] : [],
  )
}
const timers = (id: string, count: number) =>
  until(async () => {
    const found = await timersOf(id)
    return found.length >= count && found
  })

test('A due booking publishes one reminder with the booking as the API shows it', async () => {
  const slots = [soon(50)]
  const id = await booking(store, slots)
  await Promise.all([confirm(id), confirm(id), confirm(id)])
  await Promise.all(Array.from({ length: 8 }, () => unitOf(orm, null).transactional((em) => remind(em, id, now()))))
  await told(id)
  await noStarts(id)
  await isIn(id, 'COMPLETED')
  const { order_id } = await rowOf(id)
  expect(await remindersOf(id)).toEqual([
    {
      tenant_id: store,
      type: reminder,
      data: {
        ...{
          id,
          order_id,
          order_number: expect.any(Number),
          contact_id: expect.any(String),
          status: 'confirmed',
          slots,
          slot: slots[0],
        },
        ...{
          service_id: expect.any(String),
          provider_id: expect.any(String),
          service_key: 'cut',
          provider_key: 'ann',
          quantity: 1,
        },
        ...{
          unit_price: 1000,
          subtotal: 1000,
          discount: 0,
          tax: 0,
          total: 1000,
          starts_at: slots[0]?.from,
          ends_at: slots[0]?.to,
        },
        ...{ remind_at: null, created_at: expect.any(Number), updated_at: expect.any(Number) },
      },
    },
  ])
  expect(await rowOf(id)).toMatchObject({ remind_at: null, reminded_slot: slots[0]?.from })
})

test('A booking of several slots publishes a reminder for each of them in order', async () => {
  const slots = [soon(-10), soon(30), soon(61), soon(62)]
  const id = await booking(store, slots)
  await confirm(id)
  const events = await told(id, 3)
  await isIn(id, 'COMPLETED')
  expect(events.map(({ data }) => data.slot)).toEqual(slots.slice(1))
  expect((await remindersOf(id)).length).toBe(3)
})

test.each([
  ['no webhook exists', async (_: string) => {}],
  ['the webhook is disabled', (at: string) => webhook(at, [reminder], false)],
  ['the webhook subscribes to another event', (at: string) => webhook(at, ['order.created'])],
  ['only another store subscribes', async (_: string) => webhook(await newStore(), [reminder])],
])('No reminder is published when %s', async (_, arrange) => {
  const own = await newStore()
  await arrange(own)
  const slots = [soon(3_600)]
  const id = await booking(own, slots)
  await confirm(id)
  await until(async () => (await rowOf(id)).reminded_slot === slots[0]?.from)
  expect(await rowOf(id)).toMatchObject({ remind_at: null })
  expect(await remindersOf(id)).toEqual([])
})

test('A reminder waits in its row, and a workflow waits only for one that is near', async () => {
  const own = await newStore()
  const slots = [soon(400 * day)]
  const [far, close] = [await booking(own, slots), await booking(own, [soon(day + 300)])]
  await confirm(far)
  await confirm(close)
  const [seconds] = await timers(close, 1)
  expect(Math.abs((seconds ?? 0) - 300)).toBeLessThan(30)
  expect(await rowOf(far)).toMatchObject({
    remind_at: (slots[0]?.from ?? 0) - day,
    reminder_started: false,
    reminded_slot: null,
  })
  expect((await database().query('select 1 from outbox where row_id = $1', [far])).rowCount).toBe(0)
  await expect(handleOf(far).describe()).rejects.toThrow()
  await isIn(close, 'RUNNING')
})

test('The reconcilers start a reminder’s workflow once, ten minutes before it is due', async () => {
  const id = await booking(store, [soon(60 + 600 + 4)])
  await confirm(id)
  expect(await rowOf(id)).toMatchObject({ reminder_started: false })
  const [seconds] = await timers(id, 1)
  expect(Math.abs((seconds ?? 0) - 600)).toBeLessThan(10)
  await noStarts(id)
  // Both workers have looked again, more than once.
  const rounds = await booking(store, [soon(60 + 600 + 3)])
  await confirm(rounds)
  await timers(rounds, 1)
  expect((await timersOf(id)).length).toBe(1)
})

test('Many reminders of one moment are all started, each by one of many reconcilers', async () => {
  const ids = await Promise.all(Array.from({ length: 60 }, () => booking(store, [soon(30 * day)])))
  await Promise.all(ids.map(confirm))
  const slot = near()
  const moved = [ids, slot.from, slot.from - 60, JSON.stringify([slot])]
  await database().query(
    'update order_bookings set starts_at = $2, remind_at = $3, slots = $4 where id = any ($1)',
    moved,
  )
  const start = () => unitOf(orm, null).transactional((em) => startReminders(em, 7, now()))
  let counts: number[]
  do counts = await Promise.all(Array.from({ length: 6 }, start))
  while (counts.some((count) => count > 0))
  for (const id of ids) await timers(id, 1)
  expect((await Promise.all(ids.map(timersOf))).map((all) => all.length)).toEqual(ids.map(() => 1))
  expect(await start()).toBe(0)
})

test('The reconciler finds near reminders by an index of those that are not started', async () => {
  const db = await database().connect()
  try {
    await db.query('begin')
    await db.query(
      `insert into order_bookings select r.* from (select * from order_bookings limit 1) b, generate_series(1, 5000) n, jsonb_populate_record(null::order_bookings,
         to_jsonb(b) || jsonb_build_object('id', gen_random_uuid(), 'remind_at', case when n % 1000 = 0 then 1 else 9999999999 end + n, 'reminder_started', n % 2 = 0)) r`,
    )
    await db.query('analyze order_bookings')
    const { rows } = await db.query(
      'explain select id from order_bookings where remind_at <= 600::bigint and not reminder_started order by remind_at limit 500 for update skip locked',
    )
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
    expect(plan).toContain('Index Scan using order_bookings_remind_later')
  } finally {
    await db.query('rollback')
    db.release()
  }
})

test('A booking has no reminder if it is unconfirmed, has started, or the store wants none', async () => {
  const silent = await newStore({ booking_reminder_minutes: 0 })
  const pending = await booking(store, [soon(day)])
  const started = await booking(store, [soon(-1)])
  const unwanted = await booking(silent, [soon(day)])
  await changed(orm, pending, {})
  await confirm(started)
  await confirm(unwanted)
  for (const id of [pending, started, unwanted]) {
    expect(await rowOf(id)).toMatchObject({ remind_at: null })
    expect((await database().query('select 1 from outbox where row_id = $1', [id])).rowCount).toBe(0)
    await expect(handleOf(id).describe()).rejects.toThrow()
  }
})

test.each(['cancelled', 'completed', 'no_show'])(
  'A booking that is %s publishes no reminder, and its workflow ends',
  async (status) => {
    const id = await booking(store, [near()])
    await confirm(id)
    await timers(id, 1)
    await changed(orm, id, { status })
    await isIn(id, 'COMPLETED')
    expect(await rowOf(id)).toMatchObject({ remind_at: null })
    expect(await remindersOf(id)).toEqual([])
  },
)

test('A booking that is moved publishes its reminder at the new time, or at once', async () => {
  const id = await booking(store, [near()])
  await confirm(id)
  await timers(id, 1)
  await changed(orm, id, { slots: [soon(500)] })
  const [, later] = await timers(id, 2)
  expect(Math.abs((later ?? 0) - 500 + 60)).toBeLessThan(30)
  const far = [soon(3 * day)]
  await changed(orm, id, { slots: far })
  await isIn(id, 'COMPLETED')
  expect(await rowOf(id)).toMatchObject({ remind_at: (far[0]?.from ?? 0) - 60, reminder_started: false })
  const close = [soon(40)]
  await changed(orm, id, { slots: close })
  expect((await told(id)).map(({ data }) => data.slot)).toEqual(close)
  // The reminder was published, and the booking is moved again to an earlier future time.
  const nearer = [soon(20)]
  await changed(orm, id, { slots: nearer })
  expect((await told(id, 2)).map(({ data }) => data.slot)).toEqual([...close, ...nearer])
  await isIn(id, 'COMPLETED')
  expect((await remindersOf(id)).length).toBe(2)
})

test('A booking’s reminder follows its last row, however fast it is cancelled and confirmed', async () => {
  const ids = await Promise.all(Array.from({ length: 10 }, () => booking(store, [near()])))
  await Promise.all(
    ids.map(async (id) => {
      for (let turn = 0; turn < 6; turn++) {
        await confirm(id)
        if (turn % 2 === 0) await noStarts(id)
        await cancel(id)
        if (turn % 3 === 0) await noStarts(id)
      }
      await confirm(id)
      await noStarts(id)
    }),
  )
  for (const id of ids) {
    await timers(id, 1)
    await isIn(id, 'RUNNING')
    await cancel(id)
  }
  for (const id of ids) await isIn(id, 'COMPLETED')
  expect((await Promise.all(ids.map(remindersOf))).flat()).toEqual([])
})

test('The workflow of a deleted order’s booking ends when its moment comes', async () => {
  const id = await booking(store, [soon(68)])
  await confirm(id)
  await timers(id, 1)
  await database().query('delete from orders where id = $1', [(await rowOf(id)).order_id])
  await isIn(id, 'COMPLETED')
  expect(await remindersOf(id)).toEqual([])
})

test('A reminder uses the store’s settings of the moment when it is due', async () => {
  const own = await newStore({ booking_reminder_minutes: 1 })
  await webhook(own, [reminder])
  const id = await booking(own, [soon(68)])
  await confirm(id)
  await timers(id, 1)
  await database().query(`update tenants set settings = '{"booking_reminder_minutes": 0}' where id = $1`, [own])
  await isIn(id, 'COMPLETED')
  expect(await rowOf(id)).toMatchObject({ remind_at: null, reminded_slot: null })
  expect(await remindersOf(id)).toEqual([])
})

test('A second refresh of reminders changes nothing, and many bookings cost at most three', async () => {
  const order = await newOrder(store)
  const ids = await Promise.all(Array.from({ length: 20 }, () => booking(store, [near()], order)))
  await database().query(`update order_bookings set status = 'confirmed' where order_id = $1`, [order])
  const refresh = async () => {
    said = []
    await unitOf(orm, store).transactional((em) => refreshReminders(em, store, order, now()))
    return said.filter((sql) => /order_bookings|outbox/.test(sql)).length
  }
  expect(await refresh()).toBe(3)
  expect(await refresh()).toBe(1)
  for (const id of ids) await isIn(id, 'RUNNING')
  await database().query(`update order_bookings set status = 'cancelled' where order_id = $1`, [order])
  expect(await refresh()).toBe(3)
  for (const id of ids) await isIn(id, 'COMPLETED')
  await database().query(`update order_bookings set status = 'confirmed', slots = $2 where order_id = $1`, [
    order,
    JSON.stringify([soon(day)]),
  ])
  expect(await refresh()).toBe(2)
  expect(await refresh()).toBe(1)
})

test('The reconciler starts an overdue reminder whose workflow was lost', async () => {
  const slots = [soon(68)]
  const id = await booking(store, slots)
  await confirm(id)
  await timers(id, 1)
  await handleOf(id).terminate('a test')
  expect((await told(id)).map(({ data }) => data.slot)).toEqual(slots)
  await isIn(id, 'COMPLETED')
  expect((await remindersOf(id)).length).toBe(1)
})

test('A reminder that comes due while no worker runs is published once by the next worker', async () => {
  const slots = [soon(70), soon(71)]
  const id = await booking(store, slots)
  await confirm(id)
  await timers(id, 1)
  for (const { child } of workers) child.kill('SIGKILL')
  await Promise.all(workers.map(({ child }) => child.ended))
  workers = await Promise.all([lab.startWorker(), lab.startWorker()])
  await told(id, 2)
  await isIn(id, 'COMPLETED')
  expect((await remindersOf(id)).map(({ data }) => data.slot)).toEqual(slots)
})
