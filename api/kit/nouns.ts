// What a path parameter identifies, by the segment before it: for descriptions, and for the detail of a 404.

const nouns: Record<string, string> = {
  agents: 'agent',
  'api-tokens': 'API token',
  attention: 'item',
  audiences: 'audience',
  bookings: 'booking',
  'build-hooks': 'build hook',
  'campaign-enrollments': 'enrollment',
  'campaign-messages': 'message',
  businesses: 'business',
  campaigns: 'campaign',
  carts: 'cart',
  channels: 'channel',
  chats: 'chat',
  collections: 'collection',
  comments: 'comment',
  contacts: 'contact',
  deliveries: 'delivery',
  disputes: 'dispute',
  imports: 'import',
  'email-templates': 'e-mail template',
  entries: 'entry',
  erasures: 'erasure',
  executions: 'execution',
  forms: 'form',
  integrations: 'integration',
  locations: 'location',
  mailboxes: 'mailbox',
  markets: 'market',
  media: 'file',
  members: 'member',
  messages: 'message',
  networks: 'network',
  orders: 'order',
  payments: 'payment',
  products: 'product',
  'promo-codes': 'promo code',
  providers: 'provider',
  reactions: 'reaction',
  refunds: 'refund',
  replies: 'reply',
  reservations: 'reservation',
  runs: 'run',
  'service-providers': 'link between a service and a provider',
  services: 'service',
  sessions: 'session',
  shipments: 'shipment',
  'social-connections': 'connection',
  sources: 'source',
  'social-publications': 'publication',
  stores: 'store',
  submissions: 'submission',
  syncs: 'sync',
  taxonomies: 'taxonomy',
  tiers: 'tier',
  webhooks: 'webhook',
  'workflow-connections': 'connection',
  workflows: 'workflow',
}

const nounBefore = (path: string, at: number): string | undefined =>
  nouns[/([\w-]+)\/$/.exec(path.slice(0, at))?.[1] ?? '']

/** `/v1/stores/{storeId}/orders/{id}`, `storeId` → `store`. Undefined for a segment that is not listed. */
export const nounOf = (path: string, parameter: string): string | undefined =>
  nounBefore(path, path.indexOf(`{${parameter}}`))

/** `/v1/stores/{storeId}/orders/{id}` → `order`. Throws for a segment that is not listed. */
export function recordNounOf(path: string): string {
  const noun = nounBefore(path, path.lastIndexOf('{'))
  if (!noun) throw new Error(`No noun for ${path}: add one in nouns.ts.`)
  return noun
}
