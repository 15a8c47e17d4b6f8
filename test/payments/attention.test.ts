// What a person has to do about money is in one list, and each request whose outcome is unknown can be resolved: it
// leaves the list, and what follows from it is done.
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { declared } from '../../api/routes.ts'
import { newId } from '../../entities/kit/ids.ts'
import { type Club, insertRow, joined, newClub, payPage } from '../kit/audiences/subscribing.ts'
import { type Approvals, approvals } from '../kit/bookings/approving.ts'
import { untilAwaited } from '../kit/database/locks.ts'
import { stripeApi } from '../kit/effects/provider.ts'
import {
  card,
  cardShop,
  fault,
  order,
  pay,
  paymentOf,
  read,
  type Sold,
  sendEvent,
  sim,
  stripe,
  until,
} from '../kit/orders/buying.ts'
import { type Answer, database, http, newShop, operator, type Shop } from '../kit/shop.ts'

/** Of this file alone: others use the same simulator. */
const label = 'attention'
const strike = (what: Record<string, unknown>) => fault({ label, ...what })
const heal = () => sim('DELETE', `/faults?label=${label}`)

let desk: Approvals
let shop: Shop
let account: string
let tea: Sold
let club: Club
beforeAll(async () => {
  desk = await approvals()
  ;({ shop, account, tea } = await cardShop())
  club = await newClub(shop, account)
}, 60_000)
afterEach(async () => {
  await heal()
  for (const one of [account, desk.account]) await sim('POST', '/events', { hold: false, account: one })
})
afterAll(async () => database().end())

type Item = { id: string; kind: string; status: string; choices: string[]; [more: string]: unknown }
// biome-ignore lint/suspicious/noExplicitAny: answers of both surfaces
const flat = ({ evidence: { ids, ...known }, resolve: how, ...item }: any): Item => ({
  ...{ ...item, ...known, ...ids },
  choices: how?.choices ?? [],
})
const listOf = async (of: Shop): Promise<Item[]> =>
  (await of.asOperator('GET', '/attention?limit=100')).body.items.map(flat)
const itemFor = async (of: Shop, id: string): Promise<Item | undefined> =>
  (await listOf(of)).find((item) => item.id === id)
const resolve = (of: Shop, id: string, outcome: string, more: object = {}): Promise<Answer> =>
  of.asOperator('POST', `/attention/${id}/resolve`, { outcome, note: 'Looked it up.', ...more })
/** On the business surface: the fields are those of it. */
const deskItem = async (id: string): Promise<Item | undefined> =>
  (await desk.op('GET', '/attention?limit=100')).body.items.map(flat).find((item: Item) => item.id === id)
const deskResolve = (id: string, outcome: string, more: object = {}) =>
  desk.op('POST', `/attention/${id}/resolve`, { outcome, note: 'Looked it up.', ...more })

/** The workflow of a checkout reads its rows again. */
const wake = (orderId: string) =>
  database().query("insert into outbox (id, tenant_id, kind, row_id, again) values ($1, $2, 'checkout', $3, true)", [
    newId(),
    shop.store_id,
    orderId,
  ])

const rowOf = async (table: string, where: string, value: string) =>
  (await database().query(`select * from ${table} where ${where} = $1 order by id desc`, [value])).rows[0]

