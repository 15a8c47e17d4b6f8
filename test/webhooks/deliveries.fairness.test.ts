// A request that hangs delays no other delivery of its webhook.
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals'
import { MockActivityEnvironment } from '@temporalio/testing'
import { until } from '../kit/codes.ts'
import { database } from '../kit/shop.ts'
import { type DeliveryLab, startDeliveryLab } from '../kit/webhooks/delivery-lab.ts'
import { type Hook, newWebhook, publish } from '../kit/webhooks/webhook-events.ts'

jest.setTimeout(60_000)

/** Longer than the tests take: nothing that they see follows from a timeout. */
const settings = { DELIVERY_TIMEOUT_MS: '40000', RECONCILE_EVERY_MS: '60000' }
let world: DeliveryLab

beforeAll(async () => {
  world = await startDeliveryLab('hanging', settings)
})
afterAll(() => world.stop())

const arrived = async (hook: Hook): Promise<Map<number, number>> =>
  new Map(
    (await world.receiver.arrivals(hook.path)).map(({ body, at }) => [
      (JSON.parse(body) as { data: { n: number } }).data.n,
      at,
    ]),
  )
const arrival = (hook: Hook, n: number) => until(async () => (await arrived(hook)).get(n), 10_000)

test('Deliveries go on beside a request that hangs when the drain is 20 seconds old', async () => {
  const { orm, receiver, shop } = world
  const hook = await newWebhook(shop, receiver)
  const begun = Date.now()
  const times: number[] = []
  let hung: number | undefined
  while (Date.now() < begun + 24_000) {
    const next = Date.now() + 250
    if (hung === undefined && Date.now() > begun + 17_000) {
      await receiver.rule(hook.path, { do: 'hang' }, 1)
      hung = times.length
    }
    times.push((await publish(orm, shop.store_id, [{ n: times.length }]))[0] as number)
    await until(async () => Date.now() > next)
  }
  await arrival(hook, times.length - 1)
  const seen = await arrived(hook)
  const waits = times.map((at, n) => (seen.get(n) as number) - at)
  expect(waits.length).toBeGreaterThan(60)
  expect(Math.max(...waits)).toBeLessThan(5_000)
})

test('A drain that finds its webhook disabled clears the mark of a drain that died', async () => {
  const hook = await newWebhook(world.shop, world.receiver, { enabled: false })
  await database().query(`update webhooks set awake_until = clock_timestamp() + interval '1 hour' where id = $1`, [
    hook.id,
  ])
  const { drainDeliveries } = await import('../../activities/webhooks/deliveries.ts')
  const { closeDatabase } = await import('../../activities/kit/database.ts')
  expect(await new MockActivityEnvironment().run(drainDeliveries, hook.id)).toEqual({ wait_ms: null })
  await closeDatabase()
  expect((await database().query('select awake_until from webhooks where id = $1', [hook.id])).rows).toEqual([
    { awake_until: null },
  ])
})

test('A webhook that is enabled again delivers at once while a request of before hangs', async () => {
  const { orm, receiver, shop } = world
  const hook = await newWebhook(shop, receiver)
  await receiver.rule(hook.path, { do: 'hang' }, 1)
  await publish(orm, shop.store_id, [{ n: 0 }])
  await arrival(hook, 0)
  const enable = async (enabled: boolean) =>
    expect((await shop.asOperator('PUT', `/webhooks/${hook.id}`, { enabled })).status).toBe(200)
  await enable(false)
  // The drain has seen it: it no longer prolongs its mark.
  await until(
    async () =>
      (await database().query('select 1 from webhooks where id = $1 and awake_until < clock_timestamp()', [hook.id]))
        .rows[0],
    10_000,
  )
  await enable(true)
  await publish(orm, shop.store_id, [{ n: 1 }])
  await arrival(hook, 1)
})
