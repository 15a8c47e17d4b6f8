// Mailboxes: whom a store's mails are from. Their passwords go in and never come out, and are shown to no other host than theirs.
import { LockMode } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import { z } from 'zod'
import { config } from '../../config.ts'
import { newId } from '../../entities/kit/ids.ts'
import { flushKeyed } from '../../entities/kit/keys.ts'
import { Mailbox } from '../../entities/mail/mailbox.ts'
import { Key } from '../../rules/input/identities.ts'
import { exceptions } from '../../rules/input/ip-addresses.ts'
import { REDACTED } from '../../rules/input/write-only.ts'
import { MailboxFields, Smtp, SmtpSecurity } from '../../rules/mail/mailboxes.ts'
import { invalid, notFound } from '../../rules/refusal.ts'
import { ArchivableStatus, anyCase, CreatedAt, Id, UpdatedAt } from '../../rules/shapes.ts'
import { filter, listing } from '../kit/listing.ts'
import { many } from '../kit/query.ts'
import { route } from '../kit/route.ts'
import { Success, success } from '../kit/shapes.ts'

const Status = ArchivableStatus
const MailboxOut = z
  .object({
    id: z.string().describe('Identifier of the mailbox, a UUIDv7 made by the server.'),
    key: z.string().describe('Name of the mailbox, unique in the store.'),
    email: z.string().describe('Address that mails are sent from.'),
    name: z.string().nullable().describe('Display name of the sender; null for none.'),
    reply_to: z.string().nullable().describe("Address that answers go to; null: the sender's own."),
    status: Status.describe('Mails are sent from `active` mailboxes only.'),
    smtp: z
      .object({
        host: z.string().describe('Host name or address of the SMTP server.'),
        port: z.int().describe('Port of the SMTP server.'),
        security: SmtpSecurity.describe('`tls` from the first byte, `starttls` required, or `none`.'),
        username: z.string().nullable().describe('User name to sign in with; null: no sign-in.'),
        password: z.literal(REDACTED).nullable().describe('`__redacted__` if a password is stored, null if none is.'),
      })
      .describe("SMTP account that mails are sent through; null: the server's own."),
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

/** The columns of an account; a password that was left out is the one `before` has, if it would be told to the same host as the same user. */
function columnsOf({ host, port, security, username = null, password }: Smtp, before?: Mailbox) {
  const { host: named, address } = exceptions(config.egressAllow)
  if (security === 'none' && username !== null && !named(host) && !address(host))
    throw invalid('/smtp/security', 'password_unencrypted', 'A password is not sent without encryption, unless EGRESS_ALLOW names the host.')
  const kept = before && before.smtp_host === host && before.smtp_username === username ? before.smtp_password : null
  const known = username === null ? null : (password ?? kept)
  if (username !== null && !known) throw invalid('/smtp/password', 'required', 'Another host or username needs its password.')
  return { smtp_host: host, smtp_port: port, smtp_security: security, smtp_username: username, smtp_password: known ?? null }
}

const mailboxOf = (em: EntityManager, id: string, lockMode?: LockMode.PESSIMISTIC_WRITE) =>
  em.findOneOrFail(Mailbox, { id }, { ...(lockMode ? { lockMode } : {}), failHandler: () => notFound('mailbox') })

const fields = {
  key: Key.describe('Name of the mailbox, unique in the store, of 1 to 255 printable characters.'),
  ...MailboxFields,
  smtp: Smtp.describe('SMTP account that mails are sent through. It is replaced as a whole.'),
}

export const mailboxes = [
  listing('GET /v1/stores/{storeId}/mailboxes', {
    may: 'admin',
    summary: 'List the mailboxes',
    entity: Mailbox,
    item: MailboxOut,
    idsAlone: true,
    filters: {
      ids: filter(
        many(Id).describe('Identifiers to restrict the list to, 100 at most: repeated, or separated by commas. Other filters are ignored then.'),
        (ids) => ({ id: { $in: ids } }),
      ),
      status: filter(anyCase(Status), (status) => ({ status })),
    },
    load: async (_em, rows: Mailbox[]) => rows.map(shown),
  }),
  route('GET /v1/stores/{storeId}/mailboxes/{id}', {
    may: 'admin',
    summary: 'Read a mailbox',
    out: MailboxOut,
    run: async ({ em, path }) => shown(await mailboxOf(em, path.id)),
  }),
  route('POST /v1/stores/{storeId}/mailboxes', {
    may: 'admin',
    refuses: ['key_taken', 'password_unencrypted', 'required'],
    summary: 'Create a mailbox',
    description: 'Nothing is asked of its server now: whether it is reached and takes the password is told by the first mail.',
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
    description: 'Fields that are left out are kept; `smtp` is complete, but for its password, which stays as long as host and username do.',
    body: z.object(fields).partial(),
    out: MailboxOut,
    async run({ em, path, body: { smtp, ...given }, now }) {
      const mailbox = await mailboxOf(em, path.id, LockMode.PESSIMISTIC_WRITE)
      em.assign(mailbox, { ...given, ...(smtp ? columnsOf(smtp, mailbox) : {}), updated_at: now } as never)
      await flushKeyed(em, 'mailbox')
      return shown(mailbox)
    },
  }),
  route('DELETE /v1/stores/{storeId}/mailboxes/{id}', {
    may: 'admin',
    summary: 'Delete a mailbox',
    description: 'Its password is deleted. Nodes that still name it fail with `mailbox_missing`.',
    out: Success,
    async run({ em, path }) {
      em.remove(await mailboxOf(em, path.id))
      await em.flush()
      return success
    },
  }),
]
