// Writes a product with its variants, prices, slugs, stock and search words, in few statements however many variants
// there are.
import { LockMode } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import type { Block } from '../../rules/content/block-shape.ts'
import type { TaxonomyEntry } from '../../rules/content/taxonomies.ts'
import type { LocaleMap } from '../../rules/input/locale-map.ts'
import type { LevelWrite } from '../../rules/orders/stock.ts'
import { invalid, notFound } from '../../rules/refusal.ts'
import { ProductOut } from '../../rules/resources.ts'
import { serialize } from '../../rules/serialize.ts'
import type { RecordStatus } from '../../rules/shapes.ts'
import type { Price } from '../../rules/stores/markets.ts'
// Backwards: products are named, filed and referred to as content is.
import { flushNamed } from '../content/named.ts'
import { lockOwners, removeLinks, removeReferences } from '../content/removals.ts'
import { newId } from '../kit/ids.ts'
import { lockForChange } from '../kit/locked-row.ts'
import { holdListings, refreshListings } from '../networks/listings.ts'
import { Location } from '../stores/location.ts'
import { emit, isWanted, writeEvents } from '../webhooks/events.ts'
import { replaceLevels } from './inventory.ts'
import { inCurrencies } from './prices.ts'
import { Product } from './product.ts'
import { ProductVariant } from './product-variant.ts'
import { withVariants } from './variants.ts'

export type VariantInput = Partial<{
  id: string
  sku: string | null
  prices: Price[]
  attributes: unknown[]
  weight: number | null
  requires_shipping: boolean
  taxable: boolean
  is_digital: boolean
  inventory: (LevelWrite & { location_id: string })[]
}>

export type ProductInput = Partial<{
  key: string
  slug: LocaleMap
  blocks: Block[]
  taxonomies: TaxonomyEntry[]
  status: RecordStatus
  variants: VariantInput[]
}>

/** Checks the locations of stock levels. 422 location_unknown for a location that is not the store's. */
export async function checkLocations(
  em: EntityManager,
  places: readonly { location_id: string; pointer: string }[],
): Promise<void> {
  if (places.length === 0) return
  const ids = [...new Set(places.map(({ location_id }) => location_id))]
  const locationIds = new Set((await em.find(Location, { id: { $in: ids } }, { fields: ['id'] })).map(({ id }) => id))
  const lost = places.find(({ location_id }) => !locationIds.has(location_id))
  if (lost) throw invalid(`${lost.pointer}/location_id`, 'location_unknown', 'The {store} has no such location.')
}

/**
 * Twice the largest body: variants keep the fields that an update leaves out, so the size of a request does not bound a
 * product.
 */
const variantBytesMax = 2 * 1024 * 1024

function checkSize(variants: readonly ProductVariant[]): void {
  const json = JSON.stringify(variants.map(({ prices, attributes }) => [prices, attributes]))
  if (new TextEncoder().encode(json).length > variantBytesMax)
    throw invalid(
      '/variants',
      'too_big',
      'Prices and attributes of the variants of a product have at most 2 MiB together.',
    )
}

/**
 * The list replaces the variants by id: one without an id is new, fields left out of one with an id stay, and variants
 * that are not listed are deleted.
 */
function merge(
  em: EntityManager,
  product: Product,
  before: readonly ProductVariant[],
  given: readonly VariantInput[],
  prices: (Price[] | undefined)[],
  now: number,
) {
  const storedById = new Map(before.map((variant) => [variant.id, variant]))
  const merged = given.map(({ id, inventory: _, prices: __, ...fields }, position) => {
    const own = { ...fields, ...(prices[position] ? { prices: prices[position] } : {}), position, updated_at: now }
    if (id === undefined) {
      const blank = { prices: [], attributes: [], requires_shipping: true, taxable: true, is_digital: false }
      return em.create(ProductVariant, {
        id: newId(),
        tenant_id: product.tenant_id,
        product_id: product.id,
        created_at: now,
        ...blank,
        ...own,
      })
    }
    const variant = storedById.get(id)
    if (!variant)
      throw invalid(
        `/variants/${position}/id`,
        'variant_unknown',
        'The product has no such variant; a new one comes without an id.',
      )
    storedById.delete(id)
    return em.assign(variant, own)
  })
  for (const variant of storedById.values()) em.remove(variant)
  return merged
}

