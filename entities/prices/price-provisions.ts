// Requests the creation of prices at the payment provider: when a tier is written, and when its provider is connected.
import type { EntityManager } from '@mikro-orm/postgresql'
import { insertions } from '../kit/database/insert.ts'
import { column, sql } from '../kit/database/sql.ts'
import { newId } from '../kit/ids.ts'
import { startAll } from '../kit/outbox.ts'
import { PriceProvision } from './price-provision.ts'

type Due = { price_id: string; provider_account_id: string; tenant_id: string; is_requested: boolean; now: number }

/**
 * Requests every active price of active tiers that is not ready: of one tier, or of all tiers of a payment provider. A
 * price whose last request ended without success is requested again; one whose request has not ended is not. Prices are
 * left out until the provider has an account. Returns whether any is waited for.
 */
export async function requestProvisions(
  em: EntityManager,
  of: { tier_id: string } | { payment_provider_id: string },
  awaited: boolean,
): Promise<boolean> {
  const [name, id] =
    'tier_id' in of ? (['id', of.tier_id] as const) : (['payment_provider_id', of.payment_provider_id] as const)
  // A statement of its own waits for a connection that is being recorded: the next one then finds its account, or else
  // the connection finds these prices.
  if ('tier_id' in of)
    await em.execute(sql`
      select 1
      from audience_tiers t
      join payment_providers v on v.id = t.payment_provider_id and v.tenant_id = t.tenant_id
      where t.id = ${id}
      for share of v
    `)
  const due: Due[] = await em.execute(sql`
    select p.id as price_id, v.account_id as provider_account_id, p.tenant_id,
      extract(epoch from clock_timestamp())::bigint::float8 as now,
      exists (
        select 1
        from price_provisions e
        where e.price_id = p.id and e.tenant_id = p.tenant_id and e.status in ('requested', 'processing')
      ) as is_requested
    from audience_tiers t
    join audience_prices p on p.tier_id = t.id and p.tenant_id = t.tenant_id
    join payment_providers v on v.id = t.payment_provider_id and v.tenant_id = t.tenant_id
    where t.${column(name)} = ${id}
      and t.status = 'active'
      and p.status = 'active'
      and not p.ready
      and v.account_id is not null
    order by p.id
    for share of v
  `)
  const [first] = due
  if (!first) return false
  const { tenant_id, now } = first
  const same = { tenant_id, created_at: now, updated_at: now, fingerprint: '' }
  const rows = due.flatMap(({ is_requested, price_id, provider_account_id }) =>
    is_requested ? [] : [{ id: newId(), price_id, provider_account_id }],
  )
  if (rows.length === 0) return true
  const requested: { id: string }[] = await em.execute(sql`
    ${insertions(em, PriceProvision, same, rows)}
    on conflict (price_id) where status in ('requested', 'processing') do nothing
    returning id
  `)
  await startAll(
    em,
    'price_provision',
    requested.map(({ id }) => id),
    { tenant_id, awaited },
  )
  return true
}

/** Whether a price of the tier is being created at the provider. */
export async function isProvisioning(em: EntityManager, tenantId: string, tierId: string): Promise<boolean> {
  const [row]: { any: boolean }[] = await em.execute(sql`
    select exists (
      select 1
      from price_provisions e
      join audience_prices p on p.id = e.price_id and p.tenant_id = e.tenant_id
      where p.tenant_id = ${tenantId} and p.tier_id = ${tierId} and e.status in ('requested', 'processing')
    ) as any
  `)
  return row?.any ?? false
}

/** Whether a price of the tier may exist at its provider. */
export async function hasProvisions(em: EntityManager, tenantId: string, tierId: string): Promise<boolean> {
  const [row]: { any: boolean }[] = await em.execute(sql`
    select exists (
      select 1
      from price_provisions e
      join audience_prices p on p.id = e.price_id and p.tenant_id = e.tenant_id
      where p.tenant_id = ${tenantId}
        and p.tier_id = ${tierId}
        and e.status in ('requested', 'processing', 'succeeded', 'unknown')
    ) as any
  `)
  return row?.any ?? false
}
