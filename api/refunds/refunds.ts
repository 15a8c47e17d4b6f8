// Refunds. The caller makes the `refund_id`; sending it again returns the same refund and sends nothing twice.
import { UniqueConstraintViolationException } from '@mikro-orm/core'
import { z } from 'zod'
import { membersOfSubscriptions } from '../../entities/audiences/member-rows.ts'
import type { EntityManager } from '../../entities/kit/database/orm.ts'
import { asRow } from '../../entities/kit/database/row.ts'
import { mustExist } from '../../entities/kit/find.ts'
import { Order } from '../../entities/orders/order.ts'
import { lockPayment } from '../../entities/payments/payment-lock.ts'
import { Refund } from '../../entities/refunds/refund.ts'
import { findRefund, requestRefund } from '../../entities/refunds/refunds.ts'
import { resolveRefund } from '../../entities/refunds/resolve-refund.ts'
import { anyMembers } from '../../rules/open-answers.ts'
import { RefundOrigin, RefundOutcome } from '../../rules/payments/payments.ts'
import { invalid, notFound, Refusal } from '../../rules/refusal.ts'
import { Force, Note, replacing, resolving } from '../../rules/resolutions.ts'
import { Amount, anyCase, CreatedAt, EffectError, EffectStatus, Id, UpdatedAt } from '../../rules/shapes.ts'
import { unixSecondsOf } from '../../rules/unix-seconds.ts'
import { filter, listing } from '../kit/answer/listing.ts'
import { NotYet, Reply } from '../kit/answer/replies.ts'
import {
  type Earlier,
  fingerprintOf,
  idempotencyConflict,
  idempotencyKeyHeader,
  idOf,
  keyIn,
  repeatOf,
  repeatsForMinutes,
  replay,
} from '../kit/idempotency.ts'
import { flag, many } from '../kit/query.ts'
import { route } from '../kit/route.ts'

const seconds = z.int().nullable()

export const RefundOut = z
  .object({
    id: z.string().describe('Identifier of the refund, a UUIDv7 made by the server.'),
    refund_id: z
      .string()
      .describe(
        "The caller's own id of the refund; of refunds by the system or the provider, an id made by the server.",
      ),
    order_id: z.string().describe('Identifier of the order.'),
    payment_id: z.string().describe('Identifier of the payment that is refunded.'),
    amount: Amount.describe('Amount of the refund, in minor units of `currency`.'),
    currency: z.string().describe('Currency of the amount, ISO 4217.'),
    status: EffectStatus.describe(
      '`succeeded` when the provider refunded the amount; `rejected` if the provider refused; `failed` if nothing was sent; `unknown` if the outcome cannot be proved: nothing is sent again, and an operator resolves it.',
    ),
    origin: RefundOrigin.describe(
      'Who made the refund: an operator through the API, the system (a payment after the cancellation), or the provider (its dashboard).',
    ),
    provider_refund_id: z.string().nullable().describe("The provider's id of the refund; null until it is known."),
    evidence: anyMembers().nullable().describe('What the provider answered; null without an answer.'),
    late_evidence: anyMembers()
      .nullable()
      .describe('What proves an outcome and became known after it was recorded as `unknown`; null without it.'),
    error: EffectError.nullable().describe('Why the refund did not succeed; null if it did or is in progress.'),
    resolution: anyMembers()
      .nullable()
      .describe(
        'Who resolved an `unknown` refund, when, how and why, and in `before` the resolution that it replaced; null if none was needed.',
      ),
    attempt: z
      .int()
      .describe('Number of attempts to send it. Another attempt follows only one that provably sent nothing.'),
    needs_attention: z
      .boolean()
      .describe(
        'Whether an operator has to act: the refund is `unknown`, differs from what was resolved, the recorded refunds exceed the captured amount, or a cancelled order is not refunded completely.',
      ),
    sent_at: seconds.describe(
      'Time at which the request may have left for the provider, in Unix seconds; null if it has not.',
    ),
    answered_at: seconds.describe("Time of the provider's answer, in Unix seconds; null without one."),
    settled_at: seconds.describe('Time at which the outcome was final, in Unix seconds; null until then.'),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  })
  .meta({
    id: 'Refund',
    description:
      'A refund of a payment. In status `unknown` it may or may not have happened, and it is never sent again.',
  })

