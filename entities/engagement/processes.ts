// The processes of syncs, replies and the classification of comments.
import { describeSocialReply, type ReplyFacts } from '../../rules/engagement/descriptions.ts'
import { sql } from '../kit/database/sql.ts'
import { describing, type ProcessRows } from '../kit/process.ts'
import { lateSyncs } from './syncing.ts'

export const engagementProcesses = {
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
