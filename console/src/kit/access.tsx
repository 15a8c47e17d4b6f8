// What the operator may do: the account, its stores and businesses with its role in each, and the one at hand.
import { queryOptions, useQuery } from '@tanstack/react-query'
import { createContext, type ReactNode, useContext } from 'react'
import { each, type Membership, type OwnAccount } from '../../../client/client.ts'
import { call } from './api.ts'
import type { Audience } from './document/load.ts'
import { type Access, isAllowed, type Role } from './document/operations.ts'
import type { Surface } from './document/tree.ts'
import { session } from './session.ts'

export type Tenant = Pick<Membership, 'id' | 'key' | 'role' | 'timezone' | 'status'> & {
  name: string
  surface: Surface
}
export type Permissions = { account: OwnAccount; tenants: readonly Tenant[] }

const surfaces: Record<Membership['kind'], Surface> = { store: 'stores', business: 'businesses' }

async function loadPermissions(): Promise<Permissions> {
  const memberships = async () => {
    const found: Tenant[] = []
    const query = { limit: 100, sort_field: 'key', sort_direction: 'asc' } as const
    for await (const { kind, name, ...one } of each(call, 'GET /v1/accounts/me/memberships', { query }))
      found.push({ ...one, name: name ?? one.key, surface: surfaces[kind] })
    return found
  }
  const [account, tenants] = await Promise.all([call('GET /v1/accounts/me'), memberships()])
  session.belongsTo(account.id)
  return { account, tenants }
}

export const permissionsQuery = queryOptions({ queryKey: ['permissions'], queryFn: loadPermissions, staleTime: 60_000 })
export const usePermissions = () => useQuery(permissionsQuery)

/** Where the page is: in a tenant, at the installation's, or at the operator's own account. */
export type Scope = { kind: 'tenant'; tenant: Tenant } | { kind: 'platform' } | { kind: 'account' }

type Here = { scope: Scope; permissions: Permissions }
const HereContext = createContext<Here | undefined>(undefined)

export const HereProvider = ({ scope, permissions, children }: Here & { children: ReactNode }) => (
  <HereContext value={{ scope, permissions }}>{children}</HereContext>
)

export function useHere() {
  const here = useContext(HereContext)
  if (!here) throw new Error('useHere outside of a scope')
  const { scope, permissions } = here
  const tenant = scope.kind === 'tenant' ? scope.tenant : undefined
  const role: Role | undefined = tenant?.role
  return {
    ...here,
    tenant,
    /** Times are those of the store; outside of one, of the operator. */
    zone: tenant?.timezone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
    may: (access: Access) => isAllowed(access, role, permissions.account.platform_administrator),
  }
}

/** The documents that describe a scope: an account has stores and businesses. */
export const audiencesOf = (scope: Scope): readonly Audience[] =>
  scope.kind === 'account' ? ['operator', 'business'] : [audienceOf(scope)]

export const audienceOf = (scope: Scope): Audience =>
  scope.kind === 'platform'
    ? 'platform'
    : scope.kind === 'tenant' && scope.tenant.surface === 'businesses'
      ? 'business'
      : 'operator'

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
