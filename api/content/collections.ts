// What kinds of content a store has: a schema that entries are held to, and blocks of the collection's own.
import { z } from 'zod'
import { config } from '../../config.ts'
import { Collection } from '../../entities/content/collection.ts'
import { invalidEntries } from '../../entities/content/collection-entries.ts'
import { createCollection, removeCollection, updateCollection } from '../../entities/content/collections.ts'
import type { EntityManager } from '../../entities/kit/orm.ts'
import { BlockSchema } from '../../rules/content/block-schemas.ts'
import { Key } from '../../rules/input/identities.ts'
import { notFound } from '../../rules/refusal.ts'
import { CollectionOut } from '../../rules/resources.ts'
import { Block, Id } from '../../rules/shapes.ts'
import { filter, listing } from '../kit/listing.ts'
import { many } from '../kit/query.ts'
import { route } from '../kit/route.ts'
import { Success, success } from '../kit/shapes.ts'

/** An id is tried first: another one's key may look like it. */
export async function readCollection(em: EntityManager, idOrKey: string): Promise<Collection> {
  const id = z.guid().safeParse(idOrKey).data?.toLowerCase()
  const found = (id && (await em.findOne(Collection, { id }))) || (await em.findOne(Collection, { key: idOrKey }))
  if (!found) throw notFound('collection')
  return found
}

const writable = {
  schema: BlockSchema.optional().describe("Schema of the blocks of the collection's entries; empty: any blocks. Items without an id get one."),
  blocks: z.array(Block).max(500).optional().describe('Content blocks of the collection itself, 500 at most. They are not held to the schema.'),
}

export const collections = [
  listing('GET /v1/stores/{storeId}/collections', {
    may: 'admin',
    summary: 'List the collections',
    entity: Collection,
    plain: true,
    item: CollectionOut,
    search: 'search',
    sorts: ['key'],
    filters: {
      key: filter(Key.describe('exactly this one'), (key) => ({ key })),
      ids: filter(many(Id), (ids) => ({ id: { $in: ids } })),
    },
  }),
  route('GET /v1/stores/{storeId}/collections/{id}', {
    may: 'admin',
    summary: 'Read a collection by id or by key',
    words: ['id'],
    out: CollectionOut,
    run: ({ em, path }) => readCollection(em, path.id),
  }),
  route('POST /v1/stores/{storeId}/collections', {
    may: 'admin',
    refuses: ['key_taken'],
    summary: 'Create a collection',
    description: '409 `key_taken`; 422 `max_below_min` and the like where the schema says what no block could satisfy.',
    body: z.object({ key: Key.describe('Name of the collection, unique in the store, of 1 to 255 printable characters.'), ...writable }),
    out: CollectionOut,
    status: 201,
    run: ({ em, tenant_id, body, now }) => createCollection(em, tenant_id, body, now),
  }),
  route('PUT /v1/stores/{storeId}/collections/{id}', {
    may: 'admin',
    refuses: ['key_taken'],
    summary: 'Update a collection',
    description:
      'Fields that are left out are kept. `schema` and `blocks` replace what there was; an item of the schema without an id keeps the one that its key and type have. Entries are held to a new schema at their next write, and `invalid_entries` tells how many do not satisfy it: they are counted after the change, while others write, and null is the answer where that would take longer than an answer waits.',
    body: z.object({ key: Key.optional().describe('Name of the collection, unique in the store. Left out, it is kept.'), ...writable }),
    out: CollectionOut,
    run: ({ em, path, body, now }) => updateCollection(em, path.id, body, now),
    wait: {
      when: ({ invalid_entries }) => invalid_entries === null,
      // Against the schema of this change: how many do not satisfy the next is told to whoever makes it.
      async until({ em, result, tenant_id }) {
        const invalid_entries = await invalidEntries(em, tenant_id, result.id, result.schema as BlockSchema, AbortSignal.timeout(config.answerWaitMs))
        return { ...result, invalid_entries }
      },
      late: (result) => result,
    },
  }),
  route('DELETE /v1/stores/{storeId}/collections/{id}', {
    may: 'admin',
    summary: 'Delete a collection with its entries',
    description:
      'If a reference from outside restricts the deletion of one of its entries, the call is refused with 409 `referenced` and up to ten of the owners in `referenced_by`; other references become null.',
    out: Success,
    async run({ em, tenant_id, path, now }) {
      await removeCollection(em, tenant_id, path.id, now)
      return success
    },
  }),
]
