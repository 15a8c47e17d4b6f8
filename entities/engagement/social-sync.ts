// A sync of comments and figures from the networks: of several publications, or of the thread of one comment.
import { defineEntity, p } from '@mikro-orm/core'
import { SyncKind, SyncStatus } from '../../rules/engagement/syncs.ts'
import { tenantRow } from '../kit/database/row.ts'

const schema = defineEntity({
  name: 'SocialSync',
  tableName: 'social_syncs',
  properties: {
    ...tenantRow,
    kind: p.enum(SyncKind.options),
    status: p.enum(SyncStatus.options).default('queued'),
    /** The bounds of one publication. */
    pages_max: p.integer(),
    comments_max: p.integer(),
    with_metrics: p.boolean(),
    /** The comment that a thread begins with, if the sync reads one. */
    root_comment_id: p.uuid().nullable(),
    /** When its last slice began: the next slice of a store is of the sync that has waited longest. */
    sliced_at: p.datetime(3).nullable(),
    finished_at: p.bigint('number').nullable(),
  },
  indexes: [
    { properties: ['tenant_id', 'created_at', 'id'] },
    {
      name: 'social_syncs_open',
      expression: `
        create index "social_syncs_open" on "social_syncs" ("tenant_id")
        where status in ('queued', 'running')
      `,
    },
    {
      name: 'social_syncs_thread',
      expression: `
        create unique index "social_syncs_thread" on "social_syncs" ("tenant_id", "root_comment_id")
        where status in ('queued', 'running') and root_comment_id is not null
      `,
    },
  ],
})
export class SocialSync extends schema.class {}
schema.setClass(SocialSync)
