// A checkout creates one order or is refused with a reason; a reservation is released only when it can no longer be
// paid.
import fs from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { Client, Connection } from '@temporalio/client'
import { bookable, type Slot } from '../kit/bookings/booking.ts'
import { prove } from '../kit/codes.ts'
import {
  apiWith,
  buyer,
  card,
  cardShop,
  cartOf,
  cash,
  checkOut,
  connected,
  fault,
  hasStatus,
  ledger,
  locationOf,
  market,
  order,
  outcomeOf,
  pay,
  paymentOf,
  product,
  read,
  refusalOf,
  return_url,
  type Sold,
  sendEvent,
  sessionOf,
  sim,
  stripe,
  until,
} from '../kit/orders/buying.ts'
import { type Answer, database, eitherApi, newEmail, newShop, type Shop, unique, type Visitor } from '../kit/shop.ts'

let shop: Shop
let account: string
let tea: Sold
beforeAll(async () => {
  ;({ shop, account, tea } = await cardShop())
})

const lastSession = async (orderId: string) => {
  const { data } = await stripe(account, '/checkout/sessions?limit=100')
  return data.find((one: { metadata: { order_id: string } }) => one.metadata.order_id === orderId)
}

test.each([
  ['a relative address', '/thanks', 'url_invalid'],
  ['plain http', 'http://shop.example/thanks', 'url_not_https'],
  ['credentials', 'https://ada:secret@shop.example/', 'url_has_credentials'],
  ['another scheme', 'javascript://shop.example/%0aalert(1)', 'url_not_https'],
])('A return_url with %s is refused, also for cash', async (_, bad, code) => {
  const { visitor, cart } = await buyer(shop, [tea.item()])
  for (const how of [card, cash]) {
    const refused = await checkOut(visitor, cart, { ...how, return_url: bad })
    expect(refused.status).toBe(422)
    expect(refused.body.errors).toMatchObject([{ pointer: '/return_url', code }])
  }
})

test('A card needs a return_url; its fragment is removed, and loopback may be plain HTTP', async () => {
  const { visitor, cart } = await buyer(shop, [tea.item()])
  expect(refusalOf(await checkOut(visitor, cart, { payment_method_key: 'credit_card' }))).toEqual([
    422,
    '/return_url',
    'return_url_required',
  ])
  const done = await checkOut(visitor, cart, {
    payment_method_key: 'credit_card',
    return_url: 'http://127.0.0.1:3000/done?a=1#top',
  })
  expect((await stripe(account, `/checkout/sessions/${sessionOf(done)}`)).return_url).toBe(
    'http://127.0.0.1:3000/done?a=1',
  )
})

test('A checkout at another total than expected returns the present quote and writes nothing', async () => {
  const sold = await product(shop, { stock: 5 })
  const { visitor, cart } = await buyer(shop, [sold.item(2)])
  const quote = async () => (await visitor.call('POST', `/carts/${cart.id}/quote`, {})).body
  const { total } = (await quote()).money
  await shop.asOperator('PUT', `/products/${sold.id}`, {
    variants: [{ id: sold.variant_id, prices: [{ market: 'us', amount: 1500 }] }],
  })
  for (const how of [cash, card]) {
    const { status, body } = await checkOut(visitor, cart, { ...how, expected_total: total })
    expect([status, body.code, body.quote]).toEqual([
      409,
      'total_changed',
      { ...(await quote()), payment_method_key: how.payment_method_key },
    ])
    expect(body.quote.money.total).toBe(3000)
  }
  expect([await sold.available(), (await visitor.call('GET', `/carts/${cart.id}`)).body.status]).toEqual([5, 'open'])
  const answers = await Promise.all(
    [3000, 3000, undefined].map((expected_total) => checkOut(visitor, cart, { ...cash, expected_total })),
  )
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
  // The cart is ordered already: any expected total gets this order.
  expect((await checkOut(visitor, cart, { ...cash, expected_total: 1 })).body).toEqual(answers[0]?.body)
  expect(await sold.available()).toBe(3)
})

