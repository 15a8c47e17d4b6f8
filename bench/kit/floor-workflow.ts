// The smallest workflow with an effect: one empty activity.
import { proxyActivities, proxyLocalActivities } from '@temporalio/workflow'

const { nothing } = proxyActivities<{ nothing(): Promise<void> }>({
  startToCloseTimeout: '45s',
  heartbeatTimeout: '10s',
  retry: { maximumAttempts: 1 },
})

const local = proxyLocalActivities<{ nothing(): Promise<void> }>({ startToCloseTimeout: '10s' })

export const floor = (): Promise<void> => nothing()

/** The smallest one that also reads and writes rows before and after it. */
export async function floor_turn(): Promise<void> {
  await local.nothing()
  await nothing()
  await local.nothing()
}
