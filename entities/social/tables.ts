// The tables of connections, publications and comments.
import { expired, settled } from '../kit/expiry.ts'
import { sql } from '../kit/sql.ts'
import { deletedWith, emptied, record, swept, type Tables } from '../kit/table.ts'
import { sweepComments } from './unseen-comments.ts'

/** A visitor who never came back from the consent page: nothing will be sent. */
const neverReturned = sql`code_digest is null`

export const socialTables = {
  publication_media: { rows: emptied('by the end of the publication') },
  social_authorizations: {
    rows: swept('social_authorizations', settled(undefined, neverReturned), 'one per visit of a consent page'),
  },
  social_classifications: {
    rows: swept('social_classifications', settled(), 'one per twenty comments that a model was asked about'),
  },
  social_comments: { rows: swept('comments', sweepComments, 'those that no sync has seen for so long') },
  social_connections: { rows: record('one per account that was connected') },
  social_labels: {
    rows: swept(
      'social_classifications',
      expired(
        'id',
        ({ floor, before }) => sql`id < ${floor} and updated_at < ${before} and status in ('labelled', 'failed')`,
      ),
      'one per text and model; those whose call is open or unknown stay',
    ),
  },
  social_metrics: { rows: record('one per publication') },
  social_parts: { rows: emptied('by the end of the publication') },
  social_publications: { rows: record() },
  social_replies: { rows: record('one per reply of an operator') },
  social_reveals: { rows: record('one per call that was to show a publication') },
  social_sync_items: { rows: deletedWith('social_syncs', 'with their sync') },
  social_syncs: {
    rows: swept(
      'social_syncs',
      expired(
        'id',
        ({ floor, before }) => sql`id < ${floor} and finished_at < ${before} and status in ('completed', 'failed')`,
      ),
      'those that ended',
    ),
  },
  social_token_requests: { rows: swept('social_token_requests', settled(), 'one per refresh or revocation') },
} satisfies Tables
