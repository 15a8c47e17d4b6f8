// The published stars of a record: their number and their sum, from which its average is exact.
import { defineEntity, p } from '@mikro-orm/core'
import { ReactionTarget } from '../../rules/community/reactions.ts'

const schema = defineEntity({
  name: 'Rating',
  tableName: 'ratings',
  properties: {
    tenant_id: p.uuid().primary(),
    target_type: p.enum(ReactionTarget.options).primary(),
    target_id: p.uuid().primary(),
    stars_count: p.integer(),
    stars_sum: p.integer(),
  },
  checks: [
    {
      name: 'ratings_stars',
      expression: 'stars_count >= 0 and stars_sum >= stars_count and stars_sum <= 5 * stars_count',
    },
  ],
})
export class Rating extends schema.class {}
schema.setClass(Rating)
