// After a restore that may have lost commits nothing that may have been sent is sent again: not what was written, and not what would have been written next.
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals'
import { closeDatabase } from '../activities/database.ts'
import { advanceExecution } from '../activities/graphs.ts'
import { script } from '../dev/parts.ts'
import { newId } from '../entities/ids.ts'
import { type Orm, openOrm } from '../entities/orm.ts'
import { edge, workflow } from './kit/automations.ts'
import { cash, order, product } from './kit/buying.ts'
import { type Lab, startLab } from './kit/lab.ts'
import { database, newShop, type Shop } from './kit/shop.ts'
import { tell } from './kit/telling.ts'

jest.setTimeout(60_000)

let lab: Lab
let orm: Orm
let shop: Shop

beforeAll(async () => {
  lab = await startLab('quarantine', {}, { parts: ['postgres', 'migrations'] })
  await lab.stack.startApi()
  orm = await openOrm({ url: lab.stack.env.DATABASE_URL as string, pool: 2 })
  shop = await newShop()
})

afterAll(async () => {
  await closeDatabase()
  await orm.close(true)
  await database().end()
  await lab.stop()
})

async function quarantine(since: number): Promise<string> {
  const child = script('workers/quarantine.ts', ['--since', new Date(since).toISOString()], { name: 'quarantine', env: { ...process.env } })
  expect(await child.ended).toBe(0)
  return child.tail()
}

const rows = async (sql: string, ...values: unknown[]) => (await database().query(sql, values)).rows

/** A refund that was written as it stood at the moment of the copy. */
async function refund(orderId: string, status: string, settled: string | null): Promise<string> {
  const id = newId()
  await database().query(
    `insert into refunds (id, tenant_id, created_at, updated_at, refund_id, order_id, payment_id, amount, currency, origin, status, fingerprint, attempt, settled_at)
     select $1, tenant_id, 1, 1, $1, order_id, id, 1, currency, 'operator', $3, '', 0, $4 from payments where order_id = $2`,
    [id, orderId, status, settled],
  )
  return id
}

test('what was not at its end is unknown, what was is what it was, and its amounts follow', async () => {
  const sold = await product(shop)
  const { order_id } = await order(shop, [sold.item(1)], cash)
  const since = Date.now() - 60_000
  const at = (ms: number) => new Date(since + ms).toISOString()
  await database().query('update payments set captured_amount = amount, refund_pending_amount = 2, refunded_amount = 1 where order_id = $1', [order_id])
  const ids = [
    await refund(order_id, 'requested', null),
    await refund(order_id, 'processing', null),
    await refund(order_id, 'succeeded', at(-1_000)),
    await refund(order_id, 'rejected', at(1_000)),
    await refund(order_id, 'failed', at(-1_000)),
  ]
  expect(await quarantine(since)).toMatch(/refunds: 2 made unknown/)
  const found = await rows('select id, status, error from refunds where order_id = $1 order by id', order_id)
  expect(found.map(({ id }) => id)).toEqual(ids)
  expect(found.map(({ status }) => status)).toEqual(['unknown', 'unknown', 'succeeded', 'rejected', 'failed'])
  expect(found[0].error).toMatchObject({ code: 'quarantined' })
  expect(
    await rows(
      'select refund_pending_amount::int as pending, refund_unknown_amount::int as unknown, refunded_amount::int as refunded from payments where order_id = $1',
      order_id,
    ),
  ).toEqual([{ pending: 0, unknown: 2, refunded: 1 }])
})

test('an execution that was not at its end takes no other step: what it would send now may have been sent under another id', async () => {
  const { id } = await workflow(shop, {
    nodes: {
      start: { type: 'trigger', events: ['order.created'] },
      post: { type: 'http', method: 'post', url: 'https://elsewhere.example/', delay_ms: 60_000 },
    },
    edges: [edge('start', 'default', 'post')],
  })
  await tell(orm, shop.store_id, [{ n: 1 }, { n: 2 }, { n: 3 }], 'order.created', 1)
  const [over, waiting, unbegun] = (await rows('select id from executions where workflow_id = $1 order by id', id)).map((row) => row.id as string) as [
    string,
    string,
    string,
  ]
  await database().query(`update executions set status = 'completed', finished_at = 1 where id = $1`, [over])
  await advanceExecution(waiting)
  const runs = () => rows(`select execution_id, status from node_runs where tenant_id = $1 and node = 'post'`, shop.store_id)
  expect(await runs()).toEqual([{ execution_id: waiting, status: 'requested' }])

  expect(await quarantine(Date.now())).toMatch(/executions: 2 stopped[\s\S]*node_runs: 1 made unknown/)
  expect(await rows('select status, error from executions where workflow_id = $1 order by id', id)).toEqual([
    { status: 'completed', error: null },
    { status: 'failed', error: expect.objectContaining({ code: 'quarantined' }) },
    { status: 'failed', error: expect.objectContaining({ code: 'quarantined' }) },
  ])
  for (const one of [waiting, unbegun]) expect(await advanceExecution(one)).toEqual({ do: 'done', status: 'failed' })
  expect(await runs()).toEqual([{ execution_id: waiting, status: 'unknown' }])
})
