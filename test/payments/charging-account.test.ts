// A store's own account at the provider: its key charges and refunds, and is frozen nowhere; its secret proves nothing
// of any other account.
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals'
import { webhookSecretsOf } from '../../rules/automation/integrations.ts'
import {
  buyer,
  card,
  checkOut,
  connected,
  disputesOf,
  eventsOf,
  ledger,
  order,
  outcomeOf,
  pay,
  paymentOf,
  product,
  providerOf,
  read,
  refundsOf,
  requestRefund,
  type Sold,
  sendEvent,
  sim,
  until,
  update,
} from '../kit/orders/buying.ts'
import { api, database, newShop, type Shop, unique } from '../kit/shop.ts'

jest.setTimeout(60_000)
afterAll(async () => database().end())

type Own = {
  shop: Shop
  tea: Sold
  id: string
  account: string
  secret_key: string
  webhook_secret: string
  publishable_key: string
}

/** A store whose active `card_payment` has an account of its own. */
async function ownShop(): Promise<Own> {
  const shop = await newShop()
  const [secret_key, webhook_secret, publishable_key] = [
    `sk_test_${unique()}canary`,
    `whsec_${unique()}canary`,
    `pk_test_${unique()}`,
  ]
  const { id } = (
    await shop.asOperator('POST', '/integrations', { key: 'till', provider: { type: 'card_payment', secret_key } })
  ).body
  const { id: account } = await sim('POST', '/accounts', {
    secret_key,
    webhook_secret,
    webhook_url: `${api()}/v1/webhooks/stripe/${id}`,
  })
  const provider = { webhook_secret, publishable_key, active_for_card_payments: true }
  const changed = await shop.asOperator('PUT', `/integrations/${id}`, { provider })
  if (changed.status !== 200) throw new Error(JSON.stringify(changed.body))
  return { shop, tea: await product(shop, { amount: 5000 }), id, account, secret_key, webhook_secret, publishable_key }
}

let mine: Own
let theirs: Own
beforeAll(async () => {
  ;[mine, theirs] = await Promise.all([ownShop(), ownShop()])
})

const accountOf = ({ id }: Own) => `integration:${id}`
const sessions = '/v1/checkout/sessions'
const isPaid = (shop: Shop, orderId: string) => until(async () => (await paymentOf(shop, orderId)).status === 'paid')
/** The provider's event that an order was paid, as the account's own endpoint receives it. */
const completed = (session: string, more: Record<string, unknown> = {}) => ({
  id: `evt_${unique()}`,
  type: 'checkout.session.completed',
  data: {
    object: {
      id: session,
      object: 'checkout.session',
      status: 'complete',
      payment_status: 'paid',
      amount_total: 5000,
      currency: 'usd',
      ...more,
    },
  },
})
/** The recorded page of an order, which events name in their metadata. */
async function pageOf(orderId: string): Promise<{ id: string; provider_session_id: string; request: string }> {
  return (
    await database().query('select id, provider_session_id, request from payment_sessions where order_id = $1', [
      orderId,
    ])
  ).rows[0]
}

