// Reads the entries of a collection in batches, so that memory holds few of them.
import { setImmediate } from 'node:timers/promises'
import type { EntityManager } from '@mikro-orm/postgresql'
import type { BlockSchemaItem } from '../../rules/content/block-schemas.ts'
import { blockReferences, blocksFit } from '../../rules/content/blocks.ts'
import { sql } from '../kit/database/sql.ts'
import type { Entry } from './entry.ts'

/** Entries in memory; each has at most a MiB of blocks. */
const batch = 50

export type PlainEntry = Pick<
  Entry,
  | 'id'
  | 'tenant_id'
  | 'collection_id'
  | 'key'
  | 'slug'
  | 'blocks'
  | 'taxonomies'
  | 'status'
  | 'created_at'
  | 'updated_at'
> & {
  /** The collections of the entries that its blocks refer to, by entry id. */
  collections: Record<string, string>
}

/** All entries in the order of their creation, which updates do not change. */
export async function* entryBatches(
  em: EntityManager,
  tenantId: string,
  collectionId: string,
): AsyncGenerator<PlainEntry[]> {
  for (
    let last: Pick<PlainEntry, 'created_at' | 'id'> = { created_at: -1, id: '00000000-0000-0000-0000-000000000000' };
    ;
  ) {
    const entries: PlainEntry[] = await em.execute(sql`
      select e.id, e.tenant_id, e.collection_id, e.key, e.slug, e.blocks, e.taxonomies, e.status, e.created_at,
        e.updated_at,
        (
          select coalesce(jsonb_object_agg(t.id, t.collection_id), '{}')
          from block_references r
          join entries t on t.id = r.entry_id and t.tenant_id = r.tenant_id
          where r.tenant_id = e.tenant_id and r.owner_id = e.id
        ) as collections
      from entries e
      where e.tenant_id = ${tenantId}
        and e.collection_id = ${collectionId}
        and (e.created_at, e.id) > (${last.created_at}, ${last.id}::uuid)
      order by e.created_at, e.id
      limit ${batch}
    `)
    if (entries.length > 0) yield entries
    if (entries.length < batch) return
    last = entries.at(-1) as PlainEntry
  }
}

/** Milliseconds of one turn of the event loop. */
const turn = 10

/**
 * Counts the entries that do not satisfy the schema; null if `signal` aborts the count. Takes no locks: entries that
 * are written meanwhile are validated against the schema already. One statement per batch, without a connection in
 * between; the event loop is released every 10 ms, or after one entry if that takes longer.
 */
export async function invalidEntries(
  em: EntityManager,
  tenantId: string,
  collectionId: string,
  schema: readonly BlockSchemaItem[],
  signal: AbortSignal,
): Promise<number | null> {
  if (schema.length === 0) return 0
  const isFine = blocksFit(schema)
  // Only references that name a collection are checked: foreign keys ensure that the targets exist.
  const strays = ({ blocks, collections }: PlainEntry) =>
    blockReferences(blocks, schema).some(
      ({ id, collection_id }) => collection_id !== undefined && collections[id] !== collection_id,
    )
  const names = JSON.stringify(schema).includes('"collection_id"')
  let count = 0
  let since = performance.now()
  for await (const entries of entryBatches(em, tenantId, collectionId)) {
    for (const entry of entries) {
      if (performance.now() - since > turn) {
        await setImmediate()
        since = performance.now()
      }
      if (signal.aborted) return null
      if (!isFine(entry.blocks) || (names && strays(entry))) count++
    }
  }
  return count
}
