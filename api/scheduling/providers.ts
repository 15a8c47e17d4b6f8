// Providers: the people or rooms that services are booked with. Hours, durations and prices are on their links to services.
import { z } from 'zod'
import { createBookable, removeBookable, updateBookable } from '../../entities/scheduling/bookables.ts'
import { Provider } from '../../entities/scheduling/provider.ts'
import { linkedTo } from '../../entities/scheduling/service-providers.ts'
import { namedOut } from '../../rules/resources.ts'
import { anyCase, Id, RecordStatus } from '../../rules/shapes.ts'
import { bySlug, namedCreate, namedUpdate, readNamed } from '../content/named.ts'
import { taxonomyFilters } from '../content/taxonomy-query.ts'
import { byIds, filter, listing } from '../kit/listing.ts'
import { many } from '../kit/query.ts'
import { removing } from '../kit/record.ts'
import { route } from '../kit/route.ts'

export const ProviderOut = z.object(namedOut).meta({ id: 'Provider' })

/** Filters of every list of providers. */
export const providerFilters = {
  ...byIds,
  ...taxonomyFilters('provider'),
  service_id: filter(Id.describe('Only providers of this service.'), (id) => linkedTo('service', id)),
}

export const providers = [
  listing('GET /v1/stores/{storeId}/providers', {
    may: 'admin',
    summary: 'List the providers',
    entity: Provider,
    unmanaged: true,
    item: ProviderOut,
    search: 'search',
    sorts: ['key'],
    filters: { ...providerFilters, statuses: filter(many(anyCase(RecordStatus)), (statuses) => ({ status: { $in: statuses } })) },
  }),
  route('GET /v1/stores/{storeId}/providers/{id}', {
    may: 'admin',
    summary: 'Read a provider by id or by slug',
    textParameters: ['id'],
    query: bySlug,
    out: ProviderOut,
    run: ({ em, tenant_id, path, query }) => readNamed(em, tenant_id, 'provider', path.id, query.locale),
  }),
  route('POST /v1/stores/{storeId}/providers', {
    may: 'admin',
    refuses: ['key_taken', 'slug_taken'],
    summary: 'Create a provider',
    description: '409 `key_taken` or `slug_taken` if another record has the key or a slug. The provider is `active` by default.',
    body: z.object(namedCreate),
    out: ProviderOut,
    status: 201,
    run: ({ em, tenant_id, body, now }) => createBookable(em, tenant_id, 'provider', body, now),
  }),
  route('PUT /v1/stores/{storeId}/providers/{id}', {
    may: 'admin',
    refuses: ['key_taken', 'slug_taken'],
    summary: 'Update a provider',
    description: 'Fields that are left out are kept. 409 `key_taken` or `slug_taken` if another record has the key or a slug.',
    body: z.object(namedUpdate),
    out: ProviderOut,
    run: ({ em, tenant_id, path, body, now }) => updateBookable(em, tenant_id, 'provider', path.id, body, now),
  }),
  removing('DELETE /v1/stores/{storeId}/providers/{id}', {
    may: 'admin',
    refuses: ['bookings_ahead'],
    summary: 'Delete a provider with its links',
    description: '409 `bookings_ahead` while there are bookings in the future: archive the provider instead.',
    remove: ({ em, tenant_id, path, now }) => removeBookable(em, tenant_id, 'provider', path.id, now),
  }),
]
