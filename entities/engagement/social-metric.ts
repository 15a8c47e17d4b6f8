// Figures of a publication, as the network reported them last.
import { defineEntity, p } from '@mikro-orm/core'
import type { MetricValues } from '../../rules/social/networks/capability.ts'
import { tenantRow } from '../kit/database/row.ts'

const schema = defineEntity({
  name: 'SocialMetric',
  tableName: 'social_metrics',
  properties: { ...tenantRow, publication_id: p.uuid(), values: p.json<MetricValues>(), synced_at: p.bigint('number') },
  uniques: [{ properties: ['tenant_id', 'publication_id'] }],
})
export class SocialMetric extends schema.class {}
schema.setClass(SocialMetric)
