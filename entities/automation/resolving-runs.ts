// An owner records how a node run ended whose outcome is unknown. Nothing is sent, and its execution, which ends `failed` by it, does not go on.
import { LockMode } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import { answerSays, CORRECTIONS_MAX, type RunOutcome, type RunResolution } from '../../rules/automation/executions.ts'
import { conflict } from '../../rules/refusal.ts'
import { findRecord } from '../kit/find.ts'
import { NodeRun } from './node-run.ts'

export type RunDecision = { outcome: RunOutcome; note: string; account_id: string; force: boolean }

const statusOf = { completed: 'succeeded', failed: 'rejected' } as const satisfies Record<RunOutcome, string>

/** Of a run that was recorded as completed before. */
const notCarriedOut = { code: 'not_carried_out', message: 'An owner recorded that the receiver did not carry out the request.' }
const depthOf = (resolution: RunResolution | null | undefined): number => (resolution ? 1 + depthOf(resolution.before) : 0)

/**
 * Returned as it is if it was resolved so already; another outcome replaces the first, which is kept as `before`. 404; 409 run_not_unknown, resolved_too_often,
 * contradicts_evidence: its late answer says otherwise, and it is not forced. `now` in Unix seconds.
 */
export async function resolveRun(
  em: EntityManager,
  where: { id: string; execution_id: string },
  { force, ...decision }: RunDecision,
  now: number,
): Promise<NodeRun> {
  const run = await findRecord(em, NodeRun, where, 'node run', { lockMode: LockMode.PESSIMISTIC_WRITE })
  const { resolution: before, late_evidence: evidence } = run
  if (before?.outcome === decision.outcome) return run
  if (run.status !== 'unknown' && !before) throw conflict('run_not_unknown', `The outcome of the run is known: it is ${run.status}.`)
  const says = answerSays(evidence)
  const isAgainst = says !== null && says !== decision.outcome
  if (isAgainst && !force)
    throw conflict('contradicts_evidence', 'What the receiver answered says otherwise. Send `force: true` to record the outcome all the same.', {
      members: { evidence },
    })
  if (depthOf(before) >= CORRECTIONS_MAX) throw conflict('resolved_too_often', `A resolution is corrected ${CORRECTIONS_MAX} times at most.`)
  const resolution = { ...decision, at: now, ...(isAgainst && evidence ? { against: evidence } : {}), ...(before ? { before } : {}) }
  const error = decision.outcome === 'completed' ? null : (run.error ?? notCarriedOut)
  em.assign(run, { status: statusOf[decision.outcome], error, resolution, settled_at: new Date(now * 1000), updated_at: now })
  await em.flush()
  return run
}
