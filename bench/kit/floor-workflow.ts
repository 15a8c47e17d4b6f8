// The least that a workflow with an effect can be: one activity, which does nothing.
import { proxyActivities } from '@temporalio/workflow'

const { nothing } = proxyActivities<{ nothing(): Promise<void> }>({ startToCloseTimeout: '45s', heartbeatTimeout: '10s', retry: { maximumAttempts: 1 } })

export const floor = (): Promise<void> => nothing()
