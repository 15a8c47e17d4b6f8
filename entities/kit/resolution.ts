// A person records the outcome of an effect that could not be proved. Nothing is sent by that, and its workflow, which
// has failed, runs once more to conclude with what was recorded.
import type { EntityManager } from '@mikro-orm/postgresql'
import type { AttentionChoice, AttentionOutcome } from '../../rules/attention.ts'
import { sentOutcomes } from '../../rules/effects.ts'
import type { RefundOutcome } from '../../rules/payments/payments.ts'
import { processOf } from '../../rules/processes.ts'
import { conflict, invalid, notFound, type Refusal } from '../../rules/refusal.ts'
import { type Decision, type Evidence, needsAttention, type Resolution, resolved } from '../../rules/resolutions.ts'
import { column, sql } from './database/sql.ts'
import { type EffectRow, settleByProof } from './effects.ts'
import { startFound } from './outbox.ts'

/** What a person says about an item; `provider_object_id`: what they found at the provider. */
export type FoundOut = Decision<AttentionOutcome> & { provider_object_id: string | null }

export const requestNotUnknown = (status: string): Refusal =>
  conflict(
    'request_not_unknown',
    `The request is ${status}. Only one whose outcome is unknown can be resolved, and a resolution can be corrected.`,
  )

export const outcomeNotPossible = (choices: readonly string[]): Refusal =>
  invalid(
    '/outcome',
    'outcome_not_possible',
    choices.length === 0
      ? 'Nothing can be recorded about it: it ends when what is wrong is mended.'
      : `Expected ${choices.map((choice) => `\`${choice}\``).join(' or ')}.`,
  )

/**
 * The workflow of a resolved effect reads its row and completes: the run that failed before is then over in Temporal's
 * UI, too (workers/failed-runs.ts). Without a row of its process there is none to run.
 */
export const concludeAgain = (
  em: EntityManager,
  { name, table, processId }: Pick<EffectRow, 'name' | 'table' | 'processId'>,
  id: string,
): Promise<unknown> =>
  startFound(
    em,
    processOf(name),
    sql`
      select f.id, f.tenant_id
      from (select ${processId} as id, e.tenant_id from ${column(table)} e where e.id = ${id}) f
      where f.id is not null
    `,
    { signal: true },
  )

type Row = {
  status: string
  resolution: Resolution<RefundOutcome> | null
  evidence: Evidence | null
  late_evidence: Evidence | null
}

/** What an effect's row says after a person found that it was not carried out. */
export const notCarriedOut = { code: 'resolved', message: 'An operator found that the provider did not carry it out.' }

/**
 * Records the outcome of an effect that no other table is about. `choices`: what can be recorded. 404; 409
 * request_not_unknown, contradicts_evidence, resolved_otherwise, resolved_too_often; 422 outcome_not_possible. `now` in
 * Unix seconds.
 */
export async function resolveEffect(
  em: EntityManager,
  row: EffectRow,
  { tenantId, id, choices }: { tenantId: string | null; id: string; choices: readonly AttentionChoice[] },
  { provider_object_id: _, ...found }: FoundOut,
  now: number,
): Promise<void> {
  const { outcome } = found
  if (!choices.includes(outcome) || (outcome !== 'succeeded' && outcome !== 'rejected'))
    throw outcomeNotPossible(choices)
  await row.lock?.(em, id)
  // Locked as the settlement locks it: of two operators one waits, and finds what the other one recorded.
  const [before]: Row[] = await em.execute(sql`
    select status, resolution, evidence, late_evidence
    from ${column(row.table)}
    where id = ${id} and tenant_id is not distinct from ${tenantId}
    for update
  `)
  if (!before) throw notFound('item')
  const { status, resolution, evidence, late_evidence } = before
  if (resolution?.outcome === outcome && status === outcome && !needsAttention(before)) return
  if (status !== 'unknown' && !resolution) throw requestNotUnknown(status)
  const decision: Decision<RefundOutcome> = { ...found, outcome }
  const recorded = resolved(decision, [evidence, late_evidence], resolution, now)
  const settlement = {
    status: outcome,
    evidence: evidence ?? {},
    resolved: true as const,
    error: outcome === 'rejected' ? notCarriedOut : undefined,
    columns: { resolution: JSON.stringify(recorded) },
  }
  if (!(await settleByProof(em, row, id, settlement, sentOutcomes))) throw requestNotUnknown(status)
  await concludeAgain(em, row, id)
}
