// Availability: the slots that a link offers by its calendar, and those of them that the bookings of its provider leave
// free.
import { type ServiceDuration, type SpecificDate, type TimeWindow, Weekday, type WorkingDay } from './calendars.ts'
import { dateOfEpochDay, epochDay, epochDayOf, instantOf, offsetSpans, wallTimeOf } from './local-time.ts'
import { type DayTaken, occupancy } from './occupancy.ts'
import type { Slot } from './slots.ts'

export { addDays, localDateOf, localDatesOf } from './local-time.ts'

/** The calendar of a link; `slot_interval` and `durations` in minutes. */
export type LinkSchedule = {
  working_days: readonly WorkingDay[]
  specific_dates: readonly SpecificDate[]
  durations: readonly ServiceDuration[]
  slot_interval: number
  concurrent_limit: number
}

/** `spots`: number of bookings that the slot can still take. */
type FreeSlot = { from: number; to: number; spots: number }

const secondsOf = (time: string) => Number(time.slice(0, 2)) * 3600 + Number(time.slice(3)) * 60

/**
 * The windows of a link by day (days since 1970-01-01), as wall times. A window that ends on the next day belongs to
 * the day on which it starts.
 */
const windowsOf = (link: LinkSchedule) => {
  const weekly = Map.groupBy(link.working_days, ({ day }) => Weekday.options.indexOf(day))
  const specific = Map.groupBy(link.specific_dates, ({ date }) => date)
  const cache = new Map<number, { from: number; to: number }[]>()
  const read = (day: number) => {
    // 1970-01-01 was a Thursday.
    const entries: readonly { windows: readonly TimeWindow[] }[] =
      specific.get(dateOfEpochDay(day)) ?? weekly.get((((day + 3) % 7) + 7) % 7) ?? []
    return entries.flatMap(({ windows }) =>
      windows.map((window) => {
        const [from, to] = [secondsOf(window.from), secondsOf(window.to)]
        return { from: day * 86_400 + from, to: (to > from ? day : day + 1) * 86_400 + to }
      }),
    )
  }
  return (day: number) => {
    const windows = cache.get(day) ?? read(day)
    cache.set(day, windows)
    return windows
  }
}

/** Durations in seconds. */
const durationsOf = ({ durations, slot_interval }: LinkSchedule): number[] =>
  durations.length === 0 ? [slot_interval * 60] : durations.map(({ duration }) => duration * 60)

/**
 * Returns a function that checks whether the link offers exactly a slot (grid, duration, window), whether or not it
 * is booked or in the past. The calendar is read once for any number of slots. Windows are wall-clock times of the
 * zone: a skipped time is not offered, a repeated one is the first of the two, and a slot lasts its duration.
 */
export const offeredBy = (link: LinkSchedule, zone: string): ((slot: Slot) => boolean) => {
  const windows = windowsOf(link)
  const durations = new Set(durationsOf(link))
  return ({ from, to }) => {
    const wall = wallTimeOf(from, zone)
    if (instantOf(wall, zone) !== from || !durations.has(to - from)) return false
    return [epochDay(wall) - 1, epochDay(wall)]
      .flatMap((day) => windows(day))
      .some(
        (window) =>
          wall >= window.from &&
          (wall - window.from) % (link.slot_interval * 60) === 0 &&
          to <= instantOf(window.to, zone),
      )
  }
}

/**
 * All slots that start on the days first … last (days since 1970-01-01) and that `offeredBy` accepts: each once, in
 * order of time.
 */