describe('A capture whose outcome is unknown', () => {
  async function lost(carried: boolean): Promise<{ id: string; intent: string; end: string }> {
    const { id, intent } = await desk.authorized()
    await sim('POST', '/events', { hold: true, account: desk.account })
    await strike({ path: `/v1/payment_intents/${intent}/capture`, fault: 'reset_after_read', after_effect: carried })
    expect((await desk.put(id, { status: 'CONFIRMED' })).body.code).toBe('capture_unknown')
    const { id: end } = await rowOf('authorization_ends', 'order_id', id)
    return { id, intent, end }
  }

  test('Resolved as succeeded, its booking is confirmed, and its event changes nothing', async () => {
    const { id, intent, end } = await lost(true)
    expect(await deskItem(end)).toMatchObject({
      kind: 'authorization_end',
      status: 'unknown',
      amount: 3_000,
      orderId: id,
      providerPaymentId: intent,
      choices: ['succeeded', 'rejected'],
    })
    expect((await deskResolve(end, 'succeeded')).body).toEqual({ item: null })
    expect(await desk.read(id)).toMatchObject({
      status: 'CONFIRMED',
      payment: { status: 'paid', capturedAmount: 3_000 },
    })
    await sim('POST', '/events', { hold: false, account: desk.account })
    expect(await deskItem(end)).toBeUndefined()
    expect((await desk.read(id)).payment).toMatchObject({ capturedAmount: 3_000, refundedAmount: 0 })
  })

  test('Resolved as rejected, its booking fails and the hold ends; that it was captured comes back', async () => {
    const { id, intent, end } = await lost(true)
    expect((await deskResolve(end, 'rejected')).status).toBe(200)
    expect(await desk.read(id)).toMatchObject({ status: 'FAILED', payment: { status: 'failed' } })
    // The cancellation finds it captured, and the money goes back.
    await until(async () => (await desk.read(id)).payment.refundedAmount === 3_000)
    await sim('POST', '/events', { hold: false, account: desk.account })
    await until(async () => (await stripe(desk.account, `/refunds?payment_intent=${intent}`)).data.length === 1)
    expect((await desk.read(id)).payment).toMatchObject({
      status: 'paid',
      capturedAmount: 3_000,
      refundedAmount: 3_000,
    })
  })

  test('Resolved as rejected, it is listed again when a signed event says otherwise', async () => {
    const { id, end, intent } = await lost(true)
    await strike({ path: `/v1/payment_intents/${intent}/cancel`, fault: 'status', status: 503, times: 50 })
    expect((await deskResolve(end, 'rejected')).status).toBe(200)
    await sim('POST', '/events', { hold: false, account: desk.account })
    await until(async () => (await deskItem(end)) !== undefined)
    expect(await deskItem(end)).toMatchObject({
      kind: 'authorization_end',
      lateEvidence: { status: 'succeeded' },
      resolution: { outcome: 'rejected' },
    })
    await until(async () => (await desk.read(id)).payment.refundedAmount === 3_000)
    expect((await deskResolve(end, 'rejected')).body.code).toBe('contradicts_evidence')
    expect((await deskResolve(end, 'rejected', { force: true })).body.item).toBeNull()
  })

  test('Called succeeded and corrected, nothing was taken, and the hold on the card ends', async () => {
    const { id, intent, end } = await lost(false)
    await deskResolve(end, 'succeeded')
    expect((await desk.read(id)).payment.capturedAmount).toBe(3_000)
    const { body } = await desk.op('POST', '/refund', { entity: id, amount: 100 })
    expect(body.status).toBe('rejected')
    expect((await deskResolve(end, 'rejected', { replaces: 'succeeded' })).status).toBe(200)
    expect(await desk.read(id)).toMatchObject({
      status: 'FAILED',
      cancelReason: 'capture_rejected',
      payment: { status: 'failed', capturedAmount: 0 },
    })
    await until(async () => (await stripe(desk.account, `/payment_intents/${intent}`)).status === 'canceled')
  })
})

test('An outcome recorded before another decision about its payment is not corrected, only kept', async () => {
  const { id, intent } = await desk.authorized()
  await strike({ path: `/v1/payment_intents/${intent}/capture`, fault: 'reset_after_read', after_effect: false })
  expect((await desk.put(id, { status: 'CONFIRMED' })).body.code).toBe('capture_unknown')
  const { id: end } = await rowOf('authorization_ends', 'order_id', id)
  expect((await deskResolve(end, 'rejected')).status).toBe(200)
  const cancel = () => rowOf('authorization_ends', 'order_id', id)
  await until(async () => (await cancel()).status === 'succeeded')
  const correction = await deskResolve(end, 'succeeded', { replaces: 'rejected', force: true })
  expect([correction.status, correction.body.code]).toEqual([409, 'decision_made'])
  const recorded = await desk.op('GET', '/attention?status=resolved&limit=100')
  expect(recorded.body.items.map(flat).find((item: Item) => item.id === end)).toMatchObject({ choices: [] })
  // What became known since contradicts it.
  await database().query('update authorization_ends set late_evidence = $2, late_at = now() where id = $1', [
    end,
    { event: 'evt_1', status: 'succeeded' },
  ])
  expect(await deskItem(end)).toMatchObject({ choices: ['rejected'] })
  expect((await deskResolve(end, 'rejected')).body.code).toBe('contradicts_evidence')
  expect((await deskResolve(end, 'rejected', { force: true })).body.item).toBeNull()
  expect([(await cancel()).status, (await desk.read(id)).payment.status]).toEqual(['succeeded', 'failed'])
})

