// How full a provider is at each moment. Availability and reservation use the same function, so that exactly the slots
// that are shown as free can be booked.

import { addDays, localDatesOf, startOfDay } from './local-time.ts'
import type { Slot } from './slots.ts'

/**
 * A slot as it is booked. `limit`: bookings of the provider that may take place at any of its moments, itself included;
 * left out where the version before 0.3 has booked it.
 */
export type BookedSlot = Slot & { limit?: number | undefined }

/** A booked slot as schedule_days stores it, in Unix seconds. */
export type Taken = readonly [from: number, to: number, limit?: number]

/** The booked slots of one provider that touch a day. */
export type DayTaken = { local_date: string; taken: readonly Taken[] }

const isSame = ([from, to]: Taken, slot: Slot) => from === slot.from && to === slot.to
const takenOf = ({ from, to, limit }: BookedSlot): Taken => (limit === undefined ? [from, to] : [from, to, limit])
const unknownLimit = Number.MAX_SAFE_INTEGER
const byLimit = (a: Taken, b: Taken) => (a[2] ?? unknownLimit) - (b[2] ?? unknownLimit)
const byTime = (a: Taken, b: Taken) => a[0] - b[0] || a[1] - b[1] || byLimit(a, b)

/** The bookings of these days, each once: a booking is stored in every day that it touches. */
const bookingsOf = (days: readonly DayTaken[], zone: string): Taken[] => {
  const sorted = days.toSorted((a, b) => (a.local_date < b.local_date ? -1 : 1))
  return sorted.flatMap(({ taken }, index) => {
    const before = sorted[index - 1]
    if (!before) return taken
    const end = startOfDay(addDays(before.local_date, 1), zone)
    return taken.filter(([from]) => from >= end)
  })
}

/** The number of values up to a value, by binary search. */
const countUpTo = (sorted: Float64Array, most: number): number => {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sorted[middle] as number) <= most) low = middle + 1
    else high = middle
  }
  return low
}

/**
 * Returns the least value from one index to before another, of many from a table of the least of 1, 2, 4, … neighbours.
 */
const leastOf = (values: Float64Array): ((from: number, end: number) => number) => {
  const rows = [values]
  const rowOf = (level: number): Float64Array => {
    for (let width = 1 << (rows.length - 1); rows.length <= level; width *= 2) {
      const last = rows[rows.length - 1] as Float64Array
      const row = new Float64Array(last.length - width)
      for (let at = 0; at < row.length; at++) row[at] = Math.min(last[at] as number, last[at + width] as number)
      rows.push(row)
    }
    return rows[level] as Float64Array
  }
  return (from, end) => {
    const level = 31 - Math.clz32(end - from)
    const row = rowOf(level)
    return Math.min(row[from] as number, row[end - (1 << level)] as number)
  }
}

/**
 * The times at which bookings begin or end, each once, in order: between two neighbours the same bookings take place.
 */
const timesOf = (starts: Float64Array, ends: Float64Array): Float64Array => {
  const all = new Float64Array(starts.length * 2)
  all.set(starts)
  all.set(ends, starts.length)
  all.sort()
  let count = 0
  for (let at = 0; at < all.length; at++) if (all[at] !== all[at - 1]) all[count++] = all[at] as number
  return all.subarray(0, count)
}

/** The smallest limit of the bookings from each time to the next; infinite without any. */
const limitsOf = (bookings: readonly Taken[], times: Float64Array): Float64Array => {
  const limits = new Float64Array(times.length).fill(Number.POSITIVE_INFINITY)
  // By rising limits, each booking writes what no smaller one has written. `next`: the first place from there on that
  // is not written.
  const next = new Int32Array(times.length)
  for (let at = 0; at < next.length; at++) next[at] = at
  const openFrom = (place: number): number => {
    let at = place
    while (next[at] !== at) {
      next[at] = next[next[at] as number] as number
      at = next[at] as number
    }
    return at
  }
  for (const [from, to, limit] of bookings.toSorted(byLimit)) {
    if (limit === undefined) break
    const end = countUpTo(times, to) - 1
    for (let at = openFrom(countUpTo(times, from) - 1); at < end; at = openFrom(at)) {
      limits[at] = limit
      next[at] = at + 1
    }
  }
  return limits
}

/**
 * Returns a function of a slot and its limit: how many bookings with that limit the slot can still take; less than 0 if
 * more take place already. At each moment no more bookings take place than the smallest of their limits, whichever was
 * booked first. A booking that is stored in several days counts once, identical bookings count each, and bookings that
 * only touch the slot do not. `days`: rows of one provider, each date once, in any order.
 */
