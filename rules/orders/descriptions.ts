// What the workflows of refunds and checkouts are called in Temporal's UI, and which call resolves their unknown outcomes.
import { call, callOf, type DescribedRow, type Description, kindOf, root, storeOf } from '../descriptions.ts'
import { formatMoney } from './currencies.ts'

/** Amounts in minor units. */
/** Of an order, or of a membership's subscription; the fields of the other one are null. */
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
  const known = [
    `A ${summary}. Requested by ${wantedBy}.`,
    `Look it up at the provider: account \`${account ?? "the platform's own"}\`, payment \`${payment}\`, metadata \`refund\` = \`${id}\` (also the idempotency key).`,
  ]
  // The platform charges the plans of stores, and no route of a store changes its refunds.
  if (!ofOrder && member_id === null)
    return {
      summary,
      details: [
        ...known,
        "Refund in the provider's dashboard what was not refunded. It stays in the list:",
        call(`GET ${root(refund)}/refunds`),
      ].join('\n\n'),
    }
  const details = [
    ...known,
    '**If it is `unknown`**, record what you found at the provider, as an owner. The outcome is `succeeded` or `rejected`:',
    call(`POST ${refunds}/${refund_id}/resolve`, { outcome: 'succeeded or rejected', note: 'what you found' }),
    `**If the ${ofOrder ? 'order is cancelled' : 'system requested it'} and the refund was \`rejected\` or has \`failed\`**, refund the rest under a new id. The payment shows the amount that is left:`,
    call(`GET ${payments}`),
    callOf(refund, `POST ${refunds}`, { refund_id: 'a new UUID', amount }),
    `Refund a payment in another currency than the ${ofOrder ? 'order' : 'price'}'s in the provider's dashboard.`,
  ]
  return { summary, details: details.join('\n\n') }
}

/** Of an order, or of a subscription: of a member, or without one of the store's own plan. */
export type CheckoutFacts = DescribedRow & {
  number: number | null
  audience_id: string | null
  member_id: string | null
  amount: number
  currency: string
  account: string | null
}

export function describeCheckout(checkout: CheckoutFacts): Description {
  const { id, number, audience_id, member_id, account } = checkout
  const ofOrder = number !== null
  const subject = ofOrder ? `order ${number}` : member_id ? `member ${member_id}` : `plan of the ${kindOf(checkout)}`
  const summary = `checkout of ${formatMoney(checkout.amount, checkout.currency)}, ${subject}, ${storeOf(checkout)}`
  const at = account ? `account \`${account}\`` : "the platform's own account"
  const details = [
    `A ${summary}.`,
    `**If it is \`unknown\`**, the provider may have a payment form of this ${ofOrder ? 'order' : 'subscription'} (${at}, metadata \`${ofOrder ? 'order_id' : 'subscription'}\` = \`${id}\`). ` +
      `Expire it there, or leave it until it expires. The ${ofOrder ? 'order is cancelled' : 'attempt to subscribe is given up'}; the system refunds a later payment.`,
    ...(ofOrder ? [call(`GET ${root(checkout)}/orders/${id}/payment`)] : []),
    ...(member_id ? [call(`GET ${root(checkout)}/audiences/${audience_id}/members`)] : []),
  ]
  return { summary, details: details.join('\n\n') }
}
