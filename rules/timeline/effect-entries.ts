// The entries of an effect, from its row. Nothing is said that the row does not prove: of attempts before the last one
// it holds their number alone.
import { type EffectName, type EffectStatus, effects } from '../effects.ts'
import { spoken } from '../error-words.ts'
import { isolated } from '../isolated.ts'
import { type Evidence, foundText, observations, type Resolution, saysOf } from '../resolutions.ts'
import { type EffectFacts, effectTexts } from './effects.ts'
import { type EntryText, operator, provider, system } from './entries.ts'
import type { Replaced, ReplacedOutcome } from './replaced.ts'

/**
 * The moments that are columns of the row, and the resolutions in it. The order is that of what happens in one
 * millisecond.
 */
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
  settled_ms: number | null
  late_ms: number | null
  replaced: readonly Replaced[]
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
const sourceOf = (evidence: Evidence | null, receiver: string): string | null => {
  if (evidence?.proof === 'late_answer') return `A late answer of ${receiver}`
  const found = observations.find((name) => evidence !== null && name in evidence)
  return found ? sources[found] : null
}

/** Members of evidence that no answer gave: the command that was sent, and what an operator recorded about a post. */
const ofNoAnswer: ReadonlySet<string> = new Set(['command', 'resolved_by', 'note', 'resolved_at'])

/** It ended without an answer: the connection broke, or the time was over. */
const isSilent = ({ status, resolution, evidence, error }: EffectRowFacts): boolean =>
  (status === 'unknown' || resolution !== null) &&
  Object.keys(evidence ?? {}).every((name) => ofNoAnswer.has(name)) &&
  error?.provider_status === undefined

/** A provider's object that existed was used, and nothing was sent. */
const isAdopted = ({ evidence }: EffectRowFacts): boolean => evidence?.adopted === true

/** What is said of the attempts before the last one; empty if there was none. */
function earlierAttempts({ attempt, late_evidence }: EffectRowFacts, isRead: boolean): string {
  if (attempt < 2) return ''
  const said =
    late_evidence?.unknown !== undefined
      ? 'the outcome of an earlier one is unknown'
      : isRead
        ? 'those before it only read'
        : 'none before it had an effect'
  return ` It was attempt ${attempt}; ${said}.`
}

/** The resolution that this many later ones replaced. */
const resolutionAt = (newest: Resolution | null, depth: number): Resolution | null =>
  depth === 0 || !newest ? newest : resolutionAt(newest.before ?? null, depth - 1)

const seconds = (ms: number | null): number | null => (ms === null ? null : ms / 1000)

type Subject = {
  name: EffectName
  row: EffectRowFacts
  /** How many resolutions replaced the one that an entry is about. */
  depth: number
  noun: string
  receiver: string
  /** It only reads. */
  isRead: boolean
  /** The sentence of its request, and who requested it. */
  requested: string
  by: EntryText['by']
}

function requestedEntry({ requested, by }: Subject): EntryText {
  return { kind: 'requested', title: requested, lane: 'record', by, details: {} }
}

function claimedEntry({ row, noun, isRead }: Subject): EntryText {
  const { status, attempt, error, sent_ms } = row
  const isBack = sent_ms === null && (status === 'requested' || status === 'failed')
  const earlier = Math.max(0, attempt - 1)
  const back = isBack ? ', and gave it back: it was not carried out' : ''
  return {
    kind: 'claimed',
    title: `A worker picked up the ${noun}${back}.${earlierAttempts(row, isRead)}`,
    lane: 'worker',
    by: system,
    details: details({ earlier_attempts: earlier || null, error: isBack ? error : null }),
  }
}

function sentEntry({ row, noun, receiver }: Subject): EntryText {
  return {
    kind: 'sent',
    title: isAdopted(row)
      ? `The worker recorded that it begins the ${noun}. Nothing was sent, as it exists there.`
      : `The worker recorded that it sends the ${noun} now: from here on, ${receiver} may have received it.`,
    lane: 'worker',
    by: system,
    details: details({ deadline_at: seconds(row.deadline_ms) }),
  }
}

