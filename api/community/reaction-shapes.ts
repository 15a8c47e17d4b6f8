// What reactions are sent and answered as.
import { z } from 'zod'
import { BLOCKS_MAX, ReactionKind, ReactionStatus, ReactionTarget } from '../../rules/community/reactions.ts'
import { Block } from '../../rules/content/block-shape.ts'
import { TaxonomyEntry } from '../../rules/content/taxonomies.ts'
import { CreatedAt, Id, UpdatedAt } from '../../rules/shapes.ts'

const target = {
  type: ReactionTarget.describe('What it is: `node` is an entry of content.'),
  id: Id.describe('Identifier of the record.'),
}
export const TargetSent = z.strictObject(target)
const kind = ReactionKind.describe(
  '`like`, `love`, `laugh`, `wow`, `sad` and `insightful` have no content; `star_1` to `star_5` rate a target; `review` and `comment` need content. Any other kind has content if it ' +
    'is sent with blocks.',
)
export const Blocks = z
  .array(Block)
  .max(BLOCKS_MAX)
  .describe(
    'Content: at most 10 blocks of the types `text`, `markdown`, `number`, `boolean`, `date` and `select`, 10,000 characters in all. One at least has a value or properties.',
  )
export const Taxonomies = z
  .array(TaxonomyEntry)
  .max(20)
  .describe('Taxonomies that the content is filed under, 20 at most.')

export const ReactionBody = z.object({
  target: TargetSent.describe('What is reacted to.'),
  kind,
  blocks: Blocks.default([]),
  parent_id: Id.nullish()
    .transform((id) => id ?? null)
    .describe('Identifier of the reaction that this one replies to; null or left out for none.'),
  taxonomies: Taxonomies.default([]),
})
export const ReactionChange = z.object({
  target: TargetSent.optional().describe('As it was: the target never changes.'),
  kind: kind.optional().describe('As it was: the kind never changes.'),
  parent_id: Id.nullish().describe('As it was: the parent never changes.'),
  blocks: Blocks.optional().describe('Replaces the content.'),
  taxonomies: Taxonomies.optional().describe('Replaces the taxonomies.'),
})

const Own = z
  .object({
    id: z.string().describe('Identifier of the reaction.'),
    kind: z.string().describe('Its kind.'),
    status: ReactionStatus.describe('Its status.'),
  })
  .meta({ id: 'OwnReaction' })
export const own = z.array(Own).describe("The caller's own published and pending reactions here, 100 at most.")
export const counts = z.record(z.string(), z.int()).describe('Number of published reactions here, by kind.')

const shown = {
  customer_info: z
    .object({
      id: z.string().describe('Identifier of the contact.'),
      verified: z.boolean().describe('Whether a verified address is theirs.'),
    })
    .nullable()
    .describe('Who sent it; null for an operator, for content that was deleted, and if the contact no longer exists.'),
  target: z
    .object({ type: ReactionTarget.describe('What it is.'), id: z.string().describe('Identifier of the record.') })
    .describe('What it is a reaction to.'),
  parent_id: z.string().nullable().describe('The reaction that it replies to; null for none.'),
  depth: z.int().describe('Number of reactions between it and the target; 0 for a reaction to the target itself.'),
  kind: z.string().describe('Its kind.'),
  blocks: z.array(Block).describe('Its content; empty for marks and stars.'),
  taxonomies: z.array(TaxonomyEntry).describe('Taxonomies that it is filed under.'),
  status: ReactionStatus.describe(
    '`pending` content waits for a moderator, and only its author sees it. `hidden` and `removed` reactions are seen by operators only; `removed` without author and content is what was deleted and has replies.',
  ),
  official: z.boolean().describe('Whether an operator sent it, for the {store}.'),
  verified_purchase: z
    .boolean()
    .describe('Whether its author had bought the target when they sent it. Always false for marks.'),
  stars: z.int().nullable().describe('Of a review, the stars that its author gave the target; null for none.'),
  counts,
  own,
  reply_count: z.int().describe('Number of published replies with content.'),
  edited_at: z.int().nullable().describe('When its author last changed its content, in Unix seconds; null for never.'),
  moderated_at: z
    .int()
    .nullable()
    .optional()
    .describe('When an operator last set its status, in Unix seconds. Null for visitors.'),
  moderated_by: z
    .string()
    .nullable()
    .optional()
    .describe('Identifier of the account that last set its status. Null for visitors.'),
  note: z.string().nullable().optional().describe('Note of the operators. Null for visitors.'),
  created_at: CreatedAt,
  updated_at: UpdatedAt,
}
const id = z.string().describe('Identifier of the reaction, a UUIDv7 made by the server.')

export const ReactionOut = z
  .object({ id, store_id: z.string().describe('Identifier of the {store}.'), ...shown })
  .meta({ id: 'Reaction' })
export const BusinessReactionOut = z
  .object({ id, business_id: z.string().describe('Identifier of the business.'), ...shown })
  .meta({ id: 'BusinessReaction' })

export const Stars = z
  .object({
    average: z.number().nullable().describe('Sum of the stars divided by their number, not rounded; null without any.'),
    count: z.int().describe('Number of stars.'),
  })
  .describe('Published stars.')

export const ReactionSummary = z
  .object({
    target_type: ReactionTarget.describe('What it is.'),
    target_id: z.string().describe('Identifier of the record.'),
    parent_id: z.string().nullable().describe('The reaction whose replies and marks are counted; null for the target.'),
    counts,
    stars: Stars,
    own,
  })
  .meta({ id: 'ReactionSummary' })
