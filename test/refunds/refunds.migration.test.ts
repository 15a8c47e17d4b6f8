// The migration of refunds: refunds of the provider's dashboard become records, and money that is due is listed.
import { expect, jest, test } from '@jest/globals'
import { unitOf } from '../../entities/kit/database/orm.ts'
import { ownDatabase } from '../kit/database/own-database.ts'
import { type PaidRow, paymentRows } from '../kit/orders/payment-rows.ts'

jest.setTimeout(60_000)

const own = ownDatabase('refunds')

test('The migration turns dashboard refunds into records and flags unpaid refunds', async () => {
  await own.migrateUntil('_money')
  const { paid, refund } = paymentRows((sql, values) => unitOf(own.orm, null).execute(sql, values))
  const message = 'The provider refunded 3000, more than is left here.'
  const error = JSON.stringify({ code: 'refund_conflict', message, provider_refund_id: 're_1' })
  const [beside, resolved] = [
    await paid('confirmed', { refund_unknown_amount: 4000, error }),
    await paid('confirmed', { error: error.replace('re_1', 're_2') }),
  ]
  // A second account: of two refunds of the dashboard, the error names the last.
  const lost = await paid('confirmed', {
    refund_unknown_amount: 5000,
    error: error.replace('re_1', 're_3'),
    provider_account_id: 'acct_lost',
  })
  const sent = [await refund(lost, 'unknown', 5000)]
  for (const id of ['evt_1', 'evt_2'])
    await own.db.query(
      `insert into provider_events (id, type, account, event_at, received_at, outcome) values ($1, 'refund.created', 'acct_lost', 1, 1, 'conflict: more than is left')`,
      [id],
    )
  const unknown = await refund(beside, 'unknown', 4000)
  await refund(resolved, 'rejected', 5000)
  const [owed, whole] = [await paid('cancelled', {}), await paid('cancelled', { refunded_amount: 5000 })]
  await refund(owed, 'rejected', 5000, { origin: 'system', created_at: 1 })
  const newest = await refund(owed, 'failed', 5000, { created_at: 2 })
  await refund(owed, 'failed', 9000, {
    created_at: 3,
    error: JSON.stringify({ code: 'amount_exceeds_refundable', message: '' }),
  })
  await refund(whole, 'succeeded', 5000)
  await own.orm.migrator.up()

  const amounts = async ({ payment_id }: PaidRow) => {
    const { rows } = await own.db.query<Record<string, unknown>>(
      `select refunded_amount::int as refunded, refund_pending_amount::int as pending, refund_unknown_amount::int as unknown, error ->> 'code' as error from payments where id = $1`,
      [payment_id],
    )
    return rows[0]
  }
  expect(await amounts(beside)).toEqual({ refunded: 0, pending: 0, unknown: 5000, error: 'refund_conflict' })
  expect(await amounts(resolved)).toEqual({ refunded: 0, pending: 0, unknown: 3000, error: null })
  expect(await amounts(lost)).toEqual({ refunded: 0, pending: 0, unknown: 5000, error: 'refund_conflict' })
  expect(await amounts(owed)).toEqual({ refunded: 0, pending: 0, unknown: 0, error: 'refund_due' })
  expect(await amounts(whole)).toEqual({ refunded: 5000, pending: 0, unknown: 0, error: null })
  const { rows } = await own.db.query<{ id: string; told: unknown[] }>(
    `select id, json_build_array(provider_refund_id, status, amount, error ->> 'message' like '%more refunds than are recorded%') as told
     from refunds where origin = 'provider' order by provider_refund_id`,
  )
  expect(rows.map(({ told }) => told)).toEqual([
    ['re_1', 'unknown', 3000, false],
    ['re_2', 'unknown', 3000, false],
    ['re_3', 'unknown', 3000, true],
  ])
  const flagged = await own.db.query<{ id: string }>('select id from refunds where needs_attention')
  expect(flagged.rows.map(({ id }) => id).sort()).toEqual(
    [...sent, unknown, newest, ...rows.map(({ id }) => id)].sort(),
  )
})