test('An active card_payment charges, settles and refunds in its own account', async () => {
  const { shop, tea, account } = mine
  const { order_id, session, answer } = await order(shop, [tea.item()], card)
  const { account_id, publishable_key } = answer.body.payment_action
  expect([account_id, publishable_key]).toEqual([accountOf(mine), mine.publishable_key])
  const page = await pageOf(order_id)
  const opened = (await ledger(account, sessions)).filter(({ metadata }) => metadata.payment_session === page.id)
  expect(opened).toEqual([expect.objectContaining({ effect: true, times: 1 })])
  const { payment_intent } = await pay(session)
  await isPaid(shop, order_id)
  expect(await paymentOf(shop, order_id)).toMatchObject({
    provider_account_id: accountOf(mine),
    provider_payment_id: payment_intent,
    captured_amount: 5000,
  })

  expect((await requestRefund(shop, order_id, 1000)).body.status).toBe('succeeded')
  // Made in the provider's own dashboard.
  await sim('POST', `/payments/${payment_intent}/refund`, { amount: 500 })
  await until(async () => (await paymentOf(shop, order_id)).refunded_amount === 1500)
  expect((await ledger(account, '/v1/refunds')).map(({ effect }) => effect)).toEqual([true])
  await sim('POST', `/payments/${payment_intent}/dispute`, {})
  await until(async () => (await disputesOf(shop, order_id)).length === 1)

  const { decrypt } = await import('../../entities/kit/encrypted.ts')
  const requests = await database().query(
    'select request from payment_sessions where order_id = $1 union all select request from refunds where order_id = $1 and request is not null',
    [order_id],
  )
  expect(requests.rows.length).toBe(2)
  for (const { request } of requests.rows)
    expect(decrypt(request)).toMatch(new RegExp(`^(?!.*canary).*${accountOf(mine)}`))
})

test('A page of an own account is closed with its key when the order is cancelled', async () => {
  const { shop, tea, account } = mine
  const { order_id, session } = await order(shop, [tea.item()], card)
  expect((await update(shop, order_id, { cancel: true })).status).toBe(200)
  await until(async () => (await read(shop, order_id)).status === 'cancelled')
  expect(await ledger(account, `${sessions}/${session}/expire`)).toEqual([expect.objectContaining({ effect: true })])
})

test('A connected account charges while no card_payment is active; without either it is 422', async () => {
  const own = await ownShop()
  const { shop, tea, id } = own
  await shop.asOperator('PUT', `/integrations/${id}`, { provider: { active_for_card_payments: false } })
  const { visitor, cart } = await buyer(shop, [tea.item()])
  expect(await checkOut(visitor, cart, card)).toMatchObject({
    status: 422,
    body: { code: 'payment_provider_not_connected' },
  })
  const account = await connected(shop)
  expect((await checkOut(visitor, cart, card)).body.payment_action.account_id).toBe(account)
  await shop.asOperator('PUT', `/integrations/${id}`, { provider: { active_for_card_payments: true } })
  expect((await order(shop, [tea.item()], card)).answer.body.payment_action.account_id).toBe(accountOf(own))
})

test('An active card_payment needs the secret that proves its events', async () => {
  const { asOperator } = await newShop()
  const provider = { type: 'card_payment', secret_key: 'sk_test_1', active_for_card_payments: true }
  const { status, body } = await asOperator('POST', '/integrations', { key: 'till', provider })
  const faults = body.errors.map(({ pointer, code }: { pointer: string; code: string }) => `${pointer} ${code}`)
  expect([status, ...faults]).toEqual([422, '/provider/publishable_key required', '/provider/webhook_secret required'])
})

test('An event that another secret signed is refused, and one of another account changes nothing', async () => {
  const { shop, tea } = mine
  const { order_id, session } = await order(shop, [tea.item()], card)
  const page = await pageOf(order_id)
  const forged = completed(session, { metadata: { payment_session: page.id }, payment_intent: 'pi_forged' })
  const stranger = { secret: theirs.webhook_secret }
  for (const integration of [mine.id, undefined, page.id]) {
    const { status, body } = await sendEvent(forged, { ...stranger, ...(integration ? { integration } : {}) })
    expect([status, body.code]).toEqual([400, 'bad_signature'])
  }
  expect((await sendEvent(forged, { ...stranger, integration: theirs.id })).status).toBe(200)
  expect(await outcomeOf(`${accountOf(theirs)}/${forged.id}`)).toBe('ignored: no session of this account')
  // As if their account had connected accounts: it has none here.
  const connectedTo = { ...completed(session, { metadata: { payment_session: page.id } }), account: mine.account }
  expect((await sendEvent(connectedTo, { ...stranger, integration: theirs.id })).status).toBe(200)
  expect(await outcomeOf(`${accountOf(theirs)}/${connectedTo.id}`)).toBe('not used')
  const live = { ...completed(session, { metadata: { payment_session: page.id } }), livemode: true }
  expect((await sendEvent(live, { secret: mine.webhook_secret, integration: mine.id })).status).toBe(200)
  expect(await outcomeOf(`${accountOf(mine)}/${live.id}`)).toBe('ignored: live mode')
  expect([(await read(shop, order_id)).status, (await paymentOf(shop, order_id)).status]).toEqual([
    'pending',
    'pending',
  ])
  await pay(session)
  await isPaid(shop, order_id)
})

