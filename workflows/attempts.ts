// The attempts of one effect: each sends at most once, what was not sent is tried again, what cannot be proved ends unknown.

import { defineSearchAttributeKey } from '@temporalio/common'
import {
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  patched,
  proxyActivities,
  sleep,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow'
import type * as activities from '../activities/index.ts'
import type { EffectStatus } from '../rules/shapes.ts'
import { steps } from './steps.ts'

/** Regular activities, one attempt: a local one would run again when a workflow task is lost. */
export const sending = proxyActivities<typeof activities>({ startToCloseTimeout: '45s', heartbeatTimeout: '10s', retry: { maximumAttempts: 1 } })

const statusKey = defineSearchAttributeKey('EffectStatus', 'KEYWORD')
const tries = 5

type Table = Parameters<typeof activities.settleEffect>[0]

/** Milliseconds between two attempts: 1 s, doubling, at most an hour. */
const pauseMs = (n: number): number => Math.min(3_600_000, 1_000 * 2 ** (n - 1))

/**
 * Runs until the effect is at its end, or the provider has it and a signed event will say more (`processing`). `requested`: it is tried for as long as
 * it takes, and the history has grown so long that a new run should go on. Where the provider asked for another attempt minutes later, `wait` waits for
 * it here; `leave` returns `requested`, and the caller's row says when it is due.
 */
export const attempts = (
  table: Table,
  id: string,
  send: (id: string, token: string) => Promise<EffectStatus>,
  deferred: 'wait' | 'leave' = 'wait',
): Promise<EffectStatus> =>
  CancellationScope.nonCancellable(async () => {
    let status: EffectStatus | null = 'requested'
    for (let n = 0; status === 'requested'; n++) {
      if (n > 0) await sleep(pauseMs(n), { summary: `until attempt ${n + 1}: nothing was sent by the last one` })
      const token = `${workflowInfo().runId}/${workflowInfo().historyLength}/${n}`
      let hopeless = false
      try {
        status = await send(id, token)
      } catch (error) {
        const cause = error instanceof ActivityFailure && error.cause instanceof ApplicationFailure ? error.cause : null
        if (cause?.type === 'NoSuchRow') throw cause
        let sealed = cause?.type === 'Answered' ? (cause.details?.[0] as string) : null
        for (;;) {
          const seen = await steps.settleEffect(table, id, token, sealed)
          status = seen.status
          sealed = null
          if (seen.waitMs === 0) break
          await sleep(seen.waitMs, { summary: 'until the time is over in which another attempt may answer' })
        }
        if (cause?.type === 'Deferred' && status === 'requested') {
          // A worker of before waited here.
          if (deferred === 'leave' && patched('put_off')) return status
          await sleep(cause.details?.[0] as number, { summary: 'until the provider wants to be asked again: nothing was sent by the last attempt' })
          // An attempt that the provider put off is not one of those that failed.
          n = -1
          continue
        }
        hopeless = cause?.type === 'Hopeless'
      }
      if (status !== 'requested' || (n + 1 < tries && !hopeless)) continue
      status = await steps.giveUpEffect(table, id, hopeless)
      if (status === 'requested' && workflowInfo().continueAsNewSuggested) return status
    }
    return status ?? 'failed'
  })

/** An unknown outcome fails the workflow: Temporal's Failed filter is the operators' worklist. `due`: money that must go back has not. */
export function conclude(status: EffectStatus, due = false): EffectStatus {
  upsertSearchAttributes([{ key: statusKey, value: status }])
  if (due) throw ApplicationFailure.nonRetryable('The order is cancelled, and its payment has not been refunded. A person has to refund the rest.', 'RefundDue')
  if (status === 'unknown')
    throw ApplicationFailure.nonRetryable('It may or may not have happened; nothing is sent again. A person has to look.', 'OutcomeUnknown')
  return status
}