async function write(
  em: EntityManager,
  product: Product,
  before: ProductVariant[],
  { variants: given, ...fields }: ProductInput,
  now: number,
) {
  const inventory = (given ?? []).flatMap(({ inventory: rows }, index) =>
    (rows ?? []).map((row, at) => ({ ...row, index, pointer: `/variants/${index}/inventory/${at}` })),
  )
  await checkLocations(em, inventory)
  const prices = await inCurrencies(
    em,
    (given ?? []).map((variant, index) => ({ prices: variant.prices, pointer: `/variants/${index}/prices` })),
  )
  const variants = given ? merge(em, product, before, given, prices, now) : before
  if (given) checkSize(variants)
  await flushNamed(em, 'product', product, fields, { more: variants.map(({ sku }) => sku ?? null) })
  if (given) {
    const counted = given.flatMap(({ id, inventory: rows }) => (id && rows ? [id] : []))
    const levels = inventory.map(({ index, ...level }) => ({ ...level, variant_id: variants[index]?.id as string }))
    await replaceLevels(em, product.tenant_id, counted, levels, now)
  }
  return { ...product, variants }
}

/** Creates a product. 409 key_taken, slug_taken; 422 market_unknown, currency_mismatch, location_unknown, too_big. */
export async function createProduct(
  em: EntityManager,
  tenantId: string,
  input: ProductInput & { key: string },
  now: number,
) {
  const isListed = await holdListings(em, tenantId)
  const { variants, ...fields } = input
  const times = { created_at: now, updated_at: now }
  const product = em.create(Product, {
    id: newId(),
    tenant_id: tenantId,
    ...times,
    slug: {},
    blocks: [],
    taxonomies: [],
    status: 'active',
    ...fields,
  })
  const unnamed = variants?.map(({ id: _, ...variant }) => variant)
  const made = await write(em, product, [], { ...fields, ...(unnamed ? { variants: unnamed } : {}) }, now)
  if (isListed) await refreshListings(em, tenantId, { product: [product.id] })
  await emit(em, tenantId, 'product.created', () => serialize(ProductOut, made), now)
  return made
}

/**
 * Updates a product. Fields that are left out stay. Updates of one product are serialized. Errors as createProduct, and
 * 422 variant_unknown.
 */
export async function updateProduct(em: EntityManager, tenantId: string, id: string, input: ProductInput, now: number) {
  const isListed = await holdListings(em, tenantId)
  const product = await lockForChange(em, Product, id, 'product')
  const before = await em.find(ProductVariant, { product_id: id }, { orderBy: { position: 'asc', id: 'asc' } })
  const { variants: _, ...fields } = input
  em.assign(product, { ...fields, updated_at: now })
  const changed = await write(em, product, before, input, now)
  if (isListed) await refreshListings(em, tenantId, { product: [id] })
  await emit(em, tenantId, 'product.updated', () => serialize(ProductOut, changed), now)
  return changed
}

/** Order lines are snapshots and stay. 409 referenced while content refers to it with `restrict`. */
export async function removeProduct(em: EntityManager, tenantId: string, id: string, now: number): Promise<void> {
  const going = { product: [id] }
  const isListed = await holdListings(em, tenantId)
  const owners = await lockOwners(em, tenantId, going)
  const product = await em.findOneOrFail(
    Product,
    { id },
    { lockMode: LockMode.PESSIMISTIC_WRITE, failHandler: () => notFound('product') },
  )
  const last = (await isWanted(em, tenantId, 'product.deleted')) ? await withVariants(em, [product]) : []
  await removeReferences(em, tenantId, going, owners, now)
  await removeLinks(em, tenantId, [id])
  await em.nativeDelete(Product, { id })
  if (isListed) await refreshListings(em, tenantId, { product: [id] })
  await writeEvents(
    em,
    'product.deleted',
    last.map((one) => ({ tenant_id: tenantId, data: serialize(ProductOut, one) })),
    now,
  )
}
