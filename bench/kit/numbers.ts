// The table of docs/numbers.md: one line for each path, with the published figures of others and their sources.
import { besides, peerNotes } from '../peers.ts'
import type { Path, Result } from './path.ts'
import { judgedAt, ofFloor } from './report.ts'

/** Titles, in the order of the table. Other paths follow under their names. */
const titles: Record<string, string> = {
  'cart-update': 'cart update',
  quote: 'quote',
  'cash-checkout': 'cash checkout',
  'booking-checkout': 'cash checkout of goods and a booking, with a promo code that all orders use',
  'booking-business': 'cash checkout of a booking through the business surface',
  'card-checkout': 'card checkout',
  refund: 'refund, request to settled',
  approval: 'approval of a booking, request to captured',
  'product-list': 'product list of 20, of 200 products',
  'list-business-100': 'product list of 100 in the spelling of businesses, beside the same of a store',
  'product-list-100000': 'product list of 20, of 100,000 products',
  availability: 'free slots of ten providers for a month, 3,600 of them',
  'availability-100000': 'the same after 100,000 bookings',
  'order-list': 'order list of 20',
  'order-filters-100000': 'order list of 20, three filters, of 100,000 orders',
  'entry-list-100000': 'entry list of 20 under taxonomies, of 100,000 entries',
  'network-search-city': 'search of a network, 20 of 100,000 services in one city, each sort, first and 100th page',
  'network-search-country': 'the same in a country',
  'form-submission': 'form submission',
  access: "a visitor's access to an audience",
  'subscribe-open': 'a visitor joins an open audience',
  'card-subscribe': 'a visitor subscribes by card',
  'invoice-paid': 'a signed `invoice.paid`, to the moved period',
  'contact-list-100000': 'contact list of 20, of 100,000 contacts',
  'import-1000': 'import of 1,000 members',
  'contact-merge-1000': 'merge of two contacts with 1,000 orders',
  'overdue-100000': '100,000 overdue members, until all have ended',
  'overdue-checkouts': 'card checkouts beside them',
  like: 'a like, of 1,000 products',
  'like-one': 'a like, one product',
  'like-64': 'a like, of 1,000 products, by two API processes',
  'like-one-64': 'a like, one product, by two API processes',
  'like-one-pg': 'the statements of a like of one product, through `pg` alone',
  'like-one-unprepared-pg': 'the same, not prepared',
  'stars-one': 'stars, of one product',
  'stars-one-pg': 'the statements of stars of one product, through `pg` alone',
  'reaction-summary-1000000': 'summary of a product with 1,000,000 reactions',
  'comments-20': 'page of 20 comments with marks, own marks and stars',
  'comments-100': 'the same of 100',
  'reaction-lists-100000': 'reactions of a product with 100,000, each filter, first and 1,000th page',
  'reactions-delete-100000': 'deletion of a product with 100,000 reactions, beyond that of one without',
  'reactions-swept': 'until its reactions are deleted',
  'reactions-beside-sweep': 'a like beside that',
  'chat-message': 'a message to an agent, request to answer, with a model that answers at once',
  'chat-lists-100000': 'chats of a business with 100,000, each filter, words, and a deep page',
  'chat-waiting-200': 'product list of 20 beside 200 visitors who wait for models',
  campaign: 'campaign to 20,000 members, a page of 10 KB, launch to the last body',
  'campaign-far': 'the same to a server 20 ms away, pages of 25 KB',
  'campaign-import-100000': 'import of 100,000 members into a campaign',
  'campaign-100000': 'campaign to 100,000 members, pages of 25 KB, paused and resumed five times',
  'campaign-100000-end': 'its last 25,000 messages, beside its second 25,000',
  'campaign-control': 'a launch, pause or resume while it sends',
  'campaign-lists-100000': 'its enrollments and messages, filtered',
  'campaign-fairness': 'the last of 100 messages of a store, beside 50,000 of another and a server that hangs',
  'campaign-fairness-mail': 'a sign-in beside them',
  'channel-updates': 'a message to a bot, while the model takes 30 s',
  'publication-schedule': 'scheduling of a publication with a picture',
  publication: 'a publication alone, due second to visible',
  'publications-100': '100 publications due in one second, until each is visible',
  'publication-rate': 'publications due in one second, the last of 200',
  'social-comments-100000': 'comments of a publication with 100,000, and each filter',
  'social-reply': 'a reply to a comment, request to settled',
  'social-sync-1000': 'a sync of 1,000 comments, request to finished, beside their bare upserts',
  erasure: 'deletion of a business with 100,000 rows, in batches of 1,000',
  'taxonomy-delete-1000': 'deletion of a tree of 1,000 taxonomies, with 10,000 references',
  graph: 'a graph of a trigger and a POST, call to end',
  'graph-inside': 'a graph of a trigger and a transformation, call to end',
  'graph-trigger': "calls of a graph's address, accepted",
  webhooks: 'events to a webhook, commit to arrival',
  'webhooks-beside-one-that-hangs': 'the same beside a webhook that never answers, at 100 a second',
  'webhooks-backlog': 'events to a webhook from a backlog of 5,000',
  'fairness-graph': 'a graph beside 1,000 hanging calls of another store',
  'fairness-webhook': 'an event to a webhook beside them',
  'fairness-mail': 'a sign-in beside them',
  'fairness-loops': 'a graph beside 30 loops of 10,000 items of another store',
  sandbox: 'code in the sandbox, warm',
  'sign-in': 'sign-in: code requested, read in the e-mail, exchanged',
  'api-start': 'start of an API process, until it listens',
  'worker-start': 'start of a worker, until it polls',
}

/** A lower rate per second is left out: the latency says the same. */
const slow = 10
const count = (value: number) => (value >= 100 ? Math.round(value).toLocaleString('en-US') : String(value))
const ms = (value: number) => `${count(value)} ms`

type Measured = { name: string; target?: { clients?: number }; floor?: Path['floor'] }

function row({ name, target, floor }: Measured, results: readonly Result[]): string[] {
  const of = results.filter((one) => one.name === name)
  const shown = of.find(({ clients }) => clients === judgedAt(target)) ?? of.at(-1)
  if (!shown) return []
  const alone =
    (floor === 'workflow' || floor === 'turn') && shown.clients > 1
      ? of.find(({ clients }) => clients === 1)
      : undefined
  const cells = [
    `${titles[name] ?? name}${alone ? ` (one alone: ${ms(alone.p50_ms)})` : ''}`,
    shown.clients,
    shown.per_s < slow ? '' : count(shown.per_s),
    ms(shown.p50_ms),
    ms(shown.p95_ms),
    shown.sql || '',
    ofFloor(shown) || (shown.alone_p95_ms ? `p95 alone ${ms(shown.alone_p95_ms)}` : ''),
    besides(name),
  ]
  return [`| ${cells.join(' | ')} |`]
}

/** Markdown. `memoryMb`: memory of the API process after all measurements. */
export function numbers(paths: readonly Measured[], results: readonly Result[], memoryMb: number): string {
  const order = Object.keys(titles)
  const place = ({ name }: Measured) => (order.includes(name) ? order.indexOf(name) : order.length)
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
