// Mailboxes: whom a store's mails are from. Their passwords go in and never come out, and are shown to no other host than theirs.
import { LockMode } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import { z } from 'zod'
import { config } from '../../config.ts'
import { Mailbox } from '../../entities/automation/mailbox.ts'
import { newId } from '../../entities/ids.ts'
import { flushKeyed } from '../../entities/keys.ts'
import { exceptions } from '../../rules/addresses.ts'
import { Key } from '../../rules/identities.ts'
import { MailboxFields, Smtp, SmtpSecurity } from '../../rules/mailboxes.ts'
import { invalid, notFound } from '../../rules/refusal.ts'
import { anyCase, Id } from '../../rules/shapes.ts'
import { REDACTED } from '../../rules/write-only.ts'
import { filter, listing } from '../kit/listing.ts'
import { many } from '../kit/query.ts'
import { route } from '../kit/route.ts'
import { Success, success } from '../kit/shapes.ts'

const Status = z.enum(['active', 'archived'])
const MailboxOut = z
  .object({
    id: z.string(),
    key: z.string(),
    email: z.string(),
    name: z.string().nullable(),
    reply_to: z.string().nullable(),
    status: Status,
    smtp: z.object({
      host: z.string(),
      port: z.int(),
      security: SmtpSecurity,
      username: z.string().nullable(),
      password: z.literal(REDACTED).nullable(),
    }),
    created_at: z.int(),
    updated_at: z.int(),
  })
  .meta({ id: 'Mailbox', description: 'the password is write-only' })

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

const fields = { key: Key, ...MailboxFields, smtp: Smtp }

export const mailboxes = [
  listing('GET /v1/stores/{storeId}/mailboxes', {
    may: 'admin',
    summary: 'List the mailboxes',
    entity: Mailbox,
    item: MailboxOut,
    idsAlone: true,
    filters: {
      ids: filter(many(Id).describe('when given, other filters are ignored'), (ids) => ({ id: { $in: ids } })),
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
    summary: 'Add a mailbox that mails of the store are sent from',
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
    summary: 'Change a mailbox; mails that are under way are sent as they were',
    description: 'What is left out stays; `smtp` is complete, but for its password, which stays as long as host and username do.',
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
    summary: 'Remove a mailbox with its password; the nodes of graphs that still name it fail with `mailbox_missing`',
    out: Success,
    async run({ em, path }) {
      em.remove(await mailboxOf(em, path.id))
      await em.flush()
      return success
    },
  }),
]
