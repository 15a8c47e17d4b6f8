// A slot of a task queue that an activity holds or waits for. A tenant's work takes it before it is scheduled and frees
// it in the write that ends it.
import { defineEntity, p } from '@mikro-orm/core'

const schema = defineEntity({
  name: 'TaskSlot',
  tableName: 'task_slots',
  properties: {
    /** The run of a node. For a webhook: the webhook until a drain has taken the slot over, and then the drain. */
    id: p.uuid().primary(),
    tenant_id: p.uuid(),
    queue: p.string(),
    /** The process that is signalled when the slot is granted. */
    kind: p.string(),
    row_id: p.uuid(),
    /** The worker that frees it; null if the write that ends the work frees it. */
    worker: p.uuid().nullable(),
    /** False: it waits, ordered by `at`. */
    granted: p.boolean(),
    at: p.datetime(3),
  },
  indexes: [{ properties: ['queue', 'tenant_id', 'granted', 'at', 'id'] }],
})
export class TaskSlot extends schema.class {}
schema.setClass(TaskSlot)
