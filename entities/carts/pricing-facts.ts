// Everything that the price of a cart depends on, read in one statement.
import type { EntityManager } from '@mikro-orm/postgresql'
import { codeKey, type Membership } from '../../rules/promotions/promo-codes.ts'
import { invalid } from '../../rules/refusal.ts'
import type { LinkSchedule } from '../../rules/scheduling/scheduling.ts'
import type { Address } from '../../rules/stores/addresses.ts'
import type { Price } from '../../rules/stores/markets.ts'
import { membershipsOf } from '../audiences/access.ts'
import type { ProductVariant } from '../catalog/product-variant.ts'
import type { RowOf } from '../kit/database/row.ts'
import { type Sql, sql } from '../kit/database/sql.ts'
import { uuids } from '../kit/ids.ts'
import { type PromoCodeFacts, promoFacts } from '../promotions/promo-facts.ts'
import { offerOf } from '../scheduling/offers.ts'
import type { Market } from '../stores/market.ts'
import type { CartRow } from './carts.ts'

/** What of a cart decides its price. */
export type PricedCartRow = Omit<CartRow, 'is_current' | 'made_by' | 'created_at' | 'updated_at'>

type FactsCart = Pick<PricedCartRow, 'tenant_id' | 'contact_id' | 'market' | 'promo_code' | 'pickup_location_id'>

type MarketFacts = Pick<RowOf<Market>, 'key' | 'currency' | 'tax_mode' | 'zones' | 'payment_methods'> & {
  auto_confirm_paid: boolean
  approval_hours: number | null
  reminder_minutes: number | null
  timezone: string
  languages: string[]
  ships_from_location: boolean
  pickup_found: boolean
  pickup_address: Address | null
}

type VariantFacts = Pick<
  RowOf<ProductVariant>,
  'product_id' | 'sku' | 'prices' | 'requires_shipping' | 'taxable' | 'is_digital'
> & {
  variant_id: string
  key: string
  /** Value of the product's block `name`; null for none. */
  name: unknown
  active: boolean
  /** The units that a quote shows; null for a variant that is not tracked, and if `stock` is not requested. */
  available: number | null
}

export type LinkFacts = LinkSchedule & {
  service_id: string
  provider_id: string
  service_key: string
  provider_key: string
  active: boolean
  public: boolean
  is_approval_required: boolean
  prices: Price[]
}

type CodeFacts = PromoCodeFacts & { memberships: Membership[] }

export type Facts = MarketFacts & { variants: VariantFacts[]; links: LinkFacts[]; promo: CodeFacts | null }

/** `stock`: of variants, too. */
type Wanted = {
  variants: readonly string[]
  pairs: readonly { service_id: string; provider_id: string }[]
  order_id: string | undefined
  now: number
  stock?: boolean
}

/**
 * Units of a variant v that can be sold: where it is picked up, else at all locations. Null for a variant that is not
 * tracked.
 */
const availableAt = (pickup: string | null): Sql => {
  const isHere = pickup === null ? sql`true` : sql`v.is_digital or not v.requires_shipping or l.location_id = ${pickup}`
  return sql`
    (
      select sum(case when ${isHere} then l.available else 0 end)::bigint
      from inventory_levels l
      where l.tenant_id = v.tenant_id and l.variant_id = v.id
    )
  `
}

const variantsOf = (ids: readonly string[], available: Sql) => sql`
  select jsonb_agg(
    jsonb_build_object(
      'variant_id', v.id, 'product_id', v.product_id, 'key', g.key, 'name',
      (
        select b.value -> 'value'
        from jsonb_array_elements(g.blocks) b
        where b.value ->> 'key' = 'name'
        limit 1
      ),
      'active', g.status = 'active', 'sku', v.sku, 'prices', v.prices, 'requires_shipping', v.requires_shipping,
      'taxable', v.taxable, 'is_digital', v.is_digital, 'available', ${available}
    )
  )
  from product_variants v
  join products g on g.id = v.product_id and g.tenant_id = v.tenant_id
  where v.tenant_id = m.tenant_id and v.id = any (${uuids(ids)})
`

