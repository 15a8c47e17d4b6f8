// What a person has to do about money is in one list, and each request whose outcome is unknown can be resolved: it leaves the list, and what follows from it is done.
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { newId } from '../../entities/kit/ids.ts'
import { effects } from '../../rules/effects.ts'
import { AttentionKind } from '../../rules/orders/attention.ts'
import { type Approvals, approvals } from '../kit/approving.ts'
import { card, cardShop, fault, order, pay, paymentOf, read, type Sold, sendEvent, sim, stripe, until } from '../kit/buying.ts'
import { stripeApi } from '../kit/provider.ts'
import { type Answer, database, http, operator, type Shop } from '../kit/shop.ts'
import { type Club, insertRow, joined, newClub, payPage } from '../kit/subscribing.ts'

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
  await sim('DELETE', '/faults')
  for (const one of [account, desk.account]) await sim('POST', '/events', { hold: false, account: one })
})
afterAll(async () => database().end())

type Item = { id: string; kind: string; status: string; choices: string[]; [more: string]: unknown }
const listOf = async (of: Shop): Promise<Item[]> => (await of.asOperator('GET', '/attention')).body.items
const itemFor = async (of: Shop, id: string): Promise<Item | undefined> => (await listOf(of)).find((item) => item.id === id)
const resolve = (of: Shop, id: string, outcome: string, more: object = {}): Promise<Answer> =>
  of.asOperator('POST', `/attention/${id}/resolve`, { outcome, note: 'Looked it up.', ...more })
/** On the older surface: the fields are those of it. */
const deskItem = async (id: string): Promise<Item | undefined> => (await desk.op('GET', '/attention')).body.items.find((item: Item) => item.id === id)
const deskResolve = (id: string, outcome: string, more: object = {}) => desk.op('POST', `/attention/${id}/resolve`, { outcome, note: 'Looked it up.', ...more })

/** The workflow of a checkout reads its rows again. */
const wake = (orderId: string) =>
  database().query("insert into outbox (id, tenant_id, kind, row_id, again) values ($1, $2, 'checkout', $3, true)", [newId(), shop.store_id, orderId])

const rowOf = async (table: string, where: string, value: string) =>
  (await database().query(`select * from ${table} where ${where} = $1 order by id desc`, [value])).rows[0]

test('Every effect that moves money has a kind in the list, and every other one a reason to have none', () => {
  const listed = {
    ...{ refunds: ['refund'], authorization_ends: ['capture', 'cancel_authorization'], payment_sessions: ['open_form'], session_expiries: ['close_form'] },
    subscription_changes: ['cancel_subscription', 'cancel_now_subscription', 'resume_subscription', 'change_card'],
  }
  /** How an unknown outcome of the other effects on the queue `money` ends. */
  const others = {
    coupons: 'a read by our own id finds it',
    payment_providers: 'connected again with the id of the account',
    onboarding_links: 'requested again',
    price_provisions: 'a read by our own key finds it, with the next update of the tier',
    portal_configurations: 'a read by its metadata finds it',
    portal_links: 'requested again',
  }
  const money = Object.values(effects).filter((row) => ('queue' in row ? row.queue === 'money' : ['checkout', 'membership', 'portal'].includes(row.host)))
  expect(money.map(({ table }) => table).sort()).toEqual([...Object.keys(listed), ...Object.keys(others)].sort())
  expect([...Object.values(listed).flat(), 'payment', 'subscription'].sort()).toEqual([...AttentionKind.options].sort())
})

