// A step of a launched campaign: the template's source as it was at the launch. Later edits of the template change
// nothing.
import { defineEntity, p } from '@mikro-orm/core'
import { EmailTemplateFormat } from '../../rules/mail/email-templates.ts'
import { tenantRow } from '../kit/database/row.ts'
import { Campaign } from './campaign.ts'

const schema = defineEntity({
  name: 'CampaignStep',
  tableName: 'campaign_steps',
  properties: {
    ...tenantRow,
    campaign_id: () => p.manyToOne(Campaign).mapToPk().deleteRule('cascade').joinColumn('campaign_id'),
    /** From 0. */
    position: p.integer(),
    template_id: p.uuid(),
    delay_s: p.integer(),
    variables: p.json<Record<string, unknown>>(),
    in_thread: p.boolean().default(false),
    format: p.enum(EmailTemplateFormat.options),
    subject: p.text(),
    body: p.text(),
    text: p.text().nullable(),
    /** The first message that was rendered: later ones are compressed with it. */
    dictionary: p.blob().nullable(),
  },
  uniques: [{ properties: ['campaign_id', 'position'] }],
})
export class CampaignStep extends schema.class {}
schema.setClass(CampaignStep)
