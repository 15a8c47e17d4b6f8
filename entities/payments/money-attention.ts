// What a person has to do about money: requests to the payment provider whose outcome cannot be proved, payments that
// are not what was due, and money that has to go back.
import type { EntityManager } from '@mikro-orm/postgresql'
import type { AttentionKind, AttentionStatus } from '../../rules/attention.ts'
import { WAITS_MAX_S } from '../../rules/erasure/erasures.ts'
import {
  attentionKindOf,
  type DisputeFacts,
  disputeItem,
  type MoneyItem,
  MoneyKind,
  moneyText,
} from '../../rules/payments/attention.ts'
import { lateAfterAttempts } from '../../rules/refunds/refunds.ts'
import { READ_BACK_MS } from '../../rules/subscriptions/membership.ts'
import {
  type AttentionOwner,
  type AttentionPart,
  type AttentionScope,
  attends,
  contradicted,
  type Resolver,
  resolvable,
} from '../kit/attention.ts'
import { join, json, nothing, type Sql, sql, text } from '../kit/database/sql.ts'
import { recordedAt, unknownSince } from '../kit/effect-columns.ts'
import { uuids } from '../kit/ids.ts'
import { outcomeNotPossible } from '../kit/resolving.ts'
import { tenantNames } from '../stores/tenant-names.ts'
import { resolveRequest } from './resolve-request.ts'

/**
 * Selects the rows of some tenants, an array of ids, of one, an id, of the plan of one, or of the plans of all tenants,
 * which the platform's own account charges. `erasing` adds the refunds that the provider has not carried out for an
 * hour, which a deletion waits for.
 */
export type MoneyScope =
  | { tenants: Sql; erasing?: true }
  | { plan_of: string; erasing?: true }
  | { tenant: Sql; erasing?: never }
  | 'plans'

/**
 * Rows `alias`, which have `tenant_id`. `plan`: whether it is about a store's plan. A tenant's own list has no plans:
 * only the platform can look those up.
 */
function within(scope: MoneyScope, alias: string, plan: Sql): Sql {
  if (scope === 'plans') return plan
  if ('plan_of' in scope) return sql`${text(alias)}.tenant_id = ${scope.plan_of} and ${plan}`
  const own = 'tenant' in scope ? sql`= ${scope.tenant}` : sql`= any (${scope.tenants})`
  return sql`${text(alias)}.tenant_id ${own} and not ${plan}`
}

/** A payment form that may be open and that is not known. It ends a day after it was requested at the latest. */
const mayBeOpen = (s: Sql): Sql => sql`
  (
    coalesce(${s}.state, 'open') = 'open'
    and coalesce(to_timestamp(${s}.expires_at), ${s}.sent_at + interval '1 day', clock_timestamp()) > clock_timestamp()
  )
`

/** The columns of every part, in this order. */
const row = (o: Record<'id' | 'tenant' | 'kind' | 'status' | 'since', Sql> & Partial<Record<string, Sql>>): Sql => {
  const none = sql`null`
  const [amount, currency, payment, order, subscription, account, intent, provider_object_id] = [
    ...['amount', 'currency', 'payment', 'order', 'subscription', 'account', 'intent', 'provider_object_id'].map(
      (name) => o[name] ?? none,
    ),
  ] as [Sql, Sql, Sql, Sql, Sql, Sql, Sql, Sql]
  return sql`
    select ${o.id} as id, ${o.tenant} as tenant_id, ${o.kind}::text as kind, ${o.status}::text as status,
      ${o.since}::float8 as since, ${amount}::float8 as amount, ${currency}::text as currency,
      ${payment}::uuid as payment_id, ${order}::uuid as order_id, ${subscription}::uuid as subscription_id,
      ${account}::text as provider_account_id, ${intent}::text as provider_payment_id,
      ${provider_object_id}::text as provider_object_id, ${o.error ?? none}::jsonb as error,
      ${o.evidence ?? none}::jsonb as evidence, ${o.late ?? none}::jsonb as late_evidence,
      ${o.resolution ?? none}::jsonb as resolution, ${o.sent ?? none}::float8 as sent_at,
      ${o.settled ?? none}::float8 as settled_at, ${o.at ?? none}::float8 as at
  `
}

