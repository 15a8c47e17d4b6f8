// A target that was deleted, or a reaction: what was said of it is deleted by the thousand.
import { defineEntity, p } from '@mikro-orm/core'

const schema = defineEntity({
  name: 'ReactionRemoval',
  tableName: 'reaction_removals',
  properties: {
    tenant_id: p.uuid().primary(),
    target_id: p.uuid().primary(),
    /** The target, or the reaction that was deleted. */
    place_id: p.uuid().primary(),
    created_at: p.bigint('number'),
  },
  indexes: [{ properties: ['created_at'] }],
})
export class ReactionRemoval extends schema.class {}
schema.setClass(ReactionRemoval)
