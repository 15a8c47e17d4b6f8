// Whom a store's mails are from: an address and a name without anything that a header could be made of, and an SMTP account.
import { z } from 'zod'
import { Email } from './identities.ts'
import { anyCase } from './shapes.ts'
import { writeOnly } from './write-only.ts'

export const SmtpSecurity = z.enum(['tls', 'starttls', 'none'])

/** A name of the DNS or an address; whether it is public is asked when something is sent there. */
const SmtpHost = z
  .string()
  .trim()
  .toLowerCase()
  .max(253)
  .refine(
    (host) => /^[a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?$/.test(host) || z.ipv6().safeParse(host).success,
    'a host name or an address, without scheme, port and brackets',
  )

/** Kept ones go nowhere but where they were given for, so the account is sent as a whole. */
export const Smtp = z
  .strictObject({
    host: SmtpHost,
    port: z.union([z.literal([25, 465, 587]), z.int().min(1024).max(65_535)], '25, 465, 587 or above 1023'),
    security: anyCase(SmtpSecurity).describe('`tls` from the first byte, `starttls` insisted on; `none` only to hosts that EGRESS_ALLOW names'),
    username: z.string().min(1).max(255).nullish(),
    password: writeOnly(z.string().min(1).max(1024)).nullish().describe('write-only; left out, the stored one stays with its host and username'),
  })
  .refine(({ username, password }) => username || !password, { path: ['username'], message: 'a password belongs to a username' })
export type Smtp = z.output<typeof Smtp>

const line = z
  .string()
  .trim()
  .min(1)
  .max(255)
  .regex(/^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]+$/u, 'one line of text')

export const MailboxFields = { email: Email, name: line.nullish(), reply_to: Email.nullish(), status: anyCase(z.enum(['active', 'archived'])).optional() }
