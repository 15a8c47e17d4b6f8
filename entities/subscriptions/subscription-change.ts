// An effect: a change of a subscription at the provider. The changes of one subscription are sent one after the other.
import { defineEntity, p } from '@mikro-orm/core'
import { ChangeKind, ChangeOrigin } from '../../rules/subscriptions/subscriptions.ts'
import { tenantRow } from '../kit/database/row.ts'
import { attentionIndexes, effect, recordedOfAllIndex } from '../kit/effect-columns.ts'
import { Subscription } from './subscription.ts'

const schema = defineEntity({
  name: 'SubscriptionChange',
  tableName: 'subscription_changes',
  properties: {
    ...tenantRow,
    subscription_id: () => p.manyToOne(Subscription).mapToPk().deleteRule('restrict').joinColumn('subscription_id'),
    kind: p.enum(ChangeKind.options),
    requested_by: p.enum(ChangeOrigin.options),
    /** The customer saved another card while this one was being sent: a new change follows. */
    repeat: p.boolean().default(false),
    /** The subscription as the provider answered, and when, in Unix seconds. */
    billing_status: p.string().nullable(),
    cancel_at: p.bigint('number').nullable(),
    reported_at: p.bigint('number').nullable(),
    ...effect,
  },
  indexes: [
    { properties: ['subscription_id', 'created_at', 'id'] },
    { properties: ['status', 'created_at'] },
    {
      name: 'subscription_changes_open',
      expression: `
        create unique index "subscription_changes_open" on "subscription_changes" ("subscription_id", "kind")
        where status in ('requested', 'processing')
      `,
    },
    {
      name: 'subscription_changes_sent',
      expression: `
        create unique index "subscription_changes_sent" on "subscription_changes" ("subscription_id")
        where status = 'processing'
      `,
    },
    {
      name: 'subscription_changes_cards',
      expression: `
        create index "subscription_changes_cards" on "subscription_changes" ("settled_at")
        where kind = 'card' and status in ('rejected', 'failed', 'unknown')
      `,
    },
    ...attentionIndexes('subscription_changes'),
    recordedOfAllIndex('subscription_changes'),
    {
      name: 'subscription_changes_unproved',
      expression: `
        create index "subscription_changes_unproved" on "subscription_changes" ("settled_at")
        where status = 'unknown' and late_evidence is null
      `,
    },
  ],
})
export class SubscriptionChange extends schema.class {}
schema.setClass(SubscriptionChange)
