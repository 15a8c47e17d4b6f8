// A sender of a store's mails, with its SMTP account.
import { defineEntity, p } from '@mikro-orm/core'
import { type MailboxLimits, ServerSecurity } from '../../rules/mail/mailboxes.ts'
import { ArchivableStatus } from '../../rules/shapes.ts'
import { tenantRow } from '../kit/database/row.ts'
import type { EffectError } from '../kit/effect-columns.ts'
import { Encrypted } from '../kit/encrypted.ts'

const schema = defineEntity({
  name: 'Mailbox',
  tableName: 'mailboxes',
  properties: {
    ...tenantRow,
    key: p.string(),
    email: p.string(),
    name: p.string().nullable(),
    reply_to: p.string().nullable(),
    status: p.enum(ArchivableStatus.options).default('active'),
    smtp_host: p.string(),
    smtp_port: p.integer(),
    /** `tls`: from the first byte; `starttls`: required; `none`: only for hosts that EGRESS_ALLOW names. */
    smtp_security: p.enum(ServerSecurity.options),
    smtp_username: p.string().nullable(),
    smtp_password: p.type(Encrypted).nullable(),
    /** What campaigns may send over it; a limit that is left out is the usual one (rules/campaigns/campaigns.ts). */
    limits: p.json<Partial<MailboxLimits>>().default('{}'),
    /** The inbox that replies and bounces are read from. */
    imap_host: p.string().nullable(),
    imap_port: p.integer().nullable(),
    imap_security: p.enum(ServerSecurity.options).nullable(),
    imap_username: p.string().nullable(),
    imap_password: p.type(Encrypted).nullable(),
    imap_folder: p.string().nullable(),
    /** Messages up to this one were read: its UID, and the validity of the folder's UIDs (RFC 3501, 2.3.1.1). */
    imap_uid_validity: p.bigint('number').nullable(),
    imap_uid: p.bigint('number').nullable(),
    imap_checked_at: p.bigint('number').nullable(),
    /** When everything was read; `imap_checked_at` is also that of a read that failed. Null before version 0.3. */
    imap_read_at: p.bigint('number').nullable(),
    imap_error: p.json<EffectError>().nullable(),
    /** Reads in a row that its server took long for: the next ones have less time, and wait longer. */
    imap_slow: p.integer().default(0),
    /** The secret of the address that received mail is posted to, and its SHA-256. */
    inbound_secret: p.type(Encrypted).nullable(),
    inbound_digest: p.string().length(64).unique().nullable(),
    /** A drain attends to its campaign messages until then. */
    awake_until: p.datetime(3).nullable(),
    /**
     * What its server last refused, and since when nothing could be sent; the next attempt is at `sending_again_at`.
     */
    sending_error: p.json<EffectError>().nullable(),
    sending_failed_since: p.bigint('number').nullable(),
    sending_failures: p.integer().default(0),
    sending_again_at: p.datetime(3).nullable(),
    /** The messages that may be sent now under `per_second`, and when that was counted. */
    send_tokens: p.double().default(0),
    send_tokens_at: p.datetime(3).nullable(),
    /** When a campaign message was last handed to its server. */
    sent_at: p.bigint('number').nullable(),
  },
  uniques: [{ properties: ['tenant_id', 'key'] }],
  indexes: [
    { properties: ['tenant_id', 'created_at', 'id'] },
    { properties: ['tenant_id', 'updated_at', 'id'] },
    // The reconciler finds inboxes that are not read any more.
    {
      name: 'mailboxes_inbox',
      expression: `create index "mailboxes_inbox" on "mailboxes" ("imap_checked_at") where imap_host is not null`,
    },
  ],
})
export class Mailbox extends schema.class {}
schema.setClass(Mailbox)
