// A cart becomes an order in one transaction of three phases, or nothing changes: the locked cart is priced and
// checked; stock, booked time and the use of a promo code are reserved; the order is written and numbered
// (order-creation.ts).
import type { EntityManager } from '@mikro-orm/postgresql'
import { formatMoney } from '../../rules/payments/currencies.ts'
import { conflict, invalid, notFound } from '../../rules/refusal.ts'
import { type CartRow, lockCart } from '../carts/carts.ts'
import { bookingQuote, priceCart, stockOf } from '../carts/pricing.ts'
import { sql } from '../kit/database/sql.ts'
// Backwards: a checkout by card is refused without an account that may charge it.
import { chargingAccount } from '../payments/charging-account.ts'
import { countUse } from '../promotions/redemptions.ts'
import { moveBookedTime } from '../scheduling/booked-time.ts'
import type { Checkout, CheckoutQuote, CheckoutReservation, CheckoutResult } from './checkout-phases.ts'
import { writeOrder } from './order-creation.ts'
import { reserve } from './reservations.ts'

type ExistingOrder = {
  id: string
  number: number
  status: string
  module: string | null
  next_cart_id: string | null
  method_key: string | null
  has_session: boolean
  paid: boolean
}

/** An order with a `module` is a booking of the business surface, which has no next cart. */
export const checkoutCancelled = ({
  id,
  module,
  next_cart_id = null,
}: {
  id: string
  module?: string | null
  next_cart_id?: string | null
}) =>
  conflict(
    'checkout_cancelled',
    module
      ? `The ${module} of this request was cancelled. A new request books again.`
      : 'The order of this cart was cancelled.',
    {
      members: { order_id: id, cart_id: next_cart_id },
    },
  )

/** The refusal of an unexpected total. 409 total_changed with the present quote. Totals in minor units. */
export const totalChanged = (
  expected: number,
  { total, currency }: { total: number; currency: string },
  quote: object,
) => {
  const [now, before] = [formatMoney(total, currency), formatMoney(expected, currency)]
  return conflict('total_changed', `The total is ${now} now, not ${before}. Nothing was ordered or charged.`, {
    members: { quote },
  })
}

/**
 * Answers a checkout of a cart that was checked out before: the same answer, or 409 if its order was cancelled, or is
 * paid by another method than `methodKey`. An order whose total is 0 has no method, and any may be sent.
 */
async function repeatCheckout(
  em: EntityManager,
  tenantId: string,
  cartId: string,
  methodKey: string | undefined,
): Promise<CheckoutResult> {
  const rows: ExistingOrder[] = await em.execute(sql`
    select o.id, o.number, o.status, o.module, o.next_cart_id, p.method_key, s.id is not null as has_session,
      p.status = 'paid' as paid
    from orders o
    join payments p on p.order_id = o.id and p.tenant_id = o.tenant_id
    left join payment_sessions s on s.order_id = o.id and s.tenant_id = o.tenant_id
    where o.tenant_id = ${tenantId} and o.source_cart_id = ${cartId}
  `)
  const order = rows[0]
  if (!order) throw notFound('order')
  if (order.status === 'cancelled') throw checkoutCancelled(order)
  const method = order.method_key
  if (methodKey !== undefined && method !== null && methodKey !== method) {
    const members = { order_id: order.id }
    if (order.has_session && !order.paid)
      throw conflict(
        'payment_in_progress',
        'The order waits for its payment, and cannot be paid in another way meanwhile.',
        { members },
      )
    throw conflict('cart_ordered', 'The cart was checked out already. Its way to pay cannot be changed any more.', {
      members,
    })
  }
  return { order_id: order.id, number: order.number, payment: null, awaits_card: order.has_session && !order.paid }
}

/** Checks that the checkout may be paid by card. 422 if this checkout may not be paid by card. */
function checkCard({ booking, return_url }: Checkout): void {
  if (booking && !booking.pays_by_card)
    throw invalid(
      '/payment_method_key',
      'payment_method_required',
      'This cannot be paid by card. Choose another way to pay.',
    )
  if (!return_url && !booking)
    throw invalid('/return_url', 'return_url_required', 'A card payment needs the address to come back to.')
}

/** Prices the cart and checks the request against its price. 409 total_changed; 422 as pricing and the payment say. */
async function quoteFor(em: EntityManager, request: Checkout, cart: CartRow): Promise<CheckoutQuote> {
  const { tenant_id, booking, expected_total } = request
  const options = {
    payment_method_key: request.payment_method_key,
    books_private: request.by === null,
    now: request.now,
  }
  const priced = await priceCart(em, cart, { ...options, for_checkout: true })
  if (!booking && priced.approval_hours !== null)
    throw invalid(
      '/booking_items',
      'approval_required',
      'A service of the cart has to be approved. Ask for it as a booking or a reservation.',
    )
  const { total } = priced.quote.money
  if (expected_total !== undefined && expected_total !== total) {
    const present = await priceCart(em, cart, { ...options, for_checkout: false })
    throw totalChanged(expected_total, priced.quote.money, booking ? bookingQuote(present) : present.quote)
  }
  const payment_type = total === 0 ? 'none' : (priced.payment_method?.type ?? 'none')
  const isCard = payment_type === 'card'
  if (isCard) checkCard(request)
  return { cart, priced, payment_type, account_id: isCard ? await chargingAccount(em, tenant_id) : null }
}

/**
 * Reserves stock, then booked time, then a use of the promo code. 409 out_of_stock, slot_taken; 422 as promo codes say.
 */
async function reserveFor(
  em: EntityManager,
  { tenant_id }: Checkout,
  { cart, priced }: CheckoutQuote,
): Promise<CheckoutReservation> {
  const allocations = await reserve(em, tenant_id, stockOf(priced.lines, cart.pickup_location_id))
  await moveBookedTime(em, tenant_id, priced.timezone, [], priced.times)
  const address = priced.promo ? await countUse(em, tenant_id, priced.promo, cart.contact_id) : null
  return { allocations, address }
}

/**
 * Makes the order of a cart; twenty concurrent calls create one. Locks: session, cart, the store's zone, inventory,
 * schedule, promo code, the order's number.
 */
export async function checkOut(em: EntityManager, request: Checkout): Promise<CheckoutResult> {
  const { tenant_id, cart_id, booking, payment_method_key } = request
  const cart = request.cart ?? (await lockCart(em, tenant_id, request.by, cart_id))
  if (!cart) throw notFound('cart')
  // A booking of another method under the same key is another payload, which its route refuses.
  if (cart.status === 'ordered') return repeatCheckout(em, tenant_id, cart_id, booking ? undefined : payment_method_key)

  const quote = await quoteFor(em, request, cart)
  const reservation = await reserveFor(em, request, quote)
  return writeOrder(em, request, quote, reservation)
}
