// The migration of booked limits: bookings ahead get the limit of their link, and those of the past and of later
// writers stay as they are.
import { expect, jest, test } from '@jest/globals'
import { newId } from '../../entities/kit/ids.ts'
import { ownDatabase } from '../kit/database/own-database.ts'

jest.setTimeout(60_000)

const own = ownDatabase('limits')
const ahead = Math.floor(Date.now() / 3_600_000) * 3600 + 2 * 86_400
const dateOf = (at: number) => new Date(at * 1000).toISOString().slice(0, 10)
const tenant_id = newId()
type Row = Record<string, unknown>

async function insert(table: string, row: Row): Promise<string> {
  const full: Row = { id: newId(), tenant_id, created_at: 1, updated_at: 1, ...row }
  const names = Object.keys(full).filter((name) => full[name] !== undefined)
  await own.db.query(
    `insert into ${table} (${names.join(', ')}) values (${names.map((_, at) => `$${at + 1}`).join(', ')})`,
    names.map((name) => (typeof full[name] === 'object' ? JSON.stringify(full[name]) : full[name])),
  )
  return full.id as string
}
const named = (key: string) => ({ key, slug: {}, blocks: [], taxonomies: [], status: 'active', search: '' })

let position = 0
async function booking(
  service_id: string,
  provider_id: string,
  slots: { from: number; to: number }[],
  status = 'confirmed',
): Promise<string> {
  const times = { starts_at: slots[0]?.from, ends_at: slots.at(-1)?.to, ordered_at: 1, position: ++position }
  const amounts = { quantity: slots.length, unit_price: 0, subtotal: 0, discount: 0, tax: 0, total: 0 }
  const order = {
    number: position,
    status: 'confirmed',
    fulfillment_status: 'none',
    contact_id: newId(),
    verified: false,
    source_cart_id: newId(),
    payment_id: newId(),
  }
  const order_id = await insert('orders', { ...order, market: 'us', money: {}, forms: [] })
  return insert('order_bookings', {
    order_id,
    service_id,
    provider_id,
    service_key: 's',
    provider_key: 'p',
    slots,
    ...times,
    ...amounts,
    status,
  })
}
const days = async () =>
  (
    await own.db.query<{ taken: number[][] }>('select taken from schedule_days order by provider_id, local_date')
  ).rows.map(({ taken }) => taken)
const slotsOf = async (id: string) =>
  (await own.db.query<{ slots: unknown }>('select slots from order_bookings where id = $1', [id])).rows[0]?.slots

test('The migration gives bookings ahead the limits of their links, and can be undone', async () => {
  await own.migrateUntil('_booked-limits')
  const tenant = {
    key: 'limits',
    timezone: 'UTC',
    languages: [],
    emails: {},
    settings: {},
    status: 'ACTIVE',
    publishable_key: 'pk_limits',
  }
  await insert('tenants', { ...tenant, id: tenant_id, tenant_id: undefined })
  const services = [
    await insert('services', named('private')),
    await insert('services', named('class')),
    await insert('services', named('gone')),
  ] as const
  const [shared, capped] = [
    await insert('providers', named('shared')),
    await insert('providers', { ...named('capped'), concurrent_limit: 4 }),
  ]
  const calendar = { working_days: [], specific_dates: [], durations: [], prices: [], slot_interval: 60 }
  for (const [at, concurrent_limit] of [1, 10].entries())
    for (const provider_id of [shared, capped])
      await insert('service_providers', { service_id: services[at], provider_id, ...calendar, concurrent_limit })
  const hour = (n: number) => ({ from: ahead + n * 3600, to: ahead + (n + 1) * 3600 })
  const past = { from: ahead - 9 * 86_400, to: ahead - 9 * 86_400 + 3600 }
  const ids = [
    await booking(services[0], shared, [hour(0)]),
    await booking(services[1], shared, [hour(1), hour(2)]),
    await booking(services[1], shared, [hour(1)], 'cancelled'),
    await booking(services[2], shared, [hour(3)]),
    await booking(services[0], capped, [hour(0)]),
    await booking(services[1], shared, [past], 'completed'),
  ] as const
  const taken = (...slots: { from: number; to: number }[]) => slots.map(({ from, to }) => [from, to])
  const before: number[][][] = []
  for (const [provider_id, slots] of [
    [shared, [past]],
    [shared, [hour(0), hour(1), hour(2), hour(3), hour(4)]],
    [capped, [hour(0)]],
  ] as const) {
    before.push(taken(...slots))
    await own.db.query(
      'insert into schedule_days (provider_id, tenant_id, local_date, taken) values ($1, $2, $3, $4)',
      [provider_id, tenant_id, dateOf(slots[0].from), JSON.stringify(taken(...slots))],
    )
  }
  await own.orm.migrator.up()
  const limited = (slot: { from: number; to: number }, limit: number) => ({ ...slot, limit })
  expect(await Promise.all(ids.map(slotsOf))).toEqual([
    [limited(hour(0), 1)],
    [limited(hour(1), 10), limited(hour(2), 10)],
    [hour(1)],
    [hour(3)],
    [limited(hour(0), 4)],
    [past],
  ])
  const [, day = []] = before
  const limits = [1, 10, 10, undefined, undefined]
  // The times of a link that is gone, and those that no booking explains, stay as they are.
  expect(await days()).toEqual([
    before[0],
    day.map((slot, at) => (limits[at] ? [...slot, limits[at]] : slot)),
    [[...(taken(hour(0))[0] as number[]), 4]],
  ])
  await own.orm.migrator.down({ to: '20261126000023_social-read-pauses' })
  expect(await days()).toEqual(before)
  expect(await slotsOf(ids[1])).toEqual([hour(1), hour(2)])
})
