// A subscription to events, delivered to an address.
import { defineEntity, p } from '@mikro-orm/core'
import { tenantRow } from '../kit/database/row.ts'
import { Encrypted } from '../kit/encrypted.ts'

const schema = defineEntity({
  name: 'Webhook',
  tableName: 'webhooks',
  properties: {
    ...tenantRow,
    key: p.string(),
    url: p.type(Encrypted),
    /** JSON of name to value. */
    headers: p.type(Encrypted),
    secret: p.type(Encrypted),
    /** The former secret, which also signs until then (Unix seconds): the receiver has a day to change it. */
    previous_secret: p.type(Encrypted).nullable(),
    previous_secret_until: p.bigint('number').nullable(),
    /** Names of events. */
    events: p.json<string[]>(),
    enabled: p.boolean().default(true),
    disabled_reason: p.string().nullable(),
    /** Since when all attempts have failed; Unix seconds. */
    failing_since: p.bigint('number').nullable(),
    /** Until then a drain polls its deliveries, and polls once more before it ends: no signal is needed. */
    awake_until: p.datetime(3).nullable(),
  },
  uniques: [{ properties: ['tenant_id', 'key'] }],
  indexes: [{ properties: ['tenant_id', 'created_at', 'id'] }, { properties: ['tenant_id', 'updated_at', 'id'] }],
})
export class Webhook extends schema.class {}
schema.setClass(Webhook)
