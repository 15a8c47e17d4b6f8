// What a store sells, as its operators see it: one read tells all of a product but its stock, which changes independently.
import { z } from 'zod'
import { Product } from '../../entities/catalog/product.ts'
import { createProduct, removeProduct, updateProduct } from '../../entities/catalog/product-with-variants.ts'
import { type PlainProduct, variantsOf, withVariants } from '../../entities/catalog/variants.ts'
import type { EntityManager } from '../../entities/orm.ts'
import { distinct } from '../../rules/distinct.ts'
import { ProductOut } from '../../rules/resources.ts'
import { anyCase, Id, Price, ProductStatus } from '../../rules/shapes.ts'
import { taxonomyFilters } from '../content/taxonomy-query.ts'
import { filter, listing } from '../kit/listing.ts'
import { route } from '../kit/route.ts'
import { Success, success } from '../kit/shapes.ts'
import { Available } from './inventory.ts'
import { byIds, bySlug, namedCreate, namedUpdate, readNamed } from './named.ts'

const Variant = z
  .strictObject({
    id: Id.optional().describe('of a variant that exists'),
    sku: z.string().max(255).nullish(),
    prices: z
      .array(Price)
      .max(200)
      .check(distinct(({ market }) => market, 'market'))
      .optional(),
    attributes: z.array(z.unknown()).max(200).optional(),
    weight: z.int().min(0).max(2_147_483_647).nullish(),
    requires_shipping: z.boolean().optional(),
    taxable: z.boolean().optional(),
    is_digital: z.boolean().optional(),
    inventory: z
      .array(z.strictObject({ location_id: Id, available: Available }))
      .max(200)
      .check(distinct(({ location_id }) => location_id, 'location_id'))
      .optional()
      .describe('all of the stock of this variant; left out, it is kept'),
  })
  .meta({ id: 'ProductVariantWrite' })

const writable = {
  variants: z
    .array(Variant)
    .max(250)
    .check(distinct(({ id }) => id, 'id'))
    .optional(),
}

/** Of every list of products. */
export const productFilters = { ...byIds, ...taxonomyFilters('product') }

export async function readProduct(em: EntityManager, tenantId: string, idOrSlug: string, locale: string | undefined, within: { status?: 'active' } = {}) {
  const product = await readNamed(em, tenantId, 'product', idOrSlug, locale, within)
  return (await withVariants(em, [product]))[0] as Awaited<ReturnType<typeof withVariants>>[number]
}

export const products = [
  listing('GET /v1/stores/{storeId}/products', {
    may: 'admin',
    summary: 'List the products',
    entity: Product,
    plain: true,
    item: ProductOut,
    search: 'search',
    sorts: ['key'],
    filters: { ...productFilters, status: filter(anyCase(ProductStatus), (status) => ({ status })) },
    load: (em, rows: PlainProduct[]) => withVariants(em, rows),
    children: variantsOf,
  }),
  route('GET /v1/stores/{storeId}/products/{id}', {
    may: 'admin',
    summary: 'Read a product by id or by slug',
    words: ['id'],
    query: bySlug,
    out: ProductOut,
    run: ({ em, tenant_id, path, query }) => readProduct(em, tenant_id, path.id, query.locale),
  }),
  route('POST /v1/stores/{storeId}/products', {
    may: 'admin',
    summary: 'Add a product; it is active unless told otherwise',
    body: z.object({ ...namedCreate, ...writable }),
    out: ProductOut,
    status: 201,
    run: ({ em, tenant_id, body, now }) => createProduct(em, tenant_id, body, now),
  }),
  route('PUT /v1/stores/{storeId}/products/{id}', {
    may: 'admin',
    summary: 'Change a product',
    description:
      'What is left out stays. `variants` replaces the list by id: those without an id are added, those not listed are removed, and what is left out of one with an id stays, its `inventory` too.',
    body: z.object({ ...namedUpdate, ...writable }),
    out: ProductOut,
    run: ({ em, path, body, now }) => updateProduct(em, path.id, body, now),
  }),
  route('DELETE /v1/stores/{storeId}/products/{id}', {
    may: 'admin',
    summary: 'Remove a product with its variants and stock; orders keep what they sold',
    out: Success,
    async run({ em, tenant_id, path, now }) {
      await removeProduct(em, tenant_id, path.id, now)
      return success
    },
  }),
]
