// A sender of a store's mails, with its SMTP account.

import { defineEntity, p } from '@mikro-orm/core'
import { SmtpSecurity } from '../../rules/mail/mailboxes.ts'
import { ArchivableStatus } from '../../rules/shapes.ts'
import { Encrypted } from '../kit/encrypted.ts'
import { tenantRow } from '../kit/row.ts'

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
    smtp_security: p.enum(SmtpSecurity.options),
    smtp_username: p.string().nullable(),
    smtp_password: p.type(Encrypted).nullable(),
  },
  uniques: [{ properties: ['tenant_id', 'key'] }],
  indexes: [{ properties: ['tenant_id', 'created_at', 'id'] }, { properties: ['tenant_id', 'updated_at', 'id'] }],
})
export class Mailbox extends schema.class {}
schema.setClass(Mailbox)
