// What a person does about e-mails of the installation whose delivery cannot be proved, and about mailboxes that do not
// work.
import {
  type AttentionEvidence,
  type EffectFacts,
  type ItemText,
  mending,
  outcomeItem,
  recorded,
  wrong,
} from '../attention.ts'
import type { DescribedRow } from '../descriptions.ts'
import { isolated } from '../isolated.ts'

/** `kind`: why it was sent, such as `sign_in`. The address that it was sent to is no part of an item. */
export type MailFacts = EffectFacts & { kind: string }

export function mailItem(row: MailFacts): ItemText {
  // What a mail server answered may name the address.
  const bare = { ...row, error: row.error && { ...row.error, message: 'The mail server gave no usable answer.' } }
  const kind = row.kind.replaceAll('_', ' ')
  return outcomeItem({
    row: { ...bare, evidence: null, late_evidence: null },
    whether: `an e-mail (${kind}) reached its mail server`,
    subject: { type: 'mail', id: row.id, label: kind },
    what_to_do: `Look in the log of the mail server for the Message-ID that begins with ${row.id}, and record what you found. It is not sent again: if it is still needed, what it is about is requested again.`,
    ids: { message_id: row.id },
    effect: 'mail',
    resolve: recorded(row, ['succeeded', 'rejected']),
  })
}

export type MailboxFacts = DescribedRow & {
  key: string
  sending_error: AttentionEvidence['error']
  imap_error: AttentionEvidence['error']
}

export const mailboxItem = ({ sending_error, imap_error, ...row }: MailboxFacts): ItemText => ({
  title: sending_error
    ? `The mailbox ${isolated(row.key)} cannot send: ${isolated(sending_error.message)}`
    : `The inbox of the mailbox ${isolated(row.key)} cannot be read: ${isolated(imap_error?.message ?? 'no reason is known.')}`,
  subject: { type: 'mailbox', id: row.id, label: row.key },
  evidence: wrong(sending_error ?? imap_error, { mailbox_id: row.id }),
  what_to_do: 'Correct its server, user or password, or mend the server. What waits is sent then, and the item ends.',
  resolve: null,
  mend: mending(row, 'PUT', `/mailboxes/${row.id}`),
  process: { kind: sending_error ? 'dispatch' : 'inbox', id: row.id },
})
