// Refunds of before they were counted anew: what the provider's dashboard gave back is a record, and what must go back is in sight.
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals'
import pg from 'pg'
import { newId } from '../../entities/ids.ts'
import { type Orm, openOrm } from '../../entities/orm.ts'
import { until } from '../kit/codes.ts'
import { database, unique } from '../kit/shop.ts'

jest.setTimeout(60_000)

const name = `refunds_${unique()}`
let orm: Orm
let db: pg.Pool
beforeAll(async () => {
  await database().query(`create database ${name}`)
  const url = new URL(process.env.DATABASE_URL as string)
  url.pathname = `/${name}`
  orm = await openOrm({ url: url.href, pool: 2 })
  orm.config.set('migrations', { ...orm.config.get('migrations'), silent: true })
  db = new pg.Pool({ connectionString: url.href, max: 2 })
})
afterAll(async () => {
  await orm.close(true)
  await db.end()
  await until(() =>
    database()
      .query(`drop database ${name}`)
      .then(
        () => true,
        () => false,
      ),
  )
  await database().end()
})

const tenant = newId()
async function insert(table: string, row: Record<string, unknown>): Promise<string> {
  const full: Record<string, unknown> = { id: newId(), tenant_id: tenant, created_at: 1, updated_at: 1, ...row }
  const names = Object.keys(full)
  await db.query(`insert into ${table} (${names.join(', ')}) values (${names.map((_, n) => `$${n + 1}`).join(', ')})`, Object.values(full))
  return full.id as string
}

let number = 0
async function paid(status: string, payment: Record<string, unknown>): Promise<{ order_id: string; payment_id: string }> {
  const order_id = await insert('orders', {
    ...{ number: ++number, status, fulfillment_status: 'none', contact_id: newId(), verified: false, source_cart_id: newId(), payment_id: newId() },
    ...{ market: 'us', money: '{}', forms: '[]' },
  })
  const payment_id = await insert('payments', {
    ...{ order_id, type: 'card', status: 'paid', currency: 'USD', amount: 5000, captured_amount: 5000, provider_account_id: 'acct_1', ...payment },
  })
  return { order_id, payment_id }
}
const refund = (of: { order_id: string; payment_id: string }, status: string, amount: number, more: Record<string, unknown> = {}) =>
  insert('refunds', { ...of, refund_id: newId(), amount, currency: 'USD', origin: 'operator', fingerprint: '', attempt: 0, status, ...more })

test('Refunds of the dashboard become records, and unpaid refunds of cancelled orders need attention', async () => {
  const all = (await orm.migrator.getPending()).map((migration) => migration.name)
  const at = all.findIndex((one) => one.endsWith('_money'))
  expect(at).toBeGreaterThan(0)
  await orm.migrator.up({ to: all[at - 1] as string })
  const message = 'The provider refunded 3000, more than is left here.'
  const error = JSON.stringify({ code: 'refund_conflict', message, provider_refund_id: 're_1' })
  const [beside, resolved] = [
    await paid('confirmed', { refund_unknown_amount: 4000, error }),
    await paid('confirmed', { error: error.replace('re_1', 're_2') }),
  ]
  const unknown = await refund(beside, 'unknown', 4000)
  await refund(resolved, 'rejected', 5000)
  const [owed, whole] = [await paid('cancelled', {}), await paid('cancelled', { refunded_amount: 5000 })]
  await refund(owed, 'rejected', 5000, { origin: 'system', created_at: 1 })
  const newest = await refund(owed, 'failed', 5000, { created_at: 2 })
  await refund(owed, 'failed', 9000, { created_at: 3, error: JSON.stringify({ code: 'amount_exceeds_refundable', message: '' }) })
  await refund(whole, 'succeeded', 5000)
  await orm.migrator.up()

  const amounts = async ({ payment_id }: { payment_id: string }) => {
    const { rows } = await db.query<Record<string, unknown>>(
      `select refunded_amount::int as refunded, refund_pending_amount::int as pending, refund_unknown_amount::int as unknown, error ->> 'code' as error from payments where id = $1`,
      [payment_id],
    )
    return rows[0]
  }
  expect(await amounts(beside)).toEqual({ refunded: 3000, pending: 0, unknown: 2000, error: 'refund_conflict' })
  expect(await amounts(resolved)).toEqual({ refunded: 3000, pending: 0, unknown: 0, error: null })
  expect(await amounts(owed)).toEqual({ refunded: 0, pending: 0, unknown: 0, error: 'refund_due' })
  expect(await amounts(whole)).toEqual({ refunded: 5000, pending: 0, unknown: 0, error: null })
  const { rows } = await db.query<{ id: string; provider_refund_id: string | null }>(
    `select id, provider_refund_id from refunds where origin = 'provider' order by 2`,
  )
  expect(rows.map(({ provider_refund_id }) => provider_refund_id)).toEqual(['re_1', 're_2'])
  const flagged = await db.query<{ id: string }>('select id from refunds where needs_attention')
  expect(flagged.rows.map(({ id }) => id).sort()).toEqual([unknown, newest, rows[0]?.id].sort())
})
