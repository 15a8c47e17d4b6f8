// The Stripe simulator, a process of its own, behaves towards the real SDK as tests and benches assume.
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import type Stripe from 'stripe'
import {
  failure,
  type Json,
  type LedgerEntry,
  type StripeLab,
  secrets,
  stripeLab,
  until,
} from '../kit/orders/stripe-lab.ts'

const seller = 'acct_seller1'
const of = (account: string) => ({ stripeAccount: account })
let lab: StripeLab

const cart = (
  amount = 2500,
  extra: Partial<Stripe.Checkout.SessionCreateParams> = {},
): Stripe.Checkout.SessionCreateParams => ({
  mode: 'payment',
  ui_mode: 'embedded_page',
  return_url: 'https://shop.example/done',
  allowed_payment_method_types: ['card'],
  line_items: [{ quantity: 1, price_data: { currency: 'usd', unit_amount: amount, product_data: { name: 'Mug' } } }],
  metadata: { order_id: 'o1' },
  payment_intent_data: { metadata: { order_id: 'o1' } },
  ...extra,
})

async function paid(amount = 2500): Promise<{ session: Stripe.Checkout.Session; intent: string }> {
  const { id } = await lab.stripe.checkout.sessions.create(cart(amount), of(seller))
  await control(`/checkout_sessions/${id}/pay`, { outcome: 'succeeded' })
  const session = await lab.stripe.checkout.sessions.retrieve(id, {}, of(seller))
  return { session, intent: String(session.payment_intent) }
}

const control: StripeLab['control'] = (...given) => lab.control(...given)
const raw: StripeLab['raw'] = (...given) => lab.raw(...given)
const event: StripeLab['event'] = (...given) => lab.event(...given)
const ledgerOf = (key: string) => control<LedgerEntry[]>(`/ledger?key=${key}`)

beforeAll(async () => {
  lab = await stripeLab()
  await control(`/accounts/${seller}`, { charges_enabled: true, details_submitted: true, payouts_enabled: true })
  await control('/accounts/acct_other', { charges_enabled: true })
})

afterEach(() => lab.reset())

afterAll(() => lab.stop())

test('A paid session completes with one payment intent, one charge and signed events', async () => {
  const made = await lab.stripe.checkout.sessions.create(cart(), of(seller))
  expect(made).toMatchObject({
    object: 'checkout.session',
    status: 'open',
    payment_status: 'unpaid',
    amount_total: 2500,
    currency: 'usd',
    payment_intent: null,
  })
  expect(made.id).toMatch(/^cs_test_/)
  expect(made.client_secret).toMatch(new RegExp(`^${made.id}_secret_`))
  expect(made.line_items).toBeUndefined()

  await control(`/checkout_sessions/${made.id}/pay`, { outcome: 'succeeded' })
  const session = await lab.stripe.checkout.sessions.retrieve(
    made.id,
    { expand: ['payment_intent.latest_charge', 'line_items'] },
    of(seller),
  )
  const intent = session.payment_intent as Stripe.PaymentIntent
  expect(session).toMatchObject({
    status: 'complete',
    payment_status: 'paid',
    line_items: { data: [{ amount_total: 2500, description: 'Mug' }] },
  })
  expect(intent).toMatchObject({
    status: 'succeeded',
    amount_received: 2500,
    metadata: { order_id: 'o1' },
    latest_charge: { paid: true, captured: true },
  })

  for (const type of ['checkout.session.completed', 'payment_intent.succeeded', 'charge.succeeded']) {
    const one = await event(type, intent.id)
    expect(one).toMatchObject({ account: seller, api_version: '2026-10-28.endive', livemode: false })
    expect(one.id).toMatch(/^evt_/)
  }
  await expect(control(`/checkout_sessions/${made.id}/pay`, { outcome: 'succeeded' })).rejects.toThrow('complete')
})

