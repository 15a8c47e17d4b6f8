// The billing of the Stripe simulator behaves towards the real SDK as membership tests assume.
import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import type Stripe from 'stripe'
import { failure, type Json, type LedgerEntry, type StripeLab, stripeLab } from '../kit/orders/stripe-lab.ts'

type Advanced = { subscription: Stripe.Subscription; invoice: Stripe.Invoice }
type Page = {
  id: string
  account: string | null
  mode: string
  status: string
  metadata: Json
  opened: number
  closed: number | null
  subscription: string | null
}
type Joined = { session: Stripe.Checkout.Session; subscription: string; customer: string; price: Stripe.Price }

const account = 'acct_club'
const of = { stripeAccount: account }
let lab: StripeLab

beforeAll(async () => {
  lab = await stripeLab()
  await lab.control(`/accounts/${account}`, { charges_enabled: true })
  await lab.control('/accounts/acct_else', { charges_enabled: true })
})
afterEach(() => lab.reset())
afterAll(() => lab.stop())

const monthly = (extra: Partial<Stripe.PriceCreateParams> = {}): Stripe.PriceCreateParams => ({
  currency: 'usd',
  unit_amount: 1000,
  recurring: { interval: 'month' },
  product_data: { name: 'Club' },
  ...extra,
})

const form = (
  price: string,
  extra: Partial<Stripe.Checkout.SessionCreateParams> = {},
): Stripe.Checkout.SessionCreateParams => ({
  mode: 'subscription',
  ui_mode: 'embedded_page',
  return_url: 'https://shop.example/done',
  allowed_payment_method_types: ['card'],
  adaptive_pricing: { enabled: false },
  line_items: [{ price, quantity: 1 }],
  metadata: { subscription: 'row-1' },
  subscription_data: { metadata: { subscription: 'row-1' } },
  ...extra,
})

const pay = (session: string, body: Json = {}) =>
  lab.control<Stripe.Checkout.Session>(`/checkout_sessions/${session}/pay`, body)
const advance = (subscription: string, body: Json = {}) =>
  lab.control<Advanced>(`/subscriptions/${subscription}/advance`, body)
const read = (id: string) => lab.stripe.subscriptions.retrieve(id, {}, of)

async function joined(extra: Partial<Stripe.Checkout.SessionCreateParams> = {}, paying: Json = {}): Promise<Joined> {
  const price = await lab.stripe.prices.create(monthly(), of)
  const { id } = await lab.stripe.checkout.sessions.create(form(price.id, extra), of)
  const session = await pay(id, paying)
  return { session, subscription: String(session.subscription), customer: String(session.customer), price }
}

const typesAbout = async (id: string) =>
  (await lab.control<{ type: string }[]>(`/events?object=${id}`)).map(({ type }) => type)

test('A price is found by its lookup key, which no second price of the account can have', async () => {
  const lookup_key = randomUUID()
  const options = { ...of, idempotencyKey: lookup_key }
  const price = await lab.stripe.prices.create(monthly({ lookup_key }), options)
  expect(price).toMatchObject({
    active: true,
    lookup_key,
    type: 'recurring',
    recurring: { interval: 'month', interval_count: 1 },
    unit_amount: 1000,
  })
  expect((await lab.stripe.prices.create(monthly({ lookup_key }), options)).id).toBe(price.id)
  expect((await lab.stripe.prices.list({ lookup_keys: [lookup_key, 'other'] }, of)).data).toMatchObject([
    { id: price.id },
  ])
  expect((await lab.stripe.prices.list({ lookup_keys: [lookup_key] })).data).toEqual([])
  expect(await failure(lab.stripe.prices.create(monthly({ lookup_key }), of))).toMatchObject({
    status: 400,
    param: 'lookup_key',
    message: `A price (\`${price.id}\`) already uses that lookup key.`,
  })
  const moved = await lab.stripe.prices.create(monthly({ lookup_key, transfer_lookup_key: true }), of)
  expect((await lab.stripe.prices.list({ lookup_keys: [lookup_key], active: true }, of)).data).toMatchObject([
    { id: moved.id },
  ])
  expect(
    await failure(lab.stripe.prices.create(monthly({ recurring: { interval: 'month', interval_count: 37 } }), of)),
  ).toMatchObject({
    param: 'recurring[interval_count]',
  })
})

