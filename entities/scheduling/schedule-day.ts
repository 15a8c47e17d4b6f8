// The booked time of a provider's day: what availability reads, and the row that concurrent bookings lock.
import { defineEntity, p } from '@mikro-orm/core'
import { Provider } from './provider.ts'

const schema = defineEntity({
  name: 'ScheduleDay',
  tableName: 'schedule_days',
  properties: {
    provider_id: () => p.manyToOne(Provider).mapToPk().primary().deleteRule('cascade').joinColumn('provider_id'),
    /** YYYY-MM-DD in the store's zone. */
    local_date: p.string().length(10).primary(),
    tenant_id: p.uuid(),
    /** [from, to] in Unix seconds of every booked slot that overlaps this day, once per booking; a slot across midnight is in two rows. */
    taken: p.json<[number, number][]>(),
  },
})
export class ScheduleDay extends schema.class {}
schema.setClass(ScheduleDay)
