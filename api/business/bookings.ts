// Bookings and reservations of the older surface: two modules with the same engine. The cart is the client's; a booking
// is an order of its parts.
import type { EntityManager } from '@mikro-orm/postgresql'
import { z } from 'zod'
import { readBooking, readBookings } from '../../entities/bookings/booking-records.ts'
import { type Changed, updateBooking } from '../../entities/bookings/booking-updates.ts'
import {
  type Booker,
  book,
  bookingMarket,
  codeOf,
  contactFor,
  formEntries,
  lastEqual,
} from '../../entities/bookings/bookings.ts'
import { bookingQuote, priceCart } from '../../entities/carts/pricing.ts'
import { checkContent } from '../../entities/content/content.ts'
import { claimAddress } from '../../entities/crm/ownership.ts'
import { ownRecords } from '../../entities/crm/session-rights.ts'
import { type Condition, condition } from '../../entities/kit/database/condition.ts'
import { sql } from '../../entities/kit/database/sql.ts'
import { Order } from '../../entities/orders/order.ts'
import { AuthorizationEnd } from '../../entities/payments/authorization-end.ts'
import { PaymentSession } from '../../entities/payments/payment-session.ts'
import { paidMeanwhile } from '../../entities/payments/payment-sessions.ts'
import { BookingRecord, ReservationRecord } from '../../rules/bookings/booking-records.ts'
import { type BookingModule, BookingState, type DirectState } from '../../rules/bookings/bookings.ts'
import { ReturnUrl } from '../../rules/input/return-url.ts'
import type { ProblemCode } from '../../rules/problems.ts'
import { conflict, invalid, invalidInput, notFound, unavailable } from '../../rules/refusal.ts'
import { PaymentOut } from '../../rules/resources.ts'
import { Amount, anyCase, Id, OrderQuote } from '../../rules/shapes.ts'
import { pricingProblems } from '../carts/pricing-problems.ts'
import { filter, listing } from '../kit/answer/listing.ts'
import { Reply } from '../kit/answer/replies.ts'
import { type Customer, digest, type Headers, type Visitor } from '../kit/caller.ts'
import { fingerprintOf, idempotencyConflict, idempotencyKeyHeader, idOf, keyIn, repeatOf } from '../kit/idempotency.ts'
import { many, searchText, unixSeconds } from '../kit/query.ts'
import { route } from '../kit/route.ts'
import { cardAction, none, PaymentAction } from '../orders/checkout.ts'
import { partFilter, searchOrders } from '../orders/orders.ts'
import { atFrom } from './booking-pointers.ts'
import {
  BookingChange,
  itemsOf,
  operatorFields,
  placeOf,
  QuoteBody,
  RequestBody,
  ReservationChange,
} from './booking-shapes.ts'

/** Names of the bodies by those of the cart that the engine prices. */
const places = { booking_items: 'items', payment_method_key: 'payment_method_id', billing_address: 'location' }
const noContact = '00000000-0000-0000-0000-000000000000'

const Quote = OrderQuote.extend({
  subtotal: Amount.describe('Sum of the items before discount, in minor units.'),
  total: Amount.describe('Amount to pay, in minor units.'),
  promo_code_id: z.string().nullable().describe('Identifier of the promo code that gave the discounts; null for none.'),
}).meta({ id: 'BookingQuote' })

const quoting = {
  may: 'customer' as const,
  contact: 'optional' as const,
  transaction: false,
  refuses: ['no_market', ...pricingProblems] as const,
  description:
    'Prices the items as a booking would price them now. Nothing is reserved. 422 names the field that prevents pricing.',
  fields: { places },
  body: QuoteBody,
  out: Quote,
  async run({
    em,
    caller,
    tenant_id,
    body,
    now,
  }: {
    em: EntityManager
    caller: Customer
    tenant_id: string
    body: z.output<typeof QuoteBody>
    now: number
  }) {
    const { address } = placeOf(body.location)
    const cart = {
      ...{
        id: noContact,
        tenant_id,
        contact_id: (caller.kind === 'visitor' && caller.contact_id) || noContact,
        status: 'open' as const,
      },
      ...{
        market: await bookingMarket(em, tenant_id),
        product_items: [],
        booking_items: itemsOf(body.items),
        shipping_address: null,
        billing_address: address,
      },
      ...{
        forms: [],
        payment_method_key: body.payment_method_id ?? null,
        shipping_method_id: null,
        pickup_location_id: null,
      },
      promo_code: await codeOf(em, body),
    }
    const priced = priceCart(em, cart, { for_checkout: false, books_private: caller.kind === 'operator', now })
    return bookingQuote(await atFrom(body.items, priced))
  },
}

