// All that the store knows about what is in a cart, in one statement.
import type { EntityManager } from '@mikro-orm/postgresql'
import { codeKey, type PromoFacts } from '../../rules/orders/promo-codes.ts'
import { invalid } from '../../rules/refusal.ts'
import type { LinkSchedule } from '../../rules/scheduling/scheduling.ts'
import type { Address, BookingItem, FormEntry, PaymentMethod, Price, ProductItem, TaxMode, Zone } from '../../rules/shapes.ts'
import { arrayOf } from '../kit/ids.ts'

export type CartRow = {
  id: string
  tenant_id: string
  contact_id: string
  status: 'open' | 'ordered'
  market: string
  product_items: ProductItem[]
  booking_items: BookingItem[]
  shipping_address: Address | null
  billing_address: Address | null
  forms: FormEntry[]
  payment_method_key: string | null
  shipping_method_id: string | null
  pickup_location_id: string | null
  promo_code: string | null
}

type MarketFacts = {
  key: string
  currency: string
  tax_mode: TaxMode
  zones: Zone[]
  payment_methods: PaymentMethod[]
  auto_confirm_paid: boolean
  timezone: string
  ships_from_location: boolean
  pickup_found: boolean
  pickup_address: Address | null
}

type VariantFacts = {
  variant_id: string
  product_id: string
  key: string
  active: boolean
  sku: string | null
  prices: Price[]
  requires_shipping: boolean
  taxable: boolean
  is_digital: boolean
}

export type LinkFacts = LinkSchedule & { service_id: string; provider_id: string; service_key: string; provider_key: string; active: boolean; prices: Price[] }

type CodeFacts = PromoFacts & { id: string; code: string }

export type Facts = MarketFacts & { variants: VariantFacts[]; links: LinkFacts[]; promo: CodeFacts | null }

type Wanted = { variants: readonly string[]; pairs: readonly { service_id: string; provider_id: string }[]; order_id: string | undefined }

const variantsOf = `select jsonb_agg(jsonb_build_object('variant_id', v.id, 'product_id', v.product_id, 'key', g.key, 'active', g.status = 'active', 'sku', v.sku, 'prices', v.prices,
    'requires_shipping', v.requires_shipping, 'taxable', v.taxable, 'is_digital', v.is_digital))
  from product_variants v join products g on g.id = v.product_id and g.tenant_id = v.tenant_id where v.tenant_id = m.tenant_id and v.id = any(?::uuid[])`

const linksOf = `select jsonb_agg(jsonb_build_object('service_id', s.id, 'provider_id', r.id, 'service_key', s.key, 'provider_key', r.key,
    'active', s.status = 'active' and r.status = 'active', 'prices', k.prices, 'working_days', k.working_days, 'specific_dates', k.specific_dates,
    'durations', k.durations, 'slot_interval', k.slot_interval, 'concurrent_limit', k.concurrent_limit))
  from unnest(?::uuid[], ?::uuid[]) as w(service_id, provider_id)
  join service_providers k on k.service_id = w.service_id and k.provider_id = w.provider_id and k.tenant_id = m.tenant_id
  join services s on s.id = k.service_id and s.tenant_id = k.tenant_id join providers r on r.id = k.provider_id and r.tenant_id = k.tenant_id`

const promoOf = (
  which: string,
) => `select jsonb_build_object('id', c.id, 'code', c.code, 'status', c.status, 'discounts', c.discounts, 'conditions', c.conditions, 'uses', c.uses,
    'contact_uses', (select count(*) from orders o join promo_redemptions d on d.order_id = o.id and d.tenant_id = o.tenant_id
      where o.tenant_id = c.tenant_id and o.contact_id = ? and d.promo_code_id = c.id))
  from promo_codes c where c.tenant_id = m.tenant_id and ${which}`
const typed = 'c.code_key = ?'
const redeemed = 'c.id = (select r.promo_code_id from promo_redemptions r where r.tenant_id = c.tenant_id and r.order_id = ?)'

/**
 * Throws 422 market_unknown. With an order_id the code is the one that this order redeemed. What the cart has nothing of is not asked for:
 * planning a statement takes as long as running it.
 */
export async function factsOf(em: EntityManager, cart: CartRow, { variants, pairs, order_id }: Wanted): Promise<Facts> {
  const [goods, times, code] = [variants.length > 0, pairs.length > 0, cart.promo_code]
  const rows: Facts[] = await em.execute(
    `select m.key, m.currency, m.tax_mode, m.zones, m.payment_methods, coalesce((t.settings->>'auto_confirm_paid')::boolean, true) as auto_confirm_paid, t.timezone,
       exists (select 1 from locations l where l.tenant_id = m.tenant_id and l.address->>'country' is not null) as ships_from_location,
       p.id is not null as pickup_found, p.address as pickup_address, ${goods ? `coalesce((${variantsOf}), '[]')` : `'[]'::jsonb`} as variants,
       ${times ? `coalesce((${linksOf}), '[]')` : `'[]'::jsonb`} as links, ${code === null ? 'null' : `(${promoOf(order_id === undefined ? typed : redeemed)})`} as promo
     from markets m join tenants t on t.id = m.tenant_id
     left join locations p on p.tenant_id = m.tenant_id and p.id = ? and p.is_pickup_location
     where m.tenant_id = ? and m.key = ?`,
    [
      ...(goods ? [arrayOf(variants)] : []),
      ...(times ? [arrayOf(pairs.map(({ service_id }) => service_id)), arrayOf(pairs.map(({ provider_id }) => provider_id))] : []),
      ...(code === null ? [] : [cart.contact_id, order_id ?? codeKey(code)]),
      ...[cart.pickup_location_id, cart.tenant_id, cart.market],
    ],
  )
  if (!rows[0]) throw invalid('/market', 'market_unknown', `There is no market ${cart.market}.`)
  return rows[0]
}