test('A coupon has the id of its caller, per account, and a second one with it is refused', async () => {
  const id = randomUUID()
  const given = { id, amount_off: 300, currency: 'usd', duration: 'once' } as const
  expect(await lab.stripe.coupons.create(given, of)).toMatchObject({ id, valid: true, times_redeemed: 0 })
  expect(await failure(lab.stripe.coupons.create(given, of))).toMatchObject({
    status: 400,
    code: 'resource_already_exists',
    message: 'Coupon already exists.',
  })
  expect(await failure(lab.stripe.coupons.retrieve(id))).toMatchObject({ status: 404, code: 'resource_missing' })
  await lab.stripe.coupons.create({ ...given, amount_off: 100 }, { stripeAccount: 'acct_else' })
  expect(await lab.stripe.coupons.retrieve(id, {}, of)).toMatchObject({ amount_off: 300 })
})

test('A customer is created, changed and told apart from those of other accounts', async () => {
  const customer = await lab.stripe.customers.create(
    { email: 'a@example.com', metadata: { contact: 'c', extra: 'x' } },
    of,
  )
  const changed = await lab.stripe.customers.update(customer.id, { name: 'Ann', metadata: { extra: '' } }, of)
  expect(changed).toMatchObject({ id: customer.id, email: 'a@example.com', name: 'Ann', metadata: { contact: 'c' } })
  expect(changed.metadata).not.toHaveProperty('extra')
  expect(await lab.event('customer.updated', customer.id)).toMatchObject({
    account,
    livemode: false,
    data: { previous_attributes: { name: null, metadata: { extra: 'x' } } },
  })
  expect(await failure(lab.stripe.customers.retrieve(customer.id))).toMatchObject({
    status: 404,
    code: 'resource_missing',
  })
})

test('A page for a subscription is refused for what Stripe refuses', async () => {
  const price = await lab.stripe.prices.create(monthly(), of)
  const once = await lab.stripe.prices.create({ currency: 'usd', unit_amount: 500, product_data: { name: 'Mug' } }, of)
  const refused = (extra: Partial<Stripe.Checkout.SessionCreateParams>, id = price.id) =>
    failure(lab.stripe.checkout.sessions.create(form(id, extra), of)).then(({ param, message }) => param ?? message)
  expect(await refused({}, 'price_missing')).toBe('line_items[0][price]')
  expect(await refused({}, once.id)).toBe('line_items')
  expect(await refused({ mode: 'payment' })).toBe('line_items')
  expect(await refused({ payment_intent_data: { description: 'x' } })).toBe('payment_intent_data')
  expect(await refused({ customer: 'cus_missing' })).toBe('customer')
  expect(await refused({ customer: 'cus_1', customer_email: 'a@example.com' })).toContain('only specify one')
  expect(await refused({ discounts: [{ coupon: 'missing' }] })).toBe('discounts[0][coupon]')
  await lab.stripe.prices.update(price.id, { active: false }, of)
  expect(await refused({})).toBe('line_items[0][price]')
})

