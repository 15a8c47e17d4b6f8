// Links between services and providers, with times and prices; read together with the booked time of their days.
import { LockMode } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import { conflict, invalid, notFound } from '../../rules/refusal.ts'
import { windowsAtMost } from '../../rules/scheduling/business-hours.ts'
import type { Segment, ServiceDuration, SpecificDate, WorkingDay } from '../../rules/scheduling/calendars.ts'
import type { DayTaken } from '../../rules/scheduling/occupancy.ts'
import type { LinkSchedule } from '../../rules/scheduling/scheduling.ts'
import type { Price } from '../../rules/stores/markets.ts'
import { type Condition, condition } from '../kit/database/condition.ts'
import { json, nothing, type Sql, sql, text } from '../kit/database/sql.ts'
import { newId, uuids } from '../kit/ids.ts'
import { flushUnique } from '../kit/keys.ts'
import { holdListings, lockMemberships, refreshListings } from '../networks/listings.ts'
import { type Bookable, offeredIn } from './bookables.ts'
import { knownLimits } from './booked-limits.ts'
import { keepBooked } from './bookings-ahead.ts'
import { datesBetween, offerOf } from './offers.ts'
import { Provider } from './provider.ts'
import { raiseLimits } from './raised-limits.ts'
import { Service } from './service.ts'
import { ServiceProvider } from './service-provider.ts'

export type LinkInput = {
  service_id: string
  provider_id: string
  working_days: WorkingDay[]
  specific_dates: SpecificDate[]
  durations: ServiceDuration[]
  /** The steps of a slot, instead of `durations`. */
  segments?: Segment[]
  prices: Price[]
  slot_interval: number
  concurrent_limit: number
}

const refreshOf = (em: EntityManager, { tenant_id, service_id, provider_id }: ServiceProvider): Promise<void> =>
  refreshListings(em, tenant_id, { service: [service_id], provider: [provider_id] })

/** Creates a link. 422 service_unknown, provider_unknown, market_unknown, currency_mismatch; 409 link_exists. */
export async function createLink(
  em: EntityManager,
  tenantId: string,
  input: LinkInput,
  now: number,
): Promise<ServiceProvider> {
  const { service_id, provider_id } = input
  const isListed = await holdListings(em, tenantId)
  if (!(await em.count(Service, { id: service_id })))
    throw invalid('/service_id', 'service_unknown', 'The {store} has no such service.')
  if (!(await em.count(Provider, { id: provider_id })))
    throw invalid('/provider_id', 'provider_unknown', 'The {store} has no such provider.')
  const row = { id: newId(), tenant_id: tenantId, created_at: now, updated_at: now }
  const link = em.create(ServiceProvider, { ...row, segments: [], ...input, ...(await offeredIn(em, input)) })
  await flushUnique(em, /_service_id_provider_id_unique/, () =>
    conflict('link_exists', 'The provider does this service already: update that link.'),
  )
  if (isListed) await refreshOf(em, link)
  return link
}

const unchanged = (link: ServiceProvider, input: Partial<LinkInput>): void => {
  for (const name of ['service_id', 'provider_id'] as const)
    if (input[name] !== undefined && input[name] !== link[name])
      throw invalid(`/${name}`, 'cannot_change', 'Make a link of its own for another pair.')
}

/**
 * Updates a link. Fields that are left out stay. A limit that is raised holds for bookings ahead, too. 422
 * cannot_change, market_unknown, currency_mismatch.
 */
export async function updateLink(
  em: EntityManager,
  tenantId: string,
  id: string,
  input: Partial<LinkInput>,
  now: number,
): Promise<ServiceProvider> {
  const isListed = await holdListings(em, tenantId)
  const failHandler = () => notFound('link')
  const link = await em.findOneOrFail(ServiceProvider, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE, failHandler })
  unchanged(link, input)
  em.assign(link, { ...input, ...(await offeredIn(em, input)), updated_at: now })
  await em.flush()
  if (input.concurrent_limit !== undefined) await raiseLimits(em, tenantId, link, now)
  if (isListed) await refreshOf(em, link)
  return link
}

/** Deletes a link. 409 bookings_ahead. */
export async function removeLink(em: EntityManager, tenantId: string, id: string, now: number): Promise<void> {
  await lockMemberships(em, [tenantId])
  const link = await em.findOneOrFail(ServiceProvider, { id }, { failHandler: () => notFound('link') })
  await keepBooked(em, tenantId, 'link', { service_id: link.service_id, provider_id: link.provider_id }, now)
  const isListed = await holdListings(em, tenantId)
  await em.nativeDelete(ServiceProvider, { id })
  if (isListed) await refreshOf(em, link)
}

/** Filters a list of services (providers) by a provider (service) that they are linked to. */
export const linkedTo = (other: Bookable, id: string): Condition => {
  const [own, its] = other === 'service' ? ['l.provider_id', 'l.service_id'] : ['l.service_id', 'l.provider_id']
  return condition(
    (rows) => sql`
      ${rows}.id in (
        select ${text(own)}
        from service_providers l
        where ${text(its)} = ${id} and l.tenant_id = ${rows}.tenant_id
      )
    `,
  )
}

type Offer = Pick<ServiceProvider, 'service_id' | 'provider_id' | 'prices' | 'segments' | 'durations' | 'slot_interval'>

const offer = offerOf({ link: 'l', service: 's', provider: 'p' })
type Alias = 's' | 'p'
/** A condition on services or providers: operators find private ones, too. */
export const visible = (alias: Alias, all: boolean): Sql => (all ? nothing : sql`and ${text(alias)}.access = 'public'`)

