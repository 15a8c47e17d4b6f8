// Products of a store, for operators. A product is read without its stock, which changes independently (inventory.ts).
import { z } from 'zod'
import { Product } from '../../entities/catalog/product.ts'
import { createProduct, removeProduct, updateProduct } from '../../entities/catalog/product-with-variants.ts'
import { type PlainProduct, variantsOf, withVariants } from '../../entities/catalog/variants.ts'
import type { EntityManager } from '../../entities/kit/database/orm.ts'
import { distinct } from '../../rules/input/distinct.ts'
import { ComparedText } from '../../rules/input/texts.ts'
import { levelProblems } from '../../rules/orders/stock.ts'
import { ProductOut } from '../../rules/resources.ts'
import { anyCase, Id, RecordStatus } from '../../rules/shapes.ts'
import { Price } from '../../rules/stores/markets.ts'
import { bySlug, namedCreate, namedUpdate, readNamed } from '../content/named.ts'
import { taxonomyFilters } from '../content/taxonomy-query.ts'
import { byIds, filter, listing } from '../kit/answer/listing.ts'
import { removing } from '../kit/answer/record.ts'
import { route } from '../kit/route.ts'
import { LevelRow, levelText } from './inventory.ts'

const Variant = z
  .strictObject({
    id: Id.optional().describe('Identifier of an existing variant of the product; left out for a new one.'),
    sku: ComparedText.max(255).nullish().describe('Stock keeping unit, 255 characters at most; null for none.'),
    prices: z
      .array(Price)
      .max(200)
      .check(distinct(({ market }) => market, 'market'))
      .optional()
      .describe('Prices of one unit, one per market. Without a price the variant cannot be sold in that market.'),
    attributes: z
      .array(z.unknown())
      .max(200)
      .optional()
      .describe("Attributes of the variant, such as size or color, in the caller's own shape; 200 at most."),
    weight: z
      .int()
      .min(0)
      .max(2_147_483_647)
      .nullish()
      .describe('Weight of one unit, in grams; null if it is unknown.'),
    requires_shipping: z.boolean().optional().describe('Whether the goods are shipped or picked up; true by default.'),
    taxable: z.boolean().optional().describe('Whether tax is added to, or contained in, its price; true by default.'),
    is_digital: z.boolean().optional().describe('Whether the goods are digital; false by default.'),
    inventory: z
      .array(LevelRow)
      .max(200)
      .check(distinct(({ location_id }) => location_id, 'location_id'))
      .optional()
      .describe(
        'All stock levels of this variant, 200 at most: others are deleted. Left out, they are kept. A variant without any is not tracked and never runs out.',
      ),
  })
  .meta({ id: 'ProductVariantWrite' })

const writable = {
  variants: z
    .array(Variant)
    .max(250)
    .check(distinct(({ id }) => id, 'id'))
    .optional()
    .describe(
      'Variants of the product, 250 at most. Replaces the stored list; a variant that is sent with its id is updated.',
    ),
}

/** Filters of every list of products. */
export const productFilters = { ...byIds, ...taxonomyFilters('product') }

export async function readProduct(
  em: EntityManager,
  tenantId: string,
  idOrSlug: string,
  locale: string | undefined,
  { stock, ...only }: { status?: 'active'; stock?: true } = {},
) {
  const product = await readNamed(em, tenantId, 'product', idOrSlug, locale, only)
  return (await withVariants(em, [product], { stock }))[0] as Awaited<ReturnType<typeof withVariants>>[number]
}

export const products = [
  listing('GET /v1/stores/{storeId}/products', {
    may: 'admin',
    summary: 'List the products',
    entity: Product,
    unmanaged: true,
    item: ProductOut,
    search: 'search',
    sorts: ['key'],
    filters: { ...productFilters, status: filter(anyCase(RecordStatus), (status) => ({ status })) },
    load: (em, rows: PlainProduct[]) => withVariants(em, rows),
    children: variantsOf,
  }),
  route('GET /v1/stores/{storeId}/products/{id}', {
    may: 'admin',
    summary: 'Read a product by id or by slug',
    textParameters: ['id'],
    query: bySlug,
    out: ProductOut,
    run: ({ em, tenant_id, path, query }) => readProduct(em, tenant_id, path.id, query.locale),
  }),
  route('POST /v1/stores/{storeId}/products', {
    may: 'admin',
    refuses: ['key_taken', 'slug_taken', 'market_unknown', 'currency_mismatch', 'location_unknown', ...levelProblems],
    summary: 'Create a product',
    description:
      '409 `key_taken` or `slug_taken` if another record has the key or a slug; 422 for a market, currency or location that does not fit. The product is active by default.',
    body: z.object({ ...namedCreate, ...writable }),
    out: ProductOut,
    status: 201,
    run: ({ em, tenant_id, body, now }) => createProduct(em, tenant_id, body, now),
  }),
  route('PUT /v1/stores/{storeId}/products/{id}', {
    may: 'admin',
    refuses: [
      'key_taken',
      'slug_taken',
      'market_unknown',
      'currency_mismatch',
      'location_unknown',
      ...levelProblems,
      'variant_unknown',
    ],
    summary: 'Update a product',
    description:
      'Fields that are left out are kept. `variants` replaces the list: a variant without an id is added, one that is not sent is deleted, and in one with an id the fields that are ' +
      `left out are kept, \`inventory\` too. ${levelText}`,
    body: z.object({ ...namedUpdate, ...writable }),
    out: ProductOut,
    run: ({ em, tenant_id, path, body, now }) => updateProduct(em, tenant_id, path.id, body, now),
  }),
  removing('DELETE /v1/stores/{storeId}/products/{id}', {
    may: 'admin',
    summary: 'Delete a product with its variants and stock',
    description: 'Lines of orders are kept.',
    remove: ({ em, tenant_id, path, now }) => removeProduct(em, tenant_id, path.id, now),
  }),
]
