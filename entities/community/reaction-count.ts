// How many published reactions of a kind there are at a place, in shards: people who like one record at once rarely
// change the same row.
import { defineEntity, p } from '@mikro-orm/core'

const schema = defineEntity({
  name: 'ReactionCount',
  tableName: 'reaction_counts',
  properties: {
    tenant_id: p.uuid().primary(),
    target_id: p.uuid().primary(),
    /** The target, or the reaction that is reacted to. */
    place_id: p.uuid().primary(),
    kind: p.string().length(32).primary(),
    shard: p.smallint().primary(),
    count: p.integer(),
  },
  checks: [{ name: 'reaction_counts_count', expression: 'count >= 0' }],
})
export class ReactionCount extends schema.class {}
schema.setClass(ReactionCount)
