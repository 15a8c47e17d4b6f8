// Bookings and reservations as the business surface and its events return them.
import { z } from 'zod'
import { Block } from '../content/block-shape.ts'
import { OrderMoney } from '../orders/lines.ts'
import { PaymentOut } from '../resources.ts'
import { BookingStatus, Slot } from '../scheduling/slots.ts'
import { Amount, CreatedAt, Id, UnixSeconds, UpdatedAt } from '../shapes.ts'
import { BookingState, CancelReason } from './bookings.ts'

export const bookedIds = {
  service_id: Id.describe('Identifier of the service.'),
  provider_id: Id.describe('Identifier of the provider.'),
}
const sold = {
  id: z.string().describe('Identifier of the part.'),
  ...bookedIds,
  service_key: z.string().describe('Key of the service at that time.'),
  provider_key: z.string().describe('Key of the provider at that time.'),
  from: UnixSeconds.describe('Start, in Unix seconds.'),
  to: UnixSeconds.describe('End, in Unix seconds.'),
  unit_price: Amount.describe('Price of one slot, in minor units.'),
  status: BookingStatus.describe('`pending` until the booking is confirmed; `no_show` is set by an operator.'),
}
export const BookingPart = z
  .object({
    ...sold,
    slots: z.array(Slot).min(1).max(500).describe('Booked slots.'),
    total: Amount.describe('Amount to pay for the part, tax contained, in minor units.'),
  })
  .meta({ id: 'BookingPart', description: 'Booked time of one service with one provider.' })
export const ReservationItem = z.object(sold).meta({ id: 'ReservationItem', description: 'One booked slot.' })

const FormOut = z
  .object({
    form_id: z.string().max(255).describe('Key of the form.'),
    values: z.record(z.string(), z.unknown()).describe('From the key of a field to its value.'),
  })
  .meta({ id: 'BookingForm' })

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

const State = BookingState.describe(
  '`CREATED` until the card is charged, `PENDING` until an operator confirms; `FAILED` if the payment failed or expired.',
)

const record = {
  id: z.string().describe('Identifier of the record, a UUIDv7 made by the server. It is also that of its order.'),
  number: z.int().describe('Number for people, counted per business.'),
  status: State,
  cancel_reason: CancelReason.nullable().describe(
    'Why it is over, or will be when its payment form is closed; null otherwise.',
  ),
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
  decide_by: z
    .int()
    .nullable()
    .describe(
      'Time at which it is cancelled unless it was approved or refused, in Unix seconds; null if it needs no approval.',
    ),
  created_at: CreatedAt,
  updated_at: UpdatedAt,
}
export const BookingRecord = z
  .object({ ...record, parts: z.array(BookingPart).describe('Booked time, by service and provider.') })
  .meta({ id: 'Booking', description: 'A booking. Amounts are in minor units of `money.currency`.' })
export const ReservationRecord = z
  .object({
    ...record,
    items: z.array(ReservationItem).describe('Booked slots, in order of time within a service and provider.'),
  })
  .meta({ id: 'Reservation', description: 'A reservation. Amounts are in minor units of `money.currency`.' })
