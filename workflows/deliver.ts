// What one webhook is to be told: sent while there is something due, slept until the next is, and over when nothing is left.
import { condition, continueAsNew, proxyActivities, setHandler, workflowInfo } from '@temporalio/workflow'
import type * as activities from '../activities/index.ts'
import { changed } from './signals.ts'

// Its beats are missed soon: until then a webhook hears nothing. Two at once do no harm, each row is leased to one of them.
const { drainDeliveries } = proxyActivities<typeof activities>({
  startToCloseTimeout: '5m',
  heartbeatTimeout: '2s',
  retry: { initialInterval: '100ms', backoffCoefficient: 2, maximumInterval: '5s' },
})

export async function deliver(webhookId: string): Promise<void> {
  let woken = false
  setHandler(changed, () => {
    woken = true
  })
  for (;;) {
    // What woke us before is in what is read now.
    woken = false
    const { wait_ms } = await drainDeliveries(webhookId)
    if (wait_ms !== null) {
      if (wait_ms > 0) await condition(() => woken, wait_ms)
    }
    // Woken while it looked: it may have looked too early. A signal that comes later starts another run.
    else if (!woken) return
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof deliver>(webhookId)
  }
}
