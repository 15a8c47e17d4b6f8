// What can still be sold of a product, by variant and location: a resource of its own, because checkouts change it all the time.
import { z } from 'zod'
import { levelsOf, setLevels } from '../../entities/catalog/inventory.ts'
import { Product } from '../../entities/catalog/product.ts'
import { ProductVariant } from '../../entities/catalog/product-variant.ts'
import { checkLocations } from '../../entities/catalog/product-with-variants.ts'
import type { EntityManager } from '../../entities/kit/orm.ts'
import { distinct } from '../../rules/input/distinct.ts'
import { invalid, notFound } from '../../rules/refusal.ts'
import { Id } from '../../rules/shapes.ts'
import { route } from '../kit/route.ts'

/** More than anybody has, and far from what no longer counts exactly when it is given back. */
export const Available = z.int().min(0).max(1_000_000_000_000)

const InventoryRow = z
  .object({
    variant_id: z.string().describe('Identifier of the variant.'),
    location_id: z.string().describe('Identifier of the location that holds the stock.'),
    available: z.int().describe('Units that can still be sold, reservations deducted.'),
  })
  .meta({ id: 'InventoryRow' })
const Row = z.strictObject({
  variant_id: Id.describe('Identifier of a variant of this product.'),
  location_id: Id.describe('Identifier of a location of the store.'),
  available: Available.describe('Units that can still be sold.'),
})

async function variantsOf(em: EntityManager, productId: string): Promise<string[]> {
  const variants = await em.find(ProductVariant, { product_id: productId }, { fields: ['id'], orderBy: { position: 'asc' } })
  if (variants.length === 0 && (await em.count(Product, { id: productId })) === 0) throw notFound('product')
  return variants.map(({ id }) => id)
}

export const inventory = [
  route('GET /v1/stores/{storeId}/products/{id}/inventory', {
    operation: 'getProductInventory',
    may: 'admin',
    summary: 'Read the stock of a product',
    description: 'A variant without a row is not tracked and never runs out.',
    out: z.array(InventoryRow),
    run: async ({ em, tenant_id, path }) => levelsOf(em, tenant_id, await variantsOf(em, path.id)),
  }),
  route('PUT /v1/stores/{storeId}/products/{id}/inventory', {
    may: 'admin',
    refuses: ['location_unknown', 'variant_unknown'],
    summary: 'Set the stock of a product',
    description:
      'Each row sets its place to exactly `available`; places that are not named stay. A checkout that was done before is not subtracted again, one that comes after is: count what is neither sold nor reserved. The answer shows all rows of the product.',
    body: z.object({
      inventory: z
        .array(Row)
        .max(2_000)
        .check(distinct(({ variant_id, location_id }) => `${variant_id} ${location_id}`))
        .describe('Rows to write, one per variant and location. Rows that are not named are kept.'),
    }),
    out: z.array(InventoryRow),
    async run({ em, tenant_id, path, body, now }) {
      const own = await variantsOf(em, path.id)
      const known = new Set(own)
      const lost = body.inventory.findIndex(({ variant_id }) => !known.has(variant_id))
      if (lost >= 0) throw invalid(`/inventory/${lost}/variant_id`, 'variant_unknown', 'The product has no such variant.')
      await checkLocations(
        em,
        body.inventory.map(({ location_id }, at) => ({ location_id, pointer: `/inventory/${at}` })),
      )
      await setLevels(em, tenant_id, body.inventory, now)
      return levelsOf(em, tenant_id, own)
    },
  }),
]
