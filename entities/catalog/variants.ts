// Products are read with their variants: one statement, however many products.
import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from '../kit/database/sql.ts'
import { uuids } from '../kit/ids.ts'
import type { Product } from './product.ts'
import { ProductVariant } from './product-variant.ts'

/** Rows as they are read, without the unit of work. */
export type PlainProduct = Pick<
  Product,
  'id' | 'tenant_id' | 'key' | 'slug' | 'blocks' | 'taxonomies' | 'status' | 'created_at' | 'updated_at'
>
export type PlainVariant = Pick<
  ProductVariant,
  'id' | 'product_id' | 'sku' | 'prices' | 'attributes' | 'weight' | 'requires_shipping' | 'taxable' | 'is_digital'
> & {
  /** Units that can be sold at all locations; null if the stock is not tracked, and without `stock`. */
  available: number | null
}

/** Rows that count towards the size of a page of products. */
export const variantsOf = [{ entity: ProductVariant, column: 'product_id', own: 'id' }]

/**
 * The products, all of one tenant, with their variants. One statement without the unit of work, because lists are read
 * often. `stock`: with what can be sold.
 */
export async function withVariants<P extends PlainProduct>(
  em: EntityManager,
  products: readonly P[],
  { stock = false } = {},
) {
  const available = stock
    ? sql`
      (
        select sum(l.available)::bigint
        from inventory_levels l
        where l.tenant_id = v.tenant_id and l.variant_id = v.id
      )
    `
    : sql`null::bigint`
  const variants: PlainVariant[] = products[0]
    ? await em.execute(sql`
      select v.id, v.product_id, v.sku, v.prices, v.attributes, v.weight, v.requires_shipping, v.taxable,
        v.is_digital, ${available} as available
      from product_variants v
      where v.tenant_id = ${products[0].tenant_id} and v.product_id = any (${uuids(products.map(({ id }) => id))})
      order by v.product_id, v.position, v.id
    `)
    : []
  const of = Map.groupBy(variants, ({ product_id }) => product_id)
  return products.map((product) => ({ ...product, variants: of.get(product.id) ?? [] }))
}