test('A price that is raised while buyers check out is paid by nobody who saw another', async () => {
  const sold = await product(shop)
  const ready = await Promise.all(Array.from({ length: 10 }, () => buyer(shop, [sold.item()])))
  const prices = (amount: number) =>
    shop.asOperator('PUT', `/products/${sold.id}`, {
      variants: [{ id: sold.variant_id, prices: [{ market: 'us', amount }] }],
    })
  const [, ...answers] = await Promise.all([
    prices(1001),
    ...ready.map(({ visitor, cart }) => checkOut(visitor, cart, { ...cash, expected_total: 1000 }, eitherApi())),
  ])
  for (const { status, body } of answers)
    expect(status === 200 ? body.payment.amount : [body.code, body.quote.money.total]).toEqual(
      status === 200 ? 1000 : ['total_changed', 1001],
    )
})

test('The payment method of a checkout is the request’s, else the cart’s, else it is missing', async () => {
  const { visitor, cart } = await buyer(shop, [tea.item()])
  expect(refusalOf(await checkOut(visitor, cart, {}))).toEqual([422, '/payment_method_key', 'payment_method_required'])
  expect(refusalOf(await checkOut(visitor, cart, { payment_method_key: 'shells' }))).toEqual([
    422,
    '/payment_method_key',
    'payment_method_unknown',
  ])
  await visitor.call('PUT', `/carts/${cart.id}`, { payment_method_key: 'credit_card' })
  expect((await checkOut(visitor, cart, cash)).body.payment).toMatchObject({ type: 'cash', method_key: 'cash' })
  const saved = await buyer(shop, [tea.item()], { payment_method_key: 'cash' })
  expect((await checkOut(saved.visitor, saved.cart, {})).body.payment).toMatchObject({
    type: 'cash',
    status: 'pending',
    amount: 1000,
  })
})

test('Empty carts, missing prices, inactive products and overflowing sums are refused', async () => {
  const { visitor, cart } = await buyer(shop, [])
  expect(refusalOf(await checkOut(visitor, cart, cash))).toEqual([422, '/product_items', 'cart_empty'])
  const local = await product(shop, { prices: [{ market: 'eu', amount: 5 }] })
  const dear = await product(shop, { amount: Number.MAX_SAFE_INTEGER })
  const gone = await product(shop)
  const buys = async (sold: Sold, quantity = 1) => {
    await visitor.call('PUT', `/carts/${cart.id}`, { product_items: [tea.item(), sold.item(quantity)] })
    return checkOut(visitor, cart, cash)
  }
  expect(refusalOf(await buys(local))).toEqual([422, '/product_items/1', 'price_missing'])
  expect(refusalOf(await buys(dear))).toEqual([422, '/product_items', 'amount_too_large'])
  expect(refusalOf(await buys(dear, 1_000_000))).toEqual([422, '/product_items', 'amount_too_large'])
  await visitor.call('PUT', `/carts/${cart.id}`, { product_items: [tea.item(), gone.item()] })
  await shop.asOperator('PUT', `/products/${gone.id}`, { status: 'draft' })
  expect(refusalOf(await checkOut(visitor, cart, cash))).toEqual([422, '/product_items/1', 'product_not_active'])
  await shop.asOperator('DELETE', `/products/${gone.id}`)
  expect(refusalOf(await checkOut(visitor, cart, cash))).toEqual([422, '/product_items/1', 'variant_unknown'])
  expect((await visitor.call('GET', '/orders')).body.items).toEqual([])
})

test('A checkout whose market was deleted meanwhile is refused with market_unknown', async () => {
  const { visitor, cart } = await buyer(shop, [tea.item()])
  await database().query('update carts set market = $2 where id = $1', [cart.id, 'gone'])
  expect(refusalOf(await checkOut(visitor, cart, cash))).toEqual([422, '/market', 'market_unknown'])
})

test('A store without a connected payment provider sells for cash only', async () => {
  const other = await newShop()
  const sold = await product(other)
  const { visitor, cart } = await buyer(other, [sold.item()])
  expect(refusalOf(await checkOut(visitor, cart, card))).toEqual([
    422,
    '/payment_method_key',
    'payment_provider_not_connected',
  ])
  expect((await checkOut(visitor, cart, cash)).status).toBe(200)
})

