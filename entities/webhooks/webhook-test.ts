// A test delivery, to a webhook or to an address that is no webhook yet: an effect that the caller names by
// delivery_id. It is attempted once, and unknown if its outcome cannot be proved.
import { defineEntity, p } from '@mikro-orm/core'
import { tenantRow } from '../kit/database/row.ts'
import { sql } from '../kit/database/sql.ts'
import { attentionIndexes, effect } from '../kit/effect-columns.ts'
import { effectRow } from '../kit/effects.ts'
import { Encrypted } from '../kit/encrypted.ts'
import { freeSlot, lockCountsOfSlot } from '../platform/task-slots.ts'
import { Webhook } from './webhook.ts'

const schema = defineEntity({
  name: 'WebhookTest',
  tableName: 'webhook_tests',
  properties: {
    ...tenantRow,
    delivery_id: p.uuid(),
    webhook_id: () => p.manyToOne(Webhook).mapToPk().deleteRule('cascade').joinColumn('webhook_id').nullable(),
    /** JSON of a TestTarget, for a test without a webhook. */
    target: p.type(Encrypted).nullable(),
    provider_status_code: p.integer().nullable(),
    ...effect,
  },
  checks: [{ name: 'webhook_tests_target', expression: '(webhook_id is null) <> (target is null)' }],
  uniques: [{ properties: ['tenant_id', 'delivery_id'] }],
  indexes: [
    { properties: ['webhook_id', 'created_at', 'id'] },
    { properties: ['status', 'created_at'] },
    ...attentionIndexes('webhook_tests'),
  ],
})
export class WebhookTest extends schema.class {}
schema.setClass(WebhookTest)

export const webhookTestEffect = effectRow('webhook_test', {
  precondition: sql`
    e.target is not null
    or exists (select 1 from webhooks w where w.id = e.webhook_id and w.tenant_id = e.tenant_id and w.enabled)
  `,
  // A grant of its slot starts it.
  waits: sql`exists (select 1 from task_slots s where s.id = e.id and s.tenant_id = e.tenant_id and not s.granted)`,
  lock: lockCountsOfSlot,
  afterStatusChange: freeSlot,
})
