// An e-mail that came back to a campaign: a reply, an automatic reply, a bounce or a complaint. Other mail of a mailbox
// is not stored.
import { defineEntity, p } from '@mikro-orm/core'
import { InboundKind } from '../../rules/campaigns/campaigns.ts'
import { tenantRow } from '../kit/database/row.ts'
import { Encrypted } from '../kit/encrypted.ts'

const schema = defineEntity({
  name: 'InboundMail',
  tableName: 'inbound_mails',
  properties: {
    ...tenantRow,
    mailbox_id: p.uuid(),
    /** SHA-256 of the message: the same one is stored once. */
    digest: p.string().length(64),
    kind: p.enum(InboundKind.options),
    enrollment_id: p.uuid().nullable(),
    campaign_message_id: p.uuid().nullable(),
    from: p.string().length(254).nullable(),
    subject: p.text(),
    /** JSON of text, html and attachments. */
    content: p.type(Encrypted),
    message_id: p.text().nullable(),
    received_at: p.bigint('number'),
  },
  uniques: [{ properties: ['mailbox_id', 'digest'] }],
  indexes: [
    { properties: ['enrollment_id', 'created_at', 'id'] },
    { properties: ['campaign_message_id', 'created_at', 'id'] },
  ],
})
export class InboundMail extends schema.class {}
schema.setClass(InboundMail)