/** Rows that need a person, or of the others those whose outcome a person recorded. */
const inStatus = (status: AttentionStatus, alias: string, isOpen: Sql): Sql =>
  status === 'open'
    ? sql`${resolvable(alias)} and ${isOpen}`
    : sql`${text(alias)}.resolution is not null and not coalesce(${isOpen}, false)`

const s = (words: string): Sql => text(words)
const seconds = (column: string): Sql => text(`extract(epoch from ${column})`)
/** As in the index of the table (`attentionIndex`). */
const since = (alias: string): Sql => text(unknownSince(`${alias}.`))
const effectColumns = (alias: string) => ({
  ...{
    id: s(`${alias}.id`),
    tenant: s(`${alias}.tenant_id`),
    status: s(`${alias}.status`),
    error: s(`${alias}.error`),
    evidence: s(`${alias}.evidence`),
  },
  ...{ late: s(`${alias}.late_evidence`), resolution: s(`${alias}.resolution`), at: s(recordedAt(`${alias}.`)) },
  ...{ sent: sql`floor(${seconds(`${alias}.sent_at`)})`, settled: sql`floor(${seconds(`${alias}.settled_at`)})` },
})

/**
 * Whether `alias.subscription_id` is a store's plan. A subquery for each row, never a join, which would read all
 * subscriptions.
 */
const ofPlan = (alias: string): Sql =>
  text(`coalesce(
    (
      select v.plan_id is not null
      from subscriptions v
      where v.id = ${alias}.subscription_id and v.tenant_id = ${alias}.tenant_id
    ),
    false
  )`)

const refundsWhere = (scope: MoneyScope, where: Sql): Sql => sql`
  ${row({
    ...{
      ...effectColumns('r'),
      kind: s(`'refund'`),
      since: since('r'),
      amount: s('r.amount'),
      currency: s('r.currency'),
    },
    ...{
      payment: s('r.payment_id'),
      order: s('r.order_id'),
      subscription: s('r.subscription_id'),
      account: s('p.provider_account_id'),
    },
    ...{ intent: s('p.provider_payment_id'), provider_object_id: s('r.provider_refund_id') },
  })}
  from refunds r
  join payments p on p.id = r.payment_id and p.tenant_id = r.tenant_id
  where ${where} and ${within(scope, 'r', ofPlan('r'))}
`

const refunds = (scope: MoneyScope, status: AttentionStatus): Sql =>
  refundsWhere(
    scope,
    status === 'open' ? sql`r.needs_attention` : sql`r.resolution is not null and not r.needs_attention`,
  )

/** Accepted by the provider, and not carried out for an hour. */
const pendingRefunds = (scope: MoneyScope): Sql =>
  refundsWhere(
    scope,
    sql`
      r.status = 'processing'
      and not r.needs_attention
      and r.answered_at < clock_timestamp() - make_interval(secs => ${WAITS_MAX_S})
    `,
  )

const end = {
  ...{ ...effectColumns('e'), kind: s(`case e.kind when 'capture' then 'capture' else 'cancel_authorization' end`) },
  ...{
    since: since('e'),
    amount: s('e.amount'),
    currency: s('e.currency'),
    payment: s('e.payment_id'),
  },
  ...{ order: s('e.order_id'), account: s('e.provider_account_id'), intent: s('e.provider_payment_id') },
}
/** A cancellation that was refused while the amount is reserved, or that does not reach the provider, is no outcome. */
const isStuck = sql`
  (
    e.kind = 'cancel'
    and (
      e.status = 'rejected' and p.status = 'authorized'
      or e.status in ('requested', 'processing') and e.attempt >= ${lateAfterAttempts}
    )
  )
`

const ends = (scope: MoneyScope, status: AttentionStatus): Sql => sql`
  ${row(end)}
  from authorization_ends e
  join payments p on p.id = e.payment_id and p.tenant_id = e.tenant_id
  where ${within(scope, 'e', sql`false`)}
    and ${inStatus(status, 'e', sql`(e.status = 'unknown' or ${contradicted('e')} or ${isStuck})`)}
`

