// Offered slots follow the link's calendar in the zone's local time, free slots exclude bookings, and cancelled
// bookings are free again.
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { type TimeWindow, Weekday } from '../../../rules/scheduling/calendars.ts'
import {
  type BookedSlot,
  type DayTaken,
  lackLimits,
  moveTaken,
  occupancy,
  withLimits,
} from '../../../rules/scheduling/occupancy.ts'
import {
  addDays,
  availability,
  findFree,
  type LinkSchedule,
  localDatesOf,
  offeredBy,
} from '../../../rules/scheduling/scheduling.ts'
import type { Slot } from '../../../rules/scheduling/slots.ts'
import { draws } from '../../kit/draws.ts'

const seconds = (utc: string) => Date.parse(utc) / 1000
const windowsOf = (text: string): TimeWindow[] =>
  text.split(' ').map((one) => {
    const [from = '', to = ''] = one.split('-')
    return { from, to }
  })
const daily = (windows: string): LinkSchedule['working_days'] =>
  Weekday.options.map((day) => ({ day, windows: windowsOf(windows) }))
const link = (more: Partial<LinkSchedule> = {}): LinkSchedule => ({
  working_days: daily('09:00-12:00'),
  specific_dates: [],
  durations: [],
  slot_interval: 60,
  concurrent_limit: 1,
  ...more,
})

type Asked = Parameters<typeof availability>[0]
const free = (schedule: LinkSchedule, zone: string, date: string, more: Partial<Asked> = {}) =>
  availability({ link: schedule, days: [], zone, first: date, last: date, now: 0, ...more })
const slotsOf = (days: ReturnType<typeof availability>) => days.flatMap(({ slots }) => slots)

/** The starts of a date's slots in UTC, where no instant is ambiguous. */
const startsOf = (schedule: LinkSchedule, zone: string, date: string, more: Partial<Asked> = {}) =>
  slotsOf(free(schedule, zone, date, more)).map(({ from }) => new Date(from * 1000).toISOString().slice(0, 16))

const isOffered = (schedule: LinkSchedule, slot: Slot, zone: string) => offeredBy(schedule, zone)(slot)