export const occupancy = (days: readonly DayTaken[], zone: string): ((slot: Slot, limit: number) => number) => {
  const bookings = bookingsOf(days, zone)
  const [starts, ends] = [new Float64Array(bookings.length), new Float64Array(bookings.length)]
  for (let at = 0; at < bookings.length; at++) {
    const booking = bookings[at] as Taken
    starts[at] = booking[0]
    ends[at] = booking[1]
  }
  starts.sort()
  ends.sort()
  const profile = () => {
    const times = timesOf(starts, ends)
    const limits = limitsOf(bookings, times)
    const [free, room] = [new Float64Array(times.length), new Float64Array(times.length)]
    for (let at = 0; at < times.length; at++) {
      const time = times[at] as number
      free[at] = countUpTo(ends, time) - countUpTo(starts, time)
      room[at] = (limits[at] as number) + (free[at] as number)
    }
    return { times, leastFree: leastOf(free), leastRoom: leastOf(room) }
  }
  let made: ReturnType<typeof profile> | undefined
  return ({ from, to }, limit) => {
    // Bookings that start before the end of the slot, without those that end by its start: most slots have none.
    if (countUpTo(starts, to - 1) === countUpTo(ends, from)) return limit
    made ??= profile()
    const { times, leastFree, leastRoom } = made
    const [first, end] = [Math.max(0, countUpTo(times, from) - 1), countUpTo(times, to - 1)]
    return Math.min(limit + leastFree(first, end), leastRoom(first, end))
  }
}

/** Whether the version before 0.3 has booked any of it. */
const lacksLimit = ({ taken }: DayTaken): boolean => taken.some(([, , limit]) => limit === undefined)
export const lackLimits = (days: readonly DayTaken[]): boolean => days.some(lacksLimit)

/**
 * The days with the limits of all bookings: one without a limit gets the smallest of those `booked` at the same time
 * that no other one of its day has. One that is not among them stays as it is. `booked`: all bookings of these days.
 */
export const withLimits = (days: readonly DayTaken[], booked: readonly BookedSlot[]): DayTaken[] => {
  const sorted = booked.toSorted((a, b) => (a.limit ?? unknownLimit) - (b.limit ?? unknownLimit))
  const limits = Map.groupBy(sorted, ({ from, to }) => `${from} ${to}`)
  return days.map((day) => {
    if (!lacksLimit(day)) return day
    const limitsLeft = new Map<string, (number | undefined)[]>()
    const leftAt = ([from, to]: Taken) => {
      const name = `${from} ${to}`
      const own = limitsLeft.get(name) ?? (limits.get(name) ?? []).map(({ limit }) => limit)
      limitsLeft.set(name, own)
      return own
    }
    for (const one of day.taken) {
      const at = one[2] === undefined ? -1 : leftAt(one).indexOf(one[2])
      if (at >= 0) leftAt(one).splice(at, 1)
    }
    const withLimit = (one: Taken) =>
      one[2] === undefined ? takenOf({ from: one[0], to: one[1], limit: leftAt(one).shift() }) : one
    return { ...day, taken: day.taken.map(withLimit).sort(byTime) }
  })
}

/**
 * The days after slots were released and booked. Each slot of `given` removes one equal entry from every day that it
 * touches (a missing one is ignored), then each of `wanted` adds one. Returns only the days that these slots touch, in
 * order of date, each list in order of time. A missing row is an empty one.
 */
export const moveTaken = (
  days: readonly DayTaken[],
  given: readonly BookedSlot[],
  wanted: readonly BookedSlot[],
  zone: string,
): DayTaken[] => {
  const before = new Map(days.map(({ local_date, taken }) => [local_date, taken]))
  const after = new Map<string, Taken[]>()
  const takenOn = (date: string): Taken[] => {
    const taken = after.get(date) ?? [...(before.get(date) ?? [])]
    after.set(date, taken)
    return taken
  }
  for (const slot of given) {
    for (const date of localDatesOf(slot, zone)) {
      const taken = takenOn(date)
      // One of the same limit, then one whose limit is not known.
      const places = [slot.limit, undefined].map((limit) =>
        taken.findIndex((one) => isSame(one, slot) && one[2] === limit),
      )
      const index = [...places, taken.findIndex((one) => isSame(one, slot))].find((at) => at >= 0)
      if (index !== undefined) taken.splice(index, 1)
    }
  }
  for (const slot of wanted) for (const date of localDatesOf(slot, zone)) takenOn(date).push(takenOf(slot))
  return [...after]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([local_date, taken]) => ({ local_date, taken: taken.sort(byTime) }))
}
