// Replies to comments, and questions to a model about them, that cannot be proved.
import type { EffectFacts } from '../../rules/attention.ts'
import { type ClassificationFacts, classificationItem, socialReplyItem } from '../../rules/engagement/attention.ts'
import type { ReplyFacts } from '../../rules/engagement/descriptions.ts'
import { attendsEffect } from '../kit/attention.ts'
import { sql } from '../kit/database/sql.ts'
import { socialClassificationEffect } from './classification.ts'
import { socialReplyEffect } from './replies.ts'

export const replyAttention = attendsEffect<EffectFacts & ReplyFacts>(socialReplyEffect, {
  columns: sql`x.reply_id, x.publication_id, x.comment_id, x.type`,
  elsewhere: true,
  text: socialReplyItem,
})

/** While it is unknown what a text is labelled with, and no other call asks about it. */
export const classificationAttention = attendsEffect<ClassificationFacts>(socialClassificationEffect, {
  columns: sql`x.publication_id, x.model, jsonb_array_length(x.asked) as comments`,
  // `offset 0` keeps the planner from reading the labels of all texts.
  matters: sql`
    exists (
      select 1
      from social_labels l
      where l.classification_id = x.id and l.tenant_id = x.tenant_id and l.status = 'unknown'
      offset 0
    )
  `,
  text: classificationItem,
})
