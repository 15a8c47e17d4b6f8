// Consents and tokens of social networks that cannot be proved, and accounts that have to be connected again.
import type { EffectFacts } from '../../rules/attention.ts'
import {
  type ConnectionFacts,
  socialConnectItem,
  socialConnectionItem,
  socialTokenItem,
} from '../../rules/connections/attention.ts'
import type { SocialConnectFacts, SocialTokenFacts } from '../../rules/connections/descriptions.ts'
import { NOTICE_S } from '../../rules/connections/tokens.ts'
import { attends, attendsEffect } from '../kit/attention.ts'
import { sql } from '../kit/database/sql.ts'
import { socialConnectEffect } from './authorizations.ts'
import { socialTokenRequestEffect } from './token-requests.ts'

export const consentAttention = attendsEffect<EffectFacts & SocialConnectFacts>(socialConnectEffect, {
  columns: sql`x.type`,
  text: socialConnectItem,
})

/** A refresh matters until the tokens were renewed, or the account has to be connected again. */
export const tokenAttention = attendsEffect<EffectFacts & SocialTokenFacts & { name: string | null }>(
  socialTokenRequestEffect,
  {
    joins: sql`left join social_connections c on c.id = x.social_connection_id and c.tenant_id = x.tenant_id`,
    columns: sql`x.kind, x.type, x.social_connection_id as connection_id, c.name`,
    matters: sql`(x.kind = 'revoke' or c.status = 'active' and c.token_version = x.token_version)`,
    text: socialTokenItem,
  },
)

/** Those whose tokens the network refuses, and those whose consent ends soon. */
export const connectionAttention = attends<ConnectionFacts>('social_connection', {
  from: sql`social_connections x`,
  columns: sql`x.type, x.name, x.status, x.reason, x.reconnect_by::float8 as reconnect_by`,
  where: sql`
    (
      x.status = 'needs_reconnect'
      or x.status = 'active' and x.reconnect_by < extract(epoch from clock_timestamp()) + ${NOTICE_S}
    )
  `,
  since: sql`case when x.status = 'active' then x.reconnect_by - ${NOTICE_S} else x.updated_at end`,
  text: socialConnectionItem,
})
