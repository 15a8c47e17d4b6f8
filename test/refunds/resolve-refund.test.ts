// What a person records about a refund never contradicts signed evidence silently, can be corrected with its history,
// and by itself never pays twice.
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { declared } from '../../api/routes.ts'
import { type Orm, openOrm, unitOf } from '../../entities/kit/database/orm.ts'
import { claim, giveBack, giveUp, stamp } from '../../entities/kit/effects.ts'
import { newId } from '../../entities/kit/ids.ts'
import { refundEffect } from '../../entities/refunds/refund-effect.ts'
import { ledgerOf } from '../kit/effects/provider.ts'
import { cardShop, eventsOf, fault, paidOrder, paymentOf, type Sold, sim, until } from '../kit/orders/buying.ts'
import { type Answer, database, eitherApi, type Shop } from '../kit/shop.ts'

let shop: Shop
let account: string
let tea: Sold
let orm: Orm
beforeAll(async () => {
  ;({ shop, account, tea } = await cardShop())
  orm = await openOrm({ url: process.env.DATABASE_URL as string, pool: 2 })
})
afterEach(async () => sim('POST', '/events', { hold: false, account }))
afterAll(async () => {
  await orm.close()
  await database().end()
})

type Open = { order_id: string; refund_id: string; id: string; at: string }

/** A refund of 200 of 1000 whose outcome is unknown. `carried`: the provider carried it out; its event is held back. */
async function unknown(carried: boolean): Promise<Open> {
  await sim('POST', '/events', { hold: false, account })
  const { order_id } = await paidOrder(shop, [tea.item()])
  await sim('POST', '/events', { hold: true, account })
  const refund_id = newId()
  await fault({ path: '/v1/refunds', body_match: refund_id, fault: 'status', status: 500, after_effect: carried })
  const { body } = await shop.asOperator('POST', `/orders/${order_id}/refunds`, { refund_id, amount: 200 })
  expect(body.status).toBe('unknown')
  return { order_id, refund_id, id: body.id, at: `/orders/${order_id}/refunds/${refund_id}` }
}
const read = async ({ at }: Open) => (await shop.asOperator('GET', at)).body
const resolve = ({ at }: Open, outcome: string, more: object = {}): Promise<Answer> =>
  shop.asOperator('POST', `${at}/resolve`, { outcome, note: 'Looked it up.', ...more }, eitherApi())
const reported = async (of: Open) => {
  await sim('POST', '/events', { hold: false, account })
  await until(async () => (await eventsOf(account)).every(({ state }) => state === 'delivered'))
  return read(of)
}
const listed = async ({ refund_id }: Open) =>
  (await shop.asOperator('GET', '/refunds?needs_attention=true&limit=100')).body.items.some(
    (one: Open) => one.refund_id === refund_id,
  )

test('A resolution against a signed event is 409 with the evidence, and changes nothing', async () => {
  const of = await unknown(true)
  expect(await reported(of)).toMatchObject({ status: 'unknown', late_evidence: { status: 'succeeded' } })
  // By its own id, too, which lists and attention answer with.
  const at = `/orders/${of.order_id}/refunds/${of.id}`
  expect((await shop.asOperator('GET', at)).body.refund_id).toBe(of.refund_id)
  const refused = await resolve({ ...of, at }, 'rejected')
  expect([refused.status, refused.body]).toMatchObject([
    409,
    { code: 'contradicts_evidence', evidence: { status: 'succeeded', event: expect.stringMatching(/^evt_/) } },
  ])
  expect(await paymentOf(shop, of.order_id)).toMatchObject({ refund_unknown_amount: 200, refunded_amount: 0 })
  expect(await listed(of)).toBe(true)
  expect((await resolve(of, 'succeeded')).body).toMatchObject({ status: 'succeeded', needs_attention: false })
  expect([await listed(of), await paymentOf(shop, of.order_id)]).toMatchObject([
    false,
    { refunded_amount: 200, error: null },
  ])
})

test('A forced resolution keeps the evidence that it overrides, and can be taken back', async () => {
  const of = await unknown(true)
  await reported(of)
  const forced = await resolve(of, 'rejected', { force: true })
  expect(forced.body).toMatchObject({
    status: 'rejected',
    needs_attention: false,
    resolution: { outcome: 'rejected', against: { status: 'succeeded' } },
  })
  const corrected = await resolve(of, 'succeeded', { note: 'It is there after all.', replaces: 'rejected' })
  expect(corrected.body).toMatchObject({
    status: 'succeeded',
    resolution: {
      note: 'It is there after all.',
      account_id: shop.op.account_id,
      before: { outcome: 'rejected', against: { status: 'succeeded' } },
    },
  })
  expect(corrected.body.resolution.before.before).toBeUndefined()
  // The same once more changes nothing.
  expect((await resolve(of, 'succeeded')).body).toEqual(corrected.body)
})

test('Evidence that contradicts a resolution brings the refund back to the list', async () => {
  const of = await unknown(true)
  expect((await resolve(of, 'rejected')).body).toMatchObject({ status: 'rejected', needs_attention: false })
  expect(await listed(of)).toBe(false)
  // The provider's word counts, and the operator is shown that it differs from theirs.
  expect(await reported(of)).toMatchObject({
    status: 'succeeded',
    needs_attention: true,
    resolution: { outcome: 'rejected' },
  })
  expect([await listed(of), await paymentOf(shop, of.order_id)]).toMatchObject([true, { refunded_amount: 200 }])
  expect((await resolve(of, 'succeeded', { replaces: 'rejected' })).body).toMatchObject({
    needs_attention: false,
    resolution: { before: { outcome: 'rejected' } },
  })
  expect(await listed(of)).toBe(false)
})

