// One occurrence of a schedule: writes one execution for the time at which it was due.
import { defineSearchAttributeKey } from '@temporalio/common'
import { workflowInfo } from '@temporalio/workflow'
import { steps } from '../kit/steps.ts'

/** Temporal's own: the time that the schedule set for this start. */
const due = defineSearchAttributeKey('TemporalScheduledStartTime', 'DATETIME')

export async function scheduled(workflowId: string): Promise<void> {
  const { typedSearchAttributes, startTime } = workflowInfo()
  await steps.applyOccurrence(workflowId, (typedSearchAttributes.get(due) ?? startTime).toISOString())
}
