// The process that reads the inbox of each mailbox.
import { process } from '../kit/process.ts'
import { lateInboxes, unreadInboxes } from './inbox.ts'

export const inboxProcesses = [process('inbox', { late: [lateInboxes, unreadInboxes], attention: {} })] as const
