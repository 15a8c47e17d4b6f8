// What a store sells, as its operators see it: one read tells all of a product but its stock, which changes independently.
import { z } from 'zod'
import { Product } from '../../entities/catalog/product.ts'
import { createProduct, type PlainProduct, removeProduct, updateProduct, withVariants } from '../../entities/catalog/product-with-variants.ts'
import { ownerOfSlug } from '../../entities/catalog/slugs.ts'
import type { EntityManager } from '../../entities/orm.ts'
import { distinct } from '../../rules/distinct.ts'
import { Key } from '../../rules/identities.ts'
import { notFound } from '../../rules/refusal.ts'
import { anyCase, Block, Id, LocaleMap, Price, ProductStatus, TaxonomyEntry } from '../../rules/shapes.ts'
import { filter, listing } from '../kit/listing.ts'
import { many } from '../kit/query.ts'
import { route } from '../kit/route.ts'
import { Success, success } from '../kit/shapes.ts'
import { Available } from './inventory.ts'

export const VariantOut = z
  .object({
    id: z.string(),
    sku: z.string().nullable(),
    prices: z.array(Price).describe('one per market'),
    attributes: z.array(z.unknown()),
    weight: z.int().nullable().describe('grams'),
    requires_shipping: z.boolean(),
    taxable: z.boolean(),
    is_digital: z.boolean(),
  })
  .meta({ id: 'ProductVariant' })

export const ProductOut = z
  .object({
    id: z.string(),
    key: z.string(),
    slug: LocaleMap,
    blocks: z.array(Block),
    taxonomies: z.array(TaxonomyEntry),
    variants: z.array(VariantOut),
    status: ProductStatus,
    created_at: z.int(),
    updated_at: z.int(),
  })
  .meta({ id: 'Product' })

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
  slug: LocaleMap.optional(),
  blocks: z.array(Block).max(500).optional(),
  taxonomies: z.array(TaxonomyEntry).max(200).optional(),
  variants: z
    .array(Variant)
    .max(250)
    .check(distinct(({ id }) => id, 'id'))
    .optional(),
  status: anyCase(ProductStatus).optional(),
}

/** Of every list of products. */
export const productFilters = {
  ids: filter(many(Id), (ids) => ({ id: { $in: ids } })),
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
export const bySlug = z.object({ locale: z.string().max(35).optional().describe('of the slug; without one the store’s own languages come first') })

export async function readProduct(em: EntityManager, tenantId: string, idOrSlug: string, locale: string | undefined, within: { status?: 'active' } = {}) {
  const id = uuid.test(idOrSlug) ? idOrSlug.toLowerCase() : await ownerOfSlug(em, tenantId, 'product', idOrSlug, locale)
  const product = id ? await em.findOne(Product, { id, ...within }) : null
  if (!product) throw notFound('product')
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
    body: z.object({ key: Key, ...writable }),
    out: ProductOut,
    status: 201,
    run: ({ em, tenant_id, body, now }) => createProduct(em, tenant_id, body, now),
  }),
  route('PUT /v1/stores/{storeId}/products/{id}', {
    may: 'admin',
    summary: 'Change a product',
    description:
      'What is left out stays. `variants` replaces the list by id: those without an id are added, those not listed are removed, and what is left out of one with an id stays, its `inventory` too.',
    body: z.object({ key: Key.optional(), ...writable }),
    out: ProductOut,
    run: ({ em, path, body, now }) => updateProduct(em, path.id, body, now),
  }),
  route('DELETE /v1/stores/{storeId}/products/{id}', {
    may: 'admin',
    summary: 'Remove a product with its variants and stock; orders keep what they sold',
    out: Success,
    async run({ em, tenant_id, path }) {
      await removeProduct(em, tenant_id, path.id)
      return success
    },
  }),
]
