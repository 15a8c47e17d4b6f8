// The outcome of a request that could not be proved, as a person found it out: what evidence says against it, and the
// history of what was recorded.
import { z } from 'zod'
import { conflict } from './refusal.ts'

/** The provider's answers and events, as effects keep them. */
export type Evidence = Record<string, unknown>

/**
 * What is recorded. `against`: the evidence that the person knew and overrode. `before`: the resolution that this one
 * replaced. `account_id`: who recorded it; `at` in Unix seconds.
 */
export type Resolution<O extends string = string> = {
  outcome: O
  note: string
  account_id: string
  at: number
  against?: Evidence
  before?: Resolution<O>
}

/** What a person says. `replaces`: the recorded outcome that they saw; without it they saw none. */
export type Decision<O extends string = string> = {
  outcome: O
  note: string
  account_id: string
  force: boolean
  replaces?: string | undefined
}

/** Corrections that a record keeps. */
const correctionsMax = 100

export const Note = z
  .string()
  .trim()
  .min(1)
  .max(2000)
  .describe('How the outcome was established. It is recorded with the operator and the time.')
export const Force = z
  .boolean()
  .default(false)
  .describe(
    'Records the outcome although evidence contradicts it (409 `contradicts_evidence`). The evidence is recorded with it.',
  )

/** The outcome that a correction replaces, of the outcomes of a route. */
export const replacing = <T extends z.ZodType>(outcome: T) =>
  outcome
    .optional()
    .describe('The recorded outcome that you correct. Without it, another recorded outcome is not replaced.')

/** What every route says that resolves a record. */
export const resolving =
  'Nothing is sent. A resolution can be corrected: `replaces` names the recorded outcome, which the new resolution keeps as `before`. 409 `resolved_otherwise` if another outcome was recorded, such as by another operator meanwhile; ' +
  'the same outcome is recorded once. 409 `contradicts_evidence` if what the provider reported says otherwise; the problem has ' +
  'the evidence, and `force` records the outcome all the same. A record that later evidence contradicts needs attention again.'

const done: readonly unknown[] = ['succeeded', 'seen', 'pending', 'processing', 'complete', 'open']
/** Final at a provider, also after a success. */
const final: readonly unknown[] = ['failed', 'canceled']
const notDone: readonly unknown[] = ['rejected', ...final]

export type Says = 'done' | 'not_done' | null

function verdictOf(words: readonly unknown[]): Says {
  if (words.some((word) => notDone.includes(word))) return 'not_done'
  if (words.some((word) => done.includes(word))) return 'done'
  return words.includes('not_sent') ? 'not_done' : null
}

/** Members of evidence that comes from a signed event, a message or a read, and from no answer to the request. */
export const observations = ['event', 'proof', 'inbound', 'read_at'] as const
const isObserved = (one: Evidence): boolean => observations.some((name) => name in one)

/**
 * Whether the evidence says that the request was carried out; null: it says neither. What was observed counts more than
 * what an answer says.
 */
export function saysOf(all: readonly (Evidence | null | undefined)[]): Says {
  const pieces = all.filter((one) => one != null)
  return (
    verdictOf(pieces.filter(isObserved).map(({ status }) => status)) ?? verdictOf(pieces.map(({ status }) => status))
  )
}

/**
 * The late evidence of a record that has `before` once `next` is known: the one that says more, of equal ones the
 * newer. What says nothing is not kept, an answer never replaces what was observed, and nothing but another one
 * replaces a final failure. The same as SQL: entities/kit/resolutions.ts.
 */
export function laterOf(before: Evidence | null, next: Evidence): Evidence | null {
  if (saysOf([next]) === null) return before
  if (!before || saysOf([before]) === null) return next
  const isWeaker =
    next.status === 'not_sent' ||
    (isObserved(before) && !isObserved(next)) ||
    (final.includes(before.status) && !final.includes(next.status))
  return isWeaker ? before : next
}

