// Links between services and providers: how a provider offers a service, with hours, durations, prices and the limit of
// concurrent bookings.
import { z } from 'zod'
import { ServiceProvider } from '../../entities/scheduling/service-provider.ts'
import { createLink, removeLink, updateLink } from '../../entities/scheduling/service-providers.ts'
import { distinct } from '../../rules/input/distinct.ts'
import {
  CreatedAt,
  Id,
  Minutes,
  Price,
  ServiceDuration,
  SpecificDate,
  UpdatedAt,
  WorkingDay,
} from '../../rules/shapes.ts'
import { filter, listing } from '../kit/answer/listing.ts'
import { reading, removing } from '../kit/answer/record.ts'
import { route } from '../kit/route.ts'
import { limitChangeText, limitText } from './bookables.ts'

const LinkOut = z
  .object({
    id: z.string().describe('Identifier of the link, a UUIDv7 made by the server.'),
    service_id: z.string().describe('Identifier of the service.'),
    provider_id: z.string().describe('Identifier of the provider.'),
    working_days: z.array(WorkingDay).describe('Weekly hours in which the provider offers the service.'),
    specific_dates: z.array(SpecificDate).describe('Hours of single dates; each replaces the working day of its date.'),
    durations: z.array(ServiceDuration).describe('Lengths that a slot may have; if empty, `slot_interval`.'),
    prices: z.array(Price).describe('Prices of one slot, one per market.'),
    slot_interval: z.int().describe('Minutes from the start of one slot to the next.'),
    concurrent_limit: z.int().describe(`${limitText}.`),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  })
  .meta({
    id: 'ServiceProvider',
    description: 'How a provider offers a service. Hours are wall-clock times in the time zone of the {store}.',
  })

const fields = {
  working_days: z
    .array(WorkingDay)
    .max(7)
    .check(distinct(({ day }) => day, 'day'))
    .describe('Weekly hours in which the provider offers the service, each weekday once.'),
  specific_dates: z
    .array(SpecificDate)
    .max(1000)
    .check(distinct(({ date }) => date, 'date'))
    .describe(
      'Hours of single dates, each date once; each replaces the working day of its date. Without windows the date is closed.',
    ),
  durations: z
    .array(ServiceDuration)
    .max(50)
    .check(distinct(({ duration }) => duration, 'duration'))
    .describe('Lengths that a slot may have, each once; if empty, `slot_interval`.'),
  prices: z
    .array(Price)
    .max(200)
    .check(distinct(({ market }) => market, 'market'))
    .describe('Prices of one slot, one per market.'),
  slot_interval: Minutes.describe('Minutes from the start of one slot to the next, 1 to 1440.'),
  concurrent_limit: z.int().min(1).max(1000).describe(`${limitText}; 1 by default.`),
}

const LinkCreate = z.object({
  service_id: Id.describe('Identifier of the service. It cannot be changed later.'),
  provider_id: Id.describe('Identifier of the provider. It cannot be changed later.'),
  ...fields,
  working_days: fields.working_days.default([]),
  specific_dates: fields.specific_dates.default([]),
  durations: fields.durations.default([]),
  prices: fields.prices.default([]),
  concurrent_limit: fields.concurrent_limit.default(1),
})
const LinkUpdate = z
  .object({
    service_id: Id.describe('Must equal the service of the link, which cannot be changed.'),
    provider_id: Id.describe('Must equal the provider of the link, which cannot be changed.'),
    ...fields,
  })
  .partial()

export const serviceProviders = [
  listing('GET /v1/stores/{storeId}/service-providers', {
    may: 'admin',
    summary: 'List the links between services and providers',
    entity: ServiceProvider,
    unmanaged: true,
    item: LinkOut,
    filters: {
      service_id: filter(Id, (service_id) => ({ service_id })),
      provider_id: filter(Id, (provider_id) => ({ provider_id })),
    },
  }),
  reading('GET /v1/stores/{storeId}/service-providers/{id}', {
    may: 'admin',
    summary: 'Read a link',
    entity: ServiceProvider,
    out: LinkOut,
  }),
  route('POST /v1/stores/{storeId}/service-providers', {
    may: 'admin',
    refuses: ['link_exists', 'currency_mismatch', 'market_unknown', 'provider_unknown', 'service_unknown'],
    summary: 'Link a provider to a service',
    description:
      '409 `link_exists` if the provider offers the service already. 422 `service_unknown`, `provider_unknown` or `market_unknown` for a record that does not exist, ' +
      '`currency_mismatch` for a price in another currency than its market.',
    body: LinkCreate,
    out: LinkOut,
    status: 201,
    run: ({ em, tenant_id, body, now }) => createLink(em, tenant_id, body, now),
  }),
  route('PUT /v1/stores/{storeId}/service-providers/{id}', {
    may: 'admin',
    refuses: ['cannot_change', 'currency_mismatch', 'market_unknown'],
    summary: 'Update a link',
    description:
      'Fields that are left out are kept; lists replace the stored ones. `service_id` and `provider_id` cannot be changed: 422 `cannot_change`. Existing bookings are kept. ' +
      limitChangeText,
    body: LinkUpdate,
    out: LinkOut,
    run: ({ em, tenant_id, path, body, now }) => updateLink(em, tenant_id, path.id, body, now),
  }),
  removing('DELETE /v1/stores/{storeId}/service-providers/{id}', {
    may: 'admin',
    refuses: ['bookings_ahead'],
    summary: 'Delete a link',
    description:
      '409 `bookings_ahead` while there are bookings in the future: archive the service or the provider, or remove the hours.',
    remove: ({ em, tenant_id, path, now }) => removeLink(em, tenant_id, path.id, now),
  }),
]
