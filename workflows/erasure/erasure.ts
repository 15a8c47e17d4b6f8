// The erasure of a tenant, in slices. It is never given up: what is refused is tried again.
import { ApplicationFailure } from '@temporalio/common'
import { continueAsNew, patched, proxyActivities, sleep, workflowInfo } from '@temporalio/workflow'
import type * as activities from '../../activities/index.ts'
import { listen } from '../kit/changes.ts'

const { eraseTenant } = proxyActivities<typeof activities>({
  startToCloseTimeout: '5m',
  heartbeatTimeout: '10s',
  retry: { initialInterval: '200ms', backoffCoefficient: 2, maximumInterval: '30s' },
})

const summary = 'until what is in flight is answered'

export async function erasure(id: string): Promise<void> {
  const changes = listen()
  for (let waits = 0; ; ) {
    changes.clear()
    const step = await eraseTenant(id, 'attention')
    if (step === 'over') return
    // Temporal's Failed filter is the operators' worklist. The reconciler starts it again. Histories of earlier
    // versions went on.
    if (step === 'attention' && patched('attention') && !changes.signalled)
      throw ApplicationFailure.nonRetryable(
        'An outcome is open that no row would tell after the deletion. A person has to resolve it, or let the erasure go on.',
        'OutcomeUnknown',
      )
    if (step === 'wait') {
      const pause = Math.min(30_000, 200 * 2 ** Math.min(waits++, 10))
      // Histories of earlier versions waited for the timer alone, also after a signal.
      await (patched('changes') ? changes.wait(pause, summary) : sleep(pause, { summary }))
    }
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof erasure>(id)
  }
}
