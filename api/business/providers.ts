// Providers of a business, with the fields of both its modules: bookings and reservations.
import { z } from 'zod'
import { createBookable, updateBookable } from '../../entities/scheduling/bookables.ts'
import { Provider } from '../../entities/scheduling/provider.ts'
import { namedOut } from '../../rules/resources.ts'
import { Id } from '../../rules/shapes.ts'
import { bySlug, namedCreate, namedUpdate, readNamed } from '../content/named.ts'
import { listing } from '../kit/answer/listing.ts'
import { removing } from '../kit/answer/record.ts'
import { route } from '../kit/route.ts'
import {
  bookableList,
  limitChangeText,
  limitText,
  namesTaken,
  namesTakenText,
  providerFilters,
  removesBookable,
} from '../scheduling/bookables.ts'
import { bookableFilters, keepFree, listDescription, listedFields, listedOut, visibleTo } from './bookables.ts'

const audience_ids =
  'Identifiers of audiences that the provider belongs to, 500 at most. They may be deleted independently.'

const ProviderOut = z
  .object({
    ...namedOut,
    ...listedOut,
    audience_ids: z.array(z.string()).describe(audience_ids),
    concurrent_limit: z.int().nullable().describe(`${limitText}; null for the limit of each link.`),
  })
  .meta({ id: 'BusinessProvider' })

const fields = {
  ...listedFields,
  audience_ids: z.array(Id).max(500).optional().describe(audience_ids),
  concurrent_limit: z.int().min(1).max(1000).optional().describe(`${limitText}; 1 by default.`),
}

export const businessProviders = [
  listing('GET /v1/businesses/{businessId}/providers', {
    may: 'customer',
    contact: 'optional',
    summary: 'List the providers of a business',
    entity: Provider,
    ...bookableList,
    item: ProviderOut,
    description: listDescription,
    filters: { ...providerFilters, ...bookableFilters('provider') },
    scope: ({ caller }) => visibleTo(caller),
    keep: keepFree('provider'),
  }),
  route('GET /v1/businesses/{businessId}/providers/{id}', {
    may: 'customer',
    contact: 'optional',
    summary: 'Read a provider of a business by id or by slug',
    textParameters: ['id'],
    query: bySlug,
    out: ProviderOut,
    run: ({ em, tenant_id, path, query, caller }) =>
      readNamed(em, tenant_id, 'provider', path.id, query.locale, visibleTo(caller)),
  }),
  route('POST /v1/businesses/{businessId}/providers', {
    may: 'admin',
    refuses: namesTaken,
    summary: 'Create a provider of a business',
    description: `${namesTakenText} The provider is \`ACTIVE\` and \`public\` by default.`,
    body: z.object({ ...namedCreate, ...fields, concurrent_limit: fields.concurrent_limit.default(1) }),
    out: ProviderOut,
    status: 201,
    run: ({ em, tenant_id, body, now }) => createBookable(em, tenant_id, 'provider', body, now),
  }),
  route('PUT /v1/businesses/{businessId}/providers/{id}', {
    may: 'admin',
    refuses: namesTaken,
    summary: 'Update a provider of a business',
    description: `Fields that are left out are kept; lists replace the stored ones. Existing bookings are kept. ${limitChangeText} ${namesTakenText}`,
    body: z.object({ ...namedUpdate, ...fields }),
    out: ProviderOut,
    run: ({ em, tenant_id, path, body, now }) => updateBookable(em, tenant_id, 'provider', path.id, body, now),
  }),
  removing('DELETE /v1/businesses/{businessId}/providers/{id}', {
    summary: 'Delete a provider of a business with its links',
    ...removesBookable('provider'),
  }),
]
