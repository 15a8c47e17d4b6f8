// How a request waits for an outcome: who starts its workflow, and what it answers when no outcome comes in time.
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals'
import { Client, Connection } from '@temporalio/client'
import { Reply } from '../../api/kit/answer/replies.ts'
import type { Route } from '../../api/kit/route.ts'
import { routes } from '../../api/routes.ts'
import { newId } from '../../entities/kit/ids.ts'
import { Refusal } from '../../rules/refusal.ts'
import { until } from '../kit/codes.ts'
import { ledgerOf } from '../kit/effects/provider.ts'
import { connected, fault, paidOrder, product } from '../kit/orders/buying.ts'
import { database, newShop, type Shop } from '../kit/shop.ts'
import { type Lab, startLab } from '../kit/stack/lab.ts'

jest.setTimeout(120_000)

let lab: Lab
let connection: Connection
let shop: Shop
let order_id: string
beforeAll(async () => {
  lab = await startLab('answer', { ANSWER_WAIT_MS: '4000' })
  await lab.stack.startApi()
  connection = await Connection.connect({ address: lab.stack.env.TEMPORAL_ADDRESS as string })
})
afterAll(async () => {
  await connection.close()
  await database().end()
  await lab.stop()
})

test('The API starts a refund that no relay starts, and the next worker sends it once', async () => {
  const worker = await lab.startWorker()
  shop = await newShop()
  await connected(shop)
  ;({ order_id } = await paidOrder(shop, [(await product(shop)).item()]))
  await worker.stop()

  const refund_id = newId()
  const { status, body } = await shop.asOperator('POST', `/orders/${order_id}/refunds`, { refund_id, amount: 100 })
  expect([status, body.status, body.sent_at]).toEqual([201, 'requested', null])
  const { status: running } = await new Client({ connection }).workflow.getHandle(`refund/${body.id}`).describe()
  expect(running.name).toBe('RUNNING')

  await lab.startWorker()
  await until(
    async () => (await shop.asOperator('GET', `/orders/${order_id}/refunds/${refund_id}`)).body.status === 'succeeded',
    30_000,
  )
  expect(await ledgerOf(body.id)).toEqual([expect.objectContaining({ times: 1, effect: true })])
  await until(async () => (await database().query('select 1 from outbox where row_id = $1', [body.id])).rowCount === 0)
})

test('A refund without an outcome in time is answered as it is then, not as it was requested', async () => {
  const refund_id = newId()
  await fault({ path: '/v1/refunds', body_match: refund_id, fault: 'hang' })
  const { status, body } = await shop.asOperator('POST', `/orders/${order_id}/refunds`, { refund_id, amount: 100 })
  expect([status, body]).toMatchObject([201, { status: 'processing', sent_at: expect.any(Number) }])
})

test('A route that waits in vain refuses, or answers what its last look found', () => {
  const waiting = (routes as readonly Route[]).filter(({ wait }) => wait)
  expect(waiting.length).toBeGreaterThan(20)
  const latest = { found_by: 'the last look' }
  const others = waiting.flatMap(({ spec, wait }) => {
    try {
      const answer = wait?.late ? wait.late(latest, false, { id: 'a', location: '/a' }) : latest
      return (answer instanceof Reply ? answer.body : answer) === latest ? [] : [spec]
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      return []
    }
  })
  expect(others).toEqual([])
})