test('A declined card leaves the session open, and the next attempt reuses the payment intent', async () => {
  const { id } = await lab.stripe.checkout.sessions.create(cart(), of(seller))
  await control(`/checkout_sessions/${id}/pay`, { outcome: 'declined' })
  const open = await lab.stripe.checkout.sessions.retrieve(id, {}, of(seller))
  const declined = await event('payment_intent.payment_failed', String(open.payment_intent))
  expect(open.status).toBe('open')
  expect(declined.data.object).toMatchObject({
    status: 'requires_payment_method',
    last_payment_error: { code: 'card_declined' },
  })
  await control(`/checkout_sessions/${id}/pay`, { outcome: 'succeeded' })
  expect(await lab.stripe.checkout.sessions.retrieve(id, {}, of(seller))).toMatchObject({
    status: 'complete',
    payment_intent: open.payment_intent,
  })
})

type Authorized = {
  session: Pick<Stripe.Checkout.Session, 'status' | 'payment_status'>
  intent: Stripe.PaymentIntent & { latest_charge: Stripe.Charge }
}

async function authorized(): Promise<Authorized> {
  const { id } = await lab.stripe.checkout.sessions.create(
    cart(2500, { payment_intent_data: { capture_method: 'manual' } }),
    of(seller),
  )
  await control(`/checkout_sessions/${id}/pay`, { outcome: 'succeeded' })
  const session = await lab.stripe.checkout.sessions.retrieve(
    id,
    { expand: ['payment_intent.latest_charge'] },
    of(seller),
  )
  return { session, intent: session.payment_intent as Authorized['intent'] }
}

test('A page with manual capture authorises the payment, which is captured once', async () => {
  const { session, intent } = await authorized()
  expect(session).toMatchObject({ status: 'complete', payment_status: 'unpaid' })
  expect(intent).toMatchObject({
    status: 'requires_capture',
    capture_method: 'manual',
    amount_capturable: 2500,
    amount_received: 0,
  })
  expect(intent.latest_charge).toMatchObject({ status: 'succeeded', paid: true, captured: false, amount_captured: 0 })
  const { capture_before } = intent.latest_charge.payment_method_details?.card ?? {}
  expect((capture_before ?? 0) - intent.latest_charge.created).toBeGreaterThan(6 * 86_400)
  await event('payment_intent.amount_capturable_updated', intent.id)
  const charge = intent.latest_charge.id
  for (const what of [{ payment_intent: intent.id }, { charge }])
    expect(await failure(lab.stripe.refunds.create(what, of(seller)))).toMatchObject({ status: 400 })
  await expect(control(`/payments/${charge}/refund`, { amount: 500 })).rejects.toThrow(
    'This uncaptured Charge was created by a PaymentIntent',
  )
  expect(await lab.stripe.charges.retrieve(charge, {}, of(seller))).toMatchObject({
    amount_refunded: 0,
    refunded: false,
  })

  const captured = await lab.stripe.paymentIntents.capture(intent.id, {}, of(seller))
  expect(captured).toMatchObject({ status: 'succeeded', amount_capturable: 0, amount_received: 2500 })
  expect(await event('payment_intent.succeeded', intent.id)).toMatchObject({ account: seller })
  const twice = [
    lab.stripe.paymentIntents.capture(intent.id, {}, of(seller)),
    lab.stripe.paymentIntents.cancel(intent.id, {}, of(seller)),
  ]
  for (const late of twice)
    expect(await failure(late)).toMatchObject({ status: 400, code: 'payment_intent_unexpected_state' })
  expect(await lab.stripe.refunds.create({ payment_intent: intent.id }, of(seller))).toMatchObject({
    status: 'succeeded',
    amount: 2500,
  })
})

test('An authorisation is cancelled or lapses, and is not captured after that', async () => {
  const [refused, forgotten] = [(await authorized()).intent, (await authorized()).intent]
  expect(await lab.stripe.paymentIntents.cancel(refused.id, {}, of(seller))).toMatchObject({
    status: 'canceled',
    cancellation_reason: null,
  })
  await control(`/payment_intents/${forgotten.id}/lapse`, {})
  for (const [intent, reason] of [
    [refused, null],
    [forgotten, 'automatic'],
  ] as const) {
    expect(await event('payment_intent.canceled', intent.id)).toMatchObject({
      data: { object: { cancellation_reason: reason, amount_received: 0 } },
    })
    expect(await failure(lab.stripe.paymentIntents.capture(intent.id, {}, of(seller)))).toMatchObject({
      code: 'payment_intent_unexpected_state',
    })
    expect(await lab.stripe.charges.retrieve(intent.latest_charge.id, {}, of(seller))).toMatchObject({
      captured: false,
      refunded: true,
    })
  }
})

