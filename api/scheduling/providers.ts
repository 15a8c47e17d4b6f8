// Who or what services are booked with. What each of them does is on its links to services.
import { z } from 'zod'
import { createBookable, removeBookable, updateBookable } from '../../entities/scheduling/bookables.ts'
import { Provider } from '../../entities/scheduling/provider.ts'
import { linkedTo } from '../../entities/scheduling/service-providers.ts'
import { namedOut } from '../../rules/resources.ts'
import { anyCase, Id, RecordStatus } from '../../rules/shapes.ts'
import { byIds, bySlug, namedCreate, namedUpdate, readNamed } from '../content/named.ts'
import { taxonomyFilters } from '../content/taxonomy-query.ts'
import { filter, listing } from '../kit/listing.ts'
import { many } from '../kit/query.ts'
import { route } from '../kit/route.ts'
import { Success, success } from '../kit/shapes.ts'

export const ProviderOut = z.object(namedOut).meta({ id: 'Provider' })

/** Of every list of providers. */
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
    plain: true,
    item: ProviderOut,
    search: 'search',
    sorts: ['key'],
    filters: { ...providerFilters, statuses: filter(many(anyCase(RecordStatus)), (statuses) => ({ status: { $in: statuses } })) },
  }),
  route('GET /v1/stores/{storeId}/providers/{id}', {
    may: 'admin',
    summary: 'Read a provider by id or by slug',
    words: ['id'],
    query: bySlug,
    out: ProviderOut,
    run: ({ em, tenant_id, path, query }) => readNamed(em, tenant_id, 'provider', path.id, query.locale),
  }),
  route('POST /v1/stores/{storeId}/providers', {
    may: 'admin',
    refuses: ['key_taken', 'slug_taken'],
    summary: 'Create a provider',
    description: 'The provider is `active` by default.',
    body: z.object(namedCreate),
    out: ProviderOut,
    status: 201,
    run: ({ em, tenant_id, body, now }) => createBookable(em, tenant_id, 'provider', body, now),
  }),
  route('PUT /v1/stores/{storeId}/providers/{id}', {
    may: 'admin',
    refuses: ['key_taken', 'slug_taken'],
    summary: 'Update a provider',
    body: z.object(namedUpdate),
    out: ProviderOut,
    run: ({ em, path, body, now }) => updateBookable(em, 'provider', path.id, body, now),
  }),
  route('DELETE /v1/stores/{storeId}/providers/{id}', {
    may: 'admin',
    refuses: ['bookings_ahead'],
    summary: 'Delete a provider with its links',
    description: 'While there are bookings ahead it is refused with 409 `bookings_ahead`: archive it instead.',
    out: Success,
    async run({ em, tenant_id, path, now }) {
      await removeBookable(em, tenant_id, 'provider', path.id, now)
      return success
    },
  }),
]
