// What the operator may do: the account, its stores and businesses with its role in each, and the one at hand.
import { queryOptions, useQuery } from '@tanstack/react-query'
import { createContext, type ReactNode, useContext } from 'react'
import { each, type Membership, type OwnAccount } from '../../../client/client.ts'
import { call } from './api.ts'
import { type Access, isAllowed, type Role } from './document/operations.ts'
import type { Scope, Tenant } from './document/scope.ts'
import type { Surface } from './document/tree.ts'
import { session } from './session.ts'

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
