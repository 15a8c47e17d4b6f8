// Collections: a schema that the blocks of their entries must satisfy, and blocks of their own.
import { z } from 'zod'
import { config } from '../../config.ts'
import { Collection } from '../../entities/content/collection.ts'
import { invalidEntries } from '../../entities/content/collection-entries.ts'
import { createCollection, removeCollection, updateCollection } from '../../entities/content/collections.ts'
import type { EntityManager } from '../../entities/kit/database/orm.ts'
import { findRecord, ofKey } from '../../entities/kit/find.ts'
import { BlockSchema } from '../../rules/content/block-schemas.ts'
import { Block } from '../../rules/content/block-shape.ts'
import { Key } from '../../rules/input/identities.ts'
import { spellingsOf } from '../../rules/input/texts.ts'
import { notFound } from '../../rules/refusal.ts'
import { CollectionOut } from '../../rules/resources.ts'
import { byIds, filter, listing } from '../kit/answer/listing.ts'
import { removing } from '../kit/answer/record.ts'
import { Reply } from '../kit/answer/replies.ts'
import { route } from '../kit/route.ts'

/** An id takes precedence over a key, as a key may be a UUID. 404. */
export async function readCollection(em: EntityManager, idOrKey: string): Promise<Collection> {
  const id = z.guid().safeParse(idOrKey).data?.toLowerCase()
  const found = (id && (await em.findOne(Collection, { id }))) || (await ofKey(em, Collection, idOrKey))
  if (!found) throw notFound('collection')
  return found
}

const writable = {
  schema: BlockSchema.optional().describe(
    "Schema of the blocks of the collection's entries; if it is empty, entries may have any blocks. Items without an id get one.",
  ),
  blocks: z
    .array(Block)
    .max(500)
    .optional()
    .describe('Content blocks of the collection itself, 500 at most. The schema does not apply to them.'),
}

export const collections = [
  listing('GET /v1/stores/{storeId}/collections', {
    may: 'admin',
    summary: 'List the collections',
    entity: Collection,
    unmanaged: true,
    item: CollectionOut,
    search: 'search',
    sorts: ['key'],
    filters: {
      key: filter(Key.describe('Only the collection with exactly this key.'), (key) => ({
        key: { $in: spellingsOf(key) },
      })),
      ...byIds,
    },
  }),
  route('GET /v1/stores/{storeId}/collections/{id}', {
    may: 'admin',
    summary: 'Read a collection by id or by key',
    textParameters: ['id'],
    out: CollectionOut,
    run: ({ em, path }) => readCollection(em, path.id),
  }),
  route('POST /v1/stores/{storeId}/collections', {
    may: 'admin',
    refuses: ['key_taken'],
    summary: 'Create a collection',
    description:
      '409 `key_taken` if another collection has the key. 422 for a schema that no block can satisfy, for example `max_below_min`.',
    body: z.object({
      key: Key.describe('Name of the collection, unique in the {store}, of 1 to 255 printable characters.'),
      ...writable,
    }),
    out: CollectionOut,
    status: 201,
    run: ({ em, tenant_id, body, now }) => createCollection(em, tenant_id, body, now),
  }),
  route('PUT /v1/stores/{storeId}/collections/{id}', {
    may: 'admin',
    refuses: ['key_taken'],
    summary: 'Update a collection',
    description:
      'Fields that are left out are kept. `schema` and `blocks` replace the stored ones; an item of the schema without an id keeps the id of the stored item with its key and type. ' +
      'A new schema applies to an entry at its next write. `invalid_entries` is the number of entries that do not satisfy it: they are counted after the change, and it is null if ' +
      'that takes longer than the answer waits. 409 `key_taken` if another collection has the key.',
    body: z.object({
      key: Key.optional().describe('Name of the collection, unique in the {store}. Left out, it is kept.'),
      ...writable,
    }),
    out: CollectionOut,
    async run({ em, path, body, now }) {
      const collection = await updateCollection(em, path.id, body, now)
      // Set after a change of the schema only.
      return new Reply(collection, {
        pending: 'invalid_entries' in collection ? (collection.schema as BlockSchema) : undefined,
      })
    },
    wait: {
      // The schema of this change: a later one is counted by the request that makes it.
      async until({ em, path, pending: schema, tenant_id }) {
        const invalid_entries = await invalidEntries(
          em,
          tenant_id,
          path.id,
          schema,
          AbortSignal.timeout(config.answerWaitMs),
        )
        return { ...(await findRecord(em, Collection, { id: path.id }, 'collection')), invalid_entries }
      },
    },
  }),
  removing('DELETE /v1/stores/{storeId}/collections/{id}', {
    may: 'admin',
    summary: 'Delete a collection with its entries',
    description:
      '409 `referenced` if a reference from another record restricts the deletion of one of its entries; `referenced_by` lists up to ten of the records. Other references to its ' +
      'entries are set to null.',
    remove: ({ em, tenant_id, path, now }) => removeCollection(em, tenant_id, path.id, now),
  }),
]