const clocks = new Map<string, Intl.DateTimeFormat>()
const clockAt = (at: number, timeZone: string): string => {
  const options = { year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit' } as const
  const format = clocks.get(timeZone) ?? new Intl.DateTimeFormat('en-US', { timeZone, hourCycle: 'h23', ...options })
  clocks.set(timeZone, format)
  const { year, month, day, hour, minute } = Object.fromEntries(
    format.formatToParts(at * 1000).map(({ type, value }) => [type, value]),
  )
  return `${year}-${month}-${day} ${hour}:${minute}`
}
const wallTimes = (schedule: LinkSchedule, zone: string, date: string) =>
  slotsOf(free(schedule, zone, date)).map(
    ({ from, to }) => `${clockAt(from, zone).slice(11)}-${clockAt(to, zone).slice(11)}`,
  )

/** Dates with a clock change in a zone, and some without. */
const places = [
  ['Europe/Berlin', '2026-03-29'],
  ['Europe/Berlin', '2026-10-25'],
  ['America/New_York', '2026-03-08'],
  ['America/New_York', '2026-11-01'],
  ['Australia/Lord_Howe', '2026-10-04'],
  ['Australia/Lord_Howe', '2026-04-05'],
  ['America/Havana', '2026-03-08'],
  ['America/Havana', '2026-11-01'],
  ['America/Santiago', '2026-09-06'],
  ['America/Santiago', '2026-04-05'],
  ['Asia/Beirut', '2026-03-29'],
  ['Asia/Kathmandu', '2026-03-29'],
  ['Asia/Tokyo', '2026-03-29'],
  ['Pacific/Apia', '2011-12-31'],
] as const
const place = fc.constantFrom(...places)
/** With the dates before and after, so that a change is approached from both sides. */
const placeAround = fc
  .tuple(place, fc.integer({ min: -1, max: 1 }))
  .map(([[zone, date], by]) => ({ zone, date: addDays(date, by) }))

const time = fc.oneof(
  { arbitrary: fc.integer({ min: 0, max: 287 }).map((five) => five * 5), weight: 2 },
  { arbitrary: fc.constantFrom(0, 30, 60, 90, 120, 150, 180, 1380, 1410), weight: 1 },
)
const clock = (minutes: number) =>
  `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`
const window = fc.record({ from: time.map(clock), to: fc.oneof(time, fc.constant(1440)).map(clock) })
const schedule = fc.record({
  working_days: fc.array(
    fc.record({ day: fc.constantFrom(...Weekday.options), windows: fc.array(window, { maxLength: 2 }) }),
    { minLength: 4, maxLength: 8 },
  ),
  specific_dates: fc.array(
    placeAround.chain(({ date }) =>
      fc.record({ date: fc.constant(date), windows: fc.array(window, { maxLength: 2 }) }),
    ),
    { maxLength: 4 },
  ),
  durations: fc.array(fc.record({ duration: fc.constantFrom(10, 15, 30, 45, 60, 90, 480, 1380, 1440) }), {
    maxLength: 3,
  }),
  slot_interval: fc.constantFrom(10, 15, 25, 30, 45, 60, 120),
  concurrent_limit: fc.integer({ min: 1, max: 3 }),
})

test('A working day offers slots on its window’s grid, and none ends after the window', () => {
  expect(wallTimes(link(), 'Asia/Tokyo', '2026-06-01')).toEqual(['09:00-10:00', '10:00-11:00', '11:00-12:00'])
  expect(wallTimes(link({ durations: [{ duration: 90 }] }), 'Asia/Tokyo', '2026-06-01')).toEqual([
    '09:00-10:30',
    '10:00-11:30',
  ])
  expect(
    wallTimes(link({ working_days: daily('09:10-10:00'), slot_interval: 20 }), 'Asia/Kathmandu', '2026-06-01'),
  ).toEqual(['09:10-09:30', '09:30-09:50'])
  expect(wallTimes(link({ durations: [{ duration: 1440 }] }), 'Asia/Tokyo', '2026-06-01')).toEqual([])
})

test('A working day applies to that weekday of the zone alone', () => {
  for (const [index, day] of Weekday.options.entries()) {
    const schedule = link({ working_days: [{ day, windows: windowsOf('00:00-01:00') }] })
    const days = availability({
      link: schedule,
      days: [],
      zone: 'Australia/Lord_Howe',
      first: '2026-06-01',
      last: '2026-06-14',
      now: 0,
    })
    expect(days.map(({ date }) => date)).toEqual([addDays('2026-06-01', index), addDays('2026-06-08', index)])
  }
})

test('A working day offers each duration of the link, or only the requested one', () => {
  const schedule = link({
    durations: [{ duration: 60 }, { duration: 30 }, { duration: 60 }],
    working_days: daily('09:00-10:30'),
  })
  expect(wallTimes(schedule, 'UTC', '2026-06-01')).toEqual(['09:00-09:30', '09:00-10:00', '10:00-10:30'])
  expect(slotsOf(free(schedule, 'UTC', '2026-06-01', { duration: 60 })).map(({ from, to }) => to - from)).toEqual([
    3600,
  ])
  expect(free(schedule, 'UTC', '2026-06-01', { duration: 45 })).toEqual([])
})

test('A slot in two windows of a working day is offered once', () => {
  const twice = [...daily('09:00-11:00'), ...daily('10:00-12:00')]
  expect(wallTimes(link({ working_days: twice }), 'UTC', '2026-06-01')).toEqual([
    '09:00-10:00',
    '10:00-11:00',
    '11:00-12:00',
  ])
})

test('A slot that has begun is not offered', () => {
  const nine = seconds('2026-06-01T09:00Z')
  expect(startsOf(link(), 'UTC', '2026-06-01', { now: nine })).toHaveLength(3)
  expect(startsOf(link(), 'UTC', '2026-06-01', { now: nine + 1 })).toHaveLength(2)
  expect(free(link(), 'UTC', '2026-06-01', { now: nine + 86_400 })).toEqual([])
})

describe('Specific dates', () => {
  const special = (windows: string | null) =>
    link({ specific_dates: [{ date: '2026-06-01', windows: windows === null ? [] : windowsOf(windows) }] })

  test('A specific date replaces the working day, and one without windows closes it', () => {
    expect(wallTimes(special('15:00-17:00'), 'UTC', '2026-06-01')).toEqual(['15:00-16:00', '16:00-17:00'])
    expect(wallTimes(special(null), 'UTC', '2026-06-01')).toEqual([])
    expect(wallTimes(special(null), 'UTC', '2026-06-02')).toHaveLength(3)
    expect(
      isOffered(special(null), { from: seconds('2026-06-01T09:00Z'), to: seconds('2026-06-01T10:00Z') }, 'UTC'),
    ).toBe(false)
  })

  test('A specific date opens a day without working hours', () => {
    expect(wallTimes({ ...special('15:00-16:00'), working_days: [] }, 'UTC', '2026-06-01')).toEqual(['15:00-16:00'])
  })

  test('A specific date that is named twice has both windows', () => {
    const twice = ['15:00-16:00', '18:00-19:00'].map((windows) => ({ date: '2026-06-01', windows: windowsOf(windows) }))
    expect(wallTimes(link({ specific_dates: twice }), 'UTC', '2026-06-01')).toEqual(['15:00-16:00', '18:00-19:00'])
  })

  test('A specific date keeps the slots after midnight of the previous evening', () => {
    const nightly = link({ working_days: daily('22:00-02:00'), specific_dates: [{ date: '2026-06-02', windows: [] }] })
    expect(wallTimes(nightly, 'UTC', '2026-06-02')).toEqual(['00:00-01:00', '01:00-02:00'])
    expect(wallTimes(nightly, 'UTC', '2026-06-03')).toEqual(['22:00-23:00', '23:00-00:00'])
  })
})

test('A window may end at midnight, as 24:00 or 00:00', () => {
  for (const windows of ['22:00-24:00', '22:00-00:00']) {
    expect(wallTimes(link({ working_days: daily(windows) }), 'America/New_York', '2026-06-01')).toEqual([
      '22:00-23:00',
      '23:00-00:00',
    ])
  }
})

test('A window may cross midnight, and its slots belong to the date on which they start', () => {
  const schedule = link({ working_days: [{ day: 'monday', windows: windowsOf('22:30-02:00') }] })
  const days = availability({
    link: schedule,
    days: [],
    zone: 'Asia/Kathmandu',
    first: '2026-06-01',
    last: '2026-06-02',
    now: 0,
  })
  const found = days.map(({ date, slots }) => [date, slots.map(({ from }) => clockAt(from, 'Asia/Kathmandu'))])
  expect(found).toEqual([
    ['2026-06-01', ['2026-06-01 22:30', '2026-06-01 23:30']],
    ['2026-06-02', ['2026-06-02 00:30']],
  ])
  expect(wallTimes(schedule, 'Asia/Kathmandu', '2026-06-02')).toEqual(['00:30-01:30'])
  expect(slotsOf(days).every((slot) => isOffered(schedule, slot, 'Asia/Kathmandu'))).toBe(true)
})

test('A window may be the whole day, as one slot', () => {
  const whole = link({ working_days: daily('00:00-24:00'), durations: [{ duration: 1440 }] })
  expect(wallTimes(whole, 'Europe/Berlin', '2026-06-01')).toEqual(['00:00-00:00'])
  expect(wallTimes(whole, 'Europe/Berlin', '2026-03-29')).toEqual([])
  expect(wallTimes(whole, 'Europe/Berlin', '2026-10-25')).toEqual(['00:00-23:00', '01:00-00:00'])
})

test('A window that ends at its start time lasts until then on the next day', () => {
  const round = link({ working_days: [{ day: 'monday', windows: windowsOf('10:00-10:00') }], slot_interval: 720 })
  expect(wallTimes(round, 'UTC', '2026-06-01')).toEqual(['10:00-22:00', '22:00-10:00'])
})

test.each([
  ['Europe/Berlin', '2026-03-29', ['2026-03-29T00:00', '2026-03-29T00:30', '2026-03-29T01:00', '2026-03-29T01:30']],
  ['America/New_York', '2026-03-08', ['2026-03-08T06:00', '2026-03-08T06:30', '2026-03-08T07:00', '2026-03-08T07:30']],
])('In %s the hour that %s skips offers no slots', (zone, date, starts) => {
  expect(startsOf(link({ working_days: daily('01:00-04:00'), slot_interval: 30 }), zone, date)).toEqual(starts)
  expect(startsOf(link({ working_days: daily('02:00-03:00'), slot_interval: 30 }), zone, date)).toEqual([])
  // A window that ends in the skipped hour is cut, and a grid that starts in it continues after it.
  expect(startsOf(link({ working_days: daily('01:00-02:30'), slot_interval: 30 }), zone, date)).toEqual(
    starts.slice(0, 2),
  )
  expect(wallTimes(link({ working_days: daily('02:10-04:00'), slot_interval: 20 }), zone, date)[0]).toBe('03:10-03:30')
})

test.each([
  ['Europe/Berlin', '2026-10-25', '01:00-04:00', ['2026-10-24T23:00', '2026-10-25T00:00', '2026-10-25T02:00']],
  ['America/New_York', '2026-11-01', '00:00-03:00', ['2026-11-01T04:00', '2026-11-01T05:00', '2026-11-01T07:00']],
])('In %s the hour that %s repeats is offered once, at its first occurrence', (zone, date, windows, starts) => {
  expect(startsOf(link({ working_days: daily(windows) }), zone, date)).toEqual(starts)
  const [, second = ''] = starts
  const from = seconds(`${second}Z`)
  expect(isOffered(link({ working_days: daily(windows) }), { from, to: from + 3600 }, zone)).toBe(true)
  expect(isOffered(link({ working_days: daily(windows) }), { from: from + 3600, to: from + 7200 }, zone)).toBe(false)
})

test('A half-hour clock change skips and repeats half an hour', () => {
  const schedule = link({ working_days: daily('01:30-03:00'), slot_interval: 15 })
  expect(wallTimes(schedule, 'Australia/Lord_Howe', '2026-10-04')).toEqual([
    '01:30-01:45',
    '01:45-02:30',
    '02:30-02:45',
    '02:45-03:00',
  ])
  const starts = ['14:30', '14:45', '15:30', '15:45', '16:00', '16:15'].map((time) => `2026-04-04T${time}`)
  expect(startsOf(schedule, 'Australia/Lord_Howe', '2026-04-05')).toEqual(starts)
})

test('A zone without daylight saving has the same slots every day', () => {
  for (const date of ['2026-03-08', '2026-03-29', '2026-10-25', '2026-11-01']) {
    expect(startsOf(link({ working_days: daily('00:00-24:00') }), 'Asia/Tokyo', date)).toHaveLength(24)
  }
})

test.each([
  ['Europe/Berlin', '2026-03-29', 23],
  ['Europe/Berlin', '2026-10-25', 24],
  ['Australia/Lord_Howe', '2026-10-04', 23],
  ['America/Havana', '2026-03-08', 23],
  ['America/Havana', '2026-11-01', 24],
  ['America/Santiago', '2026-09-06', 23],
  ['America/Santiago', '2026-04-04', 24],
  ['Asia/Beirut', '2026-03-29', 23],
])('In %s the date %s offers each full hour of its clock once, %d in all', (zone, date, count) => {
  const slots = slotsOf(free(link({ working_days: daily('00:00-24:00') }), zone, date))
  expect(new Set(slots.map(({ from }) => clockAt(from, zone))).size).toBe(slots.length)
  expect(slots).toHaveLength(count)
  expect(slots.every(({ from, to }) => to - from === 3600)).toBe(true)
})

test('A clock change that skips midnight lets the day start at 01:00', () => {
  const schedule = link({ working_days: daily('00:00-03:00') })
  expect(wallTimes(schedule, 'America/Santiago', '2026-09-06')).toEqual(['01:00-02:00', '02:00-03:00'])
  expect(wallTimes(link({ working_days: daily('22:00-24:00') }), 'America/Santiago', '2026-09-05')).toEqual([
    '22:00-23:00',
    '23:00-01:00',
  ])
})

test('A clock change between a slot’s start and end keeps the slot’s duration', () => {
  const nightly = link({
    working_days: [{ day: 'saturday', windows: windowsOf('22:00-08:00') }],
    durations: [{ duration: 480 }],
  })
  const night = (saturday: string) =>
    [saturday, addDays(saturday, 1)].flatMap((date) => wallTimes(nightly, 'Europe/Berlin', date))
  expect(night('2026-03-21')).toEqual(['22:00-06:00', '23:00-07:00', '00:00-08:00'])
  expect(night('2026-03-28')).toEqual(['22:00-07:00', '23:00-08:00'])
  expect(night('2026-10-24')).toEqual(['22:00-05:00', '23:00-06:00', '00:00-07:00', '01:00-08:00'])
})

/** The same rule, computed naively: at each minute, the smallest limit of those who are there minus their number. */
const naiveSpots = (bookings: readonly BookedSlot[], { from, to }: Slot, limit: number): number => {
  let spots = limit
  for (let at = from; at < to; at += 60) {
    const there = bookings.filter((one) => one.from <= at && at < one.to)
    spots = Math.min(spots, Math.min(limit, ...there.map((one) => one.limit ?? limit)) - there.length)
  }
  return spots
}

/**
 * A link of its own limit books each of these slots, if there is room for it; one that was booked may be cancelled
 * again.
 */
const attempt = fc.record({
  from: fc.integer({ min: 0, max: 40 }),
  length: fc.integer({ min: 1, max: 12 }),
  limit: fc.constantFrom(1, 1, 2, 3, 10),
  cancels: fc.boolean(),
})
const attempts = fc.tuple(place, fc.array(attempt, { minLength: 2, maxLength: 25 }))
const slotAt = (date: string, { from, length, limit }: { from: number; length: number; limit: number }) => ({
  from: seconds(date) + from * 1800,
  to: seconds(date) + (from + length) * 1800,
  limit,
})
const merged = (days: readonly DayTaken[], moved: readonly DayTaken[]) => [
  ...days.filter(({ local_date }) => !moved.some((day) => day.local_date === local_date)),
  ...moved,
]

describe('Occupancy', () => {
  const nine = seconds('2026-06-01T09:00Z')
  const time = (from: number, to: number, limit?: number) => ({ from: nine + from * 60, to: nine + to * 60, limit })
  const roomFor = (booked: BookedSlot[], slot: { from: number; to: number; limit?: number | undefined }) =>
    occupancy(moveTaken([], [], booked, 'UTC'), 'UTC')(slot, slot.limit ?? 1)

  test('A private booking and a class refuse each other, whichever is booked first', () => {
    const [alone, group] = [time(60, 120, 1), time(60, 120, 10)]
    expect([roomFor([alone], group), roomFor([group], alone)]).toEqual([0, 0])
    expect(roomFor([group, group], group)).toBe(8)
    expect(roomFor([alone], time(120, 180, 10))).toBe(10)
  })

  test('The most bookings at one moment count, not how many touch the slot', () => {
    const halves = [time(60, 90, 2), time(90, 120, 2)]
    expect(roomFor(halves, time(60, 120, 2))).toBe(1)
    expect(roomFor([...halves, time(60, 120, 2)], time(60, 120, 2))).toBe(0)
  })

  test('A limit counts at the moments of its booking alone', () => {
    const booked = [time(0, 60, 2), time(60, 120, 10), time(60, 120, 10), time(60, 120, 10)]
    expect(roomFor(booked, time(0, 120, 10))).toBe(1)
    expect(roomFor([...booked, time(0, 30, 2)], time(0, 120, 10))).toBe(0)
    expect(roomFor([...booked, time(0, 30, 2)], time(30, 120, 10))).toBe(1)
  })

  test('For any bookings, the room of a slot is that of a naive count of every minute', () => {
    fc.assert(
      fc.property(attempts, fc.nat(), ([[zone, date], all], turn) => {
        const booked = all.map((one) => (one.cancels ? { ...slotAt(date, one), limit: undefined } : slotAt(date, one)))
        const room = occupancy(moveTaken([], [], booked, zone), zone)
        for (const one of all) {
          const { limit, ...slot } = slotAt(date, { ...one, from: (one.from + turn) % 50 })
          expect(room(slot, limit)).toBe(naiveSpots(booked, slot, limit))
        }
      }),
      { numRuns: draws(100) },
    )
  })

  test('For any order of bookings and cancellations, no minute exceeds the smallest limit there', () => {
    fc.assert(
      fc.property(attempts, ([[zone, date], all]) => {
        let [days, booked]: [DayTaken[], BookedSlot[]] = [[], []]
        for (const one of all) {
          const slot = slotAt(date, one)
          const after = merged(days, moveTaken(days, [], [slot], zone))
          const fits = occupancy(after, zone)(slot, slot.limit) >= 0
          // What is shown as free is exactly what is booked.
          expect(occupancy(days, zone)(slot, slot.limit) > 0).toBe(fits)
          expect(naiveSpots(booked, slot, slot.limit) > 0).toBe(fits)
          if (fits) [days, booked] = [after, [...booked, slot]]
          const [first, ...rest] = booked
          if (one.cancels && first) [days, booked] = [merged(days, moveTaken(days, [first], [], zone)), rest]
          for (const { limit = 1, ...held } of booked) expect(naiveSpots(booked, held, limit)).toBeGreaterThanOrEqual(0)
        }
        for (const slot of booked) days = merged(days, moveTaken(days, [slot], [], zone))
        expect(days.flatMap(({ taken }) => taken)).toEqual([])
      }),
      { numRuns: draws(100) },
    )
  })

  test('Bookings of the version before get their limits from their links, each its own', () => {
    const written = moveTaken([], [], [time(0, 60), time(0, 60), time(0, 60, 5), time(60, 120), time(60, 1440)], 'UTC')
    expect(lackLimits(written)).toBe(true)
    const known = [time(0, 60, 5), time(0, 60, 7), time(0, 60, 3), time(60, 120, 2), time(60, 1440, 4)]
    const days = withLimits(written, known)
    expect(lackLimits(days)).toBe(false)
    expect(days).toEqual(moveTaken([], [], known, 'UTC'))
    expect(withLimits(days, [])).toEqual(days)
    // One that no booking explains refuses no buyer.
    expect(withLimits(written, [])).toEqual(written)
  })

  test('A cancelled booking is removed by its limit, or else as one whose limit is not known', () => {
    const days = moveTaken([], [], [time(0, 60, 2), time(0, 60), time(0, 60, 5)], 'UTC')
    const limits = (given: BookedSlot) =>
      moveTaken(days, [given], [], 'UTC').flatMap(({ taken }) => taken.map(([, , limit]) => limit))
    expect([limits(time(0, 60, 5)), limits(time(0, 60, 9)), limits(time(0, 60))]).toEqual([
      [2, undefined],
      [2, 5],
      [2, 5],
    ])
    expect(moveTaken(moveTaken(days, [time(0, 60)], [], 'UTC'), [time(0, 60, 9)], [], 'UTC')[0]?.taken).toHaveLength(1)
  })
})

describe('Bookings', () => {
  const nine = seconds('2026-06-01T09:00Z')
  const hour = (k: number): Slot => ({ from: nine + k * 3600, to: nine + (k + 1) * 3600 })

  test('A booking takes a spot of every slot it overlaps, but not of adjacent ones', () => {
    const days = moveTaken([], [], [{ from: nine + 1800, to: nine + 7200 }], 'UTC')
    expect(free(link({ concurrent_limit: 3 }), 'UTC', '2026-06-01', { days })).toEqual([
      {
        date: '2026-06-01',
        slots: [
          { ...hour(0), spots: 2 },
          { ...hour(1), spots: 2 },
          { ...hour(2), spots: 3 },
        ],
      },
    ])
    expect(free(link(), 'UTC', '2026-06-01', { days })).toEqual([
      { date: '2026-06-01', slots: [{ ...hour(2), spots: 1 }] },
    ])
  })

  test('Bookings up to the limit leave no spot, and more than the limit leave none either', () => {
    for (const times of [2, 3]) {
      const days = moveTaken([], [], Array(times).fill(hour(1)), 'UTC')
      expect(startsOf(link({ concurrent_limit: 2 }), 'UTC', '2026-06-01', { days })).toEqual([
        '2026-06-01T09:00',
        '2026-06-01T11:00',
      ])
    }
  })

  test('A booking across midnight is stored on both days and counted once', () => {
    const zone = 'Europe/Berlin'
    const late = { from: seconds('2026-06-01T21:30Z'), to: seconds('2026-06-01T22:30Z') }
    const days = moveTaken([], [], [late, late], zone)
    const taken = [Object.values(late), Object.values(late)]
    expect(days).toEqual([
      { local_date: '2026-06-01', taken },
      { local_date: '2026-06-02', taken },
    ])
    for (const rows of [days, days.toReversed(), ...days.map((day) => [day])])
      expect(occupancy(rows, zone)(late, 9)).toBe(7)
    const schedule = link({ working_days: daily('23:30-00:30'), concurrent_limit: 3 })
    expect(free(schedule, zone, '2026-06-01', { days })).toEqual([
      { date: '2026-06-01', slots: [{ ...late, spots: 1 }] },
    ])
  })

  test('A booking is counted once in any rows that contain it, as often as it is booked', () => {
    const booking = fc.record({ from: fc.integer({ min: -40, max: 120 }), length: fc.integer({ min: 1, max: 48 }) })
    fc.assert(
      fc.property(
        place,
        fc.array(booking, { maxLength: 12 }),
        booking,
        fc.nat(),
        ([zone, date], some, wanted, turn) => {
          const slotOf = ({ from, length }: { from: number; length: number }): Slot => ({
            from: seconds(date) + from * 1800,
            to: seconds(date) + (from + length) * 1800,
          })
          const bookings = [...some, ...some.slice(0, 3)].map(slotOf)
          const slot = slotOf(wanted)
          const days = moveTaken([], [], bookings, zone)
          const spots = naiveSpots(bookings, slot, 20)
          expect(occupancy([...days.slice(turn % 4), ...days.slice(0, turn % 4)], zone)(slot, 20)).toBe(spots)
          const own = localDatesOf(slot, zone)
          const near = days.filter(({ local_date }) => own.includes(local_date))
          expect(occupancy(near, zone)(slot, 20)).toBe(spots)
        },
      ),
      { numRuns: draws(100) },
    )
  })

  test('Bookings are removed one at a time, from every day that they touch', () => {
    const long = { from: nine, to: nine + 86_400 }
    const days = moveTaken([], [], [long, hour(1), long], 'UTC')
    expect(moveTaken(days, [long], [], 'UTC')).toEqual([
      { local_date: '2026-06-01', taken: [Object.values(long), Object.values(hour(1))] },
      { local_date: '2026-06-02', taken: [Object.values(long)] },
    ])
    expect(moveTaken(days, [hour(1)], [hour(0)], 'UTC')).toEqual([
      { local_date: '2026-06-01', taken: [Object.values(hour(0)), Object.values(long), Object.values(long)] },
    ])
  })

  test('Removing a booking that does not exist changes nothing, and inputs are not modified', () => {
    const days: DayTaken[] = [{ local_date: '2026-06-01', taken: [[nine, nine + 1800]] }]
    expect(moveTaken(days, [hour(0)], [], 'UTC')).toEqual(days)
    expect(moveTaken([], [hour(0)], [], 'UTC')).toEqual([{ local_date: '2026-06-01', taken: [] }])
    moveTaken(days, [{ from: nine, to: nine + 1800 }], [hour(2)], 'UTC')
    expect(days).toEqual([{ local_date: '2026-06-01', taken: [[nine, nine + 1800]] }])
  })
})

/** The first instant, in Unix s, at which the clock of the zone shows each minute of the days around a date. */
const firsts = new Map<string, Map<string, number>>()
const minutesAround = (zone: string, date: string): Map<string, number> => {
  const known = firsts.get(`${zone} ${date}`)
  if (known) return known
  const found = new Map<string, number>()
  for (let at = seconds(date) - 3 * 86_400; at < seconds(date) + 4 * 86_400; at += 300) {
    const shown = clockAt(at, zone)
    if (!found.has(shown)) found.set(shown, at)
  }
  firsts.set(`${zone} ${date}`, found)
  return found
}

/** The same rule, computed naively by walking through the minutes of a clock. */
const naiveSlots = (link: LinkSchedule, zone: string, middle: string, date: string): string[] => {
  const shown = minutesAround(zone, middle)
  const found = new Set<string>()
  for (const day of [addDays(date, -1), date]) {
    const special = link.specific_dates.filter((one) => one.date === day)
    const weekday = new Date(day).toLocaleDateString('en-US', { weekday: 'long', timeZone: 'UTC' }).toLowerCase()
    const entries = special.length > 0 ? special : link.working_days.filter((one) => one.day === weekday)
    for (const { from, to } of entries.flatMap(({ windows }) => windows)) {
      const last = to === '24:00' ? `${addDays(day, 1)} 00:00` : `${to > from ? day : addDays(day, 1)} ${to}`
      const end = Math.min(...[...shown].filter(([wall]) => wall >= last).map(([, at]) => at))
      const start = Date.parse(`${day}T${from}Z`)
      for (let k = 0; k * link.slot_interval < 2880; k++) {
        const wall = new Date(start + k * link.slot_interval * 60_000).toISOString().slice(0, 16).replace('T', ' ')
        const at = shown.get(wall)
        if (at === undefined || wall >= last || !wall.startsWith(date)) continue
        const durations =
          link.durations.length > 0 ? link.durations.map(({ duration }) => duration) : [link.slot_interval]
        for (const duration of durations) if (at + duration * 60 <= end) found.add(`${at} ${at + duration * 60}`)
      }
    }
  }
  return [...found].sort()
}

test('For any calendar, zone and day, free slots equal those of a naive reading', () => {
  fc.assert(
    fc.property(schedule, place, fc.integer({ min: -1, max: 1 }), (schedule, [zone, middle], by) => {
      const date = addDays(middle, by)
      const slots = slotsOf(free(schedule, zone, date))
      expect(slots.map(({ from, to }) => `${from} ${to}`).sort()).toEqual(naiveSlots(schedule, zone, middle, date))
      expect(slots.every(({ spots }) => spots === schedule.concurrent_limit)).toBe(true)
    }),
    { numRuns: draws(100) },
  )
})

test('For any calendar, a slot is offered exactly if an empty calendar has it free', () => {
  fc.assert(
    fc.property(
      schedule,
      place,
      fc.array(fc.integer({ min: -144, max: 287 }), { minLength: 40, maxLength: 40 }),
      (schedule, [zone, date], fives) => {
        const first = addDays(date, -2)
        const all = slotsOf(availability({ link: schedule, days: [], zone, first, last: addDays(date, 2), now: 0 }))
        const known = new Set(all.map(({ from, to }) => `${from} ${to}`))
        const lengths = [schedule.slot_interval, ...schedule.durations.map(({ duration }) => duration)]
        const others = fives.flatMap((five) =>
          lengths.map((length) => ({ from: seconds(date) + five * 300, to: seconds(date) + five * 300 + length * 60 })),
        )
        expect(
          [...all, ...others].filter(
            (slot) => isOffered(schedule, slot, zone) !== known.has(`${slot.from} ${slot.to}`),
          ),
        ).toEqual([])
      },
    ),
    { numRuns: 200 },
  )
})

test('For any range, days are in order, unique, not empty and have their slots in order', () => {
  fc.assert(
    fc.property(schedule, place, fc.integer({ min: 0, max: 172_800 }), (schedule, [zone, date], later) => {
      const [first, last, now] = [addDays(date, -1), addDays(date, 1), seconds(date) - 86_400 + later]
      const days = availability({ link: schedule, days: [], zone, first, last, now })
      expect(days.map(({ date }) => date)).toEqual([...new Set(days.map(({ date }) => date))].sort())
      expect(days.every(({ date, slots }) => date >= first && date <= last && slots.length > 0)).toBe(true)
      const all = days.flatMap(({ date, slots }) => slots.map((slot) => ({ date, ...slot })))
      const isRight = ({ date, from, to }: Slot & { date: string }) =>
        from >= now && clockAt(from, zone).startsWith(date) && isOffered(schedule, { from, to }, zone)
      const isAfter = (slot: Slot, before: Slot | undefined) =>
        !before || before.from < slot.from || (before.from === slot.from && before.to < slot.to)
      expect(all.filter((slot, index) => !isRight(slot) || !isAfter(slot, all[index - 1]))).toEqual([])
      // A longer range holds the same days.
      const each = [first, date, last].flatMap((one) => free(schedule, zone, one, { now }))
      expect(days).toEqual(each)
    }),
    { numRuns: draws(100) },
  )
})

test('For any calendar, booking takes a spot of overlapping slots, and cancelling restores it', () => {
  const booking = fc.record({ from: fc.integer({ min: -96, max: 192 }), length: fc.integer({ min: 1, max: 24 }) })
  fc.assert(
    fc.property(
      schedule,
      place,
      fc.array(booking, { maxLength: 6 }),
      fc.nat(),
      (schedule, [zone, date], some, choice) => {
        const others = some.map(({ from, length }) => ({
          from: seconds(date) + from * 900,
          to: seconds(date) + (from + length) * 900,
        }))
        const before = moveTaken([], [], others, zone)
        const freeWith = (days: readonly DayTaken[]) =>
          availability({ link: schedule, days, zone, first: addDays(date, -2), last: addDays(date, 2), now: 0 })
        const slots = slotsOf(freeWith(before))
        const slot = slots[choice % Math.max(slots.length, 1)]
        if (!slot) return
        expect(slot.spots).toBe(naiveSpots(others, slot, schedule.concurrent_limit))

        const over = (days: readonly DayTaken[], moved: readonly DayTaken[]) => [
          ...days.filter(({ local_date }) => !moved.some((day) => day.local_date === local_date)),
          ...moved,
        ]
        const after = over(before, moveTaken(before, [], [slot], zone))
        const left = slots
          .map((one) => ({ ...one, spots: naiveSpots([...others, slot], one, schedule.concurrent_limit) }))
          .filter(({ spots }) => spots > 0)
        expect(slotsOf(freeWith(after))).toEqual(left)
        expect(freeWith(over(after, moveTaken(after, [slot], [], zone)))).toEqual(freeWith(before))
      },
    ),
    { numRuns: draws(100) },
  )
})

test('A link has a free slot in a span when availability lists one that starts in it', () => {
  const zone = 'Australia/Lord_Howe'
  const [first, last] = ['2026-03-25', '2026-06-30']
  const windows = fc.constantFrom('09:00-12:00', '00:00-24:00', '22:00-02:00', '01:30-02:30')
  const shape = fc.record({
    windows,
    day: fc.constantFrom(...Weekday.options),
    from: fc.integer({ min: 0, max: 3_600_000 }),
    span: fc.integer({ min: 0, max: 31 * 86_400 }),
  })
  fc.assert(
    fc.property(
      shape,
      fc.integer({ min: 0, max: 3_600_000 }),
      fc.array(fc.integer({ min: 0, max: 1000 }), { maxLength: 20 }),
      ({ windows, day, from, span }, now, hours) => {
        const begin = seconds('2026-03-27T00:00:00Z')
        const schedule = link({ working_days: [{ day, windows: windowsOf(windows) }] })
        const taken = hours.map((hour): Slot => ({ from: begin + hour * 3600, to: begin + (hour + 5) * 3600 }))
        const days = moveTaken([], [], taken, zone)
        const all = slotsOf(availability({ link: schedule, days, zone, first, last, now: begin + now }))
        const expected = all.some((slot) => slot.from >= begin + from && slot.from <= begin + from + span)
        expect(
          findFree({ link: schedule, days, zone, from: begin + from, to: begin + from + span, now: begin + now }).free,
        ).toBe(expected)
      },
    ),
    { numRuns: draws(100) },
  )
})

test('A search for free time ends on the last day of the year 9999', () => {
  const schedule = link({ working_days: [] })
  const end = 253_402_300_799
  for (const at of [end, end - 864_000])
    expect(findFree({ link: schedule, days: [], zone: 'Asia/Tokyo', from: at, to: end, now: 0 }).free).toBe(false)
})
