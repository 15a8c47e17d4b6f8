// Validation of content before it is stored or scheduled, by the rule that scheduling applies.
import { z } from 'zod'
import { validateContent } from '../../entities/publications/validation.ts'
import { SocialContent } from '../../rules/publications/content.ts'
import { Id } from '../../rules/shapes.ts'
import { SocialIssue } from '../../rules/social/resources.ts'
import { route } from '../kit/route.ts'

export const socialValidation = [
  route('POST /v1/stores/{storeId}/social-publications/validate', {
    may: 'admin',
    operation: 'validateSocialPublication',
    refuses: ['connection_unknown', 'publication_unknown'],
    transaction: false,
    summary: 'Validate the content of a publication',
    description:
      'Stores nothing. Reports what scheduling would refuse, at the same pointers, as issues with the severity `error`, and what an operator should know as `warning`: ' +
      '`duplicate_content` (another publication on this connection, of the last 24 hours or the next, says the same), `network_quota` (the network accepts no more on a day), ' +
      '`connection_not_active`, `caption_not_shown`. 422 `connection_unknown` and `publication_unknown` if the {store} has no such connection or publication.',
    body: z.object({
      social_connection_id: Id.describe('Identifier of the connection that would publish it.'),
      content: SocialContent.describe('What the post says.'),
      publication_id: Id.nullable()
        .default(null)
        .describe('Identifier of the publication that the content would change: it is not compared with itself.'),
    }),
    out: z
      .object({
        valid: z.boolean().describe('Whether it can be scheduled: there is no issue with the severity `error`.'),
        issues: z.array(SocialIssue).describe('What was found.'),
      })
      .meta({ id: 'SocialValidation' }),
    async run({ em, tenant_id, body, now }) {
      const issues = await validateContent(em, tenant_id, body, now)
      return { valid: issues.every(({ severity }) => severity !== 'error'), issues }
    },
  }),
]
