// Services that can be booked. Hours, durations and prices are on their links to providers.
import { z } from 'zod'
import { createBookable, removeBookable, updateBookable } from '../../entities/scheduling/bookables.ts'
import { Service } from '../../entities/scheduling/service.ts'
import { linkedTo } from '../../entities/scheduling/service-providers.ts'
import { namedOut } from '../../rules/resources.ts'
import { anyCase, Id, RecordStatus } from '../../rules/shapes.ts'
import { bySlug, namedCreate, namedUpdate, readNamed } from '../content/named.ts'
import { taxonomyFilters } from '../content/taxonomy-query.ts'
import { byIds, filter, listing } from '../kit/listing.ts'
import { many } from '../kit/query.ts'
import { removing } from '../kit/record.ts'
import { route } from '../kit/route.ts'

export const ServiceOut = z.object(namedOut).meta({ id: 'Service' })

/** Filters of every list of services. */
export const serviceFilters = {
  ...byIds,
  ...taxonomyFilters('service'),
  provider_id: filter(Id.describe('Only services of this provider.'), (id) => linkedTo('provider', id)),
}

export const services = [
  listing('GET /v1/stores/{storeId}/services', {
    may: 'admin',
    summary: 'List the services',
    entity: Service,
    unmanaged: true,
    item: ServiceOut,
    search: 'search',
    sorts: ['key'],
    filters: { ...serviceFilters, statuses: filter(many(anyCase(RecordStatus)), (statuses) => ({ status: { $in: statuses } })) },
  }),
  route('GET /v1/stores/{storeId}/services/{id}', {
    may: 'admin',
    summary: 'Read a service by id or by slug',
    textParameters: ['id'],
    query: bySlug,
    out: ServiceOut,
    run: ({ em, tenant_id, path, query }) => readNamed(em, tenant_id, 'service', path.id, query.locale),
  }),
  route('POST /v1/stores/{storeId}/services', {
    may: 'admin',
    refuses: ['key_taken', 'slug_taken'],
    summary: 'Create a service',
    description: '409 `key_taken` or `slug_taken` if another record has the key or a slug. The service is `active` by default.',
    body: z.object(namedCreate),
    out: ServiceOut,
    status: 201,
    run: ({ em, tenant_id, body, now }) => createBookable(em, tenant_id, 'service', body, now),
  }),
  route('PUT /v1/stores/{storeId}/services/{id}', {
    may: 'admin',
    refuses: ['key_taken', 'slug_taken'],
    summary: 'Update a service',
    description: 'Fields that are left out are kept. 409 `key_taken` or `slug_taken` if another record has the key or a slug.',
    body: z.object(namedUpdate),
    out: ServiceOut,
    run: ({ em, tenant_id, path, body, now }) => updateBookable(em, tenant_id, 'service', path.id, body, now),
  }),
  removing('DELETE /v1/stores/{storeId}/services/{id}', {
    may: 'admin',
    refuses: ['bookings_ahead'],
    summary: 'Delete a service with its links',
    description: '409 `bookings_ahead` while there are bookings in the future: archive the service instead.',
    remove: ({ em, tenant_id, path, now }) => removeBookable(em, tenant_id, 'service', path.id, now),
  }),
]
