// A cron expression says the same times to every reader: as calendars, in whose union each of its minutes is, once, and no other.
import { cronFields, cronNumber } from './graph-shapes.ts'

/** Both ends are in it. */
export type CronRange = { start: number; end: number }
/** A time is in it if each part is in one of that part's ranges. Days of the week are 0 (Sunday) to 6, months 1 to 12. */
export type CronCalendar = { minute: CronRange[]; hour: CronRange[]; day: CronRange[]; month: CronRange[]; weekday: CronRange[] }

const parts = ['minute', 'hour', 'day', 'month', 'weekday'] as const

const valuesOf = (text: string, at: number): number[] => {
  const field = cronFields[at] as (typeof cronFields)[number]
  const values = text.split(',').flatMap((part) => {
    const [range = '', step = '1'] = part.split('/')
    const [from, to] = range === '*' ? [field.min, field.max] : range.split('-').map((word) => cronNumber(word, field))
    const first = from ?? field.min
    return Array.from({ length: Math.floor(((to ?? first) - first) / Number(step)) + 1 }, (_, n) => first + n * Number(step))
  })
  // Sunday has two numbers.
  const days = parts[at] === 'weekday' ? values.map((value) => value % 7) : values
  return [...new Set(days)].sort((a, b) => a - b)
}

const rangesOf = (values: readonly number[]): CronRange[] => {
  const ranges: CronRange[] = []
  for (const value of values) {
    const last = ranges.at(-1)
    if (last && value === last.end + 1) last.end = value
    else ranges.push({ start: value, end: value })
  }
  return ranges
}

/**
 * Of an expression that `isCron` takes; UTC. One calendar; two where both day of month and day of week are restricted, because then a day is
 * meant if either has it. A field that begins with `*` restricts nothing in this sense, with a step neither: there both must have the day
 * (POSIX crontab; cronie, crontab(5)).
 */
export const calendarsOf = (schedule: string): CronCalendar[] => {
  const fields = schedule.trim().split(/[ \t]+/)
  const [minute = [], hour = [], day = [], month = [], weekday = []] = fields.map((field, at) => rangesOf(valuesOf(field, at)))
  const restricted = [fields[2], fields[4]].every((field) => !field?.startsWith('*'))
  if (!restricted) return [{ minute, hour, day, month, weekday }]
  const every = { day: [{ start: 1, end: 31 }], weekday: [{ start: 0, end: 6 }] }
  return [
    { minute, hour, day, month, weekday: every.weekday },
    { minute, hour, day: every.day, month, weekday },
  ]
}
