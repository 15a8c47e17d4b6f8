// Links between services and providers: how a provider offers a service, with hours, durations, prices and the limit of
// concurrent bookings.
import { z } from 'zod'
import { ServiceProvider } from '../../entities/scheduling/service-provider.ts'
import { createLink, updateLink } from '../../entities/scheduling/service-providers.ts'
import { distinct } from '../../rules/input/distinct.ts'
import { Minutes, ServiceDuration, SpecificDate, WorkingDay } from '../../rules/scheduling/calendars.ts'
import { CreatedAt, UpdatedAt } from '../../rules/shapes.ts'
import { Price } from '../../rules/stores/markets.ts'
import { listing } from '../kit/answer/listing.ts'
import { reading, removing } from '../kit/answer/record.ts'
import { route } from '../kit/route.ts'
import { limitChangeText, limitText } from './bookables.ts'
import { chosenIds, fixedIds, linkCreation, linkFilters, linkIdsOut, linkRemoval, linkUpdate } from './links.ts'

const LinkOut = z
  .object({
    ...linkIdsOut,
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
  ...chosenIds,
  ...fields,
  working_days: fields.working_days.default([]),
  specific_dates: fields.specific_dates.default([]),
  durations: fields.durations.default([]),
  prices: fields.prices.default([]),
  concurrent_limit: fields.concurrent_limit.default(1),
})
const LinkUpdate = z
  .object({
    ...fixedIds,
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
    filters: linkFilters,
  }),
  reading('GET /v1/stores/{storeId}/service-providers/{id}', {
    may: 'admin',
    summary: 'Read a link',
    entity: ServiceProvider,
    out: LinkOut,
  }),
  route('POST /v1/stores/{storeId}/service-providers', {
    ...linkCreation,
    summary: 'Link a provider to a service',
    body: LinkCreate,
    out: LinkOut,
    run: ({ em, tenant_id, body, now }) => createLink(em, tenant_id, body, now),
  }),
  route('PUT /v1/stores/{storeId}/service-providers/{id}', {
    ...linkUpdate,
    summary: 'Update a link',
    description: `${linkUpdate.description} ${limitChangeText}`,
    body: LinkUpdate,
    out: LinkOut,
    run: ({ em, tenant_id, path, body, now }) => updateLink(em, tenant_id, path.id, body, now),
  }),
  removing('DELETE /v1/stores/{storeId}/service-providers/{id}', {
    ...linkRemoval,
    summary: 'Delete a link',
  }),
]