test('A total below the card minimum is quoted without the card, and cash accepts it', async () => {
  const sweet = await product(shop, { amount: 49 })
  const { visitor, cart } = await buyer(shop, [sweet.item()], { payment_method_key: 'credit_card' })
  const quote = await visitor.call('POST', `/carts/${cart.id}/quote`)
  expect(quote.body).toMatchObject({ payment_methods: [{ key: 'cash', type: 'cash' }], payment_method_key: null })
  expect(refusalOf(await checkOut(visitor, cart, card))).toEqual([422, '/payment_method_key', 'card_total_too_small'])
  expect((await checkOut(visitor, cart, cash)).status).toBe(200)
})

test('A free order needs no payment method and is paid; it is confirmed if the store wants that', async () => {
  for (const auto_confirm_paid of [true, false]) {
    const other = await newShop({ settings: { auto_confirm_paid } })
    const gift = await product(other, { amount: 0 })
    const { order_id, answer } = await order(other, [gift.item(3)], {})
    expect(answer.body).toMatchObject({
      payment: { type: 'none', method_key: null, status: 'paid', amount: 0 },
      payment_action: { type: 'none' },
    })
    const found = await read(other, order_id)
    expect([found.status, found.money.total]).toEqual([auto_confirm_paid ? 'confirmed' : 'pending', 0])
  }
})

test('Digital goods and bookings need a billing address at checkout, but not in a quote', async () => {
  const other = await newShop()
  await connected(other)
  await market(other, 'us', {
    zones: [
      { countries: ['DE'], tax_bps: 1900 },
      { countries: ['FR'], tax_bps: 2000 },
    ],
  })
  const file = await product(other, { is_digital: true })
  const cut = await bookable(other)
  const [first, second] = (await cut.free()) as Slot[] as [Slot, Slot]
  for (const [how, sold] of [
    [cash, [file.item()]],
    [card, [file.item()]],
    [cash, first],
    [card, second],
  ] as const) {
    const booked = 'from' in sold ? { booking_items: [cut.item(sold)] } : {}
    const { visitor, cart } = await buyer(other, 'from' in sold ? [] : [...sold], booked)
    const untaxed = (await visitor.call('POST', `/carts/${cart.id}/quote`)).body.money
    expect(untaxed).toMatchObject({ tax: null, total: untaxed.subtotal })
    expect(refusalOf(await checkOut(visitor, cart, how))).toEqual([422, '/billing_address', 'zone_not_found'])
    await visitor.call('PUT', `/carts/${cart.id}`, { billing_address: { city: 'Berlin' } })
    expect(refusalOf(await checkOut(visitor, cart, how))).toEqual([422, '/billing_address', 'zone_not_found'])
    await visitor.call('PUT', `/carts/${cart.id}`, { billing_address: { country: 'de' } })
    const done = await checkOut(visitor, cart, how)
    expect([done.status, done.body.payment.amount]).toEqual([200, (untaxed.subtotal * 119) / 100])
  }
})

test('A zone with shipping methods needs one at checkout and a location that ships', async () => {
  const other = await newShop()
  const sold = await product(other)
  const standard = { id: 'standard', taxable: false, eta_text: '2 days', amount: 500 }
  await market(other, 'us', { zones: [{ countries: ['US'], shipping_methods: [standard] }] })
  const { visitor, cart } = await buyer(other, [sold.item()])
  const quote = () => visitor.call('POST', `/carts/${cart.id}/quote`)
  const write = (change: Record<string, unknown>) => visitor.call('PUT', `/carts/${cart.id}`, change)

  expect(refusalOf(await quote())).toEqual([422, '/shipping_address', 'zone_not_found'])
  await write({ shipping_address: { country: 'us' } })
  expect((await quote()).body).toMatchObject({
    shipping_methods: [standard],
    shipping_lines: [],
    money: { shipping: 0, total: 1000 },
  })
  expect(refusalOf(await checkOut(visitor, cart, cash))).toEqual([
    422,
    '/shipping_method_id',
    'shipping_method_required',
  ])
  await write({ shipping_method_id: 'express' })
  expect(refusalOf(await checkOut(visitor, cart, cash))).toEqual([
    422,
    '/shipping_method_id',
    'shipping_method_unknown',
  ])
  await write({ shipping_method_id: 'standard' })
  expect(refusalOf(await checkOut(visitor, cart, cash))).toEqual([
    422,
    '/shipping_method_id',
    'location_not_configured',
  ])
  await other.asOperator('PUT', `/locations/${await locationOf(other)}`, { key: 'default', address: { country: 'US' } })
  const done = await checkOut(visitor, cart, cash)
  expect(done.status).toBe(200)
  expect(await read(other, done.body.order_id)).toMatchObject({
    money: { subtotal: 1000, shipping: 500, total: 1500 },
    shipping_line: { shipping_method_id: 'standard', total: 500 },
    fulfillment_status: 'unfulfilled',
    shipping_address: { country: 'US' },
  })
})