describe('A capture whose outcome is unknown', () => {
  async function lost(carried: boolean): Promise<{ id: string; intent: string; end: string }> {
    const { id, intent } = await desk.authorized()
    await sim('POST', '/events', { hold: true, account: desk.account })
    await fault({ path: `/v1/payment_intents/${intent}/capture`, fault: 'reset_after_read', after_effect: carried })
    expect((await desk.put(id, { status: 'CONFIRMED' })).body.code).toBe('capture_unknown')
    const { id: end } = await rowOf('authorization_ends', 'order_id', id)
    return { id, intent, end }
  }

  test('Resolved as succeeded, its booking is confirmed, and its event changes nothing', async () => {
    const { id, intent, end } = await lost(true)
    expect(await deskItem(end)).toMatchObject({
      kind: 'capture',
      status: 'unknown',
      amount: 3_000,
      orderId: id,
      providerPaymentId: intent,
      choices: ['succeeded', 'rejected'],
    })
    expect((await deskResolve(end, 'succeeded')).body).toEqual({ item: null })
    expect(await desk.read(id)).toMatchObject({ status: 'CONFIRMED', payment: { status: 'paid', capturedAmount: 3_000 } })
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
    expect((await desk.read(id)).payment).toMatchObject({ status: 'paid', capturedAmount: 3_000, refundedAmount: 3_000 })
  })

  test('Resolved as rejected, it is listed again when a signed event says otherwise', async () => {
    const { id, end, intent } = await lost(true)
    await fault({ path: `/v1/payment_intents/${intent}/cancel`, fault: 'status', status: 503, times: 50 })
    expect((await deskResolve(end, 'rejected')).status).toBe(200)
    await sim('POST', '/events', { hold: false, account: desk.account })
    await until(async () => (await deskItem(end)) !== undefined)
    expect(await deskItem(end)).toMatchObject({ kind: 'capture', lateEvidence: { status: 'succeeded' }, resolution: { outcome: 'rejected' } })
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
    expect((await deskResolve(end, 'rejected')).status).toBe(200)
    expect((await desk.read(id)).payment).toMatchObject({ status: 'failed', capturedAmount: 0 })
    await until(async () => (await stripe(desk.account, `/payment_intents/${intent}`)).status === 'canceled')
  })
})

test('A cancellation that never reaches the provider is listed, and has no outcome to choose', async () => {
  const { id, intent } = await desk.authorized()
  await fault({ path: `/v1/payment_intents/${intent}/cancel`, fault: 'status', status: 503, times: 50 })
  await desk.put(id, { status: 'CANCELLED' })
  const { id: end } = await rowOf('authorization_ends', 'order_id', id)
  await database().query('update authorization_ends set attempt = 6 where id = $1', [end])
  expect(await deskItem(end)).toMatchObject({ kind: 'cancel_authorization', status: expect.stringMatching(/requested|processing/), choices: [] })
  expect((await deskResolve(end, 'succeeded')).body.code).toBe('request_not_unknown')
})

test('A payment form that may be open is closed once it was found, or given up for good', async () => {
  for (const outcome of ['succeeded', 'rejected']) {
    await fault({ path: '/v1/checkout/sessions', method: 'POST', fault: 'reset_after_read', after_effect: true, account })
    await fault({ path: '/v1/checkout/sessions', method: 'GET', fault: 'status', status: 503, times: 100, account })
    const made = await order(shop, [tea.item()], card).catch((error: Error) => error)
    expect(String(made)).toContain('provider_unavailable')
    const { rows } = await database().query('select id, order_id from payment_sessions where tenant_id = $1 order by id desc limit 1', [shop.store_id])
    const [{ id, order_id }] = rows
    expect(await itemFor(shop, id)).toMatchObject({ kind: 'open_form', order_id, status: 'unknown', choices: ['succeeded', 'rejected'] })
    expect((await resolve(shop, id, 'succeeded')).body.code).toBe('required')
    await sim('DELETE', '/faults')
    const page = (await stripe(account, '/checkout/sessions?limit=100')).data.find(
      (one: { metadata: { payment_session: string } }) => one.metadata.payment_session === id,
    )
    expect((await resolve(shop, id, outcome, outcome === 'succeeded' ? { provider_object_id: page.id } : {})).body.item).toBeNull()
    if (outcome === 'succeeded') await until(async () => (await stripe(account, `/checkout/sessions/${page.id}`)).status === 'expired')
    expect((await read(shop, order_id)).status).toBe('cancelled')
  }
})

