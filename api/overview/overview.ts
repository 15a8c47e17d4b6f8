// What a store sold and did by day, what waits, and what is next today.
import { z } from 'zod'
import { overviewOf } from '../../entities/overview/overview.ts'
import { ExecutionStatus } from '../../rules/automation/executions.ts'
import { effectStatuses } from '../../rules/effects.ts'
import { OrderStatus } from '../../rules/orders/statuses.ts'
import { DAYS_MAX, NEXT_MAX, Stage, WAITING_MAX } from '../../rules/overview/overview.ts'
import { type ProcessKind, processKinds } from '../../rules/processes.ts'
import { queueNames } from '../../rules/queues.ts'
import { BookingStatus } from '../../rules/scheduling/slots.ts'
import { NetworkType } from '../../rules/social/networks/network-types.ts'
import { networkTypeText } from '../../rules/social/networks/networks.ts'
import { SocialPublicationStatus } from '../../rules/social/resources.ts'
import { DeliveryStatus } from '../../rules/webhooks/deliveries.ts'
import { whole } from '../kit/query.ts'
import { route } from '../kit/route.ts'

const counts = (what: string, statuses: readonly string[]) =>
  z
    .record(z.string(), z.int())
    .describe(
      `${what}, by status: ${statuses.map((status) => `\`${status}\``).join(', ')}. Those without any are left out.`,
    )

const Money = z
  .object({
    currency: z.string().describe('Currency of the amount, ISO 4217.'),
    count: z.int().describe('Number of payments or refunds.'),
    amount: z.int().describe('Their sum, in minor units of the currency.'),
  })
  .meta({ id: 'OverviewMoney' })

const Figures = z
  .object({
    sales: z.array(Money).describe('Payments of orders and memberships by the time of their capture, by currency.'),
    refunded: z.array(Money).describe('Refunds that succeeded, by the time of their request and by currency.'),
    orders: counts('Orders that were placed', OrderStatus.options),
    bookings: counts('Bookings that were made', BookingStatus.options),
    refunds: counts('Refunds that were requested', effectStatuses),
    deliveries: counts('Deliveries of events to webhooks', DeliveryStatus.options),
    mails: counts('Mails about sign-ins, memberships and chats', effectStatuses),
    messages: counts('Messages of campaigns', effectStatuses),
    executions: counts('Executions of workflows', ExecutionStatus.options),
  })
  .meta({ id: 'OverviewFigures', description: 'Figures of a time, by the status that the records have now.' })

const Day = z
  .object({
    date: z.string().describe('Date of the day in the time zone (YYYY-MM-DD).'),
    from: z.int().describe('Its first second, in Unix seconds.'),
    to: z
      .int()
      .describe('The first second of the next day: a day on which clocks change has less or more than 24 hours.'),
    ...Figures.shape,
  })
  .meta({ id: 'OverviewDay', description: 'Figures of one day.' })

const Backlog = z
  .object({
    kind: z.enum(processKinds as [ProcessKind, ...ProcessKind[]]).describe('Kind of the process that does the work.'),
    queue: z.enum(queueNames).describe('Task queue that its workers take it from.'),
    stage: Stage.describe(
      'What it waits for: `start` of its workflow, `slot` of the task queue, which {stores} share, or, when `due`, to be sent.',
    ),
    count: z.int().describe(`How much waits; of \`due\` ${WAITING_MAX} at most.`),
    oldest_at: z.int().describe('Since when the oldest waits, in Unix seconds.'),
    oldest_age_s: z.int().describe('How long the oldest waits, in seconds.'),
  })
  .meta({ id: 'OverviewBacklog', description: 'Work that waits.' })

const NextBooking = z
  .object({
    id: z.string().describe('Identifier of the booked time.'),
    order_id: z.string().describe('Identifier of its order.'),
    label: z.string().describe('Keys of its service and provider, for people.'),
    status: BookingStatus.describe('`pending` until it is confirmed, then `confirmed`.'),
    starts_at: z.int().describe('When its first slot begins, in Unix seconds.'),
    ends_at: z.int().describe('When its last slot ends, in Unix seconds.'),
  })
  .meta({ id: 'OverviewBooking', description: 'A booking of today.' })

const NextPublication = z
  .object({
    id: z.string().describe('Identifier of the publication.'),
    label: z.string().describe('Its network, and how its text begins.'),
    type: NetworkType.describe(networkTypeText),
    status: SocialPublicationStatus.describe('`scheduled`, or `publishing` once it has begun.'),
    scheduled_at: z.int().describe('When it is due, in Unix seconds; before now if it is late.'),
  })
  .meta({ id: 'OverviewPublication', description: 'A publication that is due today.' })

export const overview = [
  route('GET /v1/stores/{storeId}/overview', {
    may: 'admin',
    operation: 'getOverview',
    summary: 'Read what the {store} sold and did by day, what waits, and what is next',
    description:
      "Returns one item for each of the last `days` days, today being the last, in the {store}'s time zone, with their sums. Records that were deleted since, such as deliveries, are not counted. What the platform charges for " +
      "the {store}'s plan is no sale. `backlog` is what waits now, the oldest first: nothing waits if it is empty. `next` is what of today is left.",
    query: z.object({
      days: whole(1, DAYS_MAX).default(30).describe(`Number of days, 1 to ${DAYS_MAX}; 30 by default.`),
    }),
    out: z.object({
      timezone: z.string().describe('Time zone of the days, an IANA name.'),
      days: z.array(Day).describe('The days, the oldest first.'),
      totals: Figures.describe('The sums of all days.'),
      backlog: z.array(Backlog).describe('What waits, the oldest first.'),
      next: z
        .object({
          bookings: z
            .array(NextBooking)
            .describe(`Bookings that begin today and are not over, the first ${NEXT_MAX} at most.`),
          publications: z
            .array(NextPublication)
            .describe(
              `Publications that are due until the end of today, with those of the day before that are late, the first ${NEXT_MAX} at most.`,
            ),
        })
        .describe("What is next today, in the {store}'s time zone, the soonest first."),
    }),
    run: ({ em, tenant_id, query, now }) => overviewOf(em, tenant_id, query.days, now),
  }),
]
