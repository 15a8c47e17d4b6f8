// A maintenance script: one slice of its batches after another, by whatever worker is there, until it is over or fails again and again.
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
    // It is told even where an operator cancelled it: until then no other run of the script can begin.
    await CancellationScope.nonCancellable(() => steps.failScript(id))
  }
}
