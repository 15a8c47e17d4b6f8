// A payment page that is completed needs no closing: a requested closing ends without a call and is not retried forever.
import { afterAll, expect, test } from '@jest/globals'
import { newId } from '../../entities/kit/ids.ts'
import { connected, ledger, paidOrder, product, until } from '../kit/buying.ts'
import { database, newShop } from '../kit/shop.ts'

afterAll(() => database().end())

test('A closing requested while the buyer was paying is abandoned and not sent', async () => {
  const shop = await newShop()
  const account = await connected(shop)
  const sold = await product(shop, { stock: 5 })
  const { order_id, session } = await paidOrder(shop, [sold.item(1)])
  const id = newId()
  // As the checkout's workflow writes it when the hold ends, a moment before the payment's event arrives.
  await database().query(
    `insert into session_expiries (id, tenant_id, created_at, updated_at, payment_session_id, status, fingerprint, attempt)
     select $1, tenant_id, 1, 1, id, 'requested', '', 0 from payment_sessions where order_id = $2`,
    [id, order_id],
  )
  await database().query(
    `insert into outbox (id, tenant_id, kind, row_id, not_before, tries, parked) values ($1, $2, 'checkout', $3, clock_timestamp(), 0, false)`,
    [newId(), shop.store_id, order_id],
  )
  const row = async () => (await database().query('select status, error, sent_at from session_expiries where id = $1', [id])).rows[0]
  await until(async () => (await row()).status === 'failed')
  expect(await row()).toMatchObject({ sent_at: null, error: { code: 'no_longer_wanted' } })
  expect(await ledger(account, `/v1/checkout/sessions/${session}/expire`)).toEqual([])
})
