// When Temporal, PostgreSQL or a worker is down and comes back, all work continues: no process ends, no row is lost, no
// effect happens twice.
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals'
import type { Process } from '../dev/parts.ts'
import { newId } from '../entities/kit/ids.ts'
import { until } from './kit/codes.ts'
import { fault, type LedgerEntry, ledgerOf } from './kit/effects/provider.ts'
import {
  buyer,
  card,
  cash,
  checkOut,
  connected,
  order,
  paidOrder,
  product,
  type Sold,
  sim,
} from './kit/orders/buying.ts'
import { type Answer, database, http, newShop, type Shop } from './kit/shop.ts'
import { type Lab, startLab } from './kit/stack/lab.ts'

jest.setTimeout(120_000)

let lab: Lab
let shop: Shop
let tea: Sold
let paid: string
let worker: Process
let server: Process

beforeAll(async () => {
  lab = await startLab('outages', { RECONCILE_EVERY_MS: '1000' })
  server = await lab.stack.startApi()
  worker = await lab.startWorker()
  // A connection that is idle when PostgreSQL stops raises no error here.
  database().on('error', () => {})
  shop = await newShop()
  await connected(shop)
  tea = await product(shop, { amount: 10_000 })
  paid = (await paidOrder(shop, [tea.item(1)])).order_id
})

afterAll(async () => {
  await database().end()
  await lab.stop()
})

const ask = (refund_id: string, amount: number): Promise<Answer> =>
  shop.asOperator('POST', `/orders/${paid}/refunds`, { refund_id, amount })
const read = async (refund_id: string) => (await shop.asOperator('GET', `/orders/${paid}/refunds/${refund_id}`)).body
const succeeds = (refund_id: string, withinMs = 30_000) =>
  until(async () => {
    const found = await read(refund_id)
    return found.status === 'succeeded' && found
  }, withinMs)

async function timed<T>(work: Promise<T>): Promise<[T, number]> {
  const since = performance.now()
  return [await work, performance.now() - since]
}

/** A refund that the provider has received, and whose answer it delays. */
async function sending(delay_ms: number): Promise<{ refund_id: string; id: string; answer: Promise<Answer> }> {
  const refund_id = newId()
  await fault({ fault: 'delay', delay_ms, body_match: refund_id })
  const answer = ask(refund_id, 100)
  answer.catch(() => {})
  const id = await until(async () => {
    const all: (LedgerEntry & { key: string })[] = await sim('GET', '/ledger?path=/v1/refunds')
    return all.find(({ metadata }) => metadata.refund_id === refund_id)?.key
  })
  return { refund_id, id, answer }
}

const ready = () => http('GET', '/ready')

describe('Temporal is down', () => {
  const refund_id = newId()
  let first: Answer
  let basket: Awaited<ReturnType<typeof buyer>>

  beforeAll(async () => {
    basket = await buyer(shop, [tea.item(1)])
    await lab.stack.temporal.stop()
  })

  test('The API is ready while Temporal is down, and reports it', async () => {
    expect(await ready()).toMatchObject({ status: 200, body: { ready: true, database: true, temporal: false } })
  })

  test('A cash checkout works while Temporal is down', async () => {
    const { answer } = await order(shop, [tea.item(1)], cash)
    expect(answer.body.payment_action).toEqual({ type: 'none' })
  })

  test('A card checkout is 503 with its order while Temporal is down', async () => {
    const [answer, ms] = await timed(checkOut(basket.visitor, basket.cart, card))
    first = answer
    expect(answer).toMatchObject({ status: 503, body: { code: 'engine_unavailable', order_id: expect.any(String) } })
    expect(answer.headers.get('content-type')).toMatch('application/problem+json')
    expect(answer.headers.get('retry-after')).toMatch(/^\d+$/)
    expect(ms).toBeLessThan(10_000)
  })

  test('A refund is recorded as requested while Temporal is down', async () => {
    const [answer, ms] = await timed(ask(refund_id, 100))
    expect(answer).toMatchObject({ status: 201, body: { status: 'requested', sent_at: null } })
    expect(ms).toBeLessThan(10_000)
  })

  test('Failed starts do not count against a row while Temporal is down', async () => {
    await until(async () => {
      const { rows } = await database().query('select max(not_before) > clock_timestamp() as later from outbox')
      return rows[0]?.later
    })
    const { rows } = await database().query(
      `select tries, parked, not_before < clock_timestamp() + interval '2 s' as soon from outbox where kind = 'refund'`,
    )
    expect(rows).toEqual([{ tries: expect.any(Number), parked: false, soon: true }])
    expect(rows[0]?.tries).toBeLessThanOrEqual(1)
  })

  test('When Temporal is back, a repeated checkout opens its page, and the refund is sent', async () => {
    await lab.stack.temporal.start()
    const again = await until(async () => {
      const answer = await checkOut(basket.visitor, basket.cart, card)
      return answer.status === 200 && answer
    }, 30_000)
    expect(again.body).toMatchObject({
      order_id: first.body.order_id,
      payment_action: { type: 'card_embedded_checkout', client_secret: expect.any(String) },
    })
    const { id } = await succeeds(refund_id)
    expect(await ledgerOf(id)).toEqual([expect.objectContaining({ times: 1, effect: true })])
    expect(worker.child.running()).toBe(true)
    await until(async () => (await ready()).body.temporal)
  })
})

