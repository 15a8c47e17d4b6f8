// The deliveries of one webhook: sends those that are due, waits until the next is, and ends when none is left.
import { continueAsNew, proxyActivities } from '@temporalio/workflow'
import type * as activities from '../../activities/index.ts'
import { draining, ofDrains } from '../kit/draining.ts'

const { drainDeliveries } = proxyActivities<typeof activities>(ofDrains)

export async function deliver(webhookId: string): Promise<void> {
  await draining(
    () => drainDeliveries(webhookId),
    () => continueAsNew<typeof deliver>(webhookId),
  )
}
