// An entry satisfies the schema that its collection had when it was written, and all that it refers to existed then.
import { LockMode } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import { blocksWithIds } from '../../rules/content/block-ids.ts'
import type { BlockSchemaItem } from '../../rules/content/block-schemas.ts'
import type { Block } from '../../rules/content/block-shape.ts'
import type { TaxonomyEntry } from '../../rules/content/taxonomies.ts'
import type { LocaleMap } from '../../rules/input/locale-map.ts'
import { conflict, invalid, notFound } from '../../rules/refusal.ts'
import { EntryOut } from '../../rules/resources.ts'
import { serialize } from '../../rules/serialize.ts'
import type { RecordStatus } from '../../rules/shapes.ts'
import { sql } from '../kit/database/sql.ts'
import { newId, newInnerId } from '../kit/ids.ts'
import { flushUnique } from '../kit/keys.ts'
import { lockForChange } from '../kit/locked-row.ts'
import { emit } from '../webhooks/events.ts'
import { Entry } from './entry.ts'
import { flushNamed } from './named.ts'
import { lockOwners, removeLinks, removeReferences } from './removals.ts'

export type EntryInput = Partial<{
  collection_id: string
  key: string
  slug: LocaleMap
  blocks: Block[]
  taxonomies: TaxonomyEntry[]
  status: RecordStatus
}>

/** Flushes an entry. 409 key_taken if another entry of the collection has the key. */
const flush = (em: EntityManager): Promise<void> =>
  flushUnique(em, /entries_tenant_id_collection_id_key_unique/, () => {
    const detail = 'Another entry of the collection has this key.'
    return conflict('key_taken', detail, { faults: [{ pointer: '/key', code: 'key_taken', detail }] })
  })

/**
 * Reads the collection's schema and locks the collection until the transaction ends. Always locked before its entries.
 */
async function schemaOf(em: EntityManager, tenantId: string, collectionId: string): Promise<BlockSchemaItem[]> {
  const rows: { schema: BlockSchemaItem[] }[] = await em.execute(sql`
    select schema
    from collections
    where tenant_id = ${tenantId} and id = ${collectionId}
    for share
  `)
  if (!rows[0]) throw invalid('/collection_id', 'collection_unknown', 'The {store} has no such collection.')
  return rows[0].schema
}

async function schemaOfEntry(em: EntityManager, tenantId: string, id: string): Promise<BlockSchemaItem[]> {
  // The collection is locked `for share`: its schema stays until the entry is written.
  const rows: { schema: BlockSchemaItem[] }[] = await em.execute(sql`
    select c.schema
    from collections c
    join entries e on e.collection_id = c.id and e.tenant_id = c.tenant_id
    where e.tenant_id = ${tenantId} and e.id = ${id}
    for share of c
  `)
  if (!rows[0]) throw notFound('entry')
  return rows[0].schema
}

/** Creates an entry. 422 collection_unknown and all faults of blocks and taxonomies; 409 key_taken, slug_taken. */
export async function createEntry(
  em: EntityManager,
  tenantId: string,
  input: EntryInput & { collection_id: string; key: string },
  now: number,
): Promise<Entry> {
  const schema = await schemaOf(em, tenantId, input.collection_id)
  const blocks = blocksWithIds(input.blocks ?? [], newInnerId)
  const row = { id: newId(), tenant_id: tenantId, created_at: now, updated_at: now }
  const entry = em.create(Entry, { ...row, slug: {}, taxonomies: [], status: 'active', ...input, blocks })
  await flushNamed(em, 'entry', entry, { ...input, blocks }, { schema, flush })
  await emit(em, tenantId, 'entry.created', () => serialize(EntryOut, entry), now)
  return entry
}

/**
 * Updates an entry. Fields that are left out stay, and blocks that are left out are not checked. Updates of one entry
 * are serialized.
 * Errors as createEntry.
 */
export async function updateEntry(
  em: EntityManager,
  tenantId: string,
  id: string,
  input: EntryInput,
  now: number,
): Promise<Entry> {
  const schema = input.blocks ? await schemaOfEntry(em, tenantId, id) : undefined
  const entry = await lockForChange(em, Entry, id, 'entry')
  const { collection_id = entry.collection_id, ...fields } = input
  if (collection_id !== entry.collection_id)
    throw invalid('/collection_id', 'collection_fixed', 'An entry stays in its collection.')
  const changes = { ...fields, ...(input.blocks ? { blocks: blocksWithIds(input.blocks, newInnerId) } : {}) }
  em.assign(entry, { ...changes, updated_at: now })
  await flushNamed(em, 'entry', entry, changes, { schema, flush })
  await emit(em, tenantId, 'entry.updated', () => serialize(EntryOut, entry), now)
  return entry
}

/** Deletes an entry. 409 referenced if a reference to it restricts this; other references become null. */
export async function removeEntry(em: EntityManager, tenantId: string, id: string, now: number): Promise<void> {
  const going = { entry: [id] }
  const owners = await lockOwners(em, tenantId, going)
  const entry = await em.findOneOrFail(
    Entry,
    { id },
    { lockMode: LockMode.PESSIMISTIC_WRITE, failHandler: () => notFound('entry') },
  )
  await removeReferences(em, tenantId, going, owners, now)
  await emit(em, tenantId, 'entry.deleted', () => serialize(EntryOut, entry), now)
  await removeLinks(em, tenantId, [id])
  await em.nativeDelete(Entry, { id })
}
