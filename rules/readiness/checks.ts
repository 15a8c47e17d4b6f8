// What a store needs to sell, ship, book, send mail and publish: one check for each thing, the route that mends it, and
// the refusals that say that it is missing. The readiness route and those refusals use this one table.
import { z } from 'zod'
import { type AttentionRole, type Mend, mending } from '../attention.ts'
import type { ProblemCode } from '../problems.ts'
import type { TenantKind } from '../stores/tenant-kinds.ts'

/** `sell`: by card and by cash alike. */
export const Capability = z.enum(['sell', 'sell_by_cash', 'sell_by_card', 'ship', 'book', 'send_mail', 'publish'])
export type Capability = z.infer<typeof Capability>

/** What is there, read in one statement. Ids are of the record that a mending route changes; null if there is none. */
export type SetUp = {
  kind: TenantKind
  market_id: string | null
  takes_cash: boolean
  takes_cards: boolean
  can_charge: boolean
  is_priced: boolean
  product_id: string | null
  location_id: string | null
  has_address: boolean
  /** A location for pickup without an address, if there is one. */
  pickup_id: string | null
  has_zone: boolean
  has_shipping_method: boolean
  has_service: boolean
  has_provider: boolean
  link_id: string | null
  has_hours: boolean
  has_mailbox: boolean
  has_template: boolean
  has_connection: boolean
}

/** `POST /markets`: a route, whose path is below that of the store. */
type RouteText = `${Mend['method']} /${string}`

type Way = {
  what_to_do: string
  /** The route that mends it; with the id of what is there, where the path has one. */
  mend: RouteText
  id?(found: MendFacts): string | null
  /** The route that makes the first one, where there is none to change. */
  first?: RouteText
}
type Check = Way & {
  capability: Capability
  isReady(found: SetUp): boolean
  title: string
  /** What mends it in a store without products that has services. */
  of_services?: Way
  /** The route of a business, where it is another one; null: a business cannot have it. */
  of_business?: RouteText | null
  /** The role that its routes need, if it is more than that of an admin. */
  role?: AttentionRole
}

const ofMarket = {
  mend: 'PUT /markets/{id}',
  id: ({ market_id }: MendFacts) => market_id,
  first: 'POST /markets',
} as const

const ofLink = {
  mend: 'PUT /service-providers/{id}',
  id: ({ link_id }: MendFacts) => link_id,
  first: 'POST /service-providers',
} as const

