// The tables of publications.
import { inFlight } from '../kit/erasure-conditions.ts'
import { atOnce, emptied, noWait, record, type Tables } from '../kit/table.ts'

export const publicationTables = {
  publication_media: { rows: emptied('by the end of the publication'), erasure: atOnce },
  social_parts: { rows: emptied('by the end of the publication'), erasure: atOnce },
  social_publications: { rows: record(), erasure: noWait('the requests that show them are awaited') },
  social_reveals: { rows: record('one per request to reveal a publication'), erasure: inFlight },
} satisfies Tables
