// How many slots of a queue a tenant holds and waits for: moved in the statement that changes its task_slots, so that its lock makes the limit exact.
import { defineEntity, p } from '@mikro-orm/core'

const schema = defineEntity({
  name: 'TaskSlotCount',
  tableName: 'task_slot_counts',
  properties: {
    tenant_id: p.uuid().primary(),
    queue: p.string().primary(),
    held: p.integer(),
    waiting: p.integer(),
    /** By the latest statement that asked: it reads its own answer here. */
    granted: p.integer(),
  },
})
export class TaskSlotCount extends schema.class {}
schema.setClass(TaskSlotCount)
