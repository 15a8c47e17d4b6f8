// What was allowed before the deletion of a business began, and waited for a lock, changes nothing of it afterwards.
import { afterAll, expect, test } from '@jest/globals'
import type pg from 'pg'
import { until } from '../kit/codes.ts'
import { untilAwaited } from '../kit/database/locks.ts'
import { buyer, cash, checkOut, product } from '../kit/orders/buying.ts'
import { database, http, newShop, type Shop } from '../kit/shop.ts'

afterAll(async () => database().end())

/** Locks rows until `work` has ended. */
async function locked(
  statement: string,
  values: unknown[],
  work: (client: pg.PoolClient) => Promise<void>,
): Promise<void> {
  const client = await database().connect()
  try {
    await client.query('begin')
    await client.query(statement, values)
    await work(client)
  } finally {
    await client.query('rollback')
    client.release()
  }
}
const become = (shop: Shop) => database().query("update tenants set kind = 'business' where id = $1", [shop.store_id])

test('A business whose deletion begins is neither restored nor billed by requests that waited', async () => {
  const shop = await newShop()
  await become(shop)
  await locked(
    "update tenants set erasing_at = 1, status = 'ARCHIVED' where id = $1",
    [shop.store_id],
    async (erasing) => {
      const restoring = http('PUT', `/v1/businesses/${shop.store_id}`, {
        headers: shop.op.headers,
        body: { status: 'ACTIVE' },
      })
      const urls = { successUrl: 'https://salon.example/yes', cancelUrl: 'https://salon.example/no' }
      const choosing = http('POST', `/v1/businesses/${shop.store_id}/subscribe`, {
        headers: shop.op.headers,
        body: { planId: 'pro', ...urls },
      })
      await untilAwaited(erasing, { like: '%"tenants"%for update%' })
      await untilAwaited(erasing, { like: '%"tenants"%for no key update%' })
      await erasing.query('commit')
      for (const answer of await Promise.all([restoring, choosing]))
        expect(answer.body).toMatchObject({ status: 404, code: 'not_found' })
    },
  )
  const { rows } = await database().query(
    'select status, (select count(*)::int from subscriptions where tenant_id = t.id) as plans from tenants t where id = $1',
    [shop.store_id],
  )
  expect(rows).toEqual([{ status: 'ARCHIVED', plans: 0 }])
})

test('A checkout that waited while the deletion began makes no order', async () => {
  const shop = await newShop()
  const tea = await product(shop, { stock: 5 })
  const { visitor, cart } = await buyer(shop, [tea.item()])
  await become(shop)
  await locked('select 1 from inventory_levels where tenant_id = $1 for update', [shop.store_id], async (client) => {
    const buying = checkOut(visitor, cart, cash)
    await untilAwaited(client, { like: '%inventory_levels%for update%' })
    const deleting = http('DELETE', `/v1/businesses/${shop.store_id}`, { headers: shop.op.headers })
    await until(
      async () => (await database().query('select 1 from erasures where erased_id = $1', [shop.store_id])).rowCount,
    )
    await client.query('commit')
    expect((await buying).body).toMatchObject({ status: 404, code: 'not_found' })
    expect((await deleting).status).toBe(200)
  })
})
