// The entries of an effect, from its row. Nothing is said that the row does not prove: of attempts before the last one
// it holds their number alone.
import { type EffectName, type EffectStatus, effects } from '../effects.ts'
import { type Evidence, observations, type Resolution, saysOf } from '../resolutions.ts'
import { type EffectFacts, effectTexts } from './effects.ts'
import { operator, provider, system, type Told } from './entries.ts'

/** The moments that are columns of the row, and the resolutions in it. The order is that of what happens in one millisecond. */
export const effectSlots = [
  'requested',
  'claimed',
  'sent',
  'deadline',
  'answered',
  'settled',
  'late_evidence',
  'resolved',
] as const
export type EffectSlot = (typeof effectSlots)[number]

/** Times in milliseconds since 1970. */
export type EffectRowFacts<N extends EffectName = EffectName> = {
  status: EffectStatus
  attempt: number
  sent_ms: number | null
  deadline_ms: number | null
  answered_ms: number | null
  late_ms: number | null
  error: ({ code: string; message: string } & Record<string, unknown>) | null
  evidence: Evidence | null
  late_evidence: Evidence | null
  resolution: Resolution | null
  facts: EffectFacts[N]
}

/** What an entry holds beside its sentence; left out where there is nothing. */
const details = (all: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(all).filter(([, value]) => value != null))

const begun = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1)

/** Where what is known comes from, in the order of `observations`. */
const sources: Readonly<Record<(typeof observations)[number], string>> = {
  event: 'A signed event of the payment provider',
  proof: 'A read at the other side',
  inbound: 'Mail that came back',
  read_at: 'A read at the payment provider',
}
const sourceOf = (evidence: Evidence | null): string | null => {
  const found = observations.find((name) => evidence !== null && name in evidence)
  return found ? sources[found] : null
}

/** It ended without an answer: the connection broke, or the time was over. */
const isSilent = ({ status, resolution, evidence, error }: EffectRowFacts): boolean =>
  (status === 'unknown' || resolution !== null) &&
  Object.keys(evidence ?? {}).length === 0 &&
  error?.provider_status === undefined

/** The resolution that this many later ones replaced. */
const resolutionAt = (newest: Resolution | null, depth: number): Resolution | null =>
  depth === 0 || !newest ? newest : resolutionAt(newest.before ?? null, depth - 1)

const seconds = (ms: number | null): number | null => (ms === null ? null : ms / 1000)

