// The tables of publications.
import { emptied, record, type Tables } from '../kit/table.ts'

export const publicationTables = {
  publication_media: { rows: emptied('by the end of the publication') },
  social_parts: { rows: emptied('by the end of the publication') },
  social_publications: { rows: record() },
  social_reveals: { rows: record('one per request to reveal a publication') },
} satisfies Tables
