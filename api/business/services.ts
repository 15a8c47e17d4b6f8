// Services of a business, with the fields of both its modules: bookings and reservations.
import { z } from 'zod'
import type { EntityManager } from '../../entities/kit/database/orm.ts'
import { createBookable, updateBookable } from '../../entities/scheduling/bookables.ts'
import { Service } from '../../entities/scheduling/service.ts'
import { ServiceProvider } from '../../entities/scheduling/service-provider.ts'
import { withProviders } from '../../entities/scheduling/service-providers.ts'
import { distinct } from '../../rules/input/distinct.ts'
import { namedOut } from '../../rules/resources.ts'
import { Segment } from '../../rules/scheduling/calendars.ts'
import { Place } from '../../rules/stores/addresses.ts'
import { Price } from '../../rules/stores/markets.ts'
import { namedCreate, namedUpdate, readNamed } from '../content/named.ts'
import { listing } from '../kit/answer/listing.ts'
import { removing } from '../kit/answer/record.ts'
import type { Customer } from '../kit/caller.ts'
import { route } from '../kit/route.ts'
import { namesTaken, namesTakenText, serviceFilters } from '../scheduling/bookables.ts'
import { bookableFilters, businessBookables, listedFields, listedOut, visibleTo } from './bookables.ts'

const minutesMost = 1440
export const Segments = z
  .array(Segment)
  .max(50)
  .refine(
    (steps) => steps.reduce((sum, { duration }) => sum + duration, 0) <= minutesMost,
    `Expected at most ${minutesMost} minutes in all.`,
  )
export const Prices = z
  .array(Price)
  .max(200)
  .check(distinct(({ market }) => market, 'market'))

const Offer = z
  .object({
    provider_id: z.string().describe('Identifier of the provider.'),
    prices: z.array(Price).describe('Prices of one slot, one per market.'),
    durations: z.array(Segment).describe('Steps of a slot; if empty, a slot lasts `slot_interval`.'),
    slot_interval: z.int().describe('Minutes from the start of one slot to the next.'),
  })
  .meta({ id: 'BusinessServiceOffer', description: 'How a provider offers the service.' })

const ServiceOut = z
  .object({
    ...namedOut,
    ...listedOut,
    prices: z
      .array(Price)
      .describe('Prices of one slot, one per market, with providers that have no price of their own.'),
    durations: z
      .array(Segment)
      .describe(
        'Steps of a slot, with providers that have none of their own. A slot lasts their sum, and the provider is taken throughout.',
      ),
    is_approval_required: z.boolean().describe('Whether an operator has to approve bookings of the service.'),
    location: Place.nullable().describe('Where the service takes place; null for the place of the business.'),
    providers: z.array(Offer).describe('Active providers of the service.'),
  })
  .meta({ id: 'BusinessService' })

const fields = {
  ...listedFields,
  prices: Prices.optional().describe(
    'Prices of one slot, one per market, with providers that have no price of their own in the market.',
  ),
  durations: Segments.optional().describe(
    'Steps of a slot, with providers that have none of their own, 50 at most. A slot lasts their sum, at most 1440 minutes. Replaces the stored ones.',
  ),
  is_approval_required: z
    .boolean()
    .optional()
    .describe('Whether an operator has to approve bookings of the service; false by default.'),
  location: Place.nullish().describe('Where the service takes place; null for the place of the business.'),
}

/** The steps of slots are called durations here. */
const withSegments = <T extends { durations?: Segment[] | undefined }>({ durations, ...body }: T) => ({
  ...body,
  ...(durations ? { segments: durations } : {}),
})

async function shown(em: EntityManager, services: readonly Service[], { kind }: Pick<Customer, 'kind'>) {
  const offered = await withProviders(em, services, { all: kind === 'operator' })
  return offered.map(({ providers, ...service }) => ({
    ...service,
    durations: service.segments,
    providers: providers.map((offer) => ({ ...offer, durations: offer.segments })),
  }))
}
const shownOne = async (em: EntityManager, service: Service, caller: Pick<Customer, 'kind'> = { kind: 'operator' }) =>
  (await shown(em, [service], caller))[0] as Awaited<ReturnType<typeof shown>>[number]

const unfit = '422 `market_unknown` or `currency_mismatch` for a price that does not fit.'

const { list, read, create, update, remove } = businessBookables('service')

export const businessServices = [
  listing('GET /v1/businesses/{businessId}/services', {
    ...list,
    entity: Service,
    item: ServiceOut,
    filters: { ...serviceFilters, ...bookableFilters('service') },
    load: (em, rows: Service[], { caller }) => shown(em, rows, caller),
    children: [{ entity: ServiceProvider, column: 'service_id', own: 'id' }],
  }),
  route('GET /v1/businesses/{businessId}/services/{id}', {
    ...read,
    out: ServiceOut,
    run: async ({ em, tenant_id, path, query, caller }) =>
      shownOne(em, await readNamed(em, tenant_id, 'service', path.id, query.locale, visibleTo(caller)), caller),
  }),
  route('POST /v1/businesses/{businessId}/services', {
    ...create,
    refuses: [...namesTaken, 'market_unknown', 'currency_mismatch'],
    description: `${namesTakenText} ${unfit} The service is \`ACTIVE\` and \`public\` by default.`,
    body: z.object({ ...namedCreate, ...fields }),
    out: ServiceOut,
    run: async ({ em, tenant_id, body, now }) =>
      shownOne(em, await createBookable(em, tenant_id, 'service', withSegments(body), now)),
  }),
  route('PUT /v1/businesses/{businessId}/services/{id}', {
    ...update,
    refuses: [...namesTaken, 'market_unknown', 'currency_mismatch'],
    description: `Fields that are left out are kept; lists replace the stored ones. Existing bookings are kept. ${namesTakenText} ${unfit}`,
    body: z.object({ ...namedUpdate, ...fields }),
    out: ServiceOut,
    run: async ({ em, tenant_id, path, body, now }) =>
      shownOne(em, await updateBookable(em, tenant_id, 'service', path.id, withSegments(body), now)),
  }),
  removing('DELETE /v1/businesses/{businessId}/services/{id}', remove),
]
