// The tables of campaigns and their enrollments.
import { deletedWith, swept, type Tables } from '../kit/table.ts'
import { sweepCampaigns } from './expiring.ts'
import { moveEnrollments } from './moving.ts'

export const campaignTables = {
  campaign_imports: { rows: deletedWith('campaigns', 'with their campaign') },
  campaign_stats: { rows: deletedWith('campaigns', 'with their campaign') },
  campaign_steps: { rows: deletedWith('campaigns', 'with their campaign') },
  campaigns: {
    rows: swept('campaigns', sweepCampaigns, 'ended campaigns, unless the outcome of a message is unknown'),
  },
  enrollments: {
    rows: deletedWith('campaigns', 'before their campaign'),
    contact: {
      contact_id: {
        by: (em, { tenantId, from, to, now }) => moveEnrollments(em, tenantId, from.id, to.id, now),
        counted: { as: 'enrollments' },
      },
    },
  },
} satisfies Tables
