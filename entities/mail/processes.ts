// The process that sends an e-mail, and what a person does about mailboxes.
import { effectEnded, process } from '../kit/process.ts'
import { mailAttention, mailboxAttention } from './attention.ts'

export const mailProcesses = [
  process('mail', {
    late: [],
    slotEnded: effectEnded('mail'),
    attention: { mail: mailAttention, mailbox: mailboxAttention },
  }),
] as const
