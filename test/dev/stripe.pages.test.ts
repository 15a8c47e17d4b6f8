// What the simulator gives to browsers: its library, the payment form, the hosted checkout and the customer portal.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type Stripe from 'stripe'
import { type Json, type StripeLab, stripeLab } from '../kit/orders/stripe-lab.ts'

const seller = 'acct_seller1'
let lab: StripeLab
beforeAll(async () => {
  lab = await stripeLab()
  await lab.control(`/accounts/${seller}`, { charges_enabled: true, details_submitted: true, payouts_enabled: true })
})
afterAll(() => lab.stop())

const session = (extra: Partial<Stripe.Checkout.SessionCreateParams> = {}) =>
  lab.stripe.checkout.sessions.create(
    {
      mode: 'payment',
      ui_mode: 'embedded_page',
      return_url: 'https://shop.example/done?session={CHECKOUT_SESSION_ID}',
      line_items: [{ quantity: 2, price_data: { currency: 'usd', unit_amount: 1250, product_data: { name: 'Mug' } } }],
      ...extra,
    },
    { stripeAccount: seller },
  )
const formOf = ({ client_secret }: Stripe.Checkout.Session): Json => ({ secret: client_secret, account: seller })
const pay = (form: Json, card: string, more: Json = {}) => lab.control('/card/pay', { ...form, card, ...more })
const refusal = (call: Promise<unknown>) => call.then(String, (error: Error) => error.message)
const read = (id: string) => lab.stripe.checkout.sessions.retrieve(id, {}, { stripeAccount: seller })

test('Pages, scripts and styles are served with a policy that allows their own origin alone', async () => {
  for (const [path, type] of [
    ['/_sim/stripe.js', 'text/javascript'],
    ['/_sim/card', 'text/html'],
    ['/_sim/web/card.js', 'text/javascript'],
    ['/_sim/web/style.css', 'text/css'],
    ['/_sim/portal', 'text/html'],
  ] as const) {
    const { status, headers } = await lab.page(path)
    const policy = headers.get('content-security-policy')
    expect([status, headers.get('content-type'), headers.get('access-control-allow-origin')]).toEqual([
      200,
      `${type}; charset=utf-8`,
      '*',
    ])
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'")
  }
})

test('The form shows what is paid, and pays by the accepted card', async () => {
  const made = await session()
  expect(await lab.control('/card/session', formOf(made))).toMatchObject({
    total: '$25.00',
    lines: [{ name: '2 × Mug', amount: '$25.00' }],
    cards: ['accepted', 'declined', 'confirmation', 'slow'].map((value) => ({ value })),
    complete: false,
  })
  expect(await pay(formOf(made), 'accepted')).toEqual({ return_url: `https://shop.example/done?session=${made.id}` })
  expect(await read(made.id)).toMatchObject({ status: 'complete', payment_status: 'paid' })
  expect(await lab.control('/card/session', formOf(made))).toMatchObject({ complete: true })
})

test('A form whose answer was lost returns when it is paid again, and nothing is charged twice', async () => {
  const made = await session()
  const answer = await pay(formOf(made), 'accepted')
  expect(await pay(formOf(made), 'accepted')).toEqual(answer)
  expect(await pay(formOf(made), 'declined')).toEqual(answer)
  const { payment_intent } = await read(made.id)
  const charges = await lab.stripe.charges.list({ payment_intent: String(payment_intent) }, { stripeAccount: seller })
  expect(charges.data).toMatchObject([{ amount: 2500, status: 'succeeded' }])
})

test('A declined card leaves the form open for another one', async () => {
  const made = await session()
  expect(await pay(formOf(made), 'declined')).toEqual({ declined: 'Your card was declined.' })
  expect(await read(made.id)).toMatchObject({ status: 'open' })
  await pay(formOf(made), 'accepted')
  expect(await read(made.id)).toMatchObject({ status: 'complete' })
})

test('A card that asks for confirmation pays only when the buyer confirms', async () => {
  const made = await session()
  expect(await pay(formOf(made), 'confirmation')).toEqual({ requires_confirmation: true })
  const refused = await pay(formOf(made), 'confirmation', { confirmed: false })
  expect(refused.declined).toContain('unable to authenticate')
  expect(await read(made.id)).toMatchObject({ status: 'open' })
  await pay(formOf(made), 'confirmation', { confirmed: true })
  expect(await read(made.id)).toMatchObject({ status: 'complete' })
})

