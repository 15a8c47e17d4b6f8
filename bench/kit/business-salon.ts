// A salon of the business `old-town`: a service of many providers, half an hour at a time, and the free slots of a
// month, of all providers in turn.
import { client } from '../../client/client.ts'
import type { BookingItem } from '../../rules/carts/items.ts'
import { type Buyer, insertBuyers, type Shop } from './shop.ts'

type Free = { date: string; item: { serviceId: string; providerId: string; slots: BookingItem['slots'] } }
export type BusinessSalon = { id: string; take(count: number): Free[]; visitors(count: number): Promise<Buyer[]> }

const days = ['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY', 'SUNDAY'] as const

/** If the number of clients divides that of the providers, no two clients book the same provider at once. */
export async function openBusinessSalon(
  shop: Shop,
  key: string,
  providers: number,
  isApprovalRequired = false,
): Promise<BusinessSalon> {
  const { api, operator, business_id: businessId } = shop
  const call = client({ base: api, headers: operator })
  const path = { businessId }
  const { publishableKey } = await call('GET /v1/businesses/{businessId}', { path })
  const prices = [{ market: 'booking', amount: 4500 }]
  const { id: serviceId } = await call('POST /v1/businesses/{businessId}/services', {
    path,
    body: { key, prices, isApprovalRequired },
  })
  for (let n = 0; n < providers; n++) {
    const { id: providerId } = await call('POST /v1/businesses/{businessId}/providers', {
      path,
      body: { key: `${key}-${n}` },
    })
    const workingDays = days.map((day) => ({ day, workingHours: [{ from: 600, to: 1020 }] }))
    await call('POST /v1/businesses/{businessId}/service-providers', {
      path,
      body: { serviceId, providerId, workingDays, specificDates: [], slotInterval: 30 },
    })
  }
  const month = new Date(Date.now() + 40 * 86_400_000).toISOString().slice(0, 7)
  const { providers: found } = await call('GET /v1/businesses/{businessId}/bookings/availability', {
    path,
    query: { serviceId, month },
  })
  const each = found.map(({ providerId, days }) =>
    days.flatMap(({ date, slots }) =>
      slots.map(({ from, to }): Free => ({ date, item: { serviceId, providerId, slots: [{ from, to }] } })),
    ),
  )
  const free = (each[0] ?? []).flatMap((_, n) => each.flatMap((slots) => slots[n] ?? []))
  for (const shared of [businessId, serviceId]) shop.shared.add(shared)
  return {
    id: businessId,
    take(count) {
      if (free.length < count) throw new Error('The salon has no free slots left.')
      return free.splice(0, count)
    },
    visitors: (count) => insertBuyers({ ...shop, store_id: businessId, key: publishableKey, items: () => [] }, count),
  }
}
