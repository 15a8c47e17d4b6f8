// The tables of subscriptions and their changes.
import { record, type Tables } from '../kit/table.ts'
import { subscriptionChangeWait, subscriptionWait } from './erasure.ts'

export const subscriptionTables = {
  subscription_changes: { rows: record('one per change of a subscription'), erasure: subscriptionChangeWait },
  subscriptions: {
    rows: record('one per attempt to subscribe that opened a page or was paid'),
    erasure: subscriptionWait,
  },
} satisfies Tables
