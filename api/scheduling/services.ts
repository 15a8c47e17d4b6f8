// Services that can be booked. Hours, durations and prices are on their links to providers.
import { z } from 'zod'
import { createBookable, updateBookable } from '../../entities/scheduling/bookables.ts'
import { Service } from '../../entities/scheduling/service.ts'
import { namedOut } from '../../rules/resources.ts'
import { bySlug, namedCreate, namedUpdate, readNamed } from '../content/named.ts'
import { listing } from '../kit/answer/listing.ts'
import { removing } from '../kit/answer/record.ts'
import { route } from '../kit/route.ts'
import { bookableList, namesTaken, namesTakenText, removesBookable, serviceFilters, statuses } from './bookables.ts'

export const ServiceOut = z.object(namedOut).meta({ id: 'Service' })

export const services = [
  listing('GET /v1/stores/{storeId}/services', {
    may: 'admin',
    summary: 'List the services',
    entity: Service,
    ...bookableList,
    item: ServiceOut,
    filters: { ...serviceFilters, statuses },
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
    refuses: namesTaken,
    summary: 'Create a service',
    description: `${namesTakenText} The service is \`active\` by default.`,
    body: z.object(namedCreate),
    out: ServiceOut,
    status: 201,
    run: ({ em, tenant_id, body, now }) => createBookable(em, tenant_id, 'service', body, now),
  }),
  route('PUT /v1/stores/{storeId}/services/{id}', {
    may: 'admin',
    refuses: namesTaken,
    summary: 'Update a service',
    description: `Fields that are left out are kept. ${namesTakenText}`,
    body: z.object(namedUpdate),
    out: ServiceOut,
    run: ({ em, tenant_id, path, body, now }) => updateBookable(em, tenant_id, 'service', path.id, body, now),
  }),
  removing('DELETE /v1/stores/{storeId}/services/{id}', {
    summary: 'Delete a service with its links',
    ...removesBookable('service'),
  }),
]
