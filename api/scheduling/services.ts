// What can be booked. Who does it, when and for how much is on the service's links to providers.
import { z } from 'zod'
import { createBookable, removeBookable, updateBookable } from '../../entities/scheduling/bookables.ts'
import { Service } from '../../entities/scheduling/service.ts'
import { linkedTo } from '../../entities/scheduling/service-providers.ts'
import { namedOut } from '../../rules/resources.ts'
import { anyCase, Id, RecordStatus } from '../../rules/shapes.ts'
import { byIds, bySlug, namedCreate, namedUpdate, readNamed } from '../content/named.ts'
import { taxonomyFilters } from '../content/taxonomy-query.ts'
import { filter, listing } from '../kit/listing.ts'
import { many } from '../kit/query.ts'
import { route } from '../kit/route.ts'
import { Success, success } from '../kit/shapes.ts'

export const ServiceOut = z.object(namedOut).meta({ id: 'Service' })

/** Of every list of services. */
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
    plain: true,
    item: ServiceOut,
    search: 'search',
    sorts: ['key'],
    filters: { ...serviceFilters, statuses: filter(many(anyCase(RecordStatus)), (statuses) => ({ status: { $in: statuses } })) },
  }),
  route('GET /v1/stores/{storeId}/services/{id}', {
    may: 'admin',
    summary: 'Read a service by id or by slug',
    words: ['id'],
    query: bySlug,
    out: ServiceOut,
    run: ({ em, tenant_id, path, query }) => readNamed(em, tenant_id, 'service', path.id, query.locale),
  }),
  route('POST /v1/stores/{storeId}/services', {
    may: 'admin',
    refuses: ['key_taken', 'slug_taken'],
    summary: 'Create a service',
    description: 'The service is `active` by default.',
    body: z.object(namedCreate),
    out: ServiceOut,
    status: 201,
    run: ({ em, tenant_id, body, now }) => createBookable(em, tenant_id, 'service', body, now),
  }),
  route('PUT /v1/stores/{storeId}/services/{id}', {
    may: 'admin',
    refuses: ['key_taken', 'slug_taken'],
    summary: 'Update a service',
    body: z.object(namedUpdate),
    out: ServiceOut,
    run: ({ em, path, body, now }) => updateBookable(em, 'service', path.id, body, now),
  }),
  route('DELETE /v1/stores/{storeId}/services/{id}', {
    may: 'admin',
    refuses: ['bookings_ahead'],
    summary: 'Delete a service with its links',
    description: 'While there are bookings ahead it is refused with 409 `bookings_ahead`: archive it instead.',
    out: Success,
    async run({ em, tenant_id, path, now }) {
      await removeBookable(em, tenant_id, 'service', path.id, now)
      return success
    },
  }),
]
