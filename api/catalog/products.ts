// What a store sells, as its operators see it: one read tells all of a product but its stock, which changes independently.
import { z } from 'zod'
import { Product } from '../../entities/catalog/product.ts'
import { createProduct, removeProduct, updateProduct } from '../../entities/catalog/product-with-variants.ts'
import { type PlainProduct, withVariants } from '../../entities/catalog/variants.ts'
import type { EntityManager } from '../../entities/orm.ts'
import { distinct } from '../../rules/distinct.ts'
import { ProductOut } from '../../rules/resources.ts'
import { anyCase, Id, Price, ProductStatus } from '../../rules/shapes.ts'
import { filter, listing } from '../kit/listing.ts'
import { encoded, flag } from '../kit/query.ts'
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

const TaxonomyQuery = z.array(z.strictObject({ taxonomy_id: Id, entry_ids: z.array(Id).max(100).optional() })).max(20)
type TaxonomyQuery = z.infer<typeof TaxonomyQuery>

/** An entry of that taxonomy; of any of these, if some are named. */
const inTaxonomy = ({ taxonomy_id, entry_ids = [] }: TaxonomyQuery[number]) => {
  const entries = entry_ids.length === 0 ? [{ taxonomy_id }] : entry_ids.map((id) => ({ taxonomy_id, entry_ids: [id] }))
  return { $or: entries.map((entry) => ({ taxonomies: { $contains: [entry] } })) }
}

/** Of every list of products. */
export const productFilters = {
  ...byIds,
  taxonomy_query: filter(encoded(TaxonomyQuery).describe('[{taxonomy_id, entry_ids}] as JSON'), (filters, { match_all }) => {
    if (filters.length === 0) return {}
    return match_all === true ? { $and: filters.map(inTaxonomy) } : { $or: filters.map(inTaxonomy) }
  }),
  match_all: filter(flag.describe('every filter of taxonomy_query; false: any of them'), () => ({})),
}

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