test('The id of an event that another secret signed first does not hide the true event', async () => {
  const { shop, tea, account } = mine
  await sim('POST', '/events', { hold: true, account })
  const { order_id, session } = await order(shop, [tea.item()], card)
  await pay(session)
  const events = await eventsOf(account, 'checkout.session.completed')
  const { id } = events.find(({ event }) => event.data.object.id === session) ?? {}
  expect(
    (await sendEvent({ ...completed(session), id }, { secret: theirs.webhook_secret, integration: theirs.id })).status,
  ).toBe(200)
  await sim('POST', '/events', { hold: false, account })
  await isPaid(shop, order_id)
  expect(await outcomeOf(`${accountOf(mine)}/${id}`)).toBe('paid and confirmed')
})

test('The secret of an integration proves nothing of connected accounts', async () => {
  const shop = await newShop()
  const account = await connected(shop)
  const tea = await product(shop, { amount: 5000 })
  const { order_id, session } = await order(shop, [tea.item()], card)
  const page = await pageOf(order_id)
  const signed = { secret: theirs.webhook_secret, integration: theirs.id }
  const flags = { charges_enabled: false, payouts_enabled: false, details_submitted: false }
  const events = [
    { id: `evt_${unique()}`, type: 'account.updated', data: { object: { id: account, object: 'account', ...flags } } },
    completed(session, { metadata: { payment_session: page.id } }),
    {
      id: `evt_${unique()}`,
      type: 'payment_intent.payment_failed',
      data: { object: { id: 'pi_1', metadata: { payment_session: page.id } } },
    },
  ]
  for (const event of events) expect((await sendEvent(event, signed)).status).toBe(200)
  expect(await providerOf(shop)).toMatchObject({ ready: true })
  expect(await paymentOf(shop, order_id)).toMatchObject({ status: 'pending', error: null })
})

test('An integration is not deleted while a page is open or a refund is not settled', async () => {
  const own = await ownShop()
  const { shop, tea, id } = own
  const remove = () => shop.asOperator('DELETE', `/integrations/${id}`)
  const inUse = { status: 409, body: { code: 'integration_in_use' } }
  const { order_id, session } = await order(shop, [tea.item()], card)
  expect(await remove()).toMatchObject(inUse)
  await pay(session)
  await isPaid(shop, order_id)
  await until(
    async () =>
      (await pageOf(order_id)) &&
      (await database().query("select 1 from payment_sessions where order_id = $1 and state = 'complete'", [order_id]))
        .rows[0],
  )
  const { refund_id } = (await requestRefund(shop, order_id, 100, { status: 500 })).body
  expect((await refundsOf(shop, order_id))[0].status).toBe('unknown')
  expect(await remove()).toMatchObject(inUse)
  await shop.asOperator('POST', `/orders/${order_id}/refunds/${refund_id}/resolve`, {
    outcome: 'rejected',
    note: 'looked it up',
  })
  expect(await remove()).toMatchObject({ status: 200 })
  // Its payments stay, and can no longer be refunded here.
  expect((await requestRefund(shop, order_id, 100)).body).toMatchObject({
    status: 'failed',
    error: { code: 'integration_missing' },
  })
  expect((await sendEvent(completed(session), { secret: own.webhook_secret, integration: id })).status).toBe(400)
})

