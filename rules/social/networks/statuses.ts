// Refusals of networks that say by the HTTP status alone that a token is refused or a limit is reached: c and d.
import type { Refusals } from './network.ts'

export const statusRefusals = {
  refusesToken: ({ status }) => status === 401,
  refusedReveal: ({ status }) => (status === 429 ? 'rate_limited' : 'final'),
} satisfies Partial<Refusals>
