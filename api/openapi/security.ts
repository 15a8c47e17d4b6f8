// Who may call an operation: as security schemes, and in words.
import type { May } from '../kit/caller.ts'
import type { Route } from '../kit/route.ts'
import type { Json } from './schemas.ts'

const operator: Json[] = [{ bearer: [] }]
const visitor: Json[] = [{ publishableKey: [], visitorToken: [] }]
const credentials: Record<May, Json[]> = {
  customer: [...operator, ...visitor],
  public: [],
  secret: [],
  'member-link': [{ memberLink: [] }],
  visitor,
  verified: visitor,
  account: operator,
  platform: operator,
  admin: operator,
  owner: operator,
  super: operator,
}

const access: Record<May, string> = {
  customer:
    'Access: members of the business with the role `admin` or higher, and its visitors (publishable key and visitor token).',
  public: 'Access: public, without a credential.',
  secret: 'Access: the secret in the path.',
  'member-link':
    'Access: the token of the link of a member (`manage_url`) or of a confirmation e-mail, as `token` in the query or the body.',
  visitor: 'Access: a visitor of the storefront (publishable key and visitor token).',
  verified: 'Access: a visitor of the storefront who has signed in (publishable key and visitor token).',
  account: 'Access: any operator.',
  platform: 'Access: platform administrators.',
  admin: 'Access: members of the {store} with the role `admin` or higher.',
  owner: 'Access: members of the {store} with the role `owner` or `super`.',
  super: 'Access: members of the {store} with the role `super`.',
}

/** One sentence for the description of the operation. */
export const accessOf = ({ may, contact, accepts }: Route): string => {
  if (accepts === 'refresh-cookie') return 'Access: a refresh token, in the body or as a cookie.'
  if ((may !== 'visitor' && may !== 'customer') || contact === 'required') return access[may]
  const who =
    may === 'visitor'
      ? 'the storefront (publishable key)'
      : 'members of the business with the role `admin` or higher, and visitors (publishable key)'
  return `Access: ${who}. A visitor token is optional${contact === 'created' ? '; without one, a visitor is created' : ''}.`
}

/**
 * Without a required visitor, the publishable key alone is sufficient. In place of the cookie, the body has the token.
 */
export function securityOf({ may, contact, accepts }: Route): Json[] {
  if (accepts === 'refresh-cookie') return [{ refreshCookie: [] }, {}]
  const isOptional = (may === 'visitor' || may === 'customer') && contact !== 'required'
  return isOptional ? [...credentials[may], { publishableKey: [] }] : credentials[may]
}

export const securitySchemes: Json = {
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description:
      'For operators: an access token (`till_at_…`) from `POST /v1/auth/verify`, valid for an hour and renewed with `POST /v1/auth/refresh`, or an API token (`till_sk_…`) from `POST /v1/accounts/me/api-tokens`. Its permissions in a store or business depend on the role of the account there.',
  },
  publishableKey: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Service-Publishable-Key',
    description:
      'For storefronts: the `publishable_key` of the store or the `publishableKey` of the business (`till_pk_…`). It identifies the store or business, is not a secret, and may be part of a web page.',
  },
  refreshCookie: {
    type: 'apiKey',
    in: 'cookie',
    name: '__Secure-till_refresh',
    description:
      'For browser applications on the origin of the API, such as the console: the refresh token (`till_rt_…`), which `POST /v1/auth/verify` sets with `cookie`. It is HttpOnly, Secure and SameSite=Strict, and is sent to `/v1/auth` alone. Requests with it are refused unless `Origin` is that of the API. Where `PUBLIC_URL` is http on a loopback address, its name is `till_refresh`.',
  },
  memberLink: {
    type: 'apiKey',
    in: 'query',
    name: 'token',
    description:
      'For links that are mailed to members (`till_ml_…`): identifies one membership. `confirm` links confirm and read; `unsubscribe` links read and change the delivery of e-mail; `manage` links do everything but confirm.',
  },
  visitorToken: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Service-Visitor-Token',
    description:
      'For storefronts: identifies the visitor (`till_vt_…`). `POST /v1/storefront/account/identify`, `…/code` and `POST /v1/storefront/carts/current` create a visitor and return the token in the header of the same name; so do a booking at a business and a reaction.',
  },
}
