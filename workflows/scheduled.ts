// One occurrence of a schedule: an execution is written for the time that it was due, once.
import { defineSearchAttributeKey } from '@temporalio/common'
import { proxyActivities, workflowInfo } from '@temporalio/workflow'
import type * as activities from '../activities/index.ts'

const { applyOccurrence } = proxyActivities<typeof activities>({
  startToCloseTimeout: '10s',
  retry: { initialInterval: '200ms', backoffCoefficient: 2, maximumInterval: '10s' },
})

/** The engine's own: when the schedule says that this should have begun. */
const due = defineSearchAttributeKey('TemporalScheduledStartTime', 'DATETIME')

export async function scheduled(workflowId: string): Promise<void> {
  const { typedSearchAttributes, startTime } = workflowInfo()
  await applyOccurrence(workflowId, (typedSearchAttributes.get(due) ?? startTime).toISOString())
}