test('One idempotency key gives one answer and one effect, however often it arrives', async () => {
  const options = { ...of(seller), idempotencyKey: 'same-1' }
  const first = await lab.stripe.checkout.sessions.create(cart(), options)
  const second = await lab.stripe.checkout.sessions.create(cart(), options)
  expect(second.id).toBe(first.id)
  expect(second.lastResponse.headers['idempotent-replayed']).toBe('true')
  expect(first.lastResponse.headers['idempotent-replayed']).toBeUndefined()
  const entries = await ledgerOf('same-1')
  expect(entries.map(({ times, effect, replayed, status }) => ({ times, effect, replayed, status }))).toEqual([
    { times: 1, effect: true, replayed: false, status: 200 },
    { times: 2, effect: false, replayed: true, status: 200 },
  ])
  expect(entries[0]?.metadata).toEqual({ order_id: 'o1' })
  expect(entries[0]?.digest).toBe(entries[1]?.digest)
  const elsewhere = await lab.stripe.checkout.sessions.create(cart(), { ...of('acct_other'), idempotencyKey: 'same-1' })
  expect(elsewhere.id).not.toBe(first.id)
})

test('An idempotency key is refused for other parameters, another endpoint or while in use', async () => {
  const { intent } = await paid()
  const options = { ...of(seller), idempotencyKey: 'used-1' }
  await lab.stripe.refunds.create({ payment_intent: intent, amount: 100 }, options)
  expect(await failure(lab.stripe.refunds.create({ payment_intent: intent, amount: 200 }, options))).toMatchObject({
    status: 400,
    type: 'idempotency_error',
  })
  expect(await failure(lab.stripe.checkout.sessions.create(cart(), options))).toMatchObject({
    status: 400,
    type: 'idempotency_error',
  })

  await control('/faults', { fault: 'hang', key: 'busy-1' })
  const pending = raw('/v1/refunds', `payment_intent=${intent}`, {
    'stripe-account': seller,
    'idempotency-key': 'busy-1',
  }).catch(() => 'cut off')
  await until(async () => (await ledgerOf('busy-1')).length || undefined)
  const answer = await raw('/v1/refunds', `payment_intent=${intent}`, {
    'stripe-account': seller,
    'idempotency-key': 'busy-1',
  })
  expect(answer.status).toBe(409)
  expect(await answer.json()).toMatchObject({ error: { code: 'idempotency_key_in_use' } })
  await control('/faults', undefined, 'DELETE')
  expect(await pending).toBe('cut off')
})

test('A refused parameter can be corrected under its key, and a refused refund is replayed', async () => {
  const options = { ...of(seller), idempotencyKey: 'corrected-1' }
  expect(
    await failure(lab.stripe.checkout.sessions.create({ ...cart(), return_url: 'nowhere' }, options)),
  ).toMatchObject({
    code: 'url_invalid',
    param: 'return_url',
  })
  expect((await lab.stripe.checkout.sessions.create(cart(), options)).status).toBe('open')

  const { intent } = await paid()
  const refund = () =>
    lab.stripe.refunds.create({ payment_intent: intent, amount: 9999 }, { ...of(seller), idempotencyKey: 'refused-1' })
  expect(await failure(refund())).toEqual(await failure(refund()))
  expect(await ledgerOf('refused-1')).toMatchObject([{ effect: false }, { effect: false, replayed: true }])
})

test('An account never sees objects of another account', async () => {
  const { session, intent } = await paid()
  expect(await failure(lab.stripe.checkout.sessions.retrieve(session.id, {}, of('acct_other')))).toMatchObject({
    status: 404,
    code: 'resource_missing',
  })
  expect(await failure(lab.stripe.paymentIntents.retrieve(intent))).toMatchObject({
    status: 404,
    code: 'resource_missing',
    param: 'intent',
  })
  expect(await failure(lab.stripe.refunds.create({ payment_intent: intent }, of('acct_other')))).toMatchObject({
    status: 404,
  })
  expect(await failure(lab.stripe.checkout.sessions.list({}, of('acct_nobody')))).toMatchObject({
    status: 403,
    code: 'account_invalid',
  })
})

