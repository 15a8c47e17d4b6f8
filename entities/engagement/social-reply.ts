// A reply to a comment: an effect that the caller names by reply_id.
import { defineEntity, p } from '@mikro-orm/core'
import type { ReplyOutcome } from '../../rules/engagement/comments.ts'
import type { Resolution } from '../../rules/resolutions.ts'
import { networkTypes } from '../../rules/social/networks/network-types.ts'
import { tenantRow } from '../kit/database/row.ts'
import { attentionIndexes, effect } from '../kit/effect-columns.ts'

const schema = defineEntity({
  name: 'SocialReply',
  tableName: 'social_replies',
  properties: {
    ...tenantRow,
    reply_id: p.uuid(),
    publication_id: p.uuid(),
    comment_id: p.uuid(),
    /** The comment that the thread begins with. */
    root_id: p.uuid(),
    social_connection_id: p.uuid(),
    type: p.enum(networkTypes),
    text: p.text(),
    /** The hidden container that network e publishes. */
    container_id: p.string().nullable(),
    /** The network's id of the reply. */
    provider_comment_id: p.string().nullable(),
    /** Since it became unknown, the thread was read. */
    looked_at: p.datetime(3).nullable(),
    ...effect,
    resolution: p.json<Resolution<ReplyOutcome>>().nullable(),
  },
  uniques: [{ properties: ['tenant_id', 'reply_id'] }],
  indexes: [
    { properties: ['tenant_id', 'created_at', 'id'] },
    { properties: ['tenant_id', 'updated_at', 'id'] },
    { properties: ['tenant_id', 'status', 'created_at', 'id'] },
    { properties: ['tenant_id', 'publication_id', 'created_at', 'id'] },
    { properties: ['status', 'created_at'] },
    {
      name: 'social_replies_open',
      expression: `
        create index "social_replies_open" on "social_replies" ("root_id")
        where status in ('processing', 'unknown') or status = 'succeeded' and provider_comment_id is null
      `,
    },
    {
      name: 'social_replies_resolved',
      expression: `create index "social_replies_resolved" on "social_replies" ("root_id") where resolution is not null`,
    },
    {
      name: 'social_replies_provider_comment',
      expression: `
        create unique index "social_replies_provider_comment"
        on "social_replies" ("social_connection_id", "provider_comment_id")
        where provider_comment_id is not null
      `,
    },
    ...attentionIndexes('social_replies'),
  ],
})
export class SocialReply extends schema.class {}
schema.setClass(SocialReply)
