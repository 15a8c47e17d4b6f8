// A test delivery: an effect that the caller names by delivery_id. It is attempted once, and unknown if its outcome cannot be proved.
import { defineEntity, p } from '@mikro-orm/core'
import { effect } from '../kit/effect-columns.ts'
import { tenantRow } from '../kit/row.ts'
import { Webhook } from './webhook.ts'

const schema = defineEntity({
  name: 'WebhookTest',
  tableName: 'webhook_tests',
  properties: {
    ...tenantRow,
    delivery_id: p.uuid(),
    webhook_id: () => p.manyToOne(Webhook).mapToPk().deleteRule('cascade').joinColumn('webhook_id'),
    provider_status_code: p.integer().nullable(),
    ...effect,
  },
  uniques: [{ properties: ['tenant_id', 'delivery_id'] }],
  indexes: [{ properties: ['webhook_id', 'created_at', 'id'] }, { properties: ['status', 'created_at'] }],
})
export class WebhookTest extends schema.class {}
schema.setClass(WebhookTest)
