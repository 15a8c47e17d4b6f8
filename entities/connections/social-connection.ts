// An account of a store at a social network, with its tokens. Reconnecting the account revives the row.
import { defineEntity, p } from '@mikro-orm/core'
import { networkTypes } from '../../rules/social/networks/network-types.ts'
import { SocialConnectionStatus } from '../../rules/social/resources.ts'
import { tenantRow } from '../kit/database/row.ts'
import { Encrypted } from '../kit/encrypted.ts'

const schema = defineEntity({
  name: 'SocialConnection',
  tableName: 'social_connections',
  properties: {
    ...tenantRow,
    type: p.enum(networkTypes),
    provider_account_id: p.string(),
    name: p.string(),
    username: p.string().nullable(),
    scopes: p.json<string[]>(),
    status: p.enum(SocialConnectionStatus.options).default('active'),
    reason: p.json<{ code: string; message: string }>().nullable(),
    reconnect_by: p.bigint('number').nullable(),
    /** The network wants no call before this. */
    paused_until: p.bigint('number').nullable(),
    /** Nothing is read before this: a limit is nearly used up, or is one of reads alone. */
    reads_paused_until: p.bigint('number').nullable(),
    connected_by: p.uuid(),
    /** The network's id of the user whose consent the tokens rest on. */
    granted_by: p.string(),
    /** Null when they were erased. */
    access_token: p.type(Encrypted).nullable(),
    /** The refresh token; for network a, the token of the user, which revokes the grant. */
    refresh_token: p.type(Encrypted).nullable(),
    /** Counts the tokens: a refresh is sent, and its answer used, for the version that it was requested for. */
    token_version: p.integer().default(1),
    token_expires_at: p.bigint('number').nullable(),
    refreshed_at: p.bigint('number'),
    /** The coming end of the consent was published. */
    notified: p.boolean().default(false),
    /** When the workflow looks at the row again, in Unix seconds; null: it has nothing to wait for. */
    look_at: p.bigint('number').nullable(),
  },
  uniques: [{ properties: ['tenant_id', 'type', 'provider_account_id'] }],
  indexes: [
    { properties: ['tenant_id', 'created_at', 'id'] },
    { properties: ['tenant_id', 'updated_at', 'id'] },
    { properties: ['type', 'granted_by'] },
    { properties: ['type', 'provider_account_id'] },
    {
      name: 'social_connections_due',
      expression: `
        create index "social_connections_due" on "social_connections" ("look_at")
        where status = 'active' and look_at is not null
      `,
    },
  ],
})
export class SocialConnection extends schema.class {}
schema.setClass(SocialConnection)
