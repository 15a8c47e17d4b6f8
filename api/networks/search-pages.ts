// The pages of a search of a network: limited per IP address, and continued by a cursor that belongs to one query.
import type { z } from 'zod'
import { config } from '../../config.ts'
import type { EntityManager } from '../../entities/kit/database/orm.ts'
import { type Behind, type Hit, networkExists, type Search, searchListings } from '../../entities/networks/search.ts'
import { METERS_PER_MILE } from '../../rules/geo.ts'
import type { ListingKind, ListingSort } from '../../rules/networks/networks.ts'
import { invalidInput, notFound } from '../../rules/refusal.ts'
import type { SortDirection } from '../../rules/shapes.ts'
import { decodeCursor, encodeCursor, scopeDigest } from '../kit/answer/cursors.ts'
import { networkOf } from '../limits/networks.ts'
import { throttle } from '../limits/rate.ts'
import type { Circle } from './search-shapes.ts'

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
export async function pageBy<Q extends Given, T>(
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
