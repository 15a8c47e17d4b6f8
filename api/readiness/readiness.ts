// What a store lacks to sell, ship, book, send mail and publish, with the route that mends each.
import { z } from 'zod'
import { setUpOf } from '../../entities/readiness/set-up.ts'
import { Mend } from '../../rules/attention.ts'
import { Capability, type CheckId, checks, readinessOf } from '../../rules/readiness/checks.ts'
import { route } from '../kit/route.ts'

const CheckOut = z
  .object({
    id: z.enum(Object.keys(checks) as [CheckId, ...CheckId[]]).describe('Name of the check.'),
    capability: Capability.describe('What the {store} needs it for; `sell` by card and by cash alike.'),
    ready: z.boolean().describe('Whether it is there.'),
    title: z.string().describe('What has to be there.'),
    what_to_do: z.string().describe('What an operator does if it is not there.'),
    mend: Mend.describe('The request that mends it.'),
  })
  .meta({ id: 'ReadinessCheck', description: 'Something that a {store} needs, and the route that mends its lack.' })

export const readiness = [
  route('GET /v1/stores/{storeId}/readiness', {
    may: 'admin',
    operation: 'getReadiness',
    summary: 'Read what the {store} lacks to sell, ship, book, send mail and publish',
    description:
      'Returns every check, in the order in which what is missing is mended. A checkout, a booking, a campaign or a publication that fails for one of them names it to operators in `mends`, and tells visitors in one sentence ' +
      'what they can do.',
    out: z.object({ items: z.array(CheckOut).describe('The checks.') }),
    run: async ({ em, tenant_id }) => ({ items: readinessOf(await setUpOf(em, tenant_id), tenant_id) }),
  }),
]