type Asked = { em: EntityManager; caller: Customer<Visitor>; tenant_id: string; headers: Headers; now: number }
type Own = { contact_id?: string | undefined; status?: DirectState | undefined; return_url?: string | undefined }

async function bookerOf(
  { em, caller, tenant_id, now }: Asked,
  cartId: string,
  { email, contact_id }: RequestBody & Own,
): Promise<Booker> {
  if (caller.kind === 'operator')
    return {
      session_id: null,
      contact_id: await contactFor(em, tenant_id, { id: idOf('contact', cartId), contact_id, email }, now),
      account_id: caller.account_id,
    }
  const { session_id, verified, former, token } = caller
  const own =
    email === undefined || former !== null
      ? caller.contact_id
      : await claimAddress(em, tenant_id, { id: session_id, given: digest(token ?? '') }, email, now)
  return { session_id, contact_id: own, verified, former }
}

/**
 * The booking of a request. With a key its id is made of the caller and the key, without one of the caller and the
 * payload: an equal request is the same one until its booking is over.
 */
async function booked(asked: Asked, module: BookingModule, way: 'checkout' | 'create', body: RequestBody & Own) {
  const { em, caller, tenant_id, headers, now } = asked
  for (const name of ['contact_id', 'status'] as const)
    if (caller.kind === 'visitor' && body[name] !== undefined)
      throw invalid(`/${name}`, 'not_writable', 'Only an operator may send this field.')
  const who = caller.kind === 'operator' ? caller.account_id : caller.session_id
  const items = itemsOf(body.items)
  // The same booking, whatever total the caller has seen.
  const { expected_total, ...payload } = body
  const fingerprint = fingerprintOf({ ...payload, items, module, way, who })
  const key = keyIn(headers)
  const cartId =
    key === undefined
      ? repeatOf([tenant_id, fingerprint], await lastEqual(em, fingerprint), now)
      : idOf(tenant_id, module, way, who, key)
  const { blocks = [] } = body
  await checkContent(em, tenant_id, { blocks }, null)
  const request = {
    ...{
      module,
      items,
      payment_method_key: body.payment_method_id,
      blocks,
      forms: await formEntries(em, body.forms ?? []),
    },
    ...{
      promo_code: await codeOf(em, body),
      ...placeOf(body.location),
      return_url: body.return_url,
      expected_total,
      fingerprint,
    },
    ...{ status: body.status ?? ('confirmed' as const), pays_by_card: way === 'checkout' },
  }
  const done = await atFrom(body.items, book(em, tenant_id, cartId, await bookerOf(asked, cartId, body), request, now))
  if (done.fingerprint !== fingerprint) throw idempotencyConflict()
  return { done, shown: await readBooking(em, { id: done.order_id, tenant_id }) }
}

const bookingProblems = [
  ...[
    'checkout_cancelled',
    'contact_unknown',
    'form_unknown',
    'idempotency_conflict',
    'no_market',
    'not_writable',
    'slot_taken',
    'total_changed',
  ],
  ...pricingProblems,
] as readonly ProblemCode[]

const CheckoutBody = RequestBody.extend({
  return_url: ReturnUrl.optional().describe(
    "Address that the provider's payment form returns to: https, or http for localhost. Left out, the form does not redirect on completion.",
  ),
})
const keyHeader = idempotencyKeyHeader(
  'Without the header, an equal request of the same caller is the same one until its record is over. A visitor is the same caller with the same visitor token only: each request ' +
    'without a token is that of another visitor.',
)
const repeats =
  'An equal request of the same caller returns the same record until it is over; a second equal one requires another `Idempotency-Key`. '

/** A record has the members of both modules; the answer keeps those that its shape declares. */
type RecordShape = typeof BookingRecord | typeof ReservationRecord

