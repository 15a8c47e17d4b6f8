// The process that reads the inbox of each mailbox.
import type { ProcessRows } from '../kit/process.ts'
import { lateInboxes, unreadInboxes } from './inbox.ts'

export const inboxProcesses = {
  inbox: { late: [lateInboxes, unreadInboxes], attention: {} },
} satisfies Record<string, ProcessRows>
