// The payments, payment forms and decisions about authorised payments that the erasure of a tenant waits for, and
// what it copies of them.
import { FORMS_MAX_S } from '../../rules/erasure/erasures.ts'
import { type Sql, sql } from '../kit/database/sql.ts'
import { amountColumns, intentOf, isBeingSent, isPending, isPlan, isUnresolved } from '../kit/erasure-conditions.ts'
import type { ErasureWait } from '../kit/table.ts'

export const authorizationEndWait: ErasureWait = {
  awaits: () => isUnresolved,
  money: {
    proceeds: () => isBeingSent(sql`authorization_ends`),
    isOfPlan: sql`false`,
    includesLate: true,
    copy: {
      ...amountColumns,
      status: sql`status`,
      intent: sql`provider_payment_id`,
      order: sql`order_id`,
    },
  },
}

export const sessionExpiryWait: ErasureWait = {
  awaits: () => isPending,
  money: {
    proceeds: () => isBeingSent(sql`session_expiries`),
    isOfPlan: sql`
      exists (
        select 1
        from payment_sessions f
        where f.id = session_expiries.payment_session_id
          and f.tenant_id = session_expiries.tenant_id
          and ${isPlan(sql`f.subscription_id`, sql`f.tenant_id`)}
      )
    `,
    copy: {
      status: sql`status`,
      object: sql`
        (
          select f.provider_session_id
          from payment_sessions f
          where f.id = session_expiries.payment_session_id and f.tenant_id = session_expiries.tenant_id
        )
      `,
    },
  },
}

/** A form that was completed, and whose payment no event has reported. */
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

/** A form that may be open, so that a buyer can pay it, or that was paid without a report. */
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

export const paymentSessionWait: ErasureWait = {
  awaits: () => mayBePaid,
  money: {
    // Its closing is not requested yet, or is still sent; or its payment may be reported for ten minutes.
    proceeds: (now) => sql`
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
            and not ${isBeingSent(sql`x`)}
        )
      )
    `,
    isOfPlan: isPlan(sql`payment_sessions.subscription_id`, sql`payment_sessions.tenant_id`),
    copy: {
      ...amountColumns,
      status: sql`coalesce(state, status)`,
      intent: intentOf(sql`payment_sessions.payment_id`, sql`payment_sessions.tenant_id`),
      object: sql`provider_session_id`,
      order: sql`order_id`,
      subscription: sql`subscription_id`,
    },
  },
}

/** A payment of a form that is not deleted yet. */
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

/**
 * A payment is awaited while its amount is reserved on a card or has to go back to the buyer, and while the payment
 * of its invoice is not read: what is paid during the erasure is refunded then.
 */
export const paymentWait: ErasureWait = {
  awaits: () => sql`
    (
      status = 'authorized'
      or error ->> 'code' in ('refund_due', 'refund_conflict')
      or provider_invoice_id is not null and captured_amount > 0 and (evidence ->> 'payment_intent') is null
    )
  `,
  money: {
    proceeds: (now) => sql`
      (
        status = 'authorized'
        and not exists (
          select 1
          from authorization_ends e
          where e.payment_id = payments.id and e.tenant_id = payments.tenant_id and not ${isBeingSent(sql`e`)}
        )
        or provider_invoice_id is not null
        and captured_amount > 0
        and (evidence ->> 'payment_intent') is null
        and updated_at > ${now - FORMS_MAX_S}
      )
    `,
    isOfPlan: isPlan(sql`payments.subscription_id`, sql`payments.tenant_id`),
    isReferred: hasForm,
    copy: {
      ...amountColumns,
      status: sql`coalesce(error ->> 'code', status)`,
      amount: sql`case when captured_amount > 0 then captured_amount else amount end`,
      intent: sql`provider_payment_id`,
      object: sql`provider_invoice_id`,
      order: sql`order_id`,
      subscription: sql`subscription_id`,
    },
  },
}
