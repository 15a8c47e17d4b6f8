// Disputes of an order, as the provider's signed events told them.
import { z } from 'zod'
import { Dispute } from '../../entities/orders/dispute.ts'
import { Order } from '../../entities/orders/order.ts'
import { notFound } from '../../rules/refusal.ts'
import { Amount, DisputeStatus } from '../../rules/shapes.ts'
import { listing } from '../kit/listing.ts'
import { route } from '../kit/route.ts'

const DisputeOut = z
  .object({
    id: z.string(),
    order_id: z.string(),
    payment_id: z.string(),
    provider_dispute_id: z.string(),
    amount: Amount,
    currency: z.string(),
    status: DisputeStatus.describe('`warning`: an inquiry, or a dispute that was prevented. An appeal opens a lost dispute again.'),
    provider_status: z.string().nullable().describe("The provider's own word, for example `warning_closed`, `prevented` or `appeal_under_review`."),
    reason: z.string().nullable(),
    evidence_due_at: z.int().nullable(),
    closed_at: z.int().nullable(),
    evidence: z.looseObject({}).nullable(),
    created_at: z.int(),
    updated_at: z.int(),
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
    may: 'admin',
    summary: 'Read a dispute',
    out: DisputeOut,
    run: ({ em, path }) => em.findOneOrFail(Dispute, { id: path.disputeId, order_id: path.orderId }, { failHandler: () => notFound('dispute') }),
  }),
]
