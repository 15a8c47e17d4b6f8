// Services that can be booked. Hours, durations and prices are on their links to providers.
import { z } from 'zod'
import { Service } from '../../entities/scheduling/service.ts'
import { namedOut } from '../../rules/resources.ts'
import { listing } from '../kit/answer/listing.ts'
import { removing } from '../kit/answer/record.ts'
import { route } from '../kit/route.ts'
import { bookableRoutes, serviceFilters, statuses } from './bookables.ts'

export const ServiceOut = z.object(namedOut).meta({ id: 'Service' })

const { list, read, create, update, remove } = bookableRoutes('service', ServiceOut)

export const services = [
  listing('GET /v1/stores/{storeId}/services', {
    ...list,
    entity: Service,
    filters: { ...serviceFilters, statuses },
  }),
  route('GET /v1/stores/{storeId}/services/{id}', read),
  route('POST /v1/stores/{storeId}/services', create),
  route('PUT /v1/stores/{storeId}/services/{id}', update),
  removing('DELETE /v1/stores/{storeId}/services/{id}', remove),
]
