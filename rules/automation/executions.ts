// The states of an execution and of its nodes, and what starts it.
import { z } from 'zod'
import { addressProof } from '../http-verdicts.ts'

export const ExecutionStatus = z.enum(['pending', 'running', 'completed', 'failed', 'cancelled'])
export type ExecutionStatus = z.infer<typeof ExecutionStatus>

export const ExecutionSource = z.enum(['webhook', 'schedule', 'event'])
export type ExecutionSource = z.infer<typeof ExecutionSource>

/** How a node run whose outcome was unknown ended, as an owner found out. */
export const RunOutcome = z.enum(['completed', 'failed'])
export type RunOutcome = z.infer<typeof RunOutcome>

/** `against`: the answer that the owner knew and overrode. `before`: the resolution that this one replaced. `at` in Unix seconds. */
export type RunResolution = { outcome: RunOutcome; note: string; account_id: string; at: number; against?: Record<string, unknown>; before?: RunResolution }

/** Corrections that a run keeps. */
export const CORRECTIONS_MAX = 100

/** What an answer says that came after the outcome was recorded as unknown; null: neither. */
export function answerSays(late: Record<string, unknown> | null | undefined): RunOutcome | null {
  const { status } = late ?? {}
  const proof = typeof status === 'number' ? addressProof('POST', status) : null
  if (proof === 'done' || status === 'succeeded') return 'completed'
  return proof === 'refused' || status === 'rejected' || status === 'not_sent' ? 'failed' : null
}

export const NodeStatus = z.enum(['pending', 'running', 'completed', 'failed', 'skipped', 'cancelled', 'unknown'])
