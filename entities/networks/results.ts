// What a network shows of the records that a search found: one statement for each kind, over all tenants of the page.
import type { EntityManager } from '@mikro-orm/postgresql'
import { type Sql, sql, text } from '../kit/database/sql.ts'
import { uuids } from '../kit/ids.ts'
import type { Hit } from './search.ts'

type Shown = {
  id: string
  key: string
  texts: { key: string; value?: unknown }[]
  tenant_id: string
  tenant_key: string
  settings: Record<string, unknown>
  languages: string[]
  /** Average of all stars that its tenant has; null without any. */
  rating: number | null
}
export type ShownService = Shown & { duration: number | null }
export type ShownProduct = Shown & { images: string[]; inventory: number | null }
export type ShownProvider = Shown & { images: string[]; services: Pick<Shown, 'id' | 'key' | 'texts'>[] }

/** Blocks of a record by a path. */
const blocksOf = (alias: string, path: string): Sql =>
  sql`jsonb_path_query_array(${text(alias)}.blocks, ${path}::jsonpath)`
const names = '$[*] ? (@.key == "name")'
const texts = '$[*] ? (@.key == "name" || @.key == "description" || @.key == "bio")'

/** Images in the order of the blocks. */
const images = sql`
  (
    select coalesce(jsonb_agg(m.id order by strpos(r.blocks::text, m.id::text)), '[]')
    from block_references b
    join media m on m.id = b.media_id and m.tenant_id = b.tenant_id and m.status = 'ready' and m.family = 'image'
    where b.tenant_id = r.tenant_id and b.owner_id = r.id
  ) as images
`

const duration = sql`
  coalesce(
    (r.durations -> 0 ->> 'duration')::int,
    (
      select min(coalesce((l.durations -> 0 ->> 'duration')::int, l.slot_interval))
      from service_providers l
      where l.service_id = r.id and l.tenant_id = r.tenant_id
    )
  ) as duration
`
const inventory = sql`
  (
    select sum(i.available)::bigint
    from product_variants v
    join inventory_levels i on i.variant_id = v.id and i.tenant_id = v.tenant_id
    where v.product_id = r.id and v.tenant_id = r.tenant_id
  ) as inventory
`
const servicesMost = 100
const services = sql`
  (
    select coalesce(
      jsonb_agg(
        jsonb_build_object('id', service.id, 'key', service.key, 'texts', service.texts)
        order by service.created_at, service.id
      ),
      '[]'
    )
    from (
      select s.id, s.key, s.created_at, ${blocksOf('s', names)} as texts
      from service_providers l
      join services s
        on s.id = l.service_id
        and s.tenant_id = l.tenant_id
        and s.status = 'active'
        and s.access = 'public'
      where l.provider_id = r.id and l.tenant_id = r.tenant_id
      order by s.created_at, s.id
      limit ${servicesMost}
    ) service
  ) as services
`

async function shownOf<S extends Shown>(
  em: EntityManager,
  table: string,
  hits: readonly Hit[],
  more: Sql,
): Promise<ReadonlyMap<string, S>> {
  if (hits.length === 0) return new Map()
  const [tenants, ids] = [new Set(hits.map(({ tenant_id }) => tenant_id)), hits.map(({ record_id }) => record_id)]
  const rows: S[] = await em.execute(sql`
    with store_ratings as materialized (
      select tenant_id, sum(stars_sum)::float8 / nullif(sum(stars_count), 0) as rating
      from ratings
      where tenant_id = any (${uuids(tenants)})
      group by tenant_id
    )
    select r.id, r.key, ${blocksOf('r', texts)} as texts, t.id as tenant_id, t.key as tenant_key, t.settings,
      t.languages, store_ratings.rating, ${more}
    from ${text(table)} r
    join tenants t on t.id = r.tenant_id
    left join store_ratings on store_ratings.tenant_id = r.tenant_id
    where r.tenant_id = any (${uuids(tenants)}) and r.id = any (${uuids(ids)}) and r.status = 'active'
  `)
  return new Map(rows.map((row) => [row.id, row]))
}

export const shownServices = (em: EntityManager, hits: readonly Hit[]) =>
  shownOf<ShownService>(em, 'services', hits, duration)
export const shownProducts = (em: EntityManager, hits: readonly Hit[]) =>
  shownOf<ShownProduct>(em, 'products', hits, sql`${images}, ${inventory}`)
export const shownProviders = (em: EntityManager, hits: readonly Hit[]) =>
  shownOf<ShownProvider>(em, 'providers', hits, sql`${images}, ${services}`)

/** Those of these products that have a variant which can be bought: one that is not tracked never runs out. */
export async function inStock(em: EntityManager, hits: readonly Hit[]): Promise<ReadonlySet<string>> {
  const [tenants, ids] = [new Set(hits.map(({ tenant_id }) => tenant_id)), hits.map(({ record_id }) => record_id)]
  const rows: { product_id: string }[] = await em.execute(sql`
    select distinct v.product_id
    from product_variants v
    where v.tenant_id = any (${uuids(tenants)})
      and v.product_id = any (${uuids(ids)})
      and (
        not exists (select 1 from inventory_levels i where i.variant_id = v.id and i.tenant_id = v.tenant_id)
        or exists (
          select 1
          from inventory_levels i
          where i.variant_id = v.id and i.tenant_id = v.tenant_id and i.available > 0
        )
      )
  `)
  return new Set(rows.map(({ product_id }) => product_id))
}
