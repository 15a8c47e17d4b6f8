// The day in which network c counts the calls of an app.
const pacific = new Intl.DateTimeFormat('en-CA', {
  ...{ timeZone: 'America/Los_Angeles', hourCycle: 'h23', year: 'numeric', month: '2-digit', day: '2-digit' },
  ...{ hour: '2-digit', minute: '2-digit', second: '2-digit' },
})

/**
 * The Pacific day of a time: its date, and its end in Unix seconds, which on the day of a clock change is up to an hour
 * off.
 */
export function pacificDay(now: number): { date: string; ends_at: number } {
  const parts = Object.fromEntries(pacific.formatToParts(now * 1000).map(({ type, value }) => [type, value]))
  const passed = Number(parts.hour) * 3_600 + Number(parts.minute) * 60 + Number(parts.second)
  return { date: `${parts.year}-${parts.month}-${parts.day}`, ends_at: now - passed + 86_400 }
}