describe('PostgreSQL is down', () => {
  let inFlight: Awaited<ReturnType<typeof sending>>

  beforeAll(async () => {
    inFlight = await sending(5_000)
    await lab.stack.postgres.stop()
  })

  test('The API answers 503 with a problem and is not ready while PostgreSQL is down', async () => {
    for (const [method, path, body] of [
      ['GET', `/v1/stores/${shop.store_id}`],
      ['POST', `/v1/stores/${shop.store_id}/orders/${paid}/refunds`, { refund_id: newId(), amount: 1 }],
    ] as const) {
      const [answer, ms] = await timed(http(method, path, { body, headers: shop.op.headers }))
      expect(answer).toMatchObject({ status: 503, body: { code: 'database_unavailable', status: 503 } })
      expect(answer.headers.get('content-type')).toMatch('application/problem+json')
      expect(ms).toBeLessThan(12_000)
    }
    expect(await ready()).toMatchObject({ status: 503, body: { ready: false, database: false } })
    expect((await http('GET', '/health')).status).toBe(200)
  })

  test('A request that waits for its outcome is 503 while PostgreSQL is down', async () => {
    expect(await inFlight.answer).toMatchObject({ status: 503, body: { code: 'database_unavailable' } })
  })

  test('When PostgreSQL is back, the provider’s answers are recorded and nothing is sent twice', async () => {
    // The provider has answered while no worker could record it.
    await until(async () => (await ledgerOf(inFlight.id))[0]?.status === 200)
    await lab.stack.postgres.start()
    await until(async () => (await ready()).status === 200, 30_000)
    const settled = await succeeds(inFlight.refund_id, 40_000)
    expect(await ledgerOf(settled.id)).toEqual([expect.objectContaining({ times: 1, effect: true })])
    const refund_id = newId()
    expect((await ask(refund_id, 100)).status).toBe(201)
    await succeeds(refund_id)
    expect([server.child.running(), worker.child.running()]).toEqual([true, true])
  })

  test('When PostgreSQL is killed and restarted during twenty refunds, each is settled once', async () => {
    const ids = Array.from({ length: 20 }, () => newId())
    const asked = Promise.allSettled(ids.map((refund_id) => ask(refund_id, 10)))
    await until(async () => (await sim('GET', '/ledger?path=/v1/refunds')).length > 6)
    lab.stack.postgres.kill('SIGKILL')
    await until(async () => !lab.stack.postgres.running())
    await lab.stack.postgres.start()
    await asked
    // A repeated request finds the refund or creates it: the same id is the same refund.
    for (const refund_id of ids) await until(async () => [200, 201].includes((await ask(refund_id, 10)).status), 40_000)
    for (const refund_id of ids) {
      const { id, status } = await until(async () => {
        const found = await read(refund_id)
        return ['succeeded', 'unknown'].includes(found.status) && found
      }, 60_000)
      const arrived = await ledgerOf(id)
      expect(arrived.length).toBeLessThanOrEqual(1)
      if (status === 'succeeded') expect(arrived).toEqual([expect.objectContaining({ times: 1, effect: true })])
    }
  })
})

test('A worker that is stopped finishes what it sent and then exits', async () => {
  await sim('POST', '/events', { hold: true })
  const { refund_id, id } = await sending(5_000)
  const since = performance.now()
  worker.kill('SIGTERM')
  expect(await worker.child.ended).toBe(0)
  expect(performance.now() - since).toBeGreaterThan(1_000)
  // No other worker was running that could have recorded it.
  expect(await read(refund_id)).toMatchObject({ status: 'succeeded', evidence: { status: 'succeeded' } })
  expect(await ledgerOf(id)).toEqual([expect.objectContaining({ times: 1, effect: true })])
  await sim('POST', '/events', { hold: false })
})

test('A stopped worker’s unsent effects are sent by the next worker', async () => {
  const refund_id = newId()
  void ask(refund_id, 100).catch(() => {})
  await until(async () => (await read(refund_id)).id)
  worker = await lab.startWorker()
  const { id } = await succeeds(refund_id)
  expect(await ledgerOf(id)).toEqual([expect.objectContaining({ times: 1, effect: true })])
})
