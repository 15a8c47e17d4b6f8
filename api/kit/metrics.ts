// What an operator watches: requests by route, and what waits in the outbox.
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { type Orm, unitOf } from '../../entities/orm.ts'

export const registry = new Registry()
collectDefaultMetrics({ register: registry })

export const requestSeconds = new Histogram({
  name: 'tillwright_request_seconds',
  help: 'Time to answer a request',
  labelNames: ['method', 'route', 'status'],
  buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
  registers: [registry],
})

export function watchOutbox(orm: Orm): void {
  new Gauge({
    name: 'tillwright_outbox_rows',
    help: 'Workflows that wait to be started; parked ones were tried too often and need a look',
    labelNames: ['state'],
    registers: [registry],
    async collect() {
      const rows = await unitOf(orm, null)
        .execute<{ parked: number; waiting: number }[]>(
          'select count(*) filter (where parked) as parked, count(*) filter (where not parked) as waiting from outbox',
        )
        .catch(() => [])
      this.set({ state: 'parked' }, rows[0]?.parked ?? Number.NaN)
      this.set({ state: 'waiting' }, rows[0]?.waiting ?? Number.NaN)
    },
  })
}
