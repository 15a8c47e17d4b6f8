// The public content: active entries and their collections, without the fields for operators.
import { Entry } from '../../entities/content/entry.ts'
import { CollectionOut, EntryOut } from '../../rules/resources.ts'
import { listing } from '../kit/answer/listing.ts'
import { route } from '../kit/route.ts'
import { readCollection } from './collections.ts'
import { entryFilters } from './entries.ts'
import { bySlug, readNamed, unlisted } from './named.ts'

const PublicCollection = CollectionOut.omit({ invalid_entries: true, updated_at: true }).meta({
  id: 'PublicCollection',
})
const PublicEntry = EntryOut.omit(unlisted).meta({ id: 'PublicEntry' })
const active = { status: 'active' } as const

export const storefrontContent = [
  route('GET /v1/storefront/collections/{key}', {
    may: 'visitor',
    contact: 'optional',
    summary: 'Read a collection by key or by id',
    textParameters: ['key'],
    out: PublicCollection,
    run: ({ em, path }) => readCollection(em, path.key),
  }),
  listing('GET /v1/storefront/entries', {
    may: 'visitor',
    contact: 'optional',
    summary: 'List the active entries',
    entity: Entry,
    unmanaged: true,
    item: PublicEntry,
    search: 'search',
    sorts: ['key'],
    idsAlone: true,
    filters: entryFilters,
    scope: () => active,
  }),
  route('GET /v1/storefront/entries/{id}', {
    may: 'visitor',
    contact: 'optional',
    summary: 'Read an active entry by id or by slug',
    textParameters: ['id'],
    query: bySlug,
    out: PublicEntry,
    run: ({ em, tenant_id, path, query }) => readNamed(em, tenant_id, 'entry', path.id, query.locale, active),
  }),
]
