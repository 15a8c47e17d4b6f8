// What the deletion of a tenant waits for. A row that is awaited is deleted only after a person continued the deletion
// without it, and it was copied into the row of the deletion.
import type { EntityManager } from '@mikro-orm/postgresql'
import { effects } from '../../rules/effects.ts'
import {
  type Continued,
  type ErasureStatus,
  FORMS_MAX_S,
  type OpenOutcomes,
  type OpenRow,
  WAITS_MAX_S,
} from '../../rules/erasure/erasures.ts'
import { lateAfterAttempts } from '../../rules/refunds/refunds.ts'
import { column, join, type Sql, sql } from '../kit/database/sql.ts'
import { uuids } from '../kit/ids.ts'
import { lostOf } from '../refunds/refund-amounts.ts'
import { hasUnreadCharges, isReadable } from '../subscriptions/charges.ts'

const hour = 3_600

/** A network that cannot be reached holds a deletion no longer than this. Seconds. */
const revocationS = 600

const revoking = new Set<string>([effects.social_token_request.table, effects.oauth_exchange.table])

/** An order whose page may be paid, or was paid and waits for the event that says so. */
export const isPayable = sql`
  status = 'pending'
  and exists (
    select 1
    from payment_sessions s
    join payments p on p.id = s.payment_id and p.tenant_id = s.tenant_id
    where s.order_id = orders.id
      and s.status not in ('rejected', 'failed')
      and coalesce(s.state, 'open') <> 'expired'
      and p.status in ('pending', 'processing')
  )
`
export const hasPage = sql`status in ('waiting', 'pending')`
/** The provider charges for it. A second subscription of a member is `given_up` until it has ended. */
export const isCharged = sql`
  kind = 'recurring' and provider_subscription_id is not null and status in ('live', 'given_up')
`

/** The payment of a form that was completed, whose event has not arrived. */
const isUnreported = (since: Sql): Sql => sql`
  state = 'complete'
  and exists (
    select 1
    from payments p
    where p.id = payment_sessions.payment_id
      and p.tenant_id = payment_sessions.tenant_id
      and p.status in ('pending', 'processing')
      and p.updated_at > ${since}
  )
`
/** A form that may be open, and may still be paid. */
const mayBePaid = sql`
  (
    status = 'processing'
    or status not in ('requested', 'rejected', 'failed')
    and (
      coalesce(state, 'open') = 'open'
      and coalesce(to_timestamp(expires_at), sent_at + interval '1 day', clock_timestamp()) > clock_timestamp()
      or ${isUnreported(sql`0`)}
    )
  )
`

/** It is sent, or is being sent, without a person. `e`: a row of an effect. */
const isSent = (e: Sql): Sql => sql`
  (${e}.status = 'processing' or ${e}.status = 'requested' and ${e}.attempt < ${lateAfterAttempts})
`
/** The provider accepted it, and has not carried it out for so long that a person may give it up. Condition on rows of `refunds`. */
const isPendingLong = () => sql`(status = 'processing' and answered_at < ${ago(WAITS_MAX_S)})`
const ago = (seconds: number): Sql => sql`clock_timestamp() - make_interval(secs => ${seconds})`
const planOf = (subscription: Sql, tenant: Sql): Sql => sql`
  exists (
    select 1
    from subscriptions v
    where v.id = ${subscription} and v.tenant_id = ${tenant} and v.plan_id is not null
  )
`

/** Columns of what is kept of a row. */
type Kept = Partial<
  Record<'status' | 'amount' | 'currency' | 'account' | 'intent' | 'object' | 'order' | 'subscription', Sql>
>

/**
 * `is`: the row is awaited; `goesOn`: of these, one that no person can give up, as it is still sent, reported or read; `ofPlan`: the platform's own account charges it.
 * Conditions on rows of its table, which has no alias.
 */
type AwaitedTable = { is: (now: number) => Sql; goesOn: (now: number) => Sql; ofPlan: Sql; kept: Kept }

