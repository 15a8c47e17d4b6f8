// The migration of redeemed addresses: uses of codes that are limited per customer count by the address of their order.
import { expect, jest, test } from '@jest/globals'
import { unitOf } from '../../entities/kit/database/orm.ts'
import { newId } from '../../entities/kit/ids.ts'
import { ownDatabase } from '../kit/database/own-database.ts'
import { paymentRows } from '../kit/orders/payment-rows.ts'

jest.setTimeout(60_000)

const own = ownDatabase('addresses')

test('The migration writes addresses of uses limited per customer, and can be undone', async () => {
  await own.migrateUntil('_redeemed-addresses')
  const { insert, paid } = paymentRows((sql, values) => unitOf(own.orm, null).execute(sql, values))
  const code = (name: string, conditions: object[]) =>
    insert('promo_codes', {
      code: name,
      code_key: name,
      discounts: '[]',
      conditions: JSON.stringify(conditions),
      uses: 1,
      status: 'active',
    })
  const [limited, free] = [
    await code('LIMITED', [
      { type: 'max_uses', count: 9 },
      { type: 'max_uses_per_user', count: 1 },
    ]),
    await code('FREE', []),
  ]
  const uses: string[] = []
  for (const [promo_code_id, email] of [
    [limited, 'ada@example.com'],
    [limited, null],
    [free, 'eve@example.com'],
  ] as const) {
    const { order_id } = await paid('confirmed')
    await own.db.query('update orders set email = $2 where id = $1', [order_id, email])
    uses.push(await insert('promo_redemptions', { promo_code_id, order_id, contact_id: newId() }))
  }
  await own.orm.migrator.up()
  const { rows } = await own.db.query('select id, address from promo_redemptions order by id')
  expect(rows).toEqual([
    { id: uses[0], address: 'ada@example.com' },
    { id: uses[1], address: null },
    { id: uses[2], address: null },
  ])
  await own.orm.migrator.down({ to: '20261128000051_expected-totals' })
  expect((await own.db.query('select count(*)::int as count from promo_redemptions')).rows).toEqual([{ count: 3 }])
})