const checkingOut = (module: BookingModule, out: RecordShape) => ({
  may: 'customer' as const,
  active: true as const,
  accepts: 'former-token' as const,
  contact: 'created' as const,
  request: { headers: keyHeader },
  refuses: [
    ...bookingProblems,
    ...([
      'payment_form_over',
      'payment_provider_not_connected',
      'payment_rejected',
      'engine_unavailable',
      'provider_retryable',
      'provider_unavailable',
    ] as const),
  ],
  description:
    'Prices the items, reserves their time and creates the record and its payment in one transaction. Creates a visitor if the request has no visitor token; the new token is in the ' +
    `header \`X-Service-Visitor-Token\`. ${repeats}A card payment is completed in the payment form that \`payment_action\` describes. 409 \`slot_taken\` if a slot is no longer ` +
    'free, `total_changed` if the total is not `expected_total`; 409 `payment_form_over` if the request is repeated after its form has closed, while the business keeps the record. After 503 `engine_unavailable` or ' +
    '`provider_retryable`, repeat the request.',
  fields: { places },
  body: CheckoutBody,
  out: z.object({
    booking: out.describe('The record.'),
    payment: PaymentOut.describe('Its payment.'),
    payment_action: PaymentAction.describe('What the browser has to do next to pay.'),
  }),
  async run({ body, ...asked }: Asked & { body: z.output<typeof CheckoutBody> }) {
    const { done, shown } = await booked(asked, module, 'checkout', body)
    const answer = { booking: shown, payment: shown.payment, payment_action: none }
    return new Reply(answer, { pending: done.awaits_card ? done.order_id : undefined })
  },
  wait: {
    async until({ em, tenant_id, pending }: { em: EntityManager; tenant_id: string; pending: string }) {
      const payment_action = await cardAction(em, pending)
      if (!payment_action) return undefined
      const booking = await readBooking(em, { id: pending, tenant_id })
      return { booking, payment: booking.payment, payment_action }
    },
    late(_: unknown, engineAway: boolean): never {
      throw unavailable(
        engineAway ? 'engine_unavailable' : 'provider_retryable',
        'The payment form is not ready yet. Repeat the request.',
      )
    },
  },
})

const CreateBody = RequestBody.extend(operatorFields)
const creating = (module: BookingModule, out: RecordShape) => ({
  may: 'customer' as const,
  active: true as const,
  accepts: 'former-token' as const,
  contact: 'created' as const,
  request: { headers: keyHeader },
  refuses: bookingProblems,
  status: [201, 200] as const,
  description:
    'Reserves the time without a payment form: in cash, or free. An operator books for a contact, for an address, or for a new contact. ' +
    `${repeats}409 \`slot_taken\` if a slot is no longer free, \`total_changed\` if the total is not \`expected_total\`. 422 \`payment_method_required\` for a card: send those to the checkout.`,
  fields: { places },
  body: CreateBody,
  out,
  async run({ body, ...asked }: Asked & { body: z.output<typeof CreateBody> }) {
    const { done, shown } = await booked(asked, module, 'create', body)
    return new Reply(shown, { status: done.payment ? 201 : 200 })
  },
})

const scopeOf = (module: BookingModule, caller: Customer<Visitor>) => ({
  module,
  ...(caller.kind === 'visitor' ? ownRecords(caller) : {}),
})

/** Records with a slot that overlaps the span. */
const overlap = (from = 0, to = Number.MAX_SAFE_INTEGER): Condition =>
  condition(
    (rows) => sql`
      ${rows}.id in (
        select b.order_id
        from order_bookings b
        where b.tenant_id = ${rows}.tenant_id and not b.replaced and b.starts_at < ${to} and b.ends_at > ${from}
          and exists (
            select 1
            from jsonb_array_elements(b.slots) s
            where (s ->> 'from')::bigint < ${to} and (s ->> 'to')::bigint > ${from}
          )
      )
    `,
  )

