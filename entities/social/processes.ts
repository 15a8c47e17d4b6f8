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
import { describedTenant, describing, type ProcessRows, type QuarantineRun } from '../kit/process.ts'
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
    if (await transaction((em) => quarantinePublication(em, id, lost, now)).catch(failed(`publications ${id}`))) changed++
  return `publications: ${changed} that were due are looked for at their networks`
}

export const socialProcesses = {
  social_connect: {
    late: [lateAuthorizations],
    describe: describing<SocialConnectFacts>(
      (ids) => sql`
        select a.id, a.tenant_id, ${describedTenant}, a.type
        from social_authorizations a
        left join tenants t on t.id = a.tenant_id
        where a.id = any (${ids})`,
      describeSocialConnect,
    ),
  },
  social_connection: { late: [lateConnections] },
  social_token_request: {
    late: [],
    describe: describing<SocialTokenFacts>(
      (ids) => sql`
        select r.id, r.tenant_id, ${describedTenant}, r.kind, r.type, r.social_connection_id as connection_id
        from social_token_requests r
        left join tenants t on t.id = r.tenant_id
        where r.id = any (${ids})`,
      describeSocialTokenRequest,
    ),
  },
  publication: {
    late: [latePublications],
    startAhead: (em, limit, now) => startPublications(em, limit, now, config.social.aheadS),
    describe: describing<PublicationFacts>(
      (ids) => sql`
        select p.id, p.tenant_id, ${describedTenant}, p.type, p.social_connection_id as connection_id
        from social_publications p
        left join tenants t on t.id = p.tenant_id
        where p.id = any (${ids})`,
      describePublication,
    ),
    quarantine: [{ when: 'after effects', run: quarantinePublications }],
  },
  social_reply: {
    late: [],
    describe: describing<ReplyFacts>(
      (ids) => sql`
        select r.id, r.tenant_id, ${describedTenant}, r.reply_id, r.publication_id, r.comment_id, r.type
        from social_replies r
        left join tenants t on t.id = r.tenant_id
        where r.id = any (${ids})`,
      describeSocialReply,
    ),
  },
  social_sync: { late: [lateSyncs] },
  social_classification: { late: [] },
} satisfies Record<string, ProcessRows>
