// A channel by which visitors write to an agent: the webhook of an integration's bot. Its id is the integration's; the
// row outlives it until the webhook is taken away.
import { defineEntity, p } from '@mikro-orm/core'
import { type ChannelError, ChannelStatus } from '../../rules/agents/channels.ts'
import { tenantRow } from '../kit/database/row.ts'
import { Encrypted } from '../kit/encrypted.ts'

const schema = defineEntity({
  name: 'Channel',
  tableName: 'channels',
  properties: {
    ...tenantRow,
    /** The provider sends it with every update. */
    secret: p.type(Encrypted),
    status: p.enum(ChannelStatus.options).default('pending'),
    error: p.json<ChannelError>().nullable(),
    /** The bot's name, as the provider reports it. */
    username: p.string().nullable(),
    /** Incremented by every change: what was found out about an earlier one is not written. */
    version: p.integer().default(1),
    /** The webhook may be set: written before the provider is asked to set it. */
    is_set: p.boolean().default(false),
    /** JSON of the bots whose webhooks have to be taken away: of earlier tokens, or of a deleted integration. */
    former: p.type(Encrypted).nullable(),
    /** When the provider is asked next, in Unix seconds; null: all is done. */
    look_at: p.bigint('number').nullable(),
    tries: p.integer().default(0),
    deleted_at: p.bigint('number').nullable(),
  },
  indexes: [
    { properties: ['tenant_id'] },
    {
      name: 'channels_due',
      expression: 'create index "channels_due" on "channels" ("look_at") where look_at is not null',
    },
  ],
})
export class Channel extends schema.class {}
schema.setClass(Channel)
