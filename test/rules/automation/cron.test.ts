// A cron schedule has the same times as in a slow, independent reading of crontab(5).
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { type CronCalendar, calendarsOf } from '../../../rules/automation/cron.ts'
import { isCron } from '../../../rules/automation/graph-shapes.ts'
import { means } from '../../kit/automation/crontab.ts'
import { draws } from '../../kit/draws.ts'

type Parts = { minute: number; hour: number; day: number; month: number; weekday: number }
const partsOf = (at: Date): Parts => ({
  minute: at.getUTCMinutes(),
  hour: at.getUTCHours(),
  day: at.getUTCDate(),
  month: at.getUTCMonth() + 1,
  weekday: at.getUTCDay(),
})

const isIn = (calendar: CronCalendar, at: Parts) =>
  (Object.keys(at) as (keyof Parts)[]).every((part) =>
    calendar[part].some(({ start, end }) => start <= at[part] && at[part] <= end),
  )

const months = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ')
const days = 'sun mon tue wed thu fri sat'.split(' ')

const item = (first: number, last: number, names: string[] = [], from = 0) => {
  const value = fc.integer({ min: first, max: last })
  const step = fc.integer({ min: 1, max: last })
  const range = fc.tuple(value, value).map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`)
  const name =
    names.length > 0
      ? fc
          .integer({ min: 0, max: names.length - 1 })
          .chain((n) => fc.constantFrom(names[n] as string, String(n + from)))
      : value.map(String)
  return fc.oneof(
    fc.constant('*'),
    value.map(String),
    name,
    range,
    step.map((n) => `*/${n}`),
    fc.tuple(range, step).map(([r, n]) => `${r}/${n}`),
  )
}
const field = (...of: Parameters<typeof item>) =>
  fc.oneof(
    { weight: 3, arbitrary: item(...of) },
    { weight: 2, arbitrary: fc.array(item(...of), { minLength: 2, maxLength: 4 }).map((items) => items.join(',')) },
  )
const anySchedule = fc
  .tuple(field(0, 59), field(0, 23), field(1, 31), field(1, 12, months, 1), field(0, 7, days))
  .map((fields) => fields.join(' '))
  .filter(isCron)
const anyMinute = fc.date({
  min: new Date('2020-01-01T00:00:00Z'),
  max: new Date('2040-01-01T00:00:00Z'),
  noInvalidDate: true,
})

test('A minute is in one of the calendars exactly if the crontab has it', () => {
  fc.assert(
    fc.property(anySchedule, fc.array(anyMinute, { minLength: 20, maxLength: 20 }), (schedule, minutes) => {
      const calendars = calendarsOf(schedule)
      const odd = minutes.filter((at) => calendars.some((one) => isIn(one, partsOf(at))) !== means(schedule, at))
      if (odd.length > 0) throw new Error(`${schedule}: ${odd[0]?.toISOString()}`)
    }),
    { numRuns: draws(400) },
  )
})

describe('Days of a year', () => {
  const year = Array.from({ length: 366 }, (_, n) => new Date(Date.UTC(2028, 0, 1 + n)))
  const found = (schedule: string) =>
    year
      .filter((at) => calendarsOf(schedule).some((one) => isIn(one, partsOf(at))))
      .map((at) => at.toISOString().slice(5, 10))

  test.each([
    ['a day of the month or of the week, where both are said', '0 0 13 10 5', ['10-06', '10-13', '10-20', '10-27']],
    ['either of them, however often it is both', '0 0 1,15 2 tue', ['02-01', '02-08', '02-15', '02-22', '02-29']],
    ['both of them, where one is a step', '0 0 */10 1 mon', ['01-31']],
    ['the day of the month alone', '0 0 29 2 *', ['02-29']],
    ['Sunday, under both its numbers', '0 0 * 1 7', ['01-02', '01-09', '01-16', '01-23', '01-30']],
    ['Sunday, under its other number', '0 0 * 1 0', ['01-02', '01-09', '01-16', '01-23', '01-30']],
    ['a range that ends on Sunday', '0 0 1-9 1 */7', ['01-02', '01-09']],
    ['a weekend', '0 0 * 2 sat,7', ['02-05', '02-06', '02-12', '02-13', '02-19', '02-20', '02-26', '02-27']],
    [
      'Friday to Sunday',
      '0 0 * 5 5-7',
      ['05-05', '05-06', '05-07', '05-12', '05-13', '05-14', '05-19', '05-20', '05-21', '05-26', '05-27', '05-28'],
    ],
    ['months by name', '0 0 31 jan-MAR,dec *', ['01-31', '03-31', '12-31']],
    ['never, but on a Monday', '0 0 30 feb 1', ['02-07', '02-14', '02-21', '02-28']],
  ])('A crontab selects %s: %s', (_, schedule, expected) => expect(found(schedule)).toEqual(expected))
})

test('A schedule needs one calendar, or two when it names both kinds of days', () => {
  expect(
    ['* * * * *', '0 0 1 * *', '0 0 * * 1', '0 0 */2 * 1', '0 0 1 * */2'].map((one) => calendarsOf(one).length),
  ).toEqual([1, 1, 1, 1, 1])
  expect(calendarsOf('0 0 1 * 1')).toHaveLength(2)
})
