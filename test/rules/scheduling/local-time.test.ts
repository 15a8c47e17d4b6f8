// Local dates and wall-clock times are those of the zone's clocks, across every clock change.
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import {
  addDays,
  instantOf,
  localDateOf,
  localDatesOf,
  startOfDay,
  wallTimeOf,
} from '../../../rules/scheduling/local-time.ts'
import { draws } from '../../kit/draws.ts'

const zones = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Australia/Lord_Howe',
  'Asia/Kathmandu',
  'Asia/Tokyo',
  'America/Havana',
  'America/Santiago',
  'Asia/Beirut',
  'America/St_Johns',
  'Africa/Casablanca',
  'Africa/Monrovia',
  'Pacific/Apia',
  'Pacific/Chatham',
]
const seconds = (utc: string) => Date.parse(utc) / 1000
const zone = fc.constantFrom(...zones)
const instant = fc.integer({ min: seconds('1970-01-01'), max: seconds('2101-01-01') - 1 })

/** The fields that Intl shows, independent of our arithmetic. */
const shown = new Map<string, Intl.DateTimeFormat>()
const clockAt = (at: number, timeZone: string): string => {
  const options = {
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  } as const
  const format = shown.get(timeZone) ?? new Intl.DateTimeFormat('en-US', { timeZone, hourCycle: 'h23', ...options })
  shown.set(timeZone, format)
  const { year, month, day, hour, minute, second } = Object.fromEntries(
    format.formatToParts(at * 1000).map(({ type, value }) => [type, value]),
  )
  return `${year}-${month}-${day}T${hour}:${minute}:${second}`
}
const dateAt = (at: number, timeZone: string) => clockAt(at, timeZone).slice(0, 10)

test.each([
  ['Europe/Berlin', '2026-03-29', '2026-03-28T23:00Z', 23],
  ['Europe/Berlin', '2026-10-25', '2026-10-24T22:00Z', 25],
  ['Europe/Berlin', '2026-06-01', '2026-05-31T22:00Z', 24],
  ['America/New_York', '2026-03-08', '2026-03-08T05:00Z', 23],
  ['America/New_York', '2026-11-01', '2026-11-01T04:00Z', 25],
  ['Australia/Lord_Howe', '2026-10-04', '2026-10-03T13:30Z', 23.5],
  ['Australia/Lord_Howe', '2026-04-05', '2026-04-04T13:00Z', 24.5],
  ['Asia/Tokyo', '2026-03-29', '2026-03-28T15:00Z', 24],
  ['Asia/Kathmandu', '2026-03-29', '2026-03-28T18:15Z', 24],
  ['UTC', '2024-02-29', '2024-02-29T00:00Z', 24],
])('The local day of %s on %s starts at %s and lasts %d hours', (zone, date, start, hours) => {
  expect(startOfDay(date, zone)).toBe(seconds(start))
  expect(startOfDay(addDays(date, 1), zone) - startOfDay(date, zone)).toBe(hours * 3600)
})

test.each([
  ['America/Havana', '2026-03-08', '2026-03-08T05:00Z', 23],
  ['America/Santiago', '2026-09-06', '2026-09-06T04:00Z', 23],
  ['Asia/Beirut', '2026-03-29', '2026-03-28T22:00Z', 23],
])('The local day of %s on %s starts at 01:00 when the clocks skip midnight', (zone, date, start, hours) => {
  expect(startOfDay(date, zone)).toBe(seconds(start))
  expect(clockAt(startOfDay(date, zone), zone)).toBe(`${date}T01:00:00`)
  expect(startOfDay(addDays(date, 1), zone) - startOfDay(date, zone)).toBe(hours * 3600)
})

test.each([
  ['America/Havana', '2026-11-01'],
  ['America/Santiago', '2026-04-04'],
  ['Asia/Beirut', '2026-10-24'],
])('The local day of %s on %s has 25 hours when the clocks are put back at midnight', (zone, date) => {
  expect(clockAt(startOfDay(date, zone), zone)).toBe(`${date}T00:00:00`)
  expect(startOfDay(addDays(date, 1), zone) - startOfDay(date, zone)).toBe(25 * 3600)
})

test('A date that a country skipped is empty', () => {
  expect(startOfDay('2011-12-30', 'Pacific/Apia')).toBe(seconds('2011-12-30T10:00Z'))
  expect(startOfDay('2011-12-31', 'Pacific/Apia')).toBe(seconds('2011-12-30T10:00Z'))
  const slot = { from: seconds('2011-12-30T09:00Z'), to: seconds('2011-12-30T11:00Z') }
  expect(localDatesOf(slot, 'Pacific/Apia')).toEqual(['2011-12-29', '2011-12-31'])
})

test('A local day starts at the first instant with its date', () => {
  fc.assert(
    fc.property(instant, zone, (at, zone) => {
      const date = dateAt(at, zone)
      const start = startOfDay(date, zone)
      expect(dateAt(start, zone)).toBe(date)
      expect(dateAt(start - 1, zone) < date).toBe(true)
      expect(start).toBeLessThanOrEqual(at)
    }),
    { numRuns: draws(250) },
  )
})

