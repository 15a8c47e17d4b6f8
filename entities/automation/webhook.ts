// Somebody who wants to hear of events by name.
import { defineEntity, p } from '@mikro-orm/core'
import { tenantRow } from '../row.ts'

const schema = defineEntity({
  name: 'Webhook',
  tableName: 'webhooks',
  properties: {
    ...tenantRow,
    /** Names of events (API document 3, Events). */
    events: p.json<string[]>(),
    enabled: p.boolean().default(true),
  },
  indexes: [{ properties: ['tenant_id', 'created_at', 'id'] }],
})
export class Webhook extends schema.class {}
schema.setClass(Webhook)