export const shownRefund = (refund: Refund): z.input<typeof RefundOut> => ({
  ...asRow(refund),
  order_id: refund.order_id as string,
  id: refund.id,
  sent_at: unixSecondsOf(refund.sent_at),
  answered_at: unixSecondsOf(refund.answered_at),
  settled_at: unixSecondsOf(refund.settled_at),
})

const ListedRefund = RefundOut.extend({
  order_id: z.string().nullable().describe("Identifier of the order; null for a membership's refund."),
  order_number: z
    .int()
    .nullable()
    .describe("Number of the order, counted per {store}; null for a membership's refund."),
  subscription_id: z
    .string()
    .nullable()
    .describe("Identifier of the subscription of a membership; null for an order's refund."),
  audience_id: z
    .string()
    .nullable()
    .describe("Identifier of the membership's audience, for the path of its resolution; null for an order's refund."),
  member_id: z
    .string()
    .nullable()
    .describe("Identifier of the membership, for the path of its resolution; null for an order's refund."),
}).meta({ id: 'ListedRefund', description: 'A refund of an order, with its number, or of a membership.' })

/** The refusal of a refund that was recorded as refused: every replay returns it again. */
function refusalOf(refund: Refund): Refusal | null {
  if (refund.status !== 'failed' || refund.error?.code !== 'amount_exceeds_refundable') return null
  return new Refusal(422, refund.error.code, refund.error.message, {
    commit: true,
    faults: [{ pointer: '/amount', code: refund.error.code, detail: refund.error.message }],
    members: { refund: { refund_id: refund.refund_id, status: refund.status } },
  })
}

/** 404. */
export async function readRefund(em: EntityManager, of: Parameters<typeof findRefund>[1], id: string): Promise<Refund> {
  const refund = await findRefund(em, of, id)
  if (!refund) throw notFound('refund')
  return refund
}

const isInProgress = ({ status, answered_at }: Refund) =>
  (status === 'requested' || status === 'processing') && !answered_at

/** Two requests with the same id for different payments lock different payments: the unique key refuses the second. */
export function usedElsewhere(error: unknown): never {
  throw error instanceof UniqueConstraintViolationException ? idempotencyConflict() : error
}

/**
 * The answer to a request for a refund, which is waited for; throws the refusal of one that was recorded as refused.
 */
/** `show`: as the route answers it. */
export function answeredRefund<R>(refund: Refund, isReplay: boolean, show: (refund: Refund) => R): Reply<R, string> {
  const refusal = refusalOf(refund)
  if (refusal) throw refusal
  return new Reply(show(refund), {
    status: isReplay ? 200 : 201,
    pending: isInProgress(refund) ? refund.id : undefined,
  })
}

/** `show`: as the route answers it. */
export const refundWait = <R>(show: (refund: Refund) => R) => ({
  async until({ em, pending: id }: { em: EntityManager; pending: string }) {
    const refund = await em.findOneOrFail(Refund, { id })
    return isInProgress(refund) ? new NotYet(show(refund)) : show(refund)
  },
})

export const RefundId = Id.describe(
  'UUID made by the caller. The same id and amount return the same refund, and nothing is sent again; another amount returns 409 `idempotency_conflict`. A refund that was refused with 422 keeps its id: use a new id for the next one.',
)

export const Resolution = z.object({
  outcome: RefundOutcome.describe('`succeeded` if the provider refunded the amount, `rejected` if it did not.'),
  note: Note,
  force: Force,
  replaces: replacing(RefundOutcome),
})