test('A capture that a signed event proves stays recorded, also against a forced resolution', async () => {
  const { id, intent } = await desk.authorized()
  await sim('POST', '/events', { hold: true, account: desk.account })
  await strike({ path: `/v1/payment_intents/${intent}/capture`, fault: 'reset_after_read', after_effect: true })
  expect((await desk.put(id, { status: 'CONFIRMED' })).body.code).toBe('capture_unknown')
  const { id: end } = await rowOf('authorization_ends', 'order_id', id)
  await deskResolve(end, 'succeeded')
  await sim('POST', '/events', { hold: false, account: desk.account })
  await until(async () => (await rowOf('authorization_ends', 'id', end)).late_evidence?.event)
  const correction = { replaces: 'succeeded' }
  expect((await deskResolve(end, 'rejected', correction)).body.code).toBe('contradicts_evidence')
  expect((await deskResolve(end, 'rejected', { ...correction, force: true })).status).toBe(200)
  expect(await desk.read(id)).toMatchObject({ status: 'CONFIRMED', payment: { status: 'paid', capturedAmount: 3_000 } })
  expect((await desk.op('POST', '/refund', { entity: id, amount: 3_000 })).body.status).not.toBe('failed')
  await until(async () => (await desk.read(id)).payment.refundedAmount === 3_000)
})

test('A resolution waits for the owner of its request first, then sees what an event recorded', async () => {
  const made = await order(shop, [tea.item()], card)
  const { rows } = await database().query('select id from payment_sessions where order_id = $1', [made.order_id])
  const unknown = {
    tenant_id: shop.store_id,
    status: 'unknown',
    fingerprint: '',
    attempt: 1,
    sent_at: new Date(),
    settled_at: new Date(Date.now() - 400_000),
  }
  const closing = await insertRow('session_expiries', { ...unknown, payment_session_id: rows[0].id })
  const paid = await joined(club)
  const change = await insertRow('subscription_changes', {
    ...unknown,
    subscription_id: paid.id,
    kind: 'cancel',
    requested_by: 'operator',
  })
  // Each event locks the owner, the payment and the form, and writes the request last.
  const events = [
    [
      closing,
      [
        ['select id from orders where id = $1 for update', made.order_id],
        ['select id from payments where order_id = $1 for update', made.order_id],
        [`update payment_sessions set state = 'complete' where id = $1`, rows[0].id],
        [`update session_expiries set late_evidence = '{"status":"failed","event":"evt_1"}' where id = $1`, closing],
      ],
    ],
    [
      change,
      [
        ['select id from subscriptions where id = $1 for update', paid.id],
        [
          `update subscription_changes set late_evidence = '{"status":"rejected","event":"evt_1"}' where id = $1`,
          change,
        ],
      ],
    ],
  ] as const
  for (const [id, statements] of events) {
    const event = await database().connect()
    try {
      await event.query('begin')
      const [first, ...others] = statements
      await event.query(first[0], [first[1]])
      const resolution = resolve(shop, id, 'succeeded')
      await untilAwaited(event)
      for (const [statement, value] of others) await event.query(statement, [value])
      await event.query('commit')
      expect((await resolution).body.code).toBe('contradicts_evidence')
    } finally {
      event.release()
    }
  }
})

/** Asks about the row in each status whose outcome is known, and leaves it `unknown`. */
async function refusesKnown(table: string, id: string, ask: () => Promise<Answer>[]): Promise<void> {
  for (const status of ['requested', 'processing', 'succeeded', 'failed', 'rejected']) {
    await database().query(`update ${table} set status = $2 where id = $1`, [id, status])
    const answers = (await Promise.all(ask())).map((answer) => [table, status, answer.status, answer.body.code])
    expect(answers).toEqual(answers.map(() => [table, status, 409, 'request_not_unknown']))
  }
  await database().query(`update ${table} set status = 'unknown' where id = $1`, [id])
}

test('A request whose outcome is known is refused alike, of each effect', async () => {
  const tenant_id = shop.store_id
  const { order_id } = await order(shop, [tea.item()], card)
  const payment_id = (await paymentOf(shop, order_id)).id
  const known = { tenant_id, fingerprint: '', attempt: 1, status: 'failed' }
  const money = { order_id, payment_id, amount: 100, currency: 'USD' }
  const rows = {
    refunds: await insertRow('refunds', { ...known, ...money, refund_id: newId(), origin: 'operator' }),
    authorization_ends: await insertRow('authorization_ends', {
      ...known,
      ...money,
      kind: 'capture',
      provider_payment_id: 'pi_1',
      provider_account_id: account,
    }),
    payment_sessions: (await rowOf('payment_sessions', 'order_id', order_id)).id,
  }
  for (const [table, id] of Object.entries(rows)) await refusesKnown(table, id, () => [resolve(shop, id, 'rejected')])
  await database().query('delete from refunds where id = $1', [rows.refunds])
  await database().query('delete from authorization_ends where id = $1', [rows.authorization_ends])
  await database().query("update payment_sessions set status = 'succeeded' where id = $1", [rows.payment_sessions])
})

