// Where the record is that an item of attention is about.

import type { AttentionItem as Item } from '../../../../client/client.ts'
import { isAllowed } from '../../kit/document/operations.ts'
import type { Tenant } from '../../kit/document/scope.ts'

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

/** `tenant`: the item's, if the operator is a member of it. A deletion is read by who asked for it, also afterwards. */
export function recordPageOf(tenant: Tenant | undefined, { subject, evidence }: Item): string | undefined {
  if (subject.type === 'erasure') return `/account/data/erasures/${subject.id}`
  if (!tenant) return undefined
  const { surface, id } = tenant
  const base = `/${surface}/${id}/data`
  const { ids } = evidence as { ids: Record<string, string | undefined> }
  const list = lists[subject.type]
  if (list) return `${base}/${list}/${subject.id}`
  if (subject.type === 'member' && ids.audience_id) return `${base}/audiences/${ids.audience_id}/members/${subject.id}`
  if (subject.type === 'execution' && ids.workflow_id)
    return `${base}/workflows/${ids.workflow_id}/executions/${subject.id}`
  return undefined
}

/** A label that names its kind itself stands alone. It is what a person wrote: it stays as it is. */
export const subjectText = (type: string, label: string | null): string => {
  if (label === null) return type
  const isNamed = label.toLowerCase().startsWith(type.toLowerCase())
  return isNamed ? label.charAt(0).toUpperCase() + label.slice(1) : `${type} ${label}`
}

type Resolve = NonNullable<Item['resolve']>

export const isOfPlatform = ({ path, role }: Resolve): boolean => role === null || path.startsWith('/v1/platform/')

/** A route of the installation is for its administrators, whatever their role in the store is. */
export function mayResolve(resolve: Resolve, tenant: Tenant | undefined, isPlatform: boolean): boolean {
  if (isOfPlatform(resolve) || !tenant) return isPlatform
  return isAllowed(resolve.role ?? 'owner', tenant.role, isPlatform)
}