/** The entry of a slot of the effect `name`. `depth`: how many resolutions replaced this one. */
export function effectEntry<N extends EffectName>(
  name: N,
  slot: EffectSlot,
  row: EffectRowFacts<N>,
  depth: number,
): Told {
  const { status, attempt, error } = row
  const { noun: nounOf, receiver, by, begun: begunBy } = effectTexts[name]
  const noun = nounOf(row.facts)
  const wasResolved = row.resolution !== null
  switch (slot) {
    case 'requested':
      return {
        kind: 'requested',
        title: begunBy?.(row.facts) ?? `The ${noun} was requested.`,
        lane: 'record',
        by: by?.(row.facts) ?? null,
        details: {},
      }
    case 'claimed': {
      const isBack = status === 'requested' || status === 'failed'
      const earlier = attempt - 1
      const others = earlier > 0 ? ` It was attempt ${attempt}; none before it had an effect.` : ''
      return {
        kind: 'claimed',
        title: `A worker claimed the ${noun}${isBack ? ', and gave it back: nothing was sent' : ''}.${others}`,
        lane: 'worker',
        by: system,
        details: details({ earlier_attempts: earlier, error: isBack ? error : null }),
      }
    }
    case 'sent':
      return {
        kind: 'sent',
        title: `The worker recorded that it sends the ${noun} now: from here on, ${receiver} may have received it.`,
        lane: 'worker',
        by: system,
        details: details({ deadline_at: seconds(row.deadline_ms) }),
      }
    case 'deadline': {
      const { answered_ms, deadline_ms } = row
      const isOver = answered_ms === null ? status === 'unknown' || wasResolved : answered_ms > (deadline_ms ?? 0)
      return {
        kind: isOver ? 'silence' : 'deadline',
        title: isOver
          ? `No answer of ${receiver} had come by the deadline.`
          : `The deadline of the ${noun}: without an answer by then, its outcome is unknown.`,
        lane: isOver ? 'provider' : 'worker',
        by: null,
        details: { bound: true },
      }
    }
    case 'answered':
      return answeredEntry(row, receiver)
    case 'settled':
      return settledEntry(name, row, noun, receiver)
    case 'late_evidence': {
      const says = saysOf([row.late_evidence])
      const source = sourceOf(row.late_evidence) ?? `A late answer of ${receiver}`
      const isNotSent = row.late_evidence?.status === 'not_sent'
      const what = isNotSent
        ? 'The worker found that nothing had left'
        : says === null
          ? `${source} came`
          : `${source} says that it was ${says === 'done' ? '' : 'not '}carried out`
      return {
        kind: 'late_evidence',
        title: `${what}, after the outcome was recorded${row.late_ms === null ? '; when is not stored' : ''}.`,
        lane: isNotSent ? 'worker' : 'provider',
        by: isNotSent ? system : provider,
        details: details({ evidence: row.late_evidence, bound: row.late_ms === null ? true : null }),
      }
    }
    case 'resolved': {
      const resolution = resolutionAt(row.resolution, depth)
      const isLatest = depth === 0
      return {
        kind: 'resolved',
        title: `An operator recorded what was found: ${resolution?.outcome}.${isLatest ? '' : ' It was corrected later.'}`,
        lane: 'record',
        by: operator(resolution?.account_id),
        details: details({
          outcome: resolution?.outcome,
          note: resolution?.note,
          against: resolution?.against,
        }),
      }
    }
  }
}

function answeredEntry(row: EffectRowFacts, receiver: string): Told {
  const { status, error, evidence } = row
  const shown = details({ evidence, error })
  if (isSilent(row))
    return {
      kind: 'silence',
      title: `The connection to ${receiver} ended without an answer.`,
      lane: 'provider',
      by: null,
      details: shown,
    }
  const source = sourceOf(evidence)
  const answer = `${begun(receiver)} answered`
  const title =
    status === 'processing'
      ? `${begun(receiver)} accepted it; how it ends is reported later.`
      : status !== 'unknown' && source
        ? `${source} told of it.`
        : status === 'unknown' || row.resolution !== null
          ? `${answer}, and the answer does not prove how it ended.`
          : `${answer}.`
  return { kind: 'answered', title, lane: 'provider', by: provider, details: shown }
}

function settledEntry(name: EffectName, row: EffectRowFacts, noun: string, receiver: string): Told {
  const { status, error, evidence } = row
  const source = sourceOf(evidence)
  const by = source && status !== 'unknown' ? provider : system
  const shown = details({ status, error, evidence: source ? evidence : null })
  const told = (title: string): Told => ({ kind: 'settled', title, lane: 'record', by, details: shown })
  const why = error ? ` ${error.message}` : ''
  switch (status) {
    case 'succeeded':
      return told(`The ${noun} succeeded${source ? `: ${source.toLowerCase()} proves it` : ''}.`)
    case 'rejected':
      return told(
        source
          ? `The ${noun} was not carried out: ${source.toLowerCase()} proves it.${why}`
          : `${begun(receiver)} refused the ${noun}.${why}`,
      )
    case 'failed':
      return told(`The ${noun} failed: nothing was sent that had an effect.${why}`)
    case 'unknown':
      return told(
        error?.code === 'quarantined'
          ? `The ${noun} was put in quarantine: it may have been sent, and it is never sent again.`
          : `The outcome of the ${noun} cannot be proved: unknown. It is never sent again.`,
      )
    default:
      throw new Error(`A row of ${effects[name].table} that is ${status} is not settled.`)
  }
}
