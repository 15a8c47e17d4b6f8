// A media file: makes the variants of an image or removes a deleted file, as its row says. Retried until done; an image
// that ends several workers is failed.
import { ActivityFailure, continueAsNew, proxyActivities, TimeoutFailure, workflowInfo } from '@temporalio/workflow'
import type * as activities from '../../activities/index.ts'
import { listen } from '../kit/changes.ts'

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
  const changes = listen()
  let deaths = 0
  for (let tries = 0; ; ) {
    changes.clear()
    try {
      await applyMedia(id)
      if (!changes.signalled) return
      tries = 0
    } catch (error) {
      if (error instanceof ActivityFailure && error.cause instanceof TimeoutFailure && ++deaths >= deathsMax)
        await giveUpMedia(id)
      await changes.wait(Math.min(60_000, 500 * 2 ** Math.min(10, tries++)), 'until the next attempt')
    }
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof media>(id)
  }
}
