// What a model said of a text: a store asks a model once for a text, however many comments have it.
import { defineEntity, p } from '@mikro-orm/core'
import { CommentLabel, LabelStatus, Sentiment } from '../../rules/engagement/comments.ts'
import { tenantRow } from '../kit/database/row.ts'

const schema = defineEntity({
  name: 'SocialLabel',
  tableName: 'social_labels',
  properties: {
    ...tenantRow,
    model: p.text(),
    text_digest: p.string().length(64),
    status: p.enum(LabelStatus.options),
    /** The call that asked last. */
    classification_id: p.uuid(),
    label: p.enum(CommentLabel.options).nullable(),
    sentiment: p.enum(Sentiment.options).nullable(),
    needs_reply: p.boolean().nullable(),
  },
  uniques: [{ properties: ['tenant_id', 'model', 'text_digest'] }],
  indexes: [{ properties: ['classification_id'] }],
  checks: [
    {
      name: 'social_labels_whole',
      expression: `status <> 'labelled' or label is not null and sentiment is not null and needs_reply is not null`,
    },
  ],
})
export class SocialLabel extends schema.class {}
schema.setClass(SocialLabel)
