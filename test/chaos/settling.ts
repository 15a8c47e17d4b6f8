// When a round is over: nothing is on its way any more, but for what a person or a signed event has to decide.
import { setTimeout as pause } from 'node:timers/promises'
import type { Pool } from 'pg'
import { effectTableNames } from '../../entities/effects.ts'
import { eventsOf } from '../kit/buying.ts'
import type { Store } from './store.ts'

/** Sign-in mails are of no tenant. */
export const tenantTables = effectTableNames.filter((table) => table !== 'mails')

const effects = tenantTables
  .map(
    (table) =>
      `select '${table} ' || id || ' is ' || status from ${table} where tenant_id = $1 and status in ('requested', 'processing') and answered_at is null`,
  )
  .join(' union all ')

const rest = `
  select 'execution ' || id || ' is ' || status from executions where tenant_id = $1 and status in ('pending', 'running')
  union all select 'delivery ' || d.id || ' is pending after ' || d.attempts || ' tries' from deliveries d join webhooks w on w.id = d.webhook_id
    where d.tenant_id = $1 and d.status = 'pending' and w.enabled
  union all select 'order ' || o.id || ' is held, or asked to be cancelled' from orders o where o.tenant_id = $1 and o.status = 'pending'
    and (o.hold_until is not null or o.cancel_requested)
  union all select 'outbox ' || kind || ' ' || row_id || case when parked then ' is parked: ' || coalesce(error, '') else ' is waiting' end from outbox`

/** What is still on its way, in words. */
export async function unsettled(db: Pool, { shop, account }: Store): Promise<string[]> {
  const { rows } = await db.query<Record<string, string>>(`${effects} union all ${rest}`, [shop.store_id])
  const events = await eventsOf(account)
  const queued = events.filter(({ state }) => state === 'queued').map(({ id, type }) => `event ${id} (${type}) of the provider is not delivered`)
  return [...rows.map((row) => Object.values(row)[0] as string), ...queued]
}

/** What is not settled when the time is over; nothing, as soon as nothing is. */
export async function settled(db: Pool, store: Store, withinMs: number): Promise<string[]> {
  for (const end = Date.now() + withinMs; ; await pause(250)) {
    const left = await unsettled(db, store).catch((error: Error) => [error.message])
    if (left.length === 0 || Date.now() > end) return left
  }
}