test('An account with a key of its own needs no header and receives events at its endpoint', async () => {
  const { url } = await control<{ url: string }>('/webhook', {})
  const own = { apiKey: 'sk_test_own_key' }
  const { id } = await control<{ id: string }>('/accounts', {
    secret_key: own.apiKey,
    webhook_url: url,
    webhook_secret: secrets.platform,
  })
  const rolled = { apiKey: 'sk_test_rolled_key' }
  await control('/accounts', {
    account: id,
    secret_key: rolled.apiKey,
    webhook_url: url,
    webhook_secret: secrets.platform,
  })
  for (const key of [own, rolled]) expect((await lab.stripe.accounts.retrieveCurrent({}, key)).id).toBe(id)
  expect((await lab.stripe.accounts.retrieveCurrent()).id).toBe('acct_platform')
  const made = await lab.stripe.checkout.sessions.create(cart(), own)
  await control(`/checkout_sessions/${made.id}/pay`, { outcome: 'succeeded' })
  expect((await event('checkout.session.completed', made.id)).account).toBeUndefined()
  expect((await control<LedgerEntry[]>(`/ledger?account=${id}`)).map(({ path }) => path)).toEqual([
    '/v1/checkout/sessions',
  ])
  expect(await failure(lab.stripe.checkout.sessions.retrieve(made.id))).toMatchObject({ status: 404 })
  expect(await failure(lab.stripe.checkout.sessions.retrieve(made.id, {}, { ...own, ...of(seller) }))).toMatchObject({
    status: 403,
    code: 'account_invalid',
  })
})

test('The simulator refuses the expiries, totals, parameters and routes that Stripe refuses', async () => {
  const create = (extra: Partial<Stripe.Checkout.SessionCreateParams>, amount?: number) =>
    failure(lab.stripe.checkout.sessions.create(cart(amount, extra), of(seller)))
  const now = Math.floor(Date.now() / 1000)
  expect(await create({ expires_at: now + 29 * 60 })).toMatchObject({ status: 400, param: 'expires_at' })
  expect(await create({ expires_at: now + 25 * 3600 })).toMatchObject({ status: 400, param: 'expires_at' })
  expect(await create({}, 49)).toMatchObject({ status: 400, code: 'amount_too_small' })
  expect(await create({ nonsense: '1' } as Partial<Stripe.Checkout.SessionCreateParams>)).toMatchObject({
    code: 'parameter_unknown',
    param: 'nonsense',
  })
  // Both were removed before the pinned version.
  expect(await create({ ui_mode: 'embedded' })).toMatchObject({ status: 400, param: 'ui_mode' })
  expect(
    await create({ payment_method_types: ['card'] } as Partial<Stripe.Checkout.SessionCreateParams>),
  ).toMatchObject({ code: 'parameter_unknown' })
  const { return_url, ...pageless } = cart()
  expect(await failure(lab.stripe.checkout.sessions.create(pageless, of(seller)))).toMatchObject({
    code: 'parameter_missing',
    param: 'return_url',
  })
  expect(await failure(lab.stripe.rawRequest('GET', '/v1/topups'))).toMatchObject({
    status: 404,
    type: 'invalid_request_error',
  })
  expect((await raw('/v1/refunds', '', { authorization: '' })).status).toBe(401)
  expect((await raw('/v1/refunds', '')).headers.get('request-id')).toMatch(/^req_/)
})

test('Only an open session can expire, and an expired one cannot be paid', async () => {
  const { id } = await lab.stripe.checkout.sessions.create(cart(), of(seller))
  expect((await lab.stripe.checkout.sessions.expire(id, {}, of(seller))).status).toBe('expired')
  expect(await event('checkout.session.expired', id)).toMatchObject({ data: { object: { status: 'expired' } } })
  expect(await failure(lab.stripe.checkout.sessions.expire(id, {}, of(seller)))).toMatchObject({
    status: 400,
    message: expect.stringContaining('["open"]'),
  })
  await expect(control(`/checkout_sessions/${id}/pay`, { outcome: 'succeeded' })).rejects.toThrow('expired')
})

