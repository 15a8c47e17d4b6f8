// Where an item of attention leads to: its record, the timeline of it, and the groups of the list.

import type { AttentionItem as Item } from '../../../../client/client.ts'
import { isMissing } from '../../kit/answers.ts'
import { isAllowed } from '../../kit/document/operations.ts'
import { isNetwork, wordsOf } from '../../kit/document/schema.ts'
import { pageOf, type Tenant } from '../../kit/document/scope.ts'

export const groups: readonly [group: Item['group'], title: string][] = [
  ['dispute', 'Answer a dispute'],
  ['outcome', 'Find out what became of it'],
  ['money', 'Put money right'],
  ['stopped', 'Mend it, and start it again'],
  ['reconnect', 'Connect the account again'],
]

/** Types of records that stand directly below a store or business. */
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
  research_run: 'lead-research/runs',
}
/** Types whose records have no pages: their list does. */
const listsAlone: Record<string, string> = {
  payment_provider: 'payment-providers',
  social_authorization: 'social-connections',
}

/** `tenant`: the item's, if the operator is a member of it. A deletion is read by who asked for it, also afterwards. */
export function recordPageOf(tenant: Tenant | undefined, { subject, evidence }: Item): string | undefined {
  const { type, id } = subject
  if (type === 'erasure') return `/account/data/erasures/${id}`
  if (!tenant) return undefined
  const page = `/${tenant.surface}/${tenant.id}`
  if (type === 'store' || type === 'business') return `${page}/record`
  const { audience_id, workflow_id, agent_id } = (evidence as { ids: Record<string, string | undefined> }).ids
  if (lists[type]) return `${page}/data/${lists[type]}/${id}`
  if (listsAlone[type]) return `${page}/data/${listsAlone[type]}`
  if (type === 'member' && audience_id) return `${page}/data/audiences/${audience_id}/members/${id}`
  if (type === 'tier' && audience_id) return `${page}/data/audiences/${audience_id}/tiers/${id}`
  if (type === 'execution' && workflow_id) return `${page}/data/workflows/${workflow_id}/executions/${id}`
  if (type === 'chat' && agent_id && tenant.surface === 'businesses')
    return `${page}/data/agents/${agent_id}/chats/${id}`
  return undefined
}

/** What mends it, unless that is to read its record, whose page has a link already. */
export const mendBeside = ({ mend }: Item, page: string | undefined): Item['mend'] =>
  mend?.method === 'GET' && pageOf(mend.path) === page ? null : mend

/** The type of the account that a request connects, if it has one. */
export function typeToConnect(mend: Item['mend']) {
  const type = mend?.path.endsWith('/social-connections/oauth/connect') && mend.body?.type
  return isNetwork(type) ? type : undefined
}

/** What a consent page led back with: another account than that of the item is connected beside it. */
export function returned(
  search: Readonly<Record<string, string | string[] | undefined>>,
  item: Pick<Item, 'subject'> | undefined,
): [isGood: boolean, title: string, text: string] | undefined {
  const [[error], connected] = [[search.error].flat(), [search.social_connection_id].flat()]
  if (error) return [false, 'Nothing was connected', `The network says: ${wordsOf(error)}. Connect it again.`]
  if (connected[0] === undefined) return undefined
  const { type, id, label } = item?.subject ?? {}
  if (type !== 'social_connection' || connected.includes(id))
    return [true, 'The account is connected', 'The item leaves the list.']
  const text = `It stays beside ${label ?? 'the account'} of this item. Sign in at the network as ${label ?? 'this account'}, and connect it again.`
  return [false, 'Another account was connected', text]
}

/**
 * The item as its page shows it. What the API no longer has ended by itself, and nothing is recorded about it; any
 * other `error` of its last read says nothing.
 */
export const shownItem = (item: Item, error: unknown): Item =>
  isMissing(error) ? { ...item, status: 'resolved', resolve: null, mend: null } : item

/** What the timeline of an item is asked for. */
export const timelineOf = ({ timeline }: Item): string | undefined =>
  timeline ? `${timeline.type}:${timeline.id}` : undefined

/** A label that names its kind itself stands alone. It is what a person wrote: it stays as it is. */
export const subjectText = (type: string, label: string | null): string => {
  if (label === null) return type
  const isNamed = label.toLowerCase().startsWith(type.toLowerCase())
  return isNamed ? label.charAt(0).toUpperCase() + label.slice(1) : `${type} ${label}`
}

type Resolve = NonNullable<Item['resolve']>

export const isOfPlatform = ({ path, role }: Resolve): boolean => role === null || path.startsWith('/v1/platform/')

/** A route of the installation is for its administrators, with any role in the store. */
export function mayResolve(resolve: Resolve, tenant: Tenant | undefined, isPlatform: boolean): boolean {
  if (isOfPlatform(resolve) || !tenant) return isPlatform
  return isAllowed(resolve.role ?? 'owner', tenant.role, isPlatform)
}
