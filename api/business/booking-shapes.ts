// The bodies of bookings and reservations of the business surface.
import { z } from 'zod'
import {
  BookingPart,
  type BookingRecord,
  bookedIds,
  ReservationItem,
  type ReservationRecord,
} from '../../rules/bookings/booking-records.ts'
import { BookingState, DirectState } from '../../rules/bookings/bookings.ts'
import { expectedTotal } from '../../rules/carts/expected-total.ts'
import { BookingItem } from '../../rules/carts/items.ts'
import { Block } from '../../rules/content/block-shape.ts'
import { EmailAddress } from '../../rules/input/email-addresses.ts'
import { Key, PartName } from '../../rules/input/identities.ts'
import { ComparedText, NamedValues } from '../../rules/input/texts.ts'
import { PaymentOut } from '../../rules/resources.ts'
import { freeSlotFields, SentSlot } from '../../rules/scheduling/slots.ts'
import { anyCase, Id, UnixSeconds } from '../../rules/shapes.ts'
import { Address, GeoLocation } from '../../rules/stores/addresses.ts'

const SentForm = z
  .strictObject({
    form_id: PartName.describe('Identifier or key of the form.'),
    values: NamedValues(z.unknown()).describe('From the key of a field to its value; 200 at most.'),
  })
  .refine(({ values }) => Object.keys(values).length <= 200, {
    error: 'Expected at most 200 values.',
    path: ['values'],
  })
const Location = z
  .strictObject({
    ...Address.pick({ country: true, state: true, city: true, postal_code: true }).shape,
    ...GeoLocation.partial().shape,
  })
  .refine(({ lat, lng }) => (lat === undefined) === (lng === undefined), {
    error: 'Send `lat` and `lng`, or neither.',
    path: ['lat'],
  })
const SentItem = z
  .strictObject({
    ...bookedIds,
    slots: BookingItem.shape.slots.optional().describe('Slots to book, 1 to 100; instead of `from` and `to`.'),
    from: UnixSeconds.optional().describe('Start of the one slot, in Unix seconds; instead of `slots`.'),
    to: UnixSeconds.optional().describe('End of the one slot, in Unix seconds.'),
    ...freeSlotFields,
  })
  .superRefine(({ slots, from, to }, { issues }) => {
    const wrong = (path: string, message: string) =>
      void issues.push({ code: 'custom', input: path, path: [path], message })
    if (slots && (from !== undefined || to !== undefined)) wrong('slots', 'Send `slots`, or `from` and `to`.')
    else if (!slots && (from === undefined || to === undefined)) wrong('slots', 'Send `slots`, or `from` and `to`.')
    else if (from !== undefined && to !== undefined && from >= to) wrong('to', 'Must be later than `from`.')
  })

type SentItem = z.output<typeof SentItem>
export const itemsOf = (sent: readonly SentItem[]): BookingItem[] =>
  sent.map(({ service_id, provider_id, slots, from = 0, to = 0 }) => ({
    service_id,
    provider_id,
    slots: slots ?? [{ from, to }],
  }))

const slotsMax = 500
const within = (items: readonly { slots?: readonly unknown[] }[]) =>
  items.reduce((sum, { slots = [0] }) => sum + slots.length, 0) <= slotsMax
const tooMany = `Expected at most ${slotsMax} slots.`
const Items = z
  .array(SentItem)
  .min(1)
  .max(100)
  .refine(within, tooMany)
  .describe('What to book: 1 to 100 items, 500 slots at most.')
const Parts = z
  .array(
    BookingPart.partial()
      .extend({ slots: z.array(SentSlot).min(1).max(500).describe('Slots to book.') })
      .required({ service_id: true, provider_id: true }),
  )
  .min(1)
  .max(100)
  .refine(within, tooMany)
const ReservedItems = z
  .array(
    ReservationItem.partial()
      .extend(freeSlotFields)
      .required({ service_id: true, provider_id: true, from: true, to: true }),
  )
  .min(1)
  .max(500)

const Forms = z.array(SentForm).max(100)
const Blocks = z.array(Block).max(500)

const priced = {
  items: Items,
  payment_method_id: Key.optional().describe(
    "Key of one of the market's payment methods; required unless the total is 0.",
  ),
  promo_code: ComparedText.trim().max(64).optional().describe('Promo code, 64 characters at most.'),
  promo_code_id: Id.nullish()
    .transform((id) => id ?? undefined)
    .describe('Identifier of a promo code, as a quote returns it; null for none.'),
  location: Location.optional().describe('Where the customer is. Its address decides the tax zone.'),
}
export const QuoteBody = z.object(priced)
export const RequestBody = z.object({
  ...priced,
  forms: Forms.optional().describe('Form values of the customer, 100 forms at most.'),
  blocks: Blocks.optional().describe('Content blocks of the booking, 500 at most.'),
  email: EmailAddress.optional().describe('Address that the customer claims; it is not verified.'),
  expected_total: expectedTotal,
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
    .describe(
      'The payment as it was read: `status` `paid` marks one in cash as paid. Null makes an unpaid one in cash free, without a promo code; it stays free when it moves to ' +
        'time of the same price or less.',
    ),
}
export const BookingChange = z.object({
  status: anyCase(BookingState)
    .optional()
    .describe('Any status may follow any other; `AUTHORIZED` requires an authorised payment.'),
  blocks: Blocks.optional().describe('Replaces the content blocks.'),
  parts: Parts.optional().describe(
    'Replaces the booked time. Fields other than `serviceId`, `providerId` and `slots` are ignored.',
  ),
  ...changes,
})
export const ReservationChange = z.object({
  status: anyCase(BookingState).describe(
    'Any status may follow any other; `AUTHORIZED` requires an authorised payment.',
  ),
  blocks: Blocks.describe('Replaces the content blocks.'),
  items: ReservedItems.optional().describe(
    'Replaces the booked slots. Fields other than `serviceId`, `providerId`, `from` and `to` are ignored.',
  ),
  ...changes,
})

/** The parts of an address, and the coordinates. */
export function placeOf({ lat, lng, ...address }: z.output<typeof Location> = {}) {
  const isEmpty = Object.values(address).every((value) => value === undefined || value === null)
  return {
    address: isEmpty ? null : address,
    coordinates: lat === undefined || lng === undefined ? null : { lat, lng },
  }
}

/** Names of the bodies by those of the cart that the engine prices. */
export const places = { booking_items: 'items', payment_method_key: 'payment_method_id', billing_address: 'location' }

/** A record has the members of both modules; the answer keeps those that its shape declares. */
export type RecordShape = typeof BookingRecord | typeof ReservationRecord