const intentOf = (payment: Sql, tenant: Sql): Sql => sql`
  (select p.provider_payment_id from payments p where p.id = ${payment} and p.tenant_id = ${tenant})
`
const paid = { amount: sql`amount`, currency: sql`currency`, account: sql`provider_account_id` }
const status = sql`status`

/** Rows of refunds and captures are awaited until their outcome is known: a person finds it out while a row tells of it. */
const open = () => sql`status in ('processing', 'requested', 'unknown')`
/** These return money, or end what would take more. */
const pending = () => sql`status in ('processing', 'requested')`

/** The tables that tell about money. */
const money: Readonly<Record<string, AwaitedTable>> = {
  refunds: {
    ...{
      is: open,
      goesOn: () => sql`(${isSent(sql`refunds`)} and not coalesce(${isPendingLong()}, false))`,
      ofPlan: planOf(sql`refunds.subscription_id`, sql`refunds.tenant_id`),
    },
    kept: {
      ...paid,
      status,
      intent: intentOf(sql`refunds.payment_id`, sql`refunds.tenant_id`),
      object: sql`provider_refund_id`,
      order: sql`order_id`,
      subscription: sql`subscription_id`,
    },
  },
  authorization_ends: {
    ...{ is: open, goesOn: () => isSent(sql`authorization_ends`), ofPlan: sql`false` },
    kept: { ...paid, status, intent: sql`provider_payment_id`, order: sql`order_id` },
  },
  session_expiries: {
    ...{ is: pending, goesOn: () => isSent(sql`session_expiries`) },
    ofPlan: sql`
      exists (
        select 1
        from payment_sessions f
        where f.id = session_expiries.payment_session_id
          and f.tenant_id = session_expiries.tenant_id
          and ${planOf(sql`f.subscription_id`, sql`f.tenant_id`)}
      )
    `,
    kept: {
      status,
      object: sql`
        (
          select f.provider_session_id
          from payment_sessions f
          where f.id = session_expiries.payment_session_id and f.tenant_id = session_expiries.tenant_id
        )
      `,
    },
  },
  subscription_changes: {
    ...{ is: pending, goesOn: () => isSent(sql`subscription_changes`) },
    ofPlan: planOf(sql`subscription_changes.subscription_id`, sql`subscription_changes.tenant_id`),
    kept: {
      ...{ status, subscription: sql`subscription_id` },
      object: sql`
        (
          select u.provider_subscription_id
          from subscriptions u
          where u.id = subscription_changes.subscription_id and u.tenant_id = subscription_changes.tenant_id
        )
      `,
    },
  },
  payment_sessions: {
    is: () => mayBePaid,
    // Its closing was not requested yet, or is still sent; or its payment was not reported for ten minutes.
    goesOn: (now) => sql`
      (
        status = 'processing'
        or ${isUnreported(sql`${now - FORMS_MAX_S}`)}
        or status <> 'unknown'
        and coalesce(state, 'open') = 'open'
        and not exists (
          select 1
          from session_expiries x
          where x.payment_session_id = payment_sessions.id
            and x.tenant_id = payment_sessions.tenant_id
            and not ${isSent(sql`x`)}
        )
      )
    `,
    ofPlan: planOf(sql`payment_sessions.subscription_id`, sql`payment_sessions.tenant_id`),
    kept: {
      ...{
        ...paid,
        status: sql`coalesce(state, status)`,
        intent: intentOf(sql`payment_sessions.payment_id`, sql`payment_sessions.tenant_id`),
      },
      ...{ object: sql`provider_session_id`, order: sql`order_id`, subscription: sql`subscription_id` },
    },
  },
  // Reserved on a card, due to a buyer, or by an invoice whose payment is not read yet: what was paid during the erasure is refunded then.
  payments: {
    is: () => sql`
      (
        status = 'authorized'
        or error ->> 'code' in ('refund_due', 'refund_conflict')
        or provider_invoice_id is not null and captured_amount > 0 and (evidence ->> 'payment_intent') is null
      )
    `,
    goesOn: (now) => sql`
      (
        status = 'authorized'
        and not exists (
          select 1
          from authorization_ends e
          where e.payment_id = payments.id and e.tenant_id = payments.tenant_id and not ${isSent(sql`e`)}
        )
        or provider_invoice_id is not null
        and captured_amount > 0
        and (evidence ->> 'payment_intent') is null
        and updated_at > ${now - FORMS_MAX_S}
      )
    `,
    ofPlan: planOf(sql`payments.subscription_id`, sql`payments.tenant_id`),
    kept: {
      ...{
        ...paid,
        status: sql`coalesce(error ->> 'code', status)`,
        amount: sql`case when captured_amount > 0 then captured_amount else amount end`,
      },
      ...{
        intent: sql`provider_payment_id`,
        object: sql`provider_invoice_id`,
        order: sql`order_id`,
        subscription: sql`subscription_id`,
      },
    },
  },
  subscriptions: {
    is: () => sql`(${hasPage} or ${isCharged} or ${hasUnreadCharges})`,
    goesOn: (now) => sql`
      (
        ${hasUnreadCharges} and ${isReadable} and coalesce(read_wanted_at, ${now}::bigint) > ${now - FORMS_MAX_S}
        or ${isCharged}
        and (
          not exists (
            select 1
            from subscription_changes c
            where c.subscription_id = subscriptions.id
              and c.tenant_id = subscriptions.tenant_id
              and c.kind = 'cancel_now'
          )
          or exists (
            select 1
            from subscription_changes c
            where c.subscription_id = subscriptions.id
              and c.tenant_id = subscriptions.tenant_id
              and c.kind = 'cancel_now'
              and (${isSent(sql`c`)} or c.status = 'succeeded' and c.settled_at > ${ago(FORMS_MAX_S)})
          )
        )
      )
    `,
    ofPlan: sql`plan_id is not null`,
    kept: { ...paid, status, object: sql`provider_subscription_id`, subscription: sql`id` },
  },
}

