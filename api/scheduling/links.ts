// What the routes of links between services and providers have in common, for stores and businesses.
import { z } from 'zod'
import type { EntityManager } from '../../entities/kit/database/orm.ts'
import { removeLink } from '../../entities/scheduling/service-providers.ts'
import { Id } from '../../rules/shapes.ts'
import { filter } from '../kit/answer/listing.ts'

export const linkIdsOut = {
  id: z.string().describe('Identifier of the link, a UUIDv7 made by the server.'),
  service_id: z.string().describe('Identifier of the service.'),
  provider_id: z.string().describe('Identifier of the provider.'),
}

/** The service and the provider of a new link. */
export const chosenIds = {
  service_id: Id.describe('Identifier of the service. It cannot be changed later.'),
  provider_id: Id.describe('Identifier of the provider. It cannot be changed later.'),
}

/** The service and the provider of a link that is sent back. */
export const fixedIds = {
  service_id: Id.describe('Must equal the service of the link, which cannot be changed.'),
  provider_id: Id.describe('Must equal the provider of the link, which cannot be changed.'),
}

export const linkFilters = {
  service_id: filter(Id, (service_id) => ({ service_id })),
  provider_id: filter(Id, (provider_id) => ({ provider_id })),
}

export const linkCreation = {
  may: 'admin',
  refuses: ['link_exists', 'currency_mismatch', 'market_unknown', 'provider_unknown', 'service_unknown'],
  description:
    '409 `link_exists` if the provider offers the service already. 422 `service_unknown`, `provider_unknown` or ' +
    '`market_unknown` for a record that does not exist, `currency_mismatch` for a price in another currency than its ' +
    'market.',
  status: 201,
} as const

export const linkUpdate = {
  may: 'admin',
  refuses: ['cannot_change', 'currency_mismatch', 'market_unknown'],
  description:
    'Fields that are left out are kept; lists replace the stored ones. `service_id` and `provider_id` cannot be ' +
    'changed: 422 `cannot_change`. Existing bookings are kept.',
} as const

export const linkRemoval = {
  may: 'admin' as const,
  refuses: ['bookings_ahead'] as const,
  description:
    '409 `bookings_ahead` while there are bookings in the future: archive the service or the provider, or remove the ' +
    'hours.',
  remove: ({ em, tenant_id, path, now }: { em: EntityManager; tenant_id: string; path: { id: string }; now: number }) =>
    removeLink(em, tenant_id, path.id, now),
}
