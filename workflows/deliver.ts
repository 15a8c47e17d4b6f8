// The deliveries of one webhook: sends those that are due, waits until the next is, and ends when none is left.
import { condition, continueAsNew, proxyActivities, setHandler, workflowInfo } from '@temporalio/workflow'
import type * as activities from '../activities/index.ts'
import { changed } from './signals.ts'

const { drainDeliveries } = proxyActivities<typeof activities>({
  startToCloseTimeout: '5m',
  heartbeatTimeout: '2s',
  retry: { initialInterval: '100ms', backoffCoefficient: 2, maximumInterval: '5s' },
})
/** The relay does not signal a webhook whose worker is alive (`awakeOnes`): a signal later than this means that the worker died, long before its heartbeat times out. */
const deadAfterMs = 1_000

export async function deliver(webhookId: string): Promise<void> {
  let wokenAt = 0
  setHandler(changed, () => {
    wokenAt = Date.now()
  })
  for (;;) {
    // A change signalled before this read is in what it reads.
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
    // Two at once are safe: each row is leased to one of them. The last result says when the next delivery is due.
    await Promise.all([first, ...(over ? [] : [drain()])])
    const wait = left as number | null
    if (wait !== null && wait > 0) await condition(() => wokenAt > 0, wait, { summary: 'until the next try is due' })
    // A signal during the read: the result may be stale. A signal after the end starts another run.
    if (wait === null && wokenAt === 0) return
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof deliver>(webhookId)
  }
}
