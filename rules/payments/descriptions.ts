// What the workflows of checkouts are called in Temporal's UI, and which call resolves their unknown outcomes.
import { call, type DescribedRow, type Description, kindOf, root, storeOf } from '../descriptions.ts'
import { formatMoney } from './currencies.ts'

/** The checkout of an order or a subscription. A subscription without a member is the store's own plan. */
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