const stuckEnds = (scope: MoneyScope): Sql => sql`
  ${row(end)}
  from authorization_ends e
  join payments p on p.id = e.payment_id and p.tenant_id = e.tenant_id
  where ${within(scope, 'e', sql`false`)}
    and e.kind = 'cancel'
    and e.status in ('requested', 'processing', 'rejected')
    and e.resolution is null
    and ${isStuck}
`

/** A form that a person found is listed until it is found at the provider. */
const isSearched = sql`f.status = 'succeeded' and f.provider_session_id is null and f.resolution is not null`
const searched = json({
  code: 'form_not_found_yet',
  message:
    'The payment form that was named is looked for at the provider. Check the id: the item leaves the list when the form is found.',
})

const isFormOpen = sql`
  (
    f.provider_session_id is null and ${mayBeOpen(sql`f`)} and f.status in ('unknown', 'succeeded')
    or ${contradicted('f')}
  )
`

/**
 * A form that a person found is listed, and open to a correction, until its id or a search shows it at the provider.
 */
const sessions = (scope: MoneyScope, status: AttentionStatus): Sql => sql`
  ${row({
    ...{
      ...effectColumns('f'),
      kind: s(`'open_form'`),
      error: sql`case when ${isSearched} then ${searched} else f.error end`,
      since: since('f'),
      amount: s('f.amount'),
      currency: s('f.currency'),
    },
    ...{
      payment: s('f.payment_id'),
      order: s('f.order_id'),
      subscription: s('f.subscription_id'),
      account: s('f.provider_account_id'),
    },
    provider_object_id: s('f.provider_session_id'),
  })}
  from payment_sessions f
  where ${within(scope, 'f', ofPlan('f'))}
    and ${inStatus(status, 'f', isFormOpen)}
`

const expiries = (scope: MoneyScope, status: AttentionStatus): Sql => sql`
  ${row({
    ...{
      ...effectColumns('x'),
      kind: s(`'close_form'`),
      since: since('x'),
      amount: s('f.amount'),
      currency: s('f.currency'),
    },
    ...{
      payment: s('f.payment_id'),
      order: s('f.order_id'),
      subscription: s('f.subscription_id'),
      account: s('f.provider_account_id'),
    },
    provider_object_id: s('f.provider_session_id'),
  })}
  from session_expiries x
  join payment_sessions f on f.id = x.payment_session_id and f.tenant_id = x.tenant_id
  where ${within(scope, 'x', ofPlan('f'))}
    and ${inStatus(status, 'x', sql`(x.status = 'unknown' and ${mayBeOpen(sql`f`)} or ${contradicted('x')})`)}
`

/** A change that reads showed, or that was requested again, has its answer. */
const isChangeOpen = sql`
  (
    c.status = 'unknown'
    and c.late_evidence is null
    and u.status in ('live', 'given_up')
    and c.settled_at < clock_timestamp() - make_interval(secs => ${READ_BACK_MS / 1000})
    and not exists (
      select 1
      from subscription_changes n
      where n.subscription_id = c.subscription_id and n.tenant_id = c.tenant_id and n.id > c.id
    )
    or ${contradicted('c')}
  )
`
const changes = (scope: MoneyScope, status: AttentionStatus): Sql => sql`
  ${row({
    ...{
      ...effectColumns('c'),
      kind: s(`case c.kind when 'card' then 'change_card' else c.kind || '_subscription' end`),
    },
    ...{
      since: since('c'),
      subscription: s('c.subscription_id'),
      account: s('u.provider_account_id'),
    },
    provider_object_id: s('u.provider_subscription_id'),
  })}
  from subscription_changes c
  join subscriptions u on u.id = c.subscription_id and u.tenant_id = c.tenant_id
  where ${within(scope, 'c', sql`(u.plan_id is not null)`)}
    and ${inStatus(status, 'c', isChangeOpen)}
`

/**
 * The provider did not say how much it took for payment `p`: no refund could be requested, and none was made in its
 * dashboard.
 */
const isUnrefunded = sql`
  (
    (p.evidence ->> 'amount') is null
    and not exists (
      select 1
      from refunds r
      where r.payment_id = p.id
        and r.tenant_id = p.tenant_id
        and (r.provider_refund_id is not null or r.origin = 'system')
    )
  )
`