export const resolveRefunds = [
  'refund_not_unknown',
  'contradicts_evidence',
  'resolved_otherwise',
  'resolved_too_often',
] as const
export const resolvingRefunds =
  `Records the outcome that an operator found at the provider. ${resolving} 409 \`refund_not_unknown\` for a refund that is neither \`unknown\` nor was resolved. If the refunds of the ` +
  'payment exceed the captured amount after a correction, its `error` is `refund_conflict`, and nothing more can be refunded until one of them is corrected.'

export const refunds = [
  listing('GET /v1/stores/{storeId}/refunds', {
    may: 'admin',
    summary: 'List the refunds of a {store}, across its orders and memberships',
    description:
      'With `needs_attention=true`, returns the refunds that operators have to act on: those that are `unknown`, those that differ from what was resolved, those that exceed the captured amount, and those that failed or are ' +
      'late while their order is cancelled. A refund leaves this list when it is resolved, or when the order is refunded completely.',
    entity: Refund,
    item: ListedRefund,
    filters: {
      status: filter(many(anyCase(EffectStatus)), (status) => ({ status: { $in: status } })),
      needs_attention: filter(
        flag.describe('Only refunds that an operator has (`true`) or does not have (`false`) to act on.'),
        (needs_attention) => ({
          needs_attention,
        }),
      ),
    },
    async load(em, rows: Refund[], { tenant_id }) {
      const orders = await em.find(
        Order,
        { id: { $in: rows.flatMap(({ order_id }) => order_id ?? []) } },
        { fields: ['number'] },
      )
      const numbers = new Map(orders.map(({ id, number }) => [id, number]))
      const members = await membersOfSubscriptions(
        em,
        tenant_id,
        rows.flatMap(({ subscription_id }) => (subscription_id ? [String(subscription_id)] : [])),
      )
      return rows.map((refund) => ({
        ...shownRefund(refund),
        ...(members.get(String(refund.subscription_id)) ?? { audience_id: null, member_id: null }),
        order_id: refund.order_id ?? null,
        subscription_id: refund.subscription_id ?? null,
        order_number: refund.order_id ? numbers.get(refund.order_id) : null,
      }))
    },
  }),
  route('POST /v1/stores/{storeId}/orders/{orderId}/refunds', {
    operation: 'createRefund',
    may: 'admin',
    refuses: ['idempotency_conflict', 'amount_exceeds_refundable'],
    summary: 'Refund a payment',
    description:
      'Sends one refund to the provider and returns it, with its outcome if the provider answers in time. Sending the same `refund_id` and amount again returns the same refund (200) ' +
      'and sends nothing twice; another amount is 409 `idempotency_conflict`. 422 `amount_exceeds_refundable` if less is left to refund. A refund whose outcome cannot be proved is ' +
      '`unknown` and is never sent again.',
    body: z.object({
      refund_id: RefundId,
      amount: z.int().positive().describe("Amount to refund, in minor units of the payment's currency."),
    }),
    out: RefundOut,
    status: [201, 200],
    async run({ em, caller, path, body, now }) {
      const payment = await lockPayment(em, { order_id: path.orderId })
      if (!payment) throw notFound('order')
      const fingerprint = fingerprintOf({ order_id: path.orderId, ...body })
      const earlier = replay(await em.findOne(Refund, { refund_id: body.refund_id }), fingerprint)
      const refund =
        earlier ??
        (await requestRefund(em, payment, { ...body, fingerprint, requested_by: caller.account_id }, now).catch(
          usedElsewhere,
        ))
      return answeredRefund(refund, earlier !== null, shownRefund)
    },
    wait: refundWait(shownRefund),
  }),
  listing('GET /v1/stores/{storeId}/orders/{orderId}/refunds', {
    may: 'admin',
    summary: 'List the refunds of an order',
    entity: Refund,
    item: RefundOut,
    async scope({ em, path }) {
      await mustExist(em, Order, { id: path.orderId }, 'order')
      return { order_id: path.orderId }
    },
    load: async (_, rows: Refund[]) => rows.map(shownRefund),
  }),
  route('GET /v1/stores/{storeId}/orders/{orderId}/refunds/{refundId}', {
    operation: 'getRefund',
    may: 'admin',
    summary: 'Read a refund by its `refund_id` or `id`',
    description: '404 `not_found` if there is no such refund.',
    out: RefundOut,
    run: async ({ em, path }) => shownRefund(await readRefund(em, { order_id: path.orderId }, path.refundId)),
  }),
  route('POST /v1/stores/{storeId}/orders/{orderId}/refunds/{refundId}/resolve', {
    operation: 'resolveRefund',
    may: 'owner',
    refuses: resolveRefunds,
    summary: 'Resolve a refund whose outcome is unknown',
    description: resolvingRefunds,
    body: Resolution,
    out: RefundOut,
    run: async ({ em, path, body, caller, now }) =>
      shownRefund(
        await resolveRefund(
          em,
          { order_id: path.orderId },
          path.refundId,
          { ...body, account_id: caller.account_id },
          now,
        ),
      ),
  }),
]

