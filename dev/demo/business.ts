// The part of `npm run demo` on the business surface: the nearest salon of a network, a request that has to be
// approved, and a refund without an id.
import { client } from '../../client/client.ts'
import { networkKey } from '../seed/business.ts'
import { type Callers, control, dollars, say, until } from './steps.ts'

type Stack = { api: string; stripe: string; temporal_ui: string | null; business_id: string }
type Sent = { effect: boolean; times: number }

/** In San Francisco, between the salon and the demo store. */
const here = JSON.stringify({ lat: 37.7946, lng: -122.3999, radius: 5 })

async function showNearest({ api }: Stack): Promise<void> {
  const anyone = client({ base: api })
  const hits = await until('the listings of the network', async () => {
    const { items } = await anyone('GET /v1/networks/{networkKey}/services', {
      path: { networkKey },
      query: { location: here, sortBy: 'distance' },
    })
    return items.length > 0 ? items : undefined
  })
  const nearest = hits.map(
    ({ name, business, price, distance }) => `${name} at ${business.name}, ${dollars(price ?? 0)}, ${distance} m`,
  )
  say(`The nearest salons of the network “${networkKey}”, over businesses and stores`, nearest.join('\n      '))
}

export async function showBusiness({ operator }: Callers, stack: Stack): Promise<void> {
  const { api, stripe, temporal_ui, business_id: businessId } = stack
  await showNearest(stack)
  const path = { businessId }
  const { publishableKey } = await operator('GET /v1/businesses/{businessId}', { path })
  const { items: services } = await operator('GET /v1/businesses/{businessId}/services', { path })
  const visitor = client({ base: api, publishableKey })
  const email = `ada-${crypto.randomUUID().slice(0, 8)}@tillwright.test`
  const month = new Date(Date.now() + 40 * 86_400_000).toISOString().slice(0, 7)

  const read = (id: string) => operator('GET /v1/businesses/{businessId}/bookings/{id}', { path: { ...path, id } })
  const decide = (id: string, status: 'CONFIRMED' | 'CANCELLED') =>
    operator('PUT /v1/businesses/{businessId}/bookings/{id}', { path: { ...path, id }, body: { status } })
  const reach = (id: string, wanted: string) =>
    until(`the payment is ${wanted}`, async () => {
      const found = await read(id)
      return found.payment.status === wanted ? found : undefined
    })
  const sent = async (intent: string | null, what: string) =>
    (await control<Sent[]>(stripe, `/ledger?path=/v1/payment_intents/${intent}/${what}`)).filter(({ effect }) => effect)
      .length

  /** Checks out the first free time by card, and pays at the simulator. */
  async function ask(wanted: string) {
    const service = services.find(({ key }) => key === wanted)
    if (!service) throw new Error(`The business has no service \`${wanted}\`.`)
    const { providers } = await visitor('GET /v1/businesses/{businessId}/bookings/availability', {
      path,
      query: { serviceId: service.id, month },
    })
    const chosen = providers.find(({ days }) => days.length > 0)
    const [slot] = chosen?.days[0]?.slots ?? []
    if (!chosen || !slot) throw new Error(`No slot is free in ${month}.`)
    const items = [{ serviceId: service.id, providerId: chosen.providerId, slots: [{ from: slot.from, to: slot.to }] }]
    const { booking, paymentAction } = await visitor('POST /v1/businesses/{businessId}/bookings/checkout', {
      path,
      body: { items, paymentMethodId: 'credit_card', email },
    })
    const page = 'clientSecret' in paymentAction ? paymentAction.clientSecret.split('_secret_')[0] : null
    await control(stripe, `/checkout_sessions/${page}/pay`, { outcome: 'succeeded' })
    return booking
  }

  const { id } = await ask('colour')
  const held = await reach(id, 'authorized')
  const by = held.decideBy ? new Date(held.decideBy * 1000).toISOString() : 'no time'
  say(
    'A visitor asks for a colouring by card: the amount is authorised, and nothing is charged',
    `booking ${held.number} ${held.status}, ${dollars(held.total)}, captured ${dollars(held.payment.capturedAmount)}; to be decided by ${by}`,
  )
  const approved = await decide(id, 'CONFIRMED')
  const { status, capturedAmount, providerPaymentId } = approved.payment
  say(
    'The operator approves it: the card is captured once',
    `booking ${approved.status}, payment ${status}, captured ${dollars(capturedAmount)}; captures at the provider: ${await sent(providerPaymentId, 'capture')}`,
  )
  if (temporal_ui)
    say('Its workflow in the Temporal UI', `${temporal_ui}/namespaces/default/workflows/checkout%2F${id}`)

  const { id: other } = await ask('colour')
  await reach(other, 'authorized')
  await decide(other, 'CANCELLED')
  const refused = await reach(other, 'cancelled')
  const { items: refunds } = await operator('GET /v1/businesses/{businessId}/orders/{orderId}/refunds', {
    path: { ...path, orderId: other },
  })
  const ends = ['capture', 'cancel'].map(
    async (what) => `${what}s: ${await sent(refused.payment.providerPaymentId, what)}`,
  )
  say(
    'Another one is refused: its authorisation is cancelled, and there is nothing to refund',
    `booking ${refused.status}, payment ${refused.payment.status}; at the provider ${(await Promise.all(ends)).join(', ')}; refunds: ${refunds.length}`,
  )

  const { id: cut } = await ask('cut')
  const { payment } = await reach(cut, 'paid')
  const refund = () =>
    operator('POST /v1/businesses/{businessId}/refund', { path, body: { entity: cut, amount: payment.capturedAmount } })
  const [first, second] = [await refund(), await refund()]
  const arrived = await control<Sent[]>(stripe, `/ledger?key=${first.id}`)
  say(
    'A haircut is bought and refunded twice without an id: it is one refund',
    `${dollars(first.amount)} ${first.status}; one record: ${first.id === second.id}; requests at the provider: ${arrived.length}`,
  )
}