/** The checks in the order in which they are mended: a later one may need what an earlier one asks for. */
export const checks = {
  market: {
    capability: 'sell',
    isReady: ({ market_id }) => market_id !== null,
    title: 'A market says in which currency is sold.',
    what_to_do: 'Create a market with its currency.',
    mend: 'POST /markets',
  },
  payment_method: {
    capability: 'sell',
    isReady: ({ takes_cash, takes_cards }) => takes_cash || takes_cards,
    title: 'A market has a method of payment.',
    what_to_do: 'Add a method of payment to a market.',
    ...ofMarket,
  },
  price: {
    capability: 'sell',
    isReady: ({ is_priced }) => is_priced,
    title: 'An active product or service has a price in a market.',
    what_to_do: 'Give a variant of an active product a price in each market that it is sold in.',
    mend: 'PUT /products/{id}',
    id: ({ product_id }) => product_id,
    first: 'POST /products',
    of_services: {
      what_to_do: 'Give the link of a service and a provider a price in each market that it is booked in.',
      ...ofLink,
    },
  },
  cash: {
    capability: 'sell_by_cash',
    isReady: ({ takes_cash }) => takes_cash,
    title: 'A market takes cash.',
    what_to_do: 'Add cash to the methods of payment of a market.',
    ...ofMarket,
  },
  card: {
    capability: 'sell_by_card',
    isReady: ({ takes_cards }) => takes_cards,
    title: 'A market takes cards.',
    what_to_do: 'Add cards to the methods of payment of a market.',
    ...ofMarket,
  },
  card_account: {
    capability: 'sell_by_card',
    isReady: ({ can_charge }) => can_charge,
    title: 'An account at a payment provider may charge cards.',
    what_to_do: 'Connect an account and complete it at the provider, or create an integration that charges cards.',
    mend: 'POST /payment-providers/stripe/connect',
    role: 'owner',
    of_business: 'POST /integrations',
  },
  location: {
    capability: 'ship',
    isReady: ({ has_address }) => has_address,
    title: 'A location has an address with a country to ship from.',
    what_to_do: 'Give a location an address with a country.',
    mend: 'PUT /locations/{id}',
    id: ({ location_id }) => location_id,
    first: 'POST /locations',
  },
  pickup_location: {
    capability: 'ship',
    isReady: ({ pickup_id }) => pickup_id === null,
    title: 'Every location where goods are picked up has an address with a country.',
    what_to_do: 'Give the location an address with a country, or let nothing be picked up there.',
    mend: 'PUT /locations/{id}',
    id: ({ pickup_id }) => pickup_id,
  },
  zone: {
    capability: 'ship',
    isReady: ({ has_zone }) => has_zone,
    title: 'A market has a zone, which says where it ships to and which tax is due.',
    what_to_do: 'Add a zone with the countries that the market ships to, or with none for everywhere.',
    ...ofMarket,
  },
  shipping_method: {
    capability: 'ship',
    isReady: ({ has_shipping_method }) => has_shipping_method,
    title: 'A zone has a shipping method.',
    what_to_do: 'Add a shipping method with its amount to a zone of the market.',
    ...ofMarket,
  },
  service: {
    capability: 'book',
    isReady: ({ has_service }) => has_service,
    title: 'A service is active and public.',
    what_to_do: 'Create a service, or make one active.',
    mend: 'POST /services',
  },
  provider: {
    capability: 'book',
    isReady: ({ has_provider }) => has_provider,
    title: 'A provider is active and public.',
    what_to_do: 'Create a provider: a person or a room that services are booked with.',
    mend: 'POST /providers',
  },
  service_provider: {
    capability: 'book',
    isReady: ({ link_id }) => link_id !== null,
    title: 'A provider does a service.',
    what_to_do: 'Link a service and a provider, with hours, durations and prices.',
    mend: 'POST /service-providers',
  },
  provider_hours: {
    capability: 'book',
    isReady: ({ has_hours }) => has_hours,
    title: 'A link of an active service and provider has hours, a duration and a price in a market.',
    what_to_do: 'Give the link of a service and a provider hours, a duration and a price.',
    ...ofLink,
  },
  mailbox: {
    capability: 'send_mail',
    isReady: ({ has_mailbox }) => has_mailbox,
    title: 'A mailbox is active.',
    what_to_do: 'Create a mailbox with its SMTP account.',
    mend: 'POST /mailboxes',
    of_business: null,
  },
  email_template: {
    capability: 'send_mail',
    isReady: ({ has_template }) => has_template,
    title: 'An e-mail template is active.',
    what_to_do: 'Create a template; campaigns need one that is made for them.',
    mend: 'POST /email-templates',
    of_business: null,
  },
  connection: {
    capability: 'publish',
    isReady: ({ has_connection }) => has_connection,
    title: 'An account at a social network is connected.',
    what_to_do: 'Begin the sign-in at the network, and open the address that is returned in a browser.',
    mend: 'POST /social-connections/oauth/connect',
    of_business: null,
  },
} as const satisfies Record<string, Check>
export type CheckId = keyof typeof checks

type Missing = {
  check: CheckId
  /** What a visitor reads instead, who can mend nothing; null: the refusal itself is for visitors. */
  visitor: string | null
}

/**
 * Refusals that may be due to a lack of set-up, with the check that says so. What a visitor may have caused as well
 * keeps its own sentence.
 */