test('A paid page starts a subscription with the card of the page and one paid invoice', async () => {
  const { session, subscription, customer, price } = await joined(
    { customer_email: 'a@example.com' },
    { period_s: 600 },
  )
  expect(session).toMatchObject({
    status: 'complete',
    payment_status: 'paid',
    payment_intent: null,
    amount_total: 1000,
    customer_email: 'a@example.com',
  })
  const started = await lab.stripe.subscriptions.retrieve(
    subscription,
    { expand: ['latest_invoice.payments', 'customer'] },
    of,
  )
  expect(started).toMatchObject({
    status: 'active',
    cancel_at: null,
    cancel_at_period_end: false,
    metadata: { subscription: 'row-1' },
    billing_mode: { type: 'flexible' },
    customer: { email: 'a@example.com', invoice_settings: { default_payment_method: null } },
    default_payment_method: expect.stringMatching(/^pm_/),
    items: { data: [{ price: { id: price.id }, quantity: 1 }] },
  })
  const [item] = started.items.data
  expect(Number(item?.current_period_end) - Number(item?.current_period_start)).toBe(600)
  expect(started).not.toHaveProperty('current_period_end')

  const invoice = (await lab.event('invoice.paid', subscription)).data.object as Stripe.Invoice
  expect(invoice).toMatchObject({
    id: String(session.invoice),
    status: 'paid',
    billing_reason: 'subscription_create',
    amount_due: 1000,
    amount_paid: 1000,
    amount_paid_off_stripe: 0,
    subtotal: 1000,
    currency: 'usd',
    customer,
    parent: { subscription_details: { subscription, metadata: { subscription: 'row-1' } } },
    lines: {
      data: [
        {
          amount: 1000,
          quantity: 1,
          parent: {
            type: 'subscription_item_details',
            subscription_item_details: { subscription, subscription_item: item?.id, proration: false },
          },
          period: { start: item?.current_period_start, end: item?.current_period_end },
          pricing: { price_details: { price: price.id } },
        },
      ],
    },
  })
  // Stripe names the time before the invoice here.
  expect(invoice.period_end).toBe(item?.current_period_start)
  expect(invoice).not.toHaveProperty('payment_intent')
  const [payment, ...more] = (await lab.stripe.invoicePayments.list({ invoice: invoice.id }, of)).data
  expect(more).toEqual([])
  expect(payment).toMatchObject({
    amount_paid: 1000,
    is_default: true,
    status: 'paid',
    payment: { type: 'payment_intent' },
  })
  const charges = await lab.stripe.charges.list({ payment_intent: String(payment?.payment.payment_intent) }, of)
  expect(charges.data).toMatchObject([
    { paid: true, amount: 1000, customer, payment_method: started.default_payment_method },
  ])
  await lab.stripe.refunds.create({ payment_intent: String(payment?.payment.payment_intent), amount: 400 }, of)

  expect(await typesAbout(subscription)).toEqual([
    'customer.subscription.created',
    'invoice.paid',
    'customer.subscription.updated',
    'checkout.session.completed',
  ])
  expect(await lab.event('customer.subscription.created', subscription)).toMatchObject({
    account,
    data: { object: { status: 'incomplete' } },
  })
  expect(await lab.event('customer.subscription.updated', subscription)).toMatchObject({
    data: { previous_attributes: { status: 'incomplete' } },
  })
})

test('A customer has subscriptions of one currency at a time', async () => {
  const { customer, subscription } = await joined()
  const euro = await lab.stripe.prices.create(monthly({ currency: 'eur' }), of)
  const open = () => lab.stripe.checkout.sessions.create(form(euro.id, { customer }), of)
  expect(await failure(open())).toMatchObject({
    status: 400,
    message: expect.stringMatching(/^You cannot combine currencies on a single customer.* usd\.$/),
  })
  await lab.stripe.subscriptions.cancel(subscription, {}, of)
  expect(await open()).toMatchObject({ customer, customer_email: null, currency: 'eur' })
})

