// The README's table: the same results as the report's, one line for each path, in words; with what others are said to reach, and where that is written.
import { besides, peerNotes } from '../peers.ts'
import type { Path } from './path.ts'
import { judgedAt, ofFloor, type Result } from './report.ts'

/** In the order in which they are told. What is not here is told under its own name, at the end. */
const titles: Record<string, string> = {
  'cart-update': 'cart update',
  quote: 'quote',
  'cash-checkout': 'cash checkout',
  'booking-checkout': 'cash checkout of goods and booked time with a code that all use',
  'card-checkout': 'card checkout',
  refund: 'refund, request to settled',
  'product-list': 'product list of 20, of 200 products',
  'product-list-100000': 'product list of 20, of 100,000 products',
  availability: 'free slots of ten providers for a month, 3,600 of them',
  'availability-100000': 'the same after 100,000 bookings',
  'order-list': 'order list of 20',
  'order-filters-100000': 'order list of 20, three filters, of 100,000 orders',
  'entry-list-100000': 'entry list of 20 under taxonomies, of 100,000 entries',
  'form-submission': 'form submission',
  'taxonomy-delete-1000': 'a tree of 1,000 taxonomies deleted, with 10,000 references',
  graph: 'a graph of a trigger and a post, call to end',
  'graph-inside': 'a graph of a trigger and a transformation, call to end',
  'graph-trigger': 'calls of a graph’s address, accepted',
  webhooks: 'events to a webhook, commit to arrival',
  'webhooks-beside-one-that-hangs': 'the same beside a webhook that never answers, at 100 a second',
  'webhooks-backlog': 'events to a webhook from a backlog of 5,000',
  'fairness-graph': 'a graph beside 1,000 hanging calls of another store',
  'fairness-webhook': 'an event to a webhook beside them',
  'fairness-mail': 'a sign-in beside them',
  'fairness-loops': 'a graph beside 30 loops of 10,000 items of another store',
  sandbox: 'code in the sandbox, warm',
  'sign-in': 'sign-in: code asked for, read in the mail, exchanged',
  'api-start': 'start of an API process, until it listens',
  'worker-start': 'start of a worker, until it takes work',
}

/** Below these a rate says nothing that a duration does not. */
const slow = 10
const count = (value: number) => (value >= 100 ? Math.round(value).toLocaleString('en-US') : String(value))
const ms = (value: number) => `${count(value)} ms`

type Told = { name: string; target?: { clients?: number }; floor?: Path['floor'] }

function row({ name, target, floor }: Told, results: readonly Result[]): string[] {
  const of = results.filter((one) => one.name === name)
  const told = of.find(({ clients }) => clients === judgedAt(target)) ?? of.at(-1)
  if (!told) return []
  const alone = floor === 'workflow' && told.clients > 1 ? of.find(({ clients }) => clients === 1) : undefined
  const cells = [
    `${titles[name] ?? name}${alone ? ` (one alone: ${ms(alone.p50_ms)})` : ''}`,
    told.clients,
    told.per_s < slow ? '' : count(told.per_s),
    ms(told.p50_ms),
    ms(told.p95_ms),
    told.sql || '',
    ofFloor(told) || (told.alone_p95_ms ? `p95 alone ${ms(told.alone_p95_ms)}` : ''),
    besides(name),
  ]
  return [`| ${cells.join(' | ')} |`]
}

/** As Markdown; `memoryMb` of the API process after all of it. */
export function numbers(paths: readonly Told[], results: readonly Result[], memoryMb: number): string {
  const order = Object.keys(titles)
  const place = ({ name }: Told) => (order.includes(name) ? order.indexOf(name) : order.length)
  const heads = ['path', 'clients', 'per second', 'p50', 'p95', 'SQL', 'of the floor', 'others']
  return [
    `| ${heads.join(' | ')} |`,
    `|${heads.map(() => '---').join('|')}|`,
    ...paths.toSorted((a, b) => place(a) - place(b)).flatMap((path) => row(path, results)),
    '',
    `The API process has ${memoryMb} MB after all of them.`,
    '',
    ...peerNotes().map((note) => `${note}  `),
  ].join('\n')
}
