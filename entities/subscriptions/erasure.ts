// The subscriptions and their changes that the erasure of a tenant waits for, and what it copies of them.
import { FORMS_MAX_S } from '../../rules/erasure/erasures.ts'
import { EVENTS_MAX_S } from '../../rules/subscriptions/subscriptions.ts'
import { sql } from '../kit/database/sql.ts'
import { ago, amountColumns, isBeingSent, isPending, isPlan } from '../kit/erasure-conditions.ts'
import type { ErasureWait } from '../kit/table.ts'

/**
 * The tenant is being erased, the subscription has ended, and its charges were not read since. A condition, as all
 * here, on rows of `subscriptions` without an alias.
 */
export const hasUnreadCharges = sql`
  (
    kind = 'recurring'
    and provider_subscription_id is not null
    and status = 'ended'
    and charges_read_at is null
    and exists (
      select 1
      from tenants t
      where t.id = subscriptions.tenant_id and subscriptions.ended_at > t.erasing_at - ${EVENTS_MAX_S}::int
    )
  )
`

/**
 * The charges can be read without an operator: no read during the erasure was refused by the account, or did not find
 * the subscription.
 */
export const isReadable = sql`
  (
    (error ->> 'code') is distinct from 'not_readable'
    or exists (
      select 1
      from tenants t
      where t.id = subscriptions.tenant_id and coalesce(subscriptions.read_at, 0) < t.erasing_at
    )
  )
`

/** The subscription waits for its payment page, or has one. */
export const hasPage = sql`status in ('waiting', 'pending')`

/** The provider charges for the subscription. A second subscription of a member is `given_up` until it has ended. */
export const isCharged = sql`
  kind = 'recurring' and provider_subscription_id is not null and status in ('live', 'given_up')
`

export const subscriptionChangeWait: ErasureWait = {
  awaits: () => isPending,
  money: {
    proceeds: () => isBeingSent(sql`subscription_changes`),
    isOfPlan: isPlan(sql`subscription_changes.subscription_id`, sql`subscription_changes.tenant_id`),
    copy: {
      status: sql`status`,
      subscription: sql`subscription_id`,
      object: sql`
        (
          select u.provider_subscription_id
          from subscriptions u
          where u.id = subscription_changes.subscription_id and u.tenant_id = subscription_changes.tenant_id
        )
      `,
    },
  },
}

export const subscriptionWait: ErasureWait = {
  awaits: () => sql`(${hasPage} or ${isCharged} or ${hasUnreadCharges})`,
  money: {
    proceeds: (now) => sql`
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
              and (${isBeingSent(sql`c`)} or c.status = 'succeeded' and c.settled_at > ${ago(FORMS_MAX_S)})
          )
        )
      )
    `,
    isOfPlan: sql`plan_id is not null`,
    copy: { ...amountColumns, status: sql`status`, object: sql`provider_subscription_id`, subscription: sql`id` },
  },
}
