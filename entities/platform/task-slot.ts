// One activity that holds a slot of a task queue or waits for one: a tenant's work takes it before it is scheduled, and gives it back in the write that ends it.
import { defineEntity, p } from '@mikro-orm/core'

const schema = defineEntity({
  name: 'TaskSlot',
  tableName: 'task_slots',
  properties: {
    /** Of a node's: its run. Of a webhook's: the webhook, until a drain has taken it over; then the drain. */
    id: p.uuid().primary(),
    tenant_id: p.uuid(),
    queue: p.string(),
    /** The process that is signalled when the slot is granted. */
    kind: p.string(),
    row_id: p.uuid(),
    /** The worker that gives it back; null where that is the write of the work's end. */
    worker: p.uuid().nullable(),
    /** False: it waits, in the order of `at`. */
    granted: p.boolean(),
    at: p.datetime(3),
  },
  indexes: [{ properties: ['queue', 'tenant_id', 'granted', 'at', 'id'] }],
})
export class TaskSlot extends schema.class {}
schema.setClass(TaskSlot)
