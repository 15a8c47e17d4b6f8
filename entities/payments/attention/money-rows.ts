// Which rows about money a person has to look at: requests to the payment provider whose outcome cannot be proved,
// payments that are not what was due, and money that has to go back.
import type { AttentionStatus } from '../../../rules/attention.ts'
import { WAITS_MAX_S } from '../../../rules/erasure/erasures.ts'
import { lateAfterAttempts } from '../../../rules/refunds/refunds.ts'
import { READ_BACK_MS } from '../../../rules/subscriptions/membership.ts'
import { contradicted, resolvable } from '../../kit/attention.ts'
import { json, type Sql, sql, text } from '../../kit/database/sql.ts'
import { resolvableOf } from '../../kit/effect-columns.ts'
import { isSearched } from '../payment-session.ts'
import { type MoneyScope, ofEffect, ofPlan, row, within } from './money-columns.ts'

/** `status`: of requests whose outcomes are recorded, those that need a person, or those that have one recorded. */
export type MoneyRows = (scope: MoneyScope, status: AttentionStatus) => Sql

/** Rows that need a person, or of the others those whose outcome a person recorded. */
const inStatus = (status: AttentionStatus, alias: string, isOpen: Sql, may = resolvable(alias)): Sql =>
  status === 'open'
    ? sql`${may} and ${isOpen}`
    : sql`${text(alias)}.resolution is not null and not coalesce(${isOpen}, false)`

/** A payment form that may be open and that is not known. It ends a day after it was requested at the latest. */
const mayBeOpen = (s: Sql): Sql => sql`
  (
    coalesce(${s}.state, 'open') = 'open'
    and coalesce(to_timestamp(${s}.expires_at), ${s}.sent_at + interval '1 day', clock_timestamp()) > clock_timestamp()
  )
`

const refundsWhere = (scope: MoneyScope, where: Sql): Sql => sql`
  ${row({
    ...ofEffect('r'),
    kind: sql`'refund'`,
    amount: sql`r.amount`,
    currency: sql`r.currency`,
    payment: sql`r.payment_id`,
    order: sql`r.order_id`,
    subscription: sql`r.subscription_id`,
    account: sql`p.provider_account_id`,
    intent: sql`p.provider_payment_id`,
    provider_object_id: sql`r.provider_refund_id`,
  })}
  from refunds r
  join payments p on p.id = r.payment_id and p.tenant_id = r.tenant_id
  where ${where} and ${within(scope, 'r', ofPlan('r'))}
`

export const refunds: MoneyRows = (scope, status) =>
  refundsWhere(
    scope,
    status === 'open' ? sql`r.needs_attention` : sql`r.resolution is not null and not r.needs_attention`,
  )

/** Accepted by the provider, and not carried out for an hour. */
export const pendingRefunds: MoneyRows = (scope) =>
  refundsWhere(
    scope,
    sql`
      r.status = 'processing'
      and not r.needs_attention
      and r.answered_at < clock_timestamp() - make_interval(secs => ${WAITS_MAX_S})
    `,
  )

