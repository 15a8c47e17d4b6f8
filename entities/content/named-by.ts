// Finds the records that refer to deleted records or are filed under them, and locks them in one order, so that
// deletions do not deadlock.
import type { EntityManager } from '@mikro-orm/postgresql'
import type { OnDelete } from '../../rules/content/block-schemas.ts'
import { type FiledKind, TargetKind } from '../../rules/content/record-kinds.ts'
import { join, nothing, type Sql, sql, text } from '../kit/database/sql.ts'
import { uuids } from '../kit/ids.ts'
import { ownerTables as tables } from './content.ts'

/** Records that are deleted together, by kind; at most one of the kinds that blocks refer to. */
export type Going = Partial<Record<'collection' | 'taxonomy' | TargetKind, readonly string[]>>
/**
 * A record that names a deleted one: in its blocks (`target_id`, with the action on its deletion), or by being filed
 * under it (null).
 */
export type Naming = { kind: FiledKind; owner_id: string; target_id: string | null; on_delete: OnDelete | null }

export const goingIds = (going: Going): string[] => Object.values(going).flat()
/** The kind of the deleted records that blocks can refer to. */
export const targetKind = (going: Going): TargetKind | undefined => TargetKind.options.find((kind) => going[kind])

/** Several tables are always locked in this order, and their rows by id. */
const ownerKinds = Object.keys(tables) as FiledKind[]

/** Each owner once, in locking order. */
export const byKind = (owners: readonly { kind: string; owner_id: string }[]): { kind: FiledKind; ids: string[] }[] =>
  ownerKinds.flatMap((kind) => {
    const ids = new Set(owners.flatMap((one) => (one.kind === kind ? [one.owner_id] : [])))
    return ids.size === 0 ? [] : [{ kind, ids: [...ids].sort() }]
  })

/** The taxonomy links `l` to these records. */
export const linksTo = (ids: Sql) => sql`(l.taxonomy_id = any (${ids}) or l.entry_id = any (${ids}))`

/** The records that name the deleted ones and are not deleted with them. One statement. */
export async function namedBy(em: EntityManager, tenantId: string, going: Going): Promise<Naming[]> {
  const kind = targetKind(going)
  const terms = uuids([...(going.entry ?? []), ...(going.taxonomy ?? [])])
  const references = (target: TargetKind) => sql`
    select owner_kind as kind, owner_id, target_id, on_delete
    from block_references r
    where r.tenant_id = ${tenantId} and r.${text(target)}_id = any (${uuids(going[target] ?? [])})
  `
  const links = sql`
    select distinct owner_kind, owner_id, null::uuid, null
    from taxonomy_links l
    where l.tenant_id = ${tenantId} and ${linksTo(terms)}
  `
  const parts = [...(kind ? [references(kind)] : []), ...(going.entry || going.taxonomy ? [links] : [])]
  const found: Naming[] = await em.execute(
    sql`select * from (${join(parts, ' union all ')}) as n (kind, owner_id, target_id, on_delete)`,
  )
  const deletedIds = new Set(goingIds(going))
  return found.filter(({ owner_id }) => !deletedIds.has(owner_id))
}

/**
 * Locks the owners in one statement. Rows that another transaction has locked are waited for, or with `nowait` end in
 * contention.
 */
async function hold(em: EntityManager, tenantId: string, owners: ReturnType<typeof byKind>, wait: Sql): Promise<void> {
  if (owners.length === 0) return
  const locked = owners.map(({ kind, ids }) => {
    const rows = sql`
      select id
      from ${text(tables[kind])}
      where tenant_id = ${tenantId} and id = any (${uuids(ids)})
      order by id
      for no key update ${wait}
    `
    return { locks: sql`${text(kind)}_rows as (${rows})`, counts: sql`(select count(*) from ${text(kind)}_rows)` }
  })
  const [locks, counts] = [locked.map((one) => one.locks), locked.map((one) => one.counts)]
  await em.execute(sql`with ${join(locks)} select ${join(counts, ' + ')}`)
}

/**
 * Locks the records that name the deleted ones, and with them the deleted records that may name others. A change of a
 * record locks it first and then, as keys, all that it names: this is the same order, and owners are locked by table
 * and id. The deleted records are not locked as keys yet, so a transaction that has begun to refer to one does not
 * block this one. Returns the locked ids. Two statements at most.
 */
export async function lockNaming(
  em: EntityManager,
  tenantId: string,
  going: Going,
  naming: readonly Naming[],
): Promise<ReadonlySet<string>> {
  const own = (['collection', 'entry', 'product'] as const).flatMap((kind) =>
    (going[kind] ?? []).map((owner_id) => ({ kind, owner_id })),
  )
  // A single record that is not named is locked once, by its deletion, which holds no other lock.
  const owners = naming.length === 0 && own.length <= 1 ? [] : byKind([...naming, ...own])
  await hold(em, tenantId, owners, nothing)
  return new Set(owners.flatMap(({ ids }) => ids))
}

/**
 * Locks the owners that began to refer to a deleted record before it was locked as a key. Waiting for them could
 * deadlock: one that is locked ends this attempt in contention, and it is repeated. One statement, and none if there
 * are none.
 */
export const lockLateOwners = (
  em: EntityManager,
  tenantId: string,
  naming: readonly Naming[],
  owners: ReadonlySet<string>,
): Promise<void> => hold(em, tenantId, byKind(naming.filter(({ owner_id }) => !owners.has(owner_id))), sql`nowait`)
