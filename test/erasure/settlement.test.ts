// The endings of a deletion lock orders, members and what those reserve in the order of all transactions: none of them
// deadlocks with a request.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type pg from 'pg'
import { endPending } from '../../entities/erasure/settlement.ts'
import { type Orm, openOrm, unitOf } from '../../entities/kit/database/orm.ts'
import { newContact } from '../kit/audiences/audiences.ts'
import { beginRows, insertRow, newClub } from '../kit/audiences/subscribing.ts'
import { untilAwaited } from '../kit/database/locks.ts'
import { card, cardShop, order, product } from '../kit/orders/buying.ts'
import { database } from '../kit/shop.ts'

let orm: Orm
beforeAll(async () => {
  orm = await openOrm({ url: process.env.DATABASE_URL as string, pool: 2 })
})
afterAll(() => Promise.all([orm.close(true), database().end()]))

const end = (tenantId: string): Promise<boolean> =>
  unitOf(orm, null).transactional((em) => endPending(em, tenantId, Math.floor(Date.now() / 1000)))

async function holding(work: (client: pg.PoolClient) => Promise<void>): Promise<void> {
  const client = await database().connect()
  try {
    await client.query('begin')
    await work(client)
  } finally {
    await client.query('rollback')
    client.release()
  }
}
const lock = (client: pg.PoolClient, table: string, id: string) =>
  client.query(`select 1 from ${table} where id = $1 for update`, [id])

test('Of confirmed orders with an open form, each is cancelled in a transaction of its own', async () => {
  const { shop } = await cardShop()
  const tea = await product(shop, { stock: 5 })
  const orders = [await order(shop, [tea.item(1)], card), await order(shop, [tea.item(1)], card)]
  const ids = orders.map(({ order_id }) => order_id).sort()
  await database().query("update orders set hold_until = null, status = 'confirmed' where id = any ($1)", [ids])
  let second: Promise<boolean> | null = null
  await holding(async (client) => {
    await lock(client, 'orders', ids[1] as string)
    // The lock of the second order is not waited for, and the stock of the first is free.
    expect(await end(shop.store_id)).toBe(true)
    second = end(shop.store_id)
    await untilAwaited(client)
    await client.query('select 1 from inventory_levels where tenant_id = $1 for update', [shop.store_id])
  })
  expect(await second).toBe(true)
  const { rows } = await database().query('select distinct status from orders where id = any ($1)', [ids])
  expect(rows).toEqual([{ status: 'cancelled' }])
})

test.each(['pending', 'given_up'] as const)(
  'Subscriptions that are %s are ended in the order of their members',
  async (status) => {
    const { shop, account } = await cardShop()
    const club = await newClub(shop, account)
    const members: string[] = []
    for (let n = 0; n < 2; n++)
      members.push(
        await insertRow('audience_members', {
          ...{ tenant_id: shop.store_id, audience_id: club.audience_id, contact_id: (await newContact(shop)).id },
          ...{ status: 'active', joined_at: 1, source: 'storefront', fields: '{}' },
        }),
      )
    const [first, last] = members as [string, string]
    expect(first < last).toBe(true)
    // The subscription of the last member is the first.
    const begun = []
    for (const member_id of [last, first]) begun.push(await beginRows(club, { member_id, status }))
    if (status === 'given_up')
      for (const { id } of begun)
        await database().query('update subscriptions set provider_subscription_id = $2 where id = $1', [
          id,
          `sub_${id}`,
        ])
    let ending: Promise<boolean> | null = null
    await holding(async (client) => {
      await lock(client, 'audience_members', first)
      ending = end(shop.store_id)
      await untilAwaited(client)
      await lock(client, 'audience_members', last)
    })
    expect(await ending).toBe(true)
  },
)
