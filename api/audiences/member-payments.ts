// What a member has paid, over all of the member's subscriptions, and refunds of it.

import { z } from 'zod'
import { AudienceMember } from '../../entities/audiences/audience-member.ts'
import { condition } from '../../entities/kit/database/condition.ts'
import type { EntityManager } from '../../entities/kit/database/orm.ts'
import { asRow } from '../../entities/kit/database/row.ts'
import { sql } from '../../entities/kit/database/sql.ts'
import { findRecord, mustExist } from '../../entities/kit/find.ts'
import { Dispute } from '../../entities/payments/dispute.ts'
import { ofSubscription, Payment } from '../../entities/payments/payment.ts'
import { lockPayment } from '../../entities/payments/payment-lock.ts'
import { Refund } from '../../entities/refunds/refund.ts'
import { requestRefund } from '../../entities/refunds/refunds.ts'
import { resolveRefund } from '../../entities/refunds/resolve-refund.ts'
import { PaymentKind, PaymentStatus, PaymentType } from '../../rules/payments/payments.ts'
import { refundable } from '../../rules/refunds/refunds.ts'
import { conflict, notFound } from '../../rules/refusal.ts'
import { PaymentOut } from '../../rules/resources.ts'
import { Amount, anyCase, EffectStatus } from '../../rules/shapes.ts'
import { filter, listing } from '../kit/answer/listing.ts'
import { fingerprintOf, replay } from '../kit/idempotency.ts'
import { many } from '../kit/query.ts'
import { route } from '../kit/route.ts'
import { DisputeOut } from '../payments/disputes.ts'
import {
  answeredRefund,
  RefundId,
  RefundOut,
  Resolution,
  readRefund,
  refundWait,
  resolveRefunds,
  resolvingRefunds,
  shownRefund,
  usedElsewhere,
} from '../refunds/refunds.ts'

const MemberPaymentOut = PaymentOut.omit({ order_id: true, method_key: true })
  .extend({
    subscription_id: z
      .string()
      .describe('Identifier of the subscription. A member has one for each time of subscribing.'),
    kind: PaymentKind.describe(
      '`initial` for the first payment of a subscription, `renewal` for each later one, `one_time` for access without an end.',
    ),
    discount_amount: Amount.describe('What a promo code took off, in minor units.'),
    payer_contact_id: z
      .string()
      .nullable()
      .describe(
        'Identifier of the contact that subscribed, as it was then: it does not change when contacts are merged. Null if it is not known.',
      ),
    provider_invoice_id: z.string().nullable().describe("The provider's id of the invoice; null without one."),
    period_start: z
      .int()
      .nullable()
      .describe('Begin of the time that was paid, in Unix seconds; null if the payment proves none.'),
    type: PaymentType.describe(
      'How it is paid: by `card`, also where a promo code leaves nothing to pay; `none` for a price of 0.',
    ),
    period_end: z
      .int()
      .nullable()
      .describe('End of the time that was paid, in Unix seconds; null if the payment proves none.'),
    disputes: z
      .array(
        DisputeOut.omit({ order_id: true }).meta({
          id: 'AudiencePaymentDispute',
          description: 'A dispute of a payment of a membership.',
        }),
      )
      .describe('Disputes of the payment, the oldest first.'),
  })
  .meta({ id: 'AudiencePayment', description: 'A payment of a membership. Amounts are in minor units.' })

const subscriptionId = z.string().describe('Identifier of the subscription that the payment belongs to.')
const MemberRefundOut = RefundOut.omit({ order_id: true }).extend({ subscription_id: subscriptionId }).meta({
  id: 'AudienceRefund',
  description:
    'A refund of a payment of a membership. In status `unknown` it may or may not have happened, and it is never sent again.',
})

type MemberPath = { audienceId: string; memberId: string }

/** Rows of the member's subscriptions. */
const ofMember = ({ audienceId, memberId }: MemberPath) =>
  condition(
    (rows) => sql`
      exists (
        select 1
        from subscriptions s
        join audience_members m on m.id = s.member_id and m.tenant_id = s.tenant_id
        where s.tenant_id = ${rows}.tenant_id and s.id = ${rows}.subscription_id
          and m.id = ${memberId} and m.audience_id = ${audienceId}
      )
    `,
  )

async function scope({ em, path }: { em: EntityManager; path: MemberPath }) {
  await mustExist(em, AudienceMember, { id: path.memberId, audience_id: path.audienceId }, 'member')
  return ofMember(path)
}

/** Payments with their disputes. One statement. */
async function withDisputes(em: EntityManager, payments: readonly Payment[]) {
  const ids = payments.map(({ id }) => id)
  const disputes =
    ids.length === 0
      ? []
      : await em.find(Dispute, { payment_id: { $in: ids } }, { orderBy: { created_at: 'asc', id: 'asc' } })
  const byPayment = Map.groupBy(disputes, ({ payment_id }) => String(payment_id))
  return payments.map((payment) => ({
    ...ofSubscription(payment),

    disputes: (byPayment.get(payment.id) ?? []).map(asRow),
  }))
}

