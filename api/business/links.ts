// Links between services and providers of a business, and the working time of a provider: hours are minutes from
// midnight.
import { z } from 'zod'
import { ServiceProvider } from '../../entities/scheduling/service-provider.ts'
import {
  calendarsOf,
  createLink,
  type LinkInput,
  removeLink,
  updateLink,
} from '../../entities/scheduling/service-providers.ts'
import { distinct } from '../../rules/input/distinct.ts'
import { hoursOf, windowOf, workingTimeOf } from '../../rules/scheduling/older-hours.ts'
import { anyCase, CreatedAt, Id, LocalDate, Minutes, Price, Segment, UpdatedAt, Weekday } from '../../rules/shapes.ts'
import { filter, listing } from '../kit/answer/listing.ts'
import { removing } from '../kit/answer/record.ts'
import { route } from '../kit/route.ts'
import { visibleTo } from './bookables.ts'
import { Prices, Segments } from './services.ts'

const Hours = z
  .strictObject({
    from: z.int().min(0).max(1439).describe('Start, in minutes from midnight, 0 to 1439.'),
    to: z
      .int()
      .min(0)
      .max(1440)
      .describe('End, in minutes from midnight, 0 to 1440. If it is not later than `from`, it is on the next day.'),
  })
  .meta({ id: 'BusinessWorkingHours', description: "Wall-clock times of the business's time zone." })
const working_hours = z.array(Hours).max(50)
const DayHours = z
  .strictObject({
    day: anyCase(Weekday).describe('Day of the week.'),
    working_hours: working_hours.describe('Opening hours of the day, 50 at most.'),
  })
  .meta({ id: 'BusinessWorkingDay' })
const DateHours = z
  .strictObject({
    date: LocalDate.describe("Day in the business's time zone, YYYY-MM-DD."),
    working_hours: working_hours.describe('Opening hours of the day; empty if it is closed.'),
  })
  .meta({ id: 'BusinessSpecificDate' })

const working_days = z.array(DayHours).describe('Weekly hours in which the provider offers the service.')
const specific_dates = z.array(DateHours).describe('Hours of single dates; each replaces the working day of its date.')

const LinkOut = z
  .object({
    id: z.string().describe('Identifier of the link, a UUIDv7 made by the server.'),
    service_id: z.string().describe('Identifier of the service.'),
    provider_id: z.string().describe('Identifier of the provider.'),
    working_days,
    specific_dates,
    durations: z.array(Segment).describe('Steps of a slot; if empty, those of the service.'),
    prices: z.array(Price).describe("Prices of one slot, one per market; in other markets the service's."),
    slot_interval: z.int().describe('Minutes from the start of one slot to the next.'),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  })
  .meta({
    id: 'BusinessServiceProvider',
    description: 'How a provider offers a service. Hours are wall-clock times in the time zone of the business.',
  })

type Body = Partial<{
  working_days: z.output<typeof DayHours>[]
  specific_dates: z.output<typeof DateHours>[]
  durations: Segment[]
}>
type Given = Partial<Pick<LinkInput, 'working_days' | 'specific_dates' | 'segments'>>
/** The fields of a body, with windows and segments. */
function linkOf<B extends Body>({ working_days, specific_dates, durations, ...body }: B): Omit<B, keyof Body> & Given {
  return {
    ...body,
    ...(working_days
      ? { working_days: working_days.map(({ day, working_hours }) => ({ day, windows: working_hours.map(windowOf) })) }
      : {}),
    ...(specific_dates
      ? {
          specific_dates: specific_dates.map(({ date, working_hours }) => ({
            date,
            windows: working_hours.map(windowOf),
          })),
        }
      : {}),
    ...(durations ? { segments: durations } : {}),
  }
}
const shown = (link: ServiceProvider) => ({
  ...link,
  working_days: link.working_days.map(({ day, windows }) => ({ day, working_hours: windows.map(hoursOf) })),
  specific_dates: link.specific_dates.map(({ date, windows }) => ({ date, working_hours: windows.map(hoursOf) })),
  durations: link.segments,
})

const fields = {
  working_days: working_days.max(7).check(distinct(({ day }) => day, 'day')),
  specific_dates: specific_dates.max(1000).check(distinct(({ date }) => date, 'date')),
  durations: Segments.describe('Steps of a slot, 50 at most, whose sum is its length; if empty, those of the service.'),
  prices: Prices.describe("Prices of one slot, one per market; in other markets the service's."),
  slot_interval: Minutes.describe('Minutes from the start of one slot to the next, 1 to 1440.'),
}

