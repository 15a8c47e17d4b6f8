// Detects the end of a round: no work is pending.
import { setTimeout as pause } from 'node:timers/promises'
import type { Pool } from 'pg'
import { effects as declared } from '../../rules/effects.ts'
import { eventsOf, sim } from '../kit/orders/buying.ts'
import type { Store } from './people/acts.ts'

/** Sign-in emails belong to no tenant. */
export const tenantTables = Object.values(declared)
  .map(({ table }) => table)
  .filter((table) => table !== 'mails')

/** The store, and the business whose agent has the chats. */
export const tenantsOf = ({ shop, agent }: Pick<Store, 'shop' | 'agent'>): string[] => [
  shop.store_id,
  agent.business.id,
]

const effects = tenantTables
  .map(
    (table) =>
      `select '${table} ' || id || ' is ' || status from ${table} where tenant_id = any ($1) and status in ('requested', 'processing')`,
  )
  .join(' union all ')

const rest = `
  select 'execution ' || id || ' is ' || status from executions where tenant_id = any ($1) and status in ('pending', 'running')
  union all select 'delivery ' || d.id || ' is pending after ' || d.attempts || ' tries' from deliveries d join webhooks w on w.id = d.webhook_id
    where d.tenant_id = any ($1) and d.status = 'pending' and w.enabled
  union all select 'order ' || o.id || ' is held, or asked to be cancelled' from orders o where o.tenant_id = any ($1) and o.status = 'pending'
    and (o.hold_until is not null or o.cancel_requested)
  union all select 'subscription ' || id || ' is ' || status from subscriptions where tenant_id = any ($1) and status in ('pending', 'waiting')
  union all select 'campaign ' || id || ' is ' || status || coalesce(': ' || (paused_reason ->> 'message'), '') from campaigns where tenant_id = any ($1) and status in ('scheduled', 'running', 'paused')
  union all select 'turn ' || id || ' is running' from model_turns where tenant_id = any ($1) and status = 'running'
  union all select 'message ' || id || ' is ' || status from chat_messages where tenant_id = any ($1) and status in ('waiting', 'processing')
  union all select 'sync ' || id || ' is ' || status from social_syncs where tenant_id = any ($1) and status in ('queued', 'running')
  union all select 'publication ' || id || ' is ' || status from social_publications where tenant_id = any ($1) and status in ('scheduled', 'publishing')
  union all select 'outbox ' || kind || ' ' || row_id || case when parked then ' is parked: ' || coalesce(error, '') else ' is waiting' end from outbox`

/** The pending work, in words. */
export async function unsettled(db: Pool, store: Store): Promise<string[]> {
  const { rows } = await db.query<Record<string, string>>(`${effects} union all ${rest}`, [tenantsOf(store)])
  const events = await eventsOf(store.account)
  const queued = events
    .filter(({ state }) => state === 'queued')
    .map(({ id, type }) => `event ${id} (${type}) of the provider is not delivered`)
  return [...rows.map((row) => Object.values(row)[0] as string), ...queued]
}

/**
 * `left`: what is not settled when the time is over; empty as soon as all is settled. `last`: what was settled last.
 */
export async function settled(db: Pool, store: Store, withinMs: number): Promise<{ left: string[]; last: string[] }> {
  let last: string[] = []
  for (const end = Date.now() + withinMs; ; await pause(250)) {
    const left = await unsettled(db, store).catch((error: Error) => [error.message])
    if (left.length === 0 || Date.now() > end) return { left, last }
    last = left
  }
}

export type Ending = { stop(): Promise<string[]> }

/**
 * A payment page whose closing is `unknown`, or was refused by a gateway, is not closed again: its reservation is
 * released when the provider expires it half an hour from now. From here on that time has come for every such page.
 * When stopped, it returns which pages there were.
 */
export function pagesEnd(db: Pool, { shop }: Store): Ending {
  const ended = new Set<string>()
  const over = new AbortController()
  async function endThem(): Promise<void> {
    const { rows } = await db.query<{ page: string }>(
      `select s.provider_session_id as page from payment_sessions s join session_expiries e on e.payment_session_id = s.id and e.tenant_id = s.tenant_id
       left join orders o on o.id = s.order_id left join subscriptions u on u.id = s.subscription_id
       where s.tenant_id = $1 and 'pending' in (o.status, u.status) and s.state = 'open' and e.status in ('unknown', 'rejected')`,
      [shop.store_id],
    )
    for (const { page } of rows.filter(({ page }) => !ended.has(page))) {
      // Refused if it had expired already: then its event is being delivered.
      const is = await sim('POST', `/checkout_sessions/${page}/expire`).catch(() => null)
      if (is) ended.add(page)
    }
  }
  const running = (async () => {
    for (; !over.signal.aborted; await pause(500, undefined, { signal: over.signal }).catch(() => {}))
      await endThem().catch(() => {})
  })()
  return {
    async stop() {
      over.abort()
      await running
      return [...ended]
    },
  }
}
