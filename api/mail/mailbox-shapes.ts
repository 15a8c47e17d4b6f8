// The shapes of mailboxes in requests and answers.
import { z } from 'zod'
import { config } from '../../config.ts'
import type { Mailbox } from '../../entities/mail/mailbox.ts'
import { Key } from '../../rules/input/identities.ts'
import { REDACTED } from '../../rules/input/write-only.ts'
import { Imap, Limits, MailboxFields, ServerSecurity, Smtp, usualLimits } from '../../rules/mail/mailboxes.ts'
import { ArchivableStatus, CreatedAt, EffectError, UpdatedAt } from '../../rules/shapes.ts'

export const mailboxFields = {
  key: Key.describe('Name of the mailbox, unique in the {store}, of 1 to 255 printable characters.'),
  ...MailboxFields,
  smtp: Smtp.describe('SMTP account that e-mails are sent through. It is replaced as a whole.'),
  limits: Limits.optional().describe('What campaigns may send over the mailbox. They are replaced as a whole.'),
  imap: Imap.nullish().describe(
    'IMAP account of the inbox that replies and bounces of campaigns arrive in. It is replaced as a whole; null for none.',
  ),
}

const Password = z.literal(REDACTED).nullable().describe('`__redacted__` if a password is stored, null if none is.')
const Security = ServerSecurity.describe('`tls` from the first byte, `starttls` required, or `none`.')

export const MailboxOut = z
  .object({
    id: z.string().describe('Identifier of the mailbox, a UUIDv7 made by the server.'),
    key: z.string().describe('Name of the mailbox, unique in the {store}.'),
    email: z.string().describe('Address that e-mails are sent from.'),
    name: z.string().nullable().describe('Display name of the sender; null for none.'),
    reply_to: z.string().nullable().describe('Address for replies; if null, that of the sender.'),
    status: ArchivableStatus.describe('E-mails are sent from `active` mailboxes only.'),
    smtp: z
      .object({
        host: z.string().describe('Host name or address of the SMTP server.'),
        port: z.int().describe('Port of the SMTP server.'),
        security: Security,
        username: z.string().nullable().describe('User name to sign in with; null for no sign-in.'),
        password: Password,
      })
      .describe('SMTP account that e-mails are sent through.'),
    limits: z
      .object({
        per_second: z.number().nullable().describe('Messages per second; null for no limit.'),
        per_day: z.int().nullable().describe('Messages per day; null for no limit.'),
        connections: z.int().describe('Open connections to the SMTP server at most.'),
        messages_per_connection: z.int().describe('Messages over one connection at most.'),
      })
      .describe('What campaigns may send over the mailbox.'),
    sending_error: EffectError.nullable().describe(
      'What its server last refused to campaigns; null if it accepts them. Messages wait meanwhile.',
    ),
    sending_failed_since: z
      .int()
      .nullable()
      .describe('Since when campaigns cannot send over it, in Unix seconds; null if they can.'),
    imap: z
      .object({
        host: z.string().describe('Host name or address of the IMAP server.'),
        port: z.int().describe('Port of the IMAP server.'),
        security: Security,
        username: z.string().describe('User name to sign in with.'),
        password: Password,
        folder: z.string().describe('Folder that is read.'),
        checked_at: z
          .int()
          .nullable()
          .describe('When the folder was last read, in Unix seconds; null if it never was.'),
        error: EffectError.nullable().describe(
          'Why it could not be read the last time; null if it was. `imap_uid_validity` while the mail of the last days is read again, after the server has replaced the folder.',
        ),
      })
      .nullable()
      .describe('IMAP account of the inbox that replies and bounces arrive in; null for none.'),
    inbound_url: z
      .string()
      .nullable()
      .describe(
        'Secret address that a mail service may POST received mail to, as message/rfc822; null until it is made by a rotation. It ends in `/__unreadable__` if no configured key decrypts the secret; a rotation replaces it.',
      ),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  })
  .meta({
    id: 'Mailbox',
    description: 'An address and SMTP account that a {store} sends e-mail from. Passwords are write-only.',
  })

const imapOf = (row: Mailbox) =>
  row.imap_host
    ? {
        host: row.imap_host,
        port: row.imap_port as number,
        security: row.imap_security as NonNullable<Mailbox['imap_security']>,
        username: row.imap_username as string,
        password: row.imap_password ? REDACTED : null,
        folder: row.imap_folder as string,
        checked_at: row.imap_checked_at ?? null,
        error: row.imap_error ?? null,
      }
    : null

/** The mailbox as the API returns it. */
export const shownMailbox = (row: Mailbox) => ({
  ...row,
  smtp: {
    host: row.smtp_host,
    port: row.smtp_port,
    security: row.smtp_security,
    username: row.smtp_username ?? null,
    password: row.smtp_password ? REDACTED : null,
  },
  limits: { ...usualLimits, ...row.limits },
  imap: imapOf(row),
  inbound_url: row.inbound_secret ? `${config.publicUrl}/v1/mail/${row.inbound_secret}` : null,
})
