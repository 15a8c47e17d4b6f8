// Searches the listings of a network, over all of its tenants: one statement a page, and by distance one for each
// circle until the page is full.
import type { EntityManager } from '@mikro-orm/postgresql'
import { boxesOf, EARTH_RADIUS_M, type Point, rangesOf } from '../../rules/geo.ts'
import { spellingsOf } from '../../rules/input/texts.ts'
import { type ListingKind, type ListingSort, radiiOf } from '../../rules/networks/networks.ts'
import { searchQuery } from '../../rules/search/search.ts'
import type { SortDirection } from '../../rules/shapes.ts'
import { join, json, nothing, type Sql, sql, text } from '../kit/database/sql.ts'

/** Where a page begins: behind the listing with this value and id. */
export type Behind = { value: number | null; id: string }
export type Search = {
  network: string
  kind: ListingKind
  query: string | undefined
  category: string | undefined
  price_min: number | undefined
  price_max: number | undefined
  /** The service that a provider must offer. */
  service_id: string | undefined
  circle: { center: Point; radius_m: number } | undefined
  sort: ListingSort
  direction: SortDirection
  behind: Behind | null
  limit: number
}

/** `value`: what it is sorted by; `distance` in whole metres, null without a circle. */
export type Hit = {
  record_id: string
  tenant_id: string
  price: number | null
  currency: string | null
  value: number | null
  distance: number | null
}

/**
 * The size of an angle of degrees, in radians. PostgreSQL refuses products that underflow, such as the square of a
 * smaller one.
 */
const sizeOf = (degrees: Sql): Sql => sql`radians(greatest(abs(${degrees}), 1e-12))`
/** Haversine, in whole metres. */
const distanceTo = ({ lat, lng }: Point): Sql => sql`
  round(
    2 * ${EARTH_RADIUS_M}::float8 * asin(
      least(
        1,
        sqrt(
          sin(${sizeOf(sql`l.lat - ${lat}::float8`)} / 2) ^ 2 + cos(${sizeOf(sql`${lat}::float8`)}) * cos(
            ${sizeOf(sql`l.lat`)}
          ) * sin(${sizeOf(sql`l.lng - ${lng}::float8`)} / 2) ^ 2
        )
      )
    )
  )::bigint
`

/** The ranges are read from the index; the boxes spare the distances of most places that are outside of the circle. */
const within = ({ center, radius_m }: { center: Point; radius_m: number }): Sql => {
  // Distances are rounded: a place half a metre outside of the circle is found.
  const reach_m = radius_m + 1
  const ranges = rangesOf(center, reach_m).map(([from, to]) => sql`l.geo between ${from} and ${to}`)
  const boxes = boxesOf(center, reach_m).map(
    ({ south, north, west, east }) =>
      sql`l.lat between ${south}::float8 and ${north}::float8 and l.lng between ${west}::float8 and ${east}::float8`,
  )
  return sql`
    and (${join(ranges, ' or ')}) and (${join(boxes, ' or ')}) and ${distanceTo(center)} <= ${radius_m}::float8
  `
}

function conditionsOf({ network, kind, query, category, price_min, price_max, service_id }: Search): Sql {
  const offers = sql`
    exists (
      select 1
      from service_providers x
      join services s
        on s.id = x.service_id
        and s.tenant_id = x.tenant_id
        and s.status = 'active'
        and s.access = 'public'
      where x.provider_id = l.record_id and x.tenant_id = l.tenant_id and x.service_id = ${service_id ?? null}
    )
  `
  return join(
    [
      sql`l.network_id = (select id from networks where key = ${network}) and l.kind = ${kind}`,
      ...(query === undefined ? [] : [sql`l.search @@ to_tsquery('simple', ${searchQuery(query)})`]),
      ...(category === undefined
        ? []
        : [
            sql`
              (
                ${join(
                  spellingsOf(category).map((key) => sql`l.categories @> ${json([key])}`),
                  ' or ',
                )}
              )
            `,
          ]),
      ...(price_min === undefined ? [] : [sql`l.price >= ${price_min}`]),
      ...(price_max === undefined ? [] : [sql`l.price <= ${price_max}`]),
      ...(service_id === undefined ? [] : [offers]),
    ],
    ' and ',
  )
}

const columns: Record<Exclude<ListingSort, 'distance'>, string> = {
  price: 'l.price',
  rating: 'l.rating_rank',
  newest: 'l.created_at',
}

/** Listings in order, those without a value last: two parts, each read by the same index. */
async function pageIn(em: EntityManager, search: Search, circle: Search['circle']): Promise<Hit[]> {
  const { sort, direction, behind, limit } = search
  const distance = circle ? distanceTo(circle.center) : sql`null::bigint`
  const value = sort === 'distance' ? distance : text(columns[sort])
  const [order, beyond] = direction === 'asc' ? [text('asc'), text('>')] : [text('desc'), text('<')]
  // The order of the index, also where all values are null.
  const rows = (condition: Sql) => sql`
    (
      select l.record_id, l.tenant_id, l.price, l.currency, ${value} as value, ${distance} as distance
      from network_listings l
      join tenants t on t.id = l.tenant_id and t.status = 'ACTIVE'
      where ${conditionsOf(search)} ${circle ? within(circle) : nothing} and ${condition}
      order by ${value} ${order}, l.record_id ${order}
      limit ${limit}
    )
  `
  const after =
    behind && behind.value !== null
      ? sql`(${value}, l.record_id) ${beyond} (${behind.value}::bigint, ${behind.id}::uuid)`
      : sql`${value} is not null`
  const valued = rows(after)
  const afterNull = behind?.value === null ? sql`and l.record_id ${beyond} ${behind.id}` : nothing
  const valueless = rows(sql`${value} is null ${afterNull}`)
  const parts = [
    ...(behind?.value === null ? [] : [valued]),
    ...(sort === 'price' || sort === 'rating' ? [valueless] : []),
  ]
  return em.execute(sql`
    select *
    from (${join(parts, ' union all ')}) l
    order by value ${order} nulls last, record_id ${order}
    limit ${limit}
  `)
}

/** At most `limit` listings behind `behind`, of active tenants. */
export async function searchListings(em: EntityManager, search: Search): Promise<Hit[]> {
  const { circle, sort, behind, limit } = search
  if (sort !== 'distance' || !circle) return pageIn(em, search, circle)
  for (const radius_m of radiiOf(circle.radius_m, behind?.value ?? 0)) {
    const hits = await pageIn(em, search, { ...circle, radius_m })
    if (hits.length === limit || radius_m === circle.radius_m) return hits
  }
  return []
}

export const networkExists = async (em: EntityManager, key: string): Promise<boolean> =>
  (await em.execute<unknown[]>(sql`select 1 from networks where key = ${key}`)).length > 0
