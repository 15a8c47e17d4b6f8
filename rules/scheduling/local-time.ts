// Conversion between instants and wall-clock times of time zones, with daylight saving time. An ambiguous wall time is
// the first of its instants.
import type { Slot } from './slots.ts'

const daySeconds = 86_400

/** A half-open interval of Unix seconds with one offset: the seconds that the zone is ahead of UTC. */
export type OffsetSpan = { from: number; to: number; offset: number }
type Spans = readonly [OffsetSpan, ...OffsetSpan[]]

// Caches: Intl takes most of the time, formatting dates comes second. The results do not change while the process runs.
type KnownZone = { format: Intl.DateTimeFormat; days: Map<number, Spans> }
const knownZones = new Map<string, KnownZone>()
const knownDates = new Map<number, string>()
const zonesMost = 100
const daysMost = 1000

/** Evicts the oldest entry. */
const remember = <K, V>(cache: Map<K, V>, most: number, key: K, value: V): V => {
  const [oldest] = cache.keys()
  if (oldest !== undefined && cache.size >= most) cache.delete(oldest)
  cache.set(key, value)
  return value
}

const offsetByIntl = (at: number, format: Intl.DateTimeFormat): number => {
  const text = format.format(at * 1000)
  const found = /GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/.exec(text)
  if (!found) throw new Error(`no offset in ${text}`)
  const [, sign, hours = 0, minutes = 0, seconds = 0] = found
  return (sign === '-' ? -1 : 1) * (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds))
}

/** The spans of one UTC day. No zone has changed its offset twice within a UTC day since 1970. */
const spansByIntl = (day: number, format: Intl.DateTimeFormat): Spans => {
  const [from, to] = [day * daySeconds, (day + 1) * daySeconds]
  const [before, after] = [offsetByIntl(from, format), offsetByIntl(to - 1, format)]
  if (before === after) return [{ from, to, offset: before }]
  let [last, change] = [from, to - 1]
  while (change - last > 1) {
    const middle = Math.floor((last + change) / 2)
    if (offsetByIntl(middle, format) === before) last = middle
    else change = middle
  }
  return [
    { from, to: change, offset: before },
    { from: change, to, offset: after },
  ]
}

/** `day`: UTC days since 1970-01-01. */
const spansOfDay = (day: number, zone: string): Spans => {
  const { format, days } =
    knownZones.get(zone) ??
    remember(knownZones, zonesMost, zone, {
      format: new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' }),
      days: new Map(),
    })
  return days.get(day) ?? remember(days, daysMost, day, spansByIntl(day, format))
}

/** The offsets of a zone between two instants, in order. */
export const offsetSpans = (from: number, to: number, zone: string): OffsetSpan[] => {
  const spans: OffsetSpan[] = []
  for (let day = epochDay(from); day * daySeconds < to; day++) {
    for (const span of spansOfDay(day, zone)) {
      const clipped = { from: Math.max(from, span.from), to: Math.min(to, span.to), offset: span.offset }
      if (clipped.from < clipped.to) spans.push(clipped)
    }
  }
  return spans
}

/** Days since 1970-01-01 of a wall time, or of an instant in UTC. */
export const epochDay = (seconds: number): number => Math.floor(seconds / daySeconds)

/** YYYY-MM-DD as days since 1970-01-01. */
export const epochDayOf = (date: string): number => epochDay(Date.parse(date) / 1000)

export const dateOfEpochDay = (day: number): string =>
  knownDates.get(day) ??
  remember(knownDates, daysMost, day, new Date(day * daySeconds * 1000).toISOString().slice(0, 10))

/** The wall time of a zone at an instant (Unix seconds), as seconds since the wall time 1970-01-01 00:00. */
export const wallTimeOf = (at: number, zone: string): number => {
  const [first, second] = spansOfDay(epochDay(at), zone)
  return at + (second && at >= second.from ? second.offset : first.offset)
}

/**
 * The first instant with this wall time (as `wallTimeOf` returns it) or, if the clocks skip it, the first instant after
 * it. Throws RangeError for an unknown zone.
 */
export const instantOf = (wall: number, zone: string): number => {
  // No zone is a whole day away from UTC.
  for (let day = epochDay(wall) - 1; ; day++) {
    for (const { from, to, offset } of spansOfDay(day, zone)) {
      const at = Math.max(from, wall - offset)
      if (at < to) return at
    }
  }
}

/**
 * The instant (Unix seconds) at which a local day starts: 01:00 if the clocks skip midnight, and the first of two
 * midnights.
 */
export const startOfDay = (date: string, zone: string): number => instantOf(epochDayOf(date) * daySeconds, zone)

/** The date (YYYY-MM-DD) in the zone at an instant (Unix seconds). */
export const localDateOf = (at: number, zone: string): string => dateOfEpochDay(epochDay(wallTimeOf(at, zone)))

/** 'YYYY-MM-DD' ± days. */
export const addDays = (date: string, days: number): string => dateOfEpochDay(epochDayOf(date) + days)

/** The local dates of a slot, in order. A slot that ends at midnight does not touch the next day. */
export const localDatesOf = (slot: Slot, zone: string): string[] => {
  const days = new Set<number>()
  for (const { from, to, offset } of offsetSpans(slot.from, slot.to, zone)) {
    for (let day = epochDay(from + offset); day <= epochDay(to - 1 + offset); day++) days.add(day)
  }
  return [...days].sort((a, b) => a - b).map(dateOfEpochDay)
}
