// One visit of a network's consent page, and the exchange of the code that it ends with. A code is sent at most once.
import { defineEntity, p } from '@mikro-orm/core'
import { networkTypes } from '../../rules/social/networks/network-types.ts'
import { tenantRow } from '../kit/database/row.ts'
import { attentionIndexes, effect } from '../kit/effect-columns.ts'
import { Encrypted } from '../kit/encrypted.ts'

const schema = defineEntity({
  name: 'SocialAuthorization',
  tableName: 'social_authorizations',
  properties: {
    ...tenantRow,
    type: p.enum(networkTypes),
    /** SHA-256 of the state that the network returns. */
    state_digest: p.string().length(64),
    /** The verifier of RFC 7636; null of networks without it, and when it was sent. */
    code_verifier: p.type(Encrypted).nullable(),
    /** Null until the network has sent the browser back, and again when it was sent. */
    code: p.type(Encrypted).nullable(),
    /** SHA-256 of the code. */
    code_digest: p.string().length(64).nullable(),
    /** Our address that the network sends the browser back to, as the consent page was given it. */
    redirect_uri: p.string().length(2048),
    return_url: p.string().length(2048).nullable(),
    connected_by: p.uuid(),
    expires_at: p.bigint('number'),
    /** JSON of the tokens of the answer, until the accounts were read. */
    tokens: p.type(Encrypted).nullable(),
    /** Ids of the connections that it made; null until then. */
    connections: p.json<string[]>().nullable(),
    ...effect,
  },
  uniques: [{ properties: ['tenant_id', 'state_digest'] }],
  indexes: [
    {
      name: 'social_authorizations_open',
      expression: `
        create index "social_authorizations_open" on "social_authorizations" ("created_at")
        where status in ('requested', 'processing') and code is not null
      `,
    },
    {
      name: 'social_authorizations_unread',
      expression: `
        create index "social_authorizations_unread" on "social_authorizations" ("settled_at")
        where tokens is not null
      `,
    },
    ...attentionIndexes('social_authorizations'),
  ],
})
export class SocialAuthorization extends schema.class {}
schema.setClass(SocialAuthorization)
