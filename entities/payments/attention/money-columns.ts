// The columns of every item about money, and whose rows a list of them reads.
import { type Sql, sql, text } from '../../kit/database/sql.ts'
import { effectFacts, recordedAt, unknownSince } from '../../kit/effect-columns.ts'

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
export function within(scope: MoneyScope, alias: string, plan: Sql): Sql {
  if (scope === 'plans') return plan
  if ('plan_of' in scope) return sql`${text(alias)}.tenant_id = ${scope.plan_of} and ${plan}`
  const own = 'tenant' in scope ? sql`= ${scope.tenant}` : sql`= any (${scope.tenants})`
  return sql`${text(alias)}.tenant_id ${own} and not ${plan}`
}

/** The columns of every part, in this order. */
export const row = (
  o: Record<'id' | 'tenant' | 'kind' | 'status' | 'since', Sql> & Partial<Record<string, Sql>>,
): Sql => {
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
      ${o.evidence ?? none}::jsonb as evidence, ${o.late_evidence ?? none}::jsonb as late_evidence,
      ${o.resolution ?? none}::jsonb as resolution, ${o.superseded ?? sql`false`}::boolean as superseded,
      ${o.sent_at ?? none}::float8 as sent_at, ${o.settled_at ?? none}::float8 as settled_at,
      ${o.at ?? none}::float8 as at
  `
}

/** The columns that a row `alias` of an effect has. */
export const ofEffect = (alias: string) => ({
  ...effectFacts(alias),
  id: text(`${alias}.id`),
  tenant: text(`${alias}.tenant_id`),
  since: unknownSince(`${alias}.`),
  at: recordedAt(`${alias}.`),
})

/**
 * Whether `alias.subscription_id` is a store's plan. A subquery for each row, never a join, which would read all
 * subscriptions.
 */
export const ofPlan = (alias: string): Sql =>
  text(`coalesce(
    (
      select v.plan_id is not null
      from subscriptions v
      where v.id = ${alias}.subscription_id and v.tenant_id = ${alias}.tenant_id
    ),
    false
  )`)
