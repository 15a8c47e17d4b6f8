// The tables of contacts.
import { sql } from '../kit/database/sql.ts'
import { expired } from '../kit/expiry.ts'
import { atOnce, record, swept, type Tables } from '../kit/table.ts'
import { moveChannels, moveTaxonomies } from './contact-moves.ts'
import { sweepVisitors } from './expiry.ts'

export const crmTables = {
  contact_sessions: {
    rows: swept(
      'sessions',
      expired(sql`revoked_at`, ({ before }) => sql`revoked_at < ${before}`),
      'deleted with their contact',
    ),
    contact: {
      contact_id: { stays: 'the caller moves those that prove an address of the other contact, and ends the others' },
    },
    erasure: atOnce,
  },
  contact_channels: {
    rows: record(),
    contact: { contact_id: { by: moveChannels, counted: { as: 'channels' } } },
    erasure: atOnce,
  },
  contact_merges: {
    rows: record('repeating a merge returns the same answer'),
    contact: {
      source_id: { stays: 'the contact that was merged' },
      target_id: { stays: 'the contact it was merged into at that time' },
    },
    erasure: atOnce,
  },
  contacts: {
    rows: swept('carts', sweepVisitors, 'one per visitor; contacts with a name, an order or a submission stay'),
    contact: { id: { by: moveTaxonomies } },
    erasure: atOnce,
  },
} satisfies Tables