const listed = (module: BookingModule) => ({
  may: 'customer' as const,
  accepts: 'former-token' as const,
  contact: 'required' as const,
  entity: Order,
  sorts: ['number'] as const,
  filters: {
    status: filter(many(anyCase(BookingState)), (states) => ({ booking_status: { $in: states } })),
    account_id: filter(Id.describe('Identifier of the contact who booked.'), (contact_id) => ({ contact_id })),
    service_ids: partFilter('service_ids', Id),
    provider_ids: partFilter('provider_ids', Id),
    from: filter(
      unixSeconds.describe('Only records with a slot that ends after this time, in Unix seconds.'),
      (from, { to }) => overlap(from, to as number | undefined),
    ),
    to: filter(
      unixSeconds.describe('Only records with a slot that starts before this time, in Unix seconds.'),
      (to, { from }) => (from === undefined ? overlap(undefined, to) : {}),
    ),
    query: filter(
      searchText().describe(
        "Number of a record, identifier of it or of its contact, beginning of the contact's address, or a telephone number in any spelling.",
      ),
      searchOrders,
    ),
  },
  description:
    'Returns one page, sorted by creation time, newest first, unless another order is requested. A visitor finds their own records only.',
  scope: ({ caller }: { caller: Customer<Visitor> }) => scopeOf(module, caller),
  load: (em: EntityManager, rows: Order[]) => readBookings(em, rows),
})

const reads = (module: BookingModule, out: RecordShape) => ({
  may: 'customer' as const,
  accepts: 'former-token' as const,
  description: `404 \`not_found\` if there is no such ${module}, or it is not the visitor's own.`,
  out,
  async run({ em, path, caller }: { em: EntityManager; path: { id: string }; caller: Customer<Visitor> }) {
    const order = await em.findOne(Order, { id: path.id, ...scopeOf(module, caller) })
    if (!order) throw notFound(module)
    return readBooking(em, order)
  },
})

/** Whether the payment was captured; undefined while it is not known. 409 capture_rejected, capture_unknown. */
async function decided(em: EntityManager, id: string): Promise<boolean> {
  const { status, error } = await em.findOneOrFail(AuthorizationEnd, { id })
  if (status === 'rejected' && error?.code === 'captured')
    throw conflict(
      'capture_rejected',
      'Another amount had been captured at the provider. The payment shows it, and the booking waits for a decision about it.',
    )
  if (status === 'rejected')
    throw conflict('capture_rejected', 'The provider refused to capture the payment: the booking has failed.')
  if (status === 'unknown')
    throw conflict(
      'capture_unknown',
      'It cannot be proved whether the payment was captured. The booking waits for the event of the provider.',
    )
  if (status === 'failed') throw unavailable('provider_retryable', 'The capture was never sent. Repeat the request.')
  return status === 'succeeded'
}

type Change = Pick<z.output<typeof BookingChange>, 'status' | 'forms' | 'blocks' | 'payment' | 'parts'> &
  Pick<z.output<typeof ReservationChange>, 'items'>