test('An order records whether its buyer had a verified address', async () => {
  const { visitor, cart } = await buyer(shop, [tea.item()])
  expect((await read(shop, (await checkOut(visitor, cart, cash)).body.order_id)).verified).toBe(false)
  expect((await prove(visitor, newEmail('buyer'))).status).toBe(200)
  const next = await cartOf(visitor, [tea.item()])
  expect((await read(shop, (await checkOut(visitor, next, cash)).body.order_id)).verified).toBe(true)
})

/** Everything that a failed checkout reserved is returned, and the contact's next cart has the same lines. */
async function isGivenBack(
  sold: Sold,
  visitor: Visitor,
  cart: { id: string },
  { body }: Answer,
  stock: number,
): Promise<void> {
  const { order_id, cart_id } = body
  expect(await read(shop, order_id)).toMatchObject({ status: 'cancelled', source_cart_id: cart.id })
  expect(await sold.available()).toBe(stock)
  const next = (await visitor.call('POST', '/carts/current')).body
  expect(next).toMatchObject({ id: cart_id, status: 'open', payment_method_key: null, product_items: [sold.item(2)] })
  const again = await checkOut(visitor, cart, card)
  expect(again.status).toBe(409)
  expect(again.body).toMatchObject({ code: 'checkout_cancelled', order_id, cart_id })
}

test('A checkout that the provider refuses is 422, and returns everything at once', async () => {
  const sold = await product(shop, { stock: 5 })
  const { visitor, cart } = await buyer(shop, [sold.item(2)])
  await fault({
    fault: 'status',
    status: 403,
    code: 'account_invalid',
    method: 'POST',
    path: '/v1/checkout/sessions',
    account,
  })
  const refused = await checkOut(visitor, cart, card)
  expect([refused.status, refused.body.code]).toEqual([422, 'payment_rejected'])
  expect(refused.body.detail).toBe('The store cannot take card payments at the moment.')
  await isGivenBack(sold, visitor, cart, refused, 5)
  expect(await paymentOf(shop, refused.body.order_id)).toMatchObject({
    status: 'failed',
    captured_amount: 0,
    error: { provider_status: 403 },
  })
  expect((await checkOut(visitor, { id: refused.body.cart_id }, card)).body.payment_action.type).toBe(
    'card_embedded_checkout',
  )
})

test('A provider’s fault with our request is 503, and its text is only logged', async () => {
  const sold = await product(shop, { stock: 5 })
  const { visitor, cart } = await buyer(shop, [sold.item(2)])
  const dump = `validator ${unique()} failed: additional properties are not allowed`
  const body = { error: { type: 'invalid_request_error', message: dump } }
  await fault({ fault: 'answer', status: 400, body, method: 'POST', path: '/v1/checkout/sessions', account })
  const refused = await checkOut(visitor, cart, card)
  expect([refused.status, refused.body.code]).toEqual([503, 'provider_unavailable'])
  await isGivenBack(sold, visitor, cart, refused, 5)
  const payment = await paymentOf(shop, refused.body.order_id)
  expect(payment).toMatchObject({ status: 'failed', error: { code: 'provider_request_refused', provider_status: 400 } })
  expect(JSON.stringify([refused.body, payment])).not.toContain(dump)
  const logs = process.env.TEST_LOGS as string
  await until(async () =>
    fs
      .readdirSync(logs)
      .some((name) => name.startsWith('worker') && fs.readFileSync(path.join(logs, name), 'utf8').includes(dump)),
  )
})

