// The next step of a publication, by its rows alone: parts are made ahead, the reveal is called once, and reads prove
// what an answer does not.
import type { EffectStatus } from '../effects.ts'
import type { RevealAgain } from '../social/networks/publisher.ts'
import type { PublicationError } from '../social/publication-errors.ts'
import type { SocialConnectionStatus, SocialPublicationStatus } from '../social/resources.ts'
import { type PartState, partSpareS } from './parts.ts'

/** All times in milliseconds from now, by the clock of the database; negative: ago. */
export type PartFacts = {
  id: string
  state: PartState
  /** Until another call: a pause, or the lease of a worker. */
  wait_ms: number
  /** Until the network forgets it; null: never. */
  left_ms: number | null
  /** It may be shown although the network still processes it. */
  usable: boolean
  error: PublicationError | null
}

export type RevealFacts = {
  id: string
  n: number
  status: EffectStatus
  /** An answer came that does not decide: reads do. */
  answered: boolean
  code: string | null
  token_version: number | null
  /** How often it was tried, and how long ago. */
  attempt: number
  claimed_ms: number
  /** Since the answer, or since it was settled. */
  since_ms: number
  proofs: number
  hidden: number
  links: number
  /** An operator asked for a read. */
  check: boolean
  has_post: boolean
}

export type PublicationFacts = {
  status: SocialPublicationStatus
  due_ms: number
  /** Until it is too late to show it. */
  late_ms: number
  has_link: boolean
  is_archived: boolean
  connection: { id: string; status: SocialConnectionStatus; token_version: number; paused_ms: number }
  /** Whether the content of this run was checked, and its parts were written. */
  planned: boolean
  /** The parts of this run, in their order: the last one needs the others. */
  parts: readonly PartFacts[]
  /** Parts of ended runs that are to be deleted at the network. */
  leftovers: readonly { id: string; wait_ms: number }[]
  /** The newest one. */
  reveal: RevealFacts | null
}

/**
 * Milliseconds: how long before its time the parts are made, and after a reveal without proof the pauses until each
 * read.
 */
export type PublicationSettings = { ahead_ms: number; proof_ms: readonly number[] }

/** Steps on our own rows: the same transaction takes them, and looks again. */
export type OwnStep =
  | { do: 'plan' }
  /** Parts that the network forgets too early are made again. */
  | { do: 'renew'; ids: string[] }
  /** The reveal is written. */
  | { do: 'begin' }
  /** The reveal was not sent, and is not sent any more. */
  | { do: 'withdraw'; id: string }
  | { do: 'fail'; error: PublicationError }
  /** Every read found it hidden. */
  | { do: 'refuse'; id: string }
  /** No read proved it. */
  | { do: 'doubt'; id: string }
export type PublicationStep =
  | { do: 'wait'; wait_ms: number; for: 'parts' | 'time' | 'connection' | 'network' | 'proof' }
  | { do: 'part'; ids: string[] }
  | { do: 'drop'; ids: string[] }
  | { do: 'refresh'; id: string; token_version: number }
  | { do: 'reveal'; id: string }
  /** `proofs`, `links`: the reads so far; a repetition of one that was counted is no other read. */
  | { do: 'find'; id: string; proofs: number }
  | { do: 'link'; id: string; links: number }
  | { do: 'done'; outcome: EffectStatus }

type Step = OwnStep | PublicationStep

/** After so many refused calls the last refusal is final. */
const revealsMax = 10
/** Deleting what was made does not delay a publication that is due so soon. */
const dropAheadMs = 30_000
const linkReads = 5

/** Pause after so many attempts that sent nothing. */
const retryMs = (attempts: number): number => (attempts === 0 ? 0 : Math.min(30_000, 500 * 2 ** Math.min(attempts, 10)))

const isOpen = ({ status }: RevealFacts): boolean => status !== 'rejected' && status !== 'failed'
const wait = (wait_ms: number, purpose: Extract<PublicationStep, { do: 'wait' }>['for']): PublicationStep => ({
  do: 'wait',
  wait_ms: Math.max(1, Math.ceil(wait_ms)),
  for: purpose,
})