/**
 * What the provider took for payment `p`, in its currency; null if it did not say. A capture in another currency is no
 * part of `captured_amount`.
 */
const taken = {
  amount: sql`
    case
      when p.error ->> 'code' = 'event_missing' then p.amount
      when not coalesce(jsonb_exists(p.evidence, 'amount'), false) then p.captured_amount
      when p.evidence ->> 'currency' is not null then (p.evidence ->> 'amount')::bigint
    end
  `,
  currency: sql`
    case
      when p.error ->> 'code' = 'event_missing' or not coalesce(jsonb_exists(p.evidence, 'amount'), false)
        then p.currency
      else p.evidence ->> 'currency'
    end
  `,
}

/** Which payments need a person. */
const isPaymentOpen = sql`
  p.error ->> 'code' in (
    'event_missing', 'amount_mismatch', 'price_mismatch', 'paid_twice', 'refund_due', 'refund_conflict'
  )
  and p.error -> 'acknowledged' is null
  and case p.error ->> 'code'
    when 'event_missing'
      then p.status in ('pending', 'processing')
        and p.updated_at < extract(epoch from clock_timestamp()) - ${READ_BACK_MS / 1000}
    when 'amount_mismatch'
      then (p.captured_amount = 0 or p.captured_amount > p.refunded_amount)
        and (
          (
            select o.status from orders o where o.id = p.order_id and o.tenant_id = p.tenant_id
          ) is distinct from 'cancelled'
          or ${isUnrefunded}
        )
    when 'price_mismatch' then p.captured_amount > p.refunded_amount
    when 'paid_twice'
      then (
          (p.error ->> 'amount')::bigint > (
            select coalesce(sum(r.amount), 0)
            from refunds r
            where r.payment_id = p.id
              and r.tenant_id = p.tenant_id
              and r.provider_refund_id is not null
              and r.status = 'succeeded'
          )
          or ${isUnrefunded}
        )
        and not exists (
          select 1
          from refunds r
          where r.payment_id = p.id
            and r.tenant_id = p.tenant_id
            and (r.needs_attention or r.status in ('requested', 'processing'))
        )
    else not exists (
      select 1
      from refunds r
      where r.payment_id = p.id and r.tenant_id = p.tenant_id and r.needs_attention
    )
  end
`
/** What an operator accepted, as a resolution. */
const acceptance = sql`(p.error -> 'acknowledged' || '{"outcome": "accepted"}')`

/** Captures that are not what was due, or that have to be refunded without a refund that needs attention. */
const payments = (scope: MoneyScope, status: AttentionStatus): Sql => sql`
  ${row({
    ...{
      id: s('p.id'),
      tenant: s('p.tenant_id'),
      kind: s(`'payment'`),
      status: s(`p.error ->> 'code'`),
      since: s('coalesce(p.paid_at, p.updated_at)'),
      error: s('p.error'),
    },
    ...{
      ...taken,
      payment: s('p.id'),
      order: s('p.order_id'),
      subscription: s('p.subscription_id'),
    },
    ...{ account: s('p.provider_account_id'), intent: s('p.provider_payment_id'), evidence: s('p.evidence') },
    ...(status === 'open' ? {} : { resolution: acceptance, at: s(`((p.error #>> '{acknowledged,at}')::float8)`) }),
  })}
  from payments p
  where ${within(scope, 'p', ofPlan('p'))}
    and ${status === 'open' ? isPaymentOpen : sql`p.error -> 'acknowledged' is not null`}
`

/** A subscription that charges without time, or that cannot be read. */
const memberships = (scope: MoneyScope): Sql => sql`
  ${row({
    ...{
      id: s('u.id'),
      tenant: s('u.tenant_id'),
      kind: s(`'subscription'`),
      status: s(`u.error ->> 'code'`),
      since: s('u.updated_at'),
      error: s('u.error'),
    },
    ...{
      amount: s('u.amount'),
      currency: s('u.currency'),
      subscription: s('u.id'),
      account: s('u.provider_account_id'),
      provider_object_id: s('u.provider_subscription_id'),
    },
  })}
  from subscriptions u
  where ${within(scope, 'u', sql`(u.plan_id is not null)`)}
    and u.status = 'live'
    and u.error ->> 'code' in ('price_mismatch', 'event_missing', 'not_readable')
