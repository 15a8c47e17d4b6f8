// Senders of e-mail: an address, a display name that cannot inject headers, and an SMTP account.
import { z } from 'zod'
import { EmailAddress } from '../input/email-addresses.ts'
import { writeOnly } from '../input/write-only.ts'
import { ArchivableStatus, anyCase } from '../shapes.ts'

/**
 * How a connection to SMTP or IMAP is secured: `tls` from the first byte; `starttls` is required; `none` only for hosts
 * that EGRESS_ALLOW names.
 */
export const ServerSecurity = z.enum(['tls', 'starttls', 'none'])

/**
 * What campaigns send over a mailbox at most: messages per second and per day (null: no limit), open connections, and
 * messages over one connection.
 */
export type MailboxLimits = {
  per_second: number | null
  per_day: number | null
  connections: number
  messages_per_connection: number
}
export const usualLimits: MailboxLimits = {
  per_second: null,
  per_day: null,
  connections: 5,
  messages_per_connection: 100,
}
export const CONNECTIONS_MAX = 50

/** A DNS name or an IP address. Whether it is public is checked when an e-mail is sent. */
const ServerHost = z
  .string()
  .trim()
  .toLowerCase()
  .max(253)
  .refine(
    (host) => /^[a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?$/.test(host) || z.ipv6().safeParse(host).success,
    'Expected a host name or an IP address, without scheme, port and brackets.',
  )

const portOf = (...usual: number[]) =>
  z.union([z.literal(usual), z.int().min(1024).max(65_535)], `Expected ${usual.join(', ')} or a port above 1023.`)

const Security = anyCase(ServerSecurity).describe(
  "`tls` from the first byte; `starttls` is required; `none` is accepted only for hosts that the server's EGRESS_ALLOW names.",
)
const Password = writeOnly(z.string().min(1).max(1024))

/** Replaced as a whole: a stored password belongs to its host and username. */
export const Smtp = z
  .strictObject({
    host: ServerHost.describe('Host name or address of the SMTP server, without scheme and port.'),
    port: portOf(25, 465, 587).describe('Port of the SMTP server: 25, 465, 587, or one above 1023.'),
    security: Security,
    username: z
      .string()
      .min(1)
      .max(255)
      .nullish()
      .describe('User name to sign in with; null or left out for no sign-in.'),
    password: Password.nullish().describe(
      'Password to sign in with. Write-only. Left out, the stored one is kept while host and username stay the same.',
    ),
  })
  .refine(({ username, password }) => username || !password, {
    path: ['username'],
    message: 'Required with a password.',
  })
export type Smtp = z.output<typeof Smtp>

/** Replaced as a whole, like an SMTP account. */
export const Imap = z.strictObject({
  host: ServerHost.describe('Host name or address of the IMAP server, without scheme and port.'),
  port: portOf(143, 993).describe('Port of the IMAP server: 143, 993, or one above 1023.'),
  security: Security,
  username: z.string().min(1).max(255).describe('User name to sign in with.'),
  password: Password.optional().describe(
    'Password to sign in with. Write-only. Left out, the stored one is kept while host and username stay the same.',
  ),
  folder: z
    .string()
    .min(1)
    .max(255)
    .regex(/^[^\p{Cc}\p{Cs}]+$/u, 'Expected the name of a folder.')
    .default('INBOX')
    .describe('Folder that replies and bounces arrive in; `INBOX` by default.'),
})
export type Imap = z.output<typeof Imap>

/** Replaced as a whole: a limit that is left out is the usual one. */
export const Limits = z.strictObject({
  per_second: z.number().min(0.01).max(1000).nullish().describe('Messages per second; null or left out for no limit.'),
  per_day: z.int().min(1).max(10_000_000).nullish().describe('Messages per day; null or left out for no limit.'),
  connections: z
    .int()
    .min(1)
    .max(CONNECTIONS_MAX)
    .optional()
    .describe('Open connections to the SMTP server, 50 at most; 5 by default.'),
  messages_per_connection: z
    .int()
    .min(1)
    .max(10_000)
    .optional()
    .describe('Messages over one connection; 100 by default.'),
})

const line = z
  .string()
  .trim()
  .min(1)
  .max(255)
  .regex(/^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]+$/u, 'Expected one line of text.')

export const MailboxFields = {
  email: EmailAddress.describe('Address that e-mails are sent from.'),
  name: line.nullish().describe('Display name of the sender; null for none.'),
  reply_to: EmailAddress.nullish().describe('Address for replies; if null, that of the sender.'),
  status: anyCase(ArchivableStatus)
    .optional()
    .describe('E-mails are sent from `active` mailboxes only. `active` by default.'),
}
