// What a tenant is, a store or a business: also the surface that serves it, and its noun in texts.
export const tenantKinds = ['store', 'business'] as const
export type TenantKind = (typeof tenantKinds)[number]
