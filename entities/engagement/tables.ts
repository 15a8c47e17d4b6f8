// The tables of comments, replies, figures and labels.
import { sql } from '../kit/database/sql.ts'
import { expired, settled } from '../kit/expiry.ts'
import { deletedWith, record, swept, type Tables } from '../kit/table.ts'
import { sweepComments } from './unseen-comments.ts'

export const engagementTables = {
  social_classifications: {
    rows: swept('social_classifications', settled(), 'one per twenty comments that a model was asked about'),
  },
  social_comments: { rows: swept('comments', sweepComments, 'comments that no sync has returned for that period') },
  social_labels: {
    rows: swept(
      'social_classifications',
      expired(
        sql`id`,
        ({ floor, before }) => sql`id < ${floor} and updated_at < ${before} and status in ('labelled', 'failed')`,
      ),
      'one per text and model, unless its call is open or unknown',
    ),
  },
  social_metrics: { rows: record('one per publication') },
  social_replies: { rows: record('one per reply of an operator') },
  social_sync_items: { rows: deletedWith('social_syncs', 'with their sync') },
  social_syncs: {
    rows: swept(
      'social_syncs',
      expired(
        sql`id`,
        ({ floor, before }) => sql`id < ${floor} and finished_at < ${before} and status in ('completed', 'failed')`,
      ),
      'ended syncs',
    ),
  },
} satisfies Tables