export const tooLate = (why: string): PublicationError => ({
  code: 'too_late',
  message: `It could not be published in time: ${why}.`,
})
const tooLateFor = ({ message, pointer, media_id }: PublicationError): PublicationError => ({
  ...tooLate(`its files were not ready; ${message.replace(/\.$/, '')}`),
  ...(pointer && media_id ? { pointer, media_id } : {}),
})
const connectionGone = 'the connection was not active'
const archived: PublicationError = {
  code: 'store_archived',
  message: 'The tenant was archived when the publication was due.',
}

/** Why it was not shown in time, of what is known. */
function lateness({ connection, parts, reveal }: PublicationFacts): PublicationError {
  if (connection.status !== 'active') return tooLate(connectionGone)
  if (connection.paused_ms > 0) return tooLate('the network accepted no more calls')
  const stuck = parts.find(({ state }) => state !== 'ready')
  if (stuck) return stuck.error ? tooLateFor(stuck.error) : tooLate('its files were not ready')
  return tooLate(
    reveal?.code === 'token_refused'
      ? 'the network refused the access token'
      : 'the network could not be reached, or no worker was running',
  )
}

/** What has to be done before the reveal; undefined: everything is ready, and it is time. */
function preparing(facts: PublicationFacts, settings: PublicationSettings): Step | undefined {
  const { due_ms, late_ms, connection, parts, planned, leftovers } = facts
  if (late_ms <= 0) return { do: 'fail', error: lateness(facts) }
  if (due_ms <= 0 && facts.is_archived) return { do: 'fail', error: archived }
  const drop = leftovers.filter(({ wait_ms }) => wait_ms <= 0).map(({ id }) => id)
  if (drop.length > 0 && due_ms > dropAheadMs && connection.status === 'active') return { do: 'drop', ids: drop }
  if (due_ms > settings.ahead_ms) return wait(due_ms - settings.ahead_ms, 'time')
  const failed = parts.find(({ state }) => state === 'failed')
  if (failed)
    return {
      do: 'fail',
      error: failed.error ?? { code: 'media_refused', message: 'The network cannot process a file.' },
    }
  if (connection.status !== 'active') return wait(late_ms, 'connection')
  if (connection.paused_ms > 0) return wait(Math.min(connection.paused_ms, late_ms), 'network')
  if (!planned) return { do: 'plan' }
  const old = parts.filter(
    ({ state, left_ms }) => state !== 'new' && left_ms !== null && left_ms < Math.max(0, due_ms) + partSpareS * 1000,
  )
  if (old.length > 0) return { do: 'renew', ids: old.map(({ id }) => id) }
  const open = parts.filter(({ state }) => state !== 'ready')
  const doable = open.filter((part) => part !== parts.at(-1) || open.length === 1)
  const isTime = due_ms <= 0
  if (isTime && open.every(({ usable }) => usable)) return undefined
  const next = doable.filter(({ wait_ms }) => wait_ms <= 0).map(({ id }) => id)
  if (next.length > 0) return { do: 'part', ids: next }
  const soonest = Math.min(...doable.map(({ wait_ms }) => wait_ms))
  if (open.length > 0) return wait(Math.min(soonest, late_ms, isTime ? soonest : Math.max(due_ms, 1)), 'parts')
  return isTime ? undefined : wait(due_ms, 'time')
}

/** Another reveal, after one that showed nothing. */
function revealing(facts: PublicationFacts, settings: PublicationSettings): Step {
  const { reveal, connection, late_ms } = facts
  const prepared = preparing(facts, settings)
  if (prepared) return prepared
  if (!reveal || isOpen(reveal)) return { do: 'begin' }
  if (reveal.n >= revealsMax)
    return {
      do: 'fail',
      error: { code: 'network_refused', message: 'The network refused every attempt to publish it.' },
    }
  const isRefused = reveal.code === ('token_refused' satisfies RevealAgain)
  if (isRefused && reveal.token_version === connection.token_version)
    return { do: 'refresh', id: connection.id, token_version: connection.token_version }
  // Nothing was sent, or nothing was shown: a pause, so that a network that refuses at once is not asked at once.
  const pauseMs = Math.min(60_000, 500 * 2 ** reveal.n) - reveal.since_ms
  return pauseMs > 0 && !isRefused ? wait(Math.min(pauseMs, late_ms), 'network') : { do: 'begin' }
}

