// The slots of a queue that a tenant holds and waits for. It changes with the tenant's task_slots, under this row's
// lock, so that the limit is exact.
import { defineEntity, p } from '@mikro-orm/core'

const schema = defineEntity({
  name: 'TaskSlotCount',
  tableName: 'task_slot_counts',
  properties: {
    tenant_id: p.uuid().primary(),
    queue: p.string().primary(),
    /**
     * The one that created the tenant; the tenant itself if that account is deleted. Null in rows of an earlier
     * version.
     */
    account_id: p.uuid().nullable(),
    held: p.integer(),
    waiting: p.integer(),
    /** Granted by the latest statement, which returns it from here. */
    granted: p.integer(),
  },
})
export class TaskSlotCount extends schema.class {}
schema.setClass(TaskSlotCount)
