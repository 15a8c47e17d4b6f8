// The overview counts each record on its day of the store's zone, by outcome and currency, and says what waits.
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals'
import { newId } from '../../entities/kit/ids.ts'
import { execute } from '../kit/automation/graphs.ts'
import { cardShop, madeAt, order, paidOrder, requestRefund, type Sold } from '../kit/orders/buying.ts'
import { database, newShop, type Shop } from '../kit/shop.ts'

jest.setTimeout(60_000)

type Counts = Record<string, number>
type Figures = { sales: object[]; refunded: object[] } & Record<
  'orders' | 'refunds' | 'bookings' | 'executions',
  Counts
>
type Day = Figures & { date: string; from: number; to: number }
type Overview = { timezone: string; days: Day[]; totals: Figures; backlog: Record<string, unknown>[] }

let shop: Shop
let tea: Sold
beforeAll(async () => {
  ;({ shop, tea } = await cardShop())
})
afterAll(() => database().end())

const overview = async (at: Shop, days = 30): Promise<Overview> => {
  const { status, body } = await at.asOperator('GET', `/overview?days=${days}`)
  expect(status).toBe(200)
  return body
}

test('Sales, refunds, orders and executions of today are counted by outcome and currency', async () => {
  const { order_id } = await paidOrder(shop, [tea.item(2)])
  await order(shop, [tea.item()])
  expect((await requestRefund(shop, order_id, 300)).body.status).toBe('succeeded')
  await execute(shop.store_id, { nodes: { start: { type: 'trigger' } }, edges: [] })
  const { days, totals, timezone } = await overview(shop, 7)
  expect([timezone, days.length]).toEqual(['Europe/Berlin', 7])
  expect(days.at(-1)).toMatchObject({
    sales: [{ currency: 'USD', count: 1, amount: 2000 }],
    refunded: [{ currency: 'USD', count: 1, amount: 300 }],
    refunds: { succeeded: 1 },
    executions: { completed: 1 },
  })
  expect(Object.values(days.at(-1)?.orders ?? {}).reduce((sum, count) => sum + count, 0)).toBe(2)
  expect(totals).toMatchObject({ sales: [{ currency: 'USD', count: 1, amount: 2000 }] })
  expect(days[0]?.orders).toEqual({})
})

test('An order is counted on its day of the zone, to the second', async () => {
  const other = await newShop({ timezone: 'America/New_York' })
  const sold = await (async () => (await import('../kit/orders/buying.ts')).product(other))()
  const { days } = await overview(other, 3)
  const [first, second] = days as [Day, Day, Day]
  const last = await order(other, [sold.item()])
  await madeAt(last.order_id, first.to - 1)
  const next = await order(other, [sold.item()])
  await madeAt(next.order_id, second.from)
  const counted = (await overview(other, 3)).days.map(({ orders }) => Object.values(orders))
  expect(counted).toEqual([[1], [1], []])
})

test('What waits is named by queue with its oldest age, and of this store alone', async () => {
  const other = await newShop()
  expect((await overview(other)).backlog).toEqual([])
  await database().query(
    `insert into outbox (id, tenant_id, kind, row_id, not_before, tries, parked, lease_until)
     values ($1, $2, 'refund', $1, now() - interval '90 seconds', 0, false, now() + interval '1 hour')`,
    [newId(), other.store_id],
  )
  const { backlog } = await overview(other)
  expect(backlog).toEqual([
    {
      ...{ kind: 'refund', queue: 'money', stage: 'start', count: 1 },
      oldest_at: expect.any(Number),
      oldest_age_s: expect.any(Number),
    },
  ])
  expect(backlog[0]?.oldest_age_s).toBeGreaterThanOrEqual(89)
  expect((await overview(shop)).backlog.every(({ kind, stage }) => kind !== 'refund' || stage !== 'start')).toBe(true)
  await database().query('delete from outbox where tenant_id = $1', [other.store_id])
})

test('Replies after the end of a campaign, and tests of a draft, are counted as messages', async () => {
  const other = await newShop()
  const lastYear = Math.floor(Date.now() / 1000) - 366 * 86_400
  const campaign = async (status: string, ended_at: number | null, kind: string) => {
    const id = newId()
    await database().query(
      `insert into campaigns (id, tenant_id, created_at, updated_at, name, status, mailbox_ids, steps, variables, launched_at, ended_at)
       values ($1, $2, 1, 1, 'News', $3, '[]', '[]', '{}', $4, $4)`,
      [id, other.store_id, status, ended_at],
    )
    await database().query(
      `insert into campaign_messages (id, tenant_id, created_at, updated_at, campaign_id, kind, mailbox_id, address, attachments, fingerprint, status, settled_at)
       select gen_random_uuid(), $2, extract(epoch from now())::bigint, 1, $1, $3, $1, 'ada@example.com', '[]', '', 'succeeded', now()`,
      [id, other.store_id, kind],
    )
  }
  await campaign('completed', lastYear, 'reply')
  await campaign('draft', null, 'test')
  const { totals } = await overview(other, 7)
  expect((totals as unknown as { messages: Counts }).messages).toEqual({ succeeded: 2 })
})

test('The number of days is limited, and other tenants are not shown', async () => {
  for (const days of ['0', '93', 'x']) expect((await shop.asOperator('GET', `/overview?days=${days}`)).status).toBe(422)
  const other = await newShop()
  expect((await shop.asOperator('GET', `/v1/stores/${other.store_id}/overview`)).status).toBe(404)
})
