// The approval of a booking, from the request to the captured payment. Each booking is authorised before, and approved
// once.
import { setTimeout as pause } from 'node:timers/promises'
import { client } from '../../client/client.ts'
import { type BusinessSalon, openBusinessSalon } from '../kit/business-salon.ts'
import { json, lanesOf, type Path } from '../kit/path.ts'
import type { Shop } from '../kit/shop.ts'

let salon: Promise<BusinessSalon> | undefined

/** Bookings whose card is authorised at the simulator, made by eight visitors at a time. */
async function authorized(
  { api, stripe, operator }: Shop,
  { id: businessId, take, visitors }: BusinessSalon,
  count: number,
): Promise<string[]> {
  const path = { businessId }
  const wanted = (await visitors(count)).map(({ headers }, at) => ({ headers, item: take(1)[0]?.item, at }))
  const ids: string[] = []
  const next = async (): Promise<void> => {
    for (let one = wanted.pop(); one?.item; one = wanted.pop()) {
      const body = { items: [one.item], paymentMethodId: 'credit_card' }
      const { booking, paymentAction } = await client({ base: api, headers: one.headers })(
        'POST /v1/businesses/{businessId}/bookings/checkout',
        { path, body },
      )
      const session = 'clientSecret' in paymentAction && paymentAction.clientSecret.split('_secret_')[0]
      await fetch(`${stripe}/_sim/checkout_sessions/${session}/pay`, {
        method: 'POST',
        headers: json({}),
        body: '{"outcome":"succeeded"}',
      })
      ids[one.at] = booking.id
    }
  }
  await Promise.all(Array.from({ length: 8 }, next))
  const call = client({ base: api, headers: operator })
  for (const id of ids) {
    let tries = 0
    while (
      (await call('GET /v1/businesses/{businessId}/bookings/{id}', { path: { ...path, id } })).status !== 'AUTHORIZED'
    ) {
      if (++tries > 400) throw new Error('A booking was not authorised within 10 s.')
      await pause(25)
    }
  }
  return ids
}

export const approval: Path = {
  name: 'approval',
  floor: 'workflow',
  target: { like: 'refund', alike: 0.9 },
  once: 240,
  async lanes(shop, clients, each) {
    salon ??= openBusinessSalon(shop, 'bench-colour', 16, true)
    const found = await salon
    return lanesOf(await authorized(shop, found, clients * each), clients, (id) => ({
      method: 'PUT',
      path: `/v1/businesses/${found.id}/bookings/${id}`,
      headers: json(shop.operator),
      body: '{"status":"CONFIRMED"}',
    }))
  },
}
