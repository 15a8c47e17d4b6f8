// The campaign messages of one mailbox: sends those that are due, waits until the next is, and ends when none is left.
import { continueAsNew, proxyActivities } from '@temporalio/workflow'
import type * as activities from '../../activities/index.ts'
import { draining, ofDrains } from '../kit/draining.ts'

const { drainMailbox } = proxyActivities<typeof activities>(ofDrains)

export async function dispatch(mailboxId: string): Promise<void> {
  await draining(
    () => drainMailbox(mailboxId),
    () => continueAsNew<typeof dispatch>(mailboxId),
  )
}
