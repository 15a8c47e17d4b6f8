// Searches what a network lists: services, products and providers of all its stores and businesses. Public, and limited
// per IP address.
import { z } from 'zod'
import { config } from '../../config.ts'
import type { EntityManager } from '../../entities/kit/database/orm.ts'
import { inStock, shownProducts, shownProviders, shownServices } from '../../entities/networks/results.ts'
import { type Behind, type Hit, networkExists, type Search, searchListings } from '../../entities/networks/searching.ts'
import { freeAmong } from '../../entities/scheduling/filters.ts'
import { METERS_PER_MILE } from '../../rules/geo.ts'
import { PartName } from '../../rules/input/identities.ts'
import { textIn } from '../../rules/input/locale-tags.ts'
import { type ListingKind, ListingSort } from '../../rules/networks/networks.ts'
import { invalidInput, notFound } from '../../rules/refusal.ts'
import { Address, GeoLocation, Id, SortDirection } from '../../rules/shapes.ts'
import { decodeCursor, encodeCursor, scopeDigest } from '../kit/answer/cursors.ts'
import { pageOf } from '../kit/answer/listing.ts'
import { encoded, flag, searchText, whole } from '../kit/query.ts'
import { route } from '../kit/route.ts'
import { networkOf } from '../limits/networks.ts'
import { throttle } from '../limits/rate.ts'

const Circle = z.strictObject({
  ...GeoLocation.shape,
  radius: z.number().positive().max(500).default(25).describe('Radius in miles, 500 at most; 25 by default.'),
})
const location = encoded(Circle).describe(
  'JSON `{lat, lng, radius}`: only what is in this circle. Coordinates in degrees, the radius in miles (25 by default, 500 at most).',
)
const amount = (bound: string) =>
  whole(0, Number.MAX_SAFE_INTEGER).describe(`${bound} price in minor units, inclusive.`)
const paged = {
  cursor: z.string().max(2000).optional().describe('Cursor of the page, as the page before returned it.'),
  limit: whole(1, 100).default(20).describe('Number of records per page, 1 to 100; 20 by default.'),
  query: searchText().optional().describe('Words that the record contains; each matches by its beginning.'),
}
const prices = { price_min: amount('Lowest').optional(), price_max: amount('Highest').optional() }
const category = PartName.optional().describe('Key of a taxonomy that the record is filed under.')
const sortBy = (sorts: readonly [ListingSort, ...ListingSort[]]) =>
  ListingSort.extract(sorts)
    .optional()
    .describe('What the page is sorted by. By default `distance`, if it is possible, else `newest`.')
const allSorts = ListingSort.options as [ListingSort, ...ListingSort[]]

const text = z.string().nullable()
const id = z.string().describe('Identifier of the record.')
const name = z.string().describe('The block `name`, else the key of the record.')
const description = text.describe('The block `description`; null without one.')
const priced = {
  price: z.int().nullable().describe('The least price, in minor units; null if it has none.'),
  currency: text.describe('Currency of the price; null without one.'),
}
const distance = z.int().optional().describe('Metres to the place of the request; only with `location`.')
const ofBusiness = {
  id: z.string().describe('Identifier of the store or business.'),
  name: z.string().describe('Its name, else its key.'),
  address: Address.nullable().describe('Its address; null if it is not set.'),
}
const ofShop = {
  slug: z.string().describe('Its key.'),
  logo: text.describe('Address of its logo; null if it is not set.'),
  rating: z.number().nullable().describe('Average of its ratings; null without any.'),
}
const images = z.array(z.string()).describe('Addresses of the images in its blocks.')

const ServiceHit = z
  .object({
    id,
    name,
    description,
    ...priced,
    duration: z.int().nullable().describe('Minutes of a slot; null without providers.'),
    business: z.object({ ...ofBusiness, ...ofShop }).describe('Who offers it.'),
    distance,
  })
  .meta({ id: 'NetworkService' })
const { address: _, ...seller } = { ...ofBusiness, ...ofShop }
const ProductHit = z
  .object({
    id,
    name,
    description,
    ...priced,
    images,
    inventory: z.int().nullable().describe('Units that can still be sold; null if they are not counted.'),
    business: z.object(seller).describe('Who sells it.'),
  })
  .meta({ id: 'NetworkProduct' })
const ProviderHit = z
  .object({
    id,
    name,
    bio: text.describe('The block `bio`, else `description`; null without them.'),
    image: text.describe('Address of the first image in its blocks; null without one.'),
    services: z.array(z.object({ id, name })).describe('Its services, 100 at most.'),
    business: z.object(ofBusiness).describe('Where the provider works.'),
    distance,
  })
  .meta({ id: 'NetworkProvider' })

