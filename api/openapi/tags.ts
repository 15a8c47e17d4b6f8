// Tags of the document. Every operation has one, by the resource in its path. The order: set up a store, sell, publish,
// automate.
import type { Json } from './schemas.ts'

type Tag = { name: string; description: string; under: readonly string[] }
const of = (name: string, description: string, ...under: string[]): Tag => ({ name, description, under })
/** A tag of paths below a store. */
const store = (name: string, description: string, ...under: string[]): Tag =>
  of(name, description, ...under.map((path) => `/v1/stores/{}${path}`))

/** Not prefixes: another resource below a store needs a tag of its own. */
const exact = new Set(['/v1/stores', '/v1/stores/{}', '/v1/businesses', '/v1/businesses/{}'])

/** `under`: prefixes of paths without the names of parameters. The longest match decides. */
const tags: readonly Tag[] = [
  of(
    'Sign-in',
    'Sign operators in with a code sent by e-mail, and refresh their tokens.',
    '/v1/auth',
    '/v1/stores/{}/auth',
  ),
  of('Accounts', "The operator's own account, its sessions and API tokens.", '/v1/accounts'),
  of('Erasures', 'Deletions of businesses, and what they wait for.', '/v1/erasures'),
  of(
    'Stores',
    'Stores, their settings and publishable keys. The records of a store are invisible to other stores.',
    '/v1/stores',
    '/v1/stores/{}',
    '/v1/stores/{}/publishable-key',
  ),
  store('Team', 'The members of a store and their roles: `admin`, `owner`, `super`.', '/members'),
  store('Markets', 'Currencies, taxes, shipping zones and payment methods of a store.', '/markets'),
  store('Locations', 'Places that hold stock, and where orders are picked up.', '/locations'),
  store('Payment providers', 'Connects a store to Stripe, so that it can accept cards.', '/payment-providers'),
  store('Products', 'Products with their variants, prices and stock.', '/products'),
  store('Services', 'Services that can be booked, and their free slots.', '/services'),
  store(
    'Providers',
    'The people or rooms that services are booked with, and their links to services.',
    '/providers',
    '/service-providers',
  ),
  of(
    'Store plans',
    "The store's own plan, which the platform charges it for.",
    '/v1/stores/plans',
    '/v1/stores/{}/subscription',
  ),
  store('Audiences', 'Groups of contacts, their tiers and prices.', '/audiences'),
  store(
    'Audience members',
    'Memberships: added, imported, changed and removed; their payments and refunds.',
    '/audiences/{}/members',
    '/audiences/leads',
  ),
  store(
    'Lead research',
    'Runs of a model that reads public pages about members of an audience. Every signal quotes a page.',
    '/lead-research',
  ),
  store(
    'Campaigns',
    'E-mails in steps to enrolled contacts: launch, pause and cancel them. A message whose outcome cannot be proved is `unknown` and is never sent again.',
    '/campaigns',
    '/campaign-enrollments',
    '/campaign-messages',
  ),
  store('Promo codes', 'Codes that grant discounts, and their conditions.', '/promo-codes'),
  of(
    'Storefront store',
    'The store of the publishable key, its markets, and where orders are picked up.',
    '/v1/storefront/store',
    '/v1/storefront/locations',
    '/v1/storefront/markets',
  ),
  of(
    'Storefront catalog',
    'Active products, services and providers.',
    '/v1/storefront/products',
    '/v1/storefront/services',
    '/v1/storefront/providers',
  ),
  of('Storefront account', 'Visitors: their sessions, and how they sign in.', '/v1/storefront/account'),
  of(
    'Storefront audiences',
    "Audiences that visitors may join, and the visitor's own memberships.",
    '/v1/storefront/audiences',
  ),
  of('Storefront carts', "A visitor's cart: fill it, quote it, check it out.", '/v1/storefront/carts'),
  of('Storefront orders', "The visitor's own orders.", '/v1/storefront/orders'),
  of(
    'Storefront reactions',
    'Likes, stars, reviews and comments of visitors about what a store sells and publishes.',
    '/v1/storefront/reactions',
  ),
  of('Member links', 'What members do by links in e-mails, without a sign-in.', '/v1/customer/audiences'),
  store('Orders', 'Orders with their lines, bookings and payment.', '/orders'),
  store(
    'Refunds',
    'Refunds of payments. A refund whose outcome cannot be proved is `unknown` and is never sent again.',
    '/refunds',
    '/orders/{}/refunds',
  ),
  of(
    'Attention',
    'What a person has to do: outcomes that cannot be proved, money that has to go back, disputes, and what was stopped.',
    '/v1/attention',
    '/v1/stores/{}/attention',
    '/v1/businesses/{}/attention',
    '/v1/platform/attention',
  ),
  of(
    'Timeline',
    'What happened to a record: events, changes and every moment of its effects.',
    '/v1/stores/{}/timeline',
    '/v1/businesses/{}/timeline',
  ),
  of(
    'Overview',
    'What a store sold and did by day, and what waits.',
    '/v1/stores/{}/overview',
    '/v1/businesses/{}/overview',
  ),
  of(
    'Readiness',
    'What a store lacks to sell, ship, book, send mail and publish.',
    '/v1/stores/{}/readiness',
    '/v1/businesses/{}/readiness',
  ),
  store('Disputes', 'Disputes that cardholders opened with their bank.', '/disputes', '/orders/{}/disputes'),
  store('Shipments', 'Units of order lines that were shipped or handed over.', '/orders/{}/shipments'),
  of('Provider events', 'Receives the signed events of payment providers.', '/v1/webhooks'),
  store(
    'Contacts',
    'People that a store deals with: their addresses and consent, their sessions, and merges.',
    '/contacts',
  ),
  store('Collections', 'Collections of entries, and the schema of their blocks.', '/collections'),
  store('Entries', 'Entries of collections: posts, pages, or other content that the schema describes.', '/entries'),
  store('Taxonomies', 'Trees of terms that products, services, providers and entries are filed under.', '/taxonomies'),
  store('Forms', 'Forms and their submissions.', '/forms'),
  store(
    'Reactions',
    'What visitors say about the records of a store: answers to it, and its moderation.',
    '/reactions',
  ),
  of('Media', 'Files and the variants of images.', '/media', '/v1/stores/{}/media'),
  of('Storefront content', 'Active collections, entries, forms, taxonomies and files.', '/v1/storefront'),
  of(
    'Social connections',
    'Accounts of a store at social networks: connected by the consent of their owner, renewed ahead of need, and revoked.',
    '/v1/stores/{}/social-connections',
    '/v1/social',
  ),
  store(
    'Social publications',
    'Posts on connected accounts: drafted, scheduled, shown once, and proved.',
    '/social-publications',
  ),
  store(
    'Social engagement',
    'Comments below publications, with their threads, replies and classification, and figures: synced from the networks on request.',
    '/social-publications/engagement',
    '/social-publications/comments',
    '/social-publications/{}/comments',
    '/social-publications/{}/metrics',
    '/social-replies',
  ),
  store('Workflows', 'Automation graphs, and the secret address that starts each of them.', '/workflows'),
  store('Executions', 'Executions of workflows, with the results of their nodes.', '/workflows/{}/executions'),
  of(
    'Inbound mail',
    'Addresses that mail of mailboxes is posted to. The secret in the path is the credential.',
    '/v1/mail',
  ),
  of('Triggers', 'Addresses that start workflows. The secret in the path is the credential.', '/v1/workflows/trigger'),
  store('Workflow connections', 'Drives (S3, WebDAV) that workflows upload to.', '/workflow-connections'),
  store('Integrations', 'Accounts at payment, shipping, AI and other providers.', '/integrations', '/oauth'),
  store('Build hooks', 'Addresses that workflows call to rebuild a site.', '/build-hooks'),
  store('Mailboxes', 'SMTP accounts that a store sends e-mail from.', '/mailboxes'),
  store(
    'Email templates',
    'Templates (MJML or HTML with Liquid) of the e-mail that workflows send.',
    '/email-templates',
  ),
  store('Webhooks', 'Subscriptions to events (Standard Webhooks), and their deliveries.', '/webhooks'),
  of(
    'Businesses',
    'Businesses and their settings. A business is a store in other words.',
    '/v1/businesses',
    '/v1/businesses/{}',
  ),
  of(
    'Business plans',
    'Plans that a business can choose, and its subscription.',
    '/v1/businesses/plans',
    '/v1/businesses/{}/subscribe',
    '/v1/businesses/{}/subscription',
  ),
  of(
    'Business team',
    'The members of a business and their roles, and invitations.',
    '/v1/businesses/{}/members',
    '/v1/businesses/{}/invitation',
  ),
  of(
    'Business webhooks',
    'Subscriptions of a business to its events, and their deliveries.',
    '/v1/businesses/{}/webhooks',
  ),
  of(
    'Business integrations',
    'Accounts of a business at payment, shipping, AI and other providers.',
    '/v1/businesses/{}/integrations',
    '/v1/businesses/{}/oauth',
  ),
  of('Business media', 'Files of a business, and the variants of images.', '/v1/businesses/{}/media'),
  of(
    'Business set-up',
    'Markets, locations and promo codes of a business.',
    '/v1/businesses/{}/markets',
    '/v1/businesses/{}/locations',
    '/v1/businesses/{}/promo-codes',
  ),
  of(
    'Business bookings',
    'Services of a business, their providers, hours and free slots, and their bookings and reservations.',
    '/v1/businesses/{}/services',
    '/v1/businesses/{}/providers',
    '/v1/businesses/{}/service-providers',
    '/v1/businesses/{}/bookings',
    '/v1/businesses/{}/reservations',
  ),
  of(
    'Business products',
    'Products of a business with their variants, prices and stock.',
    '/v1/businesses/{}/products',
  ),
  of(
    'Business content',
    'Collections, entries, taxonomies and forms of a business.',
    '/v1/businesses/{}/collections',
    '/v1/businesses/{}/entries',
    '/v1/businesses/{}/taxonomies',
    '/v1/businesses/{}/forms',
  ),
  of(
    'Business orders',
    'Orders of a business with their lines, refunds and shipments.',
    '/v1/businesses/{}/orders',
    '/v1/businesses/{}/refund',
    '/v1/businesses/{}/refunds',
  ),
  of(
    'Business reactions',
    'Likes, stars, reviews and comments of customers, and their moderation.',
    '/v1/businesses/{}/reactions',
  ),
  of(
    'Agents',
    'AI agents of a business, and their chats with visitors.',
    '/v1/businesses/{}/agents',
    '/v1/businesses/{}/chats',
  ),
  of('Network search', 'What the stores and businesses of a network offer, for everyone.', '/v1/networks'),
  of('Countries', 'Countries and their states, for address forms.', '/v1/platform/countries'),
  of('Platform', 'Data and maintenance of the installation. Requires a platform administrator.', '/v1/platform'),
]

const prefixes = tags
  .flatMap((tag) => tag.under.map((under) => ({ under, tag })))
  .sort((a, b) => b.under.length - a.under.length)

export function tagOf(path: string): string {
  const bare = path.replaceAll(/\{\w+\}/g, '{}')
  const found = prefixes.find(({ under }) => bare === under || (!exact.has(under) && bare.startsWith(`${under}/`)))
  if (!found) throw new Error(`No tag names ${path}: add one in tags.ts.`)
  return found.tag.name
}

/** The tags of these paths, in order. */
export function tagsOf(paths: readonly string[]): Json[] {
  const used = new Set(paths.map(tagOf))
  return tags.filter(({ name }) => used.has(name)).map(({ name, description }) => ({ name, description }))
}
