// The timers of a connection: renews tokens that no call renews, and publishes the end of a consent before it comes.
import { condition, continueAsNew, setHandler, workflowInfo } from '@temporalio/workflow'
import { changed } from '../kit/signals.ts'
import { steps } from '../kit/steps.ts'

export async function social_connection(id: string): Promise<void> {
  let woken = false
  setHandler(changed, () => {
    woken = true
  })
  for (;;) {
    // A change signalled before this read is in what it reads.
    woken = false
    const step = await steps.applySocialConnection(id)
    if (step.do === 'wait')
      await condition(() => woken, step.wait_ms, { summary: 'until tokens are renewed, or a consent ends' })
    // A signal during the read: the result may be stale. A signal after the end starts another run.
    else if (!woken) return
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof social_connection>(id)
  }
}
