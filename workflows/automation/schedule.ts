// Writes one workflow's schedule to Temporal as its row says, again if the row changes meanwhile.
import { proxyActivities, setHandler } from '@temporalio/workflow'
import type * as activities from '../../activities/index.ts'
import { changed } from '../kit/signals.ts'

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
    // A change signalled before this read is in what it reads.
    woken = false
    await applySchedule(workflowId)
  } while (woken)
}
