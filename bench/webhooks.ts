// Delivery of events to a webhook, from commit to arrival, at a steady rate, alone or beside a webhook that never
// answers; and from a backlog.
import { setTimeout as pause } from 'node:timers/promises'
import { client } from '../client/client.ts'
import { script } from '../dev/parts.ts'
import { freePort } from '../dev/ports.ts'
import type { Stack } from '../dev/stack.ts'
import type { Measure, Result } from './kit/path.ts'
import { startPublisher } from './kit/processes.ts'
import { resultOf } from './kit/report.ts'
import type { Shop } from './kit/shop.ts'

/** An order of two lines as the API shows it is near 2 KB. */
const data = { id: '0199aaaa-0000-7000-8000-0000000000bb', number: 1, note: 'A text to fill the body. '.repeat(70) }
const count = 5_000
const warm = 200
const perS = 520
const writers = 16

/** Beside a webhook that hangs: fewer events, at a rate that does not load the writers. */
const calm = { per_s: 100, count: 1_000, warm: 50 }

type Place = {
  url: string
  hanging: string
  arrived(): Promise<number>
  arrivals(): Promise<{ at: number; body: string }[]>
  stop(): Promise<void>
}

export async function openPlace(): Promise<Place> {
  const [port, control] = [await freePort(), await freePort()]
  const env = { ...process.env, RECEIVER_PORT: String(port), RECEIVER_CONTROL_PORT: String(control), RECEIVER_DIR: '' }
  const child = script('dev/receiver.ts', [], { name: 'receiver', env })
  await child.said(/listening/)
  const ask = async (at: string) => (await fetch(`http://127.0.0.1:${control}${at}`)).json()
  await fetch(`http://127.0.0.1:${control}/rules`, {
    method: 'POST',
    body: JSON.stringify({ path: '/hangs', ways: { do: 'hang' } }),
  })
  return {
    url: `http://127.0.0.1:${port}/answers`,
    hanging: `http://127.0.0.1:${port}/hangs`,
    arrived: async () => ((await ask('/count?path=/answers')) as { count: number }).count,
    arrivals: async () => (await ask('/ledger?path=/answers')) as { at: number; body: string }[],
    stop: () => child.stop(),
  }
}

async function untilArrived({ arrived }: Place, wanted: number): Promise<void> {
  const until = Date.now() + 60_000
  for (let come = await arrived(); come < wanted; come = await arrived()) {
    if (Date.now() > until) throw new Error(`${come} of ${wanted} deliveries arrived within a minute`)
    await pause(100)
  }
}

/** Time of the first arrival of each event, by its number. */
async function timesOf({ arrivals }: Place): Promise<Map<number, number>> {
  const first = new Map<number, number>()
  for (const { at, body } of await arrivals()) {
    const { n } = (JSON.parse(body) as { data: { n: number } }).data
    if (!first.has(n)) first.set(n, at)
  }
  return first
}

const hooksOf = ({ api, operator, store_id }: Shop) => {
  const call = client({ base: api, headers: operator })
  const path = { storeId: store_id }
  return {
    async add(url: string, enabled: boolean): Promise<string> {
      const body = { key: url, url, events: [{ event: 'order.created' as const }], headers: {}, enabled }
      return (await call('POST /v1/stores/{storeId}/webhooks', { path, body })).id
    },
    enable: (id: string) =>
      call('PUT /v1/stores/{storeId}/webhooks/{id}', { path: { ...path, id }, body: { enabled: true } }),
    remove: (id: string) => call('DELETE /v1/stores/{storeId}/webhooks/{id}', { path: { ...path, id } }),
  }
}

type Pace = { per_s: number; count: number; warm: number }

async function steady(
  stack: Stack,
  shop: Shop,
  name: string,
  { per_s, count, warm }: Pace,
  beside: boolean,
): Promise<Result> {
  const [place, hooks, publisher] = [await openPlace(), hooksOf(shop), startPublisher()]
  const ids = [await hooks.add(place.url, true), ...(beside ? [await hooks.add(place.hanging, true)] : [])]
  const job = { url: String(stack.env.DATABASE_URL), store_id: shop.store_id, per_s, writers, data }
  await publisher.run({ ...job, from: 0, count: warm })
  await untilArrived(place, warm)
  const { committed, ms } = await publisher.run({ ...job, from: warm, count })
  await untilArrived(place, warm + count)
  const arrived = await timesOf(place)
  for (const id of ids) await hooks.remove(id)
  publisher.stop()
  await place.stop()
  // An event can arrive before its writer has seen the commit: that counts as zero.
  const each = committed.map((at, n) => Math.max(0, (arrived.get(warm + n) ?? Number.POSITIVE_INFINITY) - at))
  const lasted = Math.max(...arrived.values()) - Math.min(...committed)
  return resultOf(name, writers, 0, { ms: lasted, each }, { ms, each: committed })
}

async function backlog(_: Stack, shop: Shop): Promise<Result> {
  const [place, hooks] = [await openPlace(), hooksOf(shop)]
  const id = await hooks.add(place.url, false)
  const sql = `with e as (insert into events (id, tenant_id, created_at, updated_at, type, data)
      select gen_random_uuid(), $1, 1, 1, 'order.created', $3::jsonb || jsonb_build_object('n', n) from generate_series(1, $4) n returning id)
    insert into deliveries (id, tenant_id, created_at, updated_at, webhook_id, event_id, type, status, attempts, due_at)
    select gen_random_uuid(), $1, 1, 1, $2, id, 'order.created', 'pending', 0, clock_timestamp() from e`
  await shop.db.query(sql, [shop.store_id, id, data, count])
  await shop.db.query('analyze events, deliveries')
  const begun = performance.timeOrigin + performance.now()
  await hooks.enable(id)
  await untilArrived(place, count)
  const times = [...(await timesOf(place)).values()].map((at) => at - begun)
  await hooks.remove(id)
  await place.stop()
  return resultOf('webhooks-backlog', 1, 0, { ms: Math.max(...times), each: times }, null)
}

export const webhooks: Measure = {
  name: 'webhooks',
  target: { per_s: 500, p95_ms: 500, clients: writers },
  measure: (stack, shop) => steady(stack, shop, 'webhooks', { per_s: perS, count, warm }, false),
}
export const webhooksBeside: Measure = {
  name: 'webhooks-beside-one-that-hangs',
  target: { p95_ms: 1_000, clients: writers },
  measure: (stack, shop) => steady(stack, shop, 'webhooks-beside-one-that-hangs', calm, true),
}
export const webhooksBacklog: Measure = {
  name: 'webhooks-backlog',
  target: { per_s: 500, clients: 1 },
  measure: backlog,
}