/**
 * An answer that came after its record was settled, as `late_evidence` keeps it. `status` is a word, which `saysOf`
 * reads: the outcome that the answer proves, or the provider's own word where it says the same. Another word, and a
 * status code of the protocol, is `provider_status`.
 */
export function lateAnswer(outcome: string, { status, ...evidence }: Evidence): Evidence {
  const proved = verdictOf([outcome])
  if (typeof status === 'string' && (proved === null || verdictOf([status]) === proved)) return { status, ...evidence }
  return { status: outcome, ...(status == null ? {} : { provider_status: status }), ...evidence }
}

/** Outcomes of all resolvable records that say that the request was carried out. */
const doneOutcomes: readonly string[] = ['succeeded', 'published', 'completed']
export const isDone = (outcome: string): boolean => doneOutcomes.includes(outcome)

/** A recorded outcome for people, behind "that". */
export const foundText = (outcome: string): string =>
  outcome === 'accepted' ? 'it is kept as it is' : isDone(outcome) ? 'it was carried out' : 'it was not carried out'

/** Whether the evidence contradicts an outcome. */
export function contradicts(outcome: string, evidence: readonly (Evidence | null | undefined)[]): boolean {
  const says = saysOf(evidence)
  return says !== null && (says === 'done') !== isDone(outcome)
}

/** The newest piece of evidence that contradicts an outcome. */
const contradicting = (
  outcome: string,
  evidence: readonly (Evidence | null | undefined)[],
): Evidence | null | undefined => evidence.findLast((one) => contradicts(outcome, [one]))

type Resolvable = {
  status: string
  resolution?: Resolution | null | undefined
  evidence?: Evidence | null | undefined
  late_evidence?: Evidence | null | undefined
}

const equal = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

/**
 * Whether a person has to look at the record: its outcome is unknown, or what was recorded about it differs from what
 * is known since. Evidence that was overridden knowingly is known. The same as SQL: entities/kit/resolutions.ts.
 */
export function needsAttention({ status, resolution, evidence, late_evidence }: Resolvable): boolean {
  if (status === 'unknown') return true
  if (!resolution) return false
  const { outcome, against } = resolution
  if (isDone(outcome) !== isDone(status)) return true
  return (
    contradicts(outcome, [evidence, late_evidence]) &&
    !equal(against, contradicting(outcome, [evidence, late_evidence]))
  )
}

const depthOf = (resolution: Resolution | null | undefined): number => (resolution ? 1 + depthOf(resolution.before) : 0)

/**
 * The resolution that takes the place of `before`. `evidence`: what the provider reported, the newest last. 409
 * resolved_otherwise if the person did not see the other outcome that is recorded, contradicts_evidence unless it is
 * forced, resolved_too_often. `now` in Unix seconds.
 */
export function resolved<O extends string>(
  { force, replaces, ...decision }: Decision<O>,
  evidence: readonly (Evidence | null | undefined)[],
  before: Resolution<O> | null | undefined,
  now: number,
): Resolution<O> {
  if (before?.outcome !== replaces && before?.outcome !== decision.outcome)
    throw conflict(
      'resolved_otherwise',
      before
        ? `\`${before.outcome}\` was recorded already. To correct it, send it as \`replaces\`.`
        : 'No outcome was recorded that could be replaced.',
    )
  const isAgainst = contradicts(decision.outcome, evidence)
  const against = contradicting(decision.outcome, evidence)
  if (isAgainst && !force)
    throw conflict(
      'contradicts_evidence',
      'What the provider reported says otherwise. Send `force: true` to record the outcome all the same.',
      {
        members: { evidence: against },
      },
    )
  if (depthOf(before) >= correctionsMax)
    throw conflict('resolved_too_often', `A resolution is corrected ${correctionsMax} times at most.`)
  return { ...decision, at: now, ...(isAgainst && against ? { against } : {}), ...(before ? { before } : {}) }
}
