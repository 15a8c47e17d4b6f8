// Counters of a campaign by step and mailbox, changed in the statement that changes what they count.
import { defineEntity, p } from '@mikro-orm/core'
import { Campaign } from './campaign.ts'

const schema = defineEntity({
  name: 'CampaignStat',
  tableName: 'campaign_stats',
  properties: {
    campaign_id: () => p.manyToOne(Campaign).mapToPk().deleteRule('cascade').joinColumn('campaign_id').primary(),
    step: p.integer().primary(),
    mailbox_id: p.uuid().primary(),
    tenant_id: p.uuid(),
    requested: p.integer().default(0),
    succeeded: p.integer().default(0),
    rejected: p.integer().default(0),
    failed: p.integer().default(0),
    unknown: p.integer().default(0),
    bounced: p.integer().default(0),
    /** Those of `bounced` whose addresses do not exist. */
    hard_bounced: p.integer().default(0),
    /** Permanent refusals while sending, also of messages that wait for another attempt. */
    refused: p.integer().default(0),
    /**
     * Those of the refused messages whose first attempt was refused for the sender's reputation or missing
     * authentication.
     */
    distrusted: p.integer().default(0),
    complained: p.integer().default(0),
    replied: p.integer().default(0),
  },
})
export class CampaignStat extends schema.class {}
schema.setClass(CampaignStat)
