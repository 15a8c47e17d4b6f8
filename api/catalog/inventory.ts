// Stock of a product by variant and location. A resource of its own, because every checkout changes it.
import { z } from 'zod'
import { levelsOf, setLevels } from '../../entities/catalog/inventory.ts'
import { Product } from '../../entities/catalog/product.ts'
import { ProductVariant } from '../../entities/catalog/product-variant.ts'
import { checkLocations } from '../../entities/catalog/product-with-variants.ts'
import type { EntityManager } from '../../entities/kit/database/orm.ts'
import { distinct } from '../../rules/input/distinct.ts'
import { availableMax, levelProblems } from '../../rules/orders/stock.ts'
import { invalid, notFound } from '../../rules/refusal.ts'
import { Id } from '../../rules/shapes.ts'
import { route } from '../kit/route.ts'

const Available = z.int().min(0).max(availableMax)
const Delta = z.int().min(-availableMax).max(availableMax)

const level = {
  available: Available.optional().describe(
    'Units that can still be sold: what counts now, whatever was sold since it was read. Either this or `delta`.',
  ),
  delta: Delta.optional().describe(
    'Units to add, or with a minus to take away: what is sold meanwhile stays subtracted. A level that does not exist begins at 0.',
  ),
  if_available: Available.nullable()
    .optional()
    .describe(
      'Expected present `available`, null for no level: with another one nothing is written. It makes a `delta` safe to repeat.',
    ),
}
const isOne = ({ available, delta }: { available?: number | undefined; delta?: number | undefined }) =>
  (available === undefined) !== (delta === undefined)
const oneOf = { error: 'Send either `available` or `delta`.', path: ['available'] }

/** A level of a variant, as a write of its product has it. */
export const LevelRow = z
  .strictObject({ location_id: Id.describe('Identifier of a location of the {store}.'), ...level })
  .refine(isOne, oneOf)
/** Refusals of writes of levels. */
export const levelText =
  '409 `available_changed` if the stock is not `if_available`, and `out_of_stock` if `delta` takes more than there is: with the present `available`, and nothing is written.'

const InventoryRow = z
  .object({
    variant_id: z.string().describe('Identifier of the variant.'),
    location_id: z.string().describe('Identifier of the location that holds the stock.'),
    available: z.int().describe('Units that can still be sold, reservations deducted.'),
  })
  .meta({ id: 'InventoryRow' })
const Row = z
  .strictObject({
    variant_id: Id.describe('Identifier of a variant of this product.'),
    location_id: Id.describe('Identifier of a location of the {store}.'),
    ...level,
  })
  .refine(isOne, oneOf)

async function variantsOf(em: EntityManager, productId: string): Promise<string[]> {
  const variants = await em.find(
    ProductVariant,
    { product_id: productId },
    { fields: ['id'], orderBy: { position: 'asc' } },
  )
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
    refuses: ['location_unknown', 'variant_unknown', ...levelProblems],
    summary: 'Set the stock of a product',
    description:
      'Each row sets `available` of one variant at one location, or changes it by `delta`; rows that are not sent are kept. `available` is what is neither sold nor reserved: earlier ' +
      `checkouts are not subtracted again. Send \`delta\` for what came in or was counted out, or \`if_available\` with the number that was read. Returns all rows of the product. ${levelText} ` +
      '422 `variant_unknown` or `location_unknown` for a variant or location that does not exist.',
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
      if (unknown >= 0)
        throw invalid(`/inventory/${unknown}/variant_id`, 'variant_unknown', 'The product has no such variant.')
      await checkLocations(
        em,
        body.inventory.map(({ location_id }, at) => ({ location_id, pointer: `/inventory/${at}` })),
      )
      const changes = body.inventory.map((row, at) => ({ ...row, pointer: `/inventory/${at}` }))
      await setLevels(em, tenant_id, changes, now)
      return levelsOf(em, tenant_id, own)
    },
  }),
]
