// Other things than were ordered: priced again as they are now, and the reservations moved with them, in the caller's transaction.
import type { EntityManager } from '@mikro-orm/postgresql'
import { statusAfterReplacement } from '../../rules/orders.ts'
import { invalid } from '../../rules/refusal.ts'
import type { ProductItem } from '../../rules/shapes.ts'
import { newId } from '../ids.ts'
import type { Order } from './order.ts'
import { OrderLine } from './order-line.ts'
import type { Payment } from './payment.ts'
import { mergedItems, priceCart } from './pricing.ts'
import { exchange } from './reservations.ts'

/**
 * Nothing of the order is captured, and nothing is left to be. A line of the same variant stays the same line; one that is not wanted any
 * more is cancelled; the order's own market, addresses and shipping method hold. Needs at least one item: without any it is a cancellation.
 */
export async function replaceItems(em: EntityManager, order: Order, payment: Payment, items: readonly ProductItem[], now: number): Promise<void> {
  const { tenant_id } = order
  const priced = await priceCart(
    em,
    {
      id: order.source_cart_id,
      tenant_id,
      contact_id: order.contact_id,
      status: 'ordered',
      market: order.market,
      product_items: [...items],
      booking_items: [],
      shipping_address: order.shipping_address ?? null,
      billing_address: order.billing_address ?? null,
      forms: order.forms,
      payment_method_key: payment.method_key ?? null,
      shipping_method_id: order.shipping_line?.shipping_method_id ?? null,
      pickup_location_id: order.pickup_location_id ?? null,
      promo_code: null,
    },
    { for_checkout: true },
  )
  const { money } = priced.quote
  // A card is charged by a checkout only.
  if (money.total > 0 && priced.payment_method?.type !== 'cash') throw invalid('/product_items', 'payment_method_required', 'There is no way to pay for them.')

  const lines = await em.find(OrderLine, { order_id: order.id, status: { $ne: 'cancelled' } }, { orderBy: { position: 'asc' } })
  const given = lines.flatMap(({ variant_id, allocations }) => allocations.map((one) => ({ ...one, variant_id })))
  const taken = await exchange(em, tenant_id, given, mergedItems(items))

  const status = order.status === 'pending' ? ('pending' as const) : ('confirmed' as const)
  for (const [position, { id: _, ...line }] of priced.lines.entries()) {
    const allocations = taken.filter(({ variant_id }) => variant_id === line.variant_id).map(({ location_id, quantity }) => ({ location_id, quantity }))
    const now_ = { ...line, position, allocations, taxable: priced.taxable.get(line.variant_id) ?? true, updated_at: now }
    const known = lines.find(({ variant_id }) => variant_id === line.variant_id)
    if (known) em.assign(known, now_)
    else em.create(OrderLine, { ...now_, id: newId(), tenant_id, created_at: now, order_id: order.id, status })
  }
  const dropped = lines.filter(({ variant_id }) => !priced.lines.some((line) => line.variant_id === variant_id))
  for (const line of dropped) em.assign(line, { status: 'cancelled', allocations: [], updated_at: now })

  em.assign(order, {
    money,
    shipping_line: priced.shipping_line,
    status: statusAfterReplacement(order.status, { dropped: dropped.length, kept: priced.lines.length }),
    fulfillment_status: priced.lines.some(({ requires_shipping }) => requires_shipping) ? 'unfulfilled' : 'none',
  })
  const free = money.total === 0
  em.assign(payment, {
    amount: money.total,
    type: free ? 'none' : 'cash',
    status: free ? 'paid' : 'pending',
    paid_at: free ? now : null,
    updated_at: now,
  })
}