type Given = {
  cursor?: string | undefined
  limit: number
  query?: string | undefined
  category?: string | undefined
  price_min?: number | undefined
  price_max?: number | undefined
  service_id?: string | undefined
  location?: z.output<typeof Circle> | undefined
  sort_by?: ListingSort | undefined
  sort_direction?: SortDirection | undefined
}
type Asking<Q> = { em: EntityManager; path: { networkKey: string }; query: Q; ip: string; now: number }

/** The network and query that a cursor belongs to. */
const digestOf = (kind: ListingKind, key: string, { cursor: _, limit: __, ...query }: Given): string =>
  scopeDigest([kind, key, Object.entries(query).sort(([a], [b]) => (a < b ? -1 : 1))])
/** 400 bad_cursor. `nullable`: some listings have no value. */
function behindOf(digest: string, cursor: string | undefined, nullable: boolean): Behind | null {
  if (cursor === undefined || cursor === '') return null
  const isValue = (value: unknown) => typeof value === 'number' || (nullable && value === null)
  const detail =
    'The cursor does not belong to this query. Send the query of the page that it came with, or omit it for the first page.'
  const found = decodeCursor(cursor, digest, isValue, detail)
  return found && { ...found, value: found.value as number | null }
}

type Kept = boolean[] | undefined
/**
 * A page, its records read by `show`. `keep` answers for each listing looked at, from the first on, whether it stays.
 * 400 bad_cursor; 404 not_found without the network; 422 for a sort by distance without a place.
 */
async function pageBy<Q extends Given, T>(
  kind: ListingKind,
  { em, path, query, ip }: Asking<Q>,
  show: (hits: readonly Hit[]) => Promise<(hit: Hit) => T | undefined>,
  keep: (hits: readonly Hit[]) => Promise<Kept> | Kept = () => undefined,
): Promise<{ items: T[]; cursor: string | null }> {
  throttle(`search:${networkOf(ip)}`, config.rate.visitorPerS)
  const { limit, location, price_min, price_max, category, service_id } = query
  const sort = query.sort_by ?? (location ? 'distance' : 'newest')
  if (sort === 'distance' && !location)
    throw invalidInput([{ pointer: 'location', code: 'required', detail: 'A sort by distance needs a place.' }])
  const digest = digestOf(kind, path.networkKey, query)
  const search: Search = {
    ...{ network: path.networkKey, kind, sort, query: query.query, category, price_min, price_max, service_id },
    direction: query.sort_direction ?? (sort === 'distance' || sort === 'price' ? 'asc' : 'desc'),
    circle: location && { center: location, radius_m: location.radius * METERS_PER_MILE },
    behind: behindOf(digest, query.cursor, sort === 'price' || sort === 'rating'),
    limit: limit + 1,
  }
  const found = await searchListings(em, search)
  if (found.length === 0 && !(await networkExists(em, path.networkKey))) throw notFound('network')
  const page = found.slice(0, limit)
  const kept = page.length > 0 ? await keep(page) : undefined
  const looked = kept ? page.slice(0, kept.length) : page
  const left = kept ? looked.filter((_, at) => kept[at]) : looked
  const shown = await show(left)
  const last = looked.at(-1)
  const more = found.length > looked.length
  return {
    // A record that was changed since the search is left out.
    items: left.flatMap((hit) => shown(hit) ?? []),
    cursor: more && last ? encodeCursor(digest, last.value, last.record_id) : null,
  }
}

type Texts = { key: string; texts: { key: string; value?: unknown }[] }
const textOf = ({ texts }: Texts, key: string, languages: readonly string[]): string | null =>
  textIn(texts.find((block) => block.key === key)?.value, languages)
const nameOf = (record: Texts, languages: readonly string[]): string => textOf(record, 'name', languages) || record.key
const wordIn = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null)
const businessOf = ({
  tenant_id,
  tenant_key,
  settings,
  rating,
}: {
  tenant_id: string
  tenant_key: string
  settings: Record<string, unknown>
  rating: number | null
}) => ({
  id: tenant_id,
  name: wordIn(settings.name) ?? tenant_key,
  slug: tenant_key,
  logo: wordIn(settings.logo),
  rating,
  address: Address.safeParse(settings.address).data ?? null,
})
const distanceIn = ({ distance }: Hit) => (distance === null ? {} : { distance })
const imageAt = (id: string): string => `${config.publicUrl}/media/${id}/original`

