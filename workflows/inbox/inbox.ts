// The inbox of one mailbox: reads it, waits until the next read, and ends when the mailbox has no inbox any more.
import { continueAsNew, proxyActivities } from '@temporalio/workflow'
import type * as activities from '../../activities/index.ts'
import { draining, ofDrains } from '../kit/draining.ts'

const { pollInbox } = proxyActivities<typeof activities>(ofDrains)

export async function inbox(mailboxId: string): Promise<void> {
  await draining(
    () => pollInbox(mailboxId),
    () => continueAsNew<typeof inbox>(mailboxId),
  )
}