`

/**
 * The tenant whose plan the refund, request or payment of this id is about, which only the platform can look up; null
 * if it is about no plan.
 */
export async function planTenantOf(em: EntityManager, id: string): Promise<string | null> {
  const [found]: { tenant_id: string }[] = await em.execute(sql`
    select u.tenant_id
    from (
      select subscription_id, tenant_id
      from refunds
      where id = ${id}
      union all
      select subscription_id, tenant_id
      from payments
      where id = ${id}
      union all
      select subscription_id, tenant_id
      from payment_sessions
      where id = ${id}
      union all
      select subscription_id, tenant_id
      from subscription_changes
      where id = ${id}
      union all
      select f.subscription_id, f.tenant_id
      from session_expiries x
      join payment_sessions f on f.id = x.payment_session_id and f.tenant_id = x.tenant_id
      where x.id = ${id}
    ) owners
    join subscriptions u on u.id = owners.subscription_id and u.tenant_id = owners.tenant_id
    where u.plan_id is not null
  `)
  return found?.tenant_id ?? null
}

type Part = (scope: MoneyScope, status: AttentionStatus) => Sql
/** Those of requests, whose outcomes are recorded. */
const recordedParts: readonly Part[] = [refunds, ends, sessions, expiries, changes, payments]
const parts: readonly Part[] = [...recordedParts, stuckEnds, memberships]

type Which = { status: AttentionStatus; limit: number; ids?: readonly string[] | undefined }
/** At most `limit` items of these parts, the oldest first; of these ids alone, if there are any. One statement. */
async function itemsOf(
  em: EntityManager,
  some: readonly Part[],
  scope: MoneyScope,
  { status, limit, ids }: Which,
): Promise<MoneyItem[]> {
  const all = join(
    some.map((part) => part(scope, status)),
    ' union all ',
  )
  return em.execute(
    // Names of each item that is returned, by its own id.
    sql`
      select a.id, a.tenant_id, a.kind, a.status, a.since, a.amount, a.currency, a.payment_id,
        a.order_id,
        (select o.number::float8 from orders o where o.id = a.order_id and o.tenant_id = a.tenant_id) as order_number,
        a.subscription_id,
        (
          select m.audience_id
          from subscriptions u
          join audience_members m on m.id = u.member_id and m.tenant_id = u.tenant_id
          where u.id = a.subscription_id and u.tenant_id = a.tenant_id
        ) as audience_id,
        (
          select u.member_id
          from subscriptions u
          where u.id = a.subscription_id and u.tenant_id = a.tenant_id
        ) as member_id,
        a.provider_account_id, a.provider_payment_id, a.provider_object_id, a.error, a.evidence, a.late_evidence,
        a.resolution, a.sent_at, a.settled_at
      from (
        select *
        from (${all}) items ${ids ? sql`where items.id = any (${uuids(ids)})` : nothing}
        order by items.since, items.id
        limit ${limit}
      ) a
      order by a.since, a.id
    `,
  )
}

/** All items about money, at most `limit`, the oldest first; of these ids alone, if there are any. One statement. */
export const moneyAttention = (
  em: EntityManager,
  scope: MoneyScope,
  limit: number,
  ids?: readonly string[],
): Promise<MoneyItem[]> =>
  itemsOf(em, typeof scope === 'object' && scope.erasing ? [...parts, pendingRefunds] : parts, scope, {
    ...{ status: 'open', limit, ids },
  })

const scopeOf = (scope: AttentionScope): MoneyScope | null => {
  if (scope === 'platform') return 'plans'
  return scope.tenants.admin && { tenants: scope.tenants.admin }
}

/** The kind in the list of everything, as `moneyText` says it: of a refund that is due no outcome can be recorded. */
const kind = sql`
  case
    when m.kind = 'refund' and m.status <> 'unknown' and m.resolution is null then 'refund_due'
    ${join(
      MoneyKind.options.map((money) => sql`when m.kind = ${money} then ${attentionKindOf[money]}`),
      ' ',
    )}
  end
