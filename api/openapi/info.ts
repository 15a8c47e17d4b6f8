// The introduction of the document, and of the part of each audience: what a client needs before the first request.
import type { Audience } from './audiences.ts'
import type { Json } from './schemas.ts'

const titles: Record<Audience, string> = {
  storefront: 'Tillwright for storefronts',
  operator: 'Tillwright for operators',
  business: 'Tillwright for businesses',
  platform: 'Tillwright for platform administrators',
}

/** `readers`: the audiences whose part has the text; without it, all of them. */
type Section = { readers?: readonly Audience[]; text: string }

const sections: readonly Section[] = [
  {
    text: `Tillwright is a multi-tenant backend for stores: catalog, bookings, carts, checkout, orders, refunds, audiences, campaigns, content, forms, social networks, AI agents, webhooks and automation.

No effect on the outside world (a charge, a refund, an e-mail, a call to another system) happens twice. An effect whose outcome cannot be proved has the status \`unknown\` and is never sent again.`,
  },
  {
    text: `## Authentication`,
  },
  {
    readers: ['operator', 'business', 'platform'],
    text: `**Operators** send \`Authorization: Bearer <token>\`.

1. \`POST /v1/auth/code\` sends a six-digit code to an e-mail address.
2. \`POST /v1/auth/verify\` exchanges it for an access token (\`till_at_…\`, one hour) and a refresh token (\`till_rt_…\`, seven days).
3. \`POST /v1/auth/refresh\` exchanges the refresh token for a new pair, and \`POST /v1/auth/logout\` revokes both. An application on the origin of the API keeps the refresh token in a cookie: it signs in with \`cookie\`.
4. \`POST /v1/accounts/me/api-tokens\` creates an API token (\`till_sk_…\`) for programs.

The roles in a store are \`admin\`, \`owner\` and \`super\`; each operation names the lowest role that may call it. A store that the caller is no member of is answered with 404, a role that is too low with 403.`,
  },
  {
    readers: ['storefront', 'business'],
    text: `**Visitors** of a storefront send \`X-Service-Publishable-Key\`, the store's \`publishable_key\` (\`till_pk_…\`), which is not a secret. Operations on a visitor's own cart, orders and account also need \`X-Service-Visitor-Token\` (\`till_vt_…\`): \`POST /v1/storefront/carts/current\`, \`…/account/identify\` and \`…/account/code\` create a visitor if the request has no token, and return the new token in that header; so do bookings at a business, reactions, and messages to an agent. Send it with every later request; the bodies of \`…/account/identify\` and \`…/account/verify\` repeat it. An unknown or revoked token is answered with 401, and never replaced.`,
  },
  {
    text: `## Requests

Bodies are JSON in UTF-8, 1 MiB at most, with at most 55,000 objects and as many members of objects. A number with more digits than a double keeps, such as 9007199254740993, is refused: send fewer digits, or a string where the field takes text. Amounts are integers in minor units of their currency, percentages are basis points (10000 is 100 %), times are Unix seconds.

- An unknown field is refused with 422. A record that was read can be sent back: fields that cannot be written (\`readOnly\`) are ignored, and a field that repeats a path parameter must equal it.
- In a \`PUT\`, fields that are left out keep their value. A field that is sent replaces the stored value as a whole, also a list or an object.
- Secrets are returned as \`__redacted__\`. Leave these fields out to keep them; the placeholder itself is refused with 422 \`redacted_value\`.`,
  },
  {
    text: `## Errors

Errors are \`application/problem+json\` (RFC 9457): \`status\`, \`title\`, a \`detail\` for people, a stable \`code\` for programs, and the \`request_id\`. With 422, \`errors\` lists each invalid field with a JSON pointer into the body or the name of a query parameter. A record of another store is answered with 404. After 429 or 503 with \`Retry-After\`, repeat the same request after that number of seconds.`,
  },
  {
    text: `## Lists

Each operation names the parameters that it takes. Lists with a \`cursor\` parameter return \`{items, cursor}\`; short lists without it (locations, the stock of a product, the lines of an order, the files of a storefront) return an array. For the next page, send \`cursor\` again with the same filters and sort order; \`null\` means that there is no further page. \`limit\` is 20 by default and 100 at most (lists of files require it), \`sort_field\` and \`sort_direction\` define the order (\`created_at\`, descending, by default), and \`query\`, where an operation has it, searches for words by their beginning. Arrays are sent as repeated parameters (\`ids=a&ids=b\`) or as one comma-separated value. Unknown parameters and empty values are refused with 422.`,
  },
  {
    text: `## Idempotency

Operations with an effect outside take an id that the caller makes, such as \`refund_id\`: any UUID. Sending the same id with the same body again returns the same record and sends nothing twice; the same id with another body is refused with 409 \`idempotency_conflict\`. Checking out the same cart again returns the same order.`,
  },
  {
    readers: ['business'],
    text: `## Businesses

\`/v1/businesses\` and \`/v1/networks\` are the business surface, with the same engine. A business is a store in other words: its fields and parameters are in camelCase (\`sort_field\` is \`sortField\`), and some words in other letters: \`ACTIVE\`, \`MONDAY\`, \`Exclusive\`, and the roles \`Admin\`, \`Owner\` and \`Super\`. A name in snake_case is an unknown field there; problems have \`request_id\` on both surfaces. A business is not found on the paths of stores, nor a store on its paths. Both use the same accounts, tokens and \`/v1/storefront\`.

Operations of bookings are for operators and for visitors: a request with a bearer token is an operator's. Where the caller has no id of an effect, the header \`Idempotency-Key\` names the request. A visitor sends the same \`X-Service-Visitor-Token\` with an equal request: without a token, each request is that of another visitor.`,
  },
  {
    text: `## Versions

The paths begin with the version, \`/v1\`. Within a version, fields, codes, events and optional parameters are added; ignore those that you do not know. Concurrent changes of an order are detected by its \`version\`: an update that sends an outdated one is refused with 409 \`stale_version\`.`,
  },
]

const infoOf = (title: string, texts: readonly string[]): Json => ({
  title,
  version: '1',
  license: { name: 'MIT', identifier: 'MIT' },
  description: texts.join('\n\n'),
})

export const info: Json = infoOf(
  'Tillwright',
  sections.map(({ text }) => text),
)

export const infoFor = (audience: Audience): Json =>
  infoOf(
    titles[audience],
    sections.flatMap(({ readers, text }) => (!readers || readers.includes(audience) ? [text] : [])),
  )

export const servers: Json[] = [{ url: '/', description: 'The server that returned this document.' }]
