// The tables of networks and their listings.
import { atOnce, bounded, emptied, ofNoTenant, record, type Tables } from '../kit/table.ts'

export const networkTables = {
  listing_walks: { rows: emptied('by the end of the walk'), erasure: atOnce },
  network_listings: { rows: bounded('by the records of the members of networks'), erasure: atOnce },
  network_members: { rows: record(), erasure: atOnce },
  networks: { rows: record(), erasure: ofNoTenant },
} satisfies Tables
