// An event of the provider is stored once, however often it is delivered. Provider events belong to no tenant.
import type { EntityManager } from '@mikro-orm/postgresql'
import { insertion } from '../kit/database/insert.ts'
import { json, type Sql, sql } from '../kit/database/sql.ts'
import { ProviderEvent } from './provider-event.ts'

/** What an event did, for the record; `retry` asks the provider to redeliver it, because its record is not committed yet. */
export type Outcome = string | { retry: string }

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
/** Metadata may hold any text. */
export const isUuid = (text: string | null | undefined): text is string => typeof text === 'string' && uuid.test(text)

/** From here on the unit of work sees the rows of the found row's tenant. */
export const enterTenantOf = (em: EntityManager, row: { tenant_id: string }) =>
  em.setFilterParams('tenant', { tenant: row.tenant_id })

/** False: the event is stored already. */
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

export const waiting = 'waits for its payment'

/** An event that arrives before its payment is kept until that payment is captured or authorised, or as long as provider events are kept. */
export const keepForPayment = (em: EntityManager, id: string, paymentIntent: string, facts: object) =>
  em.execute(sql`
    update provider_events
    set outcome = ${waiting}, payment_intent = ${paymentIntent}, facts = ${json(facts)}
    where id = ${id}
  `)

/** The platform's own account has no row that could be locked: a row for the payment is written, which the next writer waits for. It is deleted as events are. */
export const lockPlatformPayment = (em: EntityManager, paymentIntent: string) =>
  em.execute(sql`
    insert into provider_events (id, type, event_at, received_at, outcome)
    values (
      ${`lock/${paymentIntent}`}, 'lock', extract(epoch from clock_timestamp())::bigint,
      extract(epoch from clock_timestamp())::bigint, 'orders events and their payment'
    )
    on conflict (id) do update
    set received_at = excluded.received_at
  `)

const canceled = 'payment_intent.canceled'

/** The events that wait for this payment of an account; null: the platform's own. */
const ofPayment = (account: string | null, paymentIntent: string): Sql =>
  sql`${account === null ? sql`account is null` : sql`account = ${account}`} and payment_intent = ${paymentIntent}`

/** The event that cancelled this payment of an account before the event of its authorisation arrived; null for none. */
export async function cancelBefore(
  em: EntityManager,
  account: string | null,
  paymentIntent: string,
): Promise<string | null> {
  const rows: { id: string }[] = await em.execute(sql`
    select id
    from provider_events
    where ${ofPayment(account, paymentIntent)} and type = ${canceled}
    limit 1
  `)
  return rows[0]?.id ?? null
}

/** The events of refunds and disputes that wait for a payment of an account, in the provider's order. */
export const waitingEvents = (
  em: EntityManager,
  account: string | null,
  paymentIntent: string,
): Promise<{ id: string; type: string; facts: unknown }[]> =>
  em.execute(sql`
    select id, type, facts
    from provider_events
    where ${ofPayment(account, paymentIntent)} and type <> ${canceled}
    order by event_at, received_at, id
  `)