const changing = (module: BookingModule, out: RecordShape) => ({
  may: 'customer' as const,
  accepts: 'former-token' as const,
  refuses: [
    ...([
      'booking_completed',
      'capture_rejected',
      'capture_unknown',
      'decision_made',
      'forbidden',
      'order_cancelled',
      'payment_captured',
      'payment_in_progress',
      'payment_not_authorized',
      'slot_taken',
    ] as const),
    ...([
      'cancel_and_replace',
      'form_unknown',
      'payment_read_only',
      'engine_unavailable',
      'provider_retryable',
    ] as const),
    ...pricingProblems,
  ],
  description:
    'Fields that are left out, or sent as they were read, are kept. Any status may follow any other: out of `CANCELLED` and `FAILED` the time is reserved again (409 `slot_taken`) and the ' +
    'use of its promo code is counted again (422 `promo_code_exhausted`); into them an open payment form is closed first, and a captured payment stays until it is refunded. A visitor may only cancel their own record before it begins: 403 `forbidden`. After 503 ' +
    '`engine_unavailable` or `provider_retryable`, repeat the request.',
  fields: {
    places: {
      booking_items: module === 'booking' ? 'parts' : 'items',
      product_items: module === 'booking' ? 'parts' : 'items',
    },
  },
  out,
  async run({
    em,
    path,
    caller,
    body,
    now,
  }: Omit<Asked, 'headers' | 'tenant_id'> & { path: { id: string }; body: Change }) {
    const { status, blocks, forms, payment, parts } = body
    const items =
      parts?.map(({ service_id, provider_id, slots }) => ({ service_id, provider_id, slots })) ??
      body.items?.map(({ service_id, provider_id, from, to }) => ({ service_id, provider_id, slots: [{ from, to }] }))
    const reversed = (body.items ?? []).flatMap(({ from, to }, at) =>
      from < to ? [] : [{ pointer: `/items/${at}/to`, code: 'invalid_value', detail: 'Must be later than `from`.' }],
    )
    if (reversed.length > 0) throw invalidInput(reversed)
    const key = { id: path.id, module, by: caller.kind === 'visitor' ? caller : null }
    const updated = updateBooking(em, key, { status, blocks, forms, items, payment }, now)
    const { order, waits_for } = await (body.items ? atFrom(body.items, updated) : updated)
    // What it waits for is its answer.
    return waits_for ? Reply.afterWait(waits_for) : new Reply(await readBooking(em, order), {})
  },
  wait: {
    async until({
      em,
      tenant_id,
      pending: { id, decision },
    }: {
      em: EntityManager
      tenant_id: string
      pending: NonNullable<Changed['waits_for']>
    }) {
      // Read after the decision: the booking and its payment as they are together.
      if (decision) return (await decided(em, decision)) ? await readBooking(em, { id, tenant_id }) : undefined
      const order = await em.findOneOrFail(Order, { id })
      if (order.status === 'cancelled') return await readBooking(em, { id, tenant_id })
      const session = await em.findOne(PaymentSession, { order_id: id })
      if (session?.state === 'complete' || order.status === 'confirmed') throw paidMeanwhile()
      return undefined
    },
    late(_: unknown, engineAway: boolean): never {
      throw unavailable(
        engineAway ? 'engine_unavailable' : 'provider_retryable',
        'The payment provider has not answered yet. Repeat the request.',
      )
    },
  },
})

export const bookings = [
  route('POST /v1/businesses/{businessId}/bookings/quote', {
    operation: 'quoteBusinessBooking',
    summary: 'Quote a booking',
    ...quoting,
  }),
  route('POST /v1/businesses/{businessId}/bookings/checkout', {
    operation: 'checkoutBusinessBooking',
    summary: 'Check out a booking',
    ...checkingOut('booking', BookingRecord),
  }),
  route('POST /v1/businesses/{businessId}/bookings', {
    summary: 'Create a booking',
    ...creating('booking', BookingRecord),
  }),
  listing('GET /v1/businesses/{businessId}/bookings', {
    summary: 'List the bookings',
    item: BookingRecord,
    ...listed('booking'),
  }),
  route('GET /v1/businesses/{businessId}/bookings/{id}', {
    summary: 'Read a booking',
    ...reads('booking', BookingRecord),
  }),
  route('PUT /v1/businesses/{businessId}/bookings/{id}', {
    summary: 'Update a booking',
    body: BookingChange,
    ...changing('booking', BookingRecord),
  }),
  route('POST /v1/businesses/{businessId}/reservations/quote', {
    operation: 'quoteBusinessReservation',
    summary: 'Quote a reservation',
    ...quoting,
  }),
  route('POST /v1/businesses/{businessId}/reservations/checkout', {
    operation: 'checkoutBusinessReservation',
    summary: 'Check out a reservation',
    ...checkingOut('reservation', ReservationRecord),
  }),
  route('POST /v1/businesses/{businessId}/reservations', {
    summary: 'Create a reservation',
    ...creating('reservation', ReservationRecord),
  }),
  listing('GET /v1/businesses/{businessId}/reservations', {
    summary: 'List the reservations',
    item: ReservationRecord,
    ...listed('reservation'),
  }),
  route('GET /v1/businesses/{businessId}/reservations/{id}', {
    summary: 'Read a reservation',
    ...reads('reservation', ReservationRecord),
  }),
  route('PUT /v1/businesses/{businessId}/reservations/{id}', {
    summary: 'Update a reservation',
    body: ReservationChange,
    ...changing('reservation', ReservationRecord),
  }),
]
