// What the workflows of refunds are called in Temporal's UI, and which call resolves their unknown outcomes.
import { call, callOf, type DescribedRow, type Description, kindOf, root, storeOf } from '../descriptions.ts'
import { formatMoney } from '../payments/currencies.ts'

/**
 * A refund of an order or of a membership's subscription; the fields of the other one are null. Amounts in minor units.
 */
export type RefundFacts = DescribedRow & {
  order_id: string | null
  number: number | null
  audience_id: string | null
  member_id: string | null
  payment_id: string
  refund_id: string
  amount: number
  currency: string
  origin: string
  account: string | null
  payment: string | null
}

export function describeRefund(refund: RefundFacts): Description {
  const { id, order_id, audience_id, member_id, payment_id, refund_id, amount, currency, origin, account, payment } =
    refund
  const ofOrder = order_id !== null
  const summary = `refund of ${formatMoney(amount, currency)}, ${ofOrder ? `order ${refund.number}` : member_id ? `member ${member_id}` : `plan of the ${kindOf(refund)}`}, ${storeOf(refund)}`
  const payments = ofOrder
    ? `${root(refund)}/orders/${order_id}/payment`
    : `${root(refund)}/audiences/${audience_id}/members/${member_id}/payments`
  const refunds = ofOrder ? `${root(refund)}/orders/${order_id}/refunds` : `${payments}/${payment_id}/refunds`
  const wantedBy =
    {
      system: ofOrder
        ? 'the system: paid after the order was cancelled'
        : 'the system: paid beside another subscription',
      provider: "the provider's dashboard",
    }[origin] ?? 'an operator'
  const introduction = [
    `A ${summary}. Requested by ${wantedBy}.`,
    `Look it up at the provider: account \`${account ?? "the platform's own"}\`, payment \`${payment}\`, metadata \`refund\` = \`${id}\` (also the idempotency key).`,
  ]
  // The platform charges the plans of stores, and no route of a store changes its refunds.
  if (!ofOrder && member_id === null)
    return {
      summary,
      details: [
        ...introduction,
        "Refund in the provider's dashboard what was not refunded. It stays in the list:",
        call(`GET ${root(refund)}/refunds`),
      ].join('\n\n'),
    }
  const details = [
    ...introduction,
    '**If it is `unknown`**, record what you found at the provider, as an owner. The outcome is `succeeded` or `rejected`:',
    call(`POST ${refunds}/${refund_id}/resolve`, { outcome: 'succeeded or rejected', note: 'what you found' }),
    `**If the ${ofOrder ? 'order is cancelled' : 'system requested it'} and the refund was \`rejected\` or has \`failed\`**, refund the rest under a new id. The payment shows the amount that is left:`,
    call(`GET ${payments}`),
    callOf(refund, `POST ${refunds}`, { refund_id: 'a new UUID', amount }),
    `Refund a payment in another currency than the ${ofOrder ? 'order' : 'price'}'s in the provider's dashboard.`,
  ]
  return { summary, details: details.join('\n\n') }
}