test('Lists are newest first, paged by id and filtered', async () => {
  const account = 'acct_lists'
  await control(`/accounts/${account}`, {})
  const ids: string[] = []
  for (const _ of [1, 2, 3]) ids.unshift((await lab.stripe.checkout.sessions.create(cart(), of(account))).id)
  const first = await lab.stripe.checkout.sessions.list({ limit: 2 }, of(account))
  expect(first).toMatchObject({ has_more: true, url: '/v1/checkout/sessions' })
  const rest = await lab.stripe.checkout.sessions.list(
    { limit: 2, starting_after: String(first.data[1]?.id) },
    of(account),
  )
  expect([...first.data, ...rest.data].map(({ id }) => id)).toEqual(ids)
  await lab.stripe.checkout.sessions.expire(String(ids[0]), {}, of(account))
  expect((await lab.stripe.checkout.sessions.list({ status: 'open' }, of(account))).data).toHaveLength(2)
  expect(
    (await lab.stripe.checkout.sessions.list({ created: { gte: Math.floor(Date.now() / 1000) + 60 } }, of(account)))
      .data,
  ).toHaveLength(0)
  expect((await lab.stripe.checkout.sessions.listLineItems(String(ids[0]), {}, of(account))).data).toMatchObject([
    { quantity: 1, price: { unit_amount: 2500 } },
  ])
})

test('Refunds never exceed the charge, and a pending one that fails returns its amount', async () => {
  const { intent } = await paid(1000)
  const refund = (amount?: number) =>
    lab.stripe.refunds.create(
      { payment_intent: intent, ...(amount && { amount }), metadata: { refund_id: 'r' } },
      of(seller),
    )
  expect(await failure(refund(1001))).toMatchObject({ status: 400, param: 'amount' })
  await control('/next_refund', { status: 'pending', body_match: intent })
  const pending = await refund(600)
  expect(pending).toMatchObject({ status: 'pending', amount: 600, metadata: { refund_id: 'r' } })
  expect(await failure(refund(401))).toMatchObject({ status: 400, param: 'amount' })
  await refund(400)
  expect(await failure(refund(1))).toMatchObject({ status: 400, code: 'charge_already_refunded' })
  await control(`/refunds/${pending.id}/settle`, { status: 'failed' })
  expect(await event('refund.failed', pending.id)).toMatchObject({
    account: seller,
    data: { object: { status: 'failed' } },
  })
  expect(await event('refund.updated', pending.id)).toMatchObject({
    data: { previous_attributes: { status: 'pending' } },
  })
  await control(`/payments/${intent}/refund`, { amount: 600 })
  const all = await lab.stripe.refunds.list({ payment_intent: intent }, of(seller))
  expect(all.data.map(({ status, amount }) => [status, amount])).toEqual([
    ['succeeded', 600],
    ['succeeded', 400],
    ['failed', 600],
  ])
  await until(() =>
    lab.received.find((one) => one.type === 'charge.refunded' && (one.data.object as Stripe.Charge).refunded),
  )
})

test('A dispute is opened, moved and closed, and blocks refunds', async () => {
  const { intent } = await paid()
  const opened = await control<Stripe.Dispute>(`/payments/${intent}/dispute`, { amount: 500 })
  expect(await event('charge.dispute.created', opened.id)).toMatchObject({
    data: { object: { status: 'needs_response', amount: 500 } },
  })
  expect(await failure(lab.stripe.refunds.create({ payment_intent: intent }, of(seller)))).toMatchObject({
    code: 'charge_disputed',
  })
  await control(`/payments/${intent}/dispute`, { status: 'under_review' })
  await event('charge.dispute.updated', opened.id)
  await control(`/payments/${intent}/dispute`, { status: 'lost' })
  await event('charge.dispute.closed', opened.id)
  expect(await lab.stripe.disputes.retrieve(opened.id, {}, of(seller))).toMatchObject({
    status: 'lost',
    payment_intent: intent,
  })
})

