// What a cart costs right now: the one pricing rule, fed in one statement; quote and checkout both come here.
import type { EntityManager } from '@mikro-orm/postgresql'
import { type Priced, price } from '../../rules/pricing.ts'
import { invalid } from '../../rules/refusal.ts'
import type { Address, FormEntry, PaymentMethod, Price, ProductItem, TaxMode, Zone } from '../../rules/shapes.ts'

export type CartRow = {
  id: string
  tenant_id: string
  contact_id: string
  status: 'open' | 'ordered'
  market: string
  product_items: ProductItem[]
  booking_items: unknown[]
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
  ships_from_location: boolean
  pickup_found: boolean
  pickup_address: Address | null
}

/** Cart lines of the same variant are one line; where it stood first is where a fault points. */
export function mergedItems(items: readonly ProductItem[]): (ProductItem & { pointer: string })[] {
  const merged = new Map<string, ProductItem & { pointer: string }>()
  items.forEach((item, at) => {
    const known = merged.get(item.variant_id)
    if (known) known.quantity += item.quantity
    else merged.set(item.variant_id, { ...item, pointer: `/product_items/${at}` })
  })
  return [...merged.values()]
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

type Facts = MarketFacts & { variants: VariantFacts[] }

/** All that the store knows about what is in the cart, in one statement. */
async function factsOf(em: EntityManager, cart: CartRow, variantIds: readonly string[]): Promise<Facts> {
  const rows: Facts[] = await em.execute(
    `select m.key, m.currency, m.tax_mode, m.zones, m.payment_methods, coalesce((t.settings->>'auto_confirm_paid')::boolean, true) as auto_confirm_paid,
       exists (select 1 from locations l where l.tenant_id = m.tenant_id and l.address->>'country' is not null) as ships_from_location,
       p.id is not null as pickup_found, p.address as pickup_address,
       coalesce((select jsonb_agg(jsonb_build_object('variant_id', v.id, 'product_id', v.product_id, 'key', g.key, 'active', g.status = 'active', 'sku', v.sku, 'prices', v.prices,
           'requires_shipping', v.requires_shipping, 'taxable', v.taxable, 'is_digital', v.is_digital))
         from product_variants v join products g on g.id = v.product_id and g.tenant_id = v.tenant_id
         where v.tenant_id = m.tenant_id and v.id = any(?::uuid[])), '[]') as variants
     from markets m join tenants t on t.id = m.tenant_id
     left join locations p on p.tenant_id = m.tenant_id and p.id = ? and p.is_pickup_location
     where m.tenant_id = ? and m.key = ?`,
    [`{${variantIds.join(',')}}`, cart.pickup_location_id, cart.tenant_id, cart.market],
  )
  if (!rows[0]) throw invalid('/market', 'market_unknown', `There is no market ${cart.market}.`)
  return rows[0]
}

export type PricedCart = Extract<Priced, { ok: true }> & { auto_confirm_paid: boolean; taxable: Map<string, boolean> }

/** Throws 422 with a pointer into the cart where it cannot be priced. */
export async function priceCart(em: EntityManager, cart: CartRow, o: { for_checkout: boolean; payment_method_key?: string | undefined }): Promise<PricedCart> {
  const items = mergedItems(cart.product_items)
  const market = await factsOf(
    em,
    cart,
    items.map(({ variant_id }) => variant_id),
  )
  const variants = new Map(market.variants.map((one) => [one.variant_id, one]))
  if (cart.pickup_location_id && !market.pickup_found)
    throw invalid('/pickup_location_id', 'pickup_location_unknown', 'This is no pickup location of the store.')
  const lines = items.map(({ product_id, variant_id, quantity, pointer }) => {
    const found = variants.get(variant_id)
    if (!found || found.product_id !== product_id) throw invalid(pointer, 'variant_unknown', 'There is no such variant of this product.')
    const { key, sku, prices, requires_shipping, taxable, active, is_digital } = found
    return {
      id: variant_id,
      kind: is_digital ? ('digital' as const) : ('product' as const),
      product_id,
      variant_id,
      sku,
      name: key,
      quantity,
      prices,
      requires_shipping,
      taxable,
      active,
      pointer,
    }
  })
  const priced = price({
    market,
    lines,
    discounts: [],
    shipping_address: cart.shipping_address,
    billing_address: cart.billing_address,
    shipping_method_id: cart.shipping_method_id,
    ships_from_location: market.ships_from_location,
    pickup_address: cart.pickup_location_id ? (market.pickup_address ?? {}) : null,
    payment_method_key: o.payment_method_key ?? cart.payment_method_key,
    for_checkout: o.for_checkout,
  })
  if (!priced.ok) throw invalid(priced.pointer, priced.code, `${priced.detail[0]?.toUpperCase()}${priced.detail.slice(1)}.`)
  return { ...priced, auto_confirm_paid: market.auto_confirm_paid, taxable: new Map(lines.map(({ variant_id, taxable }) => [variant_id, taxable])) }
}
