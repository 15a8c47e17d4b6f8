// A price of a tier. Amount, currency and interval never change; it is archived, never deleted.
import { defineEntity, p } from '@mikro-orm/core'
import type { PriceInterval } from '../../rules/audiences/audiences.ts'
import { ArchivableStatus } from '../../rules/shapes.ts'
import { tenantRow } from '../kit/database/row.ts'
import type { EffectError } from '../kit/effect-columns.ts'
import { AudienceTier } from './audience-tier.ts'

const schema = defineEntity({
  name: 'AudiencePrice',
  tableName: 'audience_prices',
  properties: {
    ...tenantRow,
    tier_id: () => p.manyToOne(AudienceTier).mapToPk().deleteRule('cascade').joinColumn('tier_id'),
    status: p.enum(ArchivableStatus.options).default('active'),
    /** Minor units of the currency. */
    amount: p.bigint('number'),
    currency: p.string().length(3),
    /** Null: charged once, for access without an end. */
    interval: p.json<PriceInterval>().nullable(),
    /** Order within the tier. */
    position: p.integer(),
    /** A price with an interval becomes ready when the provider has it. */
    ready: p.boolean().default(false),
    /** The price at the provider; null for one that is charged once, and until the provider has it. */
    provider_price_id: p.string().nullable(),
    error: p.json<EffectError>().nullable(),
  },
  checks: [
    { expression: 'amount >= 0', name: 'audience_prices_amount' },
    { expression: 'ready or interval is not null', name: 'audience_prices_ready' },
  ],
  indexes: [{ properties: ['tier_id', 'position', 'id'] }],
})
export class AudiencePrice extends schema.class {}
schema.setClass(AudiencePrice)
