// Runs of lead research: their states and limits. A run researches its members one after the other, then answers
// messages one by one.
import { z } from 'zod'
import { MessageRole, MessageStatus } from '../agents/chats.ts'
import type { AudienceStatus, EnrollmentType } from '../audiences/audiences.ts'

/**
 * The status of a run, and of each of its members. `awaiting_input`: a question waits for an answer. `unknown`: it
 * cannot be proved whether the model answered.
 */
export const ResearchStatus = z.enum([
  'queued',
  'running',
  'awaiting_input',
  'completed',
  'failed',
  'cancelled',
  'unknown',
])
export type ResearchStatus = z.infer<typeof ResearchStatus>
export const ResearchRole = MessageRole.exclude(['operator'])
export type ResearchRole = z.infer<typeof ResearchRole>
/** The status of an operator's message. */
export const ResearchMessageStatus = z.enum([...MessageStatus.exclude(['held']).options, 'cancelled'])
export type ResearchMessageStatus = z.infer<typeof ResearchMessageStatus>
export const SourceStatus = z.enum(['requested', 'read', 'failed'])
export type SourceStatus = z.infer<typeof SourceStatus>

/** Why a page was not read. */
export const SourceError = z.enum([
  'address_refused',
  'name_unresolved',
  'not_reached',
  'no_answer',
  'page_too_large',
  'too_many_redirects',
  'http_status',
  'unsupported_type',
  'unreadable',
  'run_cancelled',
])
export type SourceError = z.infer<typeof SourceError>

export const MEMBERS_MAX = 50
export const GOAL_MAX = 4_000
export const RESEARCH_STEPS_MAX = 12
/** Pages of one turn. */
export const PAGES_MAX = 10
export const RESEARCH_OUTPUT_TOKENS = 2_048
/** Runs of a store that have begun and not ended; others are queued. */
export const RUNS_AT_ONCE = 8
/** Those in which messages are answered as well: more wait for one of them. */
export const ANSWERS_AT_ONCE = 16
/**
 * How long a queued run waits for one of them to end, in milliseconds. `ahead`: runs that wait and were made before it.
 * The later its turn, the less often it looks.
 */
export const queuedMs = (ahead: number): number => Math.min(10_000, 1_000 * (1 + ahead / 4))
/** Runs of a store that have not ended. */
export const OPEN_RUNS_MAX = 100
/** Reads of one page that a worker began and did not end. */
export const PAGE_TRIES_MAX = 3

/** Operators research members of active private and open audiences only. */
export const isResearchable = ({ status, type }: { status: AudienceStatus; type: EnrollmentType }): boolean =>
  status === 'active' && (type === 'private' || type === 'open')

export type RunFacts = {
  members: readonly ResearchStatus[]
  /** Messages that wait for their turn. */
  waiting: number
  /** The last answer to a message is a question. */
  asks: boolean
  /** Code of why the run stopped before its end. */
  error: string | null
}

/** The status of a run between two turns. */
export function runStatus({ members, waiting, asks, error }: RunFacts): ResearchStatus {
  const has = (status: ResearchStatus) => members.includes(status)
  if (waiting > 0 || has('queued') || has('running')) return 'running'
  if (error !== null) return 'failed'
  if (asks || has('awaiting_input')) return 'awaiting_input'
  if (has('unknown')) return 'unknown'
  return has('failed') && !has('completed') ? 'failed' : 'completed'
}
