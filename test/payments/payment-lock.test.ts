// Of a payment, every transaction locks the owner first, then the payment, then its form: no two of them deadlock.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type pg from 'pg'
import { type Orm, openOrm, unitOf } from '../../entities/kit/database/orm.ts'
import { newId } from '../../entities/kit/ids.ts'
import { PaymentSession } from '../../entities/payments/payment-session.ts'
import { recordRead } from '../../entities/payments/payment-sessions.ts'
import { resolveRequest } from '../../entities/payments/resolve-request.ts'
import { applyReadPage } from '../../entities/subscriptions/completed-pages.ts'
import { type Begun, beginRows, type Club, clubShop, sessionRow } from '../kit/audiences/subscribing.ts'
import { untilAwaited } from '../kit/database/locks.ts'
import { database } from '../kit/shop.ts'

let club: Club
let orm: Orm
beforeAll(async () => {
  club = await clubShop()
  orm = await openOrm({ url: process.env.DATABASE_URL as string, pool: 2 })
})
afterAll(() => Promise.all([orm.close(true), database().end()]))

const now = () => Math.floor(Date.now() / 1000)
const inTransaction: ReturnType<typeof unitOf>['transactional'] = (work) => unitOf(orm, null).transactional(work)

async function paying(once: boolean): Promise<Begun & { session: PaymentSession }> {
  const begun = await beginRows(club, { once })
  await sessionRow(begun, null, once)
  return { ...begun, session: await unitOf(orm, club.shop.store_id).findOneOrFail(PaymentSession, begun.session_id) }
}

/** Locks the rows one after the other; `work` has begun in between, and waits for the first. */
async function besideLocks(work: () => Promise<unknown>, ...rows: [table: string, id: string][]): Promise<void> {
  const client: pg.PoolClient = await database().connect()
  let working: Promise<unknown> | null = null
  try {
    await client.query('begin')
    for (const [table, id] of rows) {
      await client.query(`select 1 from ${table} where id = $1 for update`, [id])
      working ??= work()
      await untilAwaited(client)
    }
  } finally {
    await client.query('rollback')
    client.release()
    await working
  }
}

test('A read of a completed form waits for its payment before it locks the form', async () => {
  const { session, payment_id } = await paying(true)
  const read = { provider_session_id: `cs_${newId()}`, state: 'complete' as const }
  const recording = () => inTransaction((em) => recordRead(em, session, read, now()))
  await besideLocks(recording, ['payments', payment_id], ['payment_sessions', session.id])
  const { rows } = await database().query(
    'select s.state, p.error ->> $2 as code from payment_sessions s join payments p on p.id = s.payment_id where s.id = $1',
    [session.id, 'code'],
  )
  expect(rows).toEqual([{ state: 'complete', code: 'event_missing' }])
})

test('A read that links a subscription waits for its payment before it locks the form', async () => {
  const { id, session, payment_id } = await paying(false)
  const facts = { id: `cs_${newId()}`, subscription: `sub_${newId()}`, customer: null }
  const linking = () => inTransaction((em) => applyReadPage(em, session, facts, now()))
  await besideLocks(linking, ['payments', payment_id], ['payment_sessions', session.id])
  const { rows } = await database().query(
    'select provider_subscription_id as linked from subscriptions where id = $1',
    [id],
  )
  expect(rows).toEqual([{ linked: facts.subscription }])
})

test('A payment of another price is accepted after its subscription was locked', async () => {
  const { id, payment_id } = await paying(false)
  const invoice = `in_${newId()}`
  const error = { code: 'price_mismatch', message: 'Another price.' }
  await database().query(
    `update payments set status = 'paid', error = $2, provider_invoice_id = $3, captured_amount = amount where id = $1`,
    [payment_id, error, invoice],
  )
  await database().query('update subscriptions set error = $2 where id = $1', [id, { ...error, invoice }])
  const found = { outcome: 'accepted' as const, note: 'Kept.', account_id: newId(), force: false }
  const accepting = () =>
    inTransaction((em) =>
      resolveRequest(em, club.shop.store_id, payment_id, { ...found, provider_object_id: null }, now()),
    )
  await besideLocks(accepting, ['subscriptions', id], ['payments', payment_id])
  const { rows } = await database().query(
    `select s.error, p.error -> 'acknowledged' ->> 'note' as note
     from subscriptions s join payments p on p.subscription_id = s.id where s.id = $1`,
    [id],
  )
  expect(rows).toEqual([{ error: null, note: 'Kept.' }])
})
