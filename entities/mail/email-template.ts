// A template of a store's mails: Liquid in all parts, MJML or HTML for the body.
import { defineEntity, p } from '@mikro-orm/core'
import { EmailTemplateFormat, EmailTemplateType } from '../../rules/mail/email-templates.ts'
import { RecordStatus } from '../../rules/shapes.ts'
import { tenantRow } from '../kit/database/row.ts'

const schema = defineEntity({
  name: 'EmailTemplate',
  tableName: 'email_templates',
  properties: {
    ...tenantRow,
    key: p.string(),
    type: p.enum(EmailTemplateType.options).default('transactional'),
    status: p.enum(RecordStatus.options).default('active'),
    format: p.enum(EmailTemplateFormat.options).default('mjml'),
    subject: p.text(),
    body: p.text(),
    /** Null: the text is derived from the HTML part. */
    text: p.text().nullable(),
  },
  uniques: [{ properties: ['tenant_id', 'key'] }],
  indexes: [{ properties: ['tenant_id', 'created_at', 'id'] }, { properties: ['tenant_id', 'updated_at', 'id'] }],
})
export class EmailTemplate extends schema.class {}
schema.setClass(EmailTemplate)
