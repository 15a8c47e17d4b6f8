// Renders the messages of a campaign's step, many in one task of the renderer.
import { EmailError, type EmailSource, renderEmails } from '../../adapters/mail-renderer.ts'
import type { EffectError } from '../../entities/kit/effect-columns.ts'
import type { Owner } from '../../rules/fair-queue.ts'

type RenderedMessage = { subject: string; html: string; text: string }

/**
 * In the order of `variables` (rules/sending/variables.ts makes them). `error`: template_failed, template_timeout or
 * template_too_large, with the part and line of the template. Throws EmailError template_busy: nothing was rendered,
 * and it may succeed when it is repeated.
 */
export async function renderMessages(
  step: EmailSource,
  variables: readonly Record<string, unknown>[],
  owner: Owner,
): Promise<(RenderedMessage | { error: EffectError })[]> {
  const results = await renderEmails(step, variables, owner)
  return results.map((result) =>
    result instanceof EmailError ? { error: { code: result.code, message: result.message } } : result,
  )
}
