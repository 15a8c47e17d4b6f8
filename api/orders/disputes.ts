// Disputes of an order, as the provider's signed events told them.
import { z } from 'zod'
import { Dispute } from '../../entities/orders/dispute.ts'
import { Order } from '../../entities/orders/order.ts'
import { notFound } from '../../rules/refusal.ts'
import { Amount, CreatedAt, DisputeStatus, UpdatedAt } from '../../rules/shapes.ts'
import { listing } from '../kit/listing.ts'
import { route } from '../kit/route.ts'

const DisputeOut = z
  .object({
    id: z.string().describe('Identifier of the dispute, a UUIDv7 made by the server.'),
    order_id: z.string().describe('Identifier of the order.'),
    payment_id: z.string().describe('Identifier of the payment that is disputed.'),
    provider_dispute_id: z.string().describe("The provider's id of the dispute."),
    amount: Amount.describe('Disputed amount, in minor units of `currency`.'),
    currency: z.string().describe('Currency of the amount, ISO 4217.'),
    status: DisputeStatus.describe("Status by the provider's latest signed event."),
    reason: z.string().nullable().describe("The provider's reason; null if it gave none."),
    evidence_due_at: z.int().nullable().describe('Time until which the provider takes evidence, in Unix seconds; null if none is awaited.'),
    closed_at: z.int().nullable().describe('Time at which the dispute was closed, in Unix seconds; null while it is open.'),
    evidence: z.looseObject({}).nullable().describe('What the provider sent about the dispute; null if nothing.'),
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
    async within({ em, path }) {
      if ((await em.count(Order, { id: path.orderId })) === 0) throw notFound('order')
      return { order_id: path.orderId }
    },
  }),
  route('GET /v1/stores/{storeId}/orders/{orderId}/disputes/{disputeId}', {
    operation: 'getDispute',
    may: 'admin',
    summary: 'Read a dispute',
    out: DisputeOut,
    run: ({ em, path }) => em.findOneOrFail(Dispute, { id: path.disputeId, order_id: path.orderId }, { failHandler: () => notFound('dispute') }),
  }),
]