test('A discount counts for the first invoice only', async () => {
  const coupon = await lab.stripe.coupons.create(
    { id: randomUUID(), amount_off: 300, currency: 'usd', duration: 'once' },
    of,
  )
  const { session, subscription } = await joined({ discounts: [{ coupon: coupon.id }] })
  expect(session).toMatchObject({
    amount_subtotal: 1000,
    amount_total: 700,
    total_details: { amount_discount: 300 },
    discounts: [{ coupon: coupon.id }],
  })
  const first = await lab.stripe.invoices.retrieve(String(session.invoice), {}, of)
  expect(first).toMatchObject({
    subtotal: 1000,
    total: 700,
    amount_paid: 700,
    lines: { data: [{ amount: 1000, discount_amounts: [{ amount: 300 }] }] },
  })
  expect((await lab.stripe.coupons.retrieve(coupon.id, {}, of)).times_redeemed).toBe(1)
  expect((await advance(subscription)).invoice).toMatchObject({ amount_paid: 1000 })
  expect((await advance(subscription, { amount_off: 200 })).invoice).toMatchObject({ subtotal: 1000, amount_paid: 800 })
})

test('A declined first payment leaves an incomplete subscription for the page to pay or end', async () => {
  const price = await lab.stripe.prices.create(monthly(), of)
  const [first, second] = await Promise.all([1, 2].map(() => lab.stripe.checkout.sessions.create(form(price.id), of)))
  for (const page of [first, second])
    expect(await pay(String(page?.id), { outcome: 'declined' })).toMatchObject({ status: 'open', subscription: null })
  const failed = await lab.event('invoice.payment_failed', price.id)
  expect(failed.data.object).toMatchObject({
    billing_reason: 'subscription_create',
    status: 'open',
    attempt_count: 1,
    next_payment_attempt: null,
  })
  const done = await pay(String(first?.id))
  expect(await read(String(done.subscription))).toMatchObject({ status: 'active' })
  expect((await lab.control<Stripe.Invoice[]>(`/ledger/invoices?subscription=${done.subscription}`)).length).toBe(1)
  await lab.stripe.checkout.sessions.expire(String(second?.id), {}, of)
  const ended = (await lab.stripe.subscriptions.list({ price: price.id, status: 'ended' }, of)).data
  expect(ended).toMatchObject([{ status: 'incomplete_expired' }])
  expect((await lab.stripe.invoices.retrieve(String(ended[0]?.latest_invoice), {}, of)).status).toBe('void')
})

test('A renewal follows the last period, a decline leaves it past due, and recovery pays it', async () => {
  const { subscription } = await joined({}, { period_s: 100 })
  const before = (await read(subscription)).items.data[0]
  const renewed = await advance(subscription, { period_s: 50 })
  const end = Number(before?.current_period_end)
  expect(renewed.subscription.items.data[0]).toMatchObject({ current_period_start: end, current_period_end: end + 50 })
  expect(renewed.invoice).toMatchObject({ billing_reason: 'subscription_cycle', status: 'paid', period_end: end })
  expect(renewed.invoice.lines.data[0]?.period).toEqual({ start: end, end: end + 50 })

  lab.received = []
  const declined = await advance(subscription, { outcome: 'decline', period_s: 50 })
  expect(declined).toMatchObject({
    subscription: { status: 'past_due' },
    invoice: { status: 'open', attempt_count: 1, next_payment_attempt: expect.any(Number) },
  })
  expect((await lab.event('invoice.payment_failed', subscription)).data.object).toMatchObject({
    amount_remaining: 1000,
  })
  expect(await advance(subscription, { outcome: 'decline' })).toMatchObject({
    invoice: { id: declined.invoice.id, attempt_count: 2 },
  })
  const recovered = await advance(subscription, { outcome: 'recover' })
  expect(recovered).toMatchObject({
    subscription: { status: 'active' },
    invoice: { id: declined.invoice.id, status: 'paid', attempt_count: 3 },
  })
  expect(await lab.event('invoice.paid', declined.invoice.id)).toMatchObject({ account })
  await expect(advance(subscription, { outcome: 'recover' })).rejects.toThrow('no invoice to pay')
  const [payment] = (await lab.stripe.invoicePayments.list({ invoice: declined.invoice.id }, of)).data
  const tried = await lab.stripe.charges.list({ payment_intent: String(payment?.payment.payment_intent) }, of)
  expect(tried.data.map(({ status }) => status)).toEqual(['succeeded', 'failed', 'failed'])
})

