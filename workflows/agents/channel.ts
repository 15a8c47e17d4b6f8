// Connects or disconnects the bot of a channel as its row says, again if the row changes meanwhile. Without an answer the bot API is asked again.
import { condition, continueAsNew, proxyActivities, setHandler, workflowInfo } from '@temporalio/workflow'
import type * as activities from '../../activities/index.ts'
import { changed } from '../kit/signals.ts'

const { applyChannel } = proxyActivities<typeof activities>({
  startToCloseTimeout: '2m',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '30s' },
})

export async function channel(id: string): Promise<void> {
  let woken = false
  setHandler(changed, () => {
    woken = true
  })
  for (;;) {
    // A change signalled before this read is in what it reads.
    woken = false
    const step = await applyChannel(id)
    if (step.do === 'wait')
      await condition(() => woken, Math.max(1, step.wait_ms), { summary: 'until the bot API is asked again' })
    // A signal during the work: what it read may be stale. A signal after the end starts another run.
    else if (!woken) return
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof channel>(id)
  }
}
