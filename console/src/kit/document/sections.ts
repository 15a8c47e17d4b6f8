// The groups in which the lists of a store or business are found.
import type { Node } from './tree.ts'

const groups: [title: string, segments: string][] = [
  ['Sales', 'orders refunds bookings reservations promo-codes'],
  ['Catalog', 'products services providers service-providers taxonomies'],
  ['People', 'contacts audiences chats reactions lead-research agents'],
  [
    'Messages',
    'campaigns campaign-enrollments campaign-messages email-templates mailboxes social-publications social-replies social-connections',
  ],
  ['Content', 'collections entries forms media'],
  ['Automation', 'workflows workflow-connections integrations build-hooks webhooks oauth'],
  ['Settings', 'members markets locations payment-providers subscription'],
]
const groupOf = new Map(groups.flatMap(([title, segments]) => segments.split(' ').map((segment) => [segment, title])))

/** In the order above; what no group names comes last, so that no list is lost. */
export function sectionsOf(nodes: readonly Node[]): [title: string, nodes: Node[]][] {
  const order = new Map(groups.flatMap(([, segments]) => segments.split(' ')).map((segment, at) => [segment, at]))
  const placeOf = (node: Node) => node.key.split('/')[4] ?? node.segment
  const sorted = [...nodes].sort((a, b) => (order.get(placeOf(a)) ?? 99) - (order.get(placeOf(b)) ?? 99))
  const titles = [...groups.map(([title]) => title), 'More']
  return titles
    .map((title): [string, Node[]] => [
      title,
      sorted.filter((node) => (groupOf.get(placeOf(node)) ?? 'More') === title),
    ])
    .filter(([, found]) => found.length > 0)
}
