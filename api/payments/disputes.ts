// Disputes of an order, as recorded from the provider's signed events.
import { z } from 'zod'
import { mustExist } from '../../entities/kit/find.ts'
import { Order } from '../../entities/orders/order.ts'
import { Dispute } from '../../entities/payments/dispute.ts'
import { anyMembers } from '../../rules/open-answers.ts'
import { DisputeStatus } from '../../rules/payments/disputes.ts'
import { Amount, CreatedAt, UpdatedAt } from '../../rules/shapes.ts'
import { listing } from '../kit/answer/listing.ts'
import { reading } from '../kit/answer/record.ts'

export const DisputeOut = z
  .object({
    id: z.string().describe('Identifier of the dispute, a UUIDv7 made by the server.'),
    order_id: z.string().describe('Identifier of the order.'),
    payment_id: z.string().describe('Identifier of the payment that is disputed.'),
    provider_dispute_id: z.string().describe("The provider's id of the dispute."),
    amount: Amount.describe('Disputed amount, in minor units of `currency`.'),
    currency: z.string().describe('Currency of the amount, ISO 4217.'),
    status: DisputeStatus.describe(
      "Status by the provider's latest signed event. `warning`: an inquiry, or a dispute that was prevented. An appeal opens a lost dispute again.",
    ),
    provider_status: z
      .string()
      .nullable()
      .describe("The provider's own status, for example `warning_closed`, `prevented` or `appeal_under_review`."),
    reason: z.string().nullable().describe("The provider's reason; null if it gave none."),
    evidence_due_at: z
      .int()
      .nullable()
      .describe('Time until which the provider takes evidence, in Unix seconds; null if none is awaited.'),
    closed_at: z
      .int()
      .nullable()
      .describe('Time at which the dispute was closed, in Unix seconds; null while it is open.'),
    evidence: anyMembers().nullable().describe('What the provider sent about the dispute; null if nothing.'),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  })
  .meta({ id: 'Dispute' })

export const disputes = [
  listing('GET /v1/stores/{storeId}/orders/{orderId}/disputes', {
    may: 'admin',
    summary: 'List the disputes of an order',
    entity: Dispute,
    item: DisputeOut,
    async scope({ em, path }) {
      await mustExist(em, Order, { id: path.orderId }, 'order')
      return { order_id: path.orderId }
    },
  }),
  reading('GET /v1/stores/{storeId}/orders/{orderId}/disputes/{disputeId}', {
    operation: 'getDispute',
    may: 'admin',
    summary: 'Read a dispute',
    entity: Dispute,
    out: DisputeOut,
    where: ({ path }) => ({ id: path.disputeId, order_id: path.orderId }),
  }),
]
