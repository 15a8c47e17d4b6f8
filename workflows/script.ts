// A maintenance script: runs slices of its batches, each on any worker, until it ends or its retries are used up.
import { ActivityFailure, CancellationScope, continueAsNew, isCancellation, proxyActivities, workflowInfo } from '@temporalio/workflow'
import type * as activities from '../activities/index.ts'
import { steps } from './steps.ts'

const retry = { initialInterval: '200ms', backoffCoefficient: 2, maximumInterval: '10s' }
const { runScript } = proxyActivities<typeof activities>({ startToCloseTimeout: '5m', heartbeatTimeout: '10s', retry: { ...retry, maximumAttempts: 20 } })

export async function script(id: string): Promise<void> {
  try {
    while ((await runScript(id)) === 'more') if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof script>(id)
  } catch (error) {
    if (!(error instanceof ActivityFailure || isCancellation(error))) throw error
    // Recorded even where an operator cancelled the workflow: until then no other run of the script can begin.
    await CancellationScope.nonCancellable(() => steps.failScript(id))
  }
}
