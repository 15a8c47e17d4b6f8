// How many slots of a queue a tenant holds and waits for: changed with its task_slots, under this row's lock, so that the limit is exact.
import { defineEntity, p } from '@mikro-orm/core'

const schema = defineEntity({
  name: 'TaskSlotCount',
  tableName: 'task_slot_counts',
  properties: {
    tenant_id: p.uuid().primary(),
    queue: p.string().primary(),
    /** Of the tenant's oldest membership; the tenant itself where it has none. Null: counted by a version that did not ask. */
    account_id: p.uuid().nullable(),
    held: p.integer(),
    waiting: p.integer(),
    /** By the latest statement that asked: it reads its own answer here. */
    granted: p.integer(),
  },
})
export class TaskSlotCount extends schema.class {}
schema.setClass(TaskSlotCount)
