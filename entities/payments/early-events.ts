// Events that arrive before the payment they are about are kept until it is captured or authorised. A transaction that
// records a payment and one that keeps an event lock the account first, so that one of the two sees the other.
import type { EntityManager } from '@mikro-orm/postgresql'
import { anyTenant } from '../kit/database/orm.ts'
import { json, type Sql, sql, text } from '../kit/database/sql.ts'
import { integrationIn } from './charging-account.ts'
import { Payment } from './payment.ts'
import type { Outcome } from './provider-events.ts'

export const waiting = 'waits for its payment'

/**
 * An event that arrives before its payment is kept until that payment is captured or authorised, or as long as provider
 * events are kept.
 */
export const keepForPayment = (em: EntityManager, id: string, paymentIntent: string, facts: object) =>
  em.execute(sql`
    update provider_events
    set outcome = ${waiting}, payment_intent = ${paymentIntent}, facts = ${json(facts)}
    where id = ${id}
  `)

/**
 * The platform's own account has no row that could be locked: a row for the payment is written, which the next writer
 * waits for. It is deleted as events are.
 */
const lockPlatformPayment = (em: EntityManager, paymentIntent: string) =>
  em.execute(sql`
    insert into provider_events (id, type, event_at, received_at, outcome)
    values (
      ${`lock/${paymentIntent}`}, 'lock', extract(epoch from clock_timestamp())::bigint,
      extract(epoch from clock_timestamp())::bigint, 'orders events and their payment'
    )
    on conflict (id) do update
    set received_at = excluded.received_at
  `)

/**
 * Locks the provider's account, or the payment of the platform's own account. Both the transaction that records a
 * payment and the one of an event that precedes it lock first and read then. False: no provider has this account.
 */
export async function lockAccount(
  em: EntityManager,
  account: string | null,
  paymentIntent: string,
  mode: 'update' | 'key share',
): Promise<boolean> {
  if (account === null) {
    await lockPlatformPayment(em, paymentIntent)
    return true
  }
  const integration = integrationIn(account)
  const locked: unknown[] = integration
    ? await em.execute(sql`select id from integrations where id = ${integration} for ${text(mode)}`)
    : await em.execute(sql`
      select id
      from payment_providers
      where account_id = ${account}
      order by id for ${text(mode)}
    `)
  return locked.length > 0
}

/**
 * Keeps an event whose payment is not recorded, or not captured yet. The payment applies it when it is captured
 * (`applyWaiting`); that of a payment made elsewhere is never applied.
 */
export async function waitForPayment(
  em: EntityManager,
  account: string | null,
  paymentIntent: string,
  facts: object,
  eventId: string,
): Promise<Outcome> {
  if (!(await lockAccount(em, account, paymentIntent, 'update'))) return 'ignored: no provider has this account'
  if ((await em.count(Payment, { provider_account_id: account, provider_payment_id: paymentIntent }, anyTenant)) > 0)
    return { retry: 'the payment was recorded at this moment' }
  await keepForPayment(em, eventId, paymentIntent, facts)
  return waiting
}

const canceled = 'payment_intent.canceled'

/** Condition on the events that wait for this payment of an account; null is the platform's own account. */
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
