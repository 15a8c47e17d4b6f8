// What bookings and reservations of the older surface have in common: their records and the bodies that make them.
import type { EntityManager } from '@mikro-orm/postgresql'
import { z } from 'zod'
import type { Order } from '../../entities/orders/order.ts'
import { OrderBooking } from '../../entities/orders/order-booking.ts'
import { Payment } from '../../entities/orders/payment.ts'
import { Email, Key } from '../../rules/input/identities.ts'
import { BookingState, CancelReason, DirectState } from '../../rules/orders/bookings.ts'
import {
  Address,
  Amount,
  anyCase,
  Block,
  BookingItem,
  BookingStatus,
  CreatedAt,
  GeoLocation,
  Id,
  OrderMoney,
  Slot,
  UnixSeconds,
  UpdatedAt,
} from '../../rules/shapes.ts'
import { PaymentOut } from '../orders/payments.ts'

const ids = {
  service_id: Id.describe('Identifier of the service.'),
  provider_id: Id.describe('Identifier of the provider.'),
}
const sold = {
  id: z.string().describe('Identifier of the part.'),
  ...ids,
  service_key: z.string().describe('Key of the service at that time.'),
  provider_key: z.string().describe('Key of the provider at that time.'),
  from: UnixSeconds.describe('Start, in Unix seconds.'),
  to: UnixSeconds.describe('End, in Unix seconds.'),
  unit_price: Amount.describe('Price of one slot, in minor units.'),
  status: BookingStatus.describe('`pending` until the booking is confirmed; `no_show` is set by an operator.'),
}
const Part = z
  .object({
    ...sold,
    slots: z.array(Slot).min(1).max(100).describe('Booked slots.'),
    total: Amount.describe('Amount to pay for the part, tax contained, in minor units.'),
  })
  .meta({ id: 'BookingPart', description: 'Booked time of one service with one provider.' })
const Item = z.object(sold).meta({ id: 'ReservationItem', description: 'One booked slot.' })

const SentForm = z
  .strictObject({
    form_id: z.string().min(1).max(255).describe('Identifier or key of the form.'),
    values: z.record(z.string().min(1).max(255), z.unknown()).describe('From the key of a field to its value; 200 at most.'),
  })
  .refine(({ values }) => Object.keys(values).length <= 200, { error: 'Expected at most 200 values.', path: ['values'] })
const FormOut = z
  .object({
    form_id: z.string().max(255).describe('Key of the form.'),
    values: z.record(z.string(), z.unknown()).describe('From the key of a field to its value.'),
  })
  .meta({ id: 'BookingForm' })

const Location = z
  .strictObject({ ...Address.pick({ country: true, state: true, city: true, postal_code: true }).shape, ...GeoLocation.partial().shape })
  .refine(({ lat, lng }) => (lat === undefined) === (lng === undefined), { error: 'Send `lat` and `lng`, or neither.', path: ['lat'] })
const LocationOut = z
  .object({
    country: z.string().nullable().describe('Country, ISO 3166-1 alpha-2; null if it was not sent.'),
    state: z.string().nullable().describe('State, province or region; null if it was not sent.'),
    city: z.string().nullable().describe('City; null if it was not sent.'),
    postal_code: z.string().nullable().describe('Postal code; null if it was not sent.'),
    lat: z.number().nullable().describe('Latitude in degrees (WGS 84); null if it was not sent.'),
    lng: z.number().nullable().describe('Longitude in degrees (WGS 84); null if it was not sent.'),
  })
  .meta({ id: 'CustomerLocation' })

const State = BookingState.describe('`CREATED` until the card is charged, `PENDING` until an operator confirms; `FAILED` if the payment failed or expired.')

