// Disputes that wait for an answer, in the list of everything that a person has to do.
import { type DisputeFacts, disputeItem } from '../../../rules/payments/attention.ts'
import { attends } from '../../kit/attention.ts'
import { sql } from '../../kit/database/sql.ts'
import { ofPlan } from './money-columns.ts'

/** Disputes to be answered; the platform answers those of plans. */
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