test('A checkout whose answer is lost is 503, returns everything, and closes the open page', async () => {
  const sold = await product(shop, { stock: 5 })
  const { visitor, cart } = await buyer(shop, [sold.item(2)])
  await fault({ fault: 'reset_after_read', after_effect: true, method: 'POST', path: '/v1/checkout/sessions', account })
  const refused = await checkOut(visitor, cart, card)
  expect([refused.status, refused.body.code]).toEqual([503, 'provider_unavailable'])
  // The order is cancelled: the next cart can be checked out, and the same request returns 409.
  expect(refused.headers.get('retry-after')).toBeNull()
  await isGivenBack(sold, visitor, cart, refused, 5)
  expect(await paymentOf(shop, refused.body.order_id)).toMatchObject({ status: 'failed' })
  await until(async () => (await lastSession(refused.body.order_id)).status === 'expired')
  const opened = (await ledger(account, '/v1/checkout/sessions')).filter(
    ({ metadata }) => metadata.order_id === refused.body.order_id,
  )
  expect(opened).toHaveLength(1)
})

test('A hold that expired before the page was requested is 503, and nothing is sent', async () => {
  const late = await apiWith({ CHECKOUT_HOLD_MINUTES: '0.0001' })
  try {
    const sold = await product(shop, { stock: 5 })
    const { visitor, cart } = await buyer(shop, [sold.item(2)])
    const refused = await checkOut(visitor, cart, card, late.url)
    expect([refused.status, refused.body.code]).toEqual([503, 'provider_unavailable'])
    await isGivenBack(sold, visitor, cart, refused, 5)
    expect(
      (await ledger(account, '/v1/checkout/sessions')).filter(
        ({ metadata }) => metadata.order_id === refused.body.order_id,
      ),
    ).toEqual([])
  } finally {
    await late.stop()
  }
})

test('A repeated checkout with another payment method is 409, and changes nothing', async () => {
  const [byCard, byCash, free] = [
    await buyer(shop, [tea.item()]),
    await buyer(shop, [tea.item()]),
    await buyer(shop, [(await product(shop, { amount: 0 })).item()]),
  ]
  const first = await checkOut(byCard.visitor, byCard.cart, card)
  const order_id = first.body.order_id
  const refused = await Promise.all([1, 2].map(() => checkOut(byCard.visitor, byCard.cart, cash, eitherApi())))
  for (const { status, body } of refused)
    expect([status, body.code, body.order_id, body.detail]).toEqual([
      409,
      'payment_in_progress',
      order_id,
      'The order waits for its payment, and cannot be paid in another way meanwhile.',
    ])
  expect(await paymentOf(shop, order_id)).toMatchObject({ type: 'card', status: 'pending' })
  for (const same of [card, { return_url }])
    expect((await checkOut(byCard.visitor, byCard.cart, same)).body).toMatchObject({
      order_id,
      payment_action: first.body.payment_action,
    })
  const done = await checkOut(byCash.visitor, byCash.cart, cash)
  const other = await checkOut(byCash.visitor, byCash.cart, card)
  expect([other.status, other.body.code, other.body.order_id]).toEqual([409, 'cart_ordered', done.body.order_id])
  // Nothing is paid for an order without a total: it has no method.
  for (const any of [cash, card])
    expect((await checkOut(free.visitor, free.cart, any)).body.payment).toMatchObject({ type: 'none', status: 'paid' })
})

