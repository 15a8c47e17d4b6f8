// Starts wait in the outbox alone: after work it is empty, and starts that keep failing are visible in the metrics.
import { afterAll, expect, jest, test } from '@jest/globals'
import { openOrm, unitOf } from '../../entities/kit/database/orm.ts'
import { newId } from '../../entities/kit/ids.ts'
import { lease, postpone } from '../../entities/kit/outbox.ts'
import type { ProcessKind } from '../../rules/processes.ts'
import { until } from '../kit/codes.ts'
import { connected, paidOrder, product } from '../kit/orders/buying.ts'
import { api, database, newShop } from '../kit/shop.ts'

jest.setTimeout(60_000)
afterAll(() => database().end())

const waiting = async (storeId: string): Promise<number> =>
  (await database().query('select 1 from outbox where tenant_id = $1', [storeId])).rowCount ?? 0
const parked = async () =>
  Number(/^tillwright_outbox_rows\{state="parked"\} (\S+)/m.exec(await (await fetch(`${api()}/metrics`)).text())?.[1])

test('After an order, its payment, its refunds and an email, the outbox has no row of the store', async () => {
  const shop = await newShop()
  await connected(shop)
  const { order_id } = await paidOrder(shop, [(await product(shop)).item()])
  for (const amount of [1, 2])
    expect((await shop.asOperator('POST', `/orders/${order_id}/refunds`, { refund_id: newId(), amount })).status).toBe(
      201,
    )
  await until(async () => (await waiting(shop.store_id)) === 0)
})

test('A start that failed twenty times is counted in the metrics until an operator acts', async () => {
  const before = await parked()
  const { store_id } = await newShop()
  const id = newId()
  // Of a kind that no worker handles, so that none starts it meanwhile.
  await database().query(
    `insert into outbox (id, tenant_id, kind, row_id, not_before, tries, parked) values ($1, $2, 'nothing', $1, clock_timestamp() + interval '1 hour', 20, false)`,
    [id, store_id],
  )
  const orm = await openOrm({ url: process.env.DATABASE_URL as string, pool: 1 })
  await postpone(unitOf(orm, null), id, 20, 'nobody knows how')
  await orm.close(true)
  expect(await parked()).toBe(before + 1)
  await database().query('delete from outbox where id = $1', [id])
})

test('A lease of many rows of one store includes the row of another store', async () => {
  // Of a kind that no worker handles: only this test leases it.
  const kind = `nothing-${newId()}`
  const [loud, calm] = [newId(), newId()]
  const insert = (tenant: string | null, count: number) =>
    database().query(
      `insert into outbox (id, tenant_id, kind, row_id, not_before, tries, parked)
       select gen_random_uuid(), $1, $2, gen_random_uuid(), clock_timestamp(), 0, false from generate_series(1, $3)`,
      [tenant, kind, count],
    )
  await insert(loud, 10_000)
  await insert(calm, 1)
  await insert(null, 1)
  const orm = await openOrm({ url: process.env.DATABASE_URL as string, pool: 1 })
  const leased = await lease(unitOf(orm, null), [kind as ProcessKind], 100, 15)
  await orm.close(true)
  const count = (tenant: string | null) => leased.filter(({ tenant_id }) => tenant_id === tenant).length
  expect([count(loud), count(calm), count(null)]).toEqual([25, 1, 1])
  await database().query('delete from outbox where kind = $1', [kind])
})
