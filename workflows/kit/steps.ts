// Steps on our own rows, as local activities: the worker runs them inside the workflow's task, and the server stores
// one marker for each instead of three events and another task.
import { proxyLocalActivities } from '@temporalio/workflow'
import type * as rowSteps from '../../activities/steps.ts'

/**
 * A worker that dies after a step and before the end of the workflow task leaves no trace of the step: another worker
 * runs it again. A step that takes longer than the task may is kept alive by heartbeats of the task; one that times out
 * may still commit beside its retry. Retries continue until the database is available: within the task for the first
 * three seconds, then after timers of the server, so that a long outage occupies no slots of workers.
 */
export const steps = proxyLocalActivities<typeof rowSteps>({
  startToCloseTimeout: '15s',
  retry: { initialInterval: '200ms', backoffCoefficient: 2, maximumInterval: '10s' },
  localRetryThreshold: '2s',
})
