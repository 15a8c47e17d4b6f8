// The pieces of content of a store, each as its collection's schema says.
import { z } from 'zod'
import { createEntry, removeEntry, updateEntry } from '../../entities/content/entries.ts'
import { Entry } from '../../entities/content/entry.ts'
import { Key } from '../../rules/input/identities.ts'
import { EntryOut } from '../../rules/resources.ts'
import { anyCase, Id, RecordStatus } from '../../rules/shapes.ts'
import { filter, listing } from '../kit/listing.ts'
import { many } from '../kit/query.ts'
import { route } from '../kit/route.ts'
import { Success, success } from '../kit/shapes.ts'
import { bySlug, namedCreate, namedUpdate, readNamed } from './named.ts'
import { taxonomyFilters } from './taxonomy-query.ts'

/** Of every list of entries. */
export const entryFilters = {
  ids: filter(
    many(Id).describe('Identifiers to restrict the list to, 100 at most: repeated, or separated by commas. Other filters are ignored then.'),
    (ids) => ({ id: { $in: ids } }),
  ),
  collection_id: filter(Id.describe('Only entries of this collection.'), (collection_id) => ({ collection_id })),
  key: filter(Key.describe('Only entries with exactly this key, of any collection.'), (key) => ({ key })),
  ...taxonomyFilters('entry'),
}

export const entries = [
  listing('GET /v1/stores/{storeId}/entries', {
    may: 'admin',
    summary: 'List the entries',
    entity: Entry,
    plain: true,
    item: EntryOut,
    search: 'search',
    sorts: ['key'],
    idsAlone: true,
    filters: { ...entryFilters, status: filter(anyCase(RecordStatus), (status) => ({ status })) },
  }),
  route('GET /v1/stores/{storeId}/entries/{id}', {
    may: 'admin',
    summary: 'Read an entry by id or by slug',
    words: ['id'],
    query: bySlug,
    out: EntryOut,
    run: ({ em, tenant_id, path, query }) => readNamed(em, tenant_id, 'entry', path.id, query.locale),
  }),
  route('POST /v1/stores/{storeId}/entries', {
    may: 'admin',
    refuses: ['key_taken', 'slug_taken', 'collection_unknown'],
    summary: 'Create an entry',
    description: '409 `key_taken` in the collection, `slug_taken` in a locale; 422 with each block that is not as the schema of the collection says.',
    body: z.object({ collection_id: Id.describe('Identifier of the collection that the entry belongs to. It cannot be changed later.'), ...namedCreate }),
    out: EntryOut,
    status: 201,
    run: ({ em, tenant_id, body, now }) => createEntry(em, tenant_id, body, now),
  }),
  route('PUT /v1/stores/{storeId}/entries/{id}', {
    may: 'admin',
    refuses: ['key_taken', 'slug_taken', 'collection_fixed'],
    summary: 'Update an entry',
    description:
      'Fields that are left out are kept; `blocks` are complete, and held to the schema that the collection has now. An entry stays in its collection.',
    body: z.object({ collection_id: Id.optional().describe('Must equal the collection of the entry, which cannot be changed.'), ...namedUpdate }),
    out: EntryOut,
    run: ({ em, tenant_id, path, body, now }) => updateEntry(em, tenant_id, path.id, body, now),
  }),
  route('DELETE /v1/stores/{storeId}/entries/{id}', {
    may: 'admin',
    summary: 'Delete an entry',
    description:
      'If a reference restricts deletion, the call is refused with 409 `referenced` and up to ten of the owners in `referenced_by`; other references become null.',
    out: Success,
    async run({ em, tenant_id, path, now }) {
      await removeEntry(em, tenant_id, path.id, now)
      return success
    },
  }),
]
