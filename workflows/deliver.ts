// The deliveries of one webhook: sends those that are due, waits until the next is, and ends when none is left.
import { condition, continueAsNew, proxyActivities, setHandler, workflowInfo } from '@temporalio/workflow'
import type * as activities from '../activities/index.ts'
import { changed } from './signals.ts'

const { drainDeliveries } = proxyActivities<typeof activities>({
  startToCloseTimeout: '5m',
  heartbeatTimeout: '3s',
  retry: { initialInterval: '100ms', backoffCoefficient: 2, maximumInterval: '5s' },
})

export async function deliver(webhookId: string): Promise<void> {
  let woken = false
  setHandler(changed, () => {
    woken = true
  })
  for (;;) {
    // A change signalled before this read is in what it reads.
    woken = false
    const { wait_ms: wait } = await drainDeliveries(webhookId)
    if (wait !== null && wait > 0) await condition(() => woken, wait, { summary: 'until the next try is due' })
    // A signal during the read: the result may be stale. A signal after the end starts another run.
    if (wait === null && !woken) return
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof deliver>(webhookId)
  }
}
