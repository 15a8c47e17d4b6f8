// The processes of syncs, replies and the classification of comments.
import { describeSocialReply, type ReplyFacts } from '../../rules/engagement/descriptions.ts'
import { sql } from '../kit/database/sql.ts'
import { describing, process } from '../kit/process.ts'
import { classificationAttention, replyAttention } from './attention.ts'
import { lateSyncs } from './sync-steps.ts'

export const engagementProcesses = [
  process('social_reply', {
    late: [],
    attention: { social_reply: replyAttention },
    describe: describing<ReplyFacts>(
      {
        from: sql`social_replies x`,
        columns: sql`x.reply_id, x.publication_id, x.comment_id, x.type`,
      },
      describeSocialReply,
    ),
  }),
  process('social_sync', { late: [lateSyncs], attention: {} }),
  process('social_classification', { late: [], attention: { social_classification: classificationAttention } }),
] as const
