// Searches what a network lists: services, products and providers of all its stores and businesses. Public, and limited
// per IP address.
import { z } from 'zod'
import { config } from '../../config.ts'
import { inStock, shownProducts, shownProviders, shownServices } from '../../entities/networks/results.ts'
import type { Hit } from '../../entities/networks/search.ts'
import { freeAmong } from '../../entities/scheduling/filters.ts'
import { textIn } from '../../rules/input/locale-tags.ts'
import { Id, SortDirection } from '../../rules/shapes.ts'
import { Address } from '../../rules/stores/addresses.ts'
import { pageOf } from '../kit/answer/listing.ts'
import { flag } from '../kit/query.ts'
import { route } from '../kit/route.ts'
import { pageBy } from './search-pages.ts'
import {
  allSorts,
  category,
  location,
  ProductHit,
  ProviderHit,
  paged,
  prices,
  ServiceHit,
  sortBy,
} from './search-shapes.ts'

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
