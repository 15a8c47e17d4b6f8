// Mailboxes: senders of a store's e-mail, and the inboxes that replies to campaigns arrive in.
import { z } from 'zod'
import { decryptIfPossible, UNREADABLE } from '../../entities/kit/encrypted.ts'
import { Mailbox } from '../../entities/mail/mailbox.ts'
import { createMailbox, removeMailbox, replaceInboundSecret, updateMailbox } from '../../entities/mail/mailboxes.ts'
import { ArchivableStatus, anyCase } from '../../rules/shapes.ts'
import { byIdsAlone, filter, listing } from '../kit/answer/listing.ts'
import { reading, removing } from '../kit/answer/record.ts'
import { digest, newToken } from '../kit/caller.ts'
import { route } from '../kit/route.ts'
import { MailboxOut, mailboxFields, shownMailbox as shown } from './mailbox-shapes.ts'

const newSecret = () => {
  const inbound_secret = newToken('till_in')
  return { inbound_secret, inbound_digest: digest(inbound_secret) }
}

export const mailboxes = [
  listing('GET /v1/stores/{storeId}/mailboxes', {
    may: 'admin',
    summary: 'List the mailboxes',
    entity: Mailbox,
    item: MailboxOut,
    idsAlone: true,
    filters: {
      ...byIdsAlone,
      status: filter(anyCase(ArchivableStatus), (status) => ({ status })),
    },
    unmanaged: true,
    load: async (_em, rows: Mailbox[]) =>
      rows.map((row) =>
        shown({ ...row, inbound_secret: row.inbound_secret && (decryptIfPossible(row.inbound_secret) ?? UNREADABLE) }),
      ),
  }),
  reading('GET /v1/stores/{storeId}/mailboxes/{id}', {
    may: 'admin',
    summary: 'Read a mailbox',
    entity: Mailbox,
    out: MailboxOut,
    show: shown,
  }),
  route('POST /v1/stores/{storeId}/mailboxes', {
    may: 'admin',
    refuses: ['key_taken', 'password_unencrypted', 'required'],
    summary: 'Create a mailbox',
    description:
      'The servers are not contacted: a wrong address or password shows at the first e-mail. 422 `password_unencrypted` for a password without encryption. 409 `key_taken` if ' +
      'another mailbox has the key.',
    body: z.object(mailboxFields),
    out: MailboxOut,
    status: 201,
    run: async ({ em, tenant_id, body, now }) => shown(await createMailbox(em, tenant_id, body, newSecret(), now)),
  }),
  route('PUT /v1/stores/{storeId}/mailboxes/{id}', {
    may: 'admin',
    refuses: ['key_taken', 'mailbox_in_use', 'password_unencrypted', 'required'],
    summary: 'Update a mailbox',
    description:
      'Fields that are left out are kept. `smtp`, `imap` and `limits` are replaced as a whole, except for a password that is left out: it is kept while host and username stay the ' +
      'same, otherwise 422 `required`. 409 `key_taken` if another mailbox has the key. 409 `mailbox_in_use` for archiving a mailbox that scheduled or running campaigns send over; `campaigns` are their ids.',
    body: z.object(mailboxFields).partial(),
    out: MailboxOut,
    run: async ({ em, path, body, now }) => shown(await updateMailbox(em, path.id, body, now)),
  }),
  route('POST /v1/stores/{storeId}/mailboxes/{id}/rotate-secret', {
    operation: 'rotateMailboxSecret',
    may: 'admin',
    summary: 'Rotate the secret of the address for received mail',
    description:
      'Returns the mailbox with a new `inbound_url`. The previous address is answered with 404 from then on.',
    out: MailboxOut,
    run: async ({ em, path, now }) => shown(await replaceInboundSecret(em, path.id, newSecret(), now)),
  }),
  removing('DELETE /v1/stores/{storeId}/mailboxes/{id}', {
    may: 'admin',
    refuses: ['mailbox_in_use'],
    summary: 'Delete a mailbox',
    description:
      'Its passwords are deleted too. Nodes that still refer to it fail with `mailbox_missing`. 409 `mailbox_in_use` while a scheduled, running or paused campaign sends over it; ' +
      '`campaigns` are their ids.',
    remove: ({ em, tenant_id, path }) => removeMailbox(em, tenant_id, path.id),
  }),
]
