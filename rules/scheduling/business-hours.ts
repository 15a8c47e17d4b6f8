// Hours of the business surface, in minutes from midnight, as windows of the store surface and back, exactly.
import { type TimeWindow, Weekday } from './calendars.ts'

/** Minutes from midnight: `from` 0 to 1439, `to` 0 to 1440. A `to` that is not after `from` is on the next day. */
export type Hours = { from: number; to: number }

const dayMinutes = 1440
const two = (number: number) => String(number).padStart(2, '0')
const timeOf = (minutes: number): string => `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`
const minutesOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3))

/** 540 and 1440 → 09:00 and 24:00. */
export const windowOf = ({ from, to }: Hours): TimeWindow => ({ from: timeOf(from), to: timeOf(to) })
/** 09:00 and 24:00 → 540 and 1440. */
export const hoursOf = ({ from, to }: TimeWindow): Hours => ({ from: minutesOf(from), to: minutesOf(to) })

/**
 * Hours that overlap or touch are one, unless it would be longer than a day, which cannot be written as one. In order
 * of time.
 */
function union(hours: readonly Hours[]): Hours[] {
  const spans = hours
    .map(({ from, to }) => ({ from, end: to > from ? to : to + dayMinutes }))
    .sort((a, b) => a.from - b.from || a.end - b.end)
  const merged: { from: number; end: number }[] = []
  for (const { from, end } of spans) {
    const last = merged.at(-1)
    if (!last || from > last.end || Math.max(end, last.end) - last.from > dayMinutes) merged.push({ from, end })
    else last.end = Math.max(end, last.end)
  }
  return merged.map(({ from, end }) => ({ from, to: end > dayMinutes ? end - dayMinutes : end }))
}

type Calendar = {
  working_days: readonly { day: Weekday; windows: readonly TimeWindow[] }[]
  specific_dates: readonly { date: string; windows: readonly TimeWindow[] }[]
}
type Entry = { windows: readonly TimeWindow[] }
type DateHours = { date: string; working_hours: Hours[] }

/** 1970-01-01 was a Thursday. */
const weekdayOf = (date: string) => Weekday.options[(Date.parse(date) / 86_400_000 + 3) % 7] as Weekday

const indexOf = ({ working_days, specific_dates }: Calendar) => ({
  weekly: Map.groupBy(working_days, ({ day }) => day),
  dates: Map.groupBy(specific_dates, ({ date }) => date),
})
const datesOf = (calendars: readonly Calendar[]): string[] =>
  [...new Set(calendars.flatMap(({ specific_dates }) => specific_dates.map(({ date }) => date)))].sort()

const mostIn = (entries: readonly Entry[]): number =>
  entries.reduce((most, { windows }) => Math.max(most, windows.length), 0)
/** An upper bound of the windows that `workingTimeOf` looks at. Cheap. */
export const windowsAtMost = (calendars: readonly Calendar[]): number =>
  (datesOf(calendars).length + 7) *
  calendars.reduce(
    (sum, { working_days, specific_dates }) => sum + 1 + Math.max(mostIn(working_days), mostIn(specific_dates)),
    0,
  )

/**
 * When one of these calendars is open: by weekday, and by date where any of them has a specific date, on which the
 * others keep the hours of its weekday. Weekdays without hours are left out; `outcast_dates` are the specific dates on
 * which none is open.
 */
export function workingTimeOf(calendars: readonly Calendar[]): {
  working_days: { day: Weekday; working_hours: Hours[] }[]
  specific_dates: DateHours[]
  outcast_dates: DateHours[]
} {
  const indexed = calendars.map(indexOf)
  const open = (entries: readonly Entry[]) => union(entries.flatMap(({ windows }) => windows.map(hoursOf)))
  const specific = datesOf(calendars).map((date): DateHours => {
    const entries = indexed.flatMap(
      ({ dates, weekly }): readonly Entry[] => dates.get(date) ?? weekly.get(weekdayOf(date)) ?? [],
    )
    return { date, working_hours: open(entries) }
  })
  return {
    working_days: Weekday.options
      .map((day) => ({ day, working_hours: open(indexed.flatMap(({ weekly }) => weekly.get(day) ?? [])) }))
      .filter(({ working_hours }) => working_hours.length > 0),
    specific_dates: specific.filter(({ working_hours }) => working_hours.length > 0),
    outcast_dates: specific.filter(({ working_hours }) => working_hours.length === 0),
  }
}
