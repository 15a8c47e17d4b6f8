// What others are said to reach on paths like ours, each with the address where it is written; where nothing was found, no figure is made up.

/** `path` is a path of ours, or null where a product has no figure that we found. `figure` as it stands there; `conditions` say how it was come by, and by whom. */
export type Peer = { path: string | null; peer: string; figure: string; conditions: string; source: string | null }

const found = (path: string, peer: string, figure: string, conditions: string, source: string): Peer => ({ path, peer, figure, conditions, source })
const none = (peer: string): Peer => ({ path: null, peer, figure: 'none found', conditions: '', source: null })

export const peers: readonly Peer[] = [
  found(
    'cart-update',
    'Vendure 1.4',
    '30/s',
    "a user's report of 2022, closed: adding to an order from 50 threads of JMeter, 8 cores and 16 GB, PostgreSQL; the maintainer answers that one core is used",
    'https://github.com/vendurehq/vendure/issues/1895',
  ),
  found(
    'product-list',
    'Medusa 1',
    'p50 4,885 ms',
    'an agency’s measurement without a cache: 10,000 reads of the starter’s product list by 500 users at once, PostgreSQL; what one request takes when 500 wait',
    'https://dev.to/u11d/medusa-v1-redis-caching-guide-boost-api-performance-77-faster-13hm',
  ),
  found(
    'availability',
    'cal.com',
    '10 s',
    'users’ reports of the hosted service: a month’s slots of one person in 2022, at times 25 s (its makers name the calendars elsewhere that are asked as well); a team’s in 2024 took 47 s, and two weeks later less than 3 s',
    'https://github.com/calcom/cal.diy/issues/5277, https://github.com/calcom/cal.diy/issues/4007, https://github.com/calcom/cal.diy/issues/17868',
  ),
  found(
    'entry-list-100000',
    'Payload',
    'mean 15 ms',
    'its makers’ own measurement: one document with more than 60 relations by GraphQL, 100 times one after the other on one machine; not a page of a filtered list',
    'https://geeksrepos.com/choutkamartin/speed-test',
  ),
  found('entry-list-100000', 'Directus', 'mean 45 ms', 'the same run, by the makers of Payload', 'https://geeksrepos.com/choutkamartin/speed-test'),
  found(
    'graph-inside',
    'n8n',
    'up to 220/s',
    'its makers’ own figure for one instance; the measurement told beside it is of a c5a.large with 4 GB and PostgreSQL, a webhook and a node that sets a field: nothing leaves, nothing is claimed',
    'https://docs.n8n.io/deploy/host-n8n/configure-n8n/scaling/measure-performance',
  ),
  found(
    'webhooks',
    'Svix',
    '200/s, 800/s',
    'what its hosted free and professional plans allow, as of September 2026: a limit that is sold, and no measurement',
    'https://raw.githubusercontent.com/api-evangelist/svix/refs/heads/main/plans/svix-plans-pricing.yml',
  ),
  none('Saleor'),
  none('Ghost'),
]

/** Those of a path, each with its number among the notes: "n8n: up to 220/s [5]". */
export const besides = (path: string): string => peers.flatMap((one, at) => (one.path === path ? [`${one.peer}: ${one.figure} [${at + 1}]`] : [])).join(', ')

/** One line for each figure, and one for all who have none. */
export const peerNotes = (): string[] => [
  'Others: read where it says, and measured by none of us: other machines, other versions, other loads. They tell an order of magnitude, and who won nothing.',
  ...peers.flatMap(({ path, peer, figure, conditions, source }, at) => (path ? [`[${at + 1}] ${peer}, ${figure}: ${conditions}. ${source}`] : [])),
  `No figure of a like path was found of ${peers
    .filter(({ path }) => !path)
    .map(({ peer }) => peer)
    .join(', ')}.`,
]
