// The processes of social networks: connections and their tokens, publications, syncs, replies and classification.

import { config } from '../../config.ts'
import {
  describePublication,
  describeSocialConnect,
  describeSocialReply,
  describeSocialTokenRequest,
  type PublicationFacts,
  type ReplyFacts,
  type SocialConnectFacts,
  type SocialTokenFacts,
} from '../../rules/social/descriptions.ts'
import { describing, type ProcessRows, type QuarantineRun } from '../kit/process.ts'
import { sql } from '../kit/sql.ts'
import { lateAuthorizations } from './authorizations.ts'
import { lateConnections } from './connections.ts'
import { latePublications, startPublications } from './publications.ts'
import { quarantinePublication, toQuarantinePublications } from './quarantining.ts'
import { lateSyncs } from './syncing.ts'

/** Publications whose call is not even a row. */
async function quarantinePublications({ since, now, statement, transaction, failed }: QuarantineRun): Promise<string> {
  const lost = { since, late_max_s: config.social.lateMaxS, version: config.social.graphVersion }
  let changed = 0
  for (const id of (await statement((em) => toQuarantinePublications(em, lost)).catch(failed('publications'))) ?? [])
    if (await transaction((em) => quarantinePublication(em, id, lost, now)).catch(failed(`publications ${id}`)))
      changed++
  return `publications: ${changed} that were due are looked for at their networks`
}

export const socialProcesses = {
  social_connect: {
    late: [lateAuthorizations],
    describe: describing<SocialConnectFacts>(
      {
        from: sql`social_authorizations x`,
        columns: sql`x.type`,
      },
      describeSocialConnect,
    ),
  },
  social_connection: { late: [lateConnections] },
  social_token_request: {
    late: [],
    describe: describing<SocialTokenFacts>(
      {
        from: sql`social_token_requests x`,
        columns: sql`x.kind, x.type, x.social_connection_id as connection_id`,
      },
      describeSocialTokenRequest,
    ),
  },
  publication: {
    late: [latePublications],
    startAhead: (em, limit, now) => startPublications(em, limit, now, config.social.aheadS),
    describe: describing<PublicationFacts>(
      {
        from: sql`social_publications x`,
        columns: sql`x.type, x.social_connection_id as connection_id`,
      },
      describePublication,
    ),
    quarantine: [{ when: 'after effects', run: quarantinePublications }],
  },
  social_reply: {
    late: [],
    describe: describing<ReplyFacts>(
      {
        from: sql`social_replies x`,
        columns: sql`x.reply_id, x.publication_id, x.comment_id, x.type`,
      },
      describeSocialReply,
    ),
  },
  social_sync: { late: [lateSyncs] },
  social_classification: { late: [] },
} satisfies Record<string, ProcessRows>
