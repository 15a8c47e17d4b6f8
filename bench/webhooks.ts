// From the commit of what happened to its arrival at a webhook: at a steady rate, and as fast as it is told.
import { setTimeout as pause } from 'node:timers/promises'
import { client } from '../api/client.ts'
import { script } from '../dev/parts.ts'
import { freePort } from '../dev/ports.ts'
import type { Stack } from '../dev/stack.ts'
import type { Measure } from './kit/path.ts'
import { startTelling } from './kit/processes.ts'
import { type Result, resultOf } from './kit/report.ts'
import type { Shop } from './kit/shop.ts'

type Arrival = { at: number; body: string }

/** An order of two lines as the API shows it is near 2 KB. */
const data = { id: '0199aaaa-0000-7000-8000-0000000000bb', number: 1, note: 'What a good thing it is. '.repeat(70) }

async function measure(name: string, per_s: number | null, count: number, stack: Stack, shop: Shop): Promise<Result> {
  const [port, control] = [await freePort(), await freePort()]
  const receiver = script('dev/receiver.ts', [], {
    name: 'receiver',
    env: { ...process.env, RECEIVER_PORT: String(port), RECEIVER_CONTROL_PORT: String(control), RECEIVER_DIR: '' },
  })
  await receiver.said(/listening/)
  const call = client({ base: shop.api, headers: shop.operator })
  const path = { storeId: shop.store_id }
  const body = {
    key: `bench-${port}`,
    url: `http://127.0.0.1:${port}/`,
    events: [{ event: 'order.created' as const }],
    headers: {},
    secret: 'signs-every-one',
    enabled: true,
  }
  const { id } = await call('POST /v1/stores/{storeId}/webhooks', { path, body })
  const arrivals = async (): Promise<Arrival[]> => (await (await fetch(`http://127.0.0.1:${control}/ledger`)).json()) as Arrival[]
  const count_ = async () => ((await (await fetch(`http://127.0.0.1:${control}/count`)).json()) as { count: number }).count
  const telling = startTelling()
  const told = { url: String(stack.env.DATABASE_URL), store_id: shop.store_id, per_s, writers: 8, data }
  const warm = 200
  await telling.run({ ...told, from: 0, count: warm })
  while ((await count_()) < warm) await pause(50)
  const { committed } = await telling.run({ ...told, from: warm, count })
  const until = Date.now() + 60_000
  while ((await count_()) < warm + count) {
    if (Date.now() > until) throw new Error(`${(await count_()) - warm} of ${count} deliveries arrived`)
    await pause(100)
  }
  const first = new Map<number, number>()
  for (const { at, body: sent } of await arrivals()) {
    const { n } = (JSON.parse(sent) as { data: { n: number } }).data
    if (n >= warm && !first.has(n)) first.set(n, at)
  }
  // What arrives before its commit is known to be one took no time.
  const each = committed.map((at, n) => Math.max(0, (first.get(warm + n) ?? Number.POSITIVE_INFINITY) - at))
  const begun = Math.min(...committed)
  const ms = Math.max(...first.values()) - begun
  await call('DELETE /v1/stores/{storeId}/webhooks/{id}', { path: { ...path, id } })
  telling.stop()
  await receiver.stop()
  const times = { ms, each }
  const toldIn = { ms: Math.max(...committed) - begun, each: committed }
  return resultOf(name, told.writers, 0, times, toldIn)
}

export const webhooks: Measure = {
  name: 'webhooks',
  target: { per_s: 490, p95_ms: 500 },
  measure: (stack, shop) => measure('webhooks', 500, 5_000, stack, shop),
}
export const webhooksFull: Measure = {
  name: 'webhooks-full',
  target: { per_s: 500 },
  measure: (stack, shop) => measure('webhooks-full', null, 5_000, stack, shop),
}
