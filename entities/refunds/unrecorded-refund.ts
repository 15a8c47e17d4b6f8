// A refund that was made at the provider and did not fit: a process before 0.2 recorded it in the error of its payment
// alone. Every count of the payment writes that error again, so each records the refund first.
import type { EntityManager } from '@mikro-orm/postgresql'
import { insertSelect } from '../kit/database/insert.ts'
import { sql } from '../kit/database/sql.ts'
import { newId } from '../kit/ids.ts'
import { Refund } from './refund.ts'

/** Makes the refund a row. That error does not say whether the refund succeeded. */
export async function recordRefund(
  em: EntityManager,
  { id: paymentId, tenant_id }: { id: string; tenant_id: string },
): Promise<void> {
  const id = newId()
  const refund = insertSelect(em, Refund, {
    id,
    tenant_id: sql`p.tenant_id`,
    created_at: sql`p.updated_at`,
    updated_at: sql`p.updated_at`,
    refund_id: id,
    order_id: sql`p.order_id`,
    subscription_id: sql`p.subscription_id`,
    payment_id: sql`p.id`,
    amount: sql`recorded_refund.amount`,
    currency: sql`p.currency`,
    origin: 'provider',
    provider_account_id: sql`p.provider_account_id`,
    provider_refund_id: sql`p.error ->> 'provider_refund_id'`,
    fingerprint: '',
    status: 'unknown',
    sent_at: sql`to_timestamp(p.updated_at)`,
    settled_at: sql`to_timestamp(p.updated_at)`,
    evidence: sql`jsonb_build_object('provider_refund_id', p.error ->> 'provider_refund_id')`,
    error: {
      code: 'outcome_unknown',
      message: 'It was made at the provider, and whether it succeeded was not recorded.',
    },
  })
  await em.execute(sql`
    ${refund}
    from payments p,
      lateral (
        select substring(p.error ->> 'message' from 'refunded ([0-9]+),')::bigint as amount
        where p.id is not null
      ) recorded_refund
    where p.id = ${paymentId} and p.tenant_id = ${tenant_id} and recorded_refund.amount > 0
    on conflict do nothing
  `)
}
