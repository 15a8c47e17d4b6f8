// The schedule of one workflow in the engine, brought to what its row says; once more if it was told so meanwhile.
import { proxyActivities, setHandler } from '@temporalio/workflow'
import type * as activities from '../activities/index.ts'
import { changed } from './signals.ts'

const { applySchedule } = proxyActivities<typeof activities>({
  startToCloseTimeout: '15s',
  retry: { initialInterval: '200ms', backoffCoefficient: 2, maximumInterval: '10s' },
})

export async function schedule(workflowId: string): Promise<void> {
  let woken = false
  setHandler(changed, () => {
    woken = true
  })
  do {
    // What woke us before is in what is read now.
    woken = false
    await applySchedule(workflowId)
  } while (woken)
}
