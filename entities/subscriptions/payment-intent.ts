// The provider's payment of an invoice, which its signed events do not name: it is read at the provider and recorded once.
import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from '../kit/sql.ts'

/** Records the payment intent that paid a payment's invoice, unless one is recorded. */
export async function recordIntent(em: EntityManager, { id, tenant_id }: { id: string; tenant_id: string }, intent: string): Promise<void> {
  await em.execute(
    sql`update payments set provider_payment_id = ${intent}, updated_at = extract(epoch from clock_timestamp())::bigint
       where id = ${id} and tenant_id = ${tenant_id} and provider_payment_id is null`,
  )
}
