// Writes one workflow's schedule to Temporal as its row says, again if the row changes meanwhile.
import { proxyActivities } from '@temporalio/workflow'
import type * as activities from '../../activities/index.ts'
import { listen } from '../kit/changes.ts'

const { applySchedule } = proxyActivities<typeof activities>({
  startToCloseTimeout: '15s',
  retry: { initialInterval: '200ms', backoffCoefficient: 2, maximumInterval: '10s' },
})

export async function schedule(workflowId: string): Promise<void> {
  await listen().repeat(() => applySchedule(workflowId))
}
