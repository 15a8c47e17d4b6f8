// The one call that shows a publication: an effect. A unique index holds that no other call is made while one may have
// succeeded.
import { defineEntity, p } from '@mikro-orm/core'
import type { Resolution } from '../../rules/resolutions.ts'
import { networkTypes } from '../../rules/social/networks/network-types.ts'
import type { RevealSubject } from '../../rules/social/networks/publisher.ts'
import type { PublicationOutcome } from '../../rules/social/resources.ts'
import { tenantRow } from '../kit/database/row.ts'
import { attentionIndexes, effect } from '../kit/effect-columns.ts'
import { SocialPublication } from './social-publication.ts'

const schema = defineEntity({
  name: 'SocialReveal',
  tableName: 'social_reveals',
  properties: {
    ...tenantRow,
    publication_id: () => p.manyToOne(SocialPublication).mapToPk().deleteRule('cascade').joinColumn('publication_id'),
    social_connection_id: p.uuid(),
    type: p.enum(networkTypes),
    /** The run of the publication. */
    run: p.integer(),
    /** Counts the reveals of the publication. */
    n: p.integer(),
    not_before: p.datetime(3),
    not_after: p.datetime(3),
    /**
     * Cancelled before it was sent. A column of this row, so that the stamp sees it whichever transaction commits
     * first.
     */
    withdrawn: p.boolean().default(false),
    /** What reads look for: ids of the network, and the text. */
    subject: p.json<RevealSubject>().nullable(),
    /** SHA-256 of the text as networks show it: of two calls with one text, a read without our id proves neither. */
    text_digest: p.string().length(64).nullable(),
    /** The version of the token that it was sent with. */
    token_version: p.integer().nullable(),
    provider_post_id: p.string().nullable(),
    /** Reads that looked for the post, and those of them that found it hidden. */
    proofs: p.integer().default(0),
    hidden: p.integer().default(0),
    /** Reads of the permalink. */
    links: p.integer().default(0),
    /** An operator asked for another read. */
    check_at: p.datetime(3).nullable(),
    ...effect,
    /** What an operator found out about an unknown call. */
    resolution: p.json<Resolution<PublicationOutcome>>().nullable(),
  },
  indexes: [
    { properties: ['publication_id', 'n'] },
    { properties: ['social_connection_id', 'text_digest', 'sent_at'] },
    {
      name: 'social_reveals_open',
      expression: `
        create index "social_reveals_open" on "social_reveals" ("created_at")
        where status in ('requested', 'processing')
      `,
    },
    {
      name: 'social_reveals_once',
      expression: `
        create unique index "social_reveals_once" on "social_reveals" ("publication_id")
        where status <> 'rejected' and status <> 'failed'
      `,
    },
    {
      name: 'social_reveals_posts',
      expression: `
        create index "social_reveals_posts" on "social_reveals" ("social_connection_id", "provider_post_id")
        where provider_post_id is not null
      `,
    },
    ...attentionIndexes('social_reveals'),
  ],
})
export class SocialReveal extends schema.class {}
schema.setClass(SocialReveal)
