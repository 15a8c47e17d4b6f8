// Making a booking or a reservation, with the provider's payment form or without one. An equal request is the same
// booking until that is over.
import type { EntityManager } from '@mikro-orm/postgresql'
import { z } from 'zod'
import { readBooking } from '../../entities/bookings/booking-records.ts'
import { type Booker, book, codeOf, contactFor, formEntries, lastEqual } from '../../entities/bookings/bookings.ts'
import { checkContent } from '../../entities/content/content.ts'
import { claimAddress } from '../../entities/crm/ownership.ts'
import type { BookingModule, DirectState } from '../../rules/bookings/bookings.ts'
import { ReturnUrl } from '../../rules/input/return-url.ts'
import type { ProblemCode } from '../../rules/problems.ts'
import { invalid, unavailable } from '../../rules/refusal.ts'
import { PaymentOut } from '../../rules/resources.ts'
import { pricingProblems } from '../carts/pricing-problems.ts'
import { Reply } from '../kit/answer/replies.ts'
import { type Customer, digest, type Headers, type Visitor } from '../kit/caller.ts'
import { fingerprintOf, idempotencyConflict, idempotencyKeyHeader, idOf, keyIn, repeatOf } from '../kit/idempotency.ts'
import { cardAction, none, PaymentAction } from '../orders/checkout.ts'
import { atFrom } from './booking-pointers.ts'
import { itemsOf, operatorFields, placeOf, places, type RecordShape, RequestBody } from './booking-shapes.ts'

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

export const checkingOut = (module: BookingModule, out: RecordShape) => ({
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
export const creating = (module: BookingModule, out: RecordShape) => ({
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