test('Local dates agree with Intl at any instant from 1970 to 2100 in every zone', () => {
  fc.assert(
    fc.property(instant, fc.oneof(zone, fc.constantFrom(...Intl.supportedValuesOf('timeZone'))), (at, zone) => {
      expect(localDateOf(at, zone)).toBe(dateAt(at, zone))
      expect(wallTimeOf(at, zone)).toBe(seconds(`${clockAt(at, zone)}Z`))
    }),
    { numRuns: draws(400) },
  )
})

test('Local dates stay right when the cache evicts days and zones', () => {
  const at = seconds('2026-03-29T01:00Z')
  const answers = () => [at - 1, at].map((one) => wallTimeOf(one, 'Europe/Berlin') - one)
  expect(answers()).toEqual([3600, 7200])
  for (let day = 0; day < 2500; day++) localDateOf(day * 86_400, 'Europe/Berlin')
  expect(answers()).toEqual([3600, 7200])
  for (const zone of Intl.supportedValuesOf('timeZone')) expect(localDateOf(at, zone)).toBe(dateAt(at, zone))
  expect(answers()).toEqual([3600, 7200])
})

test('Days are added by the calendar', () => {
  expect(addDays('2024-02-28', 1)).toBe('2024-02-29')
  expect(addDays('2025-02-28', 1)).toBe('2025-03-01')
  expect(addDays('2026-01-01', -1)).toBe('2025-12-31')
  expect(addDays('1970-01-01', -1)).toBe('1969-12-31')
  expect(addDays('2026-03-29', 366)).toBe('2027-03-30')
})

test('An unknown time zone throws a RangeError', () => {
  expect(() => localDateOf(0, 'Mars/Olympus')).toThrow(RangeError)
})

test('A slot that ends at midnight does not touch the next day', () => {
  const midnight = startOfDay('2026-03-10', 'Europe/Berlin')
  expect(localDatesOf({ from: midnight - 3600, to: midnight }, 'Europe/Berlin')).toEqual(['2026-03-09'])
  expect(localDatesOf({ from: midnight - 3600, to: midnight + 1 }, 'Europe/Berlin')).toEqual([
    '2026-03-09',
    '2026-03-10',
  ])
  expect(localDatesOf({ from: midnight, to: midnight + 86_400 }, 'Europe/Berlin')).toEqual(['2026-03-10'])
})

test('A slot of 24 hours touches three days when the one in the middle has 23 hours', () => {
  const from = startOfDay('2026-03-29', 'Europe/Berlin') - 1800
  expect(localDatesOf({ from, to: from + 86_400 }, 'Europe/Berlin')).toEqual(['2026-03-28', '2026-03-29', '2026-03-30'])
})

test('A slot touches the dates that the clock shows while it lasts', () => {
  const changes = fc
    .constantFrom(
      '2026-03-08T05:00Z',
      '2026-11-01T05:00Z',
      '2026-10-24T21:00Z',
      '2026-04-05T03:00Z',
      '2011-12-30T10:00Z',
    )
    .map(seconds)
  const near = fc.tuple(changes, fc.integer({ min: -90_000, max: 90_000 })).map(([at, by]) => at + by)
  fc.assert(
    fc.property(fc.oneof(near, instant), fc.integer({ min: 1, max: 90_000 }), zone, (from, length, zone) => {
      const dates = new Set<string>()
      for (let at = from; at < from + length; at += 60) dates.add(dateAt(at, zone))
      dates.add(dateAt(from + length - 1, zone))
      expect(localDatesOf({ from, to: from + length }, zone)).toEqual([...dates].sort())
    }),
    { numRuns: 80 },
  )
})

describe('Wall-clock times', () => {
  const wall = (time: string) => seconds(`${time}Z`)

  test('A wall-clock time that is skipped is the instant of the clock change', () => {
    expect(instantOf(wall('2026-03-29T02:00'), 'Europe/Berlin')).toBe(seconds('2026-03-29T01:00Z'))
    expect(instantOf(wall('2026-03-29T02:59'), 'Europe/Berlin')).toBe(seconds('2026-03-29T01:00Z'))
    expect(instantOf(wall('2026-10-04T02:15'), 'Australia/Lord_Howe')).toBe(seconds('2026-10-03T15:30Z'))
    expect(instantOf(wall('2026-03-08T00:30'), 'America/Havana')).toBe(startOfDay('2026-03-08', 'America/Havana'))
  })

  test('A wall-clock time that occurs twice is the first of the two', () => {
    expect(instantOf(wall('2026-10-25T02:30'), 'Europe/Berlin')).toBe(seconds('2026-10-25T00:30Z'))
    expect(instantOf(wall('2026-11-01T01:30'), 'America/New_York')).toBe(seconds('2026-11-01T05:30Z'))
    expect(instantOf(wall('2026-04-05T01:45'), 'Australia/Lord_Howe')).toBe(seconds('2026-04-04T14:45Z'))
    expect(instantOf(wall('2026-11-01T00:00'), 'America/Havana')).toBe(seconds('2026-11-01T04:00Z'))
  })

  test('A wall-clock time converts back to its instant or an earlier one that shows the same time', () => {
    fc.assert(
      fc.property(instant, zone, (at, zone) => {
        const found = instantOf(wallTimeOf(at, zone), zone)
        expect(wallTimeOf(found, zone)).toBe(wallTimeOf(at, zone))
        expect(found).toBeLessThanOrEqual(at)
      }),
    )
  })
})
