// Audiences as storefronts show them: active tiers, with the prices that can be subscribed to.
import type { EntityManager } from '@mikro-orm/postgresql'
import type { PriceInterval, PublicEnrollment } from '../../rules/audiences/audiences.ts'
import { sql } from '../kit/database/sql.ts'
import { uuids } from '../kit/ids.ts'

type PublicTier = {
  id: string
  key: string
  name: string
  description: string | null
  benefits: string[]
  prices: { id: string; amount: number; currency: string; interval: PriceInterval | null }[]
}

/** Completes audiences as storefronts show them. One statement, if one of the audiences is paid. */
export async function publicAudiences(
  em: EntityManager,
  tenantId: string,
  audiences: readonly { id: string; key: string; name: string; type: PublicEnrollment }[],
) {
  const paid = audiences.filter(({ type }) => type === 'paid').map(({ id }) => id)
  const tiers: (PublicTier & { audience_id: string })[] =
    paid.length === 0
      ? []
      : await em.execute(sql`
        select t.audience_id, t.id, t.key, t.name, t.description, t.benefits,
          coalesce(
            (
              select jsonb_agg(
                jsonb_build_object(
                  'id', p.id, 'amount', p.amount, 'currency', p.currency, 'interval', p.interval
                ) order by p.position,
                p.id
              )
              from audience_prices p
              where p.tenant_id = t.tenant_id
                and p.tier_id = t.id
                and p.status = 'active'
                and p.ready
                and (
                  p.amount = 0
                  or exists (
                    select 1
                    from payment_providers v
                    where v.tenant_id = t.tenant_id and v.id = t.payment_provider_id and v.account_id is not null
                  )
                )
            ),
            '[]'
          ) as prices
        from audience_tiers t
        where t.tenant_id = ${tenantId} and t.audience_id = any (${uuids(paid)}) and t.status = 'active'
        order by t.created_at, t.id
      `)
  const byAudience = Map.groupBy(tiers, ({ audience_id }) => audience_id)
  return audiences.map(({ id, key, name, type }) => ({
    id,
    key,
    name,
    type: { type },
    tiers: byAudience.get(id) ?? [],
  }))
}
