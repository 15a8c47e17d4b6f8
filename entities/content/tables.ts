// The tables of entries, forms, media and taxonomies.
import { bounded, record, type Tables } from '../kit/table.ts'
import { sweepMedia } from './media-rows.ts'

export const contentTables = {
  block_references: {
    rows: bounded('by the records that refer'),
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
  },
  taxonomies: { rows: record() },
  taxonomy_links: {
    rows: bounded('by the records with taxonomies'),
    contact: { owner_id: { by: { table: 'contacts' } } },
  },
} satisfies Tables
