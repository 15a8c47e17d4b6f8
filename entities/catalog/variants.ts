// A product is read with its variants: one statement, however many products.
import type { EntityManager } from '@mikro-orm/postgresql'
import type { Product } from './product.ts'
import { ProductVariant } from './product-variant.ts'

/** What is read and not written. */
export type PlainProduct = Pick<Product, 'id' | 'tenant_id' | 'key' | 'slug' | 'blocks' | 'taxonomies' | 'status' | 'created_at' | 'updated_at'>
export type PlainVariant = Pick<
  ProductVariant,
  'id' | 'product_id' | 'sku' | 'prices' | 'attributes' | 'weight' | 'requires_shipping' | 'taxable' | 'is_digital'
>

/** What a page of products holds besides their own columns. */
export const variantsOf = [{ entity: ProductVariant, column: 'product_id', own: 'id' }]

/** One plain statement for the variants of all of them, which are of one tenant: lists are read all the time. */
export async function withVariants<P extends PlainProduct>(em: EntityManager, products: readonly P[]) {
  const variants: PlainVariant[] = products[0]
    ? await em.execute(
        `select id, product_id, sku, prices, attributes, weight, requires_shipping, taxable, is_digital from product_variants
         where tenant_id = ? and product_id in (${products.map(() => '?').join(',')}) order by product_id, position, id`,
        [products[0].tenant_id, ...products.map(({ id }) => id)],
      )
    : []
  const of = Map.groupBy(variants, ({ product_id }) => product_id)
  return products.map((product) => ({ ...product, variants: of.get(product.id) ?? [] }))
}