`

/** The rows of these parts, as the list of everything reads them. */
function rowsOf(some: readonly Part[], owner: AttentionOwner, status: AttentionStatus): Sql | null {
  if (owner !== 'platform' && !('tenant' in owner)) return null
  const money = owner === 'platform' ? 'plans' : owner
  return sql`
    select m.id, m.tenant_id, ${kind} as kind, m.since, m.at
    from (${join(
      some.map((part) => part(money, status)),
      ' union all ',
    )}) m
  `
}

/** Parts of the list of money in the list of everything. `table`: whose rows are resolved by their own ids. */
const attending = (some: readonly Part[], ofKinds: readonly AttentionKind[], table?: string): AttentionPart => ({
  kinds: ofKinds,
  may: 'admin',
  open: (owner) => rowsOf(some, owner, 'open'),
  ...(some.some((part) => recordedParts.includes(part))
    ? {
        resolved: (owner: AttentionOwner) =>
          rowsOf(
            some.filter((part) => recordedParts.includes(part)),
            owner,
            'resolved',
          ),
      }
    : {}),
  async texts(em, ids, scope, status) {
    const money = scopeOf(scope)
    const own = status === 'open' ? some : some.filter((part) => recordedParts.includes(part))
    const items = money ? await itemsOf(em, own, money, { status, limit: own.length * ids.length, ids }) : []
    const names = await tenantNames(
      em,
      items.map(({ tenant_id }) => tenant_id),
    )
    const named = (id: string) => ({ store: names.get(id)?.key ?? null, tenant_kind: names.get(id)?.kind ?? null })
    const about = { of_plan: scope === 'platform', is_resolved: status === 'resolved' }
    return new Map(items.map((item) => [item.id, moneyText(item, named(item.tenant_id), about)]))
  },
  ...(table === undefined ? {} : { resolver: { table, resolve: resolveMoney } }),
})

const resolveMoney: Resolver['resolve'] = async (em, tenantId, id, { outcome, ...found }, now) => {
  if (outcome === 'start_again') throw outcomeNotPossible(['succeeded', 'rejected', 'accepted'])
  await resolveRequest(em, tenantId as string, id, { ...found, outcome }, now)
}

/** By the effect or the record that they are about. */
export const moneyParts = {
  refund: attending([refunds], ['refund', 'refund_due'], 'refunds'),
  authorization_end: attending([ends, stuckEnds], ['authorization_end'], 'authorization_ends'),
  payment_session: attending([sessions], ['payment_session'], 'payment_sessions'),
  session_expiry: attending([expiries], ['session_expiry'], 'session_expiries'),
  subscription_change: attending([changes], ['subscription_change'], 'subscription_changes'),
  payment: attending([payments], ['payment'], 'payments'),
  subscription: attending([memberships], ['subscription']),
}

/** Disputes that wait for an answer. Of plans the platform answers them. */
export const disputeAttention = attends<DisputeFacts>('dispute', {
  from: sql`disputes x`,
  columns: sql`
    x.order_id, x.subscription_id, x.payment_id, x.amount::float8 as amount, x.currency, x.status, x.reason, x.evidence,
    x.evidence_due_at::float8 as evidence_due_at, x.provider_account_id as account, x.provider_dispute_id,
    (select o.number::float8 from orders o where o.id = x.order_id and o.tenant_id = x.tenant_id) as order_number,
    (
      select u.member_id
      from subscriptions u
      where u.id = x.subscription_id and u.tenant_id = x.tenant_id
    ) as member_id,
    (
      select p.provider_payment_id
      from payments p
      where p.id = x.payment_id and p.tenant_id = x.tenant_id
    ) as provider_payment_id
  `,
  where: sql`
    x.closed_at is null
    and (x.status = 'needs_response' or x.status = 'warning')
    and x.provider_status is distinct from 'warning_under_review'
    and (x.evidence_due_at is null or x.evidence_due_at > extract(epoch from clock_timestamp()))
  `,
  notOfTenants: ofPlan('x'),
  platform: ofPlan('x'),
  since: sql`x.created_at`,
  text: disputeItem,
})
