// The tables of networks and their listings.
import { bounded, emptied, record, type Tables } from '../kit/table.ts'

export const networkTables = {
  listing_walks: { rows: emptied('by the end of the walk') },
  network_listings: { rows: bounded('by the records of the members of networks') },
  network_members: { rows: record() },
  networks: { rows: record() },
} satisfies Tables
