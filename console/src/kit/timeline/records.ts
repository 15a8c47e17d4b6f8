// The records that a timeline can be about, and the lists of the API where they are found.
import type { Node, Surface, Tree } from '../document/tree.ts'

/** By type, the lists that hold its records, as the tree names them. The first one is where a person looks. */
const lists: Readonly<Record<string, readonly string[]>> = {
  order: ['orders'],
  contact: ['contacts'],
  member: ['audiences/{}/members'],
  subscription: [],
  audience: ['audiences'],
  refund: ['refunds', 'orders/{}/refunds', 'audiences/{}/members/{}/payments/{}/refunds'],
  campaign: ['campaigns'],
  enrollment: ['campaigns/{}/enrollments', 'campaign-enrollments'],
  campaign_message: ['campaigns/{}/messages', 'campaign-messages'],
  publication: ['social-publications'],
  social_reply: ['social-replies', 'social-publications/{}/comments/{}/replies'],
  social_connection: ['social-connections'],
  execution: ['workflows/{}/executions'],
  chat: ['chats', 'agents/{}/chats'],
  research_run: ['lead-research/runs'],
  webhook: ['webhooks'],
  integration: ['integrations'],
  payment_provider: ['payment-providers'],
  product: ['products'],
  collection: ['collections'],
  entry: ['entries'],
  form_submission: ['forms/{}/submissions'],
}
export const timelineTypes: readonly string[] = Object.keys(lists)

type Nodes = Pick<Tree, 'nodes'>
const nodesOf = ({ nodes }: Nodes, surface: Surface, type: string, end = '') =>
  (lists[type] ?? []).map((path) => nodes.get(`/v1/${surface}/{}/${path}${end}`)).filter((node) => node !== undefined)

/** The list where records of the type are found. */
export const listOf = (tree: Nodes, surface: Surface, type: string): Node | undefined =>
  nodesOf(tree, surface, type).find(({ get }) => get?.item)

/** The page of a record, if its id alone leads to it. */
export const recordNodeOf = (tree: Nodes, surface: Surface, type: string): Node | undefined =>
  nodesOf(tree, surface, type, '/{}').find(({ get, depth }) => get && depth === 2)

/** What the timeline of the record at a place is asked for. */
export function subjectOf({ key }: Pick<Node, 'key'>, id: string): string | undefined {
  const path = key.split('/').slice(4, -1).join('/')
  const [type] = Object.entries(lists).find(([, paths]) => paths.includes(path)) ?? []
  return type && `${type}:${id}`
}
