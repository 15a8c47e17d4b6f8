// The audiences of the document, by the declaration of a route: who calls it, or has another system call it.
import type { Surface } from '../../rules/spelling.ts'
import type { May } from '../kit/caller.ts'
import type { Route } from '../kit/route.ts'

/** The first one is shown first. */
export const audiences = ['storefront', 'operator', 'business', 'platform'] as const
export type Audience = (typeof audiences)[number]

/** Everyone who signs in with a code. */
const signedIn: readonly Audience[] = ['operator', 'business', 'platform']

const byCaller: Record<Exclude<May, 'public' | 'secret'>, readonly Audience[]> = {
  visitor: ['storefront'],
  verified: ['storefront'],
  'member-link': ['storefront'],
  customer: ['business'],
  admin: ['operator'],
  owner: ['operator'],
  super: ['operator'],
  account: signedIn,
  platform: ['platform'],
}

/** The audiences of routes that identify no caller, by a prefix of their paths. */
const withoutCaller: readonly [prefix: string, readonly Audience[]][] = [
  ['/v1/auth', signedIn],
  ['/v1/stores', ['operator']],
  ['/v1/customer', ['storefront']],
  ['/v1/platform/countries', ['storefront', 'operator', 'business', 'platform']],
  ['/media', ['storefront', 'operator', 'business']],
  ['/v1/social', ['operator']],
  ['/v1/workflows', ['operator']],
  ['/v1/mail', ['operator']],
  ['/v1/webhooks', ['platform']],
]

export function audiencesOf({ may, path, surface }: Pick<Route, 'may' | 'path' | 'surface'>): readonly Audience[] {
  if (surface === 'business') return ['business']
  if (may !== 'public' && may !== 'secret') return byCaller[may]
  const found = withoutCaller.find(([prefix]) => `${path}/`.startsWith(`${prefix}/`))
  if (!found) throw new Error(`No audience reads ${path}: add its prefix in audiences.ts.`)
  return found[1]
}

/** Who subscribes to the events of a surface. */
export const audienceOfEvents: Record<Surface, Audience> = { store: 'operator', business: 'business' }