test('A correction beside a new refund is a conflict that is listed, and nothing more is sent', async () => {
  const of = await unknown(false)
  await resolve(of, 'rejected')
  const second = newId()
  const rest = await shop.asOperator('POST', `/orders/${of.order_id}/refunds`, { refund_id: second, amount: 1_000 })
  expect(rest.body.status).toBe('succeeded')
  const corrected = await resolve(of, 'succeeded', { replaces: 'rejected' })
  expect(corrected.body).toMatchObject({ status: 'succeeded', needs_attention: true })
  const payment = await paymentOf(shop, of.order_id)
  expect(payment).toMatchObject({
    captured_amount: 1_000,
    refunded_amount: 1_000,
    refund_pending_amount: 0,
    error: { code: 'refund_conflict' },
  })
  const more = await shop.asOperator('POST', `/orders/${of.order_id}/refunds`, { refund_id: newId(), amount: 1 })
  expect(more.body.code).toBe('amount_exceeds_refundable')
  // The mistake is corrected once more.
  expect((await resolve(of, 'rejected', { replaces: 'succeeded' })).body.needs_attention).toBe(false)
  expect(await paymentOf(shop, of.order_id)).toMatchObject({ refunded_amount: 1_000, error: null })
})

test('A refund that waits to be sent is not sent once a correction leaves nothing for it', async () => {
  const of = await unknown(false)
  await resolve(of, 'rejected')
  const refund_id = newId()
  await database().query(
    `insert into refunds (id, tenant_id, created_at, updated_at, refund_id, order_id, payment_id, amount, currency, origin, provider_account_id, fingerprint, status, attempt)
     select $1, tenant_id, extract(epoch from now())::bigint, 1, $1, order_id, id, 1000, currency, 'operator', provider_account_id, '', 'requested', 0 from payments where order_id = $2`,
    [refund_id, of.order_id],
  )
  await resolve(of, 'succeeded', { replaces: 'rejected' })
  const em = unitOf(orm, null)
  expect((await claim(em, refundEffect, refund_id, 'a test')).claimed?.attempt).toBe(1)
  expect(await stamp(em, refundEffect, refund_id, 'a test', 1_000)).toBe('gone')
  expect(await giveBack(em, refundEffect, refund_id, 'a test', { code: 'no_longer_wanted', message: '' })).toBe(true)
  expect(await unitOf(orm, null).transactional((at) => giveUp(at, refundEffect, refund_id, true))).toBe('failed')
  expect(await ledgerOf(refund_id)).toEqual([])
  expect(await paymentOf(shop, of.order_id)).toMatchObject({
    refunded_amount: 200,
    refund_pending_amount: 0,
    error: null,
  })
})

test('Corrections and refunds at once never record more than was captured', async () => {
  const of = await unknown(false)
  await resolve(of, 'rejected')
  const refunds = Array.from({ length: 6 }, () =>
    shop.asOperator('POST', `/orders/${of.order_id}/refunds`, { refund_id: newId(), amount: 200 }, eitherApi()),
  )
  const corrections = Array.from({ length: 6 }, (_, n) =>
    n % 2 ? resolve(of, 'rejected', { replaces: 'succeeded' }) : resolve(of, 'succeeded', { replaces: 'rejected' }),
  )
  for (const answer of await Promise.all([...refunds, ...corrections])) expect(answer.status).toBeLessThan(500)
  const { refunded_amount, refund_pending_amount, refund_unknown_amount } = await paymentOf(shop, of.order_id)
  expect(refunded_amount + refund_pending_amount + refund_unknown_amount).toBeLessThanOrEqual(1_000)
  const { resolution } = await read(of)
  let depth = 0
  for (let one = resolution; one; one = one.before) depth++
  expect(depth).toBeGreaterThan(1)
})

test('Of two operators the second does not overwrite the first without naming what was recorded', async () => {
  const of = await unknown(false)
  expect((await resolve(of, 'rejected', { replaces: 'succeeded' })).body.code).toBe('resolved_otherwise')
  const answers = await Promise.all([resolve(of, 'succeeded'), resolve(of, 'rejected')])
  expect(answers.map(({ status, body }) => [status, body.code ?? null]).sort()).toEqual([
    [200, null],
    [409, 'resolved_otherwise'],
  ])
  const { status, resolution } = await read(of)
  expect([resolution.outcome, resolution.before]).toEqual([status, undefined])
  expect((await resolve(of, status)).body.resolution).toEqual(resolution)
  const other = status === 'succeeded' ? 'rejected' : 'succeeded'
  expect((await resolve(of, other, { replaces: other })).body.code).toBe('resolved_otherwise')
  expect((await resolve(of, other, { replaces: status })).body.resolution.before).toMatchObject({ outcome: status })
})

test('Every route that resolves a record refuses to contradict evidence unless it is forced', () => {
  const resolving = declared.filter(({ path, method }) => method === 'POST' && path.endsWith('/resolve'))
  expect(resolving.length).toBeGreaterThanOrEqual(8)
  for (const { spec, refuses, body, description } of resolving) {
    const codes = ['contradicts_evidence', 'resolved_otherwise', 'resolved_too_often']
    expect([spec, refuses]).toEqual([spec, expect.arrayContaining(codes)])
    const members = ['outcome', 'note', 'force', 'replaces']
    expect([spec, Object.keys(body?.shape ?? {})]).toEqual([spec, expect.arrayContaining(members)])
    expect([spec, description]).toEqual([spec, expect.stringContaining('`before`')])
  }
})
