// Statuses of all kinds of effects as five tones that can be compared.
export const tones = ['good', 'busy', 'doubt', 'bad', 'over'] as const
type Tone = (typeof tones)[number]
export type Outcomes = Record<Tone, number> & { total: number }
export const toneNames: Record<Tone, string> = {
  good: 'succeeded',
  busy: 'in progress',
  doubt: 'unknown',
  bad: 'failed',
  over: 'cancelled',
}

export const toneOf: Readonly<Record<string, Tone>> = {
  succeeded: 'good',
  completed: 'good',
  requested: 'busy',
  pending: 'busy',
  processing: 'busy',
  running: 'busy',
  unknown: 'doubt',
  failed: 'bad',
  rejected: 'bad',
  cancelled: 'over',
}

/** A status of a later version of the API counts in the total alone. */
export function outcomesOf(counts: Readonly<Record<string, number>>): Outcomes {
  const found: Outcomes = { good: 0, busy: 0, doubt: 0, bad: 0, over: 0, total: 0 }
  for (const [status, count] of Object.entries(counts)) {
    const tone = toneOf[status.toLowerCase()]
    if (tone) found[tone] += count
    found.total += count
  }
  return found
}

export const totalOf = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((sum, one) => sum + one, 0)

/** Figures of a day that are amounts or counts by status, as the chart offers them. */
export const series = [
  ['sales', 'Sales'],
  ['orders', 'Orders'],
  ['bookings', 'Bookings'],
  ['refunds', 'Refunds'],
  ['mails', 'E-mails'],
  ['messages', 'Campaign messages'],
  ['deliveries', 'Webhook deliveries'],
  ['executions', 'Workflow runs'],
] as const satisfies [name: string, title: string][]
export type SeriesName = (typeof series)[number][0]
