// The tables of reactions and ratings.
import { bounded, swept, type Tables } from '../kit/table.ts'
import { sweepOrphans, sweepRemoved } from './sweeping.ts'

export const communityTables = {
  reactions: {
    rows: swept('removed_reactions', sweepRemoved, 'those that operators removed; those of deleted records at once'),
  },
  reaction_counts: { rows: bounded('by reactions') },
  ratings: { rows: bounded('by the records that have stars') },
  reaction_removals: {
    rows: swept(null, (em, { now, batch }) => sweepOrphans(em, now, batch), 'an hour after the deletion of a record'),
  },
} satisfies Tables
