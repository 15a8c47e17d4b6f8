// What the workflow of a checkout does next, read from its rows.
import type { EntityManager } from '@mikro-orm/postgresql'
import { type CheckoutFacts, type CheckoutStep, nextCheckoutStep } from '../../rules/orders/checkout.ts'
import { start } from '../kit/outbox.ts'
import { sql } from '../kit/sql.ts'

type FactsRow = Omit<CheckoutFacts, 'session' | 'expiry'> & {
  session_id: string
  session_status: CheckoutFacts['session']['status']
  state: CheckoutFacts['session']['state']
  known: boolean
  expiry_id: string | null
  expiry_status: CheckoutFacts['session']['status'] | null
}

/** What the checkout of this order does next (rules/orders/checkout.ts); `outcome` is how its session ended. */
export async function checkoutStep(em: EntityManager, orderId: string): Promise<CheckoutStep & { outcome: CheckoutFacts['session']['status'] }> {
  const [row]: FactsRow[] = await em.execute(
    sql`select case o.status when 'pending' then 'pending' when 'cancelled' then 'given_up' else 'kept' end as owner, o.cancel_requested, p.status as payment_status,
       coalesce((extract(epoch from o.hold_until - clock_timestamp()) * 1000)::float8, 0) as hold_left_ms,
       s.id as session_id, s.status as session_status, s.state, s.provider_session_id is not null as known, e.id as expiry_id, e.status as expiry_status
     from orders o join payments p on p.order_id = o.id and p.tenant_id = o.tenant_id join payment_sessions s on s.order_id = o.id and s.tenant_id = o.tenant_id
     left join session_expiries e on e.payment_session_id = s.id and e.tenant_id = s.tenant_id where o.id = ${orderId}`,
  )
  if (!row) return { do: 'done', outcome: 'failed' }
  const { session_id, session_status, state, known, expiry_id, expiry_status, ...facts } = row
  const step = nextCheckoutStep({
    ...facts,
    hold_left_ms: Math.ceil(facts.hold_left_ms),
    session: { id: session_id, status: session_status, state, known },
    expiry: expiry_id && expiry_status ? { id: expiry_id, status: expiry_status } : null,
  })
  return { ...step, outcome: session_status }
}

/** Signals the workflow of a checkout to read its rows again. */
export const wakeCheckout = (em: EntityManager, order: { id: string; tenant_id: string }, awaited = false) =>
  start(em, 'checkout', order.id, { tenant_id: order.tenant_id, awaited, again: true })

/**
 * Orders that their workflow should have released `graceS` seconds ago: their hold has expired, or an operator cancelled them. Of all tenants; each row names its
 * own.
 */
export const overdueCheckouts = (em: EntityManager, graceS: number, limit: number): Promise<{ id: string; tenant_id: string }[]> =>
  em.execute(
    sql`select id, tenant_id from orders where status = 'pending' and (hold_until < clock_timestamp() - make_interval(secs => ${graceS})
       or cancel_requested and updated_at < extract(epoch from clock_timestamp()) - ${graceS}) order by hold_until limit ${limit}`,
  )