test('An account is created, onboarded by its link and reported by events', async () => {
  const account = await lab.stripe.accounts.create({
    type: 'express',
    country: 'DE',
    email: 'a@example.com',
    metadata: { store_id: 's1' },
  })
  expect(account).toMatchObject({
    charges_enabled: false,
    metadata: { store_id: 's1' },
    requirements: { disabled_reason: 'requirements.past_due' },
  })
  const urls = { refresh_url: 'http://shop.example/again', return_url: 'http://shop.example/back' }
  const link = await lab.stripe.accountLinks.create({ account: account.id, type: 'account_onboarding', ...urls })
  const visit = await fetch(link.url, { redirect: 'manual' })
  expect(visit.headers.get('location')).toBe(urls.return_url)
  expect(await event('account.updated', account.id)).toMatchObject({
    account: account.id,
    data: { object: { charges_enabled: true }, previous_attributes: { charges_enabled: false } },
  })
  expect(await lab.stripe.accounts.retrieve(account.id)).toMatchObject({
    charges_enabled: true,
    details_submitted: true,
    payouts_enabled: true,
  })
})

test('A fault strikes once, and the ledger shows whether the effect happened', async () => {
  const { intent } = await paid(10_000)
  const attempt = async (fault: Json) => {
    const key = `fault-${String(fault.fault)}-${String(fault.after_effect ?? false)}-${String(fault.status ?? '')}`
    await control('/faults', { method: 'POST', path: '/v1/refunds', key, ...fault })
    const headers = { 'stripe-account': seller, 'idempotency-key': key }
    const status = await raw('/v1/refunds', `payment_intent=${intent}&amount=100`, headers).then(
      async (answer) => [
        answer.status,
        await answer.json().then(
          () => 'whole',
          () => 'broken',
        ),
      ],
      () => ['none'],
    )
    const [entry, ...more] = await ledgerOf(key)
    expect(more).toEqual([])
    return [...status, entry?.effect, entry?.status, entry?.fault]
  }
  expect(await attempt({ fault: 'reset_before_read' })).toEqual(['none', false, null, 'reset_before_read'])
  expect(await attempt({ fault: 'reset_after_read' })).toEqual(['none', false, null, 'reset_after_read'])
  expect(await attempt({ fault: 'reset_after_read', after_effect: true })).toEqual([
    'none',
    true,
    null,
    'reset_after_read',
  ])
  expect(await attempt({ fault: 'status', status: 500 })).toEqual([500, 'whole', false, 500, 'status'])
  expect(await attempt({ fault: 'status', status: 502, after_effect: true })).toEqual([
    502,
    'whole',
    true,
    502,
    'status',
  ])
  expect(await attempt({ fault: 'status', status: 429, code: 'rate_limit' })).toEqual([
    429,
    'whole',
    false,
    429,
    'status',
  ])
  expect(await attempt({ fault: 'delay', delay_ms: 30 })).toEqual([200, 'whole', true, 200, 'delay'])
  expect(await attempt({ fault: 'break_body' })).toEqual([200, 'broken', true, 200, 'break_body'])
  await control('/faults', { fault: 'refuse' })
  await expect(raw('/v1/refunds', '')).rejects.toThrow()
  const made = await lab.stripe.refunds.list({ payment_intent: intent }, of(seller))
  expect(made.data).toHaveLength(4)
})

test('A fault strikes only the requests that it describes', async () => {
  const { intent } = await paid()
  await control('/faults', { method: 'POST', path: '/v1/*/refunds', fault: 'status', times: 9 })
  await control('/faults', {
    method: 'POST',
    path: '/v1/refu*',
    fault: 'status',
    body_match: 'metadata[refund_id]=r2',
    times: 9,
  })
  const refund = (refund_id: string) =>
    lab.stripe.refunds.create({ payment_intent: intent, amount: 1, metadata: { refund_id } }, of(seller))
  expect((await refund('r1')).status).toBe('succeeded')
  expect(await failure(refund('r2'))).toMatchObject({ status: 503, type: 'api_error' })
})

test('A closed port refuses connections while the control port still answers', async () => {
  await control('/listen', { up: false })
  const refused = await raw('/v1/refunds', '').catch((error: Error) => error)
  expect(refused).toMatchObject({ cause: { code: 'ECONNREFUSED' } })
  expect(await control('/health')).toEqual({ ok: true, api: false })
  await control('/listen', { up: true })
  expect((await raw('/v1/nothing', '')).status).toBe(404)
})

