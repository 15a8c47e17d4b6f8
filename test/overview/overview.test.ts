// The overview counts each record on its day of the store's zone, by outcome and currency, and says what waits.
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals'
import { firstIdAt, newId } from '../../entities/kit/ids.ts'
import { insertRow } from '../kit/audiences/subscribing.ts'
import { execute } from '../kit/automation/graphs.ts'
import { cardShop, madeAt, order, paidOrder, product, requestRefund, type Sold } from '../kit/orders/buying.ts'
import { database, newShop, type Shop } from '../kit/shop.ts'

jest.setTimeout(60_000)

type Counts = Record<string, number>
type Figures = { sales: object[]; refunded: object[] } & Record<
  'orders' | 'refunds' | 'bookings' | 'executions',
  Counts
>
type Day = Figures & { date: string; from: number; to: number }
type Next = Record<'bookings' | 'publications', Record<string, unknown>[]>
type Overview = { timezone: string; days: Day[]; totals: Figures; backlog: Record<string, unknown>[]; next: Next }

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
  const sold = await product(other)
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

test('A start between two tries waits since it was written, in an outage of Temporal as well', async () => {
  const other = await newShop()
  const writtenAt = Math.floor(Date.now() / 1000) - 3_600
  await database().query(
    `insert into outbox (id, tenant_id, kind, row_id, not_before, tries, parked)
     values ($1, $2, 'refund', $1, now() + interval '5 minutes', 15, false)`,
    [firstIdAt(writtenAt), other.store_id],
  )
  const { backlog } = await overview(other)
  expect(backlog).toMatchObject([{ kind: 'refund', stage: 'start', count: 1, oldest_at: writtenAt }])
  expect(backlog[0]?.oldest_age_s).toBeGreaterThanOrEqual(3_600)
  await database().query('delete from outbox where tenant_id = $1', [other.store_id])
})

test('Next are the bookings of today in the zone and the posts that are due, the soonest first', async () => {
  const other = await newShop({ timezone: 'Pacific/Kiritimati' })
  const { days, next: before } = await overview(other, 1)
  expect(before).toEqual({ bookings: [], publications: [] })
  const [{ from, to }] = days as [Day]
  const now = Math.floor(Date.now() / 1000)
  const tenant_id = other.store_id
  const { order_id } = await order(other, [(await product(other)).item()])
  const booked = (starts_at: number, ends_at: number, more: object = {}) =>
    insertRow('order_bookings', {
      ...{ tenant_id, order_id, ordered_at: now, position: 0, service_id: newId(), provider_id: newId() },
      ...{ service_key: 'haircut', provider_key: 'mia', slots: '[]', starts_at, ends_at, quantity: 1, unit_price: 1 },
      ...{ subtotal: 1, discount: 0, tax: 0, total: 1, status: 'confirmed', ...more },
    })
  const last = await booked(to - 1, to + 3_600)
  const running = await booked(from, to - 2, { status: 'pending' })
  await booked(to, to + 3_600)
  await booked(from - 1, to)
  await booked(from, Math.max(from, now - 60))
  await booked(to - 1, to + 3_600, { status: 'cancelled' })
  const post = (scheduled_at: number, caption: string | null, status = 'scheduled') =>
    insertRow('social_publications', {
      ...{ tenant_id, social_connection_id: newId(), type: 'network_b_business', status, scheduled_at, issues: '[]' },
      ...{ content: JSON.stringify({ type: 'network_b_business', caption, title: null }), created_by: newId() },
      ...(status === 'published' ? { published_at: 1 } : {}),
    })
  const due = await post(to - 1, `${'New tea! '.repeat(20)}\nMore`)
  const late = await post(from - 60, null, 'publishing')
  await post(to, 'Tomorrow')
  await post(to - 1, 'Done', 'published')
  expect((await overview(other, 1)).next).toEqual({
    bookings: [
      {
        ...{ id: running, order_id, label: 'haircut, mia', status: 'pending', starts_at: from, ends_at: to - 2 },
      },
      { id: last, order_id, label: 'haircut, mia', status: 'confirmed', starts_at: to - 1, ends_at: to + 3_600 },
    ],
    publications: [
      { id: late, label: 'Instagram', type: 'network_b_business', status: 'publishing', scheduled_at: from - 60 },
      {
        ...{ id: due, label: `Instagram: ${'New tea! '.repeat(20).slice(0, 79)}…`, type: 'network_b_business' },
        ...{ status: 'scheduled', scheduled_at: to - 1 },
      },
    ],
  })
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