export const missing: Partial<Record<ProblemCode, Missing>> = {
  no_market: { check: 'market', visitor: 'Nothing is sold here yet.' },
  market_unknown: { check: 'market', visitor: 'Nothing is sold in this region. Choose another one.' },
  payment_method_unknown: {
    check: 'payment_method',
    visitor: 'This way to pay is not offered here. Choose another one.',
  },
  price_missing: { check: 'price', visitor: 'This has no price here yet. Choose something else.' },
  product_not_active: { check: 'price', visitor: 'This is not for sale at the moment. Choose something else.' },
  payment_provider_not_connected: {
    check: 'card_account',
    // Of a membership, cards are the only way to pay.
    visitor: 'Cards cannot be taken here yet.',
  },
  location_not_configured: {
    check: 'location',
    visitor: 'Nothing can be shipped here yet: the {store} has not said where it ships from.',
  },
  pickup_location_not_configured: {
    check: 'pickup_location',
    visitor: 'Nothing can be picked up there yet. Choose another place, or have it shipped.',
  },
  zone_not_found: { check: 'zone', visitor: null },
  shipping_method_unknown: { check: 'shipping_method', visitor: null },
  service_not_active: { check: 'service', visitor: 'This cannot be booked at the moment. Choose another service.' },
  link_unknown: { check: 'service_provider', visitor: 'This provider does not do this service. Choose another one.' },
  slot_not_offered: { check: 'provider_hours', visitor: 'This time is not offered. Choose another one.' },
  connection_unknown: { check: 'connection', visitor: null },
  connection_not_active: { check: 'connection', visitor: null },
  connection_needs_reconnect: { check: 'connection', visitor: null },
}

/** The same for errors that a refusal lists, such as those of a campaign that is not ready. */
export const missingByFault: Readonly<Record<string, CheckId>> = {
  mailbox_missing: 'mailbox',
  mailbox_archived: 'mailbox',
  template_missing: 'email_template',
  template_type: 'email_template',
  template_not_active: 'email_template',
}

/** A route of a tenant. */
function mendOf(route: RouteText, kind: TenantKind, tenantId: string, role?: AttentionRole): Mend {
  const [method, path] = route.split(' ') as [Mend['method'], string]
  return mending({ tenant_id: tenantId, tenant_kind: kind }, method, path, role)
}

/** What mends a check names: the tenant, and ids of what is there. */
export type MendFacts = Pick<
  SetUp,
  'kind' | 'market_id' | 'product_id' | 'location_id' | 'pickup_id' | 'has_service' | 'link_id'
>

/** What mends a check: in words, and the route, with the id of what it changes. */
export function mendOfCheck(id: CheckId, found: MendFacts, tenantId: string): { what_to_do: string; mend: Mend } {
  const check: Check = checks[id]
  const { of_business, role } = check
  const way: Way = (found.product_id === null && found.has_service && check.of_services) || check
  const own = way.id?.(found) ?? null
  const route = (found.kind === 'business' && of_business) || (way.first && own === null ? way.first : way.mend)
  const { path, ...rest } = mendOf(route, found.kind, tenantId, role)
  return { what_to_do: way.what_to_do, mend: { ...rest, path: path.replace('{id}', own ?? '{id}') } }
}

const all = Object.entries(checks) as [CheckId, Check][]

/** Every check that the kind of tenant has, and whether it is passed. */
export const readinessOf = (found: SetUp, tenantId: string) =>
  all.flatMap(([id, check]) => {
    const { capability, title, of_business } = check
    if (found.kind === 'business' && of_business === null) return []
    return [{ id, capability, ready: check.isReady(found), title, ...mendOfCheck(id, found, tenantId) }]
  })

/** What a refusal, and the errors that it lists, say is missing: a check for each, once. */
export function missingIn(code: ProblemCode, faults: readonly { code: string }[]): CheckId[] {
  const found = [missing[code]?.check, ...faults.map((fault) => missingByFault[fault.code])]
  return [...new Set(found.filter((id) => id !== undefined))]
}

/** How operators mend what is missing. Its path may have `{id}`: the readiness route has the id. */
export function mendsOf(ids: readonly CheckId[], kind: TenantKind, tenantId: string) {
  return ids.flatMap((id) => {
    const { mend, of_business }: Check = checks[id]
    if (kind === 'business' && of_business === null) return []
    const { method, path } = mendOf((kind === 'business' && of_business) || mend, kind, tenantId)
    return [{ check: id, method, path }]
  })
}
