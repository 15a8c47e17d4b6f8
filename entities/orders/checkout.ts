// A cart becomes an order in one transaction: priced, reserved, written, numbered; or nothing happened.
import type { EntityManager } from '@mikro-orm/postgresql'
import { config } from '../../config.ts'
import { fulfillmentOf } from '../../rules/orders/fulfillment.ts'
import type { PricedBooking } from '../../rules/orders/pricing.ts'
import { conflict, invalid, notFound } from '../../rules/refusal.ts'
import { newId } from '../kit/ids.ts'
import { start } from '../kit/outbox.ts'
import { moveBookedTime } from '../scheduling/booked-time.ts'
import { tell, wantedCondition, wantedValues } from '../webhooks/events.ts'
import { lockCart } from './carts.ts'
import { orderShown } from './order-events.ts'
import { mergedItems, priceCart } from './pricing.ts'
import { countUse } from './redemptions.ts'
import { refreshReminders } from './reminders.ts'
import { reserve } from './reservations.ts'

export type Checkout = {
  tenant_id: string
  contact_id: string
  cart_id: string
  verified: boolean
  payment_method_key: string | undefined
  return_url: string | undefined
  now: number
}

/** `payment` is the row of one that was made just now. */
export type CheckedOut = { order_id: string; number: number; payment: Record<string, unknown> | null; awaits_card: boolean }

type Existing = { id: string; number: number; status: string; next_cart_id: string | null; has_session: boolean; paid: boolean }

export const checkoutCancelled = (order_id: string, cart_id: string | null) =>
  conflict('checkout_cancelled', 'The order of this cart was cancelled.', { members: { order_id, cart_id } })

/** The cart was checked out before: the same answer, or 409 where its order was given up. */
async function again(em: EntityManager, tenantId: string, cartId: string): Promise<CheckedOut> {
  const rows: Existing[] = await em.execute(
    `select o.id, o.number, o.status, o.next_cart_id, s.id is not null as has_session, p.status = 'paid' as paid from orders o
     join payments p on p.order_id = o.id and p.tenant_id = o.tenant_id left join payment_sessions s on s.order_id = o.id and s.tenant_id = o.tenant_id
     where o.tenant_id = ? and o.source_cart_id = ?`,
    [tenantId, cartId],
  )
  const order = rows[0]
  if (!order) throw notFound('order')
  if (order.status === 'cancelled') throw checkoutCancelled(order.id, order.next_cart_id)
  return { order_id: order.id, number: order.number, payment: null, awaits_card: order.has_session && !order.paid }
}

/** The connected account that a card is charged on; 422 where there is none that may charge. */
async function providerAccount(em: EntityManager, tenantId: string): Promise<string> {
  const rows: { account_id: string | null; charges_enabled: boolean }[] = await em.execute(
    `select account_id, charges_enabled from payment_providers where tenant_id = ? and type = 'stripe'`,
    [tenantId],
  )
  const provider = rows[0]
  if (!provider?.account_id || !provider.charges_enabled)
    throw invalid('/payment_method_key', 'payment_provider_not_connected', 'The store has no payment provider that may charge cards yet.')
  return provider.account_id
}

