// Every operation has one tag: the resource that its path names. The order is the one in which a store is set up, sells and publishes.
import type { Json } from './schemas.ts'

type Tag = { name: string; description: string; under: readonly string[] }
const of = (name: string, description: string, ...under: string[]): Tag => ({ name, description, under })
/** Below a store. */
const store = (name: string, description: string, ...under: string[]): Tag => of(name, description, ...under.map((path) => `/v1/stores/{}${path}`))

/** `under`: beginnings of paths without their parameters' names; the longest that fits decides. */
const tags: readonly Tag[] = [
  of('Sign-in', 'Sign operators in with a code sent by email, and refresh their tokens.', '/v1/auth', '/v1/stores/{}/auth'),
  of('Accounts', "The operator's own account, its sessions and API tokens.", '/v1/accounts'),
  of('Stores', 'Stores, their settings and their publishable keys. Everything below a store is invisible to other stores.', '/v1/stores', '/v1/stores/{}'),
  store('Team', 'The members of a store and their roles: `admin`, `owner`, `super`.', '/members'),
  store('Markets', 'Currencies, tax, shipping zones and payment methods to sell with.', '/markets'),
  store('Locations', 'Places that hold stock and that orders are picked up from.', '/locations'),
  store('Payment providers', 'Connect the store to Stripe, so that it can take cards.', '/payment-providers'),
  store('Products', 'Products, their variants, prices and stock.', '/products'),
  store('Services', 'Services that are booked, and when they can be.', '/services'),
  store('Providers', 'The people or rooms that are booked, and which services they provide.', '/providers', '/service-providers'),
  store('Promo codes', 'Codes that take a discount off an order, and their conditions.', '/promo-codes'),
  store('Orders', 'Orders, their lines and bookings, and their payments.', '/orders'),
  store('Refunds', 'Refunds of a payment. A refund whose outcome cannot be proved is `unknown` and is never sent again.', '/refunds', '/orders/{}/refunds'),
  store('Disputes', 'Disputes that cardholders opened at their bank.', '/disputes', '/orders/{}/disputes'),
  store('Shipments', 'What was sent or handed over, line by line.', '/orders/{}/shipments'),
  store('Collections', 'Collections of entries, and the schema of their blocks.', '/collections'),
  store('Entries', 'Entries of collections: posts, pages, or other content that the schema describes.', '/entries'),
  store('Taxonomies', 'Trees of terms that products, services, providers and entries are sorted by.', '/taxonomies'),
  store('Forms', 'Forms and what was submitted to them.', '/forms'),
  of('Media', 'Files and the variants made of images.', '/media', '/v1/stores/{}/media'),
  store('Workflows', 'Automation graphs, and the secret URL that starts each.', '/workflows'),
  store('Executions', 'Runs of a workflow, node by node.', '/workflows/{}/executions'),
  store('Workflow connections', 'Drives (S3, WebDAV) that workflows upload to.', '/workflow-connections'),
  store('Mailboxes', 'SMTP accounts that a store sends email from.', '/mailboxes'),
  store('Email templates', 'Templates (MJML with Liquid) of the email that workflows send.', '/email-templates'),
  store('Build hooks', 'URLs that a workflow calls to rebuild a site.', '/build-hooks'),
  store('Webhooks', 'Subscriptions to events (Standard Webhooks), and their deliveries.', '/webhooks'),
  of('Storefront account', 'Visitors: their sessions, and how they sign in.', '/v1/storefront/account'),
  of('Storefront store', 'The store of the publishable key and its markets.', '/v1/storefront/store', '/v1/storefront/markets'),
  of('Storefront catalog', 'Active products, services and providers.', '/v1/storefront/products', '/v1/storefront/services', '/v1/storefront/providers'),
  of('Storefront carts', "A visitor's cart: fill it, quote it, check it out.", '/v1/storefront/carts'),
  of('Storefront orders', "The visitor's own orders.", '/v1/storefront/orders'),
  of('Storefront content', 'Active collections, entries, forms, taxonomies and files.', '/v1/storefront'),
  of('Triggers', 'URLs that start workflows; the secret in the path is the credential.', '/v1/workflows/trigger'),
  of('Provider events', 'Signed events that payment providers send.', '/v1/webhooks'),
  of('Countries', 'Countries and their states, for address forms.', '/v1/platform/countries'),
  of('Platform', 'The installation itself. Requires a platform administrator.', '/v1/platform'),
]

const prefixes = tags.flatMap((tag) => tag.under.map((under) => ({ under, tag }))).sort((a, b) => b.under.length - a.under.length)

export function tagOf(path: string): string {
  const bare = path.replaceAll(/\{\w+\}/g, '{}')
  const found = prefixes.find(({ under }) => bare === under || bare.startsWith(`${under}/`))
  if (!found) throw new Error(`No tag names ${path}: add one in tags.ts.`)
  return found.tag.name
}

/** Those that these paths have, in order. */
export function tagsOf(paths: readonly string[]): Json[] {
  const used = new Set(paths.map(tagOf))
  return tags.filter(({ name }) => used.has(name)).map(({ name, description }) => ({ name, description }))
}
