// Requests of one tenant that wait for a row leave connections for those of all other tenants.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { newShares } from '../../api/limits/connection-shares.ts'
import { insertRow } from '../kit/audiences/subscribing.ts'
import { untilAwaited } from '../kit/database/locks.ts'
import { atOnce } from '../kit/orders/buying.ts'
import { database, newShop, type Shop } from '../kit/shop.ts'

let shop: Shop
let other: Shop
beforeAll(async () => {
  ;[shop, other] = [await newShop(), await newShop()]
})
afterAll(() => database().end())

test('60 requests that wait for one row leave connections for the requests of other stores', async () => {
  const mail = await insertRow('mails', {
    ...{ tenant_id: shop.store_id, kind: 'chat_handover', status: 'unknown', fingerprint: '', attempt: 1 },
    ...{ sent_at: new Date(), settled_at: new Date() },
  })
  const holder = await database().connect()
  try {
    await holder.query('begin')
    await holder.query('select 1 from mails where id = $1 for update', [mail])
    const resolutions = atOnce(60, () =>
      shop.asOperator('POST', `/attention/${mail}/resolve`, { outcome: 'rejected', note: 'It did not arrive.' }),
    )
    // All that may wait with a connection do.
    await untilAwaited(holder, { count: 5 })
    const began = performance.now()
    const answers = await atOnce(4, () => other.asOperator('GET', '/attention'))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect(performance.now() - began).toBeLessThan(4_000)
    await holder.query('rollback')
    const outcomes = (await resolutions).map(({ status, headers }) => [status, headers.get('retry-after') !== null])
    expect(outcomes).toContainEqual([200, false])
    expect(outcomes.filter(([status, again]) => !(status === 200 || (status === 503 && again)))).toEqual([])
  } finally {
    await holder.query('rollback')
    holder.release()
  }
})

/** Work that goes on until `end` is called. */
function held(inShare: ReturnType<typeof newShares>, share: string) {
  const gate = Promise.withResolvers<void>()
  const state = { begun: false, end: gate.resolve }
  const done = inShare(share, async () => {
    state.begun = true
    await gate.promise
  })
  return { state, done }
}
const turns = async () => {
  for (let n = 0; n < 10; n++) await Promise.resolve()
}

test('A share has half of what the others leave free, and one connection at least', async () => {
  const inShare = newShares(() => 10)
  const begun = async (share: string, count: number) => {
    const works = Array.from({ length: count }, () => held(inShare, share))
    await turns()
    return works
  }
  const shares = [await begun('a', 8), await begun('b', 8), await begun('c', 8), await begun('d', 8)]
  const counts = () => shares.map((works) => works.filter(({ state }) => state.begun).length)
  expect(counts()).toEqual([5, 3, 1, 1])
  // What one share leaves, its own and the others take.
  for (const { state } of (shares[0] ?? []).slice(0, 5)) state.end()
  await Promise.all((shares[0] ?? []).slice(0, 5).map(({ done }) => done))
  await turns()
  expect(counts()[0]).toBeGreaterThan(5)
  for (const works of shares) for (const { state } of works) state.end()
  await Promise.all(shares.flat().map(({ done }) => done))
  expect(counts()).toEqual([8, 8, 8, 8])
})

test('A request that waits too long for its share is answered 503, and leaves the queue', async () => {
  const inShare = newShares(() => 1, 20)
  const first = held(inShare, 'a')
  const second = held(inShare, 'a')
  await expect(second.done).rejects.toMatchObject({ status: 503, code: 'database_unavailable' })
  first.state.end()
  await first.done
  expect(second.state.begun).toBe(false)
  await expect(inShare('a', async () => 'done')).resolves.toBe('done')
})

test('Work that fails leaves its share', async () => {
  const inShare = newShares(() => 1)
  await expect(inShare('a', () => Promise.reject(new Error('failed')))).rejects.toThrow('failed')
  await expect(inShare('a', async () => 'done')).resolves.toBe('done')
})
