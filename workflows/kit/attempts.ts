// The attempts of one effect: each sends at most once; an attempt that was not sent is retried, and an outcome that
// cannot be proved ends as unknown.
import { defineSearchAttributeKey } from '@temporalio/common'
import {
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  isCancellation,
  proxyActivities,
  sleep,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow'
import type * as activities from '../../activities/index.ts'
import type { EffectName, EffectStatus } from '../../rules/effects.ts'
import { type Changes, newChanges } from './changes.ts'
import { steps } from './steps.ts'

/**
 * A regular activity, as it is needed only after a failed attempt: retries during an outage write no history. It
 * retries often, so that a verdict that the failure carries is recorded before the reconciler settles the row without
 * it.
 */
const { settleEffect } = proxyActivities<typeof activities>({
  startToCloseTimeout: '10s',
  retry: { initialInterval: '200ms', backoffCoefficient: 2, maximumInterval: '2s' },
})
/** Regular activities with one attempt: a local one would run again when a workflow task is lost. */
const { sendEffect } = proxyActivities<typeof activities>({
  startToCloseTimeout: '45s',
  heartbeatTimeout: '10s',
  retry: { maximumAttempts: 1 },
})

const statusKey = defineSearchAttributeKey('EffectStatus', 'KEYWORD')
const tries = 5

/** Milliseconds between two attempts: 1 s, doubling, at most an hour. */
const pauseMs = (n: number): number => Math.min(3_600_000, 1_000 * 2 ** (n - 1))

type Options = {
  /** The row's own send limit, where it has one. */
  limitMs?: number
  /** What the UI shows beside the activity. */
  summary?: string
  /**
   * Where the provider asked for another attempt minutes later, or a slot has to be waited for, `wait` waits for it
   * here; `leave` returns `requested`, and the row says when it is due.
   */
  deferred?: 'wait' | 'leave'
  /**
   * One attempt alone: where nothing was sent, the row stays `requested`, and the process decides when to try again.
   */
  single?: true
  /** Those that the process listens to: after one, what a deferred attempt waits for may be there. */
  changes?: Changes
}

/**
 * Runs until the effect is settled, or the provider accepted it and a signed event will settle it (`processing`).
 * `requested`: it is retried without limit, and the history is so long that the caller should continue as new; or the
 * attempt was single.
 */
export const attempts = (
  name: EffectName,
  id: string,
  { limitMs, summary = name, deferred = 'wait', single, changes = newChanges() }: Options = {},
): Promise<EffectStatus> =>
  CancellationScope.nonCancellable(async () => {
    const send = (token: string): Promise<EffectStatus> =>
      limitMs === undefined
        ? sendEffect.executeWithOptions({ summary }, [name, id, token])
        : sendEffect.executeWithOptions({ summary, startToCloseTimeout: limitMs + 30_000 }, [name, id, token, limitMs])
    let status: EffectStatus | null = 'requested'
    for (let n = 0; status === 'requested'; n++) {
      if (n > 0) await sleep(pauseMs(n), { summary: `until attempt ${n + 1}: nothing was sent by the last one` })
      const token = `${workflowInfo().runId}/${workflowInfo().historyLength}/${n}`
      let hopeless = false
      changes.clear()
      try {
        status = await send(token)
      } catch (error) {
        const cause = error instanceof ActivityFailure && error.cause instanceof ApplicationFailure ? error.cause : null
        if (cause?.type === 'NoSuchRow') throw cause
        let sealed = cause?.type === 'Answered' ? (cause.details?.[0] as string) : null
        for (;;) {
          const seen = await settleEffect(name, id, token, sealed)
          status = seen.status
          sealed = null
          if (seen.waitMs === 0) break
          await sleep(seen.waitMs, { summary: 'until the deadline of an attempt that may still be answered' })
        }
        if (cause?.type === 'Deferred' && status === 'requested') {
          if (deferred === 'leave' || workflowInfo().continueAsNewSuggested) return status
          const summary =
            'until the time that the provider asked for, or a slot of the store: nothing was sent by the last attempt'
          await changes.wait(cause.details?.[0] as number, summary)
          // A deferred attempt is not counted as failed.
          n = -1
          continue
        }
        hopeless = cause?.type === 'Hopeless'
      }
      if (single && status === 'requested' && !hopeless) return status
      if (status !== 'requested' || (n + 1 < tries && !hopeless)) continue
      status = await steps.giveUpEffect(name, id, hopeless)
      if (status === 'requested' && workflowInfo().continueAsNewSuggested) return status
    }
    return status ?? 'failed'
  })

/** Whether a read of the provider was made: its attempts are bounded. */
export async function made(read: Promise<unknown>): Promise<boolean> {
  try {
    await read
    return true
  } catch (error) {
    if (!(error instanceof ActivityFailure) || isCancellation(error)) throw error
    return false
  }
}

/**
 * An unknown outcome fails the workflow: Temporal's Failed filter is the operators' worklist. `due`: the order is
 * cancelled, and its money was not refunded.
 */
export function conclude(status: EffectStatus, due = false): EffectStatus {
  upsertSearchAttributes([{ key: statusKey, value: status }])
  if (due)
    throw ApplicationFailure.nonRetryable(
      'The order is cancelled, and its payment was not refunded. An operator has to refund the rest.',
      'RefundDue',
    )
  if (status === 'unknown')
    throw ApplicationFailure.nonRetryable(
      'It may or may not have happened, and nothing is sent again. An operator has to find out and resolve it.',
      'OutcomeUnknown',
    )
  return status
}