test('A draft begins the period an hour before it is charged', async () => {
  const { subscription } = await joined()
  const draft = await advance(subscription, { outcome: 'draft', period_s: 60 })
  expect(draft.invoice).toMatchObject({ status: 'draft', attempted: false })
  expect(draft.subscription.items.data[0]?.current_period_end).toBe(draft.invoice.lines.data[0]?.period.end)
  expect((await advance(subscription)).invoice).toMatchObject({ id: draft.invoice.id, status: 'paid' })
})

test('The card that the page pinned pays until the subscription names another one', async () => {
  const { subscription, customer } = await joined({}, { last4: '0341' })
  const pinned = (await read(subscription)).default_payment_method
  const { payment_method } = await lab.control<{ payment_method: Stripe.PaymentMethod }>(
    `/customers/${customer}/card`,
    {},
  )
  expect(await lab.event('customer.updated', payment_method.id)).toMatchObject({
    account,
    data: {
      object: { invoice_settings: { default_payment_method: payment_method.id } },
      previous_attributes: { invoice_settings: { default_payment_method: null } },
    },
  })
  expect((await read(subscription)).default_payment_method).toBe(pinned)
  expect(await advance(subscription)).toMatchObject({ subscription: { status: 'past_due' } })
  const foreign = await lab.control<{ payment_method: Stripe.PaymentMethod }>(
    `/customers/${(await joined()).customer}/card`,
    {},
  )
  expect(
    await failure(
      lab.stripe.subscriptions.update(subscription, { default_payment_method: foreign.payment_method.id }, of),
    ),
  ).toMatchObject({
    param: 'default_payment_method',
    message: expect.stringContaining('must be attached to the customer'),
  })
  await lab.stripe.subscriptions.update(subscription, { default_payment_method: payment_method.id }, of)
  const { invoice } = await advance(subscription, { outcome: 'recover' })
  expect(invoice.status).toBe('paid')
  const [payment] = (await lab.stripe.invoicePayments.list({ invoice: invoice.id, status: 'paid' }, of)).data
  const intent = await lab.stripe.paymentIntents.retrieve(String(payment?.payment.payment_intent), {}, of)
  expect(intent.payment_method).toBe(payment_method.id)
})

test('A subscription ends at its period, is taken back, and ends at once, as the API says it', async () => {
  const { subscription } = await joined()
  const end = (await read(subscription)).items.data[0]?.current_period_end
  const ending = await lab.stripe.subscriptions.update(subscription, { cancel_at_period_end: true }, of)
  expect(ending).toMatchObject({
    status: 'active',
    cancel_at_period_end: true,
    cancel_at: end,
    canceled_at: expect.any(Number),
  })
  expect(await lab.stripe.subscriptions.update(subscription, { cancel_at_period_end: false }, of)).toMatchObject({
    cancel_at: null,
    canceled_at: null,
  })
  expect(await lab.stripe.subscriptions.update(subscription, { cancel_at: 'max_period_end' }, of)).toMatchObject({
    cancel_at: end,
    cancel_at_period_end: false,
  })
  expect(await lab.stripe.subscriptions.update(subscription, { cancel_at_period_end: false }, of)).toMatchObject({
    cancel_at: end,
  })
  expect(await lab.stripe.subscriptions.update(subscription, { cancel_at: '' }, of)).toMatchObject({ cancel_at: null })
  expect(
    await failure(lab.stripe.subscriptions.update(subscription, { cancel_at: '', cancel_at_period_end: false }, of)),
  ).toMatchObject({ status: 400 })

  const options = { ...of, idempotencyKey: randomUUID() }
  expect(await lab.stripe.subscriptions.cancel(subscription, {}, options)).toMatchObject({
    status: 'canceled',
    ended_at: expect.any(Number),
    cancellation_details: { reason: 'cancellation_requested' },
  })
  expect(await lab.event('customer.subscription.deleted', subscription)).toMatchObject({
    account,
    data: { object: { status: 'canceled' } },
  })
  // A DELETE has no stored answer: the same call is carried out again.
  expect(await failure(lab.stripe.subscriptions.cancel(subscription, {}, options))).toMatchObject({
    status: 404,
    code: 'resource_missing',
  })
  const calls = await lab.control<LedgerEntry[]>(`/ledger?key=${options.idempotencyKey}`)
  expect(calls.map(({ method, effect, status }) => [method, effect, status])).toEqual([
    ['DELETE', true, 200],
    ['DELETE', false, 404],
  ])
  expect(
    await failure(lab.stripe.subscriptions.update(subscription, { cancel_at_period_end: false }, of)),
  ).toMatchObject({
    message: 'A canceled subscription can only update its cancellation_details and metadata.',
  })
  await expect(advance(subscription)).rejects.toThrow('canceled')
})