const end = {
  ...ofEffect('e'),
  kind: sql`case e.kind when 'capture' then 'capture' else 'cancel_authorization' end`,
  amount: sql`e.amount`,
  currency: sql`e.currency`,
  payment: sql`e.payment_id`,
  order: sql`e.order_id`,
  account: sql`e.provider_account_id`,
  intent: sql`e.provider_payment_id`,
  superseded: sql`
    exists (
      select 1
      from authorization_ends x
      where x.payment_id = e.payment_id
        and x.tenant_id = e.tenant_id
        and x.id <> e.id
        and x.status not in ('failed', 'rejected')
    )
  `,
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

export const ends: MoneyRows = (scope, status) => sql`
  ${row(end)}
  from authorization_ends e
  join payments p on p.id = e.payment_id and p.tenant_id = e.tenant_id
  where ${within(scope, 'e', sql`false`)}
    and ${inStatus(status, 'e', sql`(e.status = 'unknown' or ${contradicted('e')} or ${isStuck})`)}
`

export const stuckEnds: MoneyRows = (scope) => sql`
  ${row(end)}
  from authorization_ends e
  join payments p on p.id = e.payment_id and p.tenant_id = e.tenant_id
  where ${within(scope, 'e', sql`false`)}
    and e.kind = 'cancel'
    and e.status in ('requested', 'processing', 'rejected')
    and not ${contradicted('e')}
    and ${isStuck}
`

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
export const sessions: MoneyRows = (scope, status) => sql`
  ${row({
    ...ofEffect('f'),
    kind: sql`'open_form'`,
    error: sql`case when ${isSearched('f.')} then ${searched} else f.error end`,
    amount: sql`f.amount`,
    currency: sql`f.currency`,
    payment: sql`f.payment_id`,
    order: sql`f.order_id`,
    subscription: sql`f.subscription_id`,
    account: sql`f.provider_account_id`,
    provider_object_id: sql`f.provider_session_id`,
  })}
  from payment_sessions f
  where ${within(scope, 'f', ofPlan('f'))}
    and ${inStatus(status, 'f', isFormOpen, resolvableOf('f.', isSearched))}
`

export const expiries: MoneyRows = (scope, status) => sql`
  ${row({
    ...ofEffect('x'),
    kind: sql`'close_form'`,
    amount: sql`f.amount`,
    currency: sql`f.currency`,
    payment: sql`f.payment_id`,
    order: sql`f.order_id`,
    subscription: sql`f.subscription_id`,
    account: sql`f.provider_account_id`,
    provider_object_id: sql`f.provider_session_id`,
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
    and subscription.status in ('live', 'given_up')
    and c.settled_at < clock_timestamp() - make_interval(secs => ${READ_BACK_MS / 1000})
    and not exists (
      select 1
      from subscription_changes n
      where n.subscription_id = c.subscription_id and n.tenant_id = c.tenant_id and n.id > c.id
    )
    or ${contradicted('c')}
  )
`
/** The subscription is looked up for each row: a join could begin at all subscriptions of the platform. */
export const changes: MoneyRows = (scope, status) => sql`
  ${row({
    ...ofEffect('c'),
    kind: sql`case c.kind when 'card' then 'change_card' else c.kind || '_subscription' end`,
    subscription: sql`c.subscription_id`,
    account: sql`subscription.provider_account_id`,
    provider_object_id: sql`subscription.provider_subscription_id`,
  })}
  from subscription_changes c
  cross join lateral (
    select s.*
    from subscriptions s
    where s.id = c.subscription_id and s.tenant_id = c.tenant_id
    limit 1
  ) subscription
  where ${within(scope, 'c', sql`(subscription.plan_id is not null)`)}
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
export const payments: MoneyRows = (scope, status) => sql`
  ${row({
    id: sql`p.id`,
    tenant: sql`p.tenant_id`,
    kind: sql`'payment'`,
    status: sql`p.error ->> 'code'`,
    since: sql`coalesce(p.paid_at, p.updated_at)`,
    error: sql`p.error`,
    ...taken,
    payment: sql`p.id`,
    order: sql`p.order_id`,
    subscription: sql`p.subscription_id`,
    account: sql`p.provider_account_id`,
    intent: sql`p.provider_payment_id`,
    evidence: sql`p.evidence`,
    ...(status === 'open' ? {} : { resolution: acceptance, at: sql`((p.error #>> '{acknowledged,at}')::float8)` }),
  })}
  from payments p
  where ${within(scope, 'p', ofPlan('p'))}
    and ${status === 'open' ? isPaymentOpen : sql`p.error -> 'acknowledged' is not null`}
`

/** A subscription that charges without time, or that cannot be read. */
export const memberships: MoneyRows = (scope) => sql`
  ${row({
    id: sql`u.id`,
    tenant: sql`u.tenant_id`,
    kind: sql`'subscription'`,
    status: sql`u.error ->> 'code'`,
    since: sql`u.updated_at`,
    error: sql`u.error`,
    amount: sql`u.amount`,
    currency: sql`u.currency`,
    subscription: sql`u.id`,
    account: sql`u.provider_account_id`,
    provider_object_id: sql`u.provider_subscription_id`,
  })}
  from subscriptions u
  where ${within(scope, 'u', sql`(u.plan_id is not null)`)}
    and u.status = 'live'
    and u.error ->> 'code' in ('price_mismatch', 'event_missing', 'not_readable')
`
