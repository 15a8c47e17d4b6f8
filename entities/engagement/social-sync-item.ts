// One publication of a sync: how far its listing was read. The cursor is written with the comments of its page.
import { defineEntity, p } from '@mikro-orm/core'
import { SyncItemStatus, SyncPhase } from '../../rules/engagement/syncs.ts'
import { tenantRow } from '../kit/database/row.ts'
import { SocialSync } from './social-sync.ts'

const schema = defineEntity({
  name: 'SocialSyncItem',
  tableName: 'social_sync_items',
  properties: {
    ...tenantRow,
    sync_id: () => p.manyToOne(SocialSync).mapToPk().deleteRule('cascade').joinColumn('sync_id'),
    position: p.integer(),
    publication_id: p.uuid(),
    social_connection_id: p.uuid(),
    status: p.enum(SyncItemStatus.options),
    phase: p.enum(SyncPhase.options).default('comments'),
    /** The network's, of the next page; null before the first one. */
    cursor: p.text().nullable(),
    pages: p.integer().default(0),
    comments: p.integer().default(0),
    new: p.integer().default(0),
    updated: p.integer().default(0),
    gone: p.integer().default(0),
    /** The listing has more comments than were read. */
    more: p.boolean().default(false),
    error: p.json<{ code: string; message: string }>().nullable(),
    /** Reads that failed since the last one that succeeded. */
    tries: p.integer().default(0),
    /** No read begins before this. */
    due_at: p.datetime(3).nullable(),
    /** When the first page was asked for, in Unix seconds. */
    started_at: p.bigint('number').nullable(),
  },
  uniques: [{ properties: ['sync_id', 'position'] }],
  indexes: [
    {
      name: 'social_sync_items_pending',
      expression: `
        create index "social_sync_items_pending" on "social_sync_items" ("tenant_id")
        where status = 'pending'
      `,
    },
  ],
})
export class SocialSyncItem extends schema.class {}
schema.setClass(SocialSyncItem)