test('Another secret key is refused while its account has money, unless the account is the same', async () => {
  const own = await ownShop()
  const { shop, tea, id, webhook_secret } = own
  const put = (provider: object, more: object = {}) =>
    shop.asOperator('PUT', `/integrations/${id}`, { provider, ...more })
  const key = () => `sk_test_${unique()}`
  // Nothing was charged: another account may take its place.
  expect((await put({ secret_key: key() })).status).toBe(200)
  expect((await put({ secret_key: own.secret_key })).status).toBe(200)
  const { order_id, session } = await order(shop, [tea.item()], card)
  const refused = async () => {
    const { status, body } = await put({ secret_key: key(), webhook_secret: `whsec_${unique()}` })
    expect([status, body.code]).toEqual([409, 'integration_in_use'])
  }
  await refused()
  await pay(session)
  await isPaid(shop, order_id)
  await refused()
  const stored = async () =>
    (await database().query('select provider_account_id from payments where order_id = $1', [order_id])).rows[0]
  expect(await stored()).toEqual({ provider_account_id: accountOf(own) })
  // The same key and other fields may be sent.
  expect((await put({ secret_key: own.secret_key, publishable_key: `pk_test_${unique()}` })).status).toBe(200)
  expect((await requestRefund(shop, order_id, 2000)).body.status).toBe('succeeded')
  await refused()
  const half = await requestRefund(shop, order_id, 3000, { status: 500 })
  expect(half.body.status).toBe('unknown')
  await refused()
  expect((await put({ secret_key: key() }, { same_account: true })).status).toBe(200)
  expect((await put({ secret_key: own.secret_key }, { same_account: true })).status).toBe(200)
  await shop.asOperator('POST', `/orders/${order_id}/refunds/${half.body.refund_id}/resolve`, {
    outcome: 'succeeded',
    note: 'looked it up',
  })
  // All went back.
  expect((await put({ secret_key: key() })).status).toBe(200)
  expect((await sendEvent(completed(session), { secret: webhook_secret, integration: id })).status).toBe(200)
})

test('Events of the former webhook secret are accepted for three days, unless it was removed', async () => {
  const { shop, tea, id, webhook_secret } = await ownShop()
  const { order_id, session } = await order(shop, [tea.item()], card)
  const page = await pageOf(order_id)
  const put = (provider: object) => shop.asOperator('PUT', `/integrations/${id}`, { provider })
  const newer = `whsec_${unique()}`
  const rotated = await put({ webhook_secret: newer })
  expect([rotated.status, Object.keys(rotated.body.provider).filter((name) => name.includes('webhook'))]).toEqual([
    200,
    ['webhook_secret'],
  ])
  const send = async (secret: string, event = completed(session, { metadata: { payment_session: page.id } })) =>
    (await sendEvent(event, { secret, integration: id })).status
  expect([await send(webhook_secret), await send(newer)]).toEqual([200, 200])
  await isPaid(shop, order_id)
  // A change of another field keeps both.
  await put({ publishable_key: `pk_test_${unique()}` })
  expect(await send(webhook_secret)).toBe(200)
  await put({ active_for_card_payments: false, webhook_secret: null })
  await put({ webhook_secret: newer })
  expect([await send(webhook_secret), await send(newer)]).toEqual([400, 200])
})

test('A former webhook secret proves nothing after three days', () => {
  const secrets = {
    secret_key: 'sk',
    webhook_secret: 'new',
    older_webhook_secret: 'old',
    older_webhook_secret_at: '1000',
  }
  expect(webhookSecretsOf(secrets, 1000 + 3 * 86_400 - 1)).toEqual(['new', 'old'])
  expect(webhookSecretsOf(secrets, 1000 + 3 * 86_400)).toEqual(['new'])
  expect(
    webhookSecretsOf({ secret_key: 'sk', older_webhook_secret: 'old', older_webhook_secret_at: '1000' }, 1000),
  ).toEqual([])
})