test('A cancellation that never reaches the provider is listed, and has no outcome to choose', async () => {
  const { id, intent } = await desk.authorized()
  await strike({ path: `/v1/payment_intents/${intent}/cancel`, fault: 'status', status: 503, times: 50 })
  await desk.put(id, { status: 'CANCELLED' })
  const { id: end } = await rowOf('authorization_ends', 'order_id', id)
  await database().query('update authorization_ends set attempt = 6 where id = $1', [end])
  expect(await deskItem(end)).toMatchObject({
    kind: 'authorization_end',
    status: expect.stringMatching(/requested|processing/),
    choices: [],
  })
  expect((await deskResolve(end, 'succeeded')).body.code).toBe('request_not_unknown')
})

test('An authorisation that was not cancelled after all is listed again, and stays reserved', async () => {
  const { id, intent } = await desk.authorized()
  await sim('POST', '/events', { hold: true, account: desk.account })
  await strike({ path: `/v1/payment_intents/${intent}/cancel`, fault: 'reset_after_read', after_effect: false })
  await strike({ path: `/v1/payment_intents/${intent}`, method: 'GET', fault: 'status', status: 503, times: 200 })
  await desk.put(id, { status: 'CANCELLED' })
  await until(async () => (await rowOf('authorization_ends', 'order_id', id))?.status === 'unknown', 30_000)
  const { id: end } = await rowOf('authorization_ends', 'order_id', id)
  expect((await deskResolve(end, 'succeeded')).body.item).toBeNull()
  expect((await desk.read(id)).payment.status).toBe('cancelled')
  expect((await deskResolve(end, 'rejected', { replaces: 'succeeded' })).body.item).toMatchObject({
    kind: 'authorization_end',
    evidence: { status: 'rejected' },
  })
  await heal()
  expect([
    (await desk.read(id)).payment.status,
    (await stripe(desk.account, `/payment_intents/${intent}`)).status,
  ]).toEqual(['authorized', 'requires_capture'])
})

test('A payment form that may be open is closed once it was found, or given up for good', async () => {
  const other = await order(shop, [tea.item()], card)
  // What a person types may be no form, or the form of another order: the form of this request is searched for.
  for (const outcome of ['succeeded', 'mistyped', 'of another order', 'rejected']) {
    await strike({
      path: '/v1/checkout/sessions',
      method: 'POST',
      fault: 'reset_after_read',
      after_effect: true,
      account,
    })
    await strike({ path: '/v1/checkout/sessions', method: 'GET', fault: 'status', status: 503, times: 100, account })
    const made = await order(shop, [tea.item()], card).catch((error: Error) => error)
    expect(String(made)).toContain('provider_unavailable')
    const { rows } = await database().query(
      'select id, order_id from payment_sessions where tenant_id = $1 order by id desc limit 1',
      [shop.store_id],
    )
    const [{ id, order_id }] = rows
    expect(await itemFor(shop, id)).toMatchObject({
      kind: 'payment_session',
      order_id,
      status: 'unknown',
      choices: ['succeeded', 'rejected'],
    })
    expect((await resolve(shop, id, 'succeeded')).body.code).toBe('required')
    await heal()
    const page = (await stripe(account, '/checkout/sessions?limit=100')).data.find(
      (one: { metadata: { payment_session: string } }) => one.metadata.payment_session === id,
    )
    const named = { succeeded: page.id, mistyped: 'cs_test_mistyped', 'of another order': other.session }[outcome]
    const { body } = await resolve(
      shop,
      id,
      named ? 'succeeded' : 'rejected',
      named ? { provider_object_id: named } : {},
    )
    // Until it is found, nothing proves what was typed.
    if (named)
      expect(flat(body.item)).toMatchObject({
        id,
        status: 'succeeded',
        error: { code: 'form_not_found_yet' },
        choices: ['succeeded', 'rejected'],
      })
    else expect(body.item).toBeNull()
    if (named) await until(async () => (await stripe(account, `/checkout/sessions/${page.id}`)).status === 'expired')
    // The provider closes the page before its answer is recorded.
    await until(async () => (await read(shop, order_id)).status === 'cancelled')
    expect(await itemFor(shop, id)).toBeUndefined()
  }
  expect([
    (await read(shop, other.order_id)).status,
    (await stripe(account, `/checkout/sessions/${other.session}`)).status,
  ]).toEqual(['pending', 'open'])
})

