// Free slots of a service, computed from its links and the booked days of its providers. Orders are not read.
import { z } from 'zod'
import type { EntityManager } from '../../entities/kit/database/orm.ts'
import { freeSlots, type Range } from '../../entities/scheduling/availability.ts'
import { Key } from '../../rules/input/identities.ts'
import { invalid, invalidInput } from '../../rules/refusal.ts'
import { LocalDate } from '../../rules/scheduling/calendars.ts'
import { Id, UnixSeconds } from '../../rules/shapes.ts'
import { whole } from '../kit/query.ts'
import { route } from '../kit/route.ts'

const daysMax = 62
/** An answer of a few megabytes. Computing more would delay other requests. */
const slotsMax = 50_000
const daySeconds = 86_400

/** Dates are compared as text, which requires years of four digits, also on the day after. */
const horizon = '9999-01-01'
const calendar = 'Expected a time between the years 1970 and 9998.'
const secondsOf = (date: string): number => Date.parse(date) / 1000

/** A date of the store's time zone, or Unix seconds. */
const Moment = z.union(
  [
    LocalDate.refine((date) => date < horizon, calendar),
    z
      .string()
      .regex(/^\d{1,15}$/, 'Expected a date (YYYY-MM-DD) or Unix seconds.')
      .transform(Number)
      .pipe(
        UnixSeconds.refine((seconds) => seconds < secondsOf(horizon), {
          error: calendar,
          when: ({ issues }) => issues.length === 0,
        }),
      ),
  ],
  'Expected a date (YYYY-MM-DD) or Unix seconds.',
)

const Month = z
  .string()
  .regex(/^\d{4}-(0[1-9]|1[0-2])$/, 'Expected a month (YYYY-MM).')
  .refine((month) => month >= '1970' && `${month}-01` < horizon, calendar)
const AvailabilityQuery = z.object({
  service_id: Id.describe('Identifier of the service to book.'),
  from: Moment.optional().describe(
    "First day, as a date of the {store}'s time zone (YYYY-MM-DD), or a moment in Unix seconds; inclusive.",
  ),
  to: Moment.optional().describe('Last day or moment, in the same form as `from`; inclusive, at most 62 days later.'),
  month: Month.optional().describe('A whole month (YYYY-MM), instead of `from` and `to`.'),
  provider_id: Id.optional().describe('Only slots of this provider.'),
  duration: whole(1, 1440)
    .optional()
    .describe('Length of a slot in minutes; one of the durations of the link between service and provider.'),
  market: Key.optional().describe('Key of a market: only providers with a price in this market.'),
})
type AvailabilityQuery = z.output<typeof AvailabilityQuery>
const MonthQuery = AvailabilityQuery.pick({ service_id: true, month: true, provider_id: true }).extend({
  month: Month.describe("A month (YYYY-MM) of the {store}'s time zone."),
})

const Slot = z.object({
  from: z.int().describe('Start of the slot, in Unix seconds.'),
  to: z.int().describe('End of the slot, in Unix seconds.'),
  spots: z.int().describe('Number of bookings that the slot can still take.'),
})
const Days = z.array(
  z.object({
    date: z.string().describe("Day in the {store}'s time zone, YYYY-MM-DD."),
    slots: z.array(Slot).describe('Free slots that start on this day.'),
  }),
)
const Availability = z
  .object({
    providers: z
      .array(
        z.object({
          provider_id: z.string().describe('Identifier of the provider.'),
          days: Days.describe('Days with at least one free slot.'),
        }),
      )
      .describe('Providers of the service, with their free slots.'),
  })
  .meta({ id: 'Availability', description: 'Free slots of a service. Times are in Unix seconds.' })

const refused = (names: readonly string[], code: string, detail: string) =>
  invalidInput(names.map((pointer) => ({ pointer, code, detail })))

function monthOf(month: string): Range {
  const [year, number] = month.split('-').map(Number) as [number, number]
  return { unit: 'days', from: `${month}-01`, to: `${month}-${new Date(Date.UTC(year, number, 0)).getUTCDate()}` }
}

/** 422 range_too_long, or invalid_input for missing, excess or reversed bounds. */
function rangeOf({ from, to, month }: Partial<AvailabilityQuery>): Range {
  const sent = Object.entries({ from, to }).flatMap(([name, value]) => (value === undefined ? [] : [name]))
  if (month !== undefined) {
    if (sent.length > 0) throw refused(sent, 'excluded', 'Send either `month`, or `from` and `to`.')
    return monthOf(month)
  }
  let range: Range
  if (typeof from === 'string' && typeof to === 'string') range = { unit: 'days', from, to }
  else if (typeof from === 'number' && typeof to === 'number') range = { unit: 'seconds', from, to }
  else if (sent.length === 2)
    throw refused(['to'], 'invalid_type', '`from` and `to` must be two dates or two times in Unix seconds.')
  else
    throw refused(
      ['from', 'to'].filter((name) => !sent.includes(name)),
      'required',
      'Send `from` and `to`, or `month`.',
    )
  const seconds = range.unit === 'seconds' ? range.to - range.from : secondsOf(range.to) - secondsOf(range.from)
  if (seconds < 0) throw refused(['to'], 'too_small', 'Must not be before `from`.')
  if (seconds > (range.unit === 'seconds' ? daysMax : daysMax - 1) * daySeconds)
    throw invalid('to', 'range_too_long', `The range has more than ${daysMax} days.`)
  return range
}

/** The free slots that the query asks for. */
const available = (
  em: EntityManager,
  tenantId: string,
  query: Partial<AvailabilityQuery> & Pick<AvailabilityQuery, 'service_id'>,
  now: number,
  { visible = false } = {},
) =>
  freeSlots(
    em,
    tenantId,
    { ...query, range: rangeOf(query), visible, most: slotsMax, pointer: query.month === undefined ? 'to' : 'month' },
    now,
  )

const description =
  "Send `month`, or `from` and `to` as dates of the {store}'s time zone, or as Unix seconds between which slots start. Returns the slots that can be booked now, by provider and day: " +
  'only active providers are listed, and a service that is not active has no slots. 422 `range_too_long` for more than 62 days, `too_many_slots` for more than 50,000 slots.'

export const availabilities = [
  route('GET /v1/stores/{storeId}/services/availability', {
    may: 'admin',
    refuses: ['not_found', 'range_too_long', 'too_many_slots'],
    summary: 'List the free slots of a service',
    description,
    query: AvailabilityQuery,
    out: Availability,
    run: ({ em, tenant_id, query, now }) => available(em, tenant_id, query, now),
  }),
  route('GET /v1/storefront/services/availability', {
    may: 'visitor',
    refuses: ['not_found', 'range_too_long', 'too_many_slots'],
    contact: 'optional',
    summary: 'List the free slots of a service in the storefront',
    description,
    query: AvailabilityQuery,
    out: Availability,
    run: ({ em, tenant_id, query, now }) => available(em, tenant_id, query, now, { visible: true }),
  }),
  route('GET /v1/businesses/{businessId}/bookings/availability', {
    may: 'customer',
    refuses: ['not_found', 'too_many_slots'],
    contact: 'optional',
    summary: 'List the free slots of a service in a month',
    description:
      "Returns the slots of the month (of the business's time zone) that can be booked now, by provider and day. Only active providers are listed, for visitors only public ones; a " +
      'service that is not active has no slots. 422 `too_many_slots` for more than 50,000 slots.',
    query: MonthQuery,
    out: Availability,
    run: ({ em, tenant_id, query, now, caller }) =>
      available(em, tenant_id, query, now, { visible: caller.kind === 'visitor' }),
  }),
]
