// A comment below a publication, as the network listed it last. A comment that the network does not have any more is
// erased but for its place.
import { defineEntity, p } from '@mikro-orm/core'
import type { CommentAuthor } from '../../rules/engagement/comment.ts'
import { CommentLabel, Sentiment } from '../../rules/engagement/comments.ts'
import { tenantRow } from '../kit/database/row.ts'
import { sql } from '../kit/database/sql.ts'

const listed = '"tenant_id", "publication_id"'
const newest = '"provider_created_at", "id"'
const isListed = sql`parent_provider_id is null and gone_at is null`

const schema = defineEntity({
  name: 'SocialComment',
  tableName: 'social_comments',
  properties: {
    ...tenantRow,
    publication_id: p.uuid(),
    provider_comment_id: p.string(),
    /** The network's id of the comment that it answers; null at the top level. */
    parent_provider_id: p.string().nullable(),
    /** The comment that a reply answers, and the one that its thread begins with; null until those are stored. */
    parent_id: p.uuid().nullable(),
    root_id: p.uuid().nullable(),
    author: p.json<CommentAuthor>().nullable(),
    /** Null if it was erased. */
    text: p.text().nullable(),
    /** The digest of the text as it is classified. */
    text_digest: p.string().length(64).nullable(),
    like_count: p.integer().nullable(),
    reply_count: p.integer().nullable(),
    /** Whether the account of the connection wrote it. */
    own: p.boolean(),
    /** The caller's id of the reply that made it. */
    reply_id: p.uuid().nullable(),
    /** An own comment is in its thread. */
    answered: p.boolean().default(false),
    label: p.enum(CommentLabel.options).nullable(),
    sentiment: p.enum(Sentiment.options).nullable(),
    needs_reply: p.boolean().nullable(),
    classified_model: p.text().nullable(),
    classified_at: p.bigint('number').nullable(),
    /** Unix seconds, like all times. */
    provider_created_at: p.bigint('number'),
    gone_at: p.bigint('number').nullable(),
    /** A listing has had it: only then its absence from another one means that it is gone. */
    listed: p.boolean().default(true),
    synced_at: p.bigint('number'),
    /** When the replies below it were read. */
    thread_synced_at: p.bigint('number').nullable(),
  },
  uniques: [{ properties: ['tenant_id', 'publication_id', 'provider_comment_id'] }],
  // No index has `synced_at`: a sync that finds nothing new changes that column alone, and no index.
  indexes: [
    {
      name: 'social_comments_listed',
      expression: `
        create index "social_comments_listed" on "social_comments" (${listed}, ${newest})
        where ${isListed.sql}
      `,
    },
    {
      name: 'social_comments_label',
      expression: `
        create index "social_comments_label" on "social_comments" (${listed}, "label", ${newest})
        where ${isListed.sql} and label is not null
      `,
    },
    {
      name: 'social_comments_needs_reply',
      expression: `
        create index "social_comments_needs_reply" on "social_comments" (${listed}, "needs_reply", ${newest})
        where ${isListed.sql} and needs_reply is not null
      `,
    },
    {
      name: 'social_comments_answered',
      expression: `
        create index "social_comments_answered" on "social_comments" (${listed}, "answered", ${newest})
        where ${isListed.sql}
      `,
    },
    {
      name: 'social_comments_unclassified',
      expression: `
        create index "social_comments_unclassified" on "social_comments" (${listed}, ${newest})
        where label is null and gone_at is null and not own and text_digest is not null
      `,
    },
    {
      name: 'social_comments_thread',
      expression: `
        create index "social_comments_thread" on "social_comments" ("root_id", ${newest})
        where root_id is not null
      `,
    },
    {
      name: 'social_comments_unplaced',
      expression: `
        create index "social_comments_unplaced" on "social_comments" (${listed})
        where root_id is null and parent_provider_id is not null
      `,
    },
  ],
})
export class SocialComment extends schema.class {}
schema.setClass(SocialComment)
