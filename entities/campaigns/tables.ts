// The tables of campaigns and their enrollments.
import { atOnce, deletedWith, noWait, swept, type Tables } from '../kit/table.ts'
import { moveEnrollments } from './contact-moves.ts'
import { sweepCampaigns } from './expiry.ts'

export const campaignTables = {
  campaign_imports: { rows: deletedWith('campaigns', 'with their campaign'), erasure: atOnce },
  campaign_stats: { rows: deletedWith('campaigns', 'with their campaign'), erasure: atOnce },
  campaign_steps: { rows: deletedWith('campaigns', 'with their campaign'), erasure: atOnce },
  campaigns: {
    rows: swept('campaigns', sweepCampaigns, 'ended campaigns, unless the outcome of a message is unknown'),
    erasure: noWait('their messages in flight are awaited'),
  },
  enrollments: {
    rows: deletedWith('campaigns', 'before their campaign'),
    contact: {
      contact_id: {
        by: (em, { tenantId, from, to, now }) => moveEnrollments(em, tenantId, from.id, to.id, now),
        counted: { as: 'enrollments' },
      },
    },
    erasure: atOnce,
  },
} satisfies Tables
