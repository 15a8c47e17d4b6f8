// A refresh of a connection's tokens, or their revocation. A refresh token is used once: when it comes again, networks
// revoke all tokens of its family.
import { defineEntity, p } from '@mikro-orm/core'
import { TokenRequestKind } from '../../rules/connections/requests.ts'
import { networkTypes } from '../../rules/social/networks/network-types.ts'
import { tenantRow } from '../kit/database/row.ts'
import { attentionIndexes, effect } from '../kit/effect-columns.ts'
import { Encrypted } from '../kit/encrypted.ts'

const schema = defineEntity({
  name: 'SocialTokenRequest',
  tableName: 'social_token_requests',
  properties: {
    ...tenantRow,
    kind: p.enum(TokenRequestKind.options),
    type: p.enum(networkTypes),
    social_connection_id: p.uuid(),
    /** The version of the tokens that the request was made with. */
    token_version: p.integer(),
    /** JSON of the tokens that it is about; null when they were sent. */
    held: p.type(Encrypted).nullable(),
    /** JSON of the tokens of the answer, until the connection has them. */
    tokens: p.type(Encrypted).nullable(),
    ...effect,
  },
  indexes: [
    { properties: ['status', 'created_at'] },
    { properties: ['social_connection_id', 'token_version'] },
    { properties: ['social_connection_id', 'created_at', 'id'] },
    {
      name: 'social_token_requests_refresh',
      expression: `
        create unique index "social_token_requests_refresh" on "social_token_requests" ("social_connection_id")
        where kind = 'refresh' and status in ('requested', 'processing')
      `,
    },
    ...attentionIndexes('social_token_requests'),
  ],
})
export class SocialTokenRequest extends schema.class {}
schema.setClass(SocialTokenRequest)
