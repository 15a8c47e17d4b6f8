// Providers: the people or rooms that services are booked with. Hours, durations and prices are on their links to
// services.
import { z } from 'zod'
import { Provider } from '../../entities/scheduling/provider.ts'
import { namedOut } from '../../rules/resources.ts'
import { listing } from '../kit/answer/listing.ts'
import { removing } from '../kit/answer/record.ts'
import { route } from '../kit/route.ts'
import { bookableRoutes, providerFilters, statuses } from './bookables.ts'

export const ProviderOut = z.object(namedOut).meta({ id: 'Provider' })

const { list, read, create, update, remove } = bookableRoutes('provider', ProviderOut)

export const providers = [
  listing('GET /v1/stores/{storeId}/providers', {
    ...list,
    entity: Provider,
    filters: { ...providerFilters, statuses },
  }),
  route('GET /v1/stores/{storeId}/providers/{id}', read),
  route('POST /v1/stores/{storeId}/providers', create),
  route('PUT /v1/stores/{storeId}/providers/{id}', update),
  removing('DELETE /v1/stores/{storeId}/providers/{id}', remove),
]
