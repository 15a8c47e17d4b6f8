// What a reader of the document has to know before the first request.
import type { Json } from './schemas.ts'

export const info: Json = {
  title: 'Tillwright',
  version: '1',
  license: { name: 'MIT', identifier: 'MIT' },
  description: `A multi-tenant backend for stores: catalog, bookings, carts, checkout, orders, refunds, content, forms, webhooks and automation.
Every effect on the outside world happens once. An effect whose outcome cannot be proved has the status \`unknown\` and is never sent again.

## Authentication
- **Operators** send \`Authorization: Bearer …\`: request a code with \`POST /v1/auth/code\`, exchange it with \`POST /v1/auth/verify\`, and create an API token with \`POST /v1/accounts/me/api-tokens\` for programs. Roles in a store are \`admin\`, \`owner\` and \`super\`; each operation names the lowest that may call it.
- **Storefronts** send \`X-Service-Publishable-Key\`, the store's \`publishable_key\`. Operations that act for a visitor also need \`X-Service-Visitor-Token\`; \`POST /v1/storefront/carts/current\` and the storefront account create a visitor and return its token in that header.

## Requests
Bodies are JSON of at most 1 MiB, with at most 55,000 objects and as many members of objects. Amounts are integers in minor units of their currency, percentages are basis points (10000 = 100 %), times are Unix seconds.
An unknown field is refused with 422. A record that was read can be sent back: fields of the response that cannot be written (\`readOnly\`) are ignored, whatever their value, and a field that repeats a path parameter must equal it. Secrets read as \`__redacted__\`; leave these fields out, or send new ones: that text is 422 \`redacted_value\`. In a \`PUT\`, fields that are left out keep their value; a field that is sent replaces the stored one wholly, lists and objects too.

## Lists
Lists with a \`cursor\` parameter return \`{items, cursor}\`; short ones without it return a bare array. Send \`cursor\` again, with the same filters and order, for the next page; \`null\` means that there is none. \`limit\` is at most 100. Arrays are repeated parameters (\`ids=a&ids=b\`) or one comma-separated value.

## Errors
Errors are \`application/problem+json\` (RFC 9457) with a stable \`code\`. With 422, \`errors\` lists each fault with a JSON pointer into the body or the name of a query parameter. A record of another store is 404. After 429 and 503 with \`Retry-After\`, repeat the same request when it has passed.

## Idempotency
Operations with an effect outside take an id that the caller makes, such as \`refund_id\`. Sending the same id with the same body again returns the same record (200 instead of 201) and sends nothing twice; the same id with another body is 409 \`idempotency_conflict\`. Checking out the same cart again returns the same order.`,
}

export const servers: Json[] = [{ url: '/', description: 'The server that this document was read from.' }]