test('An event is retried until it is answered with 2xx', async () => {
  const { id } = await lab.stripe.checkout.sessions.create(cart(), of(seller))
  let tries = 0
  lab.answerWith = (one) => (one.type === 'checkout.session.expired' && ++tries < 3 ? 500 : 200)
  await control(`/checkout_sessions/${id}/expire`, {})
  await until(async () => (await control<Json[]>(`/events?object=${id}`)).find(({ state }) => state === 'delivered'))
  const sent = lab.received.filter((one) => one.type === 'checkout.session.expired')
  expect(sent).toHaveLength(3)
  expect(new Set(sent.map((one) => one.id)).size).toBe(1)
})

test('Held events are delivered on request, in the given order and as often as requested', async () => {
  const account = 'acct_held'
  await control(`/accounts/${account}`, { charges_enabled: true })
  await event('account.updated', account)
  await control('/events', { hold: true, account })
  const { id } = await lab.stripe.checkout.sessions.create(cart(), of(account))
  await control(`/checkout_sessions/${id}/pay`, { outcome: 'succeeded' })
  await until(
    async () =>
      (await control<Json[]>(`/events?account=${account}`)).filter(({ state }) => state === 'held').length === 3 ||
      undefined,
  )
  lab.received = []
  const answers = await control<Json[]>('/events/deliver', { account, order: 'reverse', times: 2 })
  const order = ['checkout.session.completed', 'payment_intent.succeeded', 'charge.succeeded']
  expect(lab.received.map(({ type }) => type)).toEqual([...order, ...order])
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200])
  const ids = lab.received.slice(0, 1).map((one) => one.id)
  lab.received = []
  await control('/events/deliver', { ids, times: 3, parallel: true })
  expect(lab.received.map((one) => one.id)).toEqual([...ids, ...ids, ...ids])
})

test('After SIGKILL everything answered is still there, and undelivered events are delivered', async () => {
  const options = { ...of(seller), idempotencyKey: 'killed-1' }
  const made = await lab.stripe.checkout.sessions.create(cart(), options)
  lab.answerWith = () => 500
  await control(`/checkout_sessions/${made.id}/pay`, { outcome: 'succeeded' })
  await event('checkout.session.completed', made.id)
  const before = await control<LedgerEntry[]>('/ledger')
  await lab.kill()
  lab.received = []
  lab.answerWith = () => 200
  await lab.start()
  expect(await control('/ledger')).toEqual(before)
  expect((await lab.stripe.checkout.sessions.retrieve(made.id, {}, of(seller))).status).toBe('complete')
  const again = await lab.stripe.checkout.sessions.create(cart(), options)
  expect(again).toMatchObject({ id: made.id, status: 'open' })
  expect(await ledgerOf('killed-1')).toMatchObject([{ times: 1 }, { times: 2, effect: false, replayed: true }])
  await event('checkout.session.completed', made.id)
})

test('A fault can answer as a gateway does, and the ledger shows what happened', async () => {
  const form = 'country=US&email=a%40b.test'
  const asked = (key: string) => raw('/v1/accounts', form, { 'idempotency-key': key })
  await control('/faults', {
    fault: 'answer',
    status: 502,
    headers: { 'content-type': 'text/html' },
    body: '<h1>Bad Gateway</h1>',
    key: 'free-1',
  })
  const page = await asked('free-1')
  expect([page.status, page.headers.get('content-type'), await page.text()]).toEqual([
    502,
    'text/html',
    '<h1>Bad Gateway</h1>',
  ])
  await control('/faults', { fault: 'answer', status: 200, body: {}, key: 'free-2', after_effect: true, slow_ms: 20 })
  expect(await (await asked('free-2')).json()).toEqual({})
  await control('/faults', { fault: 'answer', status: 200, body: '{"id":', cut: true, key: 'free-3' })
  await expect((await asked('free-3')).text()).rejects.toThrow()
  await control('/faults', { fault: 'answer', status: 204, key: 'free-4' })
  expect(await (await asked('free-4')).text()).toBe('')
  const entries = await Promise.all(['free-1', 'free-2', 'free-3', 'free-4'].map(ledgerOf))
  expect(entries.flat().map(({ status, effect, fault }) => [status, effect, fault])).toEqual([
    [502, false, 'answer'],
    [200, true, 'answer'],
    [200, false, 'answer'],
    [204, false, 'answer'],
  ])
})