/** The newest refund of an order with an equal payload. */
async function lastRefund(em: EntityManager, order_id: string, fingerprint: string): Promise<Earlier | null> {
  const [refund] = await em.find(Refund, { order_id, fingerprint }, { orderBy: { id: 'desc' }, limit: 1 })
  if (!refund) return null
  const { refund_id: id, created_at, status } = refund
  return {
    id,
    created_at,
    isOpen: status === 'requested' || status === 'processing' || status === 'unknown',
    isDone: status === 'succeeded',
  }
}

/**
 * The refund of an equal request with the same key that version 0.2.0 received: its ids did not name the caller, and
 * the money must not be sent again.
 */
const refundOf020 = (
  em: EntityManager,
  parts: readonly string[],
  key: string,
  fingerprint: string,
): Promise<Refund | null> => em.findOne(Refund, { refund_id: idOf(...parts, 'key', key), fingerprint })

/** A refund on the business surface, whose callers have no id for it. */
export const businessRefunds = [
  route('POST /v1/businesses/{businessId}/refund', {
    operation: 'refundBusinessOrder',
    may: 'admin',
    refuses: ['idempotency_conflict', 'amount_exceeds_refundable', 'order_unknown'],
    summary: 'Refund an order or a booking',
    description:
      'Sends one refund to the provider and returns it, with its outcome if the provider answers in time. The same amount of the same order again returns the same refund (200) while it is in ' +
      'progress or `unknown`, and for 10 minutes; another one that is meant needs another `Idempotency-Key`. 422 `amount_exceeds_refundable` if less is left to refund. A refund whose ' +
      'outcome cannot be proved is `unknown` and is never sent again.',
    request: { headers: idempotencyKeyHeader(repeatsForMinutes) },
    body: z.object({
      entity: Id.describe('Identifier of the order or booking.'),
      amount: z.int().positive().describe("Amount to refund, in minor units of the payment's currency."),
    }),
    out: RefundOut,
    status: [201, 200],
    async run({ em, caller, tenant_id, body: { entity, amount }, headers, now }) {
      const key = keyIn(headers)
      const payment = await lockPayment(em, { order_id: entity })
      if (!payment) throw invalid('/entity', 'order_unknown', 'There is no such order or booking.')
      const fingerprint = fingerprintOf({ entity, amount })
      const parts = [tenant_id, 'refund']
      const refund_id =
        key === undefined
          ? repeatOf([...parts, fingerprint], await lastRefund(em, entity, fingerprint), now)
          : idOf(...parts, 'key', caller.account_id, key)
      const earlier =
        replay(await em.findOne(Refund, { refund_id }), fingerprint) ??
        (key === undefined ? null : await refundOf020(em, parts, key, fingerprint))
      const refund =
        earlier ??
        (await requestRefund(
          em,
          payment,
          { refund_id, amount, fingerprint, requested_by: caller.account_id },
          now,
        ).catch(usedElsewhere))
      return answeredRefund(refund, earlier !== null, shownRefund)
    },
    wait: refundWait(shownRefund),
  }),
]
