// What a row of an effect keeps of what a later proof or a resolution replaced.
import type { EffectStatus } from '../effects.ts'
import type { Evidence } from '../resolutions.ts'

type Error = ({ code: string; message: string } & Record<string, unknown>) | null

/**
 * `answered`: a pending answer, which had no outcome, or one that came after the event that reported the same outcome;
 * `settled`: an outcome; each with its evidence. Times in milliseconds since 1970.
 */
export type ReplacedOutcome = {
  slot: 'answered' | 'settled'
  at: number
  answered_ms: number | null
  attempt: number
  status: EffectStatus
  error: Error
  evidence: Evidence | null
}
/** `at`: a bound where `late_ms`, when it became known, is not stored. */
type ReplacedLate = { slot: 'late_evidence'; at: number | null; late_ms: number | null; evidence: Evidence }

export type Replaced = ReplacedOutcome | ReplacedLate
