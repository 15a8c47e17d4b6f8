// Who may call, as security schemes: one credential per kind of caller.
import type { May } from '../caller.ts'
import type { Route } from '../route.ts'
import type { Json } from './schemas.ts'

const operator: Json[] = [{ bearer: [] }]
const visitor: Json[] = [{ publishableKey: [], visitorToken: [] }]
const credentials: Record<May, Json[]> = {
  public: [],
  secret: [],
  visitor,
  verified: visitor,
  account: operator,
  platform: operator,
  admin: operator,
  owner: operator,
  super: operator,
}

/** Where a visitor need not be known, the publishable key alone is enough. */
export const securityOf = ({ may, contact }: Route): Json[] =>
  may === 'visitor' && contact !== 'required' ? [{ publishableKey: [] }, ...visitor] : credentials[may]

export const securitySchemes: Json = {
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description:
      'For operators: an access token of `POST /v1/auth/verify`, valid for an hour (`POST /v1/auth/refresh` exchanges it), or an API token of `POST /v1/accounts/me/api-tokens`. What it may do in a store depends on the role of its account there.',
  },
  publishableKey: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Service-Publishable-Key',
    description: 'For storefronts: names the store. It is `publishable_key` of the store, no secret, and may stand in a page.',
  },
  visitorToken: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Service-Visitor-Token',
    description:
      'For storefronts: names the visitor. `POST /v1/storefront/account/identify`, `…/code` and `POST /v1/storefront/carts/current` create a visitor and return the token in the header of the same name.',
  },
}
