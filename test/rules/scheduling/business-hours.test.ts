// Minutes from midnight and windows are the same hours, and the union of calendars is open whenever one of them is.
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { type Hours, hoursOf, windowOf, workingTimeOf } from '../../../rules/scheduling/business-hours.ts'
import { TimeWindow, Weekday } from '../../../rules/scheduling/calendars.ts'
import { processorMs } from '../../kit/stack/processor-time.ts'

const hours = fc.record({ from: fc.integer({ min: 0, max: 1439 }), to: fc.integer({ min: 0, max: 1440 }) })
const window = hours.map(windowOf)

test('Hours become windows and the same hours again', () => {
  fc.assert(
    fc.property(hours, (given) => {
      const made = windowOf(given)
      expect(TimeWindow.parse(made)).toEqual(made)
      expect(hoursOf(made)).toEqual(given)
    }),
  )
  expect(windowOf({ from: 540, to: 1440 })).toEqual({ from: '09:00', to: '24:00' })
  expect(windowOf({ from: 1320, to: 0 })).toEqual({ from: '22:00', to: '00:00' })
})

test('Every window becomes hours and the same window again', () => {
  for (let minute = 0; minute < 1440; minute++) {
    const at = windowOf({ from: minute, to: minute })
    expect(windowOf(hoursOf(at))).toEqual(at)
  }
  expect(hoursOf({ from: '00:00', to: '24:00' })).toEqual({ from: 0, to: 1440 })
})

const minutesIn = (list: readonly Hours[]) =>
  new Set(
    list.flatMap(({ from, to }) => Array.from({ length: (to > from ? to : to + 1440) - from }, (_, at) => from + at)),
  )
const calendar = fc.record({
  working_days: fc.uniqueArray(
    fc.record({ day: fc.constantFrom(...Weekday.options), windows: fc.array(window, { maxLength: 3 }) }),
    {
      selector: ({ day }) => day,
      maxLength: 3,
    },
  ),
  specific_dates: fc.uniqueArray(
    fc.record({
      date: fc.constantFrom('2030-01-07', '2030-01-08', '1970-01-01'),
      windows: fc.array(window, { maxLength: 2 }),
    }),
    {
      selector: ({ date }) => date,
      maxLength: 2,
    },
  ),
})

test('Working time is open in each minute in which a calendar is, and in no other', () => {
  fc.assert(
    fc.property(fc.array(calendar, { maxLength: 4 }), (calendars) => {
      const { working_days, specific_dates, outcast_dates } = workingTimeOf(calendars)
      const weekly = (day: Weekday, of: typeof calendars = calendars) =>
        minutesIn(
          of.flatMap((one) =>
            one.working_days.filter((at) => at.day === day).flatMap(({ windows }) => windows.map(hoursOf)),
          ),
        )
      for (const day of Weekday.options)
        expect(minutesIn(working_days.find((one) => one.day === day)?.working_hours ?? [])).toEqual(weekly(day))
      for (const [date, day] of [
        ['2030-01-07', 'monday'],
        ['2030-01-08', 'tuesday'],
        ['1970-01-01', 'thursday'],
      ] as const) {
        const minutes = new Set(
          calendars.flatMap((one) => {
            const own = one.specific_dates.find((at) => at.date === date)
            return [...(own ? minutesIn(own.windows.map(hoursOf)) : weekly(day, [one]))]
          }),
        )
        const isNamed = calendars.some((one) => one.specific_dates.some((at) => at.date === date))
        const found = [...specific_dates, ...outcast_dates].filter((one) => one.date === date)
        expect(found.length).toBe(isNamed ? 1 : 0)
        if (isNamed)
          expect([outcast_dates.includes(found[0] as never), minutesIn(found[0]?.working_hours ?? [])]).toEqual([
            minutes.size === 0,
            minutes,
          ])
      }
    }),
    { numRuns: 200 },
  )
})

test('Hours that touch are one, and two that exceed a day are kept apart', () => {
  const of = (...windows: TimeWindow[]) =>
    workingTimeOf([{ working_days: [{ day: 'monday', windows }], specific_dates: [] }]).working_days[0]?.working_hours
  expect(of({ from: '12:00', to: '14:00' }, { from: '09:00', to: '12:00' })).toEqual([{ from: 540, to: 840 }])
  expect(of({ from: '22:00', to: '02:00' }, { from: '20:00', to: '23:00' })).toEqual([{ from: 1200, to: 120 }])
  expect(of({ from: '00:00', to: '24:00' }, { from: '22:00', to: '06:00' })).toEqual([
    { from: 0, to: 1440 },
    { from: 1320, to: 360 },
  ])
})

test('Calendars of many single dates are put together in little time', () => {
  const calendars = Array.from({ length: 20 }, (_, nth) => ({
    working_days: [],
    specific_dates: Array.from({ length: 1000 }, (_, day) => ({
      date: new Date((nth * 1000 + day) * 86_400_000).toISOString().slice(0, 10),
      windows: [{ from: '09:00', to: '10:00' }],
    })),
  }))
  expect(processorMs(() => expect(workingTimeOf(calendars).specific_dates.length).toBe(20_000), 800)).toBeLessThan(800)
})
