// What one webhook is to be told: sent while there is something due, slept until the next is, and over when nothing is left.
import { condition, continueAsNew, proxyActivities, setHandler, workflowInfo } from '@temporalio/workflow'
import type * as activities from '../activities/index.ts'
import { changed } from './signals.ts'

const { drainDeliveries } = proxyActivities<typeof activities>({
  startToCloseTimeout: '5m',
  heartbeatTimeout: '2s',
  retry: { initialInterval: '100ms', backoffCoefficient: 2, maximumInterval: '5s' },
})
/** Nobody wakes a webhook whose deliveries are being looked for: after this, a signal says that whoever did so is dead, long before his beats are missed. */
const deadAfterMs = 1_000

export async function deliver(webhookId: string): Promise<void> {
  let wokenAt = 0
  setHandler(changed, () => {
    wokenAt = Date.now()
  })
  for (;;) {
    // What woke us before is in what is read now.
    wokenAt = 0
    const begunAt = Date.now()
    let over = false
    let left: number | null = null
    const drain = async () => {
      left = (await drainDeliveries(webhookId)).wait_ms
      over = true
    }
    const first = drain()
    await condition(() => over || wokenAt > begunAt + deadAfterMs)
    // Two at once do no harm: each row is leased to one of them. Who looked last says when to look again.
    await Promise.all([first, ...(over ? [] : [drain()])])
    const wait = left as number | null
    if (wait !== null && wait > 0) await condition(() => wokenAt > 0, wait, { summary: 'until the next try is due' })
    // Woken while it looked: it may have looked too early. A signal that comes later starts another run.
    if (wait === null && wokenAt === 0) return
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof deliver>(webhookId)
  }
}
