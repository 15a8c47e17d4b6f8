// An event of the provider is stored once, however often it is delivered. Provider events belong to no tenant.
import type { EntityManager } from '@mikro-orm/postgresql'
import { insertion } from '../kit/database/insert.ts'
import { sql } from '../kit/database/sql.ts'
import { ProviderEvent } from './provider-event.ts'

/**
 * What an event did, for the record; `retry` asks the provider to redeliver it, because its record is not committed
 * yet.
 */
export type Outcome = string | { retry: string }

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
/** Metadata may hold any text. */
export const isUuid = (text: string | null | undefined): text is string => typeof text === 'string' && uuid.test(text)

/** The unit of work sees the rows of this row's tenant afterwards. */
export const enterTenantOf = (em: EntityManager, row: { tenant_id: string }) =>
  em.setFilterParams('tenant', { tenant: row.tenant_id })

/** Stores an event of the provider. False: the event is stored already. */
export async function insertProviderEvent(
  em: EntityManager,
  event: { id: string; type: string; account?: string; created: number },
  now: number,
): Promise<boolean> {
  const { id, type, account = null, created } = event
  const row = { id, type, account, event_at: created, received_at: now }
  const rows: unknown[] = await em.execute(
    sql`${insertion(em, ProviderEvent, row)} on conflict (id) do nothing returning id`,
  )
  return rows.length > 0
}

export const noteOutcome = (em: EntityManager, id: string, outcome: string) =>
  em.execute(sql`
    update provider_events
    set outcome = ${outcome}, payment_intent = null, facts = null
    where id = ${id}
  `)