test('The dashboard sets cancel_at alone, and the subscription ends with the period', async () => {
  const { subscription } = await joined()
  const cancel = (body: Json) => lab.control<Stripe.Subscription>(`/subscriptions/${subscription}/cancel`, body)
  const ending = await cancel({})
  expect(ending).toMatchObject({
    cancel_at: ending.items.data[0]?.current_period_end,
    cancel_at_period_end: false,
    status: 'active',
  })
  expect(await cancel({ mode: 'resume' })).toMatchObject({ cancel_at: null })
  expect(await cancel({ mode: 'cancel_at_period_end' })).toMatchObject({ cancel_at_period_end: true })
  expect(await advance(subscription)).toMatchObject({ subscription: { status: 'canceled' }, invoice: null })
  const other = await joined()
  await lab.control(`/subscriptions/${other.subscription}/cancel`, { cancel_at: Math.floor(Date.now() / 1000) })
  await lab.event('customer.subscription.deleted', other.subscription)
  const third = await joined()
  await advance(third.subscription, { outcome: 'decline' })
  expect(await advance(third.subscription, { outcome: 'unpaid' })).toMatchObject({ subscription: { status: 'unpaid' } })
  expect(await advance(third.subscription, { outcome: 'give_up' })).toMatchObject({
    subscription: { status: 'canceled', cancellation_details: { reason: 'payment_failed' } },
  })
})

test('A merchant can make invoices that prove no paid period', async () => {
  const { subscription } = await joined()
  const dear = await lab.stripe.prices.create(monthly({ unit_amount: 5000 }), of)
  const { invoice: trial, subscription: trialing } = await advance(subscription, { trial: true })
  expect([trial.amount_paid, trial.subtotal, trialing.status]).toEqual([0, 0, 'trialing'])
  expect((await lab.stripe.invoicePayments.list({ invoice: trial.id }, of)).data).toEqual([])
  expect(
    (await advance(subscription, { proration: true })).invoice.lines.data.map(
      (line) => line.parent?.subscription_item_details?.proration,
    ),
  ).toEqual([false, true])
  expect((await advance(subscription, { off_stripe: true })).invoice).toMatchObject({
    amount_paid: 1000,
    amount_paid_off_stripe: 1000,
  })
  const { invoice } = await advance(subscription, { quantity: 2, price: dear.id })
  expect(invoice).toMatchObject({
    amount_paid: 10_000,
    lines: { data: [{ quantity: 2, pricing: { price_details: { price: dear.id } } }] },
  })
})

test('A trial on a page is charged nothing and needs no payment', async () => {
  const { session, subscription } = await joined({ subscription_data: { trial_period_days: 7 } })
  expect(session).toMatchObject({ amount_total: 0, payment_status: 'no_payment_required' })
  expect(await read(subscription)).toMatchObject({ status: 'trialing', trial_end: expect.any(Number) })
  expect((await lab.event('invoice.paid', subscription)).data.object).toMatchObject({
    amount_paid: 0,
    lines: { data: [{ amount: 0 }] },
  })
})

