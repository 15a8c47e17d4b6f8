// Cash checkout of a slot through the business surface, each by another visitor.
import { digest } from '../../api/kit/caller.ts'
import { type BusinessSalon, openBusinessSalon } from '../kit/business-salon.ts'
import { json, lanesOf, type Path } from '../kit/path.ts'

let salon: Promise<BusinessSalon> | undefined

export const bookingBusiness: Path = {
  name: 'booking-business',
  floor: 'statements',
  target: { sql: 10, like: 'booking-checkout', alike: 0.9 },
  once: 4000,
  async lanes(shop, clients, each) {
    salon ??= openBusinessSalon(shop, 'bench-cut', 80)
    const { id, take, visitors } = await salon
    const free = take(clients * each)
    return lanesOf(await visitors(free.length), clients, ({ contact_id, session_id, token, headers }, at) => {
      const { date, item } = free[at] as (typeof free)[number]
      const times = item.slots.flatMap(({ from, to }) => [String(from), String(to)])
      return {
        method: 'POST',
        path: `/v1/businesses/${id}/bookings/checkout`,
        headers: json(headers),
        body: JSON.stringify({ items: [item], paymentMethodId: 'cash' }),
        own: [contact_id, session_id, digest(token), item.providerId, date, ...times],
      }
    })
  },
}
