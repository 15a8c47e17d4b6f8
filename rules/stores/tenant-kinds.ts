// What a tenant is: a store or, on the business surface, a business.
import type { Surface } from '../spelling.ts'

export const tenantKinds = ['store', 'business'] as const
export type TenantKind = (typeof tenantKinds)[number]

/** What the tenants of a surface are. Also their noun in texts. */
export const tenantKindOf = (surface: Surface): TenantKind => (surface === 'business' ? 'business' : 'store')