/**
 * The services, all of one tenant, with the active providers that they are linked to, and their prices. One statement.
 * `all`: with private providers.
 */
export async function withProviders<S extends { id: string; tenant_id: string }>(
  em: EntityManager,
  services: readonly S[],
  { all = false } = {},
) {
  const offers: Offer[] = services[0]
    ? await em.execute(sql`
      select l.service_id, l.provider_id, ${offer.prices} as prices, ${offer.segments} as segments,
        ${offer.durations} as durations, l.slot_interval
      from service_providers l
      join services s on s.id = l.service_id and s.tenant_id = l.tenant_id
      join providers p
        on p.id = l.provider_id
        and p.tenant_id = l.tenant_id
        and p.status = 'active' ${visible('p', all)}
      where l.tenant_id = ${services[0].tenant_id} and l.service_id = any (${uuids(services.map(({ id }) => id))})
      order by p.created_at, p.id
    `)
    : []
  const of = Map.groupBy(offers, ({ service_id }) => service_id)
  return services.map((service) => ({ ...service, providers: of.get(service.id) ?? [] }))
}

type Calendar = Pick<ServiceProvider, 'working_days' | 'specific_dates'>

/**
 * The limits of calendars that are put together, far above those of one link: larger ones would delay other requests.
 */
const [bytesMost, windowsMost] = [4 * 1024 * 1024, 1_000_000]
const tooMany = () =>
  invalid(
    'service_id',
    'too_many_slots',
    'The services of the provider have too many single dates and hours. Send one service.',
  )

/**
 * The calendars of a provider's links, or of its link to one service. Without `all` only of active and public records.
 * 404 not_found without the provider, 422 too_many_slots.
 */
export async function calendarsOf(
  em: EntityManager,
  tenantId: string,
  providerId: string,
  { service_id, all }: { service_id: string | undefined; all: boolean },
): Promise<Calendar[]> {
  const seen = (alias: Alias) => (all ? nothing : sql`and ${text(alias)}.status = 'active' ${visible(alias, all)}`)
  const rows: ((Calendar | { working_days: null }) & { fits: boolean })[] = await em.execute(sql`
    select case when fits then working_days end as working_days,
      case when fits then specific_dates end as specific_dates, fits
    from (
      select l.working_days, l.specific_dates, l.created_at, l.id,
        coalesce(
          sum(octet_length(l.working_days::text) + octet_length(l.specific_dates::text)) over (), 0
        ) <= ${bytesMost} as fits
      from providers p
      left join (service_providers l join services s on s.id = l.service_id and s.tenant_id = l.tenant_id ${seen('s')})
        on l.provider_id = p.id
        and l.tenant_id = p.tenant_id
        and l.service_id = coalesce(${service_id ?? null}, l.service_id)
      where p.tenant_id = ${tenantId} and p.id = ${providerId} ${seen('p')}
    ) schedules
    order by created_at, id
  `)
  if (rows.length === 0) throw notFound('provider')
  if (rows.some(({ fits }) => !fits)) throw tooMany()
  const calendars = rows.filter((row): row is Calendar & { fits: true } => row.working_days !== null)
  if (windowsAtMost(calendars) > windowsMost) throw tooMany()
  return calendars
}

export type LinkDays = LinkSchedule & { provider_id: string; days: DayTaken[] }
type ServiceDays = { zone: string; active: boolean; public: boolean; links: LinkDays[] }

/** `all`: with private providers. */
type Asked = {
  service_id: string
  provider_id: string | undefined
  market: string | undefined
  first: string
  last: string
  all: boolean
}
type DaysRow = LinkDays & { timezone: string; status: Service['status']; access: Service['access'] }

/**
 * A service, its links to active providers, and the booked time of their days first … last: one statement, which reads
 * the days by their key and no orders. Null if the store has no such service.
 */
export async function daysOf(
  em: EntityManager,
  tenantId: string,
  { service_id, provider_id, market, first, last, all }: Asked,
): Promise<ServiceDays | null> {
  const priced = json(market === undefined ? [] : [{ market }])
  const rows: (DaysRow | (Pick<DaysRow, 'timezone' | 'status' | 'access'> & { provider_id: null }))[] =
    await em.execute(sql`
      select t.timezone, s.status, s.access, l.provider_id, l.working_days,
        ${datesBetween('l', first, last)} as specific_dates, ${offer.durations} as durations, l.slot_interval,
        ${offer.concurrent_limit} as concurrent_limit,
        (
          select coalesce(jsonb_agg(jsonb_build_object('local_date', d.local_date, 'taken', d.taken)), '[]')
          from schedule_days d
          where d.provider_id = l.provider_id
            and d.tenant_id = l.tenant_id
            and d.local_date between ${first} and ${last}
        ) as days
      from services s
      join tenants t on t.id = s.tenant_id
      left join (
        service_providers l join providers p on p.id = l.provider_id
        and p.tenant_id = l.tenant_id
        and p.status = 'active' ${visible('p', all)}
      ) on l.service_id = s.id and l.tenant_id = s.tenant_id and l.provider_id = coalesce(
        ${provider_id ?? null}, l.provider_id
      ) and (l.prices @> ${priced} or s.prices @> ${priced})
      where s.tenant_id = ${tenantId} and s.id = ${service_id}
      order by p.created_at, p.id
    `)
  if (!rows[0]) return null
  const links = rows.filter((row): row is DaysRow => row.provider_id !== null)
  return {
    zone: rows[0].timezone,
    active: rows[0].status === 'active',
    public: rows[0].access === 'public',
    links: await knownLimits(em, [tenantId], links),
  }
}
