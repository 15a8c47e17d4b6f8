// Days of a time zone meet without a gap, also where clocks change by half an hour; figures add up by status and
// currency.
import { expect, test } from '@jest/globals'
import { daysUntil, type Figure, figuresOf } from '../../../rules/overview/overview.ts'

const at = (text: string) => Date.parse(text) / 1000
const hours = (days: ReturnType<typeof daysUntil>) => days.map(({ from, to }) => (to - from) / 3600)

test.each([
  ['Europe/Berlin', '2027-03-29T12:00:00Z', ['2027-03-27', '2027-03-28', '2027-03-29'], [24, 23, 24]],
  ['Europe/Berlin', '2026-10-26T12:00:00Z', ['2026-10-24', '2026-10-25', '2026-10-26'], [24, 25, 24]],
  ['America/New_York', '2026-11-02T02:00:00Z', ['2026-10-30', '2026-10-31', '2026-11-01'], [24, 24, 25]],
  ['Australia/Lord_Howe', '2026-10-04T12:00:00Z', ['2026-10-02', '2026-10-03', '2026-10-04'], [24, 24, 23.5]],
  ['Pacific/Kiritimati', '2026-11-29T10:30:00Z', ['2026-11-28', '2026-11-29', '2026-11-30'], [24, 24, 24]],
])('The days of %s until %s have their own hours', (zone, now, dates, lengths) => {
  const days = daysUntil(at(now), 3, zone)
  expect([days.map(({ date }) => date), hours(days)]).toEqual([dates, lengths])
  expect(days.every(({ to }, n) => n === days.length - 1 || to === days[n + 1]?.from)).toBe(true)
  expect(days.at(-1)?.from).toBeLessThanOrEqual(at(now))
  expect(days.at(-1)?.to).toBeGreaterThan(at(now))
})

test('Figures of several days add up by status, and money by currency', () => {
  const figure = (what: Figure['what'], word: string, count: number, amount = 0, day = 1) => ({
    what,
    word,
    count,
    amount,
    day,
  })
  expect(
    figuresOf([
      ...[figure('orders', 'pending', 2), figure('orders', 'pending', 3, 0, 2), figure('orders', 'cancelled', 1)],
      ...[figure('sales', 'USD', 2, 500), figure('sales', 'EUR', 1, 70), figure('sales', 'USD', 1, 100, 2)],
    ]),
  ).toMatchObject({
    orders: { pending: 5, cancelled: 1 },
    refunds: {},
    sales: [
      { currency: 'EUR', count: 1, amount: 70 },
      { currency: 'USD', count: 3, amount: 600 },
    ],
    refunded: [],
  })
})