const record = {
  id: z.string().describe('Identifier of the record, a UUIDv7 made by the server. It is also that of its order.'),
  number: z.int().describe('Number for people, counted per business.'),
  status: State,
  cancel_reason: CancelReason.nullable().describe('Why it is over, or will be when its payment form is closed; null otherwise.'),
  customer_info: z
    .object({
      id: z.string().describe('Identifier of the contact who booked.'),
      verified: z.boolean().describe('Whether the contact had a verified address.'),
    })
    .describe('Who booked.'),
  payment: PaymentOut.describe('The one payment. Its status proves what was paid.'),
  forms: z.array(FormOut).describe('Form values that came with the booking.'),
  blocks: z.array(Block).describe('Content blocks of the booking.'),
  location: LocationOut.nullable().describe('Where the customer is; null if it was not sent.'),
  promo_code: z.string().nullable().describe('Promo code that was redeemed; null for none.'),
  money: OrderMoney.describe('Totals.'),
  subtotal: Amount.describe('Sum of the parts before discount, in minor units.'),
  total: Amount.describe('Amount to pay, in minor units.'),
  decide_by: z.int().nullable().describe('Time at which it is cancelled unless it was approved or refused, in Unix seconds; null if it needs no approval.'),
  created_at: CreatedAt,
  updated_at: UpdatedAt,
}
export const BookingRecord = z
  .object({ ...record, parts: z.array(Part).describe('Booked time, by service and provider.') })
  .meta({ id: 'Booking', description: 'A booking. Amounts are in minor units of `money.currency`.' })
export const ReservationRecord = z
  .object({ ...record, items: z.array(Item).describe('Booked slots, in order of time within a service and provider.') })
  .meta({ id: 'Reservation', description: 'A reservation. Amounts are in minor units of `money.currency`.' })

const locationOf = ({ billing_address, coordinates }: Order) => {
  const { country = null, state = null, city = null, postal_code = null } = billing_address ?? {}
  return billing_address || coordinates ? { country, state, city, postal_code, lat: coordinates?.lat ?? null, lng: coordinates?.lng ?? null } : null
}

/** The records of orders of one module, with their parts and payments. Two statements. */
export async function shownBookings(em: EntityManager, rows: readonly Order[]) {
  const ids = rows.map(({ id }) => id)
  const parts = await em.find(OrderBooking, { order_id: { $in: ids }, replaced: false }, { orderBy: { position: 'asc', id: 'asc' }, refresh: true })
  const payments = await em.find(Payment, { order_id: { $in: ids } }, { refresh: true })
  const partsByOrder = Map.groupBy(parts, ({ order_id }) => order_id)
  const paymentByOrder = new Map(payments.map((payment) => [payment.order_id, payment]))
  return rows.map((order) => {
    const own = partsByOrder.get(order.id) ?? []
    const sold = ({ id, service_id, provider_id, service_key, provider_key, unit_price, status }: OrderBooking) => ({
      ...{ id, service_id, provider_id, service_key, provider_key, unit_price, status },
    })
    return {
      ...order,
      status: order.booking_status as BookingState,
      customer_info: { id: order.contact_id, verified: order.verified },
      payment: paymentByOrder.get(order.id) as never,
      forms: order.forms.map(({ key, entries }) => ({ form_id: key, values: Object.fromEntries(entries.map((one) => [one.key, one.value])) })),
      blocks: order.blocks ?? [],
      location: locationOf(order),
      subtotal: order.money.subtotal,
      total: order.money.total,
      parts: own.map((part) => ({ ...sold(part), slots: part.slots, from: part.starts_at, to: part.ends_at, total: part.total })),
      items: own.flatMap((part) => part.slots.map(({ from, to }) => ({ ...sold(part), from, to }))),
    }
  })
}

export const shownBooking = async (em: EntityManager, order: Order) =>
  (await shownBookings(em, [order]))[0] as Awaited<ReturnType<typeof shownBookings>>[number]

