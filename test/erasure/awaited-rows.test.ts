// The erasure of a tenant waits for a row of every table that declares so, and for no row of the others.
import { expect, test } from '@jest/globals'
import { unixNow } from '../../adapters/clock.ts'
import { awaitedRows, isKept } from '../../entities/erasure/awaited-rows.ts'
import { unitOf } from '../../entities/kit/database/orm.ts'
import { column, sql } from '../../entities/kit/database/sql.ts'
import { tables } from '../../entities/tables.ts'
import { effects } from '../../rules/effects.ts'
import { bareRows } from '../kit/database/bare-rows.ts'

const { own, row, tenant } = bareRows('awaited')

/** Rows that are awaited, of the tables that are not those of an effect. */
const awaited: Record<string, () => Promise<unknown>> = {
  media: () => row('media', { status: 'processing' }),
  orders: async () => {
    const payment_id = await row('payments', { status: 'pending' })
    const order_id = await row('orders', { status: 'pending' })
    await row('payment_sessions', { order_id, payment_id, status: 'succeeded', state: 'complete', expires_at: 5 })
  },
  payments: () => row('payments', { status: 'authorized' }),
  subscriptions: () => row('subscriptions', { status: 'pending' }),
}
const effectTables = new Set<string>(Object.values(effects).map(({ table }) => table))
const inFlight = [...effectTables].map((table) => [
  table,
  () => row(table, { tenant_id: tenant, status: 'processing' }),
])
const waits = [...Object.entries(awaited), ...inFlight] as [string, () => Promise<unknown>][]

const count = () => awaitedRows(unitOf(own.orm, null), tenant, null, unixNow())

test.each(waits)('The erasure waits for a row of %s', async (table, make) => {
  await make()
  expect(await count()).toMatchObject({ [table]: 1 })
})

test('Every table that declares a wait has a row here, and the others say why they have none', () => {
  const declared = Object.entries(tables)
  const waiting = declared.filter(([, { erasure }]) => erasure.awaits)
  expect(waiting.map(([table]) => table).sort()).toEqual(waits.map(([table]) => table).sort())
  const silent = declared.filter(([, { erasure }]) => !erasure.awaits && !('why' in erasure && erasure.why))
  expect(silent).toEqual([])
})

test.each([...effectTables])(
  'A row of %s that is in flight is not deleted, and one that is rejected is',
  async (table) => {
    await row(table, { tenant_id: tenant, status: 'processing' })
    const kept = isKept(table, { status: 'deleting', open: null }, unixNow())
    const count = async () =>
      (await unitOf(own.orm, null).execute(sql`select status from ${column(table)} where ${kept}`)).length
    expect(await count()).toBe(1)
    await own.db.query(`update ${table} set status = 'rejected'`)
    expect(await count()).toBe(0)
  },
)
