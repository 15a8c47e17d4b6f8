// The rule of access (rules/audiences/memberships.ts) as SQL: filters, codes and the sweep use the same condition as
// the API.
import type { BillingErrorCode } from '../../rules/subscriptions/billing-errors.ts'
import { type Condition, condition } from '../kit/database/condition.ts'
import { nothing, type Sql, sql, statementSecond, text } from '../kit/database/sql.ts'

/** Whether the row `alias` of audience_members grants access at `now`, Unix seconds. */
export const accessSql = (alias: string, now: number | Sql): Sql => sql`
  ${text(alias)}.status = 'active' and (${text(alias)}.access_until is null or ${text(alias)}.access_until >= ${now})
`

/** The rule `endsAsPaid` for the row `alias` of subscriptions or of audience_members. */
export const endsAsPaidSql = (alias: string): Sql => sql`
  (
    ${text(alias)}.cancel_at is not null
    and (${text(alias)}.paid_through_at is null or ${text(alias)}.cancel_at <= ${text(alias)}.paid_through_at)
  )
`

/** A condition of lists: rows whose `column` names a contact with access to the audience at this moment. */
export const membersOf = (audienceId: string, column = 'contact_id'): Condition =>
  condition(
    (rows) => sql`
      exists (
        select 1
        from audience_members am
        where am.tenant_id = ${rows}.tenant_id and am.contact_id = ${rows}.${text(column)}
          and am.audience_id = ${audienceId} and ${accessSql('am', statementSecond)}
      )
    `,
  )

/**
 * A condition of lists: members with access beyond the paid time at this moment, or all others. The rule `inGrace` of
 * rules/audiences/memberships.ts.
 */
export const inGraceSql = (yes: boolean): Condition =>
  condition(
    (rows) => sql`
      (
        ${rows}.status = 'active'
        and ${rows}.paid_through_at is not null
        and ${rows}.paid_through_at < ${statementSecond}
        and (${rows}.access_until is null or ${rows}.access_until >= ${statementSecond})
      ) ${yes ? nothing : text('is not true')}
    `,
  )

/** A condition of lists: members whose subscription has the error of this code, as they show it (`billingErrorOf`). */
export const billingErrorSql = (code: BillingErrorCode): Condition =>
  condition(
    (rows) => sql`
      exists (
        select 1
        from subscriptions s
        where s.tenant_id = ${rows}.tenant_id and s.member_id = ${rows}.id and s.status = 'live'
          and s.error ->> 'code' = ${text(`'${code}'`)}
          ${code === 'payment_failed' ? sql`and ${rows}.billing_status in ('past_due', 'unpaid')` : nothing}
      )
    `,
  )

/**
 * Memberships that grant the contact `audience_percentage` discounts, as JSON; a subselect of a promo code `c`. Of an
 * order, those that the contact had when it redeemed the code: what was granted at checkout stays.
 */
export const membershipsOf = (contactId: string, orderId: string | undefined, now: number): Sql => {
  const of = sql`
    select jsonb_agg(jsonb_build_object('audience_id', m.audience_id, 'tier_id', m.tier_id, 'price_id', m.price_id))
    from audience_members m
    where m.tenant_id = c.tenant_id and m.contact_id = ${contactId}
  `
  if (orderId === undefined) return sql`${of} and ${accessSql('m', now)}`
  return sql`
    ${of}
    and exists (
      select 1
      from promo_redemptions r
      where r.tenant_id = c.tenant_id
        and r.order_id = ${orderId}
        and r.promo_code_id = c.id
        and m.joined_at <= r.created_at
        and (m.ended_at is null or m.ended_at >= r.created_at)
        and (m.access_until is null or m.access_until >= r.created_at)
    )
  `
}
