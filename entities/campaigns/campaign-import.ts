// An import of enrollments into a draft campaign. It is done in parts.
import { defineEntity, p } from '@mikro-orm/core'
import { ImportStatus } from '../../rules/campaigns/campaigns.ts'
import type { Failure } from '../../rules/campaigns/imports.ts'
import { tenantRow } from '../kit/database/row.ts'
import { Encrypted } from '../kit/encrypted.ts'
import { Campaign } from './campaign.ts'

const schema = defineEntity({
  name: 'CampaignImport',
  tableName: 'campaign_imports',
  properties: {
    ...tenantRow,
    campaign_id: () => p.manyToOne(Campaign).mapToPk().deleteRule('cascade').joinColumn('campaign_id'),
    /** JSON of the request: ids and addresses, with their variables. */
    sources: p.type(Encrypted),
    status: p.enum(ImportStatus.options).default('running'),
    /** Where the next part begins. */
    position: p.json<Record<string, unknown>>(),
    enrolled: p.integer().default(0),
    already_enrolled: p.integer().default(0),
    /** Number by reason. */
    skipped: p.json<Record<string, number>>(),
    /** The first hundred that could not be enrolled. */
    failed: p.json<Failure[]>(),
    error: p.json<{ code: string; message: string }>().nullable(),
  },
  indexes: [
    { properties: ['campaign_id', 'created_at', 'id'] },
    {
      name: 'campaign_imports_running',
      expression: `
        create index "campaign_imports_running" on "campaign_imports" ("created_at")
        where status = 'running'
      `,
    },
  ],
})
export class CampaignImport extends schema.class {}
schema.setClass(CampaignImport)
