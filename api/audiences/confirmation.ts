// The e-mail that asks a visitor to confirm a membership: its variables, and what is wrong with a template that is
// rendered with them.
import type { EntityManager } from '@mikro-orm/postgresql'
import { EmailError, type EmailSource, renderEmail } from '../../adapters/mail-renderer.ts'
import { ownerOf } from '../../entities/stores/tenant-owner.ts'
import { tooMany } from '../limits/rate.ts'

type Named = { key: string; name: string }

/** `url`: of the storefront's page, with the token. */
export const confirmationVariables = (url: string, email: string, audience: Named & { id: string }, store: Named) => ({
  confirmation_url: url,
  email,
  audience: { id: audience.id, key: audience.key, name: audience.name },
  store: { key: store.key, name: store.name },
})

const sampleToken = 'till_ml_sample'

/** Variables with which templates are checked before a visitor joins. */
export const sampleVariables = confirmationVariables(
  `https://shop.example/confirm?token=${sampleToken}`,
  'visitor@example.com',
  { id: '00000000-0000-0000-0000-000000000000', key: 'audience', name: 'Audience' },
  { key: 'store', name: 'Store' },
)

export const NO_LINK = 'The body does not contain `confirmation_url`: no visitor could confirm.'

/** Whether an e-mail that was rendered with the sample variables has the link. */
export const hasLink = ({ html }: { html: string }): boolean => html.includes(sampleToken)

/** Why no confirmation can be made of the template; null if one can. 429 too_many_requests. */
export async function confirmationFailure(
  em: EntityManager,
  template: EmailSource,
  tenantId: string,
): Promise<string | null> {
  try {
    return hasLink(await renderEmail(template, sampleVariables, await ownerOf(em, tenantId), { impatient: true }))
      ? null
      : NO_LINK
  } catch (error) {
    if (!(error instanceof EmailError)) throw error
    if (error.code === 'template_busy') throw tooMany(1)
    return error.message
  }
}
