// A business with a service that has to be approved: bookings by card are authorised at the simulator, and then
// decided.
//   const desk = await approvals()
//   const { id, intent } = await desk.authorized()
//   await desk.put(id, { status: 'CONFIRMED' })

import { newSalon, type Salon } from '../business.ts'
import { ledger, pay, until } from '../orders/buying.ts'
import { type Answer, database, type Shop, type Visitor } from '../shop.ts'
import { type Bookable, bookable, dateIn, type Slot } from './booking.ts'

type Asked = { id: string; session: string; visitor: Visitor }
export type Approvals = {
  shop: Shop
  /** At the provider. */
  account: string
  cut: Bookable
  /** A slot that no other test takes. */
  next(): Slot
  /** A slot of tomorrow: before the end of the time to decide. */
  soon: Slot
  op: Salon['op']
  as: Salon['as']
  put(id: string, body: object): Promise<Answer>
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  read(id: string): Promise<any>
  intentOf(id: string): Promise<string>
  /** How often the provider captured or cancelled it. */
  sent(intent: string, what: 'capture' | 'cancel'): Promise<number>
  request(method?: string, slot?: Slot): object
  /** Requested by a new visitor, with an open payment form. */
  asked(): Promise<Asked>
  authorized(): Promise<Asked & { intent: string }>
}

export async function approvals(): Promise<Approvals> {
  const salon = await newSalon({ approval_hours: 48 })
  const { shop, account } = salon
  const cut = await bookable(shop, { prices: [{ market: 'booking', amount: 3000 }] })
  const slots = await cut.free(dateIn(3), dateIn(12))
  const [tomorrow] = await cut.free(dateIn(1))
  if (!tomorrow) throw new Error('tomorrow has no slot')
  await database().query('update services set is_approval_required = true where id = $1', [cut.service_id])
  await salon.open()

  const desk: Approvals = {
    ...{ shop, account, cut, op: salon.op, as: salon.as },
    soon: { from: tomorrow.from, to: tomorrow.to },
    next() {
      const slot = slots.shift()
      if (!slot) throw new Error('no slot is left')
      return { from: slot.from, to: slot.to }
    },
    put: (id, body) => desk.op('PUT', `/bookings/${id}`, body),
    read: async (id) => (await desk.op('GET', `/bookings/${id}`)).body,
    intentOf: async (id) => (await desk.read(id)).payment.providerPaymentId,
    sent: async (intent, what) =>
      (await ledger(account, `/v1/payment_intents/${intent}/${what}`)).filter(({ effect }) => effect).length,
    request: (method = 'credit_card', slot = desk.next()) => ({
      items: [{ serviceId: cut.service_id, providerId: cut.provider_id, slots: [slot] }],
      paymentMethodId: method,
    }),
    async asked() {
      const visitor = await shop.visitor()
      const made = await desk.as(visitor, 'POST', '/bookings/checkout', desk.request())
      if (made.status !== 200) throw new Error(`not asked: ${made.status} ${JSON.stringify(made.body)}`)
      return { id: made.body.booking.id, session: made.body.paymentAction.clientSecret.split('_secret_')[0], visitor }
    },
    async authorized() {
      const one = await desk.asked()
      await pay(one.session)
      await until(async () => (await desk.read(one.id)).payment.status === 'authorized')
      return { ...one, intent: await desk.intentOf(one.id) }
    },
  }
  return desk
}
