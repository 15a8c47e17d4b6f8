// The lists of what a person has to do cost no more where a tenant has resolved many requests: its own list of what is
// open, and the platform's list of what was resolved about plans.
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals'
import { attentionItems } from '../../entities/attention.ts'
import { uuids } from '../../entities/kit/ids.ts'
import { readsOf, recordStatementsAlone, rowsOf, type Statement } from '../kit/database/statements.ts'
import { database, newShop } from '../kit/shop.ts'

jest.setTimeout(120_000)

const many = 3_000
const tables = ['refunds', 'payment_sessions', 'session_expiries', 'subscription_changes', 'payments']
let own: Awaited<ReturnType<typeof recordStatementsAlone>>
let store: string

/** Payments of the store that were accepted, and requests of each kind that were resolved, long ago. */
beforeAll(async () => {
  own = await recordStatementsAlone('attention')
  store = (await newShop()).store_id
  const resolved = `'succeeded', '', 1, '{"outcome":"succeeded","note":"","at":1700000000}'`
  const effect = 'status, fingerprint, attempt, resolution'
  const common = 'id, created_at, updated_at, tenant_id'
  const row = 'gen_random_uuid(), 1, 1, $1'
  for (const statement of [
    `insert into orders (${common}, number, status, fulfillment_status, contact_id, verified, source_cart_id, payment_id,
       market, money, forms)
     select ${row}, n, 'confirmed', 'none', gen_random_uuid(), false, gen_random_uuid(), gen_random_uuid(), 'us', '{}',
       '[]'
     from generate_series(1, ${many}) n`,
    `insert into payments (${common}, order_id, type, status, currency, amount, captured_amount, error)
     select ${row}, id, 'card', 'paid', 'USD', 500, 400,
       '{"code":"amount_mismatch","acknowledged":{"at":1700000000}}'
     from orders where tenant_id = $1`,
    `insert into refunds (${common}, refund_id, order_id, payment_id, amount, currency, origin, ${effect})
     select ${row}, gen_random_uuid(), order_id, id, 1, 'USD', 'operator', ${resolved}
     from payments where tenant_id = $1`,
    `insert into payment_sessions (${common}, order_id, payment_id, return_url, amount, currency,
       provider_session_id, ${effect})
     select ${row}, order_id, id, '', 500, 'USD', id, ${resolved}
     from payments where tenant_id = $1`,
    `insert into session_expiries (${common}, payment_session_id, ${effect})
     select ${row}, id, ${resolved}
     from payment_sessions where tenant_id = $1`,
    `insert into subscriptions (${common}, plan_id, kind, status, ended_at, amount, currency, interval)
     select ${row}, 'pro', 'recurring', 'ended', 1, 500, 'USD', '{"period":"month","count":1}'
     from generate_series(1, ${many})`,
    `insert into subscription_changes (${common}, subscription_id, kind, requested_by, ${effect})
     select ${row}, id, 'cancel', 'operator', ${resolved}
     from subscriptions where tenant_id = $1`,
    `insert into mails (${common}, kind, ${effect})
     select ${row}, 'chat_handover', ${resolved}
     from generate_series(1, ${many})`,
  ])
    await database().query(statement, [store])
  // Statistics of every table: those of another one, as a run of autovacuum leaves them, are no part of the guarantee.
  await database().query('vacuum analyze')
})
afterAll(async () => {
  await database().end()
  await own.close()
})

test('The platform reads none of the requests that tenants resolved more than 30 days ago', async () => {
  const which = { limit: 20, resolvedUntil: 1_800_000_000 }
  const [first] = await own.statementsIn((em) => attentionItems(em, 'platform', which))
  const plan = await own.planOf(first as Statement)
  const rows = tables.map((table) => [table, readsOf(plan, table).reduce((sum, read) => sum + rowsOf(read), 0)])
  expect(rows).toEqual(tables.map((table) => [table, 0]))
})

test('The open list of a tenant reads none of the requests that a person resolved', async () => {
  const of = uuids([store])
  const scope = { tenants: { admin: of, owner: of }, account_id: null }
  const [first] = await own.statementsIn(async (em) => {
    expect((await attentionItems(em, scope, { limit: 20 })).items).toEqual([])
  })
  const plan = await own.planOf(first as Statement)
  const rows = [...tables, 'mails'].map((table) => [
    table,
    readsOf(plan, table).reduce((sum, one) => sum + rowsOf(one), 0),
  ])
  expect(rows.filter(([, read]) => read !== 0)).toEqual([])
})
