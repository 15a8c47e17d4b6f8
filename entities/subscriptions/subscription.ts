// One attempt to subscribe, and the subscription that it became. It belongs to a membership, or to the store itself for
// the plan of the store.
import { defineEntity, p } from '@mikro-orm/core'
import type { PriceInterval } from '../../rules/audiences/audiences.ts'
import { CancelledBy, SubscriptionKind, SubscriptionStatus } from '../../rules/subscriptions/subscriptions.ts'
import { AudienceMember } from '../audiences/audience-member.ts'
import { tenantRow } from '../kit/database/row.ts'

/**
 * `payment_failed`: with `invoice`, `attempt` and `next_attempt_at` (Unix seconds). `event_missing`: the provider has a
 * later paid time than events proved.
 */
export type SubscriptionError = { code: string; message: string } & Record<string, unknown>

/** A row of which there may be one at a time for each member, or for each store. */
const oneOf = (name: string, owner: string, condition: string) => ({
  name,
  expression: `create unique index "${name}" on "subscriptions" ("${owner}") where ${condition}`,
})

const schema = defineEntity({
  name: 'Subscription',
  tableName: 'subscriptions',
  properties: {
    ...tenantRow,
    member_id: () => p.manyToOne(AudienceMember).mapToPk().deleteRule('restrict').joinColumn('member_id').nullable(),
    /** A plan of the setting STORE_PLANS; null for a membership. */
    plan_id: p.string().nullable(),
    /** The market whose price a store pays for its plan; null for a membership. */
    market: p.string().nullable(),
    /** Set for a membership. Prices and tiers are archived, never deleted. */
    tier_id: p.uuid().nullable(),
    price_id: p.uuid().nullable(),
    kind: p.enum(SubscriptionKind.options),
    status: p.enum(SubscriptionStatus.options),
    /** The provider's word for its state; null until an event said it. */
    billing_status: p.string().nullable(),
    /** The connected account; null: the platform's own. */
    provider_account_id: p.string().nullable(),
    provider_customer_id: p.string().nullable(),
    provider_subscription_id: p.string().nullable(),
    /** The price, and what a promo code takes off the first payment: minor units of the currency. */
    amount: p.bigint('number'),
    discount_amount: p.bigint('number').default(0),
    currency: p.string().length(3),
    interval: p.json<PriceInterval>().nullable(),
    promo_code: p.string().nullable(),
    /** The first payment that the subscriber has seen; null: the one when the page opens counts. */
    expected_total: p.bigint('number').nullable(),
    return_url: p.text().nullable(),
    /** The address that the provider's own page returns to without a payment; null if the page is a form in ours. */
    cancel_url: p.text().nullable(),
    /**
     * The address under which the member subscribed without owning it: the membership goes to its owner at their next
     * sign-in. Null for an owned one.
     */
    claimed_address: p.string().length(254).nullable(),
    /**
     * End of the paid time; Unix seconds, like all times but `hold_until`. Only signed `invoice.paid` events move it.
     */
    paid_through_at: p.bigint('number').nullable(),
    /** When its page is closed; null if it has none to close. */
    hold_until: p.datetime(3).nullable(),
    /** Its page has to be closed first: another price was chosen, or it was cancelled. */
    cancel_requested: p.boolean().default(false),
    cancel_at: p.bigint('number').nullable(),
    cancelled_by: p.enum(CancelledBy.options).nullable(),
    ended_at: p.bigint('number').nullable(),
    /** When the provider made the subscription event that was applied last: older events change nothing. */
    event_at: p.bigint('number').nullable(),
    /**
     * When an operator ended the membership at once: no time of this subscription is left, and later reports add none.
     */
    revoked_at: p.bigint('number').nullable(),
    /** The last second of access that a read of the provider allows, where the event of a payment is missing. */
    held_until: p.bigint('number').nullable(),
    /** When the provider was read last, and since when a read is wanted; null if none is. */
    read_at: p.bigint('number').nullable(),
    read_wanted_at: p.bigint('number').nullable(),
    /** When its invoices were read after its end, while its business was being deleted. */
    charges_read_at: p.bigint('number').nullable(),
    error: p.json<SubscriptionError>().nullable(),
  },
  checks: [
    {
      name: 'subscriptions_owner',
      expression: '(member_id is null) <> (plan_id is null) and (member_id is null) = (price_id is null)',
    },
    { name: 'subscriptions_amount', expression: 'amount >= 0 and discount_amount >= 0 and discount_amount <= amount' },
    { name: 'subscriptions_interval', expression: `(kind = 'recurring') = (interval is not null)` },
    { name: 'subscriptions_ended', expression: `(status = 'ended') = (ended_at is not null)` },
    { name: 'subscriptions_held', expression: `hold_until is null or status = 'pending'` },
  ],
  indexes: [
    { properties: ['member_id', 'created_at', 'id'] },
    { properties: ['tenant_id', 'plan_id', 'created_at', 'id'] },
    {
      name: 'subscriptions_claimed',
      expression: `
        create index "subscriptions_claimed" on "subscriptions" ("tenant_id", "claimed_address")
        where claimed_address is not null and status in ('live', 'ended')
      `,
    },
    oneOf('subscriptions_member', 'member_id', `member_id is not null and status in ('pending', 'live')`),
    oneOf('subscriptions_member_waiting', 'member_id', `member_id is not null and status = 'waiting'`),
    oneOf('subscriptions_store', 'tenant_id', `plan_id is not null and status in ('pending', 'live')`),
    oneOf('subscriptions_store_waiting', 'tenant_id', `plan_id is not null and status = 'waiting'`),
    {
      name: 'subscriptions_provider',
      expression: `
        create unique index "subscriptions_provider"
        on "subscriptions" (coalesce(provider_account_id, ''), "provider_subscription_id")
        where provider_subscription_id is not null
      `,
    },
    {
      name: 'subscriptions_customer',
      expression: `
        create index "subscriptions_customer"
        on "subscriptions" (coalesce(provider_account_id, ''), "provider_customer_id")
        where provider_customer_id is not null
      `,
    },
    {
      name: 'subscriptions_read',
      expression: `
        create index "subscriptions_read" on "subscriptions" ("read_wanted_at")
        where read_wanted_at is not null
      `,
    },
    {
      name: 'subscriptions_lapsed',
      expression: `
        create index "subscriptions_lapsed"
        on "subscriptions" (greatest(paid_through_at + 7200, created_at + 7200, read_at + 86400))
        where status = 'live' and kind = 'recurring' and provider_subscription_id is not null and read_wanted_at is null
      `,
    },
    {
      name: 'subscriptions_cancelling',
      expression: `
        create index "subscriptions_cancelling" on "subscriptions" ("updated_at")
        where status = 'live'
          and not (cancel_at is not null and (paid_through_at is null or cancel_at <= paid_through_at))
          and cancelled_by is not null
      `,
    },
    {
      name: 'subscriptions_attention',
      expression: `
        create index "subscriptions_attention" on "subscriptions" ("tenant_id")
        where status = 'live' and error ->> 'code' in ('price_mismatch', 'event_missing', 'not_readable')
      `,
    },
    {
      name: 'subscriptions_cancel_requested',
      expression: `
        create index "subscriptions_cancel_requested" on "subscriptions" ("id")
        where status = 'pending' and cancel_requested
      `,
    },
    {
      name: 'subscriptions_second',
      expression: `
        create index "subscriptions_second" on "subscriptions" ("updated_at")
        where status = 'given_up' and provider_subscription_id is not null
      `,
    },
    {
      name: 'subscriptions_page',
      expression: `create index "subscriptions_page" on "subscriptions" ("hold_until") where status = 'pending'`,
    },
  ],
})
export class Subscription extends schema.class {}
schema.setClass(Subscription)
