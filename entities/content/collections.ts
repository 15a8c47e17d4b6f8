// A collection says what its entries are: they are held to it from their next write on, and go when it goes.
import { LockMode } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import { blocksWithIds, schemaWithIds } from '../../rules/content/block-ids.ts'
import { type BlockSchema, type BlockSchemaItem, collectionsIn } from '../../rules/content/block-schemas.ts'
import { pointerOf } from '../../rules/input/pointers.ts'
import { invalidInput, notFound } from '../../rules/refusal.ts'
import { CollectionOut, EntryOut } from '../../rules/resources.ts'
import { collectionWords } from '../../rules/search-texts.ts'
import { serialize } from '../../rules/serialize.ts'
import type { Block } from '../../rules/shapes.ts'
import { arrayOf, newId, newInnerId } from '../kit/ids.ts'
import { flushKeyed } from '../kit/keys.ts'
import { sql } from '../kit/sql.ts'
import { emit, isWanted, tell } from '../webhooks/events.ts'
import { Collection } from './collection.ts'
import { entryBatches } from './collection-entries.ts'
import { checkContent, writeContent } from './content.ts'
import { searchOf } from './named.ts'
import { forget, holdOwners, letGo } from './removals.ts'

export type CollectionInput = Partial<{ key: string; schema: BlockSchema; blocks: Block[] }>

/** What is pending, its words with it. 409 key_taken: the transaction is over then. */
async function write(em: EntityManager, collection: Collection): Promise<void> {
  em.assign(collection as Collection & { search: string }, { search: searchOf(collectionWords(collection)) })
  await flushKeyed(em, 'collection')
}

/** As they are stored: its own blocks have no schema. */
const identified = ({ key, schema, blocks }: CollectionInput, before: readonly BlockSchemaItem[] = []) => ({
  ...(key === undefined ? {} : { key }),
  ...(schema ? { schema: schemaWithIds(schema, newInnerId, before) } : {}),
  ...(blocks ? { blocks: blocksWithIds(blocks, newInnerId) } : {}),
})

/** 422 collection_unknown, but for those that it named before: they may have been removed since, and what was read can be sent back. */
async function checkNamed(em: EntityManager, schema: BlockSchema, before: readonly BlockSchemaItem[] = []): Promise<void> {
  const old = new Set(collectionsIn(before).map(({ id }) => id))
  const named = collectionsIn(schema).filter(({ id }) => !old.has(id))
  if (named.length === 0) return
  const found = await em.find(Collection, { id: { $in: [...new Set(named.map(({ id }) => id))] } }, { fields: ['id'] })
  const known = new Set(found.map(({ id }) => id))
  const faults = named
    .filter(({ id }) => !known.has(id))
    .map(({ path }) => ({ pointer: pointerOf(['schema', ...path]), code: 'collection_unknown', detail: 'There is no such collection.' }))
  if (faults.length > 0) throw invalidInput(faults)
}

/** 409 key_taken; 422 for each block that is not what it says it is or refers to what is not there, and each collection that the schema names and that is none. */
export async function createCollection(em: EntityManager, tenantId: string, input: CollectionInput & { key: string }, now: number): Promise<Collection> {
  await checkNamed(em, input.schema ?? [])
  const held = await checkContent(em, tenantId, { blocks: input.blocks }, null)
  const row = { id: newId(), tenant_id: tenantId, created_at: now, updated_at: now }
  const collection = em.create(Collection, { ...row, schema: [], blocks: [], key: input.key, ...identified(input) })
  await write(em, collection)
  await writeContent(em, tenantId, 'collection', collection.id, held, true)
  await emit(em, tenantId, 'collection.created', () => serialize(CollectionOut, collection), now)
  return collection
}

/**
 * What is left out stays. A new schema is accepted as it is: `invalid_entries` is null, and how many entries do not satisfy it is to be counted when this is
 * committed. No entry is written against the schema before while it changes. Errors as createCollection.
 */
export async function updateCollection(em: EntityManager, id: string, input: CollectionInput, now: number) {
  const failHandler = () => notFound('collection')
  const collection = await em.findOneOrFail(Collection, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE, failHandler })
  await checkNamed(em, input.schema ?? [], collection.schema)
  const held = await checkContent(em, collection.tenant_id, { blocks: input.blocks }, null)
  em.assign(collection, { ...identified(input, collection.schema), updated_at: now })
  await write(em, collection)
  await writeContent(em, collection.tenant_id, 'collection', id, held, false)
  await emit(em, collection.tenant_id, 'collection.updated', () => serialize(CollectionOut, collection), now)
  return input.schema ? { ...collection, invalid_entries: null } : collection
}

/**
 * The collection and all of its entries, in one transaction however many. Whoever is about to write an entry of it, or to refer to one, waits and then finds
 * nothing. 409 referenced if anybody but them holds one of them.
 */
export async function removeCollection(em: EntityManager, tenantId: string, id: string, now: number): Promise<void> {
  const failHandler = () => notFound('collection')
  const found: { id: string }[] = await em.execute(sql`select id from entries where tenant_id = ${tenantId} and collection_id = ${id}`)
  // By their ids: of a collection that is younger than its statistics the database would believe that it is nearly empty, and compare all with all.
  const entries = found.map((entry) => entry.id)
  const held = await holdOwners(em, tenantId, { collection: [id], entry: entries })
  const collection = await em.findOneOrFail(Collection, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE, failHandler })
  // Those that were added before the collection was held; nobody adds one now. Too late to wait for one that is being changed: it is an attempt to be repeated.
  const late: { id: string }[] = await em.execute(
    sql`select id from entries where tenant_id = ${tenantId} and collection_id = ${id} and id <> all (${arrayOf(entries)}::uuid[]) order by id for no key update nowait`,
  )
  entries.push(...late.map((entry) => entry.id))
  await em.execute(sql`select count(*) from (select 1 from entries where tenant_id = ${tenantId} and collection_id = ${id} order by id for update) as held`)
  await letGo(em, tenantId, { collection: [id], entry: entries }, held, now)
  const told = (shown: unknown) => ({ tenant_id: tenantId, data: shown })
  if (await isWanted(em, tenantId, 'collection.deleted')) await tell(em, 'collection.deleted', [told(serialize(CollectionOut, collection))], now)
  if (await isWanted(em, tenantId, 'entry.deleted')) {
    // They have to be told of while they are there, and are never all in memory.
    for await (const entries of entryBatches(em, tenantId, id)) {
      const shown = entries.map((entry) => told(serialize(EntryOut, entry)))
      await tell(em, 'entry.deleted', shown, now)
    }
  }
  await forget(em, tenantId, [id, ...entries])
  await em.execute(sql`delete from entries where tenant_id = ${tenantId} and collection_id = ${id}`)
  await em.nativeDelete(Collection, { id })
}
