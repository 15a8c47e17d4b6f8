// Errors of activities are logged by the worker and redacted in the history: their messages may hold an address or a
// statement, and histories are kept for weeks.
import { ActivityFailure, ApplicationFailure, CancelledFailure } from '@temporalio/common'
import type { ActivityInboundCallsInterceptor, ActivityInterceptorsFactory } from '@temporalio/worker'
import { log } from '../adapters/log.ts'

/**
 * Our own failures have constant messages and codes (activities/kit/once.ts); of all others only the name is recorded.
 * No stack is.
 */
function quiet(error: unknown): unknown {
  if (error instanceof CancelledFailure || error instanceof ActivityFailure) return error
  const redacted =
    error instanceof ApplicationFailure
      ? error
      : ApplicationFailure.retryable('see the log of the worker', error instanceof Error ? error.name : 'Error')
  redacted.stack = ''
  return redacted
}

export const quietFailures: ActivityInterceptorsFactory = ({ info }) => ({
  inbound: {
    async execute(input, next) {
      try {
        return await next(input)
      } catch (error) {
        if (!(error instanceof ApplicationFailure))
          log.warn(
            {
              activity: info.activityType,
              workflow_id: info.workflowExecution?.workflowId,
              attempt: info.attempt,
              err: error,
            },
            'activity failed',
          )
        throw quiet(error)
      }
    },
  } satisfies ActivityInboundCallsInterceptor,
})
