// Cash checkout of two products and a slot, with a promo code that all orders use: they contend for the row of the
// code.
import { client } from '../../client/client.ts'
import { addDays, localDateOf } from '../../rules/scheduling/scheduling.ts'
import { lanesOf, type Path } from '../kit/path.ts'
import { openSalon } from '../kit/salon.ts'
import type { Shop } from '../kit/shop.ts'
import { checkout } from '../orders/cash-checkout.ts'

type Free = { service_id: string; provider_id: string; date: string; from: number; to: number }

/**
 * Slots of eighty providers in turn: if the number of clients divides eighty, no two clients book the same provider at
 * once.
 */
async function ready(shop: Shop) {
  const call = client({ base: shop.api, headers: shop.operator })
  const { id, code } = await call('POST /v1/stores/{storeId}/promo-codes', {
    path: { storeId: shop.store_id },
    body: { code: 'BENCH10', discounts: [{ type: 'items_percentage', market_key: 'us', bps: 1000 }], conditions: [] },
  })
  const { service_id } = await openSalon(shop, shop.store_id, 80)
  for (const shared of [id, service_id]) shop.shared.add(shared)
  const today = localDateOf(Math.floor(Date.now() / 1000), 'UTC')
  const { providers } = await call('GET /v1/stores/{storeId}/services/availability', {
    path: { storeId: shop.store_id },
    query: { service_id, from: addDays(today, 2), to: addDays(today, 40) },
  })
  const each = providers.map(({ provider_id, days }) =>
    days.flatMap(({ date, slots }) => slots.map(({ from, to }): Free => ({ service_id, provider_id, date, from, to }))),
  )
  const free = (each[0] ?? []).flatMap((_, n) => each.flatMap((slots) => slots[n] ?? []))
  return { code, take: (count: number) => free.splice(0, count) }
}

let salon: ReturnType<typeof ready> | undefined

export const bookingCheckout: Path = {
  name: 'booking-checkout',
  floor: 'statements',
  target: { per_s: 100, sql: 20 },
  once: 4000,
  async lanes(shop, clients, each) {
    salon ??= ready(shop)
    const { code, take } = await salon
    const booked = take(clients * each)
    if (booked.length < clients * each) throw new Error('The salon has no free slots left.')
    const buyers = await shop.buyers(booked.length, (n) => {
      const { service_id, provider_id, from, to } = booked[n] as Free
      return { booking_items: [{ service_id, provider_id, slots: [{ from, to }] }], promo_code: code }
    })
    return lanesOf(buyers, clients, (buyer, at) => {
      const { provider_id, date, from, to } = booked[at] as Free
      const ask = checkout(buyer, { payment_method_key: 'cash' })
      return { ...ask, own: [...ask.own, provider_id, date, String(from), String(to)] }
    })
  },
}
