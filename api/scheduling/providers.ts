// Providers: the people or rooms that services are booked with. Hours, durations and prices are on their links to
// services.
import { z } from 'zod'
import { createBookable, updateBookable } from '../../entities/scheduling/bookables.ts'
import { Provider } from '../../entities/scheduling/provider.ts'
import { namedOut } from '../../rules/resources.ts'
import { bySlug, namedCreate, namedUpdate, readNamed } from '../content/named.ts'
import { listing } from '../kit/answer/listing.ts'
import { removing } from '../kit/answer/record.ts'
import { route } from '../kit/route.ts'
import { bookableList, namesTaken, namesTakenText, providerFilters, removesBookable, statuses } from './bookables.ts'

export const ProviderOut = z.object(namedOut).meta({ id: 'Provider' })

export const providers = [
  listing('GET /v1/stores/{storeId}/providers', {
    may: 'admin',
    summary: 'List the providers',
    entity: Provider,
    ...bookableList,
    item: ProviderOut,
    filters: { ...providerFilters, statuses },
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
    refuses: namesTaken,
    summary: 'Create a provider',
    description: `${namesTakenText} The provider is \`active\` by default.`,
    body: z.object(namedCreate),
    out: ProviderOut,
    status: 201,
    run: ({ em, tenant_id, body, now }) => createBookable(em, tenant_id, 'provider', body, now),
  }),
  route('PUT /v1/stores/{storeId}/providers/{id}', {
    may: 'admin',
    refuses: namesTaken,
    summary: 'Update a provider',
    description: `Fields that are left out are kept. ${namesTakenText}`,
    body: z.object(namedUpdate),
    out: ProviderOut,
    run: ({ em, tenant_id, path, body, now }) => updateBookable(em, tenant_id, 'provider', path.id, body, now),
  }),
  removing('DELETE /v1/stores/{storeId}/providers/{id}', {
    summary: 'Delete a provider with its links',
    ...removesBookable('provider'),
  }),
]
