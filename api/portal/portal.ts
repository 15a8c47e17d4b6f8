// The answer to a request for a link to the provider's customer portal.
import { z } from 'zod'
import type { EntityManager } from '../../entities/kit/database/orm.ts'
import { PortalLink } from '../../entities/portal/portal-link.ts'
import { ReturnUrl } from '../../rules/input/return-url.ts'
import { declineOf } from '../../rules/payments/provider-answers.ts'
import { Refusal, unavailable } from '../../rules/refusal.ts'
import { Reply } from '../kit/answer/replies.ts'

export const PortalOut = z
  .object({
    portal_url: z
      .string()
      .describe("Address of the provider's page. It is valid for minutes; request a new one for each visit."),
  })
  .meta({ id: 'Portal', description: "A link to the payment provider's customer portal." })

export const PortalReturnUrl = ReturnUrl.describe(
  "Address that the provider's page returns to: https, or http for localhost.",
)

export const portalRefusals = [
  'no_billing_customer',
  'portal_rejected',
  'provider_retryable',
  'engine_unavailable',
] as const

/** A link that has to be waited for. */
export const requestedPortal = (id: string) => new Reply({ portal_url: '' }, { pending: id })

export const portalWait = {
  async until({ em, pending: id }: { em: EntityManager; pending: string }) {
    const { status, url, error } = await em.findOneOrFail(PortalLink, { id })
    if (status === 'succeeded' && url) return { portal_url: url }
    if (status === 'rejected')
      throw new Refusal(422, 'portal_rejected', declineOf(error) ?? 'The payment provider did not accept the request.')
    if (status === 'failed' || status === 'unknown')
      throw unavailable('provider_retryable', 'The provider could not be reached. Repeat the request.')
    return undefined
  },
  late(_: unknown, engineAway: boolean): never {
    throw unavailable(
      engineAway ? 'engine_unavailable' : 'provider_retryable',
      'The provider has not answered yet. Repeat the request.',
    )
  },
}
