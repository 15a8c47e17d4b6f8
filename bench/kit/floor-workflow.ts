// The smallest workflow with an effect: one empty activity.
import { proxyActivities } from '@temporalio/workflow'

const { nothing } = proxyActivities<{ nothing(): Promise<void> }>({ startToCloseTimeout: '45s', heartbeatTimeout: '10s', retry: { maximumAttempts: 1 } })

export const floor = (): Promise<void> => nothing()