/** Which rows of another effect are awaited. */
const ofOther = (table: string, now: number): Sql =>
  revoking.has(table)
    ? sql`status = 'processing' or status = 'requested' and kind = 'revoke' and created_at > ${now - revocationS}`
    : sql`status = 'processing'`

const effectTables = new Set<string>(Object.values(effects).map(({ table }) => table))

/** Of rows that late requests wrote after the tenant was gone, only these say what may have been sent. */
const ofLate = new Set(['refunds', 'authorization_ends'])

const copiedOf = (open: OpenOutcomes | null, table: string): string[] =>
  (open?.rows ?? []).filter((row) => row.table === table).map(({ id }) => id)

/** The payment of a form that is kept: forms are deleted before. */
const hasForm = sql`
  (
    exists (
      select 1
      from payment_sessions s
      where s.order_id = payments.order_id and s.tenant_id = payments.tenant_id
    )
    or exists (
      select 1
      from payment_sessions s
      where s.subscription_id = payments.subscription_id and s.tenant_id = payments.tenant_id
    )
  )
`

/** A row that cannot be deleted now: it is in flight, or is awaited and not copied into the erasure. `now` in Unix seconds. */
export function isKept(
  table: string,
  { status, open }: { status: ErasureStatus; open: OpenOutcomes | null },
  now: number,
): Sql {
  const isAnswered = table === 'refunds' ? sql`coalesce(${isPendingLong()}, false)` : sql`false`
  const inFlight = effectTables.has(table) ? sql`(status = 'processing' and not ${isAnswered})` : sql`false`
  const awaited = status === 'deleting' || ofLate.has(table) ? money[table]?.is(now) : undefined
  if (!awaited) return inFlight
  if (table === 'payments')
    return sql`(coalesce(${awaited}, false) and id <> all (${uuids(copiedOf(open, table))}) or ${hasForm})`
  return sql`(${inFlight} or coalesce(${awaited}, false) and id <> all (${uuids(copiedOf(open, table))}))`
}

/** Rows by table. */
export type Counts = Record<string, number>

