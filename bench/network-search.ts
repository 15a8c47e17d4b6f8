// The first and the hundredth page of 20 services of a network, for each sort, of 100,000 in one city and in a country.
import { randomBytes } from 'node:crypto'
import { newId } from '../entities/kit/ids.ts'
import { mortonOf } from '../rules/geo.ts'
import { ListingSort } from '../rules/networks/networks.ts'
import type { Ask, Path } from './kit/path.ts'
import { newStore, type Shop } from './kit/shop.ts'

const count = 100_000
const center = { lat: 51, lng: 10 }

/** `width`: degrees around the centre, where they are densest. Returns the key of the network. */
async function fillNetwork(shop: Shop, extent: string, width: number): Promise<string> {
  const { db } = shop
  const [id, key, store] = [newId(), `${extent}-${randomBytes(4).toString('hex')}`, await newStore(shop, extent)]
  await db.query('insert into networks (id, created_at, updated_at, key, name) values ($1, 1, 1, $2, $2)', [id, key])
  await db.query('insert into network_members (network_id, tenant_id, created_at) values ($1, $2, 1)', [id, store.id])
  await db.query('update tenants set is_network = true where id = $1', [store.id])
  const off = () => (Math.random() - 0.5 + Math.random() - 0.5) * width
  const rows = Array.from({ length: count }, (_, n) => {
    const place = { lat: center.lat + off(), lng: center.lng + off() * 1.6 }
    return {
      n,
      id: newId(),
      ...place,
      geo: mortonOf(place),
      price: n % 20 === 0 ? null : (n * 7919) % 50_000,
      rank: n % 3 === 0 ? null : (n * 31) % 501,
    }
  })
  for (let at = 0; at < count; at += 5000)
    await db.query(
      `with x as materialized (select * from jsonb_to_recordset($3) as x (n int, id uuid, lat float8, lng float8, geo bigint, price bigint, rank int)),
       s as (insert into services (id, created_at, updated_at, tenant_id, key, slug, blocks, taxonomies, status)
         select id, 1700000000 + n, 1700000000 + n, $2, 'bench-' || n, '{}', jsonb_build_array(jsonb_build_object('key', 'name', 'type', 'text', 'value', 'Service ' || n)), '[]', 'active' from x)
       insert into network_listings (network_id, kind, record_id, tenant_id, geo, lat, lng, price, currency, rating_rank, categories, search, created_at)
       select $1, 'service', id, $2, geo, lat, lng, price, 'USD', rank, '[]', to_tsvector('simple', 'service ' || n), 1700000000 + n from x`,
      [id, store.id, JSON.stringify(rows.slice(at, at + 5000))],
    )
  // Autovacuum would do it within a minute; these rows were inserted within seconds.
  for (const table of ['services', 'network_listings']) await db.query(`vacuum analyze ${table}`)
  return key
}

const pathOf = (key: string, query: Record<string, string>) =>
  `/v1/networks/${key}/services?${new URLSearchParams({ limit: '20', ...query })}`

async function asksOf({ api }: Shop, key: string): Promise<Ask[]> {
  const asks: Ask[] = []
  for (const sortBy of ListingSort.options) {
    const query = { sortBy, ...(sortBy === 'distance' ? { location: JSON.stringify({ ...center, radius: 500 }) } : {}) }
    let path = pathOf(key, query)
    asks.push({ method: 'GET', path, headers: {} })
    for (let page = 1; page < 100; page++) {
      const { cursor } = (await (await fetch(`${api}${path}`)).json()) as { cursor: string }
      path = pathOf(key, { ...query, cursor })
    }
    asks.push({ method: 'GET', path, headers: {} })
  }
  return asks
}

function searchOf(extent: 'city' | 'country', width: number): Path {
  let asks: Promise<Ask[]> | undefined
  return {
    name: `network-search-${extent}`,
    floor: 'statements',
    target: { p95_ms: 30, sql: 6, clients: 1 },
    async lanes(shop, clients) {
      asks ??= fillNetwork(shop, extent, width).then((key) => asksOf(shop, key))
      const all = await asks
      return Array.from({ length: clients }, (_, lane) => all.map((_, at) => all[(at + lane) % all.length] as Ask))
    },
  }
}

export const networkSearchCity = searchOf('city', 0.3)
export const networkSearchCountry = searchOf('country', 8)
