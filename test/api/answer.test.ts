// Who starts the workflow that a request waits for: a relay of a worker, or the API itself where no relay does.
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals'
import { Client, Connection } from '@temporalio/client'
import { newId } from '../../entities/kit/ids.ts'
import { connected, paidOrder, product } from '../kit/buying.ts'
import { until } from '../kit/codes.ts'
import { type Lab, startLab } from '../kit/lab.ts'
import { ledgerOf } from '../kit/provider.ts'
import { database, newShop } from '../kit/shop.ts'

jest.setTimeout(120_000)

let lab: Lab
let connection: Connection
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
  const shop = await newShop()
  await connected(shop)
  const { order_id } = await paidOrder(shop, [(await product(shop)).item()])
  await worker.stop()

  const refund_id = newId()
  const { status, body } = await shop.asOperator('POST', `/orders/${order_id}/refunds`, { refund_id, amount: 100 })
  expect([status, body.status, body.sent_at]).toEqual([201, 'requested', null])
  const { status: running } = await new Client({ connection }).workflow.getHandle(`refund/${body.id}`).describe()
  expect(running.name).toBe('RUNNING')

  await lab.startWorker()
  await until(async () => (await shop.asOperator('GET', `/orders/${order_id}/refunds/${refund_id}`)).body.status === 'succeeded', 30_000)
  expect(await ledgerOf(body.id)).toEqual([expect.objectContaining({ times: 1, effect: true })])
  await until(async () => (await database().query('select 1 from outbox where row_id = $1', [body.id])).rowCount === 0)
})
