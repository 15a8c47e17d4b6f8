// Services and providers are written alike, and neither is deleted while it has bookings ahead.
import type { EntityManager } from '@mikro-orm/postgresql'
import { notFound } from '../../rules/refusal.ts'
import type { Block, LocaleMap, RecordStatus, TaxonomyEntry } from '../../rules/shapes.ts'
import { flushNamed } from '../content/named.ts'
import { forget } from '../content/removals.ts'
import { newId } from '../kit/ids.ts'
import { heldForChange } from '../kit/locked-row.ts'
import { keepBooked } from './bookings-ahead.ts'
import { Provider } from './provider.ts'
import { Service } from './service.ts'

export type Bookable = 'service' | 'provider'
export type BookableInput = Partial<{ key: string; slug: LocaleMap; blocks: Block[]; taxonomies: TaxonomyEntry[]; status: RecordStatus }>

const entities = { service: Service, provider: Provider }

/** 409 key_taken, slug_taken. */
export async function createBookable(em: EntityManager, tenantId: string, kind: Bookable, input: BookableInput & { key: string }, now: number) {
  const row = { id: newId(), tenant_id: tenantId, created_at: now, updated_at: now }
  const record = em.create(entities[kind], { ...row, slug: {}, blocks: [], taxonomies: [], status: 'active' as const, ...input })
  await flushNamed(em, kind, record, input)
  return record
}

/** Fields that are left out stay. 409 key_taken, slug_taken. */
export async function updateBookable(em: EntityManager, kind: Bookable, id: string, input: BookableInput, now: number) {
  const record: Service | Provider = await heldForChange<Service | Provider>(em, entities[kind], id, kind)
  em.assign(record, { ...input, updated_at: now })
  await flushNamed(em, kind, record, input)
  return record
}

/** 409 bookings_ahead; past bookings are snapshots and stay. */
export async function removeBookable(em: EntityManager, tenantId: string, kind: Bookable, id: string, now: number): Promise<void> {
  await keepBooked(em, tenantId, kind, { [`${kind}_id`]: id }, now)
  if ((await em.nativeDelete(entities[kind], { id })) === 0) throw notFound(kind)
  await forget(em, tenantId, [id])
}