const offered = (
  link: LinkSchedule,
  durations: readonly number[],
  first: number,
  last: number,
  zone: string,
): (Slot & { day: number })[] => {
  const interval = link.slot_interval * 60
  const windows = windowsOf(link)
  const slots: (Slot & { day: number })[] = []
  for (let day = first - 1; day <= last; day++) {
    for (const window of windows(day)) {
      const end = instantOf(window.to, zone)
      let wall = window.from
      for (const span of offsetSpans(instantOf(window.from, zone), end, zone)) {
        // Clocks that are set forward skip a part of the grid; times that are repeated after they are set back are
        // before `wall`.
        wall += Math.max(0, Math.ceil((span.from + span.offset - wall) / interval)) * interval
        for (; wall < span.to + span.offset; wall += interval) {
          const from = wall - span.offset
          for (const duration of durations)
            if (from + duration <= end) slots.push({ from, to: from + duration, day: epochDay(wall) })
        }
      }
    }
  }
  slots.sort((a, b) => a.from - b.from || a.to - b.to)
  return slots.filter(({ from, to, day }, index) => {
    const before = slots[index - 1]
    return day >= first && day <= last && !(before?.from === from && before.to === to)
  })
}

/**
 * An upper bound of the slots that `availability` would compute, as overlapping windows are counted separately. Cheap.
 */
export const slotsAtMost = (link: LinkSchedule, first: string, last: string, duration?: number): number => {
  const durations = durationsOf(link).filter((seconds) => duration === undefined || seconds === duration * 60).length
  const windows = windowsOf(link)
  let starts = 0
  for (let day = epochDayOf(first) - 1; day <= epochDayOf(last); day++)
    for (const { from, to } of windows(day)) starts += Math.ceil((to - from) / (link.slot_interval * 60))
  return starts * durations
}

/**
 * The free slots of a link that start on the local dates first … last (inclusive) and not before `now` (Unix seconds),
 * by date in order of time, without empty dates.
 * `duration` (minutes) selects slots of that length. `days`: the provider's rows of these dates and of the day after,
 * which slots may reach into; a missing row is a day without bookings.
 */
export const availability = (o: {
  link: LinkSchedule
  days: readonly DayTaken[]
  zone: string
  first: string
  last: string
  now: number
  duration?: number | undefined
}): { date: string; slots: FreeSlot[] }[] => {
  const { link, zone, duration } = o
  const durations = durationsOf(link).filter((seconds) => duration === undefined || seconds === duration * 60)
  const spotsOf = occupancy(o.days, zone)
  const dates = new Map<number, FreeSlot[]>()
  for (const slot of offered(link, durations, epochDayOf(o.first), epochDayOf(o.last), zone)) {
    if (slot.from < o.now) continue
    const spots = spotsOf(slot, link.concurrent_limit)
    if (spots <= 0) continue
    const free = { from: slot.from, to: slot.to, spots }
    const slots = dates.get(slot.day)
    if (slots) slots.push(free)
    else dates.set(slot.day, [free])
  }
  return [...dates].map(([day, slots]) => ({ date: dateOfEpochDay(day), slots }))
}

/** Days whose slots are computed at once: most searches end in the first. */
const daysAtOnce = 7

/**
 * Whether the link has a free slot that starts from `from` to `to` (Unix seconds, inclusive) and not before `now`,
 * and an upper bound of the slots that were computed. `days`: as of `availability`, from the day of `from` to that
 * after `to`.
 */
export const findFree = (o: {
  link: LinkSchedule
  days: readonly DayTaken[]
  zone: string
  from: number
  to: number
  now: number
}): { free: boolean; slots: number } => {
  const { link, days, zone, to } = o
  const now = Math.max(o.now, o.from)
  const [begin, end] = [epochDay(wallTimeOf(o.from, zone)), epochDay(wallTimeOf(to, zone))]
  let slots = 0
  // Days are compared as numbers: as text, a date after the year 9999 is before all others.
  for (let day = begin; day <= end; day += daysAtOnce) {
    const [first, last, after] = [
      dateOfEpochDay(day),
      dateOfEpochDay(Math.min(day + daysAtOnce - 1, end)),
      dateOfEpochDay(day + daysAtOnce),
    ]
    slots += slotsAtMost(link, first, last)
    const near = days.filter(({ local_date }) => local_date >= first && local_date <= after)
    const open = availability({ link, days: near, zone, first, last, now })
    if (open.some((day) => day.slots.some((slot) => slot.from <= to))) return { free: true, slots }
  }
  return { free: false, slots }
}
