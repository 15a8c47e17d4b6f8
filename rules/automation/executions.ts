// The states of an execution and of its nodes, and what starts it.
import { z } from 'zod'
import { addressProof } from '../http-verdicts.ts'
import { type Evidence, lateAnswer } from '../resolutions.ts'

export const ExecutionStatus = z.enum(['pending', 'running', 'completed', 'failed', 'cancelled'])
export type ExecutionStatus = z.infer<typeof ExecutionStatus>

export const ExecutionSource = z.enum(['webhook', 'schedule', 'event'])
export type ExecutionSource = z.infer<typeof ExecutionSource>

/** How a node run whose outcome was unknown ended, as an owner found out. */
export const RunOutcome = z.enum(['completed', 'failed'])
export type RunOutcome = z.infer<typeof RunOutcome>

/**
 * A late answer as `saysOf` reads it. Version 0.2 kept the status code alone, without the method: 301 and 302, which
 * are successes of a POST, prove nothing then.
 */
export function lateProof(late: Evidence | null | undefined): Evidence | null {
  if (typeof late?.status !== 'number') return late ?? null
  const proof = addressProof('PUT', late.status)
  return lateAnswer(proof === 'done' ? 'succeeded' : proof === 'refused' ? 'rejected' : 'unknown', late)
}

export const NodeStatus = z.enum(['pending', 'running', 'completed', 'failed', 'skipped', 'cancelled', 'unknown'])
