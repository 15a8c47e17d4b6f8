// Where a page is, which documents describe it, and where it stands in the addresses of the API and of the console.
import type { Membership } from '../../../../client/client.ts'
import type { Operation } from './operations.ts'
import { actionsOf, type Node, type Place, type Surface, shownBelow, type Tree } from './tree.ts'

export type Tenant = Pick<Membership, 'id' | 'key' | 'role' | 'timezone' | 'status'> & {
  name: string
  surface: Surface
}

/** In a tenant, at the installation's, or at the operator's own account. */
export type Scope = { kind: 'tenant'; tenant: Tenant } | { kind: 'platform' } | { kind: 'account' }

export type Audience = 'operator' | 'business' | 'platform'

/** The documents that describe a scope: an account has stores and businesses. */
export const audiencesOf = (scope: Scope): readonly Audience[] =>
  scope.kind === 'account' ? ['operator', 'business'] : [audienceOf(scope)]

export const audienceOf = (scope: Scope): Audience =>
  scope.kind === 'platform'
    ? 'platform'
    : scope.kind === 'tenant' && scope.tenant.surface === 'businesses'
      ? 'business'
      : 'operator'

/** The document that describes a request of the API. */
export const audienceOfPath = (path: string): Audience =>
  path.startsWith('/v1/platform/') ? 'platform' : path.startsWith('/v1/businesses/') ? 'business' : 'operator'

/** The API's path of the scope, and the console's. */
export const basesOf = (scope: Scope): { api: string; page: string } => {
  if (scope.kind === 'platform') return { api: '/v1/platform', page: '/platform/data' }
  if (scope.kind === 'account') return { api: '/v1', page: '/account/data' }
  const { surface, id } = scope.tenant
  return { api: `/v1/${surface}/${id}`, page: `/${surface}/${id}/data` }
}

/** The console's path of a record or list of the API: every one has an address. */
export function pageOf(api: string): string {
  const [, tenant, rest] = /^\/v1\/((?:stores|businesses)\/[0-9a-f-]{36})(\/.*)?$/.exec(api) ?? []
  if (tenant) return rest ? `/${tenant}/data${rest}` : `/${tenant}/record`
  const [, platform] = /^\/v1\/platform(\/.*)$/.exec(api) ?? []
  return platform ? `/platform/data${platform}` : `/account/data${api.slice('/v1'.length)}`
}

const apart = ['attention', 'timeline', 'overview', 'readiness']
const ofAccount: Record<string, string[]> = { operator: ['accounts', 'erasures', 'stores'], business: ['businesses'] }

/** The lists that stand directly below a scope, but those that have pages of their own. `trees`: of its documents. */
export function topOf(trees: readonly Tree[], scope: Scope): { node: Node; values: string[]; tree: Tree }[] {
  const { api } = basesOf(scope)
  const values = scope.kind === 'tenant' ? [scope.tenant.id] : []
  const key = scope.kind === 'tenant' ? `/v1/${scope.tenant.surface}/{}` : api
  const within = (node: Node) =>
    shownBelow(node).flatMap((one) => (one.segment === 'me' ? [one, ...shownBelow(one)] : [one]))
  return trees.flatMap((tree, at) => {
    const root = tree.nodes.get(key)
    if (!root) return []
    const own = ofAccount[audiencesOf(scope)[at] ?? ''] ?? []
    const nodes = scope.kind === 'account' ? root.children.filter((one) => own.includes(one.segment)) : [root]
    const below = nodes.flatMap((node) => [...(node.kind === 'list' ? [node] : []), ...within(node)])
    return below.filter((node) => node.get && !apart.includes(node.segment)).map((node) => ({ node, values, tree }))
  })
}

/** What can be done with the installation itself; that of a store or business stands on its record. */
export function ownActions(trees: readonly Tree[], scope: Scope): { tree: Tree; place: Place; actions: Operation[] }[] {
  if (scope.kind !== 'platform') return []
  return trees.flatMap((tree) => {
    const node = tree.nodes.get(basesOf(scope).api)
    return node ? [{ tree, place: { node, values: [] }, actions: actionsOf(node) }] : []
  })
}

/** Actions of the store or business itself; lists below it have pages of their own. */
const isOwn = (node: Node): boolean =>
  node.kind === 'action' || (node.kind === 'folder' && node.children.length > 0 && node.children.every(isOwn))

/** The record of a store or business, without the lists below it. */
export function tenantRecord({ nodes }: Tree, surface: Surface): Node | undefined {
  const node = nodes.get(`/v1/${surface}/{}`)
  return node && { ...node, children: node.children.filter(isOwn) }
}