test('A form whose closing is unknown is closed by what a person found, unless it was paid', async () => {
  const { order_id, session } = await order(shop, [tea.item()], card)
  await strike({ path: `/v1/checkout/sessions/${session}/expire`, fault: 'reset_after_read', after_effect: false })
  await strike({ path: `/v1/checkout/sessions/${session}`, method: 'GET', fault: 'status', status: 503, times: 200 })
  await database().query('update orders set cancel_requested = true where id = $1', [order_id])
  const { rows } = await database().query('select id from payment_sessions where order_id = $1', [order_id])
  await wake(order_id)
  await until(
    async () => (await rowOf('session_expiries', 'payment_session_id', rows[0].id))?.status === 'unknown',
    30_000,
  )
  const { id } = await rowOf('session_expiries', 'payment_session_id', rows[0].id)
  expect(await itemFor(shop, id)).toMatchObject({
    kind: 'session_expiry',
    order_id,
    provider_object_id: session,
    choices: ['succeeded', 'rejected'],
  })
  await stripeApi(account, `/v1/checkout/sessions/${session}/expire`, {})
  expect((await resolve(shop, id, 'succeeded')).body.item).toBeNull()
  await heal()
  await until(async () => (await read(shop, order_id)).status === 'cancelled', 60_000)
}, 90_000)

test('A change of a subscription that five minutes of reads did not show can be resolved', async () => {
  const paid = await joined(club)
  const change = await insertRow('subscription_changes', {
    ...{
      tenant_id: shop.store_id,
      subscription_id: paid.id,
      kind: 'cancel',
      requested_by: 'operator',
      status: 'unknown',
      fingerprint: '',
      attempt: 1,
    },
    settled_at: new Date(Date.now() - 400_000),
  })
  expect(await itemFor(shop, change)).toMatchObject({
    kind: 'subscription_change',
    subscription_id: paid.id,
    member_id: paid.member_id,
    choices: ['succeeded', 'rejected'],
  })
  expect((await resolve(shop, change, 'succeeded')).body.item).toBeNull()
  const { rows } = await database().query('select cancel_at is not null as ends from subscriptions where id = $1', [
    paid.id,
  ])
  expect(rows).toEqual([{ ends: true }])
})

test('A change that a later one superseded is recorded without a state, and a read is requested', async () => {
  for (const outcome of ['succeeded', 'rejected']) {
    const paid = await joined(club)
    // The read is requested, and not made yet.
    await strike({
      method: 'GET',
      path: `/v1/subscriptions/${paid.subscription}`,
      fault: 'status',
      status: 503,
      times: 50,
    })
    const changeOf = (more: object) =>
      insertRow('subscription_changes', {
        ...{
          tenant_id: shop.store_id,
          subscription_id: paid.id,
          requested_by: 'operator',
          fingerprint: '',
          attempt: 1,
        },
        ...more,
      })
    const settled_at = new Date(Date.now() - 400_000)
    const cancel = await changeOf({ kind: 'cancel_now', status: 'unknown', settled_at })
    await changeOf({ kind: 'resume', status: 'succeeded', settled_at })
    const state = async () =>
      (
        await database().query(
          'select status, billing_status, cancel_at, event_at, read_wanted_at is not null as wanted from subscriptions where id = $1',
          [paid.id],
        )
      ).rows[0]
    const before = await state()
    expect(before).toMatchObject({ status: 'live', billing_status: 'active', cancel_at: null, wanted: false })
    expect((await resolve(shop, cancel, outcome)).status).toBe(200)
    expect([outcome, await state()]).toEqual([outcome, { ...before, wanted: true }])
    expect(await rowOf('subscription_changes', 'id', cancel)).toMatchObject({ status: outcome, billing_status: null })
    await heal()
    await until(async () => !(await state()).wanted, 20_000)
    expect(await state()).toMatchObject({ status: 'live', billing_status: 'active', cancel_at: null })
  }
})

test('A payment of another amount is listed until it is accepted or refunded', async () => {
  for (const currency of ['usd', 'eur']) {
    const made = await order(shop, [tea.item()], card)
    const { rows } = await database().query('select id from payment_sessions where order_id = $1', [made.order_id])
    await sendEvent({
      ...{ id: `evt_${newId()}`, type: 'checkout.session.completed', account },
      data: {
        object: {
          ...{ id: made.session, object: 'checkout.session', status: 'complete', payment_status: 'paid' },
          ...{ amount_total: 999, currency, payment_intent: `pi_${newId()}` },
          metadata: { payment_session: rows[0].id },
        },
      },
    })
    const { id } = await paymentOf(shop, made.order_id)
    expect(await itemFor(shop, id)).toMatchObject({
      ...{ kind: 'payment', status: 'amount_mismatch', order_id: made.order_id, choices: ['accepted'] },
      // What was taken, also where it is no part of what was captured in the currency of the order.
      ...{ amount: 999, currency: currency.toUpperCase() },
      title: expect.stringContaining(`9.99 ${currency.toUpperCase()} were paid`),
    })
    expect((await resolve(shop, id, 'succeeded')).body.code).toBe('outcome_not_possible')
    expect((await resolve(shop, id, 'accepted')).body.item).toBeNull()
    expect(await itemFor(shop, id)).toBeUndefined()
  }
})