const pages = 'Only records of active stores and businesses are found. With `location`, answers have a distance.'
const fewer = 'Pages may have fewer records than `limit`, or none: only a `cursor` of null is the end.'
const availableDays = 7

export const networkSearch = [
  route('GET /v1/networks/{networkKey}/services', {
    may: 'public',
    textParameters: ['networkKey'],
    refuses: ['bad_cursor', 'not_found', 'too_many_requests'],
    summary: 'Search the services of a network',
    description: pages,
    query: z.object({ ...paged, location: location.optional(), ...prices, category, sort_by: sortBy(allSorts) }),
    out: pageOf(ServiceHit),
    run: (call) =>
      pageBy('service', call, async (hits) => {
        const records = await shownServices(call.em, hits)
        return (hit) => {
          const record = records.get(hit.record_id)
          if (!record) return undefined
          const { languages, id, duration } = record
          const texts = { name: nameOf(record, languages), description: textOf(record, 'description', languages) }
          return {
            id,
            ...texts,
            price: hit.price,
            currency: hit.currency,
            duration,
            business: businessOf(record),
            ...distanceIn(hit),
          }
        }
      }),
  }),
  route('GET /v1/networks/{networkKey}/products', {
    may: 'public',
    textParameters: ['networkKey'],
    refuses: ['bad_cursor', 'not_found', 'too_many_requests'],
    summary: 'Search the products of a network',
    description: `Only products of active stores and businesses are found. With \`in_stock\`: ${fewer.toLowerCase()}`,
    query: z.object({
      ...paged,
      ...prices,
      category,
      in_stock: flag.optional().describe(`True: only products that can be bought.`),
      sort_by: sortBy(['price', 'rating', 'newest']),
      sort_direction: SortDirection.optional().describe(
        'Order of the sort; products without the value are last. By default `asc` for the price, else `desc`. May also be sent as `sortOrder`.',
      ),
    }),
    out: pageOf(ProductHit),
    run: (call) =>
      pageBy(
        'product',
        call,
        async (hits) => {
          const records = await shownProducts(call.em, hits)
          return (hit) => {
            const record = records.get(hit.record_id)
            if (!record) return undefined
            const { languages, id, inventory } = record
            const texts = { name: nameOf(record, languages), description: textOf(record, 'description', languages) }
            return {
              id,
              ...texts,
              price: hit.price,
              currency: hit.currency,
              images: record.images.map(imageAt),
              inventory,
              business: businessOf(record),
            }
          }
        },
        async (hits) => {
          if (call.query.in_stock !== true) return undefined
          const left = await inStock(call.em, hits)
          return hits.map(({ record_id }) => left.has(record_id))
        },
      ),
  }),
  route('GET /v1/networks/{networkKey}/providers', {
    may: 'public',
    textParameters: ['networkKey'],
    refuses: ['bad_cursor', 'not_found', 'too_many_requests'],
    summary: 'Search the providers of a network',
    description: `${pages} With \`available\`: ${fewer.toLowerCase()}`,
    query: z.object({
      ...paged,
      location: location.optional(),
      service_id: Id.optional().describe('Only providers of this service.'),
      available: flag.optional().describe(`True: only providers with a free slot in the next ${availableDays} days.`),
      sort_by: sortBy(allSorts),
    }),
    out: pageOf(ProviderHit),
    run: (call) =>
      pageBy(
        'provider',
        call,
        async (hits) => {
          const records = await shownProviders(call.em, hits)
          return (hit) => {
            const record = records.get(hit.record_id)
            if (!record) return undefined
            const { languages, id, images, services } = record
            return {
              id,
              name: nameOf(record, languages),
              bio: textOf(record, 'bio', languages) ?? textOf(record, 'description', languages),
              image: images[0] === undefined ? null : imageAt(images[0]),
              services: services.map((service) => ({ id: service.id, name: nameOf(service, languages) })),
              business: businessOf(record),
              ...distanceIn(hit),
            }
          }
        },
        (hits) => {
          if (call.query.available !== true) return undefined
          const [tenants, ids] = [
            [...new Set(hits.map(({ tenant_id }) => tenant_id))],
            hits.map(({ record_id }) => record_id),
          ]
          return freeAmong(
            call.em,
            tenants,
            'provider',
            ids,
            { from: call.now, to: call.now + availableDays * 86_400, all: false },
            call.now,
          )
        },
      ),
  }),
]
