// Those who refer to what goes, or are sorted under it, are found, and held in the one order in which nobody waits for another who waits for them.
import type { EntityManager } from '@mikro-orm/postgresql'
import type { OnDelete } from '../../rules/content/block-schemas.ts'
import { arrayOf } from '../kit/ids.ts'
import { type OwnerKind, type TargetKind, ownerTables as tables } from './content.ts'

/** What goes together, by kind; of the kinds that blocks refer to one at a time. */
export type Going = Partial<Record<'collection' | 'taxonomy' | TargetKind, readonly string[]>>
/** One who names what goes: in its blocks (what, and what is then to become of it), or by being sorted under it (null). */
export type Naming = { kind: OwnerKind | 'contact'; owner_id: string; target_id: string | null; on_delete: OnDelete | null }

export const goingIds = (going: Going): string[] => Object.values(going).flat()
const targets: TargetKind[] = ['media', 'entry', 'product']
/** Of what goes, what blocks can refer to. */
export const targetKind = (going: Going): TargetKind | undefined => targets.find((kind) => going[kind])

/** Every table is locked in this order, and its rows by id, by whoever locks several. */
export const ownerKinds = Object.keys(tables) as OwnerKind[]

/** Each of them once, in the order in which they are locked. */
export const byKind = (owners: readonly { kind: string; owner_id: string }[]): { kind: OwnerKind; ids: string[] }[] =>
  ownerKinds.flatMap((kind) => {
    const ids = new Set(owners.flatMap((one) => (one.kind === kind ? [one.owner_id] : [])))
    return ids.size === 0 ? [] : [{ kind, ids: [...ids].sort() }]
  })

/** The links to what goes: twice its ids. */
export const linksTo = '(l.taxonomy_id = any (?::uuid[]) or l.entry_id = any (?::uuid[]))'

/** Everybody who names what goes and does not go with it. One statement. */
export async function namedBy(em: EntityManager, tenantId: string, going: Going): Promise<Naming[]> {
  const kind = targetKind(going)
  const references = `select owner_kind as kind, owner_id, target_id, on_delete from block_references r where r.tenant_id = ? and r.${kind}_id = any (?::uuid[])`
  const terms = arrayOf([...(going.entry ?? []), ...(going.taxonomy ?? [])])
  const links = `select distinct owner_kind, owner_id, null::uuid, null from taxonomy_links l where l.tenant_id = ? and ${linksTo}`
  const parts = [
    ...(kind ? [{ sql: references, values: [tenantId, arrayOf(going[kind] ?? [])] }] : []),
    ...(going.entry || going.taxonomy ? [{ sql: links, values: [tenantId, terms, terms] }] : []),
  ]
  const found: Naming[] = await em.execute(
    `select * from (${parts.map(({ sql }) => sql).join(' union all ')}) as n (kind, owner_id, target_id, on_delete)`,
    parts.flatMap(({ values }) => values),
  )
  const gone = new Set(goingIds(going))
  return found.filter(({ owner_id }) => !gone.has(owner_id))
}

/** One statement, and none for nobody. Where others hold one of them, it waits, or with `nowait` ends in contention. */
async function hold(em: EntityManager, tenantId: string, owners: ReturnType<typeof byKind>, wait: '' | 'nowait'): Promise<void> {
  if (owners.length === 0) return
  await em.execute(
    `with ${owners.map(({ kind }) => `${kind}_rows as (select id from ${tables[kind]} where tenant_id = ? and id = any (?::uuid[]) order by id for no key update ${wait})`).join(', ')}
     select count(*) from (${owners.map(({ kind }) => `select id from ${kind}_rows`).join(' union all ')}) as held`,
    owners.flatMap(({ ids }) => [tenantId, arrayOf(ids)]),
  )
}

/**
 * Holds who names what will go, and with them what goes itself, as far as it could name something too. Whoever changes a record holds it first and then, as
 * a key, all that it names; this is the same order, and among those who are held there is one for all: by table, then by id. What goes is not locked as a key
 * yet, so nobody who has begun to refer to it is in the way. Returns the ids that are held. Two statements at most.
 */
export async function holdNaming(em: EntityManager, tenantId: string, going: Going, naming: readonly Naming[]): Promise<ReadonlySet<string>> {
  const own = (['collection', 'entry', 'product'] as const).flatMap((kind) => (going[kind] ?? []).map((owner_id) => ({ kind, owner_id })))
  // One alone, which nobody names, is held once, as a key, by whoever removes it: he holds nothing else for which another could wait.
  const owners = naming.length === 0 && own.length <= 1 ? [] : byKind([...naming, ...own])
  await hold(em, tenantId, owners, '')
  return new Set(owners.flatMap(({ ids }) => ids))
}

/**
 * Holds those who came since: they began to refer to what goes before it was locked as a key. It is too late to wait for them; one who is being changed
 * right now makes this an attempt to be repeated. One statement, and none if nobody came.
 */
export const holdLate = (em: EntityManager, tenantId: string, naming: readonly Naming[], held: ReadonlySet<string>): Promise<void> =>
  hold(em, tenantId, byKind(naming.filter(({ owner_id }) => !held.has(owner_id))), 'nowait')
