// A request to an authorization server: it exchanges a code for tokens, or revokes a token. A code is sent at most
// once: a second time may revoke what the first one got (RFC 6749, 4.1.2).
import { defineEntity, p } from '@mikro-orm/core'
import { OauthRequestKind } from '../../rules/automation/oauth.ts'
import { tenantRow } from '../kit/database/row.ts'
import { attentionIndexes, effect } from '../kit/effect-columns.ts'
import { Encrypted } from '../kit/encrypted.ts'

/** What is sent but for the client's secret, and to which client and API it belongs. */
export type OauthGrant = { base_url: string; client_id: string; fields: Record<string, string> }

const schema = defineEntity({
  name: 'OauthExchange',
  tableName: 'oauth_exchanges',
  properties: {
    ...tenantRow,
    kind: p.enum(OauthRequestKind.options),
    provider: p.string(),
    /** The integration that holds the tokens; it may be deleted meanwhile. */
    connection_id: p.uuid(),
    /** The `identity_oauth` whose client sends it. */
    integration_id: p.uuid(),
    /** SHA-256 of the code; null of a revocation. */
    code_digest: p.string().length(64).nullable(),
    /** JSON of an `OauthGrant`; null when it was sent. */
    oauth_grant: p.type(Encrypted).nullable(),
    /** JSON of the tokens of the answer, until they are stored. */
    tokens: p.type(Encrypted).nullable(),
    ...effect,
  },
  uniques: [{ properties: ['tenant_id', 'code_digest'] }],
  indexes: [
    { properties: ['status', 'created_at'] },
    { properties: ['connection_id', 'created_at'] },
    ...attentionIndexes('oauth_exchanges'),
  ],
})
export class OauthExchange extends schema.class {}
schema.setClass(OauthExchange)
