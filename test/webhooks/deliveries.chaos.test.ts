// Every event arrives at an endpoint that fails, hangs and answers at random while workers are killed, and other
// endpoints are not delayed.
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals'
import { Webhook } from 'standardwebhooks'
import type { Process } from '../../dev/parts.ts'
import type { Orm } from '../../entities/kit/database/orm.ts'
import { until } from '../kit/codes.ts'
import { database, type Shop } from '../kit/shop.ts'
import type { Lab } from '../kit/stack/lab.ts'
import { type DeliveryLab, startDeliveryLab } from '../kit/webhooks/delivery-lab.ts'
import type { Received, Receiver } from '../kit/webhooks/receiver.ts'
import { type Hook, newWebhook, publish, secret } from '../kit/webhooks/webhook-events.ts'

jest.setTimeout(300_000)

const count = 2_000
/** A killed worker's drain is detected after three seconds without a heartbeat. */
const missedMs = 3_500

let world: DeliveryLab
let lab: Lab
let receiver: Receiver
let orm: Orm
let shop: Shop
const settings = {
  DELIVERY_RETRY_S: `0,${Array.from({ length: 19 }, () => '0.4').join(',')}`,
  DELIVERY_TIMEOUT_MS: '1000',
  RECONCILE_EVERY_MS: '2000',
}
let workers: Process[]

beforeAll(async () => {
  world = await startDeliveryLab('deliveries-chaos', settings, 2)
  ;({ lab, receiver, orm, shop, workers } = world)
})
afterAll(() => world.stop())

const statusesOf = async ({ id }: Hook) => {
  const { rows } = await database().query<{ status: string; count: number }>(
    'select status, count(*)::int as count from deliveries where webhook_id = $1 group by status',
    [id],
  )
  return Object.fromEntries(rows.map((row) => [row.status, row.count]))
}

/** From the kill of a worker until another one is ready, in milliseconds since 1970. */
type Kill = { from: number; ready: number }

/** Kills one worker after the other at random moments until it is over, at least three times. */
async function killWorkers(over: () => boolean): Promise<Kill[]> {
  const kills: Kill[] = []
  const at = () => performance.timeOrigin + performance.now()
  while (!over() || kills.length < 3) {
    const next = Date.now() + 2_000 + Math.random() * 2_500
    await until(async () => Date.now() > next)
    const n = Math.floor(Math.random() * workers.length)
    const from = at()
    workers[n]?.kill('SIGKILL')
    await workers[n]?.child.ended
    workers[n] = await lab.startWorker(settings)
    kills.push({ from, ready: at() })
  }
  return kills
}

const byEvent = (arrivals: Received[]) =>
  Map.groupBy(arrivals, ({ body }) => (JSON.parse(body) as { data: { n: number } }).data.n)

test('2,000 events reach a failing endpoint while workers are killed, and another is not delayed', async () => {
  const wild = await newWebhook(shop, receiver)
  const calm = await newWebhook(shop, receiver, { events: [{ event: 'order.updated' }] })
  await receiver.rule(wild.path, [
    { share: 10 },
    { share: 4, status: 500 },
    { share: 1, status: 429 },
    { share: 1, do: 'hang' },
    { share: 2, do: 'reset_before_read' },
    { share: 2, do: 'reset_after_read' },
    { share: 2, delay_ms: 300 },
  ])

  let told = false
  let over = false
  const calmTimes: number[] = []
  const wildTimes: number[] = []
  const calmly = (async () => {
    while (!over) {
      const n = calmTimes.length
      const next = Date.now() + 30
      calmTimes.push((await publish(orm, shop.store_id, [{ n }], 'order.updated', 1))[0] as number)
      await until(async () => Date.now() > next)
    }
  })()
  const killing = killWorkers(() => told)
  for (let n = 0; n < count; n += 100) {
    const next = Date.now() + 1_000
    const at = await publish(
      orm,
      shop.store_id,
      Array.from({ length: 100 }, (_, at) => ({ n: n + at })),
    )
    wildTimes.push(...at)
    await until(async () => Date.now() > next)
  }
  told = true
  const kills = await killing
  over = true
  await calmly
  await until(async () => (await statusesOf(wild)).succeeded === count, 60_000)
  await until(async () => (await statusesOf(calm)).succeeded === calmTimes.length, 60_000)

  const arrivals = await receiver.arrivals(wild.path)
  const events = byEvent(arrivals)
  expect(events.size).toBe(count)
  const ids = new Set<string>()
  for (const [n, all] of events) {
    // Delivered at least once; always the same id and the same bytes.
    expect([n, all.some(({ status }) => status === 200)]).toEqual([n, true])
    expect([
      n,
      new Set(all.map(({ headers }) => headers['webhook-id'])).size,
      new Set(all.map(({ digest }) => digest)).size,
    ]).toEqual([n, 1, 1])
    ids.add(all[0]?.headers['webhook-id'] as string)
  }
  expect(ids.size).toBe(count)
  const hook = new Webhook(secret)
  for (const { body, headers } of arrivals)
    expect(hook.verify(body, headers)).toMatchObject({ id: headers['webhook-id'] })
  // The endpoint failed as often as the test intends.
  expect(arrivals.length).toBeGreaterThan(count * 1.3)

  const heard = byEvent(await receiver.arrivals(calm.path))
  expect(heard.size).toBe(calmTimes.length)
  const undisturbed = (at: number) =>
    !kills.some(({ from, ready }) => at > from - 200 && at < Math.max(from + missedMs, ready + 500))
  /**
   * Waiting times of events that no kill disturbed, until their first request or the first successful one, in
   * milliseconds, sorted.
   */
  const waits = (times: number[], arrivalsOf: Map<number, Received[]>, wanted: (one: Received) => boolean) =>
    times
      .map((at, n) => ({
        at,
        ms: Math.min(...(arrivalsOf.get(n) as Received[]).filter(wanted).map((one) => one.at)) - at,
      }))
      .filter(({ at }) => undisturbed(at))
      .map(({ ms }) => ms)
      .sort((a, b) => a - b)
  const calmWaits = waits(calmTimes, heard, () => true)
  const wildWaits = waits(wildTimes, events, ({ status }) => status === 200)
  const late = (list: number[]) => list[Math.floor((list.length - 1) * 0.9)] as number
  if (process.env.TEST_FIGURES)
    console.log({
      kills: kills.length,
      arrivals: arrivals.length,
      calm: [calmWaits.length, calmWaits.at(calmWaits.length >> 1), late(calmWaits), calmWaits.at(-1)],
      wild: [wildWaits.length, wildWaits.at(wildWaits.length >> 1), late(wildWaits), wildWaits.at(-1)],
    })
  expect(calmWaits.length).toBeGreaterThan(50)
  // A busy machine delays both endpoints; the failing endpoint delays only its own. `npm run bench` measures the
  // milliseconds.
  expect(late(calmWaits)).toBeLessThan(late(wildWaits) / 2)
})