/** Reads decide: the network's answer was lost, or does not say what happened. */
function proving(
  { id, proofs, hidden, since_ms, check, status }: RevealFacts,
  { proof_ms }: PublicationSettings,
): Step {
  if (check) return { do: 'find', id, proofs }
  const at = proof_ms[proofs]
  if (at !== undefined) return at > since_ms ? wait(at - since_ms, 'proof') : { do: 'find', id, proofs }
  return status === 'processing' && hidden === proofs ? { do: 'refuse', id } : { do: 'doubt', id }
}

function publishing(facts: PublicationFacts, settings: PublicationSettings): Step {
  const { reveal, late_ms } = facts
  if (!reveal || !isOpen(reveal)) return revealing(facts, settings)
  if (reveal.status === 'unknown' || (reveal.status === 'processing' && reveal.answered))
    return proving(reveal, settings)
  if (reveal.status === 'requested') {
    if (late_ms <= 0) return { do: 'withdraw', id: reveal.id }
    const pauseMs = retryMs(reveal.attempt) - reveal.claimed_ms
    if (pauseMs > 0) return wait(Math.min(pauseMs, late_ms), 'network')
  }
  return { do: 'reveal', id: reveal.id }
}

/** After the end: what was made and not shown is deleted, and the permalink is read. Neither changes the status. */
function ended(facts: PublicationFacts, settings: PublicationSettings, outcome: EffectStatus): Step {
  const { reveal, connection, leftovers, has_link, status } = facts
  // Its attempt ended without a result after the publication was cancelled, removed from its time, or had failed: the
  // stamp refuses it, and it is settled.
  if (outcome === 'failed' && reveal?.status === 'requested') return { do: 'withdraw', id: reveal.id }
  if (outcome === 'failed' && reveal?.status === 'processing' && !reveal.answered)
    return { do: 'reveal', id: reveal.id }
  if (connection.status === 'active') {
    const drop = leftovers.filter(({ wait_ms }) => wait_ms <= 0).map(({ id }) => id)
    if (drop.length > 0) return { do: 'drop', ids: drop }
    if (leftovers.length > 0) return wait(Math.min(...leftovers.map(({ wait_ms }) => wait_ms)), 'network')
    if (status === 'published' && reveal && !has_link && reveal.links < linkReads) {
      const at = settings.proof_ms[Math.min(reveal.links, settings.proof_ms.length - 1)] ?? 0
      return at > reveal.since_ms
        ? wait(at - reveal.since_ms, 'proof')
        : { do: 'link', id: reveal.id, links: reveal.links }
    }
  }
  return { do: 'done', outcome }
}

/** The workflow calls this again after every step. */
export function nextPublicationStep(facts: PublicationFacts, settings: PublicationSettings): Step {
  switch (facts.status) {
    case 'scheduled': {
      const prepared = preparing(facts, settings)
      if (prepared) return prepared
      // One that was withdrawn ends first.
      return facts.reveal && isOpen(facts.reveal) ? { do: 'reveal', id: facts.reveal.id } : { do: 'begin' }
    }
    case 'publishing':
      return publishing(facts, settings)
    case 'published':
      return ended(facts, settings, 'succeeded')
    case 'unknown':
      return facts.reveal?.check
        ? { do: 'find', id: facts.reveal.id, proofs: facts.reveal.proofs }
        : { do: 'done', outcome: 'unknown' }
    case 'draft':
    case 'cancelled':
    case 'failed':
      return ended(facts, settings, 'failed')
  }
}
