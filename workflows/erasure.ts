// The erasure of a tenant, in slices. It is never given up: what is refused is tried again.
import { ApplicationFailure } from '@temporalio/common'
import { continueAsNew, proxyActivities, sleep, workflowInfo } from '@temporalio/workflow'
import type * as activities from '../activities/index.ts'

const { eraseTenant } = proxyActivities<typeof activities>({
  startToCloseTimeout: '5m',
  heartbeatTimeout: '10s',
  retry: { initialInterval: '200ms', backoffCoefficient: 2, maximumInterval: '30s' },
})

export async function erasure(id: string): Promise<void> {
  for (let waits = 0; ; ) {
    const step = await eraseTenant(id)
    if (step === 'over') return
    // Temporal's Failed filter is the operators' worklist. The reconciler starts it again.
    if (step === 'attention')
      throw ApplicationFailure.nonRetryable(
        'An outcome is open that no row would tell after the deletion. A person has to resolve it, or let the erasure go on.',
        'OutcomeUnknown',
      )
    if (step === 'wait') await sleep(Math.min(30_000, 200 * 2 ** Math.min(waits++, 10)), { summary: 'until what is in flight is answered' })
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof erasure>(id)
  }
}
