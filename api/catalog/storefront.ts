// The public catalog: active products with what can be sold of them and their stars, without the fields for operators.
import { z } from 'zod'
import { Product } from '../../entities/catalog/product.ts'
import { type PlainProduct, variantsOf, withVariants } from '../../entities/catalog/variants.ts'
import { withStars } from '../../entities/community/stars.ts'
import { ProductOut, VariantOut } from '../../rules/resources.ts'
import { Stars } from '../community/reaction-shapes.ts'
import { bySlug, unlisted } from '../content/named.ts'
import { listing } from '../kit/answer/listing.ts'
import { route } from '../kit/route.ts'
import { productFilters, readProduct } from './products.ts'

const PublicVariant = VariantOut.extend({
  available: z
    .int()
    .nullable()
    .describe(
      'Units that can be sold now, at all locations together; null if the stock is not tracked. Units of unpaid orders are subtracted.',
    ),
}).meta({ id: 'PublicVariant' })
const PublicProduct = ProductOut.omit(unlisted)
  .extend({
    variants: z.array(PublicVariant).describe('What can be bought of the product, each with its own prices and stock.'),
    stars: Stars,
  })
  .meta({ id: 'PublicProduct', description: 'A product for sale, in one or more variants.' })

export const storefrontCatalog = [
  listing('GET /v1/storefront/products', {
    may: 'visitor',
    contact: 'optional',
    summary: 'List the products for sale',
    entity: Product,
    unmanaged: true,
    item: PublicProduct,
    search: 'search',
    sorts: ['key'],
    filters: productFilters,
    scope: () => ({ status: 'active' }),
    load: async (em, rows: PlainProduct[]) => withStars(em, 'product', await withVariants(em, rows, { stock: true })),
    children: variantsOf,
  }),
  route('GET /v1/storefront/products/{id}', {
    may: 'visitor',
    contact: 'optional',
    summary: 'Read a product for sale, by id or by slug',
    textParameters: ['id'],
    query: bySlug,
    out: PublicProduct,
    async run({ em, tenant_id, path, query }) {
      const product = await readProduct(em, tenant_id, path.id, query.locale, { status: 'active', stock: true })
      const [shown] = await withStars(em, 'product', [product])
      return shown as NonNullable<typeof shown>
    },
  }),
]
