// An owner records how a node run ended whose outcome is unknown. Nothing is sent, and its execution, which ends
// `failed` by it, does not continue.
import { LockMode } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import { lateProof, type RunOutcome } from '../../rules/automation/executions.ts'
import { conflict } from '../../rules/refusal.ts'
import { type Decision, needsAttention, resolved } from '../../rules/resolutions.ts'
import { findRecord } from '../kit/find.ts'
import { keepReplaced } from '../kit/replaced.ts'
import { concludeAgain } from '../kit/resolution.ts'
import { NodeRun, nodeRunEffect } from './node-run.ts'

const statusOf = { completed: 'succeeded', failed: 'rejected' } as const satisfies Record<RunOutcome, string>

/** The error of a run that was recorded as completed before. */
const notCarriedOut = {
  code: 'not_carried_out',
  message: 'An owner recorded that the receiver did not carry out the request.',
}

/**
 * Returned as it is if it was resolved so already and no answer has contradicted it since; another outcome replaces the
 * first, which is kept as `before`. 404; 409 run_not_unknown, resolved_otherwise, resolved_too_often,
 * contradicts_evidence: its late answer says otherwise, and it is not forced. `now` in Unix seconds.
 */
export async function resolveRun(
  em: EntityManager,
  where: { id: string; execution_id: string },
  decision: Decision<RunOutcome>,
  now: number,
): Promise<NodeRun> {
  const run = await findRecord(em, NodeRun, where, 'node run', { lockMode: LockMode.PESSIMISTIC_WRITE })
  const { status, resolution, evidence } = run
  const late_evidence = lateProof(run.late_evidence)
  const { outcome } = decision
  if (
    resolution?.outcome === outcome &&
    status === statusOf[outcome] &&
    !needsAttention({ status, resolution, evidence, late_evidence })
  )
    return run
  if (status !== 'unknown' && !resolution)
    throw conflict('run_not_unknown', `The outcome of the run is known: it is ${status}.`)
  const error = outcome === 'completed' ? null : (run.error ?? notCarriedOut)
  await keepReplaced(em, nodeRunEffect.table, run.id)
  em.assign(run, {
    ...{ status: statusOf[outcome], error, settled_at: new Date(now * 1000), updated_at: now },
    resolution: resolved(decision, [evidence, late_evidence], resolution, now),
  })
  await em.flush()
  await concludeAgain(em, nodeRunEffect, run.id)
  return run
}
