// Metrics in the format of Prometheus: requests by route, bytes of bodies, and rows in the outbox.
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

export const registry = new Registry()
collectDefaultMetrics({ register: registry })

export const requestSeconds = new Histogram({
  name: 'tillwright_request_seconds',
  help: 'Time to answer a request',
  labelNames: ['method', 'route', 'status'],
  buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
  registers: [registry],
})

/** `held`: bytes of request bodies that this process holds. */
export function watchBodies(held: () => number): void {
  new Gauge({
    name: 'tillwright_body_bytes',
    help: 'Bytes of request bodies that the process holds',
    registers: [registry],
    collect() {
      this.set(held())
    },
  })
}

/** `count` is called for each scrape; while it fails the gauge is NaN. */
export function watchOutbox(count: () => Promise<{ parked: number; waiting: number }>): void {
  new Gauge({
    name: 'tillwright_outbox_rows',
    help: 'Workflows that wait to be started; parked ones were tried too often and need a look',
    labelNames: ['state'],
    registers: [registry],
    async collect() {
      const { parked, waiting } = await count().catch(() => ({ parked: Number.NaN, waiting: Number.NaN }))
      this.set({ state: 'parked' }, parked)
      this.set({ state: 'waiting' }, waiting)
    },
  })
}
