// Stock of a product by variant and location. A resource of its own, because every checkout changes it.
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

/** The limit keeps sums of levels far below 2^53. */
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
  location_id: Id.describe('Identifier of a location of the {store}.'),
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
      'Each row sets `available` of one variant at one location; rows that are not sent are kept. Send the units that are neither sold nor reserved: earlier checkouts are not ' +
      'subtracted again. Returns all rows of the product. 422 `variant_unknown` or `location_unknown` for a variant or location that does not exist.',
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
      const variantIds = new Set(own)
      const unknown = body.inventory.findIndex(({ variant_id }) => !variantIds.has(variant_id))
      if (unknown >= 0) throw invalid(`/inventory/${unknown}/variant_id`, 'variant_unknown', 'The product has no such variant.')
      await checkLocations(
        em,
        body.inventory.map(({ location_id }, at) => ({ location_id, pointer: `/inventory/${at}` })),
      )
      await setLevels(em, tenant_id, body.inventory, now)
      return levelsOf(em, tenant_id, own)
    },
  }),
]
