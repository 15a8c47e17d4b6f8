// What the workflow of a checkout does next, read from its rows: those of an order, or of a subscription.
import type { EntityManager } from '@mikro-orm/postgresql'
import { type CheckoutFacts, type CheckoutStep, nextCheckoutStep } from '../../rules/payments/checkout.ts'
import { isFar, isNear, nearUntil } from '../../rules/start-ahead.ts'
import { sql } from '../kit/database/sql.ts'
import { type LatePart, lateRows } from '../kit/late-rows.ts'
import { start, startFound } from '../kit/outbox.ts'
import type { Order } from '../orders/order.ts'

type FactsRow = Omit<CheckoutFacts, 'session' | 'expiry' | 'coupon'> & {
  approval_required: boolean
  session_id: string
  session_status: CheckoutFacts['session']['status']
  state: CheckoutFacts['session']['state']
  has_provider_id: boolean
  expiry_id: string | null
  expiry_status: CheckoutFacts['session']['status'] | null
  coupon: CheckoutFacts['coupon']
}

type Step = CheckoutStep & { outcome: CheckoutFacts['session']['status'] }

/**
 * A booking that has to be approved waits for the decision: in cash, free, or with its payment authorised. Null while
 * its page decides.
 */
async function undecidedStep(em: EntityManager, orderId: string): Promise<Step | null> {
  const [row]: { left_ms: number | null; has_page: boolean }[] = await em.execute(
    // What releaseCheckout keeps waits for nothing: a booking that was decided, or paid in cash.
    sql`
      select
        case
          when o.status <> 'pending' or p.type = 'cash' and p.status = 'paid' then null
          when o.cancel_requested and o.hold_until is not null then 0
          else (extract(epoch from o.hold_until - clock_timestamp()) * 1000)::float8
        end as left_ms,
        p.type = 'card' and p.status <> 'authorized' as has_page
      from orders o
      join payments p on p.order_id = o.id and p.tenant_id = o.tenant_id
      where o.id = ${orderId} and o.approval_required and (p.type <> 'card' or o.status = 'pending')
    `,
  )
  if (!row || row.has_page) return null
  const outcome = 'succeeded'
  // Until its time is near, the row waits (startDecisions).
  if (row.left_ms === null || isFar(row.left_ms)) return { do: 'done', outcome }
  return row.left_ms > 0
    ? { do: 'wait', wait_ms: Math.ceil(row.left_ms), for: 'hold', outcome }
    : { do: 'release', outcome }
}

/**
 * What the checkout of this order or subscription does next (rules/payments/checkout.ts); `outcome` is how its session
 * ended.
 */
export async function checkoutStep(em: EntityManager, ownerId: string): Promise<Step> {
  const [row]: FactsRow[] = await em.execute(
    // An operator's decision ends the hold of a booking: it is not released with its page any more.
    sql`
      select
        case
          when o.status = 'pending' and (o.hold_until is not null or o.cancel_requested) or u.status = 'pending'
            then 'pending'
          when o.status = 'cancelled' or u.status = 'given_up' then 'given_up'
          else 'kept'
        end as owner,
        coalesce(o.approval_required, false) as approval_required,
        coalesce(o.cancel_requested, u.cancel_requested) as cancel_requested, p.status as payment_status,
        coalesce(
          (extract(epoch from coalesce(o.hold_until, u.hold_until) - clock_timestamp()) * 1000)::float8, 0
        ) as hold_left_ms,
        s.id as session_id, s.status as session_status, s.state, s.provider_session_id is not null as has_provider_id,
        e.id as expiry_id, e.status as expiry_status,
        (
          select jsonb_build_object('id', c.id, 'status', c.status, 'at_provider', c.at_provider)
          from coupons c
          where c.tenant_id = u.tenant_id and c.subscription_id = u.id
        ) as coupon,
        exists (
          select 1
          from subscriptions w
          where w.tenant_id = u.tenant_id
            and w.status = 'waiting'
            and u.status in ('pending', 'live')
            and (w.member_id = u.member_id or w.plan_id is not null and u.plan_id is not null)
        ) as waiting
      from payment_sessions s
      join payments p on p.id = s.payment_id and p.tenant_id = s.tenant_id
      left join orders o on o.id = s.order_id and o.tenant_id = s.tenant_id
      left join subscriptions u on u.id = s.subscription_id and u.tenant_id = s.tenant_id
      left join session_expiries e on e.payment_session_id = s.id and e.tenant_id = s.tenant_id
      where s.order_id = ${ownerId} or s.subscription_id = ${ownerId}
    `,
  )
  // A checkout without a page may wait for an approval.
  const undecided = !row || row.approval_required ? await undecidedStep(em, ownerId) : null
  if (undecided) return undecided
  if (!row) return { do: 'done', outcome: 'failed' }
  const {
    approval_required: _,
    session_id,
    session_status,
    state,
    has_provider_id,
    expiry_id,
    expiry_status,
    ...facts
  } = row
  const step = nextCheckoutStep({
    ...facts,
    hold_left_ms: Math.ceil(facts.hold_left_ms),
    session: { id: session_id, status: session_status, state, has_provider_id },
    expiry: expiry_id && expiry_status ? { id: expiry_id, status: expiry_status } : null,
  })
  return { ...step, outcome: session_status }
}

