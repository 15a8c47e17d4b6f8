// How fast a campaign sends, and when it will have sent all.

/**
 * The newest messages that were sent: how many, the seconds since the first of them (at least 1), and whether there
 * were more before.
 */
export type Pace = { sent: number; seconds: number }

/** Active enrollments whose next step is at this position. */
export type Waiting = { position: number; count: number }

export const perMinuteOf = ({ sent, seconds }: Pace): number => Math.round((sent * 60) / Math.max(1, seconds))

/**
 * When the last message will have been sent, in Unix seconds: at the present pace, but not before the delays of the
 * steps that follow have passed. Send windows are not considered. Null if nothing is waiting or nothing was sent
 * lately. `delays`: of all steps, in seconds.
 */
export function estimatedEnd(
  waiting: readonly Waiting[],
  delays: readonly number[],
  pace: Pace,
  now: number,
): number | null {
  const ahead = waiting.filter(({ position, count }) => count > 0 && position < delays.length)
  if (ahead.length === 0 || pace.sent === 0) return null
  const messages = ahead.reduce((sum, { position, count }) => sum + count * (delays.length - position), 0)
  const first = Math.min(...ahead.map(({ position }) => position))
  const delay = delays.slice(first + 1).reduce((sum, seconds) => sum + seconds, 0)
  return now + Math.max(Math.ceil((messages * Math.max(1, pace.seconds)) / pace.sent), delay)
}