const offer = offerOf({ link: 'k', service: 's', provider: 'r' })

const linksOf = (pairs: Wanted['pairs']) => sql`
  select jsonb_agg(
    jsonb_build_object(
      'service_id', s.id, 'provider_id', r.id, 'service_key', s.key, 'provider_key', r.key, 'active',
      s.status = 'active' and r.status = 'active', 'public', s.access = 'public' and r.access = 'public',
      'is_approval_required', s.is_approval_required, 'prices', ${offer.prices}, 'working_days', k.working_days,
      'specific_dates', k.specific_dates, 'durations', ${offer.durations}, 'slot_interval', k.slot_interval,
      'concurrent_limit', ${offer.concurrent_limit}
    )
  )
  from unnest(
    ${uuids(pairs.map(({ service_id }) => service_id))}, ${uuids(pairs.map(({ provider_id }) => provider_id))}
  ) as w(service_id, provider_id)
  join service_providers k
    on k.service_id = w.service_id
    and k.provider_id = w.provider_id
    and k.tenant_id = m.tenant_id
  join services s on s.id = k.service_id and s.tenant_id = k.tenant_id
  join providers r on r.id = k.provider_id and r.tenant_id = k.tenant_id
`

/** The code that the contact typed, or the one that the order redeemed. */
const promoOf = (tenantId: string, contactId: string, code: string, orderId: string | undefined, now: number) => {
  const redeemed = sql`
    c.id = (
      select r.promo_code_id
      from promo_redemptions r
      where r.tenant_id = c.tenant_id and r.order_id = ${orderId ?? null}
    )
  `
  return sql`
    select ${promoFacts(tenantId, contactId)}
      || jsonb_build_object('memberships', coalesce((${membershipsOf(contactId, orderId, now)}), '[]'))
    from promo_codes c
    where c.tenant_id = m.tenant_id and ${orderId === undefined ? sql`c.code_key = ${codeKey(code)}` : redeemed}
  `
}

const none = sql`'[]'::jsonb`

/**
 * Throws 422 market_unknown. With an order_id the code is the one that this order redeemed. Kinds of items that the
 * cart does not have are left out of the statement: planning it takes as long as running it.
 */
export async function factsOf(
  em: EntityManager,
  cart: FactsCart,
  { variants, pairs, order_id, now, stock = false }: Wanted,
): Promise<Facts> {
  const available = stock ? availableAt(cart.pickup_location_id) : sql`null::bigint`
  const goods = variants.length > 0 ? sql`coalesce((${variantsOf(variants, available)}), '[]')` : none
  const links = pairs.length > 0 ? sql`coalesce((${linksOf(pairs)}), '[]')` : none
  const promo =
    cart.promo_code === null ? null : sql`(${promoOf(cart.tenant_id, cart.contact_id, cart.promo_code, order_id, now)})`
  const rows: Facts[] = await em.execute(sql`
    select m.key, m.currency, m.tax_mode, m.zones, m.payment_methods,
      coalesce((t.settings->>'auto_confirm_paid')::boolean, true) as auto_confirm_paid,
      (t.settings->'approval_hours')::int as approval_hours, t.settings->'booking_reminder_minutes' as reminder_minutes,
      t.timezone, t.languages,
      exists (
        select 1
        from locations l
        where l.tenant_id = m.tenant_id and l.address->>'country' is not null
      ) as ships_from_location,
      p.id is not null as pickup_found, p.address as pickup_address, ${goods} as variants, ${links} as links,
      ${promo} as promo
    from markets m
    join tenants t on t.id = m.tenant_id
    left join locations p on p.tenant_id = m.tenant_id and p.id = ${cart.pickup_location_id} and p.is_pickup_location
    where m.tenant_id = ${cart.tenant_id} and m.key = ${cart.market}
  `)
  if (!rows[0]) throw invalid('/market', 'market_unknown', `There is no market ${cart.market}.`)
  return rows[0]
}
