// Listings equal what the tables of their tenant say: each writer of a record rebuilds its listings in its own
// transaction. Writers of one tenant take turns.
import type { EntityManager } from '@mikro-orm/postgresql'
import type { ListingKind } from '../../rules/networks/networks.ts'
import { join, type Sql, sql, text } from '../kit/database/sql.ts'
import { uuids } from '../kit/ids.ts'
import { start } from '../kit/outbox.ts'

/** Ids of records by kind. */
export type Records = Partial<Record<ListingKind, readonly string[]>>

// Memberships are locked in the order of their key: writers of several tenants' listings do not deadlock.
const memberships = (tenantIds: readonly string[]): Sql => sql`
  select 1
  from network_members
  where tenant_id = any (${uuids(tenantIds)})
  order by tenant_id, network_id
  for no key update
`

/**
 * Locks the memberships of tenants until the transaction ends: writers of their listings take turns. Before any other
 * lock.
 */
export const lockMemberships = (em: EntityManager, tenantIds: readonly string[]): Promise<unknown[]> =>
  em.execute(memberships(tenantIds))

/**
 * Whether the tenant is in a network. If it is, its memberships are locked: what is read afterwards is what all earlier
 * writers of its listings have committed. The share of the tenant's row keeps it in or out of networks until the
 * transaction ends. Locks are taken in the order memberships, tenant, walk, records. One statement.
 */
export async function holdListings(em: EntityManager, tenantId: string): Promise<boolean> {
  const [tenant]: { is_network: boolean; locked: number }[] = await em.execute(sql`
    select t.is_network, membership_locks.locked
    from (select count(*) as locked from (${memberships([tenantId])}) n) membership_locks
    cross join tenants t
    where t.id = ${tenantId}
    for share of t
  `)
  // It came into a network while this waited.
  if (tenant?.is_network && tenant.locked === 0) await lockMemberships(em, [tenantId])
  return tenant?.is_network ?? false
}

/** Prices in this market count first. */
const markets = sql`
  (values (1, ${'$[*] ? (@.market == "booking")'}::jsonpath), (2, ${'$[*] ? (@.market == "us")'}::jsonpath)) as m(
    turn, path
  )
`
/** The least price of some rows, as JSON. */
const least = (rows: Sql): Sql =>
  sql`
    (
      select market_price.price
      from ${rows}
      where market_price.price is not null
      order by m.turn, (market_price.price ->> 'amount')::bigint
      limit 1
    )
  `
const seen = (alias: string): Sql => text(`${alias}.status = 'active' and ${alias}.access = 'public'`)
const linkPrice = sql`
  cross join lateral (
    select coalesce(jsonb_path_query_first(l.prices, m.path), jsonb_path_query_first(s.prices, m.path)) as price
  ) market_price
`

const priceOfService = least(sql`
  ${markets}
  left join (
    service_providers l join providers p on p.id = l.provider_id and p.tenant_id = l.tenant_id and ${seen('p')}
  ) on l.service_id = s.id and l.tenant_id = s.tenant_id ${linkPrice}
`)
const priceOfProvider = least(sql`
  ${markets}
  join service_providers l on l.provider_id = p.id and l.tenant_id = p.tenant_id
  join services s on s.id = l.service_id and s.tenant_id = l.tenant_id and ${seen('s')} ${linkPrice}
`)
const priceOfProduct = least(sql`
  ${markets}
  join product_variants v on v.product_id = g.id and v.tenant_id = g.tenant_id
  cross join lateral (select jsonb_path_query_first(v.prices, m.path) as price) market_price
`)

/** Both coordinates of a JSON object, or null. */
const placeIn = (json: Sql): Sql => sql`
  case
    when jsonb_typeof(${json} -> 'lat') = 'number'
      and jsonb_typeof(${json} -> 'lng') = 'number'
      and abs((${json} ->> 'lat')::float8) <= 90
      and abs((${json} ->> 'lng')::float8) <= 180
      then ${json}
  end
`
const businessPlace = placeIn(sql`(t.settings -> 'location')`)

const listed = (kind: ListingKind, alias: string): Sql =>
  text(`'${kind}' as kind, ${alias}.id as record_id, ${alias}.created_at, ${alias}.search`)

/** Columns of x and y with a zero before each of their bits: the Morton code of rules/geo.ts. */
const spread = (() => {
  const step = (bits: number, mask: string, from: string, to: string) =>
    text(`
      cross join lateral (
        select (${from}.x | (${from}.x << ${bits})) & ${mask} as x, (${from}.y | (${from}.y << ${bits})) & ${mask} as y
      ) ${to}
    `)
  const masks: [number, string][] = [
    [16, '281470681808895'],
    [8, '71777214294589695'],
    [4, '1085102592571150095'],
    [2, '3689348814741910323'],
    [1, '6148914691236517205'],
  ]
  return join(
    masks.map(([bits, mask], at) => step(bits, mask, `bits${at}`, `bits${at + 1}`)),
    ' ',
  )
})()
const cell = (value: string, span: number): Sql =>
  text(`least(2097151, floor((${value} + ${span / 2}) / ${span} * 2097152)::bigint)`)

/**
 * Rebuilds the listings of these records from the tables, under `holdListings`. A record is listed in each network of
 * its tenant, or in those that it names, while it is active and public. One statement.
 */
