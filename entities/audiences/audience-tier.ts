// A level of a paid audience. It is archived, never deleted: members keep it.
import { defineEntity, p } from '@mikro-orm/core'
import { ArchivableStatus } from '../../rules/shapes.ts'
import { tenantRow } from '../kit/database/row.ts'
import { PaymentProvider } from '../stores/payment-provider.ts'
import { Audience } from './audience.ts'

const schema = defineEntity({
  name: 'AudienceTier',
  tableName: 'audience_tiers',
  properties: {
    ...tenantRow,
    audience_id: () => p.manyToOne(Audience).mapToPk().deleteRule('cascade').joinColumn('audience_id'),
    key: p.string(),
    name: p.string(),
    description: p.text().nullable(),
    benefits: p.json<string[]>(),
    status: p.enum(ArchivableStatus.options).default('active'),
    payment_provider_id: () =>
      p.manyToOne(PaymentProvider).mapToPk().deleteRule('set null').joinColumn('payment_provider_id').nullable(),
  },
  uniques: [{ properties: ['audience_id', 'key'] }],
  indexes: [
    { properties: ['audience_id', 'created_at', 'id'] },
    { properties: ['audience_id', 'updated_at', 'id'] },
    { properties: ['payment_provider_id'] },
  ],
})
export class AudienceTier extends schema.class {}
schema.setClass(AudienceTier)