test('A payment of a cancelled order whose amount the provider does not say is listed', async () => {
  for (const unsaid of [{ amount_total: null }, { currency: null }, { amount_total: null, currency: null }]) {
    const made = await order(shop, [tea.item()], card)
    const object = {
      ...(await stripe(account, `/checkout/sessions/${made.session}`)),
      status: 'complete',
      payment_status: 'paid',
      ...unsaid,
    }
    const { version } = await read(shop, made.order_id)
    await shop.asOperator('PUT', `/orders/${made.order_id}`, { version, cancel: true })
    await until(async () => (await read(shop, made.order_id)).status === 'cancelled')
    await sendEvent({
      ...{ id: `evt_${newId()}`, type: 'checkout.session.completed', account },
      data: { object: { ...object, payment_intent: `pi_${newId()}` } },
    })
    const { id } = await paymentOf(shop, made.order_id)
    expect(await itemFor(shop, id)).toMatchObject({
      kind: 'payment',
      status: 'amount_mismatch',
      amount: null,
      title: expect.stringContaining('It is not known how much'),
      order_id: made.order_id,
      choices: ['accepted'],
    })
    expect((await resolve(shop, id, 'accepted')).body.item).toBeNull()
  }
})

describe('A card that pays an order that was paid in cash meanwhile', () => {
  /** The form of the card is still open: its closing did not reach the provider. */
  async function paidInCash() {
    const made = await order(shop, [tea.item()], card)
    await database().query(
      `update payments
       set type = 'cash', status = 'paid', captured_amount = amount, paid_at = updated_at
       where order_id = $1`,
      [made.order_id],
    )
    await database().query(
      `update orders set status = 'confirmed', hold_until = null, paid_at = updated_at where id = $1`,
      [made.order_id],
    )
    return { ...made, payment: await paymentOf(shop, made.order_id) }
  }

  test('It is kept apart from the cash and refunded once', async () => {
    const { order_id, session, payment } = await paidInCash()
    const { amount } = payment
    const { payment_intent } = await pay(session)
    await until(async () => (await paymentOf(shop, order_id)).refunded_amount === amount)
    expect(await paymentOf(shop, order_id)).toMatchObject({
      type: 'cash',
      status: 'paid',
      captured_amount: 2 * amount,
      refunded_amount: amount,
      error: { code: 'paid_twice' },
    })
    expect((await stripe(account, `/refunds?payment_intent=${payment_intent}`)).data).toHaveLength(1)
    expect(await itemFor(shop, payment.id)).toBeUndefined()
    expect((await read(shop, order_id)).status).toBe('confirmed')
    // The same event again, and the refund of the cash.
    const { rows } = await database().query('select id from payment_sessions where order_id = $1', [order_id])
    const paid = {
      id: session,
      object: 'checkout.session',
      status: 'complete',
      payment_status: 'paid',
      amount_total: amount,
      currency: 'usd',
      payment_intent,
    }
    await sendEvent({
      ...{ id: `evt_${newId()}`, type: 'checkout.session.completed', account },
      data: { object: { ...paid, metadata: { payment_session: rows[0].id } } },
    })
    expect(await paymentOf(shop, order_id)).toMatchObject({ captured_amount: 2 * amount, refunded_amount: amount })
    const cash = await shop.asOperator('POST', `/orders/${order_id}/refunds`, { refund_id: newId(), amount })
    expect(cash.body).toMatchObject({ status: 'succeeded', amount })
    expect((await stripe(account, `/refunds?payment_intent=${payment_intent}`)).data).toHaveLength(1)
  })

  test('It is listed if the provider does not say how much it took', async () => {
    const { order_id, session, payment } = await paidInCash()
    const object = {
      ...(await stripe(account, `/checkout/sessions/${session}`)),
      status: 'complete',
      payment_status: 'paid',
      amount_total: null,
    }
    await sendEvent({
      ...{ id: `evt_${newId()}`, type: 'checkout.session.completed', account },
      data: { object: { ...object, payment_intent: `pi_${newId()}` } },
    })
    expect(await itemFor(shop, payment.id)).toMatchObject({
      kind: 'payment',
      status: 'paid_twice',
      order_id,
      choices: ['accepted'],
    })
  })

  test('It is listed when its refund is refused, until the money goes back or is accepted', async () => {
    const { order_id, session, payment } = await paidInCash()
    await strike({ path: '/v1/refunds', account, fault: 'status', status: 402 })
    await pay(session)
    const item = await until(async () => itemFor(shop, payment.id))
    expect(item).toMatchObject({ kind: 'payment', status: 'paid_twice', order_id, choices: ['accepted'] })
    expect((await resolve(shop, payment.id, 'accepted')).body.item).toBeNull()
    expect(await itemFor(shop, payment.id)).toBeUndefined()
  })
})

