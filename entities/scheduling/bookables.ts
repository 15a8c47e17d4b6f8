// Services and providers are written alike, and neither is deleted while it has bookings ahead.
import type { EntityManager, EntityName } from '@mikro-orm/postgresql'
import type { Block } from '../../rules/content/block-shape.ts'
import type { TaxonomyEntry } from '../../rules/content/taxonomies.ts'
import type { LocaleMap } from '../../rules/input/locale-map.ts'
import { notFound } from '../../rules/refusal.ts'
import type { Segment, ServiceDuration, Visibility } from '../../rules/scheduling/calendars.ts'
import type { RecordStatus } from '../../rules/shapes.ts'
import type { Place } from '../../rules/stores/addresses.ts'
import type { Price } from '../../rules/stores/markets.ts'
import { inCurrencies } from '../catalog/prices.ts'
import { flushNamed } from '../content/named.ts'
import { removeLinks } from '../content/removals.ts'
import { newId } from '../kit/ids.ts'
import { lockForChange } from '../kit/locked-row.ts'
import { holdListings, linkedRecords, lockMemberships, refreshListings } from '../networks/listings.ts'
import { keepBooked } from './bookings-ahead.ts'
import { Provider } from './provider.ts'
import { raiseLimits } from './raised-limits.ts'
import { Service } from './service.ts'

export type Bookable = 'service' | 'provider'
type NamedInput = { key: string; slug: LocaleMap; blocks: Block[]; taxonomies: TaxonomyEntry[]; status: RecordStatus }
type ListedInput = { access: Visibility; node_ids: string[]; network_ids: string[] }
type ServiceInput = { prices: Price[]; segments: Segment[]; is_approval_required: boolean; location: Place | null }
type ProviderInput = { audience_ids: string[]; concurrent_limit: number }
/** The input of a service or a provider: the fields of one are not sent for the other. */
export type BookableInput = Partial<NamedInput & ListedInput & ServiceInput & ProviderInput>

type Columns = Partial<NamedInput & ListedInput & { updated_at: number }>
type ServiceColumns = Columns & Partial<ServiceInput & { durations: ServiceDuration[] }>
type ProviderColumns = Columns & Partial<ProviderInput>

const entities = { service: Service, provider: Provider }
const entityOf = (kind: Bookable): EntityName<Service | Provider> => entities[kind]
type Records = { service: Service; provider: Provider }

/** The length of the slots of these steps; none without steps. */
const durationsOf = (segments: readonly Segment[]): { duration: number }[] =>
  segments.length === 0 ? [] : [{ duration: segments.reduce((sum, { duration }) => sum + duration, 0) }]

/** The columns of the prices and steps that were sent. 422 market_unknown, currency_mismatch. */
export async function offeredIn(
  em: EntityManager,
  { prices: sent, segments }: Pick<BookableInput, 'prices' | 'segments'>,
) {
  const [prices] = await inCurrencies(em, [{ prices: sent, pointer: '/prices' }])
  return { ...(prices ? { prices } : {}), ...(segments ? { segments, durations: durationsOf(segments) } : {}) }
}

/** Creates a service or a provider. 409 key_taken, slug_taken; 422 market_unknown, currency_mismatch. */
export async function createBookable<K extends Bookable>(
  em: EntityManager,
  tenantId: string,
  kind: K,
  input: BookableInput & { key: string },
  now: number,
): Promise<Records[K]> {
  const isListed = await holdListings(em, tenantId)
  const row = { id: newId(), tenant_id: tenantId, created_at: now, updated_at: now }
  const blank = {
    slug: {},
    blocks: [],
    taxonomies: [],
    status: 'active' as const,
    access: 'public' as const,
    node_ids: [],
    network_ids: [],
  }
  const sent = { ...input, ...(await offeredIn(em, input)) }
  const [ofService, ofProvider]: [ServiceColumns, ProviderColumns] = [sent, sent]
  const unoffered = { prices: [], segments: [], durations: [], is_approval_required: false }
  const named = { ...row, ...blank, key: input.key }
  const record =
    kind === 'service'
      ? em.create(Service, { ...named, ...unoffered, ...ofService })
      : em.create(Provider, { ...named, audience_ids: [], ...ofProvider })
  await flushNamed(em, kind, record, input)
  if (isListed) await refreshListings(em, tenantId, { [kind]: [row.id] })
  return record as Service & Provider
}

/**
 * Updates a service or a provider. Fields that are left out stay. A provider's limit that is raised holds for bookings
 * ahead, too. 409 key_taken, slug_taken; 422 market_unknown, currency_mismatch.
 */
export async function updateBookable<K extends Bookable>(
  em: EntityManager,
  tenantId: string,
  kind: K,
  id: string,
  input: BookableInput,
  now: number,
): Promise<Records[K]> {
  const isListed = await holdListings(em, tenantId)
  const record = await lockForChange(em, entityOf(kind), id, kind)
  const changes = { ...input, ...(await offeredIn(em, input)), updated_at: now }
  const [ofService, ofProvider]: [ServiceColumns, ProviderColumns] = [changes, changes]
  if (record instanceof Service) em.assign(record, ofService)
  else em.assign(record, ofProvider)
  await flushNamed(em, kind, record, input)
  if (input.concurrent_limit !== undefined) await raiseLimits(em, tenantId, { provider_id: id }, now)
  if (isListed) await refreshListings(em, tenantId, await linkedRecords(em, tenantId, { [kind]: [id] }))
  return record as Service & Provider
}

/** Deletes a service or a provider. 409 bookings_ahead; past bookings are snapshots and stay. */
export async function removeBookable(
  em: EntityManager,
  tenantId: string,
  kind: Bookable,
  id: string,
  now: number,
): Promise<void> {
  await lockMemberships(em, [tenantId])
  await keepBooked(em, tenantId, kind, { [`${kind}_id`]: id }, now)
  const listed = (await holdListings(em, tenantId)) ? await linkedRecords(em, tenantId, { [kind]: [id] }) : {}
  if ((await em.nativeDelete(entityOf(kind), { id })) === 0) throw notFound(kind)
  await removeLinks(em, tenantId, [id])
  await refreshListings(em, tenantId, listed)
}
