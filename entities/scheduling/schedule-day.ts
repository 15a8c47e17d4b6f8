// The booked time of a provider's day: what availability reads, and the row that concurrent bookings lock.
import { defineEntity, p } from '@mikro-orm/core'
import type { Taken } from '../../rules/scheduling/occupancy.ts'
import { Provider } from './provider.ts'

const schema = defineEntity({
  name: 'ScheduleDay',
  tableName: 'schedule_days',
  properties: {
    provider_id: () => p.manyToOne(Provider).mapToPk().primary().deleteRule('cascade').joinColumn('provider_id'),
    /** YYYY-MM-DD in the store's zone. */
    local_date: p.string().length(10).primary(),
    tenant_id: p.uuid(),
    /**
     * [from, to, limit] of every booked slot that overlaps this day, once per booking; a slot across midnight is in two
     * rows. Times are in Unix seconds. The limit is that of the booking's slot; the version before 0.3 writes none.
     */
    taken: p.json<Taken[]>(),
  },
})
export class ScheduleDay extends schema.class {}
schema.setClass(ScheduleDay)
