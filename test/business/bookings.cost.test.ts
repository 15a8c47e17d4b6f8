// Bookings of a time are found by an index: a list from a time on reads nothing of what is over.
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals'
import { dateIn } from '../kit/bookings/booking.ts'
import { type Business, newBusiness } from '../kit/business.ts'
import { readsOf, recordStatementsAlone, rowsOf, type Statement } from '../kit/database/statements.ts'
import { database, http } from '../kit/shop.ts'

jest.setTimeout(180_000)

const over = 20_000
const ahead = 200

let own: Awaited<ReturnType<typeof recordStatementsAlone>>
let salon: Business

beforeAll(async () => {
  own = await recordStatementsAlone('bookings')
  salon = await newBusiness()
  const { id: serviceId } = await salon.make('/services', { prices: [{ market: 'booking', amount: 3000 }] })
  const { id: providerId } = await salon.make('/providers')
  await salon.make('/service-providers', {
    ...{ serviceId, providerId, workingDays: [] },
    specificDates: [{ date: dateIn(2), workingHours: [{ from: 540, to: 600 }] }],
    slotInterval: 60,
  })
  const from = Date.parse(dateIn(2)) / 1000 + 540 * 60
  const items = [{ serviceId, providerId, slots: [{ from, to: from + 3600 }] }]
  expect((await salon.ask('POST', '/bookings', { items, paymentMethodId: 'cash' })).status).toBe(201)
  // Copies of this booking: an hour apart, most of them before now.
  const client = await database().connect()
  try {
    await client.query(
      `create temporary table copies as select n, gen_random_uuid() as order_id, gen_random_uuid() as payment_id, extract(epoch from now())::bigint + (n - $1) * 3600 as at
         from generate_series(1, $2::int) n`,
      [over, over + ahead],
    )
    const copy = (table: string, members: string) =>
      client.query(
        `insert into ${table} select r.* from ${table} o, copies c, jsonb_populate_record(o, jsonb_build_object(${members})) r
           where o.tenant_id = $1 and not exists (select 1 from copies x where x.order_id = o.id)`,
        [salon.id],
      )
    await copy(
      'orders',
      "'id', c.order_id, 'payment_id', c.payment_id, 'source_cart_id', gen_random_uuid(), 'number', c.n + 1000000, 'created_at', c.at - 86400, 'updated_at', c.at - 86400, 'fingerprint', c.order_id",
    )
    await copy(
      'payments',
      "'id', c.payment_id, 'order_id', c.order_id, 'created_at', c.at - 86400, 'updated_at', c.at - 86400",
    )
    await copy(
      'order_bookings',
      `'id', gen_random_uuid(), 'order_id', c.order_id, 'ordered_at', c.at - 86400, 'created_at', c.at - 86400, 'starts_at', c.at, 'ends_at', c.at + 3600,
         'slots', jsonb_build_array(jsonb_build_object('from', c.at, 'to', c.at + 3600)), 'status', case when c.n > ${over} then 'confirmed' else 'completed' end`,
    )
  } finally {
    client.release()
  }
  for (const table of ['orders', 'payments', 'order_bookings']) await database().query(`vacuum analyze ${table}`)
})
afterAll(async () => {
  await database().end()
  await own.close()
})

test.each<[name: string, query: () => string]>([
  ['from now on', () => `from=${Math.floor(Date.now() / 1000)}`],
  ['of a day', () => `from=${Math.floor(Date.now() / 1000)}&to=${Math.floor(Date.now() / 1000) + 86_400}`],
])('A list of the bookings %s reads none of the thousands that are over', async (_, query) => {
  const path = `/v1/businesses/${salon.id}/bookings?limit=20&${query()}`
  const statements = await own.said((base) => http('GET', path, { headers: salon.op.headers, base }))
  const plan = await own.planOf(
    statements.find(({ text }) => /starts_at/.test(text) && /limit/.test(text)) as Statement,
  )
  const read = readsOf(plan, 'order_bookings').reduce((sum, node) => sum + rowsOf(node), 0)
  expect(read).toBeGreaterThan(0)
  expect(read).toBeLessThan(4 * ahead)
})
