// Long work on our own rows: runs slices of its batches, each on any worker, until it ends or its retries are used up.
import { ActivityFailure, CancellationScope, isCancellation, workflowInfo } from '@temporalio/workflow'

/** The options of an activity that runs one slice. */
export const ofSlices = {
  startToCloseTimeout: '5m',
  heartbeatTimeout: '10s',
  retry: { initialInterval: '200ms', backoffCoefficient: 2, maximumInterval: '10s', maximumAttempts: 20 },
} as const

/** `fail` records that the work was given up, also where an operator cancelled the workflow. */
export async function slices(
  run: () => Promise<'more' | 'over'>,
  fail: () => Promise<void>,
  again: () => Promise<never>,
): Promise<void> {
  try {
    while ((await run()) === 'more') if (workflowInfo().continueAsNewSuggested) await again()
  } catch (error) {
    if (!(error instanceof ActivityFailure || isCancellation(error))) throw error
    await CancellationScope.nonCancellable(fail)
  }
}
