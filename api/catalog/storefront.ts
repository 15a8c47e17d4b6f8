// The public catalog: active products, without the fields for operators.
import { Product } from '../../entities/catalog/product.ts'
import { type PlainProduct, variantsOf, withVariants } from '../../entities/catalog/variants.ts'
import { ProductOut } from '../../rules/resources.ts'
import { bySlug, unlisted } from '../content/named.ts'
import { listing } from '../kit/answer/listing.ts'
import { route } from '../kit/route.ts'
import { productFilters, readProduct } from './products.ts'

const PublicProduct = ProductOut.omit(unlisted).meta({ id: 'PublicProduct' })

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
    load: (em, rows: PlainProduct[]) => withVariants(em, rows),
    children: variantsOf,
  }),
  route('GET /v1/storefront/products/{id}', {
    may: 'visitor',
    contact: 'optional',
    summary: 'Read a product for sale, by id or by slug',
    textParameters: ['id'],
    query: bySlug,
    out: PublicProduct,
    run: ({ em, tenant_id, path, query }) => readProduct(em, tenant_id, path.id, query.locale, { status: 'active' }),
  }),
]
