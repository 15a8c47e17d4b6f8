// What the readiness of a store costs does not depend on its products.
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals'
import { recordStatementsAlone, rowsOf } from '../kit/database/statements.ts'
import { database, newShop, type Shop } from '../kit/shop.ts'

jest.setTimeout(120_000)

const many = 100_000
let own: Awaited<ReturnType<typeof recordStatementsAlone>>
let shop: Shop

beforeAll(async () => {
  own = await recordStatementsAlone('readiness')
  shop = await newShop()
  await database().query(
    `insert into products (id, created_at, updated_at, tenant_id, key, slug, blocks, taxonomies, status)
     select ('0199' || lpad(to_hex(n), 28, '0'))::uuid, n, n, $1::uuid, 'tea-' || n, '[]', '[]', '[]',
       case when n = ${many} then 'active' else 'draft' end
     from generate_series(1, ${many}) as n`,
    [shop.store_id],
  )
  await database().query('analyze')
})
afterAll(async () => {
  await database().end()
  await own.close()
})

test('The readiness of a store with 100,000 products reads few rows, and names the active one', async () => {
  const statements = [...(await own.statementsOf(shop, 'GET', '/readiness'))]
  for (const statement of statements) expect(rowsOf(await own.planOf(statement))).toBeLessThan(1_000)
  const { body } = await shop.asOperator('GET', '/readiness')
  const price = body.items.find(({ id }: { id: string }) => id === 'price')
  const { rows } = await database().query(`select id from products where tenant_id = $1 and status = 'active'`, [
    shop.store_id,
  ])
  expect([price.ready, price.mend.path]).toEqual([false, `/v1/stores/${shop.store_id}/products/${rows[0].id}`])
})
