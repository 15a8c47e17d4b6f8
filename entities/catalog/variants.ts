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
>

/** Rows that count towards the size of a page of products. */
export const variantsOf = [{ entity: ProductVariant, column: 'product_id', own: 'id' }]

/**
 * The products, all of one tenant, with their variants. One statement without the unit of work, because lists are read
 * often.
 */
export async function withVariants<P extends PlainProduct>(em: EntityManager, products: readonly P[]) {
  const variants: PlainVariant[] = products[0]
    ? await em.execute(sql`
      select id, product_id, sku, prices, attributes, weight, requires_shipping, taxable, is_digital
      from product_variants
      where tenant_id = ${products[0].tenant_id} and product_id = any (${uuids(products.map(({ id }) => id))})
      order by product_id, position, id
    `)
    : []
  const of = Map.groupBy(variants, ({ product_id }) => product_id)
  return products.map((product) => ({ ...product, variants: of.get(product.id) ?? [] }))
}
