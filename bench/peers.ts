// Published figures of other products on similar paths, each with its source. None is estimated.

/**
 * `path` is one of our paths; null if no figure was found for the product. `figure` as published; `conditions`: how and
 * by whom it was measured.
 */
export type Peer = { path: string | null; peer: string; figure: string; conditions: string; source: string | null }

const found = (path: string, peer: string, figure: string, conditions: string, source: string): Peer => ({
  path,
  peer,
  figure,
  conditions,
  source,
})
const none = (peer: string): Peer => ({ path: null, peer, figure: 'none found', conditions: '', source: null })

export const peers: readonly Peer[] = [
  found(
    'cart-update',
    'Vendure 1.4',
    '30/s',
    "a user's report of 2022, closed: adding to an order from 50 JMeter threads, 8 cores and 16 GB, PostgreSQL. The maintainer answers that one core is used",
    'https://github.com/vendurehq/vendure/issues/1895',
  ),
  found(
    'product-list',
    'Medusa 1',
    'p50 4,885 ms',
    "an agency's measurement without a cache: 10,000 reads of the starter's product list by 500 concurrent users, PostgreSQL",
    'https://dev.to/u11d/medusa-v1-redis-caching-guide-boost-api-performance-77-faster-13hm',
  ),
  found(
    'availability',
    'cal.com',
    '10 s',
    "users' reports of the hosted service: a month's slots of one person in 2022, at times 25 s (the makers name external calendars as a cause); of a team in 2024 47 s, two weeks later less than 3 s",
    'https://github.com/calcom/cal.diy/issues/5277, https://github.com/calcom/cal.diy/issues/4007, https://github.com/calcom/cal.diy/issues/17868',
  ),
  found(
    'entry-list-100000',
    'Payload',
    'mean 15 ms',
    "its makers' own measurement: one document with more than 60 relations by GraphQL, 100 requests in sequence on one machine. Not a page of a filtered list",
    'https://geeksrepos.com/choutkamartin/speed-test',
  ),
  found(
    'entry-list-100000',
    'Directus',
    'mean 45 ms',
    'the same run, by the makers of Payload',
    'https://geeksrepos.com/choutkamartin/speed-test',
  ),
  found(
    'graph-inside',
    'n8n',
    'up to 220/s',
    "its makers' own figure for one instance: a c5a.large with 4 GB and PostgreSQL, a webhook and a node that sets a field. Nothing leaves, nothing is claimed",
    'https://docs.n8n.io/deploy/host-n8n/configure-n8n/scaling/measure-performance',
  ),
  found(
    'webhooks',
    'Svix',
    '200/s, 800/s',
    'what its hosted free and professional plans allow, as of September 2026: a limit of a plan, not a measurement',
    'https://raw.githubusercontent.com/api-evangelist/svix/refs/heads/main/plans/svix-plans-pricing.yml',
  ),
  none('Saleor'),
  none('Ghost'),
]

/** The figures for a path, each with the number of its note: "n8n: up to 220/s [5]". */
export const besides = (path: string): string =>
  peers.flatMap((one, at) => (one.path === path ? [`${one.peer}: ${one.figure} [${at + 1}]`] : [])).join(', ')

/** One line for each figure, and one for the products without a figure. */
export const peerNotes = (): string[] => [
  'Others: published figures that we did not measure, of other machines, versions and loads. They give an order of magnitude only.',
  ...peers.flatMap(({ path, peer, figure, conditions, source }, at) =>
    path ? [`[${at + 1}] ${peer}, ${figure}: ${conditions}. ${source}`] : [],
  ),
  `No comparable figure was found for ${peers
    .filter(({ path }) => !path)
    .map(({ peer }) => peer)
    .join(', ')}.`,
]