test('A slow provider is 503 with the order id, and repeating the checkout returns its page', async () => {
  const impatient = await apiWith({ ANSWER_WAIT_MS: '100' })
  try {
    const { visitor, cart } = await buyer(shop, [tea.item()])
    // Longer than a busy machine may keep the API from its last look.
    await fault({ fault: 'delay', delay_ms: 4_000, method: 'POST', path: '/v1/checkout/sessions', account })
    const waiting = await checkOut(visitor, cart, card, impatient.url)
    expect([waiting.status, waiting.body.code]).toEqual([503, 'provider_retryable'])
    expect(waiting.headers.get('retry-after')).not.toBeNull()
    const done = await checkOut(visitor, cart, card)
    expect(done.body).toMatchObject({
      order_id: waiting.body.order_id,
      payment_action: { type: 'card_embedded_checkout' },
    })
  } finally {
    await impatient.stop()
  }
})

describe('Holds', () => {
  let brief: Awaited<ReturnType<typeof apiWith>>
  beforeAll(async () => {
    brief = await apiWith({ CHECKOUT_HOLD_MINUTES: '0.08' })
  })
  afterAll(() => brief.stop())

  test('A hold’s workflow describes what it waits for', async () => {
    const { order_id } = await order(shop, [tea.item()], card)
    const connection = await Connection.connect({ address: process.env.TEMPORAL_ADDRESS as string })
    const handle = new Client({ connection }).workflow.getHandle(`checkout/${order_id}`)
    const timer = await until(async () =>
      (await handle.fetchHistory()).events?.find(({ timerStartedEventAttributes }) => timerStartedEventAttributes),
    )
    expect(JSON.parse(String(timer.userMetadata?.summary?.data))).toBe('until the hold ends or the page is paid')
    await connection.close()
  })

  test('A hold that expires unpaid closes the page, then returns the stock and the cart lines', async () => {
    const sold = await product(shop, { stock: 5 })
    const { visitor, cart, order_id, session, answer } = await order(shop, [sold.item(2)], card, brief.url)
    expect(await sold.available()).toBe(3)
    expect(answer.body.payment_action.expires_at).toBeGreaterThanOrEqual(Math.floor(Date.now() / 1000) + 34 * 60)
    const found = await hasStatus(shop, order_id, 'cancelled')
    expect(found).toMatchObject({ fulfillment_status: 'cancelled', cancelled_at: expect.any(Number) })
    expect((await stripe(account, `/checkout/sessions/${session}`)).status).toBe('expired')
    expect(await paymentOf(shop, order_id)).toMatchObject({ status: 'cancelled' })
    const again = await checkOut(visitor, cart, card)
    await isGivenBack(sold, visitor, cart, again, 5)
  })

  test('A hold whose page was paid at the last moment stays until the signed event arrives', async () => {
    const sold = await product(shop, { stock: 5 })
    const other = await newShop()
    const elsewhere = await connected(other)
    const things = await product(other, { stock: 5 })
    const { order_id, session } = await order(other, [things.item(2)], card, brief.url)
    await sim('POST', '/events', { hold: true, account: elsewhere })
    await pay(session)
    // The hold has expired, the provider refused to close the page, and a read has shown why.
    await until(async () => {
      const { rows } = await database().query<{ state: string; status: string | null }>(
        'select s.state, e.status from payment_sessions s left join session_expiries e on e.payment_session_id = s.id where s.order_id = $1',
        [order_id],
      )
      return rows[0]?.state === 'complete' && rows[0].status === 'rejected'
    }, 20_000)
    expect(await read(other, order_id)).toMatchObject({ status: 'pending' })
    expect(await things.available()).toBe(3)
    await sim('POST', '/events', { hold: false, account: elsewhere })
    expect(await hasStatus(other, order_id, 'confirmed')).toMatchObject({ status: 'confirmed' })
    expect(await paymentOf(other, order_id)).toMatchObject({ status: 'paid', captured_amount: 2000 })
    expect([await things.available(), await sold.available()]).toEqual([3, 5])
  })
})

