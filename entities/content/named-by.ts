// Those who refer to what goes, or are sorted under it, are found, and held in the one order in which nobody waits for another who waits for them.
import type { EntityManager } from '@mikro-orm/postgresql'
import type { OnDelete } from '../../rules/content/block-schemas.ts'
import { type OwnerKind, TargetKind } from '../../rules/content/record-kinds.ts'
import { uuids } from '../kit/ids.ts'
import { join, nothing, type Sql, sql, text } from '../kit/sql.ts'
import { ownerTables as tables } from './content.ts'

/** What goes together, by kind; of the kinds that blocks refer to one at a time. */
export type Going = Partial<Record<'collection' | 'taxonomy' | TargetKind, readonly string[]>>
/** One who names what goes: in its blocks (what, and what is then to become of it), or by being sorted under it (null). */
export type Naming = { kind: OwnerKind | 'contact'; owner_id: string; target_id: string | null; on_delete: OnDelete | null }

export const goingIds = (going: Going): string[] => Object.values(going).flat()
/** Of what goes, what blocks can refer to. */
export const targetKind = (going: Going): TargetKind | undefined => TargetKind.options.find((kind) => going[kind])

/** Every table is locked in this order, and its rows by id, by whoever locks several. */
export const ownerKinds = Object.keys(tables) as OwnerKind[]

/** Each of them once, in the order in which they are locked. */
export const byKind = (owners: readonly { kind: string; owner_id: string }[]): { kind: OwnerKind; ids: string[] }[] =>
  ownerKinds.flatMap((kind) => {
    const ids = new Set(owners.flatMap((one) => (one.kind === kind ? [one.owner_id] : [])))
    return ids.size === 0 ? [] : [{ kind, ids: [...ids].sort() }]
  })

/** The taxonomy links `l` to these records. */
export const linksTo = (ids: Sql) => sql`(l.taxonomy_id = any (${ids}) or l.entry_id = any (${ids}))`

/** Everybody who names what goes and does not go with it. One statement. */
export async function namedBy(em: EntityManager, tenantId: string, going: Going): Promise<Naming[]> {
  const kind = targetKind(going)
  const terms = uuids([...(going.entry ?? []), ...(going.taxonomy ?? [])])
  const references = (target: TargetKind) =>
    sql`select owner_kind as kind, owner_id, target_id, on_delete from block_references r
      where r.tenant_id = ${tenantId} and r.${text(target)}_id = any (${uuids(going[target] ?? [])})`
  const links = sql`select distinct owner_kind, owner_id, null::uuid, null from taxonomy_links l where l.tenant_id = ${tenantId} and ${linksTo(terms)}`
  const parts = [...(kind ? [references(kind)] : []), ...(going.entry || going.taxonomy ? [links] : [])]
  const found: Naming[] = await em.execute(sql`select * from (${join(parts, ' union all ')}) as n (kind, owner_id, target_id, on_delete)`)
  const gone = new Set(goingIds(going))
  return found.filter(({ owner_id }) => !gone.has(owner_id))
}

/** Locks the owners in one statement. Rows that another transaction has locked are waited for, or with `nowait` end in contention. */
async function hold(em: EntityManager, tenantId: string, owners: ReturnType<typeof byKind>, wait: Sql): Promise<void> {
  if (owners.length === 0) return
  const locked = owners.map(({ kind, ids }) => {
    const rows = sql`select id from ${text(tables[kind])} where tenant_id = ${tenantId} and id = any (${uuids(ids)}) order by id for no key update ${wait}`
    return { locks: sql`${text(kind)}_rows as (${rows})`, counts: sql`(select count(*) from ${text(kind)}_rows)` }
  })
  const [locks, counts] = [locked.map((one) => one.locks), locked.map((one) => one.counts)]
  await em.execute(sql`with ${join(locks)} select ${join(counts, ' + ')}`)
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
  await hold(em, tenantId, owners, nothing)
  return new Set(owners.flatMap(({ ids }) => ids))
}

/**
 * Holds those who came since: they began to refer to what goes before it was locked as a key. It is too late to wait for them; one who is being changed
 * right now makes this an attempt to be repeated. One statement, and none if nobody came.
 */
export const holdLate = (em: EntityManager, tenantId: string, naming: readonly Naming[], held: ReadonlySet<string>): Promise<void> =>
  hold(em, tenantId, byKind(naming.filter(({ owner_id }) => !held.has(owner_id))), sql`nowait`)