test('A form that was paid without its event is listed until the event arrives', async () => {
  const { order_id, session } = await order(shop, [tea.item()], card)
  await sim('POST', '/events', { hold: true, account })
  await pay(session)
  // Its hold ends: the checkout reads the form.
  await database().query('update orders set hold_until = now() where id = $1', [order_id])
  await wake(order_id)
  const { id } = await paymentOf(shop, order_id)
  await until(async () => (await rowOf('payments', 'id', id)).error?.code === 'event_missing', 60_000)
  expect(await itemFor(shop, id)).toBeUndefined()
  // Five minutes later.
  await database().query('update payments set updated_at = updated_at - 300 where id = $1', [id])
  expect(await itemFor(shop, id)).toMatchObject({ kind: 'payment', status: 'event_missing', choices: [] })
  await sim('POST', '/events', { hold: false, account })
  await until(async () => (await paymentOf(shop, order_id)).status === 'paid')
  expect(await itemFor(shop, id)).toBeUndefined()
}, 90_000)

test('What the platform charges for a plan is in its list, and no store resolves it', async () => {
  const chosen = await shop.asOperator('POST', '/subscription', {
    plan_id: 'pro',
    return_url: 'https://shop.example/billing',
  })
  const page = (chosen.body.payment_action.client_secret as string).split('_secret_')[0] as string
  const { invoice } = await payPage({ page } as never).catch(async () =>
    sim('POST', `/checkout_sessions/${page}/pay`, {}),
  )
  expect(invoice).toBeDefined()
  await until(async () => (await shop.asOperator('GET', '/subscription')).body.billing_status === 'active')
  const { rows } = await database().query(
    'select p.id, p.subscription_id from payments p join subscriptions s on s.id = p.subscription_id where s.tenant_id = $1 and s.plan_id is not null',
    [shop.store_id],
  )
  const refund = await insertRow('refunds', {
    ...{
      tenant_id: shop.store_id,
      payment_id: rows[0].id,
      subscription_id: rows[0].subscription_id,
      refund_id: newId(),
      amount: 100,
      currency: 'USD',
      origin: 'system',
    },
    ...{ status: 'unknown', fingerprint: '', attempt: 1, needs_attention: true },
  })
  expect(await itemFor(shop, refund)).toBeUndefined()
  expect((await resolve(shop, refund, 'succeeded')).status).toBe(404)
  const admin = await operator(process.env.SUPER_EMAIL?.split(',')[0])
  const platform = (method: 'GET' | 'POST', path: string, body?: object) =>
    http(method, `/v1/platform/attention${path}`, { headers: admin.headers, ...(body ? { body } : {}) })
  const mine = (await platform('GET', '?limit=100')).body.items.find((item: Item) => item.id === refund)
  expect(mine).toMatchObject({ kind: 'refund', tenant: { id: shop.store_id }, provider_url: null })
  expect(mine.evidence.ids).not.toHaveProperty('provider_account_id')
  expect((await platform('POST', `/${refund}/resolve`, { outcome: 'rejected', note: 'It is not there.' })).status).toBe(
    200,
  )
  const other = { outcome: 'succeeded', note: 'It is.' }
  expect((await platform('POST', `/${refund}/resolve`, other)).body.code).toBe('resolved_otherwise')
  expect((await platform('POST', `/${refund}/resolve`, { ...other, replaces: 'rejected' })).status).toBe(200)
  expect((await rowOf('refunds', 'id', refund)).resolution).toMatchObject({
    outcome: 'succeeded',
    before: { outcome: 'rejected' },
  })
})

