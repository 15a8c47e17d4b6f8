// Converts a cron expression into calendars: their union contains exactly the minutes of the expression, each once.
import { cronFields, cronNumber } from './graph-shapes.ts'

/** Inclusive. */
export type CronRange = { start: number; end: number }
/**
 * Contains a time if each part is in one of that part's ranges. Days of the week are 0 (Sunday) to 6, months 1 to 12.
 */
export type CronCalendar = {
  minute: CronRange[]
  hour: CronRange[]
  day: CronRange[]
  month: CronRange[]
  weekday: CronRange[]
}

const parts = ['minute', 'hour', 'day', 'month', 'weekday'] as const

const valuesOf = (text: string, at: number): number[] => {
  const field = cronFields[at] as (typeof cronFields)[number]
  const values = text.split(',').flatMap((part) => {
    const [range = '', step = '1'] = part.split('/')
    const [from, to] = range === '*' ? [field.min, field.max] : range.split('-').map((text) => cronNumber(text, field))
    const first = from ?? field.min
    return Array.from(
      { length: Math.floor(((to ?? first) - first) / Number(step)) + 1 },
      (_, n) => first + n * Number(step),
    )
  })
  // Sunday is 0 and 7.
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
 * The calendars of an expression that `isCron` accepts, in UTC. Two if both day of month and day of week are
 * restricted, because a day then matches if either does; otherwise one. A field that begins with `*`, also with a step,
 * is not restricted in this sense: then both must match (POSIX crontab; cronie, crontab(5)).
 */
export const calendarsOf = (schedule: string): CronCalendar[] => {
  const fields = schedule.trim().split(/[ \t]+/)
  const [minute = [], hour = [], day = [], month = [], weekday = []] = fields.map((field, at) =>
    rangesOf(valuesOf(field, at)),
  )
  const restricted = [fields[2], fields[4]].every((field) => !field?.startsWith('*'))
  if (!restricted) return [{ minute, hour, day, month, weekday }]
  const every = { day: [{ start: 1, end: 31 }], weekday: [{ start: 0, end: 6 }] }
  return [
    { minute, hour, day, month, weekday: every.weekday },
    { minute, hour, day: every.day, month, weekday },
  ]
}
