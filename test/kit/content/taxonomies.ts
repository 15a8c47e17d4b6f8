// Taxonomies for tests.
//   const [colour, red] = [await term(shop), await term(shop, { parent_id: colour.id })]
//   await attach('product', shop, [{ taxonomy_id: colour.id, entry_ids: [red.id] }])

import { type Answer, database, type Shop, unique } from '../shop.ts'
import { collection } from './content.ts'

export type Term = { id: string; key: string; parent_id: string | null }
export type Attached = { taxonomy_id: string; entry_ids?: string[]; fields?: unknown[] }

export const addTerm = (shop: Shop, body: Record<string, unknown> = {}, base?: string): Promise<Answer> =>
  shop.asOperator('POST', '/taxonomies', { key: unique(), ...body }, base)

/** The created taxonomy. */
export async function term(shop: Shop, body: Record<string, unknown> = {}): Promise<Term & Record<string, unknown>> {
  const answer = await addTerm(shop, body)
  if (answer.status !== 201) throw new Error(`no taxonomy: ${answer.status} ${JSON.stringify(answer.body)}`)
  return answer.body
}

export const lists = { product: 'products', service: 'services', provider: 'providers', entry: 'entries' } as const
export type Kind = keyof typeof lists
export const kinds = Object.keys(lists) as Kind[]

const collections = new WeakMap<Shop, Promise<{ id: string }>>()
const ofCollection = async (kind: Kind, shop: Shop) => {
  if (kind !== 'entry') return {}
  if (!collections.has(shop)) collections.set(shop, collection(shop))
  return { collection_id: (await collections.get(shop))?.id }
}

/** A new record with these taxonomies. */
export const attach = async (
  kind: Kind,
  shop: Shop,
  taxonomies: Attached[],
  more: Record<string, unknown> = {},
  base?: string,
): Promise<Answer> =>
  shop.asOperator(
    'POST',
    `/${lists[kind]}`,
    { key: unique(), ...(await ofCollection(kind, shop)), taxonomies, ...more },
    base,
  )

export const asQuery = (queries: unknown): string => `taxonomy_query=${encodeURIComponent(JSON.stringify(queries))}`

/** References of a store, in records or in links, to taxonomies that do not exist. */
export async function danglingIn({ store_id }: Shop): Promise<unknown[]> {
  const named = kinds.map(
    (
      kind,
    ) => `select '${kind}' as where, o.id, x.id as term from ${lists[kind]} o, jsonb_array_elements(o.taxonomies) t,
      lateral (select t ->> 'taxonomy_id' as id union all select jsonb_array_elements_text(coalesce(t -> 'entry_ids', '[]'))) x where o.tenant_id = $1`,
  )
  const { rows } = await database().query(
    `with named as (${named.join(' union all ')} union all select 'link', owner_id, entry_id::text from taxonomy_links where tenant_id = $1)
     select * from named n where not exists (select 1 from taxonomies where tenant_id = $1 and id = n.term::uuid)
       and not exists (select 1 from entries where tenant_id = $1 and id = n.term::uuid)`,
    [store_id],
  )
  return rows
}

/** Differences between records and their links. */
export async function linksApart({ store_id }: Shop): Promise<unknown[]> {
  const said = kinds.map(
    (
      kind,
    ) => `select o.id as owner_id, (t ->> 'taxonomy_id')::uuid as taxonomy_id, e::uuid as entry_id, o.created_at as at
      from ${lists[kind]} o, jsonb_array_elements(o.taxonomies) t, jsonb_array_elements_text(
        case when jsonb_array_length(coalesce(t -> 'entry_ids', '[]')) = 0 then jsonb_build_array(t ->> 'taxonomy_id') else t -> 'entry_ids' end) e where o.tenant_id = $1`,
  )
  const { rows } = await database().query(
    `with said as (select distinct * from (${said.join(' union all ')}) x),
     linked as (select owner_id, taxonomy_id, entry_id, owner_created_at as at from taxonomy_links where tenant_id = $1)
     (select 'not linked' as what, * from (select * from said except select * from linked) a) union all (select 'not said', * from (select * from linked except select * from said) b)`,
    [store_id],
  )
  return rows
}
