// A store's taxonomies are trees, also under concurrent moves. Deleting a taxonomy deletes its subtree and every
// reference to it.
import { LockMode } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import { withIds } from '../../rules/content/forms.ts'
import { moveFaults, type TaxonomyItem } from '../../rules/content/taxonomies.ts'
import { conflict, invalid, notFound } from '../../rules/refusal.ts'
import { taxonomyWords } from '../../rules/search/search-texts.ts'
import { insertion } from '../kit/database/insert.ts'
import { sql } from '../kit/database/sql.ts'
import { newId, uuids } from '../kit/ids.ts'
import { flushKeyed } from '../kit/keys.ts'
import { requestListings } from '../networks/listings.ts'
// Backwards: the number of taxonomies is counted by store.
import { Counter } from '../stores/counter.ts'
import { searchOf } from './named.ts'
import { lockOwners, removeReferences } from './removals.ts'
import { Taxonomy } from './taxonomy.ts'

export type TaxonomyInput = Partial<{
  key: string
  parent_id: string | null
  schema: TaxonomyItem[]
  status: Taxonomy['status']
}>

/**
 * Serializes changes of a store's trees until the transaction ends: two moves that are valid alone may form a cycle
 * together.
 */
const lockTree = (em: EntityManager, tenantId: string) =>
  em.execute(sql`
    ${insertion(em, Counter, { tenant_id: tenantId, name: 'taxonomy_tree', value: 1 })}
    on conflict (tenant_id, name) do update
    set value = counters.value + 1
  `)

/**
 * Requires the tree's lock. 422 taxonomy_unknown, too_deep; 409 taxonomy_cycle. One statement reads the ancestors of
 * the parent and the subtree.
 */
async function checkMove(em: EntityManager, tenantId: string, id: string, parentId: string | null): Promise<void> {
  const rows: { id: string; parent_id: string | null }[] = await em.execute(sql`
    with recursive ancestors as (
      select id, parent_id
      from taxonomies
      where tenant_id = ${tenantId} and id = ${parentId}
      union
      select t.id, t.parent_id
      from taxonomies t
      join ancestors a on t.id = a.parent_id
      where t.tenant_id = ${tenantId}
    ),
    descendants as (
      select id, parent_id
      from taxonomies
      where tenant_id = ${tenantId} and id = ${id}
      union
      select t.id, t.parent_id
      from taxonomies t
      join descendants d on t.parent_id = d.id
      where t.tenant_id = ${tenantId}
    )
    select id, parent_id
    from ancestors
    union
    select id, parent_id
    from descendants
  `)
  const [fault] = moveFaults(new Map(rows.map((row) => [row.id, row.parent_id])), id, parentId)
  if (!fault) return
  throw fault.code === 'taxonomy_cycle'
    ? conflict(fault.code, fault.detail, { faults: [fault] })
    : invalid(fault.pointer, fault.code, fault.detail)
}

async function write(em: EntityManager, taxonomy: Taxonomy): Promise<Taxonomy> {
  em.assign(taxonomy, { search: searchOf(taxonomyWords(taxonomy)) })
  await flushKeyed(em, 'taxonomy')
  return taxonomy
}

/** Creates a taxonomy. 409 key_taken; 422 taxonomy_unknown, too_deep. */
export async function createTaxonomy(
  em: EntityManager,
  tenantId: string,
  input: TaxonomyInput & { key: string },
  now: number,
): Promise<Taxonomy> {
  const { key, parent_id = null, schema = [], status = 'active' } = input
  const id = newId()
  if (parent_id !== null) {
    await lockTree(em, tenantId)
    await checkMove(em, tenantId, id, parent_id)
  }
  const row = { id, tenant_id: tenantId, created_at: now, updated_at: now }
  return write(em, em.create(Taxonomy, { ...row, key, parent_id, status, schema: withIds(schema, newId) }))
}

/**
 * Updates a taxonomy. Fields that are left out stay; a new parent moves the whole subtree. 409 key_taken,
 * taxonomy_cycle; 422 taxonomy_unknown, too_deep.
 */
export async function updateTaxonomy(
  em: EntityManager,
  tenantId: string,
  id: string,
  input: TaxonomyInput,
  now: number,
): Promise<Taxonomy> {
  const { schema, ...fields } = input
  // Locked before the row, as in a deletion.
  if (input.parent_id !== undefined) await lockTree(em, tenantId)
  // Before the row, too. Categories of listings are keys.
  if (input.key !== undefined)
    await requestListings(
      em,
      tenantId,
      sql`exists (select 1 from taxonomies where tenant_id = ${tenantId} and id = ${id} and key <> ${input.key})`,
    )
  const taxonomy = await em.findOneOrFail(
    Taxonomy,
    { id },
    { lockMode: LockMode.PESSIMISTIC_WRITE, failHandler: () => notFound('taxonomy') },
  )
  if (input.parent_id !== undefined && input.parent_id !== (taxonomy.parent_id ?? null))
    await checkMove(em, tenantId, id, input.parent_id)
  em.assign(taxonomy, {
    ...fields,
    ...(schema ? { schema: withIds(schema, newId, taxonomy.schema) } : {}),
    updated_at: now,
  })
  return write(em, taxonomy)
}

/**
 * Deletes the subtree and removes it from all records. Eleven statements, however many records, unless their updates
 * have subscribers.
 */
export async function removeTaxonomy(em: EntityManager, tenantId: string, id: string, now: number): Promise<void> {
  await lockTree(em, tenantId)
  const tree: { id: string }[] = await em.execute(sql`
    with recursive subtree as (
      select id
      from taxonomies
      where tenant_id = ${tenantId} and id = ${id}
      union
      select t.id
      from taxonomies t
      join subtree on t.parent_id = subtree.id
      where t.tenant_id = ${tenantId}
    )
    select id
    from subtree
  `)
  if (tree.length === 0) throw notFound('taxonomy')
  const ids = tree.map((one) => one.id)
  const those = sql`tenant_id = ${tenantId} and id = any (${uuids(ids)})`
  const held = await lockOwners(em, tenantId, { taxonomy: ids })
  // Locked after the owners, and by id: a new reference to a term waits, and finds it deleted.
  await em.execute(sql`select id from taxonomies where ${those} order by id for update`)
  await removeReferences(em, tenantId, { taxonomy: ids }, held, now)
  await em.execute(sql`delete from taxonomies where ${those}`)
}
