// A price that is charged repeatedly has to exist at the payment provider before it can be subscribed to. Creating it
// there is an effect.
import { defineEntity, p } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import { AudiencePrice } from '../audiences/audience-price.ts'
import { tenantRow } from '../kit/database/row.ts'
import { sql } from '../kit/database/sql.ts'
import { attentionIndexes, effect } from '../kit/effect-columns.ts'
import { effectRow } from '../kit/effects.ts'

const schema = defineEntity({
  name: 'PriceProvision',
  tableName: 'price_provisions',
  properties: {
    ...tenantRow,
    price_id: () => p.manyToOne(AudiencePrice).mapToPk().deleteRule('cascade').joinColumn('price_id'),
    /** The connected account that the price is created in. */
    provider_account_id: p.string(),
    /** The id that the provider answered, or under which it was found there afterwards. */
    provider_price_id: p.string().nullable(),
    ...effect,
  },
  indexes: [
    { properties: ['price_id', 'created_at', 'id'] },
    { properties: ['status', 'created_at'] },
    {
      name: 'price_provisions_open',
      expression: `
        create unique index "price_provisions_open" on "price_provisions" ("price_id")
        where status in ('requested', 'processing')
      `,
    },
    ...attentionIndexes('price_provisions'),
  ],
})
export class PriceProvision extends schema.class {}
schema.setClass(PriceProvision)

/** Copies the outcome to the price. A price that is ready stays so, with any later outcome. */
async function recordOutcome(em: EntityManager, id: string): Promise<void> {
  await em.execute(sql`
    update audience_prices p
    set provider_price_id = coalesce(p.provider_price_id, e.provider_price_id),
      ready = p.ready or e.provider_price_id is not null,
      error = case when p.ready or e.provider_price_id is not null then null else e.error end,
      updated_at = extract(epoch from clock_timestamp())::bigint
    from price_provisions e
    where e.id = ${id} and e.settled_at is not null and p.id = e.price_id and p.tenant_id = e.tenant_id
  `)
}

/** The provider has the price though the outcome is unknown: it is used, and the status stays. */
export async function adoptPrice(em: EntityManager, id: string, providerPriceId: string): Promise<void> {
  await em.execute(sql`
    update price_provisions e
    set provider_price_id = ${providerPriceId}, updated_at = extract(epoch from clock_timestamp())::bigint
    from audience_prices p
    where e.id = ${id}
      and e.status = 'unknown'
      and e.provider_price_id is null
      and p.id = e.price_id
      and p.tenant_id = e.tenant_id
  `)
  await recordOutcome(em, id)
}

export const priceProvisionEffect = effectRow('price_provision', {
  precondition: sql`true`,
  afterStatusChange: recordOutcome,
  late: async (em, id, { provider_price_id }) => {
    if (typeof provider_price_id === 'string') await adoptPrice(em, id, provider_price_id)
  },
})
