// One occurrence of a schedule: an execution is written for the time that it was due, once.
import { defineSearchAttributeKey } from '@temporalio/common'
import { workflowInfo } from '@temporalio/workflow'
import { steps } from './steps.ts'

/** The engine's own: when the schedule says that this should have begun. */
const due = defineSearchAttributeKey('TemporalScheduledStartTime', 'DATETIME')

export async function scheduled(workflowId: string): Promise<void> {
  const { typedSearchAttributes, startTime } = workflowInfo()
  await steps.applyOccurrence(workflowId, (typedSearchAttributes.get(due) ?? startTime).toISOString())
}
