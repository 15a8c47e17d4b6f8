// What goes wrong in an activity is told in our own log: its words may hold an address or a statement, and a history is kept and shown for weeks.
import { ActivityFailure, ApplicationFailure, CancelledFailure } from '@temporalio/common'
import type { ActivityInboundCallsInterceptor, ActivityInterceptorsFactory } from '@temporalio/worker'
import { log } from '../adapters/log.ts'

/** Our own failures say fixed words and codes (activities/once.ts); of all others only their name leaves. No stack does. */
function quiet(error: unknown): unknown {
  if (error instanceof CancelledFailure || error instanceof ActivityFailure) return error
  const said =
    error instanceof ApplicationFailure ? error : ApplicationFailure.retryable('the log of the worker says more', error instanceof Error ? error.name : 'Error')
  said.stack = ''
  return said
}

export const quietFailures: ActivityInterceptorsFactory = ({ info }) => ({
  inbound: {
    async execute(input, next) {
      try {
        return await next(input)
      } catch (error) {
        if (!(error instanceof ApplicationFailure))
          log.warn({ activity: info.activityType, workflow_id: info.workflowExecution?.workflowId, attempt: info.attempt, err: error }, 'activity')
        throw quiet(error)
      }
    },
  } satisfies ActivityInboundCallsInterceptor,
})
