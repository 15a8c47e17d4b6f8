// A media file: makes the variants of an image or removes a deleted file, as its row says. Retried until done; an image that ends several workers is failed.
import {
  ActivityFailure,
  condition,
  continueAsNew,
  proxyActivities,
  setHandler,
  TimeoutFailure,
  workflowInfo,
} from '@temporalio/workflow'
import type * as activities from '../../activities/index.ts'
import { changed } from '../kit/signals.ts'

const { applyMedia } = proxyActivities<typeof activities>({
  startToCloseTimeout: '5m',
  heartbeatTimeout: '10s',
  retry: { maximumAttempts: 1 },
})
const { giveUpMedia } = proxyActivities<typeof activities>({
  startToCloseTimeout: '15s',
  retry: { initialInterval: '200ms', backoffCoefficient: 2, maximumInterval: '10s' },
})

const deathsMax = 3

export async function media(id: string): Promise<void> {
  let woken = false
  setHandler(changed, () => {
    woken = true
  })
  let deaths = 0
  for (let tries = 0; ; ) {
    // A change signalled before this read is in what it reads.
    woken = false
    try {
      await applyMedia(id)
      // A signal during the work: what it read may be stale. A signal after the end starts another run.
      if (!woken) return
      tries = 0
    } catch (error) {
      if (error instanceof ActivityFailure && error.cause instanceof TimeoutFailure && ++deaths >= deathsMax)
        await giveUpMedia(id)
      await condition(() => woken, Math.min(60_000, 500 * 2 ** Math.min(10, tries++)), {
        summary: 'until the next attempt',
      })
    }
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof media>(id)
  }
}
