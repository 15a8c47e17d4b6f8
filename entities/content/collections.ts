// A collection defines the schema of its entries, which applies from their next write on. Its entries are deleted with
// it.
import { LockMode } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import { blocksWithIds, schemaWithIds } from '../../rules/content/block-ids.ts'
import { type BlockSchema, type BlockSchemaItem, collectionsIn } from '../../rules/content/block-schemas.ts'
import type { Block } from '../../rules/content/block-shape.ts'
import { pointerOf } from '../../rules/input/pointers.ts'
import { invalidInput, notFound } from '../../rules/refusal.ts'
import { CollectionOut, EntryOut } from '../../rules/resources.ts'
import { collectionWords } from '../../rules/search/search-texts.ts'
import { serialize } from '../../rules/serialize.ts'
import { sql } from '../kit/database/sql.ts'
import { newId, newInnerId, uuids } from '../kit/ids.ts'
import { flushKeyed } from '../kit/keys.ts'
import { emit, isWanted, writeEvents } from '../webhooks/events.ts'
import { Collection } from './collection.ts'
import { entryBatches } from './collection-entries.ts'
import { checkContent, writeContent } from './content.ts'
import { searchOf } from './named.ts'
import { lockOwners, removeLinks, removeReferences } from './removals.ts'

export type CollectionInput = Partial<{ key: string; schema: BlockSchema; blocks: Block[] }>

/** Flushes, with the search words. 409 key_taken ends the transaction. */
async function write(em: EntityManager, collection: Collection): Promise<void> {
  em.assign(collection as Collection & { search: string }, { search: searchOf(collectionWords(collection)) })
  await flushKeyed(em, 'collection')
}

/** The stored form of a collection, with ids. The collection's own blocks have no schema. */
const identified = ({ key, schema, blocks }: CollectionInput, before: readonly BlockSchemaItem[] = []) => ({
  ...(key === undefined ? {} : { key }),
  ...(schema ? { schema: schemaWithIds(schema, newInnerId, before) } : {}),
  ...(blocks ? { blocks: blocksWithIds(blocks, newInnerId) } : {}),
})

/**
 * Checks the collections that a schema names. 422 collection_unknown, except for collections that the schema named
 * before: they may be deleted since, and a schema that was read can be sent back.
 */
async function checkNamed(
  em: EntityManager,
  schema: BlockSchema,
  before: readonly BlockSchemaItem[] = [],
): Promise<void> {
  const old = new Set(collectionsIn(before).map(({ id }) => id))
  const named = collectionsIn(schema).filter(({ id }) => !old.has(id))
  if (named.length === 0) return
  const found = await em.find(Collection, { id: { $in: [...new Set(named.map(({ id }) => id))] } }, { fields: ['id'] })
  const collectionIds = new Set(found.map(({ id }) => id))
  const faults = named
    .filter(({ id }) => !collectionIds.has(id))
    .map(({ path }) => ({
      pointer: pointerOf(['schema', ...path]),
      code: 'collection_unknown',
      detail: 'There is no such collection.',
    }))
  if (faults.length > 0) throw invalidInput(faults)
}

/**
 * Creates a collection. 409 key_taken; 422 for every invalid block, missing target of a reference, and unknown
 * collection of the schema.
 */
export async function createCollection(
  em: EntityManager,
  tenantId: string,
  input: CollectionInput & { key: string },
  now: number,
): Promise<Collection> {
  await checkNamed(em, input.schema ?? [])
  const relations = await checkContent(em, tenantId, { blocks: input.blocks }, null)
  const row = { id: newId(), tenant_id: tenantId, created_at: now, updated_at: now }
  const collection = em.create(Collection, { ...row, schema: [], blocks: [], key: input.key, ...identified(input) })
  await write(em, collection)
  await writeContent(em, tenantId, 'collection', collection.id, relations, true)
  await emit(em, tenantId, 'collection.created', () => serialize(CollectionOut, collection), now)
  return collection
}

/**
 * Updates a collection. Fields that are left out stay. A new schema is accepted unchecked: `invalid_entries` is null,
 * and the entries that do not satisfy it are counted after the commit.
 * No entry is written with the former schema while it changes. Errors as createCollection.
 */
export async function updateCollection(em: EntityManager, id: string, input: CollectionInput, now: number) {
  const failHandler = () => notFound('collection')
  const collection = await em.findOneOrFail(Collection, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE, failHandler })
  await checkNamed(em, input.schema ?? [], collection.schema)
  const relations = await checkContent(em, collection.tenant_id, { blocks: input.blocks }, null)
  em.assign(collection, { ...identified(input, collection.schema), updated_at: now })
  await write(em, collection)
  await writeContent(em, collection.tenant_id, 'collection', id, relations, false)
  await emit(em, collection.tenant_id, 'collection.updated', () => serialize(CollectionOut, collection), now)
  return input.schema ? { ...collection, invalid_entries: null } : collection
}

/**
 * Deletes the collection and all of its entries in one transaction. A transaction that is about to write one of its
 * entries, or to refer to one, waits and then finds none. 409 referenced if another record refers to one of them with
 * `restrict`.
 */
export async function removeCollection(em: EntityManager, tenantId: string, id: string, now: number): Promise<void> {
  const failHandler = () => notFound('collection')
  const found: { id: string }[] = await em.execute(
    sql`select id from entries where tenant_id = ${tenantId} and collection_id = ${id}`,
  )
  // By their ids: without current statistics the planner takes the collection for nearly empty and joins by nested
  // loops.
  const entries = found.map((entry) => entry.id)
  const owners = await lockOwners(em, tenantId, { collection: [id], entry: entries })
  const collection = await em.findOneOrFail(Collection, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE, failHandler })
  // Entries that were added before the collection was locked. Waiting for one that is locked could deadlock: the
  // attempt ends and is repeated.
  const late: { id: string }[] = await em.execute(sql`
    select id
    from entries
    where tenant_id = ${tenantId} and collection_id = ${id} and id <> all (${uuids(entries)})
    order by id
    for no key update nowait
  `)
  entries.push(...late.map((entry) => entry.id))
  await em.execute(sql`
    select count(*)
    from (
      select 1
      from entries
      where tenant_id = ${tenantId} and collection_id = ${id}
      order by id
      for update
    ) as locked_entries
  `)
  await removeReferences(em, tenantId, { collection: [id], entry: entries }, owners, now)
  const eventOf = (data: unknown) => ({ tenant_id: tenantId, data })
  if (await isWanted(em, tenantId, 'collection.deleted'))
    await writeEvents(em, 'collection.deleted', [eventOf(serialize(CollectionOut, collection))], now)
  if (await isWanted(em, tenantId, 'entry.deleted')) {
    // Their events are written while they exist, in batches.
    for await (const entries of entryBatches(em, tenantId, id)) {
      const shown = entries.map((entry) => eventOf(serialize(EntryOut, entry)))
      await writeEvents(em, 'entry.deleted', shown, now)
    }
  }
  await removeLinks(em, tenantId, [id, ...entries])
  await em.execute(sql`delete from entries where tenant_id = ${tenantId} and collection_id = ${id}`)
  await em.nativeDelete(Collection, { id })
}