/** How many rows are awaited, and are not given up or go on without a person, by table. One statement. `now` in Unix seconds. */
export async function awaitedRows(
  em: EntityManager,
  tenantId: string,
  continued: Continued | null,
  now: number,
): Promise<Counts> {
  const counted = (table: string, is: Sql, held: Sql) => sql`
    select ${table}::text as name, count(*)::int as rows
    from ${column(table)}
    where tenant_id = ${tenantId} and (${is}) and (${held})
  `
  const ofMoney = Object.entries(money).map(([table, { is, goesOn, ofPlan }]) =>
    counted(
      table,
      is(now),
      continued ? (continued.plans ? goesOn(now) : sql`(${goesOn(now)} or ${ofPlan})`) : sql`true`,
    ),
  )
  const whole = continued ? sql`false` : sql`true`
  const ofEffects = [...effectTables]
    .filter((table) => !(table in money))
    .map((table) => counted(table, ofOther(table, now), sql`${whole} or status = 'processing'`))
  const ofOthers = [
    counted('orders', isPayable, whole),
    // An upload that a process is storing, and an image that is processed.
    counted('media', sql`status = 'processing' or status = 'uploading' and updated_at > ${now - hour}`, whole),
  ]
  const rows: { name: string; rows: number }[] = await em.execute(sql`
    select name, rows
    from (${join([...ofOthers, ...ofMoney, ...ofEffects], ' union all ')}) a
    where rows > 0
  `)
  return Object.fromEntries(rows.map((row) => [row.name, row.rows]))
}

const keptColumns = (
  table: string,
  { status, amount, currency, account, intent, object, order, subscription }: Kept,
): Sql => {
  const none = sql`null`
  return sql`
    ${table}::text as table, id, ${status ?? none}::text as status, ${amount ?? none}::float8 as amount,
    ${currency ?? none}::text as currency, ${order ?? none}::uuid as order_id,
    ${subscription ?? none}::uuid as subscription_id, ${account ?? none}::text as provider_account_id,
    ${intent ?? none}::text as provider_payment_id, ${object ?? none}::text as provider_object_id
  `
}

/** The rows that are awaited, or those of some ids, as the row of the deletion keeps them. `now` in Unix seconds. */
export async function openRows(
  em: EntityManager,
  tenantId: string,
  of: 'awaited' | readonly string[],
  now: number,
): Promise<OpenRow[]> {
  const parts = Object.entries(money).map(([table, { is, kept }]) => {
    const where = of === 'awaited' ? is(now) : sql`id = any (${uuids(of)})`
    return sql`
      select ${keptColumns(table, kept)}
      from ${column(table)}
      where tenant_id = ${tenantId} and ${where}
    `
  })
  return em.execute(sql`select * from (${join(parts, ' union all ')}) a order by id`)
}

const undeliveredMax = 1_000

/**
 * What buyers have paid, and did not get back, for orders that were cancelled, are not shipped, or have bookings ahead: whether it goes back is for the account that deletes to
 * decide, and afterwards no other row tells of it. What a lost dispute returned is not among it, nor what a refund may have returned, which `rows` has. The newest ones. `now` in Unix seconds.
 */
export async function undeliveredRows(em: EntityManager, tenantId: string, now: number): Promise<OpenRow[]> {
  return em.execute(sql`
    select 'payments' as table, p.id,
      case o.status when 'cancelled' then 'order_cancelled' else 'not_delivered' end as status,
      amounts.kept::float8 as amount, p.currency, p.order_id, null::uuid as subscription_id, p.provider_account_id,
      p.provider_payment_id, null::text as provider_object_id
    from orders o
    join payments p on p.order_id = o.id and p.tenant_id = o.tenant_id
    cross join lateral (
      select p.captured_amount - p.refunded_amount - p.refund_pending_amount - p.refund_unknown_amount
        - ${lostOf(sql`p.currency`)} as kept
    ) amounts
    where o.tenant_id = ${tenantId}
      and p.captured_amount > p.refunded_amount
      and amounts.kept > 0
      and (
        o.status = 'cancelled'
        or o.fulfillment_status in ('unfulfilled', 'partially_fulfilled')
        or exists (
          select 1
          from order_bookings b
          where b.order_id = o.id and b.tenant_id = o.tenant_id and b.status <> 'cancelled' and b.ends_at > ${now}
        )
      )
    order by p.id desc
    limit ${undeliveredMax}
  `)
}
