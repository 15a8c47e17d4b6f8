// When a campaign may send: on some days of the week between two times, in the time zone of its store.
import { epochDay, instantOf, wallTimeOf } from '../scheduling/local-time.ts'

/**
 * Days 0 (Sunday) to 6; `from` and `to` as HH:MM, `to` exclusive. A window whose end is not after its start continues
 * to the next day.
 */
type SendWindow = { days: readonly number[]; from: string; to: string }

const secondsOf = (time: string): number => Number(time.slice(0, 2)) * 3_600 + Number(time.slice(3, 5)) * 60

/** `now` while the window is open, else when it opens next; null for a window that never opens. Unix seconds. */
export function nextOpening(window: SendWindow | null, zone: string, now: number): number | null {
  if (!window) return now
  const [from, to] = [secondsOf(window.from), secondsOf(window.to)]
  const length = to > from ? to - from : to - from + 86_400
  const today = epochDay(wallTimeOf(now, zone))
  let next: number | null = null
  // The window of yesterday may still be open.
  for (let day = today - 1; day <= today + 7; day++) {
    // 1970-01-01 was a Thursday.
    if (!window.days.includes((day + 4) % 7)) continue
    const opens = instantOf(day * 86_400 + from, zone)
    const closes = instantOf(day * 86_400 + from + length, zone)
    if (opens <= now && now < closes) return now
    if (opens > now) next = next === null ? opens : Math.min(next, opens)
  }
  return next
}
