// The processes of connections to social networks: their consents and their tokens.
import {
  describeSocialConnect,
  describeSocialTokenRequest,
  type SocialConnectFacts,
  type SocialTokenFacts,
} from '../../rules/connections/descriptions.ts'
import { sql } from '../kit/database/sql.ts'
import { describing, process } from '../kit/process.ts'
import { connectionAttention, consentAttention, tokenAttention } from './attention.ts'
import { lateAuthorizations } from './authorizations.ts'
import { lateConnections } from './connections.ts'

export const connectionProcesses = [
  process('social_connect', {
    late: [lateAuthorizations],
    attention: { social_connect: consentAttention },
    describe: describing<SocialConnectFacts>(
      {
        from: sql`social_authorizations x`,
        columns: sql`x.type`,
      },
      describeSocialConnect,
    ),
  }),
  process('social_connection', { late: [lateConnections], attention: { social_connection: connectionAttention } }),
  process('social_token_request', {
    late: [],
    attention: { social_token_request: tokenAttention },
    describe: describing<SocialTokenFacts>(
      {
        from: sql`social_token_requests x`,
        columns: sql`x.kind, x.type, x.social_connection_id as connection_id`,
      },
      describeSocialTokenRequest,
    ),
  }),
] as const
