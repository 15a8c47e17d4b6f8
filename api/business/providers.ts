// Providers of a business, with the fields of both its modules: bookings and reservations.
import { z } from 'zod'
import { createBookable, updateBookable } from '../../entities/scheduling/bookables.ts'
import { Provider } from '../../entities/scheduling/provider.ts'
import { namedOut } from '../../rules/resources.ts'
import { Id } from '../../rules/shapes.ts'
import { namedCreate, namedUpdate, readNamed } from '../content/named.ts'
import { listing } from '../kit/answer/listing.ts'
import { removing } from '../kit/answer/record.ts'
import { route } from '../kit/route.ts'
import { limitChangeText, limitText, namesTaken, namesTakenText, providerFilters } from '../scheduling/bookables.ts'
import { bookableFilters, businessBookables, listedFields, listedOut, visibleTo } from './bookables.ts'

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

const { list, read, create, update, remove } = businessBookables('provider')

export const businessProviders = [
  listing('GET /v1/businesses/{businessId}/providers', {
    ...list,
    entity: Provider,
    item: ProviderOut,
    filters: { ...providerFilters, ...bookableFilters('provider') },
  }),
  route('GET /v1/businesses/{businessId}/providers/{id}', {
    ...read,
    out: ProviderOut,
    run: ({ em, tenant_id, path, query, caller }) =>
      readNamed(em, tenant_id, 'provider', path.id, query.locale, visibleTo(caller)),
  }),
  route('POST /v1/businesses/{businessId}/providers', {
    ...create,
    refuses: namesTaken,
    description: `${namesTakenText} The provider is \`ACTIVE\` and \`public\` by default.`,
    body: z.object({ ...namedCreate, ...fields, concurrent_limit: fields.concurrent_limit.default(1) }),
    out: ProviderOut,
    run: ({ em, tenant_id, body, now }) => createBookable(em, tenant_id, 'provider', body, now),
  }),
  route('PUT /v1/businesses/{businessId}/providers/{id}', {
    ...update,
    refuses: namesTaken,
    description: `Fields that are left out are kept; lists replace the stored ones. Existing bookings are kept. ${limitChangeText} ${namesTakenText}`,
    body: z.object({ ...namedUpdate, ...fields }),
    out: ProviderOut,
    run: ({ em, tenant_id, path, body, now }) => updateBookable(em, tenant_id, 'provider', path.id, body, now),
  }),
  removing('DELETE /v1/businesses/{businessId}/providers/{id}', remove),
]
