// The free slots of ten providers for a month, about 3,600. It must cost the same after 100,000 bookings.
import type { Path } from '../kit/path.ts'
import { fillSchedule, openSalon } from '../kit/salon.ts'
import { newStore, type Shop } from '../kit/shop.ts'

const dateIn = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)

async function ready(shop: Shop, past: number) {
  const store = await newStore(shop, `salon-${past}`)
  const salon = await openSalon(shop, store.id, 10)
  await fillSchedule(shop.db, store.id, salon, past)
  return {
    method: 'GET' as const,
    path: `/v1/storefront/services/availability?service_id=${salon.service_id}&from=${dateIn(1)}&to=${dateIn(30)}`,
    headers: { 'x-service-publishable-key': store.publishable_key },
  }
}

function pathOf(name: string, past: number, like?: string): Path {
  let ask: ReturnType<typeof ready> | undefined
  return {
    name,
    floor: 'statements',
    target: { per_s: 100, sql: 5, ...(like ? { like } : {}) },
    async lanes(shop, clients) {
      ask ??= ready(shop, past)
      const asked = await ask
      return Array.from({ length: clients }, () => [asked])
    },
  }
}

export const availability = pathOf('availability', 10)
export const availabilityLarge = pathOf('availability-100000', 100_000, availability.name)
