// Booking rows written directly, for tests that need existing bookings and not the checkout that creates them.
//   const bookings = await bookAhead(shop, { service_id, provider_id }, ['pending', 'confirmed'])
//   await bookings.end()   → moves them into the past
import { newId } from '../../../entities/kit/ids.ts'
import { cash, order, product } from '../orders/buying.ts'
import { database, type Shop } from '../shop.ts'

type Pair = { service_id: string; provider_id: string }

/** One booking of each status, for tomorrow, each on an order of its own. */
export async function bookAhead(shop: Shop, { service_id, provider_id }: Pair, statuses: string[]) {
  const sold = await product(shop, { requires_shipping: false })
  const { order_id } = await order(shop, [sold.item()], cash)
  const from = Math.floor(Date.now() / 1000) + 86_400
  const slot = { from, to: from + 3600 }
  for (const [position, status] of statuses.entries())
    await database().query(
      `insert into order_bookings (id, created_at, updated_at, tenant_id, order_id, ordered_at, position, service_id, provider_id, service_key, provider_key, slots, starts_at, ends_at,
         quantity, unit_price, subtotal, discount, tax, total, status)
       values ($1, 1, 1, $2, $3, (select created_at from orders where id = $3 and tenant_id = $2), $4, $5, $6, 's', 'p', $7, $8, $9, 1, 0, 0, 0, 0, 0, $10)`,
      [
        newId(),
        shop.store_id,
        order_id,
        position,
        service_id,
        provider_id,
        JSON.stringify([slot]),
        slot.from,
        slot.to,
        status,
      ],
    )
  return {
    end: () =>
      database().query('update order_bookings set starts_at = 1, ends_at = 2 where tenant_id = $1 and order_id = $2', [
        shop.store_id,
        order_id,
      ]),
  }
}
