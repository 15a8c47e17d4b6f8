// The orders that the erasure of a tenant cancels and waits for.
import { sql } from '../kit/database/sql.ts'

/** The order has a payment page that may be paid, or that was paid and whose event has not arrived. */
export const isPayable = sql`
  status = 'pending'
  and exists (
    select 1
    from payment_sessions s
    join payments p on p.id = s.payment_id and p.tenant_id = s.tenant_id
    where s.order_id = orders.id
      and s.status not in ('rejected', 'failed')
      and coalesce(s.state, 'open') <> 'expired'
      and p.status in ('pending', 'processing')
  )
`
