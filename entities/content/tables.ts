// The tables of entries, forms, media and taxonomies.
import { sql } from '../kit/database/sql.ts'
import { bounded, record, type Tables } from '../kit/table.ts'
import { sweepMedia } from './media-rows.ts'

/** Seconds after which an upload is no longer stored by a process. */
const UPLOAD_MAX_S = 3_600

export const contentTables = {
  block_references: {
    rows: bounded('by the records that refer to others'),
    contact: { owner_id: { stays: 'a record with blocks' } },
  },
  collections: { rows: record() },
  entries: { rows: record() },
  form_submissions: {
    rows: record(),
    contact: { contact_id: { moves: {}, counted: { as: 'form_submissions' } } },
  },
  forms: { rows: record() },
  media: {
    rows: record('unfinished uploads are deleted after an hour, failed ones after a day', {
      keep: null,
      sweep: (em, { now }) => sweepMedia(em, now),
    }),
    // An upload that a process is storing, or an image that a worker is processing.
    erasure: {
      awaits: (now) => sql`status = 'processing' or status = 'uploading' and updated_at > ${now - UPLOAD_MAX_S}`,
    },
  },
  taxonomies: { rows: record() },
  taxonomy_links: {
    rows: bounded('by the records with taxonomies'),
    contact: { owner_id: { by: { table: 'contacts' } } },
  },
} satisfies Tables
