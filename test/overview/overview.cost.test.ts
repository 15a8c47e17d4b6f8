// An overview of a store with 100,000 orders is answered in well under a second, from indexes, in few statements.
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals'
import { newId } from '../../entities/kit/ids.ts'
import { WAITING_MAX } from '../../rules/overview/overview.ts'
import { recordStatementsAlone, scannedBy } from '../kit/database/statements.ts'
import { database, newShop, type Shop } from '../kit/shop.ts'

jest.setTimeout(180_000)

const many = 100_000
let own: Awaited<ReturnType<typeof recordStatementsAlone>>
let shop: Shop

/** More than are counted. */
const waiting = WAITING_MAX + 2

/** `series`: of rows of a table that has others. */
const fill = (table: string, columns: Record<string, string>, count = many, tenant = shop.store_id, series = 0) =>
  database().query(
    `insert into ${table} (id, created_at, updated_at, tenant_id, ${Object.keys(columns).join(', ')})
     select ('019${9 - series}' || lpad(to_hex(n), 28, '0'))::uuid, at, at, $1::uuid, ${Object.values(columns).join(', ')}
     from (select n, $2::bigint - n::bigint * 7776000 / ${count} as at from generate_series(1, ${count}) as n) as rows`,
    [tenant, Math.floor(Date.now() / 1000)],
  )
const id = `('0199' || lpad(to_hex(n), 28, '0'))::uuid`

beforeAll(async () => {
  own = await recordStatementsAlone('overview')
  shop = await newShop()
  await fill('orders', {
    ...{ number: 'n', status: `case when n % 10 = 0 then 'cancelled' else 'confirmed' end`, market: `'us'` },
    ...{ fulfillment_status: `'none'`, contact_id: 'gen_random_uuid()', verified: 'false', forms: `'[]'` },
    ...{ source_cart_id: 'gen_random_uuid()', payment_id: id, money: `'{"total": 1000, "currency": "USD"}'` },
  })
  const money = { currency: `case when n % 3 = 0 then 'EUR' else 'USD' end`, amount: '1000', order_id: id }
  await fill('payments', {
    ...{ ...money, type: `'card'`, status: `'paid'`, captured_amount: '1000', refunded_amount: '1000', paid_at: 'at' },
  })
  await fill(
    'refunds',
    {
      ...{ ...money, payment_id: id, refund_id: 'gen_random_uuid()', origin: `'operator'`, attempt: '1' },
      ...{ status: `'succeeded'`, fingerprint: `''`, needs_attention: 'false', settled_at: 'to_timestamp(at)' },
    },
    10_000,
  )
  await fill('events', { type: `'order.created'`, data: `'{}'` }, 50_000)
  const webhook = newId()
  await database().query(
    `insert into webhooks (id, created_at, updated_at, tenant_id, key, url, headers, secret, events, enabled)
     values ($1, 1, 1, $2, 'hook', '', '', '', '[]', true)`,
    [webhook, shop.store_id],
  )
  await fill(
    'deliveries',
    {
      ...{
        webhook_id: `'${webhook}'::uuid`,
        event_id: id,
        type: `'order.created'`,
        status: `'succeeded'`,
        attempts: '1',
      },
    },
    50_000,
  )
  const second = newId()
  await database().query(
    `insert into webhooks (id, created_at, updated_at, tenant_id, key, url, headers, secret, events, enabled)
     values ($1, 1, 1, $2, 'second', '', '', '', '[]', true)`,
    [second, shop.store_id],
  )
  // More than are counted wait for the first webhook and of the first campaign; what waits longest comes last.
  const due = (n: string) => `case when ${n} then now() - interval '2 days' else now() - interval '1 hour' end`
  const isLast = `n = ${waiting}`
  await fill(
    'deliveries',
    {
      ...{ webhook_id: `case when ${isLast} then '${second}' else '${webhook}' end::uuid`, event_id: id },
      ...{ type: `'order.created'`, status: `'pending'`, attempts: '0', due_at: due(isLast) },
    },
    waiting,
    shop.store_id,
    1,
  )
  const campaign = newId()
  await database().query(
    `insert into campaigns (id, tenant_id, created_at, updated_at, name, status, mailbox_ids, steps, variables, launched_at, begun_at)
     values ($1, $2, 1, 1, 'News', 'running', $3, '[]', '{}', 1, 1)`,
    [campaign, shop.store_id, JSON.stringify([webhook, second])],
  )
  await fill(
    'enrollments',
    {
      ...{ campaign_id: `'${campaign}'::uuid`, contact_id: id, address: `n || '@example.com'`, variables: `'{}'` },
      ...{ status: `'active'`, shuffle: 'n', due_at: due(isLast) },
      mailbox_id: `case n % 3 when 0 then '${webhook}'::uuid when 1 then '${second}'::uuid end`,
    },
    waiting,
  )
  await fill(
    'order_bookings',
    {
      ...{ order_id: id, ordered_at: 'at', position: '0', service_id: 'gen_random_uuid()', provider_id: id },
      ...{ service_key: `'cut'`, provider_key: `'mia'`, slots: `'[]'`, starts_at: 'at', ends_at: 'at + 3600' },
      ...{ quantity: '1', unit_price: '1', subtotal: '1', discount: '0', tax: '0', total: '1', status: `'confirmed'` },
    },
    5_000,
  )
  await fill(
    'social_publications',
    {
      ...{ social_connection_id: 'gen_random_uuid()', type: `'network_d_account'`, content: `'{}'`, issues: `'[]'` },
      ...{ status: `'published'`, scheduled_at: 'at', published_at: 'at', created_by: 'gen_random_uuid()' },
    },
    20_000,
  )
  await fill('mails', { kind: `'sign_in'`, status: `'succeeded'`, fingerprint: `''`, attempt: '1' }, 20_000)
  await database().query('vacuum analyze')
})
afterAll(async () => {
  await database().end()
  await own.close()
})

