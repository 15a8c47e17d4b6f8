// The tables of audiences, their members and opt-outs.
import { atOnce, bounded, record, type Tables } from '../kit/table.ts'
import { moveMemberships } from './contact-moves.ts'

export const audienceTables = {
  audience_members: {
    rows: record('one per contact and audience; an ended membership keeps the opt-out'),
    contact: {
      contact_id: {
        by: async (em, { tenantId, from, to, both, left, now }) => {
          left.push(...(await moveMemberships(em, tenantId, from.id, to.id, now, { both })))
        },
        counted: { as: 'memberships' },
      },
    },
    erasure: atOnce,
  },
  audience_opt_outs: { rows: record('one per address that opted out, and per claimant of it'), erasure: atOnce },
  audience_prices: { rows: record(), erasure: atOnce },
  audience_tiers: { rows: record(), erasure: atOnce },
  audiences: { rows: record(), erasure: atOnce },
  lead_insights: { rows: record('one per member'), erasure: atOnce },
  member_tokens: {
    rows: bounded('by members, with one token for the page and one to confirm, and by enrollments'),
    erasure: atOnce,
  },
} satisfies Tables
