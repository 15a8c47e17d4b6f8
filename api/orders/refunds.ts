// Refunds: the caller names each by refund_id, sends it again to retry, and reads what is known of it.

import { LockMode, UniqueConstraintViolationException } from '@mikro-orm/core'
import { z } from 'zod'
import { Order } from '../../entities/orders/order.ts'
import { Payment } from '../../entities/orders/payment.ts'
import { Refund } from '../../entities/orders/refund.ts'
import { countRefunds } from '../../entities/orders/refund-amounts.ts'
import { lockPayment, requestRefund } from '../../entities/orders/refunds.ts'
import { RefundOrigin, RefundOutcome } from '../../rules/orders/payments.ts'
import { conflict, notFound, Refusal } from '../../rules/refusal.ts'
import { Amount, anyCase, CreatedAt, EffectError, EffectStatus, Id, UpdatedAt } from '../../rules/shapes.ts'
import { fingerprintOf, idempotencyConflict, replay } from '../kit/idempotency.ts'
import { filter, listing } from '../kit/listing.ts'
import { flag, many } from '../kit/query.ts'
import { Reply, route } from '../kit/route.ts'

const seconds = z.int().nullable()

export const RefundOut = z
  .object({
    id: z.string().describe('Identifier of the refund, a UUIDv7 made by the server.'),
    refund_id: z.string().describe("The caller's own id of the refund; of refunds by the system or the provider, an id made by the server."),
    order_id: z.string().describe('Identifier of the order.'),
    payment_id: z.string().describe('Identifier of the payment that is refunded.'),
    amount: Amount.describe('Amount that is paid back, in minor units of `currency`.'),
    currency: z.string().describe('Currency of the amount, ISO 4217.'),
    status: EffectStatus.describe(
      '`succeeded` when the money was paid back; `rejected` by the provider; `failed` if nothing was sent; `unknown` if that cannot be proved: nothing is sent again, and an operator resolves it.',
    ),
    origin: RefundOrigin.describe(
      'Who made the refund: an operator through the API, the system (a payment after the cancellation), or the provider (its dashboard).',
    ),
    provider_refund_id: z.string().nullable().describe("The provider's id of the refund; null until it is known."),
    evidence: z.looseObject({}).nullable().describe('What the provider answered; null without an answer.'),
    late_evidence: z
      .looseObject({})
      .nullable()
      .describe('What the provider answered after the outcome was recorded as `unknown`; null without such an answer.'),
    error: EffectError.nullable().describe('Why the refund did not succeed; null if it did or is under way.'),
    resolution: z.looseObject({}).nullable().describe('Who resolved an `unknown` refund, when, how and why; null if none was needed.'),
    attempt: z.int().describe('Number of attempts to send it; only an attempt that provably sent nothing is followed by another one.'),
    needs_attention: z
      .boolean()
      .describe(
        'Whether an operator has to act: the refund is `unknown`, more refunds are recorded than were captured, or the money of a cancelled order has not gone back.',
      ),
    sent_at: seconds.describe('Time at which the request may have left for the provider, in Unix seconds; null if it has not.'),
    answered_at: seconds.describe("Time of the provider's answer, in Unix seconds; null without one."),
    settled_at: seconds.describe('Time at which the outcome was final, in Unix seconds; null until then.'),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  })
  .meta({ id: 'Refund', description: 'A refund of a payment. In status `unknown` it may or may not have happened, and is never sent again.' })

const unix = (time: Date | null | undefined) => (time ? Math.floor(time.getTime() / 1000) : null)
const shown = (refund: Refund): z.input<typeof RefundOut> => ({
  ...(refund as never as z.input<typeof RefundOut>),
  id: refund.id,
  sent_at: unix(refund.sent_at),
  answered_at: unix(refund.answered_at),
  settled_at: unix(refund.settled_at),
})

const ListedRefund = RefundOut.extend({ order_number: z.int().describe('Number of the order, counted per store.') }).meta({
  id: 'ListedRefund',
  description: 'A refund and the number of its order',
})

/** A refusal that was recorded is answered again, on every replay. */
function refusalOf(refund: Refund): Refusal | null {
  if (refund.status !== 'failed' || refund.error?.code !== 'amount_exceeds_refundable') return null
  return new Refusal(422, refund.error.code, refund.error.message, {
    kept: true,
    faults: [{ pointer: '/amount', code: refund.error.code, detail: refund.error.message }],
    members: { refund: { refund_id: refund.refund_id, status: refund.status } },
  })
}

const settledOrAnswered = (refund: Refund) => (refund.status !== 'requested' && refund.status !== 'processing') || Boolean(refund.answered_at)

/** The same id for another order at the same moment: that order's lock is not ours. */
function usedElsewhere(error: unknown): never {
  throw error instanceof UniqueConstraintViolationException ? idempotencyConflict() : error
}

