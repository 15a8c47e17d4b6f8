// Payments are recounted from their refunds: wrong sums that an earlier version left are found and corrected.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { EntityManager } from '@mikro-orm/postgresql'
import { type Orm, openOrm, unitOf } from '../../entities/kit/database/orm.ts'
import * as effects from '../../entities/kit/effects.ts'
import { newId } from '../../entities/kit/ids.ts'
import { miscountedPayments } from '../../entities/refunds/miscounted.ts'
import { countPayment } from '../../entities/refunds/refund-amounts.ts'
import { refundEffect } from '../../entities/refunds/refund-effect.ts'
import { recountPayment } from '../../entities/refunds/refunds.ts'
import { type PaidRow, paymentRows } from '../kit/orders/payment-rows.ts'

let orm: Orm
beforeAll(async () => {
  orm = await openOrm({ url: process.env.DATABASE_URL as string, pool: 2 })
})
afterAll(() => orm.close(true))

type Rows = ReturnType<typeof paymentRows> & { em: EntityManager }
/** In a transaction that is rolled back: no worker sees these rows. */
async function within(what: (rows: Rows) => Promise<void>): Promise<void> {
  const over = new Error('rolled back')
  await unitOf(orm, null)
    .transactional(async (em) => {
      await what({ ...paymentRows((sql, values) => em.execute(sql, values)), em })
      throw over
    })
    .catch((error) => {
      if (error !== over) throw error
    })
}

const none = '00000000-0000-0000-0000-000000000000'
const seconds = () => Math.floor(Date.now() / 1000)
type PaymentAmounts = {
  refunded: number
  pending: number
  unknown: number
  error: { code: string; message: string } | null
}
const paymentOf = async (em: EntityManager, { payment_id }: PaidRow): Promise<PaymentAmounts> => {
  const rows: PaymentAmounts[] = await em.execute(
    `select refunded_amount as refunded, refund_pending_amount as pending, refund_unknown_amount as unknown, error from payments where id = ?`,
    [payment_id],
  )
  return rows[0] as PaymentAmounts
}
type RefundState = { status: string; needs_attention: boolean; updated_at: number }
const refundOf = async (em: EntityManager, id: string): Promise<RefundState> => {
  const rows: RefundState[] = await em.execute('select status, needs_attention, updated_at from refunds where id = ?', [
    id,
  ])
  return rows[0] as RefundState
}

describe('The script repair-mixed-writes', () => {
  type Case = (rows: Rows) => Promise<{ of: PaidRow; payment: Record<string, unknown>; flagged: number }>
  const cases: [string, Case][] = [
    [
      'an unknown refund that needs no attention',
      async ({ paid, refund }) => {
        const of = await paid('confirmed', { refund_unknown_amount: 2000 })
        await refund(of, 'unknown', 2000)
        return { of, payment: { unknown: 2000, error: null }, flagged: 1 }
      },
    ],
    [
      'a resolved refund that needs attention',
      async ({ paid, refund }) => {
        const of = await paid('confirmed', { refunded_amount: 2000 })
        await refund(of, 'succeeded', 2000, { needs_attention: true })
        return { of, payment: { refunded: 2000, error: null }, flagged: 0 }
      },
    ],
    [
      'a conflict whose other refund was rejected',
      async ({ paid, refund }) => {
        const of = await paid('confirmed', {
          refunded_amount: 5000,
          error: JSON.stringify({ code: 'refund_conflict', message: '' }),
        })
        await refund(of, 'succeeded', 5000, { needs_attention: true })
        await refund(of, 'rejected', 3000)
        return { of, payment: { refunded: 5000, error: null }, flagged: 0 }
      },
    ],
    [
      'a refund of a cancelled order that was rejected',
      async ({ paid, refund }) => {
        const of = await paid('cancelled')
        await refund(of, 'rejected', 5000, { origin: 'system', created_at: seconds() })
        return { of, payment: { refunded: 0, error: expect.objectContaining({ code: 'refund_due' }) }, flagged: 1 }
      },
    ],
    [
      'a refund at the provider that has no record',
      async ({ paid, refund }) => {
        const error = {
          code: 'refund_conflict',
          message: 'The provider refunded 3000, more than is left here.',
          provider_refund_id: `re_${newId()}`,
        }
        const of = await paid('confirmed', { error: JSON.stringify(error) })
        await refund(of, 'rejected', 4000)
        return { of, payment: { refunded: 0, unknown: 3000, error: null }, flagged: 1 }
      },
    ],
  ]
  test.each(cases)('The script repair-mixed-writes finds %s and recounts its payment once', (_, make) =>
    within(async (rows) => {
      const { em } = rows
      const { of, payment, flagged } = await make(rows)
      const mine = async () =>
        (await miscountedPayments(em, none, 10_000)).filter(({ payment_id }) => payment_id === of.payment_id)
      const found = await mine()
      expect(found).toEqual([{ payment_id: of.payment_id, tenant_id: rows.tenant_id }])
      await recountPayment(em, found[0] as (typeof found)[number], 1)
      expect(await paymentOf(em, of)).toMatchObject(payment)
      expect(
        await em.execute('select id from refunds where payment_id = ? and needs_attention', [of.payment_id]),
      ).toHaveLength(flagged)
      expect(await mine()).toEqual([])
    }),
  )

  test('The script repair-mixed-writes changes no payment with right sums, even if money is due', () =>
    within(async ({ em, paid, refund, insert, tenant_id }) => {
      const owes = await paid('cancelled')
      await refund(owes, 'rejected', 5000, { created_at: seconds() })
      const conflict = await paid('confirmed')
      await refund(conflict, 'succeeded', 4000)
      await refund(conflict, 'unknown', 4000)
      // A payment lost to a dispute is not due.
      const lost = await paid('cancelled')
      await refund(lost, 'rejected', 5000, { created_at: seconds() })
      await insert('disputes', {
        ...{
          ...lost,
          provider_account_id: 'acct_1',
          provider_dispute_id: newId(),
          amount: 5000,
          currency: 'USD',
          status: 'lost',
          event_at: 1,
        },
      })
      const kept = await paid('confirmed')
      await refund(kept, 'failed', 5000, { created_at: seconds() })
      for (const { payment_id } of [owes, conflict, lost, kept]) await countPayment(em, payment_id)
      expect(
        [await paymentOf(em, owes), await paymentOf(em, conflict), await paymentOf(em, lost)].map(
          ({ error }) => error?.code ?? null,
        ),
      ).toEqual([...['refund_due', 'refund_conflict', null]])
      expect((await miscountedPayments(em, none, 10_000)).filter((one) => one.tenant_id === tenant_id)).toEqual([])
    }))
})

