// The tables of subscriptions and their charges.
import { settled } from '../kit/expiry.ts'
import { record, swept, type Tables } from '../kit/table.ts'

export const subscriptionTables = {
  coupons: { rows: record("one per discounted subscription at most; its id is the provider's coupon") },
  portal_configurations: { rows: record('one per account; links share it') },
  portal_links: { rows: swept('portal_links', settled(), 'one per visit of the portal') },
  price_provisions: { rows: record('one per request to create a price') },
  subscription_changes: { rows: record('one per change of a subscription') },
  subscriptions: { rows: record('one per attempt to subscribe that opened a page or was paid') },
} satisfies Tables
