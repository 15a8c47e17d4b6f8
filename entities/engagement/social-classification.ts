// A question to a model about up to twenty comments: an effect.
import { defineEntity, p } from '@mikro-orm/core'
import { tenantRow } from '../kit/database/row.ts'
import { attentionIndexes, effect } from '../kit/effect-columns.ts'
import { Encrypted } from '../kit/encrypted.ts'

/** The label that a comment waits for. */
export type Asked = { comment_id: string; label_id: string }

const schema = defineEntity({
  name: 'SocialClassification',
  tableName: 'social_classifications',
  properties: {
    ...tenantRow,
    publication_id: p.uuid(),
    integration_id: p.uuid(),
    model: p.text(),
    /** The day of its tokens, in UTC. */
    day: p.string().length(10),
    asked: p.json<Asked[]>(),
    /** JSON of a `ModelAnswer`, until its labels are stored. */
    answer: p.type(Encrypted).nullable(),
    input_tokens: p.integer().nullable(),
    output_tokens: p.integer().nullable(),
    /** What it may use at most. */
    reserved_tokens: p.integer(),
    /** The part that is reserved now: nothing once the call is settled. */
    held_tokens: p.integer(),
    provider_request_id: p.string().nullable(),
    ...effect,
  },
  indexes: [
    { properties: ['status', 'created_at'] },
    {
      name: 'social_classifications_open',
      expression: `
        create index "social_classifications_open" on "social_classifications" ("tenant_id")
        where status in ('requested', 'processing')
      `,
    },
    ...attentionIndexes('social_classifications'),
  ],
})
export class SocialClassification extends schema.class {}
schema.setClass(SocialClassification)
