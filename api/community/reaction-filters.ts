// What lists of reactions are filtered by, and what each reader finds in them.
import { z } from 'zod'
import { type Viewer, visible } from '../../entities/community/targets.ts'
import { condition } from '../../entities/kit/database/condition.ts'
import { ReactionKind, ReactionStatus, ReactionTarget } from '../../rules/community/reactions.ts'
import { Id } from '../../rules/shapes.ts'
import { filter } from '../kit/answer/listing.ts'
import { flag, many } from '../kit/query.ts'

/** Marks have no words, and are not indexed by these. */
const ofContent: readonly unknown[] = ['updated_at', 'reply_count']
const isOfContent = (query: object) =>
  ('sort_field' in query && ofContent.includes(query.sort_field)) || ('query' in query && query.query !== undefined)

/** What the reader finds in a list in this order. */
export const seenBy = (tenantId: string, viewer: Viewer, query: object) => ({
  ...condition((rows) => visible(tenantId, viewer, rows.sql)),
  ...(isOfContent(query) ? { has_content: true } : {}),
})

export const reactionFilters = {
  target_type: filter(ReactionTarget.describe('Only reactions to targets of this type.'), (target_type) => ({
    target_type,
  })),
  target_id: filter(Id.describe('Only reactions to this record, replies included.'), (target_id) => ({ target_id })),
  parent_id: filter(
    z
      .union([z.literal('null'), Id])
      .describe('Only replies to this reaction; `null` for reactions to the target itself.'),
    (parent_id) => ({
      parent_id: parent_id === 'null' ? null : parent_id,
    }),
  ),
  customer_id: filter(Id.describe('Only reactions of this contact.'), (author_id) => ({
    author_id,
    official: false,
    slot: { $ne: null },
  })),
  kind: filter(many(ReactionKind).describe('Only these kinds: repeated, or separated by commas.'), (kinds) => ({
    kind: { $in: kinds },
  })),
  status: filter(
    ReactionStatus.describe('Only reactions of this status. A visitor sees their own `pending` ones only.'),
    (status) => ({ status }),
  ),
  content_only: filter(flag.describe('`true`: only reactions with content.'), (only) =>
    only ? { has_content: true } : {},
  ),
}