test('What waits is counted up to a limit, and its oldest age is that of all of it', async () => {
  const { body } = await shop.asOperator('GET', '/overview?days=1')
  const twoDays = 2 * 86_400
  for (const kind of ['deliver', 'dispatch']) {
    const found = body.backlog.find((one: { kind: string; stage: string }) => one.kind === kind && one.stage === 'due')
    expect([kind, found?.count]).toEqual([kind, WAITING_MAX])
    expect([kind, found?.oldest_age_s >= twoDays]).toEqual([kind, true])
  }
})

test('An overview of 100,000 orders takes few statements and well under a second', async () => {
  // Of a week: where most rows of a table are counted, as they are of this store alone, reading all of it costs least.
  const statements = [...(await own.statementsOf(shop, 'GET', '/overview?days=7'))]
  // The caller, the zone, the figures, what waits, what is next.
  expect(statements.length).toBeLessThanOrEqual(5)
  const large = [
    'orders',
    'payments',
    'refunds',
    'deliveries',
    'mails',
    'events',
    'order_bookings',
    'social_publications',
  ]
  for (const statement of statements) {
    const plan = await own.planOf(statement)
    expect(scannedBy(plan).filter((table) => large.includes(table))).toEqual([])
  }
  const took: number[] = []
  for (let n = 0; n < 5; n++) {
    const began = performance.now()
    const { status, body } = await shop.asOperator('GET', '/overview?days=92')
    took.push(performance.now() - began)
    expect(status).toBe(200)
    const { orders, sales, deliveries, mails } = body.totals
    expect([orders.confirmed + orders.cancelled, sales.length, deliveries.succeeded, mails.succeeded]).toEqual([
      ...[many, 2, 50_000, 20_000],
    ])
  }
  console.log(`overview of ${many} orders: ${took.map((ms) => Math.round(ms)).join(', ')} ms`)
  expect(Math.min(...took)).toBeLessThan(1_000)
})
