// The audiences of a sign-in code.
import { z } from 'zod'

/** Who signs in: an operator, an operator through a store's page, or a contact of a store. */
export const Audience = z.enum(['account', 'store', 'contact'])
export type Audience = z.infer<typeof Audience>