/** Locks a payment of the member. 404. */
async function lockOwn(em: EntityManager, path: MemberPath & { paymentId: string }): Promise<Payment> {
  await mustExist(em, Payment, { id: path.paymentId, ...ofMember(path) }, 'payment')
  const payment = await lockPayment(em, { id: path.paymentId })
  if (!payment) throw notFound('payment')
  return payment
}

const shown = (refund: Refund) => ({ ...shownRefund(refund), subscription_id: refund.subscription_id as string })

export const memberPayments = [
  listing('GET /v1/stores/{storeId}/audiences/{audienceId}/members/{memberId}/payments', {
    may: 'admin',
    summary: 'List the payments of a member',
    entity: Payment,
    item: MemberPaymentOut,
    filters: {
      status: filter(many(anyCase(PaymentStatus)), (status) => ({ status: { $in: status } })),
      kind: filter(many(anyCase(PaymentKind)).describe('Only payments of these kinds.'), (kind) => ({
        kind: { $in: kind },
      })),
    },
    scope,
    load: withDisputes,
  }),
  route('GET /v1/stores/{storeId}/audiences/{audienceId}/members/{memberId}/payments/{paymentId}', {
    operation: 'getMemberPayment',
    may: 'admin',
    summary: 'Read a payment of a member',
    out: MemberPaymentOut,
    async run({ em, path }) {
      const payment = await findRecord(em, Payment, { id: path.paymentId, ...ofMember(path) }, 'payment')
      const [shownPayment] = await withDisputes(em, [payment])
      return shownPayment as NonNullable<typeof shownPayment>
    },
  }),
  listing('GET /v1/stores/{storeId}/audiences/{audienceId}/members/{memberId}/refunds', {
    may: 'admin',
    summary: 'List the refunds of a member',
    entity: Refund,
    item: MemberRefundOut,
    filters: { status: filter(many(anyCase(EffectStatus)), (status) => ({ status: { $in: status } })) },
    scope,
    load: async (_, rows: Refund[]) => rows.map(shown),
  }),
  route('POST /v1/stores/{storeId}/audiences/{audienceId}/members/{memberId}/payments/{paymentId}/refunds', {
    operation: 'createMemberRefund',
    may: 'admin',
    refuses: ['idempotency_conflict', 'nothing_to_refund', 'amount_exceeds_refundable'],
    summary: 'Refund a payment of a member',
    description:
      'Sends one refund to the provider and returns it, with its outcome if the provider answers in time. Without `amount`, all that is left is refunded. Sending the same `refund_id` ' +
      'again returns the same refund (200) and sends nothing twice, with the same amount or without one; another amount is 409 `idempotency_conflict`. 409 `nothing_to_refund` without ' +
      '`amount` if nothing is left: nothing is recorded. 422 `amount_exceeds_refundable` if less than `amount` is left. A refund takes no paid time away: remove the member for that.',
    body: z.object({
      refund_id: RefundId,
      amount: z
        .int()
        .positive()
        .optional()
        .describe("Amount to refund, in minor units of the payment's currency. Left out: all that is left."),
    }),
    out: MemberRefundOut,
    status: [201, 200],
    async run({ em, caller, path, body: { refund_id, amount: wanted }, now }) {
      const payment = await lockOwn(em, path)
      const found = await em.findOne(Refund, { refund_id })
      const amount = wanted ?? found?.amount ?? refundable(payment)
      const fingerprint = fingerprintOf({ payment_id: payment.id, refund_id, amount })
      const earlier = replay(found, fingerprint)
      if (!earlier && amount === 0) throw conflict('nothing_to_refund', 'Nothing of the payment is left to refund.')
      const refund =
        earlier ??
        (await requestRefund(
          em,
          payment,
          { refund_id, amount, fingerprint, requested_by: caller.account_id },
          now,
        ).catch(usedElsewhere))
      return answeredRefund(refund, earlier !== null, shown)
    },
    wait: refundWait(shown),
  }),
  route('GET /v1/stores/{storeId}/audiences/{audienceId}/members/{memberId}/payments/{paymentId}/refunds/{refundId}', {
    operation: 'getMemberRefund',
    may: 'admin',
    summary: 'Read a refund of a member by its `refund_id` or `id`',
    description: '404 `not_found` if there is no such refund.',
    out: MemberRefundOut,
    run: async ({ em, path }) =>
      shown(await readRefund(em, { payment_id: path.paymentId, ...ofMember(path) }, path.refundId)),
  }),
  route(
    'POST /v1/stores/{storeId}/audiences/{audienceId}/members/{memberId}/payments/{paymentId}/refunds/{refundId}/resolve',
    {
      operation: 'resolveMemberRefund',
      may: 'owner',
      refuses: resolveRefunds,
      summary: 'Resolve a refund of a member whose outcome is unknown',
      description: resolvingRefunds,
      body: Resolution,
      out: MemberRefundOut,
      async run({ em, path, body, caller, now }) {
        const { id } = await lockOwn(em, path)
        return shown(await resolveRefund(em, { id }, path.refundId, { ...body, account_id: caller.account_id }, now))
      },
    },
  ),
]