test('The platform sells subscriptions with inline prices and signs for its own endpoint', async () => {
  const price_data = {
    currency: 'eur',
    unit_amount: 2900,
    product_data: { name: 'Plan' },
    recurring: { interval: 'year' },
  } as const
  const { id } = await lab.stripe.checkout.sessions.create(form('', { line_items: [{ price_data, quantity: 1 }] }))
  const { subscription } = await pay(id)
  const found = await lab.stripe.subscriptions.retrieve(String(subscription))
  expect(found).toMatchObject({
    currency: 'eur',
    items: { data: [{ price: { active: false, unit_amount: 2900, recurring: { interval: 'year' } } }] },
  })
  // The receiver verifies events without an account by the other secret.
  const paid = await lab.event('invoice.paid', String(subscription))
  expect(paid.account).toBeUndefined()
  expect(await failure(lab.stripe.subscriptions.retrieve(String(subscription), {}, of))).toMatchObject({ status: 404 })
  expect((await lab.stripe.subscriptions.list({ customer: String(found.customer) })).data).toMatchObject([
    { id: subscription },
  ])
})

test('The portal needs a configuration, and the caller finds its own by metadata', async () => {
  const customer = await lab.stripe.customers.create({}, of)
  const open = (extra: Partial<Stripe.BillingPortal.SessionCreateParams> = {}) =>
    lab.stripe.billingPortal.sessions.create(
      { customer: customer.id, return_url: 'https://shop.example/back', ...extra },
      of,
    )
  expect(await failure(open())).toMatchObject({
    status: 400,
    message: expect.stringContaining('No configuration provided'),
  })
  const configuration = await lab.stripe.billingPortal.configurations.create(
    {
      features: { payment_method_update: { enabled: true }, invoice_history: { enabled: true } },
      metadata: { made_by: 'us' },
    },
    of,
  )
  expect(configuration).toMatchObject({
    active: true,
    is_default: false,
    features: {
      payment_method_update: { enabled: true },
      subscription_cancel: { enabled: false },
      subscription_update: { enabled: false },
    },
  })
  expect((await lab.stripe.billingPortal.configurations.list({ active: true }, of)).data).toMatchObject([
    { metadata: { made_by: 'us' } },
  ])
  // A configuration of the API is never the default one.
  expect(await failure(open())).toMatchObject({ status: 400 })
  const flow_data = {
    type: 'payment_method_update',
    after_completion: { type: 'redirect', redirect: { return_url: 'https://shop.example/done' } },
  } as const
  expect(await open({ configuration: configuration.id, flow_data })).toMatchObject({
    customer: customer.id,
    url: expect.stringMatching(/\/_sim\/portal#test_\w+$/),
    flow: { type: 'payment_method_update', after_completion: { type: 'redirect' } },
  })
  expect(await failure(open({ configuration: 'bpc_missing' }))).toMatchObject({
    param: 'configuration',
    code: 'resource_missing',
  })
  const cancel = { type: 'subscription_cancel', subscription_cancel: { subscription: 'sub_1' } } as const
  expect(await failure(open({ configuration: configuration.id, flow_data: cancel }))).toMatchObject({ status: 400 })
})

test('The events of a life are held, delivered in any order and repeated, also in live mode', async () => {
  await lab.control('/events', { hold: true, account })
  const { subscription } = await joined()
  await advance(subscription)
  await lab.control(`/subscriptions/${subscription}/cancel`, { mode: 'now' })
  const held = (
    await lab.control<{ id: string; type: string; state: string }[]>(`/events?object=${subscription}`)
  ).filter(({ state }) => state === 'held')
  expect(held.map(({ type }) => type)).toEqual([
    'customer.subscription.created',
    'invoice.paid',
    'customer.subscription.updated',
    'checkout.session.completed',
    'customer.subscription.updated',
    'invoice.paid',
    'customer.subscription.deleted',
  ])
  const ids = held.map(({ id }) => id).reverse()
  lab.received = []
  await lab.control('/events/deliver', { ids, times: 2 })
  expect(lab.received.map(({ id }) => id)).toEqual([...ids, ...ids])
  lab.received = []
  await lab.control('/events/deliver', { ids: ids.slice(0, 1), livemode: true })
  expect(lab.received).toMatchObject([{ id: ids[0], livemode: true }])
})

test('The ledger shows when a page was closed, and whether the next one was opened before', async () => {
  const price = await lab.stripe.prices.create(monthly(), of)
  const metadata = { member: randomUUID() }
  const open = () => lab.stripe.checkout.sessions.create(form(price.id, { metadata }), of)
  const first = await open()
  const overlapping = await open()
  await lab.stripe.checkout.sessions.expire(first.id, {}, of)
  await lab.control(`/checkout_sessions/${overlapping.id}/expire`, {})
  const last = await open()
  const paid = await pay(last.id)
  const pages = (await lab.control<Page[]>(`/ledger/pages?account=${account}`)).filter(
    (page) => page.metadata.member === metadata.member,
  )
  expect(pages.map(({ id, status }) => [id, status])).toEqual([
    [first.id, 'expired'],
    [overlapping.id, 'expired'],
    [last.id, 'complete'],
  ])
  const [a, b, c] = pages as [Page, Page, Page]
  expect(Number(a.closed)).toBeGreaterThan(b.opened)
  expect(Number(b.closed)).toBeLessThan(c.opened)
  expect(c).toMatchObject({ account, mode: 'subscription', subscription: paid.subscription })
  const invoices = await lab.control<{ payment_intents: string[] }[]>(
    `/ledger/invoices?account=${account}&subscription=${paid.subscription}&status=paid`,
  )
  expect(invoices).toMatchObject([{ account, payment_intents: [expect.stringMatching(/^pi_/)] }])
  expect(await lab.control(`/ledger/subscriptions?customer=${paid.customer}`)).toMatchObject([
    { id: paid.subscription, account, status: 'active' },
  ])
})

test('A lost answer of a change or a price leaves its effect, which a second call finds', async () => {
  const { subscription } = await joined()
  const lookup_key = randomUUID()
  await lab.control('/faults', { path: '/v1/prices', fault: 'status', status: 502, after_effect: true })
  expect(await failure(lab.stripe.prices.create(monthly({ lookup_key }), of))).toMatchObject({ status: 502 })
  expect((await lab.stripe.prices.list({ lookup_keys: [lookup_key] }, of)).data).toHaveLength(1)
  await lab.control('/faults', { method: 'DELETE', path: '/v1/subscriptions/*', fault: 'break_body' })
  await expect(lab.stripe.subscriptions.cancel(subscription, {}, of)).rejects.toThrow()
  expect((await read(subscription)).status).toBe('canceled')
})

test('After SIGKILL subscriptions, coupons and the history of pages are still there', async () => {
  const id = randomUUID()
  await lab.stripe.coupons.create({ id, percent_off: 10, duration: 'once' }, of)
  const { subscription } = await joined({ discounts: [{ coupon: id }] })
  const before = await Promise.all(['pages', 'subscriptions', 'invoices'].map((what) => lab.control(`/ledger/${what}`)))
  await lab.kill()
  await lab.start()
  expect(
    await Promise.all(['pages', 'subscriptions', 'invoices'].map((what) => lab.control(`/ledger/${what}`))),
  ).toEqual(before)
  expect((await lab.stripe.coupons.retrieve(id, {}, of)).times_redeemed).toBe(1)
  expect((await advance(subscription)).invoice.status).toBe('paid')
})