export async function refreshListings(
  em: EntityManager,
  tenantId: string,
  { service = [], provider = [], product = [] }: Records,
): Promise<void> {
  if (service.length + provider.length + product.length === 0) return
  const kinds = { service: uuids(service), provider: uuids(provider), product: uuids(product) }
  await em.execute(sql`
    with records as materialized (
      select ${listed('service', 's')}, s.network_ids, coalesce(${placeIn(sql`s.location`)}, ${businessPlace}) as place,
        ${priceOfService} as price
      from services s
      join tenants t on t.id = s.tenant_id
      where s.tenant_id = ${tenantId} and s.id = any (${kinds.service}) and ${seen('s')}
      union all
      select ${listed('provider', 'p')}, p.network_ids, ${businessPlace}, ${priceOfProvider}
      from providers p
      join tenants t on t.id = p.tenant_id
      where p.tenant_id = ${tenantId} and p.id = any (${kinds.provider}) and ${seen('p')}
      union all
      select ${listed('product', 'g')}, '[]', null, ${priceOfProduct}
      from products g
      where g.tenant_id = ${tenantId} and g.id = any (${kinds.product}) and g.status = 'active'
    ),
    located_records as (
      select r.*, bits0.lat, bits0.lng, case when bits0.lat is not null then bits5.x | (bits5.y << 1) end as geo
      from records r
      cross join lateral (select (r.place ->> 'lat')::float8 as lat, (r.place ->> 'lng')::float8 as lng) point
      cross join lateral (
        select point.lat, point.lng, ${cell('point.lng', 360)} as x, ${cell('point.lat', 180)} as y
      ) bits0 ${spread}
    ),
    new_listings as materialized (
      select n.network_id, r.kind, r.record_id, r.geo, r.lat, r.lng, (r.price ->> 'amount')::bigint as price,
        r.price ->> 'currency' as currency,
        (
          select a.stars_sum * 1000000::bigint / a.stars_count
          from ratings a
          where a.tenant_id = ${tenantId} and a.target_type = r.kind and a.target_id = r.record_id and a.stars_count > 0
        )::int as rating_rank,
        r.search, r.created_at,
        (
          select coalesce(jsonb_agg(distinct k.key), '[]')
          from taxonomy_links x
          join taxonomies k on k.tenant_id = x.tenant_id and k.id in (x.taxonomy_id, x.entry_id)
          where x.tenant_id = ${tenantId} and x.owner_id = r.record_id
        ) as categories
      from located_records r
      join network_members n
        on n.tenant_id = ${tenantId}
        and (r.network_ids = '[]' or r.network_ids @> to_jsonb(n.network_id::text))
    ),
    deleted_listings as (
      delete from network_listings o
      where o.tenant_id = ${tenantId}
        and (
          o.kind = 'service' and o.record_id = any (${kinds.service})
          or o.kind = 'provider' and o.record_id = any (${kinds.provider})
          or o.kind = 'product' and o.record_id = any (${kinds.product})
        )
        and not exists (
          select 1
          from new_listings n
          where n.network_id = o.network_id and n.kind = o.kind and n.record_id = o.record_id
        )
    )
    insert into network_listings as o (
      network_id, kind, record_id, tenant_id, geo, lat, lng, price, currency, rating_rank, search, created_at,
      categories
    )
    select network_id, kind, record_id, ${tenantId}, geo, lat, lng, price, currency, rating_rank, search, created_at,
      categories
    from new_listings
    on conflict (network_id, kind, record_id) do update
    set geo = excluded.geo, lat = excluded.lat, lng = excluded.lng, price = excluded.price,
      currency = excluded.currency, rating_rank = excluded.rating_rank, search = excluded.search,
      created_at = excluded.created_at, categories = excluded.categories
    where o.tenant_id = excluded.tenant_id
  `)
}

/**
 * These services and providers, and those that they are linked to, whose prices and offers may change with them. One
 * statement.
 */
export async function linkedRecords(
  em: EntityManager,
  tenantId: string,
  { service = [], provider = [] }: Records,
): Promise<Records> {
  const [services, providers] = [uuids(service), uuids(provider)]
  const links: { service_id: string; provider_id: string }[] = await em.execute(sql`
    select service_id, provider_id
    from service_providers
    where tenant_id = ${tenantId} and (service_id = any (${services}) or provider_id = any (${providers}))
  `)
  return {
    service: [...new Set([...service, ...links.map(({ service_id }) => service_id)])],
    provider: [...new Set([...provider, ...links.map(({ provider_id }) => provider_id)])],
  }
}

/**
 * Schedules the rebuild of all listings of the tenant, if it is in a network: after a change of what many of them are
 * made from. A walk that is under way begins again. Before locks of records. One statement for a tenant that is in
 * none, or where `condition` does not hold.
 */
export async function requestListings(em: EntityManager, tenantId: string, condition: Sql = sql`true`): Promise<void> {
  const rows: unknown[] = await em.execute(sql`
    with store as materialized (
      select id, is_network from tenants where id = ${tenantId} for share
    )
    insert into listing_walks (tenant_id, progress, updated_at)
    select id, null, date_part('epoch', statement_timestamp())::bigint
    from store
    where is_network and ${condition}
    on conflict (tenant_id) do update
    set progress = null, updated_at = excluded.updated_at
    returning tenant_id
  `)
  if (rows.length > 0) await start(em, 'listings', tenantId, { tenant_id: tenantId, signal: true })
}
