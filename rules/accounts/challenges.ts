// The audiences of a sign-in code.
import { z } from 'zod'

/** Who signs in: an operator, an operator through a store's page, or a contact of a store. */
export const Audience = z.enum(['account', 'store', 'contact'])
export type Audience = z.infer<typeof Audience>

/**
 * Whose allowance of codes a sign-in uses: an address as an operator, whichever store the code is requested through, or
 * as a visitor of one store. `address`: a digest of it.
 */
export const subjectOf = (audience: Audience, tenantId: string | null, address: string): string =>
  audience === 'contact' ? `visitor:${tenantId}:${address}` : `operator:${address}`
