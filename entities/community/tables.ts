// The tables of reactions and ratings.
import { sql } from '../kit/database/sql.ts'
import { atOnce, bounded, swept, type Tables } from '../kit/table.ts'
import { moveReactions } from './contact-moves.ts'
import { sweepOrphans, sweepRemoved } from './sweep.ts'

export const communityTables = {
  reactions: {
    rows: swept(
      'removed_reactions',
      sweepRemoved,
      'reactions that operators removed; those of deleted records are deleted at once',
    ),
    contact: {
      author_id: {
        by: (em, { tenantId, from, to, now }) => moveReactions(em, tenantId, from.id, to.id, now),
        counted: { as: 'reactions', where: sql`slot is not null and not official` },
      },
    },
    erasure: atOnce,
  },
  reaction_counts: { rows: bounded('by reactions'), erasure: atOnce },
  ratings: { rows: bounded('by the records that have ratings'), erasure: atOnce },
  reaction_removals: {
    rows: swept(null, (em, { now, batch }) => sweepOrphans(em, now, batch), 'an hour after the deletion of a record'),
    erasure: atOnce,
  },
} satisfies Tables
