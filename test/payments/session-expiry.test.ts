// A payment page that is completed needs no closing: a requested closing ends without a call and is not retried
// forever.
import { afterAll, expect, test } from '@jest/globals'
import { Client, Connection } from '@temporalio/client'
import { newId } from '../../entities/kit/ids.ts'
import { card, cardShop, connected, hasStatus, ledger, order, paidOrder, product, until } from '../kit/orders/buying.ts'
import { database, newShop } from '../kit/shop.ts'

afterAll(() => database().end())

const wake = (tenantId: string, orderId: string) =>
  database().query(
    `insert into outbox (id, tenant_id, kind, row_id, not_before, tries, parked, again) values ($1, $2, 'checkout', $3, clock_timestamp(), 0, false, true)`,
    [newId(), tenantId, orderId],
  )

test('A page that the provider does not find any more ends as unknown until it can be read', async () => {
  const connection = await Connection.connect({ address: process.env.TEMPORAL_ADDRESS as string })
  try {
    const { shop, tea } = await cardShop({ stock: 5 })
    const { order_id, session } = await order(shop, [tea.item(1)], card)
    const known = (id: string) =>
      database().query('update payment_sessions set provider_session_id = $2 where order_id = $1', [order_id, id])
    await known('cs_test_elsewhere')
    await database().query(`update orders set hold_until = clock_timestamp() - interval '1 s' where id = $1`, [
      order_id,
    ])
    await wake(shop.store_id, order_id)
    const handle = new Client({ connection }).workflow.getHandle(`checkout/${order_id}`)
    await until(async () => (await handle.describe()).status.name === 'FAILED', 20_000)
    await expect(handle.result()).rejects.toMatchObject({ cause: { type: 'OutcomeUnknown' } })
    expect(await tea.available()).toBe(4)
    await known(session)
    await database().query(
      'delete from session_expiries where payment_session_id = (select id from payment_sessions where order_id = $1)',
      [order_id],
    )
    await wake(shop.store_id, order_id)
    await hasStatus(shop, order_id, 'cancelled')
    expect(await tea.available()).toBe(5)
  } finally {
    await connection.close()
  }
})

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
  const row = async () =>
    (await database().query('select status, error, sent_at from session_expiries where id = $1', [id])).rows[0]
  await until(async () => (await row()).status === 'failed')
  expect(await row()).toMatchObject({ sent_at: null, error: { code: 'no_longer_wanted' } })
  expect(await ledger(account, `/v1/checkout/sessions/${session}/expire`)).toEqual([])
})