/** API document 1, Carts, quotes and checkout; twenty at once are one order. Locks: cart, the store's zone, inventory, schedule, promo code, the order's number. */
export async function checkOut(em: EntityManager, c: Checkout): Promise<CheckedOut> {
  const cart = await lockCart(em, c.tenant_id, c.contact_id, c.cart_id)
  if (!cart) throw notFound('cart')
  if (cart.status === 'ordered') return again(em, c.tenant_id, c.cart_id)

  const priced = await priceCart(em, cart, { for_checkout: true, payment_method_key: c.payment_method_key, now: c.now })
  const { money } = priced.quote
  const type = money.total === 0 ? 'none' : (priced.payment_method?.type ?? 'none')
  if (type === 'card' && !c.return_url) throw invalid('/return_url', 'return_url_required', 'A card payment needs the address to come back to.')
  const account = type === 'card' ? await providerAccount(em, c.tenant_id) : null

  const allocations = await reserve(em, c.tenant_id, mergedItems(cart.product_items))
  await moveBookedTime(em, c.tenant_id, priced.timezone, [], priced.times)
  if (priced.promo) await countUse(em, c.tenant_id, priced.promo, c.contact_id)
  const [orderId, paymentId] = [newId(), newId()]
  const paid = type === 'none'
  const confirmed = paid && priced.auto_confirm_paid
  const lines = priced.lines.map((line, position) => ({
    ...line,
    id: newId(),
    position,
    taxable: priced.taxable.get(line.variant_id) ?? true,
    allocations: allocations.filter(({ variant_id }) => variant_id === line.variant_id).map(({ location_id, quantity }) => ({ location_id, quantity })),
  }))
  const status = confirmed ? ('confirmed' as const) : ('pending' as const)
  const bookings = bookingRows(priced.bookings)
  const fulfillment_status = fulfillmentOf({
    cancelled: false,
    lines: lines.map((line) => ({ ...line, status, shipped_quantity: 0 })),
    bookings: bookings.map(() => ({ status })),
  })

  // The store's counter is the last of all locks, held for this statement and the commit: everybody else of the store waits here.
  const made: (Record<string, unknown> & { number: number; told: boolean })[] = await em.execute(
    `with n as (update counters set value = value + 1 where tenant_id = ? and name = 'order' returning value),
     o as (insert into orders (id, tenant_id, created_at, updated_at, number, status, fulfillment_status, contact_id, verified, source_cart_id, payment_id, market, money,
        shipping_line, pickup_location_id, shipping_address, billing_address, forms, promo_code, version, hold_until, cancel_requested, paid_at, email)
      values (?, ?, ?, ?, (select value from n), ?, ?, ?, ? or exists (select 1 from contact_channels where tenant_id = ? and contact_id = ? and verified_at is not null), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1,
        case when ? then clock_timestamp() + make_interval(secs => ?) end, false, ?,
        (select address from contact_channels where tenant_id = ? and contact_id = ? and type = 'email' order by verified_at is null, created_at desc limit 1))),
     l as (insert into order_lines (id, tenant_id, created_at, updated_at, order_id, ordered_at, kind, position, product_id, variant_id, sku, name, requires_shipping, taxable, quantity,
        shipped_quantity, unit_price, subtotal, discount, tax, total, status, allocations)
      select id, ?, ?, ?, ?, ?, kind, position, product_id, variant_id, sku, name, requires_shipping, taxable, quantity, 0, unit_price, subtotal, discount, tax, total, ?, allocations
      from jsonb_to_recordset(?::jsonb) as x(id uuid, kind text, position int, product_id uuid, variant_id uuid, sku text, name text, requires_shipping boolean, taxable boolean,
        quantity int, unit_price bigint, subtotal bigint, discount bigint, tax bigint, total bigint, allocations jsonb)),
     b as (insert into order_bookings (id, tenant_id, created_at, updated_at, order_id, ordered_at, position, service_id, provider_id, service_key, provider_key, slots, starts_at, ends_at,
        quantity, unit_price, subtotal, discount, tax, total, status)
      select id, ?, ?, ?, ?, ?, position, service_id, provider_id, service_key, provider_key, slots, starts_at, ends_at, quantity, unit_price, subtotal, discount, tax, total, ?
      from jsonb_to_recordset(?::jsonb) as x(id uuid, position int, service_id uuid, provider_id uuid, service_key text, provider_key text, slots jsonb, starts_at bigint,
        ends_at bigint, quantity int, unit_price bigint, subtotal bigint, discount bigint, tax bigint, total bigint)),
     r as (insert into promo_redemptions (id, tenant_id, created_at, updated_at, promo_code_id, order_id) select ?, ?, ?, ?, x, ? from unnest(?::uuid[]) as x),
     p as (insert into payments (id, tenant_id, created_at, updated_at, order_id, type, method_key, status, currency, amount, captured_amount, refunded_amount,
        refund_pending_amount, refund_unknown_amount, provider, provider_account_id, paid_at)
      values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, 0, 0, 0, ?, ?, ?) returning *),
     c as (update carts set status = 'ordered', is_current = false, updated_at = ? where id = ? and tenant_id = ?)
     select p.*, n.value as number, ${wantedCondition} as told from p, n`,
    [
      ...[c.tenant_id, orderId, c.tenant_id, c.now, c.now, status, fulfillment_status, c.contact_id, c.verified, c.tenant_id, c.contact_id],
      ...[
        c.cart_id,
        paymentId,
        cart.market,
        JSON.stringify(money),
        priced.shipping_line ? JSON.stringify(priced.shipping_line) : null,
        cart.pickup_location_id,
      ],
      ...[
        jsonOrNull(cart.shipping_address),
        jsonOrNull(cart.billing_address),
        JSON.stringify(cart.forms),
        priced.promo?.code ?? null,
        type === 'card',
        config.checkoutHoldMinutes * 60,
      ],
      ...[paid ? c.now : null, c.tenant_id, c.contact_id],
      ...[c.tenant_id, c.now, c.now, orderId, c.now, status, JSON.stringify(lines)],
      ...[c.tenant_id, c.now, c.now, orderId, c.now, status, JSON.stringify(bookings)],
      ...[newId(), c.tenant_id, c.now, c.now, orderId, priced.promo ? `{${priced.promo.id}}` : '{}'],
      ...[
        paymentId,
        c.tenant_id,
        c.now,
        c.now,
        orderId,
        type,
        type === 'none' ? null : (priced.payment_method?.key ?? null),
        paid ? 'paid' : 'pending',
        money.currency,
        money.total,
      ],
      ...[type === 'card' ? 'stripe' : null, account, paid ? c.now : null, c.now, c.cart_id, c.tenant_id],
      ...wantedValues(c.tenant_id, 'order.created'),
    ],
  )
  if (!made[0]) throw new Error(`tenant ${c.tenant_id} has no order counter`)
  const { number, told, ...payment } = made[0]
  if (confirmed && bookings.length > 0) await refreshReminders(em, c.tenant_id, orderId, c.now)
  if (type === 'card') {
    await em.execute(
      `insert into payment_sessions (id, tenant_id, created_at, updated_at, order_id, payment_id, provider_account_id, return_url, amount, currency, status, fingerprint, attempt)
       values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'requested', '', 0)`,
      [newId(), c.tenant_id, c.now, c.now, orderId, paymentId, account, c.return_url, money.total, money.currency],
    )
    await start(em, 'checkout', orderId, { tenant_id: c.tenant_id, awaited: true })
  }
  if (told) await tell(em, 'order.created', [{ tenant_id: c.tenant_id, data: await orderShown(em, c.tenant_id, orderId) }], c.now)
  return { order_id: orderId, number, payment, awaits_card: type === 'card' }
}

/** The columns of a booking that come from its line. */
export const bookingRows = (bookings: readonly PricedBooking[]) =>
  bookings.map(({ kind: _, ...line }, position) => ({
    ...line,
    id: newId(),
    position,
    starts_at: Math.min(...line.slots.map(({ from }) => from)),
    ends_at: Math.max(...line.slots.map(({ to }) => to)),
  }))

const jsonOrNull = (value: unknown) => (value === null || value === undefined ? null : JSON.stringify(value))
