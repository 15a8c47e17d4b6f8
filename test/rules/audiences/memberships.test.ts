// Access, grace and merges as rules, without a database.
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { amountFault, PriceInterval, sameTerms } from '../../../rules/audiences/audiences.ts'
import {
  accessUntil,
  hasAccess,
  inGrace,
  keptOf,
  MemberDelivery,
  MemberStatus,
  maskedEmail,
  strictest,
  withToken,
} from '../../../rules/audiences/memberships.ts'

// A few small values, so that equal and neighbouring times occur in every run.
const time = fc.oneof(fc.integer({ min: 0, max: 4_000_000_000 }), fc.integer({ min: 0, max: 3 }))
const paid = fc.record({
  status: fc.constantFrom(...MemberStatus.options),
  paid_through_at: fc.option(time, { nil: null }),
  cancel_at: fc.option(time, { nil: null }),
})
const hours = fc.integer({ min: 0, max: 720 })

describe('Access', () => {
  test('A member has access to the end of the paid time and, unless it ends with it, of the grace', () => {
    fc.assert(
      fc.property(paid, hours, time, (member, grace, now) => {
        const access_until = accessUntil(member, grace)
        const paid = member.paid_through_at ?? Number.POSITIVE_INFINITY
        // An end after the paid time is preceded by another renewal, which has its grace.
        const end = paid + (member.cancel_at === null || member.cancel_at > paid ? grace * 3600 : 0)
        const stored = { ...member, access_until }
        expect(hasAccess(stored, now)).toBe(member.status === 'active' && now <= end)
        if (inGrace(stored, now))
          expect([hasAccess(stored, now), now > (member.paid_through_at ?? now)]).toEqual([true, true])
      }),
    )
  })

  test('The last second of access is exact', () => {
    const access_until = accessUntil({ status: 'active', paid_through_at: 1000, cancel_at: null }, 1)
    expect(access_until).toBe(4600)
    expect([4600, 4601].map((now) => hasAccess({ status: 'active', access_until }, now))).toEqual([true, false])
  })
})

test('A merge keeps paid, then active, then pending, then ended memberships, then the older one', () => {
  const row = (id: string, status: MemberStatus, price_id: string | null = null, created_at = 1) => ({
    id,
    status,
    price_id,
    created_at,
    access_until: null,
  })
  const ranked = [
    row('f', 'active', 'p'),
    row('e', 'active'),
    row('d', 'pending'),
    row('c', 'removed'),
    row('b', 'expired', null, 2),
  ]
  for (const [at, better] of ranked.entries())
    for (const worse of ranked.slice(at + 1))
      expect([keptOf(better, worse), keptOf(worse, better)]).toEqual([better, better])
})

test('A merge never subscribes an address again', () => {
  for (const one of MemberDelivery.options)
    for (const other of MemberDelivery.options) {
      expect(strictest(one, other)).toBe(strictest(other, one))
      expect(strictest(one, other) === 'subscribed').toBe(one === 'subscribed' && other === 'subscribed')
    }
})

test.each([
  ['ada@example.org', 'a…@example.org'],
  ['😀b@example.org', '😀…@example.org'],
  [null, null],
])('The address %s is shown as %s', (address, masked) => {
  expect(maskedEmail(address)).toBe(masked)
})

test('A token is added to the query of a page', () => {
  expect(withToken('https://shop.example/a?b=c', 'x y')).toBe('https://shop.example/a?b=c&token=x+y')
})

test('Prices are free or what a card can be charged, in intervals of three years at most', () => {
  const amounts = [0, 49, 50].map((amount) => amountFault({ amount, currency: 'USD' })?.code ?? null)
  expect(amounts).toEqual([null, 'too_small', null])
  expect(amountFault({ amount: 1001, currency: 'KWD' })?.code).toBe('not_multiple_of')
  const counts = ['day 1096', 'day 1097', 'week 156', 'week 157', 'month 36', 'month 37', 'year 3', 'year 4'].map(
    (text) => {
      const [period, count] = text.split(' ')
      return PriceInterval.safeParse({ period, count: Number(count) }).success
    },
  )
  expect(counts).toEqual([true, false, true, false, true, false, true, false])
  const terms = { amount: 100, currency: 'USD', interval: { period: 'month' as const, count: 1 } }
  expect([sameTerms(terms, { ...terms }), sameTerms(terms, { ...terms, interval: null })]).toEqual([true, false])
})