/** Signals the workflow of a checkout to read its rows again. `owner`: the order, or the subscription. */
export const wakeCheckout = (em: EntityManager, owner: { id: string; tenant_id: string }, awaited = false) =>
  start(em, 'checkout', owner.id, { tenant_id: owner.tenant_id, awaited, signal: true })

/**
 * Signals the workflow that waits for the end of a hold. A booking that is decided days ahead has none: it waits in its
 * row.
 */
export const wakeHold = async (
  em: EntityManager,
  order: Pick<Order, 'id' | 'tenant_id' | 'hold_started'>,
): Promise<void> => {
  if (order.hold_started) await wakeCheckout(em, order)
}

/**
 * Reserves the booking until it has to be decided; a workflow waits for that only shortly before. `now` in Unix
 * seconds.
 */
export async function holdUntilDecided(em: EntityManager, order: Order, now: number): Promise<void> {
  if (order.decide_by == null) return
  const waited = order.hold_started
  em.assign(order, { hold_until: new Date(order.decide_by * 1000), hold_started: isNear(order.decide_by, now) })
  await em.flush()
  if (waited || order.hold_started) await wakeCheckout(em, order)
}

/**
 * Starts the workflows of at most `limit` bookings whose time to decide ends within minutes, each once, and returns how
 * many. `now` in Unix seconds. Covers all tenants.
 */
export async function startDecisions(em: EntityManager, limit: number, now: number): Promise<number> {
  const starts = await startFound(
    em,
    'checkout',
    // Orders that another transaction has locked are skipped: a later round finds them.
    sql`
      update orders
      set hold_started = true
      where id = any (
        array(
          select id
          from orders
          where approval_required
            and status = 'pending'
            and hold_until <= to_timestamp(${nearUntil(now)})
            and not hold_started
          order by hold_until
          limit ${limit}
          for update skip locked
        )
      )
      returning id, tenant_id
    `,
    { signal: true },
  )
  return starts.length
}

/**
 * Orders and subscriptions that their workflow should have released `graceS` seconds ago: their hold has expired, or
 * they were cancelled. Covers all tenants; each row names its own.
 */
const heldTooLong = ({ idleS }: LatePart) =>
  sql`x.status = 'pending' and x.hold_until < clock_timestamp() - make_interval(secs => ${idleS})`
const cancelledLong = ({ idleS }: LatePart) =>
  sql`x.status = 'pending' and x.cancel_requested and x.updated_at < extract(epoch from clock_timestamp()) - ${idleS}`
export const lateCheckouts = [sql`orders x`, sql`subscriptions x`].flatMap((from) => [
  lateRows({ from, at: 'x.hold_until', type: 'timestamptz', where: heldTooLong }),
  lateRows({ from, at: 'x.id', type: 'uuid', where: cancelledLong }),
])
