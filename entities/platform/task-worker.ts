// A running worker and its slots of one queue. A worker without a recent heartbeat does not count.
import { defineEntity, p } from '@mikro-orm/core'

const schema = defineEntity({
  name: 'TaskWorker',
  tableName: 'task_workers',
  properties: {
    id: p.uuid().primary(),
    queue: p.string().primary(),
    slots: p.integer(),
    seen_at: p.datetime(3),
  },
})
export class TaskWorker extends schema.class {}
schema.setClass(TaskWorker)
