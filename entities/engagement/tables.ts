// The tables of comments, replies, figures and labels.

import { sql } from '../kit/database/sql.ts'
import { inFlight } from '../kit/erasure-conditions.ts'
import { expired, settled } from '../kit/expiry.ts'
import { atOnce, deletedWith, record, swept, type Tables } from '../kit/table.ts'
import { sweepComments } from './unseen-comments.ts'

export const engagementTables = {
  social_classifications: {
    rows: swept('social_classifications', settled(), 'one per twenty comments that a model was asked about'),
    erasure: inFlight,
  },
  social_comments: {
    rows: swept('comments', sweepComments, 'comments that no sync has returned for that period'),
    erasure: atOnce,
  },
  social_labels: {
    rows: swept(
      'social_classifications',
      expired(
        sql`id`,
        ({ floor, before }) => sql`id < ${floor} and updated_at < ${before} and status in ('labelled', 'failed')`,
      ),
      'one per text and model, unless its call is open or unknown',
    ),
    erasure: atOnce,
  },
  social_metrics: { rows: record('one per publication'), erasure: atOnce },
  social_replies: { rows: record('one per reply of an operator'), erasure: inFlight },
  social_sync_items: { rows: deletedWith('social_syncs', 'with their sync'), erasure: atOnce },
  social_syncs: {
    rows: swept(
      'social_syncs',
      expired(
        sql`id`,
        ({ floor, before }) => sql`id < ${floor} and finished_at < ${before} and status in ('completed', 'failed')`,
      ),
      'ended syncs',
    ),
    erasure: atOnce,
  },
} satisfies Tables
