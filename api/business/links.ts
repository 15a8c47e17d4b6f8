// Links between services and providers of a business, and the working time of a provider: hours are minutes from
// midnight.
import { z } from 'zod'
import { ServiceProvider } from '../../entities/scheduling/service-provider.ts'
import { calendarsOf, createLink, type LinkInput, updateLink } from '../../entities/scheduling/service-providers.ts'
import { distinct } from '../../rules/input/distinct.ts'
import { hoursOf, windowOf, workingTimeOf } from '../../rules/scheduling/business-hours.ts'
import { LocalDate, Minutes, Segment, Weekday } from '../../rules/scheduling/calendars.ts'
import { anyCase, CreatedAt, Id, UpdatedAt } from '../../rules/shapes.ts'
import { Price } from '../../rules/stores/markets.ts'
import { listing } from '../kit/answer/listing.ts'
import { removing } from '../kit/answer/record.ts'
import { route } from '../kit/route.ts'
import {
  chosenIds,
  fixedIds,
  linkCreation,
  linkFilters,
  linkIdsOut,
  linkRemoval,
  linkUpdate,
} from '../scheduling/links.ts'
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
    ...linkIdsOut,
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
    filters: linkFilters,
    scope({ caller }) {
      const visible = visibleTo(caller)
      return caller.kind === 'visitor' ? { service_id: visible, provider_id: visible } : {}
    },
    load: async (_, rows: ServiceProvider[]) => rows.map(shown),
  }),
  route('POST /v1/businesses/{businessId}/service-providers', {
    ...linkCreation,
    summary: 'Link a provider of a business to a service',
    body: z.object({
      ...chosenIds,
      ...fields,
      durations: fields.durations.default([]),
      prices: fields.prices.default([]),
    }),
    out: LinkOut,
    run: async ({ em, tenant_id, body, now }) => {
      const defaults = { working_days: [], specific_dates: [], segments: [], durations: [], concurrent_limit: 1 }
      return shown(await createLink(em, tenant_id, { ...defaults, ...linkOf(body) }, now))
    },
  }),
  route('PUT /v1/businesses/{businessId}/service-providers/{id}', {
    ...linkUpdate,
    summary: 'Update a link of a business',
    body: z.object({ ...fixedIds, ...fields }).partial(),
    out: LinkOut,
    run: async ({ em, tenant_id, path, body, now }) =>
      shown(await updateLink(em, tenant_id, path.id, linkOf(body), now)),
  }),
  removing('DELETE /v1/businesses/{businessId}/service-providers/{id}', {
    ...linkRemoval,
    summary: 'Delete a link of a business',
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