test('A late refund stays flagged and its payment due while another attempt is in progress', () =>
  within(async ({ em, paid, refund }) => {
    const of = await paid('cancelled')
    const system = await refund(of, 'processing', 5000, { origin: 'system', attempt: 6 })
    await countPayment(em, of.payment_id)
    expect(await paymentOf(em, of)).toMatchObject({ pending: 5000, error: { code: 'refund_due' } })
    expect(await refundOf(em, system)).toMatchObject({ needs_attention: true })
    // The fifth attempt itself is not late yet.
    await em.execute('update refunds set attempt = 5 where id = ?', [system])
    await em.execute('update payments set error = null where id = ?', [of.payment_id])
    await countPayment(em, of.payment_id)
    expect(await paymentOf(em, of)).toMatchObject({ error: null })
    expect(await refundOf(em, system)).toMatchObject({ needs_attention: false })
  }))

test('A payment whose failed refund succeeded is not due while the rest is being refunded', () =>
  within(async ({ em, paid, refund }) => {
    const of = await paid('cancelled')
    const first = await refund(of, 'rejected', 2000)
    await countPayment(em, of.payment_id)
    expect(await paymentOf(em, of)).toMatchObject({ error: { code: 'refund_due' } })
    const second = await refund(of, 'processing', 3000, { attempt: 1 })
    await effects.settleByProof(em, refundEffect, first, { status: 'succeeded', evidence: {} }, ['rejected'])
    expect(await paymentOf(em, of)).toMatchObject({ refunded: 2000, pending: 3000, error: null })
    await effects.settleByProof(em, refundEffect, second, { status: 'rejected', evidence: {} })
    expect(await paymentOf(em, of)).toMatchObject({
      refunded: 2000,
      error: { code: 'refund_due', message: expect.stringContaining('30.00 USD') },
    })
    expect(await refundOf(em, second)).toMatchObject({ needs_attention: true })
  }))

test('Every change of a refund updates the fields by which lists sort', () =>
  within(async ({ em, paid, refund }) => {
    const token = newId()
    const sent = { token, claimed_at: new Date(), sent_at: new Date(), deadline_at: new Date(0) }
    const moves: [string, Record<string, unknown>, (id: string) => Promise<unknown>, string][] = [
      ['requested', {}, (id) => effects.claim(em, refundEffect, id, token), 'processing'],
      [
        'processing',
        { token },
        (id) => effects.giveBack(em, refundEffect, id, token, { code: 'not_sent', message: '' }),
        'requested',
      ],
      [
        'processing',
        sent,
        (id) => effects.settle(em, refundEffect, id, token, { status: 'succeeded', evidence: {} }),
        'succeeded',
      ],
      [
        'processing',
        sent,
        (id) => effects.settleByProof(em, refundEffect, id, { status: 'rejected', evidence: {} }),
        'rejected',
      ],
      ['requested', {}, (id) => effects.giveUp(em, refundEffect, id), 'failed'],
      [
        'processing',
        { token, claimed_at: new Date() },
        (id) => effects.decide(em, refundEffect, id, token),
        'requested',
      ],
      ['processing', sent, (id) => effects.decide(em, refundEffect, id, token), 'unknown'],
      ['requested', {}, (id) => effects.quarantine(em, refundEffect, id, 0), 'unknown'],
    ]
    for (const [status, row, move, then] of moves) {
      const id = await refund(await paid('confirmed'), status, 100, row)
      await move(id)
      const now = await refundOf(em, id)
      expect([now.status, now.updated_at > 1]).toEqual([then, true])
    }
    const of = await paid('confirmed')
    const beside = await refund(of, 'succeeded', 4000)
    await refund(of, 'unknown', 4000)
    await countPayment(em, of.payment_id)
    expect(await refundOf(em, beside)).toEqual({
      status: 'succeeded',
      needs_attention: true,
      updated_at: expect.any(Number),
    })
    expect((await refundOf(em, beside)).updated_at).toBeGreaterThan(1)
  }))
