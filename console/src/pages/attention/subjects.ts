// Where the record is that an item of attention is about.
import type { Tenant } from '../../kit/access.tsx'
import type { Item } from '../../kit/attention.ts'

/** Types of records that stand directly below a store. */
const lists: Record<string, string> = {
  order: 'orders',
  campaign: 'campaigns',
  webhook: 'webhooks',
  mailbox: 'mailboxes',
  integration: 'integrations',
  social_connection: 'social-connections',
  publication: 'social-publications',
  social_publication: 'social-publications',
  contact: 'contacts',
  enrollment: 'campaign-enrollments',
  campaign_message: 'campaign-messages',
  workflow: 'workflows',
  audience: 'audiences',
  agent: 'agents',
  payment_provider: 'payment-providers',
  booking: 'bookings',
}

export function recordPageOf({ surface, id }: Tenant, { subject, evidence }: Item): string | undefined {
  const base = `/${surface}/${id}/data`
  const { ids } = evidence as { ids: Record<string, string | undefined> }
  const list = lists[subject.type]
  if (list) return `${base}/${list}/${subject.id}`
  if (subject.type === 'member' && ids.audience_id) return `${base}/audiences/${ids.audience_id}/members/${subject.id}`
  if (subject.type === 'execution' && ids.workflow_id)
    return `${base}/workflows/${ids.workflow_id}/executions/${subject.id}`
  return undefined
}