export const refunds = [
  listing('GET /v1/stores/{storeId}/refunds', {
    may: 'admin',
    summary: 'List the refunds of a store, across its orders',
    description:
      'With `needs_attention=true` it is the list of what operators have to act on: refunds that are `unknown`, refunds that do not fit what was captured, and refunds that ' +
      'failed or are late although their order is cancelled and the money must go back. A refund leaves that list when it is resolved, or when the money has gone back.',
    entity: Refund,
    item: ListedRefund,
    filters: {
      status: filter(many(anyCase(EffectStatus)), (status) => ({ status: { $in: status } })),
      needs_attention: filter(flag.describe('Only refunds that an operator has (`true`) or does not have (`false`) to act on.'), (needs_attention) => ({
        needs_attention,
      })),
    },
    async load(em, rows: Refund[]) {
      const orders = await em.find(Order, { id: { $in: rows.map(({ order_id }) => order_id) } }, { fields: ['number'] })
      const numbers = new Map(orders.map(({ id, number }) => [id, number]))
      return rows.map((refund) => ({ ...shown(refund), order_number: numbers.get(refund.order_id) }))
    },
  }),
  route('POST /v1/stores/{storeId}/orders/{orderId}/refunds', {
    operation: 'createRefund',
    may: 'admin',
    refuses: ['idempotency_conflict', 'amount_exceeds_refundable'],
    summary: 'Refund a payment',
    description:
      'Sends one refund to the provider. Send the same `refund_id` and amount again to read its state; nothing is sent twice. A refund whose outcome cannot be proved is `unknown` and is never sent again.',
    body: z.object({
      refund_id: Id.describe(
        'UUID made by the caller. The same id and amount return the same refund, and nothing is sent again; another amount returns 409 `idempotency_conflict`. A refund that was refused with 422 keeps its id: ask again under a new one.',
      ),
      amount: z.int().positive().describe("Amount to pay back, in minor units of the payment's currency."),
    }),
    out: RefundOut,
    status: 201,
    replays: true,
    async run({ em, path, body, now }) {
      const payment = await lockPayment(em, path.orderId)
      if (!payment) throw notFound('order')
      const fingerprint = fingerprintOf({ order_id: path.orderId, ...body })
      const known = replay(await em.findOne(Refund, { refund_id: body.refund_id }), fingerprint)
      const refund = known ?? (await requestRefund(em, payment, { ...body, fingerprint, origin: 'operator' }, now).catch(usedElsewhere))
      const refusal = refusalOf(refund)
      if (refusal) throw refusal
      return new Reply(known ? 200 : 201, shown(refund))
    },
    wait: {
      when: ({ status, answered_at }) => (status === 'requested' || status === 'processing') && !answered_at,
      async until({ em, result }) {
        const refund = await em.findOneOrFail(Refund, { id: result.id })
        return settledOrAnswered(refund) ? shown(refund) : undefined
      },
      late: (result) => result,
    },
  }),
  listing('GET /v1/stores/{storeId}/orders/{orderId}/refunds', {
    may: 'admin',
    summary: 'List the refunds of an order',
    entity: Refund,
    item: RefundOut,
    async within({ em, path }) {
      if ((await em.count(Order, { id: path.orderId })) === 0) throw notFound('order')
      return { order_id: path.orderId }
    },
    load: async (_, rows) => (rows as Refund[]).map(shown),
  }),
  route('GET /v1/stores/{storeId}/orders/{orderId}/refunds/{refundId}', {
    operation: 'getRefund',
    may: 'admin',
    summary: 'Read a refund, by its refund_id',
    out: RefundOut,
    async run({ em, path }) {
      const refund = await em.findOne(Refund, { refund_id: path.refundId, order_id: path.orderId })
      if (!refund) throw notFound('refund')
      return shown(refund)
    },
  }),
  route('POST /v1/stores/{storeId}/orders/{orderId}/refunds/{refundId}/resolve', {
    operation: 'resolveRefund',
    may: 'owner',
    refuses: ['refund_not_unknown'],
    summary: 'Resolve a refund whose outcome is unknown',
    description:
      'Records what an operator found out at the provider. Nothing is sent. While a resolved refund needs attention, another outcome replaces the first. ' +
      'Any other refund that is not `unknown` is refused with 409 `refund_not_unknown`.',
    body: z.object({
      outcome: RefundOutcome.describe('`succeeded` if the provider paid the money back, `rejected` if it did not.'),
      note: z.string().trim().min(1).max(2000).describe('How the outcome was established. It is recorded with the operator and the time.'),
    }),
    out: RefundOut,
    async run({ em, path, body, caller, now }) {
      const payment = await em.findOne(Payment, { order_id: path.orderId }, { lockMode: LockMode.PESSIMISTIC_WRITE })
      const refund = payment && (await em.findOne(Refund, { refund_id: path.refundId, order_id: path.orderId }, { lockMode: LockMode.PESSIMISTIC_WRITE }))
      if (!refund) throw notFound('refund')
      if (refund.resolution && refund.resolution.outcome === body.outcome) return shown(refund)
      // Once resolved, and found not to fit with what the provider says: the other outcome replaces the first.
      const revised = refund.resolution && refund.needs_attention ? refund.resolution : null
      if (refund.status !== 'unknown' && !revised) throw conflict('refund_not_unknown', `The refund is ${refund.status}: there is nothing to resolve.`)
      em.assign(refund, {
        status: body.outcome,
        resolution: { ...body, account_id: caller.account_id, at: now, ...(revised ? { before: revised } : {}) },
        settled_at: new Date(now * 1000),
        updated_at: now,
      })
      await em.flush()
      await countRefunds(em, refund.id)
      return shown(await em.refreshOrFail(refund))
    },
  }),
]
