// Which payment of an invoice is refunded when several parts paid it.
import { expect, test } from '@jest/globals'
import { paidIntent } from '../../../rules/subscriptions/invoice-payments.ts'

const part = (
  amount_paid: number | null,
  payment_intent?: string | { id: string },
  status = 'paid',
  type = 'payment_intent',
) => ({
  status,
  amount_paid,
  payment: { type, payment_intent },
})

test('Of an invoice that was paid in parts the payment that paid most of it is refunded', () => {
  const parts = [
    part(200, 'pi_1'),
    part(900, { id: 'pi_2' }),
    part(5_000, 'pi_3', 'canceled'),
    part(8_000, undefined, 'paid', 'charge'),
    part(null, 'pi_4'),
  ]
  expect(paidIntent(parts)).toBe('pi_2')
  expect(paidIntent(parts.slice(2, 4))).toBeNull()
  expect(paidIntent([])).toBeNull()
})
