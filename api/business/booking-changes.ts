// Changes of a booking or a reservation. One that the provider has to confirm is answered when its outcome is proved.
import type { EntityManager } from '@mikro-orm/postgresql'
import type { z } from 'zod'
import { readBooking } from '../../entities/bookings/booking-records.ts'
import { type Changed, updateBooking } from '../../entities/bookings/booking-updates.ts'
import { Order } from '../../entities/orders/order.ts'
import { AuthorizationEnd } from '../../entities/payments/authorization-end.ts'
import { PaymentSession } from '../../entities/payments/payment-session.ts'
import { paidMeanwhile } from '../../entities/payments/payment-sessions.ts'
import type { BookingModule } from '../../rules/bookings/bookings.ts'
import { conflict, invalidInput, unavailable } from '../../rules/refusal.ts'
import { pricingProblems } from '../carts/pricing-problems.ts'
import { Reply } from '../kit/answer/replies.ts'
import type { Customer, Visitor } from '../kit/caller.ts'
import { atFrom } from './booking-pointers.ts'
import type { BookingChange, RecordShape, ReservationChange } from './booking-shapes.ts'

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

export const changing = (module: BookingModule, out: RecordShape) => ({
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
  }: {
    em: EntityManager
    path: { id: string }
    caller: Customer<Visitor>
    body: Change
    now: number
  }) {
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