function deadlineEntry({ row, noun, receiver }: Subject): EntryText {
  const { status, resolution, answered_ms, deadline_ms } = row
  const isOver = answered_ms === null ? status === 'unknown' || resolution !== null : answered_ms > (deadline_ms ?? 0)
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

function answeredEntry({ row, receiver }: Subject): EntryText {
  const { status, error, evidence, answered_ms, settled_ms } = row
  const entry = (more: Partial<EntryText> & Pick<EntryText, 'title'>): EntryText => ({
    ...{ kind: 'answered', lane: 'provider', by: provider, details: details({ evidence, error }) },
    ...more,
  })
  if (isSilent(row))
    return entry({ kind: 'silence', title: `The connection to ${receiver} ended without an answer.`, by: null })
  if (isAdopted(row))
    return entry({ title: 'The worker found what exists there, and uses it.', lane: 'worker', by: system })
  if (status === 'processing') return entry({ title: `${begun(receiver)} accepted it; how it ends is reported later.` })
  const source = sourceOf(evidence, receiver)
  // A proof takes the place of the answer, whose time stays.
  if (source && status !== 'unknown')
    return answered_ms === settled_ms
      ? entry({ title: `${source} reported it.` })
      : entry({
          title: `The attempt ended. What ${receiver} answered by then, if it did, is not stored any more.`,
          by: null,
          details: {},
        })
  const answer = `${begun(receiver)} answered`
  const isUnproved = status === 'unknown' || row.resolution !== null
  return entry({ title: isUnproved ? `${answer}, and the answer does not prove how it ended.` : `${answer}.` })
}

function settledEntry({ name, row, noun, receiver, isRead }: Subject): EntryText {
  const { status, error, evidence, sent_ms } = row
  const source = sourceOf(evidence, receiver)
  const by = source && status !== 'unknown' ? provider : system
  const shown = details({ status, error, evidence: source ? evidence : null })
  const entry = (title: string): EntryText => ({ kind: 'settled', title, lane: 'record', by, details: shown })
  const why = error ? ` ${isolated(error.message)}` : ''
  const proof = source ? `: ${source.slice(0, 1).toLowerCase()}${source.slice(1)} proves it` : ''
  switch (status) {
    case 'succeeded':
      return entry(
        isAdopted(row) ? `The ${noun} was not needed: what exists there is used.` : `The ${noun} succeeded${proof}.`,
      )
    case 'rejected':
      return entry(
        source ? `The ${noun} was not carried out${proof}.${why}` : `${begun(receiver)} refused the ${noun}.${why}`,
      )
    case 'failed':
      return entry(
        isRead && sent_ms !== null
          ? `The ${noun} failed: no attempt to read got a usable answer.${why}`
          : `The ${noun} failed: nothing was sent that had an effect.${why}`,
      )
    case 'unknown':
      return entry(
        error?.code === 'quarantined'
          ? `The ${noun} was put in quarantine: it may have been sent, and it is never sent again.`
          : `The outcome of the ${noun} cannot be proved: unknown. It is never sent again.`,
      )
    default:
      throw new Error(`A row of ${effects[name].table} that is ${status} is not settled.`)
  }
}

function lateEntry({ row, receiver }: Subject): EntryText {
  const says = saysOf([row.late_evidence])
  const source = sourceOf(row.late_evidence, receiver) ?? `A late answer of ${receiver}`
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

function resolvedEntry({ row, depth }: Subject): EntryText {
  const { outcome, account_id, note, against } = resolutionAt(row.resolution, depth) ?? {}
  return {
    kind: 'resolved',
    title: `An operator recorded that ${foundText(outcome ?? '')}.${depth === 0 ? '' : ' It was corrected later.'}`,
    lane: 'record',
    by: operator(account_id),
    details: details({ outcome, note, against }),
  }
}

const entries: Readonly<Record<EffectSlot, (subject: Subject) => EntryText>> = {
  requested: requestedEntry,
  claimed: claimedEntry,
  sent: sentEntry,
  deadline: deadlineEntry,
  answered: answeredEntry,
  settled: settledEntry,
  late_evidence: lateEntry,
  resolved: resolvedEntry,
}

/** The slots of an attempt, which later outcomes do not change. */
const ofAttempt: ReadonlySet<EffectSlot> = new Set(['claimed', 'sent', 'deadline', 'answered'])

/** What the row said when the entry of a slot was stored. `nth`: of what was replaced. */
function saidAt(row: EffectRowFacts, slot: EffectSlot, nth: number | null): Partial<Omit<EffectRowFacts, 'facts'>> {
  const piece = nth === null ? firstOf(row, slot) : row.replaced[nth]
  if (!piece) return {}
  if (piece.slot === 'late_evidence') return { late_evidence: piece.evidence, late_ms: piece.late_ms }
  const { status, error, evidence, answered_ms } = piece
  const settled_ms = piece.slot === 'settled' ? piece.at : null
  return { status, error, evidence, answered_ms, settled_ms, resolution: null }
}

/** What the last attempt brought first; undefined: the row still says it. */
const firstOf = ({ replaced, attempt }: EffectRowFacts, slot: EffectSlot): ReplacedOutcome | undefined =>
  ofAttempt.has(slot)
    ? replaced.find(
        (one): one is ReplacedOutcome =>
          (one.slot === 'settled' || (one.slot === 'answered' && one.status === 'processing')) &&
          one.attempt === attempt &&
          (slot !== 'answered' || one.answered_ms !== null),
      )
    : undefined

/**
 * The entry of a slot of the effect `name`. `depth`: how many resolutions replaced this one. `replaced`: which of the
 * pieces that were replaced it is.
 */
export function effectEntry<N extends EffectName>(
  name: N,
  slot: EffectSlot,
  facts: EffectRowFacts<N>,
  { depth = 0, replaced = null }: { depth?: number; replaced?: number | null } = {},
): EntryText {
  const texts = effectTexts[name]
  const then = { ...facts, ...saidAt(facts, slot, replaced) }
  const shown = { ...then, ...texts.redact?.(then) }
  const row = { ...shown, error: spoken(shown.error) }
  const noun = texts.noun(row.facts)
  return entries[slot]({
    ...{ name, row, depth, noun, receiver: texts.receiver },
    isRead: texts.isRead?.(row.facts) ?? false,
    requested: texts.begun?.(row.facts) ?? `The ${noun} was requested.`,
    by: texts.by?.(row.facts) ?? null,
  })
}
