// The tables of entries, forms, media and taxonomies.
import { sql } from '../kit/database/sql.ts'
import { atOnce, bounded, record, type Tables } from '../kit/table.ts'
import { sweepMedia } from './media-rows.ts'

/** Seconds after which an upload is no longer stored by a process. */
const UPLOAD_MAX_S = 3_600

export const contentTables = {
  block_references: {
    rows: bounded('by the records that refer to others'),
    contact: { owner_id: { stays: 'a record with blocks' } },
    erasure: atOnce,
  },
  collections: { rows: record(), erasure: atOnce },
  entries: { rows: record(), erasure: atOnce },
  form_submissions: {
    rows: record(),
    contact: { contact_id: { moves: {}, counted: { as: 'form_submissions' } } },
    erasure: atOnce,
  },
  forms: { rows: record(), erasure: atOnce },
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
  taxonomies: { rows: record(), erasure: atOnce },
  taxonomy_links: {
    rows: bounded('by the records with taxonomies'),
    contact: { owner_id: { by: { table: 'contacts' } } },
    erasure: atOnce,
  },
} satisfies Tables
