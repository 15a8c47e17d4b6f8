// Mailboxes: senders of a store's e-mail. Passwords are write-only and are sent only to the host that they were entered for.
import { LockMode } from '@mikro-orm/core'
import { z } from 'zod'
import { config } from '../../config.ts'
import { findRecord } from '../../entities/kit/find.ts'
import { newId } from '../../entities/kit/ids.ts'
import { flushKeyed } from '../../entities/kit/keys.ts'
import { Mailbox } from '../../entities/mail/mailbox.ts'
import { Key } from '../../rules/input/identities.ts'
import { exceptions } from '../../rules/input/ip-addresses.ts'
import { REDACTED } from '../../rules/input/write-only.ts'
import { MailboxFields, ServerSecurity, Smtp } from '../../rules/mail/mailboxes.ts'
import { invalid } from '../../rules/refusal.ts'
import { ArchivableStatus, anyCase, CreatedAt, UpdatedAt } from '../../rules/shapes.ts'
import { byIdsAlone, filter, listing } from '../kit/listing.ts'
import { reading, removing } from '../kit/record.ts'
import { route } from '../kit/route.ts'

const Status = ArchivableStatus
const MailboxOut = z
  .object({
    id: z.string().describe('Identifier of the mailbox, a UUIDv7 made by the server.'),
    key: z.string().describe('Name of the mailbox, unique in the store.'),
    email: z.string().describe('Address that e-mails are sent from.'),
    name: z.string().nullable().describe('Display name of the sender; null for none.'),
    reply_to: z.string().nullable().describe('Address for replies; if null, that of the sender.'),
    status: Status.describe('E-mails are sent from `active` mailboxes only.'),
    smtp: z
      .object({
        host: z.string().describe('Host name or address of the SMTP server.'),
        port: z.int().describe('Port of the SMTP server.'),
        security: ServerSecurity.describe('`tls` from the first byte, `starttls` required, or `none`.'),
        username: z.string().nullable().describe('User name to sign in with; null for no sign-in.'),
        password: z.literal(REDACTED).nullable().describe('`__redacted__` if a password is stored, null if none is.'),
      })
      .describe('SMTP account that e-mails are sent through.'),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  })
  .meta({ id: 'Mailbox', description: 'An address and SMTP account that a store sends e-mail from. The password is write-only.' })

const shown = (mailbox: Mailbox) => ({
  ...mailbox,
  smtp: {
    host: mailbox.smtp_host,
    port: mailbox.smtp_port,
    security: mailbox.smtp_security,
    username: mailbox.smtp_username ?? null,
    password: mailbox.smtp_password ? REDACTED : null,
  },
})

/** The columns of an SMTP account. A password that was left out is kept if host and username stay the same. 422 password_unencrypted, required. */
function columnsOf({ host, port, security, username = null, password }: Smtp, before?: Mailbox) {
  const { host: named, address } = exceptions(config.egressAllow)
  if (security === 'none' && username !== null && !named(host) && !address(host))
    throw invalid('/smtp/security', 'password_unencrypted', 'A password is sent over an encrypted connection only, unless EGRESS_ALLOW names the host.')
  const stored = before && before.smtp_host === host && before.smtp_username === username ? before.smtp_password : null
  const secret = username === null ? null : (password ?? stored)
  if (username !== null && !secret) throw invalid('/smtp/password', 'required', 'Required with a new host or username.')
  return { smtp_host: host, smtp_port: port, smtp_security: security, smtp_username: username, smtp_password: secret ?? null }
}

const fields = {
  key: Key.describe('Name of the mailbox, unique in the store, of 1 to 255 printable characters.'),
  ...MailboxFields,
  smtp: Smtp.describe('SMTP account that e-mails are sent through. It is replaced as a whole.'),
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
      status: filter(anyCase(Status), (status) => ({ status })),
    },
    unmanaged: true,
    load: async (_em, rows: Mailbox[]) => rows.map(shown),
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
      'The SMTP server is not contacted: a wrong address or password shows at the first e-mail. 422 `password_unencrypted` for a password without encryption. 409 `key_taken` if ' +
      'another mailbox has the key.',
    body: z.object(fields),
    out: MailboxOut,
    status: 201,
    async run({ em, tenant_id, body: { smtp, ...given }, now }) {
      const row = { id: newId(), tenant_id, created_at: now, updated_at: now }
      const mailbox = em.create(Mailbox, { ...row, ...given, ...columnsOf(smtp) } as never) as Mailbox
      await flushKeyed(em, 'mailbox')
      return shown(mailbox)
    },
  }),
  route('PUT /v1/stores/{storeId}/mailboxes/{id}', {
    may: 'admin',
    refuses: ['key_taken', 'password_unencrypted', 'required'],
    summary: 'Update a mailbox',
    description:
      'Fields that are left out are kept. `smtp` is replaced as a whole, except for a password that is left out: it is kept while host and username stay the same, otherwise 422 ' +
      '`required`. 409 `key_taken` if another mailbox has the key.',
    body: z.object(fields).partial(),
    out: MailboxOut,
    async run({ em, path, body: { smtp, ...given }, now }) {
      const mailbox = await findRecord(em, Mailbox, { id: path.id }, 'mailbox', { lockMode: LockMode.PESSIMISTIC_WRITE })
      em.assign(mailbox, { ...given, ...(smtp ? columnsOf(smtp, mailbox) : {}), updated_at: now } as never)
      await flushKeyed(em, 'mailbox')
      return shown(mailbox)
    },
  }),
  removing('DELETE /v1/stores/{storeId}/mailboxes/{id}', {
    may: 'admin',
    summary: 'Delete a mailbox',
    description: 'Its password is deleted too. Nodes that still refer to it fail with `mailbox_missing`.',
    entity: Mailbox,
  }),
]