describe('What the platform charges for a plan', () => {
  type Owed = { id: string; refund_id?: string; payment_id: string; outcome: string }

  /** A business that is being deleted, of whose plan a row of each kind is open. */
  async function owing(): Promise<{
    of: Shop
    erasure: string
    items: Record<'refund' | 'payment' | 'close_form' | 'cancel_now' | 'open_form', Owed>
  }> {
    const of = await newShop()
    const tenant_id = of.store_id
    const subscription_id = await insertRow('subscriptions', {
      ...{
        tenant_id,
        plan_id: 'pro',
        market: 'us',
        kind: 'recurring',
        interval: '{"period":"month","count":1}',
        status: 'given_up',
        amount: 500,
        currency: 'USD',
      },
    })
    const payment_id = await insertRow('payments', {
      ...{
        tenant_id,
        subscription_id,
        kind: 'renewal',
        type: 'card',
        status: 'paid',
        currency: 'USD',
        amount: 500,
        captured_amount: 500,
        provider: 'stripe',
      },
      error: { code: 'price_mismatch', message: 'Another price.' },
    })
    const unknown = {
      tenant_id,
      status: 'unknown',
      fingerprint: '',
      attempt: 1,
      sent_at: new Date(),
      settled_at: new Date(Date.now() - 400_000),
    }
    const refund_id = newId()
    const refund = {
      subscription_id,
      payment_id,
      refund_id,
      amount: 100,
      currency: 'USD',
      origin: 'operator',
      needs_attention: true,
    }
    const form = await insertRow('payment_sessions', {
      ...unknown,
      subscription_id,
      payment_id,
      mode: 'subscription',
      amount: 500,
      currency: 'USD',
    })
    const open = (id: string): Owed => ({ id, payment_id, outcome: 'rejected' })
    const items = {
      refund: { ...open(await insertRow('refunds', { ...unknown, ...refund })), refund_id, outcome: 'succeeded' },
      payment: { ...open(payment_id), outcome: 'accepted' },
      close_form: open(await insertRow('session_expiries', { ...unknown, payment_session_id: form })),
      cancel_now: open(
        await insertRow('subscription_changes', {
          ...unknown,
          subscription_id,
          kind: 'cancel_now',
          requested_by: 'system',
        }),
      ),
      // The last: its checkout goes on then.
      open_form: open(form),
    }
    const erasure = await insertRow('erasures', {
      ...{
        erased_id: tenant_id,
        key: of.store.key,
        requested_by: of.op.account_id,
        status: 'settling',
        message: 'Needs a person.',
        needs_attention: true,
      },
    })
    return { of, erasure, items }
  }

  const tables = ['refunds', 'payments', 'payment_sessions', 'session_expiries', 'subscription_changes']
  const rowsOf = async (tenant: string) => {
    const parts = tables.map((table) => `select id, to_jsonb(x) as row from ${table} x where tenant_id = $1`)
    return (await database().query(`${parts.join(' union all ')} order by id`, [tenant])).rows
  }

  test('No route resolves it for the business, or for the account that deleted it', async () => {
    const { of, erasure, items } = await owing()
    const admin = await operator(process.env.SUPER_EMAIL?.split(',')[0])
    const routes = declared
      .map(({ spec }) => spec as string)
      .filter((spec) => spec.startsWith('POST ') && spec.endsWith('/resolve'))
    const ask = (spec: string, { id, refund_id = id, payment_id, outcome }: Owed, headers: Record<string, string>) => {
      const ids: Record<string, string> = {
        storeId: of.store_id,
        businessId: of.store_id,
        erasureId: erasure,
        refundId: refund_id,
        paymentId: payment_id,
      }
      const path = spec.slice(5).replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? id)
      return http('POST', path, {
        headers,
        body: { ...(spec.includes('erasureId') ? { id } : {}), outcome, note: 'Looked it up.', force: true },
      })
    }
    const before = await rowsOf(of.store_id)
    const accepted: string[] = []
    for (const spec of routes)
      for (const [kind, owed] of Object.entries(items)) {
        const { status } = await ask(spec, owed, of.op.headers)
        // 422: the route records other outcomes, of other things.
        if (![403, 404, 422].includes(status)) accepted.push(`${spec} of ${kind}: ${status}`)
      }
    expect(accepted).toEqual([])
    expect(await rowsOf(of.store_id)).toEqual(before)

    const seen = async (headers: Record<string, string>) =>
      (await http('GET', `/v1/erasures/${erasure}`, { headers })).body.items as Item[]
    expect((await seen(of.op.headers)).map(({ choices }) => choices)).toEqual(Object.values(items).map(() => []))
    expect((await seen(admin.headers)).every(({ choices }) => choices.length > 0)).toBe(true)
    const spec = 'POST /v1/erasures/{erasureId}/resolve'
    const effects = {
      refund: 'refunds',
      open_form: 'payment_sessions',
      close_form: 'session_expiries',
      cancel_now: 'subscription_changes',
    } as const
    for (const [kind, table] of Object.entries(effects) as [keyof typeof effects, string][])
      await refusesKnown(table, items[kind].id, () =>
        [spec, 'POST /v1/platform/attention/{id}/resolve'].map((one) => ask(one, items[kind], admin.headers)),
      )
    for (const [kind, owed] of Object.entries(items))
      expect([kind, (await ask(spec, owed, admin.headers)).status]).toEqual([kind, 200])
    await database().query('delete from erasures where id = $1', [erasure])
  })
})
