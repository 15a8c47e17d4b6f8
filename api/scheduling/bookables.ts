// What the routes of services and providers have in common, for stores and businesses.
import { z } from 'zod'
import type { EntityManager } from '../../entities/kit/database/orm.ts'
import {
  type Bookable,
  type BookableInput,
  createBookable,
  removeBookable,
  updateBookable,
} from '../../entities/scheduling/bookables.ts'
import { linkedTo } from '../../entities/scheduling/service-providers.ts'
import { anyCase, Id, RecordStatus } from '../../rules/shapes.ts'
import { bySlug, namedCreate, namedUpdate, readNamed } from '../content/named.ts'
import { taxonomyFilters } from '../content/taxonomy-query.ts'
import { byIds, filter } from '../kit/answer/listing.ts'
import { many } from '../kit/query.ts'

/** What `concurrent_limit` of a link, or of a provider for all its links, means. */
export const limitText =
  'Number of bookings of the provider, of any service, that may take place at any moment of one that is booked with this limit, itself included'
export const limitChangeText =
  'A limit that is raised also holds for bookings ahead, a lowered one for new bookings alone.'

export const bookableList = { unmanaged: true, search: 'search', sorts: ['key'] } as const

/** A filter for operators: visitors find active records only. */
export const statuses = filter(many(anyCase(RecordStatus)), (statuses) => ({ status: { $in: statuses } }))

/** Filters of every list of services. */
export const serviceFilters = {
  ...byIds,
  ...taxonomyFilters('service'),
  provider_id: filter(Id.describe('Only services of this provider.'), (id) => linkedTo('provider', id)),
}
/** Filters of every list of providers. */
export const providerFilters = {
  ...byIds,
  ...taxonomyFilters('provider'),
  service_id: filter(Id.describe('Only providers of this service.'), (id) => linkedTo('service', id)),
}

export const namesTaken = ['key_taken', 'slug_taken'] as const
export const namesTakenText = '409 `key_taken` or `slug_taken` if another record has the key or a slug.'

type Write<B> = { em: EntityManager; tenant_id: string; path: { id: string }; body: B; now: number }
type Read = { em: EntityManager; tenant_id: string; path: { id: string }; query: z.output<typeof bySlug> }

export const removesBookable = (kind: Bookable) => ({
  may: 'admin' as const,
  refuses: ['bookings_ahead'] as const,
  description: `409 \`bookings_ahead\` while there are bookings in the future: archive the ${kind} instead.`,
  remove: ({ em, tenant_id, path, now }: Omit<Write<unknown>, 'body'>) =>
    removeBookable(em, tenant_id, kind, path.id, now),
})

/** The five routes of the services, or of the providers, of a store. The list has its entity and its filters. */
export const bookableRoutes = <O extends z.ZodType>(kind: Bookable, out: O) => ({
  list: { may: 'admin' as const, summary: `List the ${kind}s`, ...bookableList, item: out },
  read: {
    may: 'admin' as const,
    summary: `Read a ${kind} by id or by slug`,
    textParameters: ['id'] as const,
    query: bySlug,
    out,
    run: ({ em, tenant_id, path, query }: Read) => readNamed(em, tenant_id, kind, path.id, query.locale),
  },
  create: {
    may: 'admin' as const,
    refuses: namesTaken,
    summary: `Create a ${kind}`,
    description: `${namesTakenText} The ${kind} is \`active\` by default.`,
    body: z.object(namedCreate),
    out,
    status: 201 as const,
    run: ({ em, tenant_id, body, now }: Omit<Write<BookableInput & { key: string }>, 'path'>) =>
      createBookable(em, tenant_id, kind, body, now),
  },
  update: {
    may: 'admin' as const,
    refuses: namesTaken,
    summary: `Update a ${kind}`,
    description: `Fields that are left out are kept. ${namesTakenText}`,
    body: z.object(namedUpdate),
    out,
    run: ({ em, tenant_id, path, body, now }: Write<BookableInput>) =>
      updateBookable(em, tenant_id, kind, path.id, body, now),
  },
  remove: { summary: `Delete a ${kind} with its links`, ...removesBookable(kind) },
})
