// A slow, literal reading of crontab(5), independent of the rule under test.
const months = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ')
const days = 'sun mon tue wed thu fri sat'.split(' ')

/** One field, counted through from its first value to the requested one. */
function has(field: string, value: number, first: number, last: number, names: string[] = [], from = 0): boolean {
  const number = (word: string) =>
    names.includes(word.toLowerCase()) ? names.indexOf(word.toLowerCase()) + from : Number(word)
  for (const item of field.split(',')) {
    const [range = '', step] = item.split('/')
    const [a, b] =
      range === '*'
        ? [first, last]
        : range.includes('-')
          ? range.split('-').map(number)
          : [number(range), number(range)]
    for (let at = a as number; at <= (b as number); at += step ? Number(step) : 1) if (at === value) return true
  }
  return false
}

function meansDay(schedule: string, at: Date): boolean {
  const [, , day = '', month = '', weekday = ''] = schedule.trim().split(/\s+/)
  if (!has(month, at.getUTCMonth() + 1, 1, 12, months, 1)) return false
  const dayHas = has(day, at.getUTCDate(), 1, 31)
  const weekdayHas = has(weekday, at.getUTCDay(), 0, 7, days) || (at.getUTCDay() === 0 && has(weekday, 7, 0, 7, days))
  return day[0] === '*' || weekday[0] === '*' ? dayHas && weekdayHas : dayHas || weekdayHas
}

function meansTime(schedule: string, at: Date): boolean {
  const [minute = '', hour = ''] = schedule.trim().split(/\s+/)
  return has(minute, at.getUTCMinutes(), 0, 59) && has(hour, at.getUTCHours(), 0, 23)
}

/** Whether the minute is one of the schedule's; UTC. */
export const means = (schedule: string, at: Date): boolean => meansTime(schedule, at) && meansDay(schedule, at)

/** The first so many of its minutes after a moment. */
export function timesAfter(schedule: string, from: Date, count: number): Date[] {
  const found: Date[] = []
  let at = Math.floor(from.getTime() / 60_000) * 60_000 + 60_000
  while (found.length < count) {
    const time = new Date(at)
    if (!meansDay(schedule, time)) at = Math.floor(at / 86_400_000) * 86_400_000 + 86_400_000
    else {
      if (meansTime(schedule, time)) found.push(time)
      at += 60_000
    }
  }
  return found
}
