// The callers of a run: every kind that a route knows, with and without a store, renewed when a request ended their
// session.
import type { Random } from '../chaos/random.ts'
import { bearer, signIn } from '../kit/codes.ts'
import { type Operator, operator, type Shop } from '../kit/shop.ts'
import type { Operation } from './document.ts'
import type { By } from './pool.ts'

export type Caller = By & {
  headers: Record<string, string>
  /** Requests of theirs may end their session: another caller of the same kind replaces them. */
  renew?: () => Promise<Record<string, string>>
}
export type CallerName =
  | 'operator'
  | 'admin'
  | 'platform'
  | 'visitor'
  | 'verified'
  | 'customer'
  | 'keyholder'
  | 'leaving'
  | 'account'
  | 'spare'
  | 'stranger'
  | 'forger'
  | 'their-operator'
  | 'their-visitor'
export type Callers = Record<CallerName, Caller>

type Credentials = () => Promise<Record<string, string>>
/** `customer`: a visitor of a business of `mine`. */
export type People = {
  mine: Shop
  theirs: Shop
  admin: Operator
  platform: Operator
  verified: Credentials
  customer: Credentials
}

export async function callersOf({ mine, theirs, admin, platform, verified, customer }: People): Promise<Callers> {
  const key = (shop: Shop) => ({ 'x-service-publishable-key': shop.publishable_key })
  const visitor = async () => (await mine.visitor()).headers
  const theirVisitor = async () => (await theirs.visitor()).headers
  const account = async () => bearer(await signIn())
  const spare = async () => (await operator()).headers
  return {
    operator: { name: 'operator', owner: 'mine', headers: mine.op.headers },
    admin: { name: 'admin', owner: 'mine', headers: admin.headers },
    platform: { name: 'platform', owner: 'none', headers: platform.headers },
    visitor: { name: 'visitor', owner: 'mine', headers: await visitor(), renew: visitor },
    verified: { name: 'verified', owner: 'mine', headers: await verified(), renew: verified },
    customer: { name: 'customer', owner: 'mine', headers: await customer(), renew: customer },
    keyholder: { name: 'keyholder', owner: 'mine', headers: key(mine) },
    leaving: { name: 'leaving', owner: 'mine', headers: await visitor(), renew: visitor },
    account: { name: 'account', owner: 'none', headers: await account(), renew: account },
    spare: { name: 'spare', owner: 'none', headers: await spare(), renew: spare },
    stranger: { name: 'stranger', owner: 'none', headers: {} },
    forger: {
      name: 'forger',
      owner: 'mine',
      headers: {
        authorization: `Bearer till_at_${'x'.repeat(43)}`,
        ...key(mine),
        'x-service-visitor-token': `till_vt_${'x'.repeat(43)}`,
      },
    },
    'their-operator': { name: 'their-operator', owner: 'theirs', headers: theirs.op.headers },
    'their-visitor': { name: 'their-visitor', owner: 'theirs', headers: await theirVisitor(), renew: theirVisitor },
  }
}

/**
 * Requests that end the caller's session or the requested store: only callers who are used for nothing else make these.
 */
const ending: Record<string, CallerName> = {
  'DELETE /v1/accounts': 'spare',
  'POST /v1/storefront/account/logout': 'leaving',
  'PUT /v1/stores/{storeId}': 'account',
  'PUT /v1/businesses/{businessId}': 'account',
  'DELETE /v1/businesses/{businessId}': 'account',
  'POST /v1/stores/{storeId}/publishable-key/rotate': 'account',
}

type Mix = readonly (readonly [number, CallerName])[]
const strangers: Mix = [
  [2, 'stranger'],
  [2, 'forger'],
]
const operators: Mix = [
  [80, 'operator'],
  [5, 'admin'],
  [6, 'their-operator'],
  [2, 'account'],
  [2, 'visitor'],
  ...strangers,
]
const visitors: Mix = [
  [45, 'visitor'],
  [35, 'verified'],
  [6, 'keyholder'],
  [6, 'their-visitor'],
  [1, 'operator'],
  ...strangers,
]
const mixes: Record<string, Mix> = {
  admin: operators,
  owner: operators,
  super: operators,
  visitor: visitors,
  customer: [[45, 'operator'], [45, 'customer'], [4, 'visitor'], [4, 'their-operator'], [2, 'admin'], ...strangers],
  verified: [[85, 'verified'], [6, 'visitor'], [3, 'their-visitor'], ...strangers],
  account: [[85, 'account'], [4, 'visitor'], ...strangers],
  platform: [[85, 'platform'], [8, 'operator'], ...strangers],
  public: [
    [60, 'stranger'],
    [10, 'operator'],
    [10, 'visitor'],
    [5, 'forger'],
  ],
}

export function callerFor({ name, needs }: Operation, draw: Random): CallerName {
  const only = ending[name]
  if (only) return draw.chance(0.85) ? only : draw.pick(['stranger', 'forger'] as const)
  return draw.weighted(mixes[needs] ?? (mixes.public as Mix))
}
