// One occurrence of a schedule: writes one execution for the time at which it was due.
import { defineSearchAttributeKey } from '@temporalio/common'
import { proxyActivities, workflowInfo } from '@temporalio/workflow'
import type * as activities from '../activities/index.ts'

const { applyOccurrence } = proxyActivities<typeof activities>({
  startToCloseTimeout: '10s',
  retry: { initialInterval: '200ms', backoffCoefficient: 2, maximumInterval: '10s' },
})

/** Temporal's own: the time that the schedule set for this start. */
const due = defineSearchAttributeKey('TemporalScheduledStartTime', 'DATETIME')

export async function scheduled(workflowId: string): Promise<void> {
  const { typedSearchAttributes, startTime } = workflowInfo()
  await applyOccurrence(workflowId, (typedSearchAttributes.get(due) ?? startTime).toISOString())
}