test('A form that redirects never has no address to return to', async () => {
  const made = await session({ redirect_on_completion: 'never', return_url: undefined })
  expect(await pay(formOf(made), 'accepted')).toEqual({ return_url: null })
})

test('A secret with another account, without the account or of no session opens no form', async () => {
  const made = await session()
  const form = formOf(made)
  const ask = (change: Json) => refusal(lab.control('/card/session', { ...form, ...change }))
  expect(await ask({ account: 'acct_other' })).toContain('No such')
  expect(await ask({ account: undefined })).toContain('No such')
  expect(await ask({ secret: made.id })).toContain('No such')
  expect(await ask({ secret: 'cs_test_none_secret_x' })).toContain('No such')
  await lab.control(`/checkout_sessions/${made.id}/expire`, {})
  expect(await ask({})).toContain('expired')
})

test('An account with keys of its own opens its form without naming the account', async () => {
  const secret_key = 'sk_test_own'
  await lab.control('/accounts', { secret_key, webhook_url: 'http://127.0.0.1:1', webhook_secret: 'whsec_own' })
  const made = await lab.stripe.checkout.sessions.create(
    {
      mode: 'payment',
      ui_mode: 'embedded_page',
      return_url: 'https://shop.example/done',
      line_items: [{ quantity: 1, price_data: { currency: 'usd', unit_amount: 500, product_data: { name: 'Cut' } } }],
    },
    { apiKey: secret_key },
  )
  expect(await lab.control('/card/session', { secret: made.client_secret })).toMatchObject({ total: '$5.00' })
})

test('The address of a hosted checkout opens the same form, with a way back', async () => {
  const pages = { success_url: 'https://shop.example/yes', cancel_url: 'https://shop.example/no' }
  const made = await session({ ui_mode: 'hosted_page', return_url: undefined, ...pages })
  const { pathname, hash } = new URL(String(made.url))
  expect((await lab.page(pathname)).status).toBe(200)
  const form = Object.fromEntries(new URLSearchParams(hash.slice(1)))
  expect(await lab.control('/card/session', form)).toMatchObject({ cancel_url: pages.cancel_url })
  expect(await pay(form, 'accepted')).toEqual({ return_url: pages.success_url })
})

test('The customer portal shows the subscriptions, saves a card and returns where its flow says', async () => {
  const of = { stripeAccount: seller }
  const customer = await lab.stripe.customers.create({ email: 'ada@shop.example' }, of)
  const subscribed = await session({
    mode: 'subscription',
    customer: customer.id,
    line_items: [
      {
        quantity: 1,
        price_data: {
          ...{ currency: 'usd', unit_amount: 900, product_data: { name: 'Club' }, recurring: { interval: 'month' } },
        },
      },
    ],
  })
  expect(await lab.control('/card/session', formOf(subscribed))).toMatchObject({
    cards: expect.arrayContaining([expect.objectContaining({ value: 'declines_later' })]),
  })
  await pay(formOf(subscribed), 'accepted')
  const configuration = await lab.stripe.billingPortal.configurations.create(
    { features: { payment_method_update: { enabled: true } } },
    of,
  )
  const portal = await lab.stripe.billingPortal.sessions.create(
    {
      customer: customer.id,
      configuration: configuration.id,
      return_url: 'https://shop.example/account',
      flow_data: {
        type: 'payment_method_update',
        after_completion: { type: 'redirect', redirect: { return_url: 'https://shop.example/saved' } },
      },
    },
    of,
  )
  const token = new URL(portal.url).hash.slice(1)
  expect(await lab.control('/portal/session', { session: token })).toMatchObject({
    email: 'ada@shop.example',
    subscriptions: ['$9.00 per month: active'],
    return_url: 'https://shop.example/account',
  })
  expect(await lab.control('/portal/card', { session: token, card: '0341' })).toEqual({
    saved: '0341',
    redirect: 'https://shop.example/saved',
  })
  const { data } = await lab.stripe.customers.listPaymentMethods(customer.id, { type: 'card' }, of)
  expect(data.map(({ card }) => card?.last4).toSorted()).toEqual(['0341', '4242'])
  expect(await refusal(lab.control('/portal/session', { session: 'test_none' }))).toContain('expired')
})
