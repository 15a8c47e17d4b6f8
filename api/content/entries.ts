// Entries: the content of a store, each checked against the schema of its collection.
import { z } from 'zod'
import { createEntry, removeEntry, updateEntry } from '../../entities/content/entries.ts'
import { Entry } from '../../entities/content/entry.ts'
import { Key } from '../../rules/input/identities.ts'
import { spellingsOf } from '../../rules/input/texts.ts'
import { EntryOut } from '../../rules/resources.ts'
import { anyCase, Id, RecordStatus } from '../../rules/shapes.ts'
import { byIdsAlone, filter, listing } from '../kit/answer/listing.ts'
import { removing } from '../kit/answer/record.ts'
import { route } from '../kit/route.ts'
import { bySlug, namedCreate, namedUpdate, readNamed } from './named.ts'
import { taxonomyFilters } from './taxonomy-query.ts'

/** Filters of every list of entries. */
export const entryFilters = {
  ...byIdsAlone,
  collection_id: filter(Id.describe('Only entries of this collection.'), (collection_id) => ({ collection_id })),
  key: filter(Key.describe('Only entries with exactly this key, of any collection.'), (key) => ({
    key: { $in: spellingsOf(key) },
  })),
  ...taxonomyFilters('entry'),
}

export const entries = [
  listing('GET /v1/stores/{storeId}/entries', {
    may: 'admin',
    summary: 'List the entries',
    entity: Entry,
    unmanaged: true,
    item: EntryOut,
    search: 'search',
    sorts: ['key'],
    idsAlone: true,
    filters: { ...entryFilters, status: filter(anyCase(RecordStatus), (status) => ({ status })) },
  }),
  route('GET /v1/stores/{storeId}/entries/{id}', {
    may: 'admin',
    summary: 'Read an entry by id or by slug',
    textParameters: ['id'],
    query: bySlug,
    out: EntryOut,
    run: ({ em, tenant_id, path, query }) => readNamed(em, tenant_id, 'entry', path.id, query.locale),
  }),
  route('POST /v1/stores/{storeId}/entries', {
    may: 'admin',
    refuses: ['key_taken', 'slug_taken', 'collection_unknown'],
    summary: 'Create an entry',
    description:
      '409 `key_taken` if another entry of the collection has the key, `slug_taken` if another entry has a slug in the same language. 422 lists each block that does not satisfy the ' +
      'schema of the collection.',
    body: z.object({
      collection_id: Id.describe('Identifier of the collection that the entry belongs to. It cannot be changed later.'),
      ...namedCreate,
    }),
    out: EntryOut,
    status: 201,
    run: ({ em, tenant_id, body, now }) => createEntry(em, tenant_id, body, now),
  }),
  route('PUT /v1/stores/{storeId}/entries/{id}', {
    may: 'admin',
    refuses: ['key_taken', 'slug_taken', 'collection_fixed'],
    summary: 'Update an entry',
    description:
      'Fields that are left out are kept. `blocks` replace the stored ones and must satisfy the current schema of the collection. An entry cannot be moved to another collection: ' +
      '422 `collection_fixed`.',
    body: z.object({
      collection_id: Id.optional().describe('Must equal the collection of the entry, which cannot be changed.'),
      ...namedUpdate,
    }),
    out: EntryOut,
    run: ({ em, tenant_id, path, body, now }) => updateEntry(em, tenant_id, path.id, body, now),
  }),
  removing('DELETE /v1/stores/{storeId}/entries/{id}', {
    may: 'admin',
    summary: 'Delete an entry',
    description:
      '409 `referenced` if a reference from another record restricts the deletion; `referenced_by` lists up to ten of the records. Other references are set to null.',
    remove: ({ em, tenant_id, path, now }) => removeEntry(em, tenant_id, path.id, now),
  }),
]