const SentItem = z
  .strictObject({
    ...ids,
    slots: BookingItem.shape.slots.optional().describe('Slots to book, 1 to 100; instead of `from` and `to`.'),
    from: UnixSeconds.optional().describe('Start of the one slot, in Unix seconds; instead of `slots`.'),
    to: UnixSeconds.optional().describe('End of the one slot, in Unix seconds.'),
  })
  .superRefine(({ slots, from, to }, { issues }) => {
    const wrong = (path: string, message: string) => void issues.push({ code: 'custom', input: path, path: [path], message })
    if (slots && (from !== undefined || to !== undefined)) wrong('slots', 'Send `slots`, or `from` and `to`.')
    else if (!slots && (from === undefined || to === undefined)) wrong('slots', 'Send `slots`, or `from` and `to`.')
    else if (from !== undefined && to !== undefined && from >= to) wrong('to', 'Must be later than `from`.')
  })
  .transform(({ service_id, provider_id, slots, from = 0, to = 0 }): BookingItem => ({ service_id, provider_id, slots: slots ?? [{ from, to }] }))

const slotsMax = 500
const within = (items: readonly { slots?: readonly unknown[] }[]) => items.reduce((sum, { slots = [0] }) => sum + slots.length, 0) <= slotsMax
const tooMany = `Expected at most ${slotsMax} slots.`
const Items = z.array(SentItem).min(1).max(100).refine(within, tooMany).describe('What to book: 1 to 100 items, 500 slots at most.')
const Parts = z
  .array(Part.partial().required({ service_id: true, provider_id: true, slots: true }))
  .min(1)
  .max(100)
  .refine(within, tooMany)
const ReservedItems = z
  .array(Item.partial().required({ service_id: true, provider_id: true, from: true, to: true }))
  .min(1)
  .max(500)

const Forms = z.array(SentForm).max(100)
const Blocks = z.array(Block).max(500)

const priced = {
  items: Items,
  payment_method_id: Key.optional().describe("Key of one of the market's payment methods; required unless the total is 0."),
  promo_code: z.string().trim().max(64).optional().describe('Promo code, 64 characters at most.'),
  location: Location.optional().describe('Where the customer is. Its address decides the tax zone.'),
}
export const QuoteBody = z.object(priced)
export const RequestBody = z.object({
  ...priced,
  promo_code_id: Id.optional().describe('Identifier of a promo code, as a quote returns it.'),
  forms: Forms.optional().describe('Form values of the customer, 100 forms at most.'),
  blocks: Blocks.optional().describe('Content blocks of the booking, 500 at most.'),
  email: Email.optional().describe('Address that the customer claims; it is not verified.'),
})
export type RequestBody = z.output<typeof RequestBody>

/** Only an operator may send these. */
export const operatorFields = {
  contact_id: Id.optional().describe('Identifier of the contact to book for. Operators only.'),
  status: anyCase(DirectState).optional().describe('`CONFIRMED` by default. Operators only.'),
}

const changes = {
  forms: Forms.optional().describe('Replaces the form values.'),
  payment: z
    .strictObject(PaymentOut.shape)
    .partial()
    .nullable()
    .optional()
    .describe('The payment as it was read: `status` `paid` marks one in cash as paid. Null makes an unpaid one in cash free.'),
}
export const BookingChange = z.object({
  status: anyCase(BookingState).optional().describe('Any status may follow any other; `AUTHORIZED` requires an authorised payment.'),
  blocks: Blocks.optional().describe('Replaces the content blocks.'),
  parts: Parts.optional().describe('Replaces the booked time. Fields other than `serviceId`, `providerId` and `slots` are ignored.'),
  ...changes,
})
export const ReservationChange = z.object({
  status: anyCase(BookingState).describe('Any status may follow any other; `AUTHORIZED` requires an authorised payment.'),
  blocks: Blocks.describe('Replaces the content blocks.'),
  items: ReservedItems.optional().describe('Replaces the booked slots. Fields other than `serviceId`, `providerId`, `from` and `to` are ignored.'),
  ...changes,
})

/** The parts of an address, and the coordinates. */
export function placeOf({ lat, lng, ...address }: z.output<typeof Location> = {}) {
  const isEmpty = Object.values(address).every((value) => value === undefined || value === null)
  return { address: isEmpty ? null : address, coordinates: lat === undefined || lng === undefined ? null : { lat, lng } }
}