export const businessLinks = [
  listing('GET /v1/businesses/{businessId}/service-providers', {
    may: 'customer',
    contact: 'optional',
    summary: 'List the links between services and providers of a business',
    description: 'Visitors get the links between active and public records.',
    entity: ServiceProvider,
    unmanaged: true,
    item: LinkOut,
    filters: {
      service_id: filter(Id, (service_id) => ({ service_id })),
      provider_id: filter(Id, (provider_id) => ({ provider_id })),
    },
    scope({ caller }) {
      const visible = visibleTo(caller)
      return caller.kind === 'visitor' ? { service_id: visible, provider_id: visible } : {}
    },
    load: async (_, rows: ServiceProvider[]) => rows.map(shown),
  }),
  route('POST /v1/businesses/{businessId}/service-providers', {
    may: 'admin',
    refuses: ['link_exists', 'currency_mismatch', 'market_unknown', 'provider_unknown', 'service_unknown'],
    summary: 'Link a provider of a business to a service',
    description:
      '409 `link_exists` if the provider offers the service already. 422 `service_unknown`, `provider_unknown` or `market_unknown` for a record that does not exist, ' +
      '`currency_mismatch` for a price in another currency than its market.',
    body: z.object({
      service_id: Id.describe('Identifier of the service. It cannot be changed later.'),
      provider_id: Id.describe('Identifier of the provider. It cannot be changed later.'),
      ...fields,
      durations: fields.durations.default([]),
      prices: fields.prices.default([]),
    }),
    out: LinkOut,
    status: 201,
    run: async ({ em, tenant_id, body, now }) => {
      const {
        service_id,
        provider_id,
        working_days = [],
        specific_dates = [],
        segments = [],
        prices,
        slot_interval,
      } = linkOf(body)
      const link = {
        service_id,
        provider_id,
        working_days,
        specific_dates,
        segments,
        durations: [],
        prices,
        slot_interval,
        concurrent_limit: 1,
      }
      return shown(await createLink(em, tenant_id, link, now))
    },
  }),
  route('PUT /v1/businesses/{businessId}/service-providers/{id}', {
    may: 'admin',
    refuses: ['cannot_change', 'currency_mismatch', 'market_unknown'],
    summary: 'Update a link of a business',
    description:
      'Fields that are left out are kept; lists replace the stored ones. `service_id` and `provider_id` cannot be changed: 422 `cannot_change`. Existing bookings are kept.',
    body: z
      .object({
        service_id: Id.describe('Must equal the service of the link, which cannot be changed.'),
        provider_id: Id.describe('Must equal the provider of the link, which cannot be changed.'),
        ...fields,
      })
      .partial(),
    out: LinkOut,
    run: async ({ em, tenant_id, path, body, now }) =>
      shown(await updateLink(em, tenant_id, path.id, linkOf(body), now)),
  }),
  removing('DELETE /v1/businesses/{businessId}/service-providers/{id}', {
    may: 'admin',
    refuses: ['bookings_ahead'],
    summary: 'Delete a link of a business',
    description:
      '409 `bookings_ahead` while there are bookings in the future: archive the service or the provider, or remove the hours.',
    remove: ({ em, tenant_id, path, now }) => removeLink(em, tenant_id, path.id, now),
  }),
  route('GET /v1/businesses/{businessId}/providers/{providerId}/working-time', {
    may: 'customer',
    contact: 'optional',
    refuses: ['not_found', 'too_many_slots'],
    summary: 'Read the working time of a provider',
    description:
      'The hours of all services of the provider together, or of one of them. Visitors get those of active and public records. 422 `too_many_slots` if the services have too ' +
      'many single dates and hours to put them together: send `service_id`.',
    query: z.object({
      service_id: Id.optional().describe('Only the hours in which the provider offers this service.'),
    }),
    out: z
      .object({
        working_days: z.array(DayHours).describe('Weekly hours; days without hours are left out.'),
        specific_dates: z
          .array(DateHours)
          .describe('Hours of single dates; each replaces the working day of its date.'),
        outcast_dates: z.array(DateHours).describe('Single dates without hours.'),
      })
      .meta({
        id: 'BusinessWorkingTime',
        description: 'When a provider can be booked, in the time zone of the business.',
      }),
    run: async ({ em, tenant_id, path, query, caller }) =>
      workingTimeOf(
        await calendarsOf(em, tenant_id, path.providerId, {
          service_id: query.service_id,
          all: caller.kind === 'operator',
        }),
      ),
  }),
]