test('A payment of an order that was released already is refunded by the system, once', async () => {
  const sold = await product(shop, { stock: 5 })
  const { visitor, cart } = await buyer(shop, [sold.item(2)])
  await fault({ fault: 'reset_after_read', after_effect: true, method: 'POST', path: '/v1/checkout/sessions', account })
  await fault({ fault: 'status', status: 500, method: 'POST', path: '/v1/checkout/sessions/*/expire', account })
  const lost = await checkOut(visitor, cart, card)
  expect(lost.status).toBe(503)
  const { order_id } = lost.body
  const { id } = await lastSession(order_id)
  const { payment_intent } = await pay(id)
  const paid = await until(async () => {
    const found = await paymentOf(shop, order_id)
    return found.refunded_amount === 2000 && found
  })
  expect(paid).toMatchObject({ status: 'paid', captured_amount: 2000, refund_pending_amount: 0 })
  const { items } = (await shop.asOperator('GET', `/orders/${order_id}/refunds`)).body
  expect(items).toMatchObject([{ origin: 'system', amount: 2000, status: 'succeeded' }])
  expect((await stripe(account, `/payment_intents/${payment_intent}`)).amount_received).toBe(2000)
  expect((await ledger(account, '/v1/refunds')).filter(({ metadata }) => metadata.order_id === order_id)).toHaveLength(
    1,
  )
  expect(await read(shop, order_id)).toMatchObject({ status: 'cancelled' })
  expect(await sold.available()).toBe(5)
})

test('A payment of another amount is recorded and flagged, and the order stays pending', async () => {
  const { order_id, session } = await order(shop, [tea.item(2)], card)
  const object = {
    ...(await stripe(account, `/checkout/sessions/${session}`)),
    status: 'complete',
    payment_status: 'paid',
    amount_total: 1999,
  }
  const id = `evt_${unique()}`
  expect(
    (
      await sendEvent({
        id,
        type: 'checkout.session.completed',
        account,
        data: { object: { ...object, payment_intent: `pi_${unique()}` } },
      })
    ).status,
  ).toBe(200)
  expect(await outcomeOf(id)).toBe('paid another amount: flagged')
  expect(await paymentOf(shop, order_id)).toMatchObject({
    status: 'paid',
    amount: 2000,
    captured_amount: 1999,
    error: { code: 'amount_mismatch' },
  })
  const found = await read(shop, order_id)
  expect(found.status).toBe('pending')
  // The workflow ends without waiting for the hold.
  const { rows } = await database().query<{ hold_until: Date | null }>('select hold_until from orders where id = $1', [
    order_id,
  ])
  expect(rows[0]?.hold_until).toBeNull()
  expect(
    (await shop.asOperator('PUT', `/orders/${order_id}`, { version: found.version, confirm: true })).body.status,
  ).toBe('confirmed')
})

test('A declined card is recorded, and the page stays open for another card', async () => {
  const { order_id, session, visitor, cart, answer } = await order(shop, [tea.item()], {
    payment_method_key: 'credit_card',
    return_url,
  })
  await pay(session, 'declined')
  await until(async () => (await paymentOf(shop, order_id)).error?.code === 'card_declined')
  const again = (await checkOut(visitor, cart, card)).body
  expect(again.payment_action).toEqual(answer.body.payment_action)
  const declined = {
    code: 'card_declined',
    message: 'The card was declined. Another card can be tried in the same payment form.',
  }
  const own = async () => (await visitor.call('GET', `/orders/${order_id}`)).body.payment_error
  expect([
    await own(),
    (await visitor.call('GET', '/orders')).body.items[0].payment_error,
    again.payment.error,
  ]).toEqual([declined, declined, declined])
  await pay(session)
  await hasStatus(shop, order_id, 'confirmed')
  expect([await paymentOf(shop, order_id), await own()]).toEqual([
    expect.objectContaining({ status: 'paid', error: null }),
    null,
  ])
  expect((await checkOut(visitor, cart, card)).body).toMatchObject({
    order_id,
    payment: { status: 'paid' },
    payment_action: { type: 'none' },
  })
})

test('An order above the provider’s maximum is refused by the provider and released', async () => {
  const house = await product(shop, { amount: 100_000_000, stock: 1 })
  const { visitor, cart } = await buyer(shop, [house.item()])
  const refused = await checkOut(visitor, cart, card)
  expect([refused.status, refused.body.code]).toEqual([422, 'payment_rejected'])
  expect(await house.available()).toBe(1)
})
