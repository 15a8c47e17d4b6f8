// How times, amounts, sizes and ids are written: times in the zone of the store, amounts by their currency.
import { minorDigits } from './currencies.ts'

const formats = new Map<string, Intl.DateTimeFormat>()
function formatIn(zone: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${zone} ${JSON.stringify(options)}`
  const known = formats.get(key) ?? new Intl.DateTimeFormat('en-GB', { timeZone: zone, ...options })
  formats.set(key, known)
  return known
}

/** Whether a calendar has this time. An address of a page may hold any text. */
export const isTime = (unix: number): boolean => Math.abs(unix) <= 8.64e12

/** `12 Nov 2026, 14:05`. Seconds where they matter. */
export const timeText = (unix: number, zone: string, withSeconds = false): string =>
  formatIn(zone, {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    ...(withSeconds ? { second: '2-digit' } : {}),
  }).format(unix * 1000)

export const dayText = (unix: number, zone: string): string =>
  formatIn(zone, { day: 'numeric', month: 'short', year: 'numeric' }).format(unix * 1000)
/** `14:05:12`, with milliseconds where they are known. */
export const clockText = (unix: number, zone: string): string =>
  formatIn(zone, {
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    ...(Number.isInteger(unix) ? {} : { fractionalSecondDigits: 3 }),
  }).format(unix * 1000)

const steps: [seconds: number, unit: Intl.RelativeTimeFormatUnit][] = [
  [31_536_000, 'year'],
  [2_592_000, 'month'],
  [86_400, 'day'],
  [3600, 'hour'],
  [60, 'minute'],
]
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'always' })

/** `3 hours ago`, `in 2 days`. */
export function agoText(unix: number, now: number): string {
  const seconds = Math.round(unix - now)
  const [size, unit] = steps.find(([size]) => Math.abs(seconds) >= size) ?? [1, 'second']
  return Math.abs(seconds) < 5 ? 'just now' : relative.format(Math.trunc(seconds / size), unit)
}

const named: [seconds: number, one: string][] = [
  [86_400, 'day'],
  [3600, 'hour'],
  [60, 'minute'],
]
/** `250 ms`, `18 s`, `3 minutes`, `2 days`: a length of time in words. */
export function lengthText(seconds: number): string {
  if (seconds < 1) return `${Math.round(seconds * 1000)} ms`
  if (seconds < 120) return `${Number(seconds.toFixed(seconds < 10 ? 1 : 0))} s`
  const [size, unit] = named.find(([size]) => seconds >= 2 * size) ?? [60, 'minute']
  return `${Math.round(seconds / size)} ${unit}s`
}

const money = new Map<string, Intl.NumberFormat>()
/** Minor units of ISO 4217, whose digits differ from those of Intl. */
export function moneyText(amount: number, currency: string): string {
  const digits = minorDigits(currency)
  const known =
    money.get(currency) ??
    new Intl.NumberFormat('en', {
      style: 'currency',
      currency,
      minimumFractionDigits: digits,
      maximumFractionDigits: digits,
    })
  money.set(currency, known)
  return known.format(amount / 10 ** digits)
}

export const numberText = (value: number): string =>
  new Intl.NumberFormat('en', { maximumFractionDigits: 6 }).format(value)

/** Basis points as a percentage. */
export const shareText = (points: number): string => `${numberText(points / 100)} %`

export function bytesText(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB']
  const at = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log(bytes) / Math.log(1024)))
  return `${Number((bytes / 1024 ** at).toFixed(at === 0 ? 0 : 1))} ${units[at]}`
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
export const isUuid = (text: string): boolean => uuid.test(text)
/** The end of a UUID tells records apart: its beginning is the time. */
export const shortId = (id: string): string =>
  uuid.test(id) ? `…${id.slice(-8)}` : id.length > 24 ? `${id.slice(0, 22)}…` : id

// Fields of dates and times, which browsers fill in without a zone.

/** The wall clock of a zone at a time, as `datetime-local` writes it. */
export function wallClock(unix: number, zone: string): string {
  const parts = Object.fromEntries(
    formatIn(zone, {
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      hourCycle: 'h23',
    })
      .formatToParts(unix * 1000)
      .map(({ type, value }) => [type, value]),
  )
  const { year, month, day, hour, minute, second } = parts
  return `${String(year).padStart(4, '0')}-${month}-${day}T${hour}:${minute}:${second}`
}

/** The time at which the clocks of a zone show this; of a skipped hour the time after it. Undefined for no time. */
export function unixOf(clock: string, zone: string): number | undefined {
  const asUtc = Date.parse(`${clock.length === 16 ? `${clock}:00` : clock}Z`) / 1000
  if (Number.isNaN(asUtc)) return undefined
  const offsetAt = (unix: number) => Date.parse(`${wallClock(unix, zone)}Z`) / 1000 - unix
  const first = asUtc - offsetAt(asUtc)
  return asUtc - offsetAt(first)
}