test('A form whose closing is unknown is closed by what a person found, unless it was paid', async () => {
  const { order_id, session } = await order(shop, [tea.item()], card)
  await fault({ path: `/v1/checkout/sessions/${session}/expire`, fault: 'reset_after_read', after_effect: false })
  await fault({ path: `/v1/checkout/sessions/${session}`, method: 'GET', fault: 'status', status: 503, times: 200 })
  await database().query('update orders set cancel_requested = true where id = $1', [order_id])
  const { rows } = await database().query('select id from payment_sessions where order_id = $1', [order_id])
  await wake(order_id)
  await until(async () => (await rowOf('session_expiries', 'payment_session_id', rows[0].id))?.status === 'unknown', 30_000)
  const { id } = await rowOf('session_expiries', 'payment_session_id', rows[0].id)
  expect(await itemFor(shop, id)).toMatchObject({ kind: 'close_form', order_id, provider_object_id: session, choices: ['succeeded', 'rejected'] })
  await stripeApi(account, `/v1/checkout/sessions/${session}/expire`, {})
  expect((await resolve(shop, id, 'succeeded')).body.item).toBeNull()
  await sim('DELETE', '/faults')
  await until(async () => (await read(shop, order_id)).status === 'cancelled', 60_000)
}, 90_000)

test('A change of a subscription that five minutes of reads did not show can be resolved', async () => {
  const paid = await joined(club)
  const change = await insertRow('subscription_changes', {
    ...{ tenant_id: shop.store_id, subscription_id: paid.id, kind: 'cancel', requested_by: 'operator', status: 'unknown', fingerprint: '', attempt: 1 },
    settled_at: new Date(Date.now() - 400_000),
  })
  expect(await itemFor(shop, change)).toMatchObject({
    kind: 'cancel_subscription',
    subscription_id: paid.id,
    member_id: paid.member_id,
    choices: ['succeeded', 'rejected'],
  })
  expect((await resolve(shop, change, 'succeeded')).body.item).toBeNull()
  const { rows } = await database().query('select cancel_at is not null as ends from subscriptions where id = $1', [paid.id])
  expect(rows).toEqual([{ ends: true }])
})

test('A payment of another amount is listed until it is accepted or refunded', async () => {
  const made = await order(shop, [tea.item()], card)
  const { rows } = await database().query('select id from payment_sessions where order_id = $1', [made.order_id])
  await sendEvent({
    ...{ id: `evt_${newId()}`, type: 'checkout.session.completed', account },
    data: {
      object: {
        ...{
          id: made.session,
          object: 'checkout.session',
          status: 'complete',
          payment_status: 'paid',
          amount_total: 999,
          currency: 'usd',
          payment_intent: `pi_${newId()}`,
        },
        metadata: { payment_session: rows[0].id },
      },
    },
  })
  const { id } = await paymentOf(shop, made.order_id)
  expect(await itemFor(shop, id)).toMatchObject({ kind: 'payment', status: 'amount_mismatch', amount: 999, order_id: made.order_id, choices: ['accepted'] })
  expect((await resolve(shop, id, 'succeeded')).body.code).toBe('outcome_not_possible')
  expect((await resolve(shop, id, 'accepted')).body.item).toBeNull()
  expect(await itemFor(shop, id)).toBeUndefined()
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
  const chosen = await shop.asOperator('POST', '/subscription', { plan_id: 'pro', return_url: 'https://shop.example/billing' })
  const page = (chosen.body.payment_action.client_secret as string).split('_secret_')[0] as string
  const { invoice } = await payPage({ page } as never).catch(async () => sim('POST', `/checkout_sessions/${page}/pay`, {}))
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
  const mine = (await platform('GET', '')).body.items.find((item: Item) => item.id === refund)
  expect(mine).toMatchObject({ kind: 'refund', tenant_id: shop.store_id, provider_account_id: null })
  expect((await platform('POST', `/${refund}/resolve`, { outcome: 'rejected', note: 'It is not there.' })).status).toBe(200)
  expect((await platform('POST', `/${refund}/resolve`, { outcome: 'succeeded', note: 'It is.' })).status).toBe(200)
  expect((await rowOf('refunds', 'id', refund)).resolution).toMatchObject({ outcome: 'succeeded', before: { outcome: 'rejected' } })
})
