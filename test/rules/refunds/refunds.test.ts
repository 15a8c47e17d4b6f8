// For any refunds of a payment, its amounts fit the captured amount, and a conflict is flagged.
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { disputeStatuses, meaningOf } from '../../../rules/payments/disputes.ts'
import { refundAmounts, refundable, refundTrouble } from '../../../rules/refunds/refunds.ts'

const amount = fc.integer({ min: 0, max: 10_000 })

test('Refund amounts never exceed the captured amount and add up if the refunds fit', () => {
  fc.assert(
    fc.property(amount, amount, amount, amount, (captured_amount, succeeded, pending, unknown) => {
      const { excess, ...amounts } = refundAmounts(captured_amount, { succeeded, pending, unknown })
      const { refunded_amount, refund_pending_amount, refund_unknown_amount } = amounts
      const counted = refunded_amount + refund_pending_amount + refund_unknown_amount
      expect(Math.min(refunded_amount, refund_pending_amount, refund_unknown_amount, excess)).toBeGreaterThanOrEqual(0)
      expect(counted).toBeLessThanOrEqual(captured_amount)
      expect(counted + excess).toBe(succeeded + pending + unknown)
      // No further refund is possible while the refunds do not fit.
      if (excess > 0) expect(refundable({ captured_amount, ...amounts })).toBe(0)
      else
        expect(amounts).toEqual({
          refunded_amount: succeeded,
          refund_pending_amount: pending,
          refund_unknown_amount: unknown,
        })
    }),
  )
})

test('Succeeded refunds are counted before pending ones, and those before unknown ones', () => {
  expect(refundAmounts(100, { succeeded: 60, pending: 30, unknown: 30 })).toEqual({
    ...{ refunded_amount: 60, refund_pending_amount: 30, refund_unknown_amount: 10, excess: 20 },
  })
  expect(refundAmounts(100, { succeeded: 120, pending: 30, unknown: 0 })).toEqual({
    ...{ refunded_amount: 100, refund_pending_amount: 0, refund_unknown_amount: 0, excess: 50 },
  })
})

describe('Due refunds', () => {
  const trouble = (
    succeeded: number,
    pending: number,
    o: { cancelled?: boolean; late?: boolean; failed?: boolean; lost?: number; was?: string } = {},
  ) =>
    refundTrouble(
      { captured_amount: 100, ...refundAmounts(100, { succeeded, pending, unknown: 0 }) },
      {
        cancelled: o.cancelled ?? true,
        late: o.late ?? false,
        failed: o.failed ?? true,
        lost: o.lost ?? 0,
        was: o.was ?? null,
      },
    )

  test('A refund is due for a cancelled order whose refunds are missing or late', () => {
    expect(trouble(0, 0, { cancelled: false })).toBeNull()
    expect(trouble(0, 0)).toBe('refund_due')
    expect(trouble(0, 100)).toBeNull()
    expect(trouble(0, 100, { late: true })).toBe('refund_due')
    expect(trouble(60, 0)).toBe('refund_due')
  })

  test('A refund is due until the whole amount is refunded', () => {
    expect(trouble(0, 100, { was: 'refund_due' })).toBe('refund_due')
    expect(trouble(60, 40, { was: 'refund_due' })).toBe('refund_due')
    expect(trouble(100, 0, { was: 'refund_due' })).toBeNull()
    // The failed refund succeeded after all, and the rest is pending.
    expect(trouble(60, 40, { was: 'refund_due', failed: false })).toBeNull()
    expect(trouble(60, 39, { was: 'refund_due', failed: false })).toBe('refund_due')
  })

  test('An amount that was lost to a dispute is not due', () => {
    for (const was of ['refund_due', undefined]) {
      const before = was ? { was } : {}
      expect(trouble(0, 0, { lost: 100, ...before })).toBeNull()
      expect(trouble(60, 0, { lost: 40, ...before })).toBeNull()
      expect(trouble(60, 0, { lost: 39, ...before })).toBe('refund_due')
      expect(trouble(100, 0, { lost: 100, ...before })).toBeNull()
    }
  })
})

test('A dispute is closed by won, lost, prevented and warning_closed, and by no other status', () => {
  const closed = Object.entries(disputeStatuses).flatMap(([name, meaning]) => (meaning.closed ? [name] : []))
  expect(closed.sort()).toEqual(['lost', 'prevented', 'warning_closed', 'won'])
  expect(meaningOf('appeal_needs_response', false)).toMatchObject({ status: 'needs_response', closed: false })
  expect(meaningOf('of a later version', true)).toMatchObject({ status: 'warning', closed: true })
  expect(meaningOf('constructor', false)).toMatchObject({ status: 'warning', closed: false })
})
