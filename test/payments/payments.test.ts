// Quote, order and the amount at the provider are equal, and refunds never exceed what was captured.
import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import {
  atOnce,
  buyer,
  card,
  cardShop,
  cartOf,
  cash,
  checkOut,
  connected,
  fault,
  type Item,
  ledger,
  linesOf,
  locationOf,
  market,
  order,
  paidOrder,
  paymentOf,
  product,
  read,
  refusalOf,
  type Sold,
  sessionOf,
  stripe,
  until,
} from '../kit/orders/buying.ts'
import { type Answer, database, eitherApi, newShop, operator, type Shop, type Visitor } from '../kit/shop.ts'

let shop: Shop
let account: string
beforeAll(async () => {
  shop = await newShop()
  account = await connected(shop)
})

type Line = {
  id: string
  quantity: number
  unit_price: number
  subtotal: number
  discount: number
  tax: number
  total: number
}
type Money = {
  currency: string
  subtotal: number
  discount: number
  shipping: number
  tax: { amount: number; included: boolean } | null
  total: number
}

const sumOf = (
  lines: readonly { [K in 'subtotal' | 'discount' | 'tax' | 'total']: number }[],
  what: 'subtotal' | 'discount' | 'tax' | 'total',
) => lines.reduce((sum, line) => sum + line[what], 0)

describe('Prices', () => {
  let things: Sold[]
  beforeAll(async () => {
    const standard = { id: 'standard', taxable: true, eta_text: '', amount: 495 }
    await market(shop, 'us', {
      tax_mode: 'exclusive',
      zones: [{ countries: ['US'], tax_bps: 725, shipping_methods: [standard] }],
    })
    await market(shop, 'eu', {
      tax_mode: 'inclusive',
      zones: [{ countries: ['US'], tax_bps: 1900, shipping_methods: [{ ...standard, taxable: false }] }],
    })
    await shop.asOperator('PUT', `/locations/${await locationOf(shop)}`, { key: 'default', address: { country: 'US' } })
    things = [
      await product(shop, { amount: 999, stock: 100_000 }),
      await product(shop, { amount: 1 }),
      await product(shop, { amount: 12_345, taxable: false }),
      await product(shop, { amount: 333, is_digital: true }),
      await product(shop, { amount: 77, requires_shipping: false }),
    ]
  })

  const quoteOf = async (visitor: Visitor, items: Item[], more: Record<string, unknown>) => {
    const cart = await cartOf(visitor, items, more)
    const { status, body } = await visitor.call('POST', `/carts/${cart.id}/quote`, {}, eitherApi())
    expect([status, body.code]).toEqual([200, undefined])
    return {
      cart,
      quote: body as { product_lines: Line[]; digital_lines: Line[]; shipping_lines: Line[]; money: Money },
    }
  }

  test('Lines and shipping add up to equal totals in the quote, the order and the payment page', async () => {
    const visitor = await shop.visitor()
    const items = fc.array(fc.tuple(fc.nat(4), fc.integer({ min: 1, max: 40 })), { minLength: 1, maxLength: 7 })
    await fc.assert(
      fc.asyncProperty(
        items,
        fc.constantFrom('us', 'eu'),
        fc.constantFrom('cash', 'credit_card'),
        async (picked, key, payment_method_key) => {
          const lines = [...picked, [0, 1] as const].map(([at, quantity]) => (things[at] as Sold).item(quantity))
          const more = {
            market: key,
            shipping_address: { country: 'US' },
            shipping_method_id: 'standard',
            payment_method_key,
          }
          const { quote } = await quoteOf(visitor, lines, more)
          const { cart, quote: reversed } = await quoteOf(visitor, lines.toReversed(), more)
          expect(reversed.money).toEqual(quote.money)

          const all = [...quote.product_lines, ...quote.digital_lines]
          const { money } = quote
          expect(money.subtotal).toBe(sumOf(all, 'subtotal'))
          expect(money.shipping).toBe(495)
          expect(money.total).toBe(sumOf([...all, ...quote.shipping_lines], 'total'))
          expect(money.tax).toEqual({ amount: sumOf([...all, ...quote.shipping_lines], 'tax'), included: key === 'eu' })
          expect(money.total).toBe(
            money.subtotal - money.discount + money.shipping + (money.tax?.included ? 0 : (money.tax?.amount ?? 0)),
          )
          for (const line of all) expect(line.subtotal).toBe(line.quantity * line.unit_price)

          const done = await checkOut(visitor, cart, { return_url: card.return_url }, eitherApi())
          expect(done.status).toBe(200)
          const made = await read(shop, done.body.order_id)
          expect(made.money).toEqual(money)
          expect(done.body.payment).toMatchObject({ amount: money.total, currency: money.currency })
          const kept = [
            ...(await linesOf(shop, made.id)),
            ...(await shop.asOperator('GET', `/orders/${made.id}/digital-products`)).body,
          ]
          expect(sumOf(kept, 'total') + made.shipping_line.total).toBe(money.total)
          if (payment_method_key === 'cash') return
          const session = await stripe(account, `/checkout/sessions/${sessionOf(done)}`)
          expect([session.amount_total, session.currency]).toEqual([money.total, money.currency.toLowerCase()])
        },
      ),
      { numRuns: 8 },
    )
  })

  test('Tax examples: 4 % contained in 299 is 11, and 19 % added to 324 is 62', async () => {
    const other = await newShop()
    await market(other, 'us', { zones: [{ tax_bps: 1900 }] })
    await market(other, 'eu', { zones: [{ tax_bps: 400 }] })
    const sold = await product(other, { amount: 108 })
    const book = await product(other, { amount: 299 })
    const visitor = await other.visitor()
    const exclusive = (await quoteOf(visitor, [sold.item(3)], { market: 'us' })).quote
    expect(exclusive.money).toEqual({
      currency: 'USD',
      subtotal: 324,
      discount: 0,
      shipping: 0,
      tax: { amount: 62, included: false },
      total: 386,
    })
    const inclusive = (await quoteOf(visitor, [book.item()], { market: 'eu' })).quote
    expect(inclusive.money).toEqual({
      currency: 'EUR',
      subtotal: 299,
      discount: 0,
      shipping: 0,
      tax: { amount: 11, included: true },
      total: 299,
    })
  })

  test('Digital goods have lines of their own, need no shipping and no fulfillment', async () => {
    const file = things[3] as Sold
    const visitor = await shop.visitor()
    const { cart, quote } = await quoteOf(visitor, [file.item(2)], { billing_address: { country: 'DE' } })
    expect(quote).toMatchObject({
      product_lines: [],
      shipping_lines: [],
      shipping_methods: [],
      money: { subtotal: 666, shipping: 0 },
    })
    expect(quote.digital_lines).toMatchObject([{ variant_id: file.variant_id, requires_shipping: false, quantity: 2 }])
    const { order_id } = (await checkOut(visitor, cart, cash)).body
    expect(await read(shop, order_id)).toMatchObject({ fulfillment_status: 'none', shipping_line: null })
    expect(await linesOf(shop, order_id)).toEqual([])
    expect((await shop.asOperator('GET', `/orders/${order_id}/digital-products`)).body).toMatchObject([
      { variant_id: file.variant_id, status: 'pending' },
    ])
  })

  test('Currencies with zero or three minor digits are charged in their own minor units', async () => {
    for (const [currency, amount] of [
      ['JPY', 1200],
      ['KWD', 1230],
      ['ISK', 900],
    ] as const) {
      const key = currency.toLowerCase()
      await shop.asOperator('POST', '/markets', { key, currency })
      const sold = await product(shop, { prices: [{ market: key, amount }] })
      const { visitor, cart } = await buyer(shop, [sold.item()], { market: key })
      const done = await checkOut(visitor, cart, card)
      expect(done.body.payment).toMatchObject({ amount, currency })
      const session = await stripe(account, `/checkout/sessions/${sessionOf(done)}`)
      // Stripe counts ISK in hundredths, for compatibility.
      expect([session.amount_total, session.currency]).toEqual([currency === 'ISK' ? amount * 100 : amount, key])
    }
  })
})

describe('Refunds', () => {
  let sold: Sold
  let tenant: Shop
  let merchant: string
  beforeAll(async () => {
    ;({ shop: tenant, account: merchant, tea: sold } = await cardShop())
  })

  const refund = (orderId: string, amount: number, refund_id: string = randomUUID(), base?: string): Promise<Answer> =>
    tenant.asOperator('POST', `/orders/${orderId}/refunds`, { refund_id, amount }, base)
  const paidInCash = async () => {
    const { order_id } = await order(tenant, [sold.item()])
    expect((await tenant.asOperator('POST', `/orders/${order_id}/payment/mark-paid`)).body).toMatchObject({
      status: 'paid',
      captured_amount: 1000,
    })
    return order_id
  }
  const paidByCard = async () => (await paidOrder(tenant, [sold.item()])).order_id
  const sentFor = async (orderId: string) =>
    (await ledger(merchant, '/v1/refunds')).filter(({ metadata }) => metadata.order_id === orderId)

  test.each([
    ['cash', paidInCash],
    ['card', paidByCard],
  ])('Twenty concurrent refunds of %s never exceed the captured amount', async (how, pays) => {
    const orderId = await pays()
    const answers = await atOnce(20, () => refund(orderId, 90, randomUUID(), eitherApi()))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(11)
    const refused = answers.filter(({ status }) => status === 422)
    expect(refused).toHaveLength(9)
    for (const one of refused) expect(refusalOf(one)).toEqual([422, '/amount', 'amount_exceeds_refundable'])
    await until(async () => (await paymentOf(tenant, orderId)).refund_pending_amount === 0)
    const payment = await paymentOf(tenant, orderId)
    expect(payment).toMatchObject({
      status: 'paid',
      captured_amount: 1000,
      refunded_amount: 990,
      refund_unknown_amount: 0,
    })
    const sent = await sentFor(orderId)
    expect(sent.map(({ times, effect }) => [times, effect])).toEqual(
      Array.from({ length: how === 'card' ? 11 : 0 }, () => [1, true]),
    )
    const { items } = (await tenant.asOperator('GET', `/orders/${orderId}/refunds?limit=100`)).body
    expect(items.filter(({ status }: { status: string }) => status === 'failed')).toHaveLength(9)
    if (how === 'card') {
      const { data } = await stripe(merchant, `/refunds?limit=100&payment_intent=${payment.provider_payment_id}`)
      expect(data.reduce((sum: number, { amount }: { amount: number }) => sum + amount, 0)).toBe(990)
    }
  })

  test.each([
    ['cash', paidInCash],
    ['card', paidByCard],
  ])('Twenty concurrent requests with one refund_id make one refund of %s', async (how, pays) => {
    const orderId = await pays()
    const refund_id = randomUUID()
    const answers = await atOnce(20, () => refund(orderId, 400, refund_id.toUpperCase(), eitherApi()))
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array.from({ length: 19 }, () => 200), 201])
    for (const { body } of answers)
      expect(body).toMatchObject({ refund_id, amount: 400, currency: 'USD', status: 'succeeded', order_id: orderId })
    expect(await paymentOf(tenant, orderId)).toMatchObject({ refunded_amount: 400, refund_pending_amount: 0 })
    expect(await sentFor(orderId)).toHaveLength(how === 'card' ? 1 : 0)
    expect((await tenant.asOperator('GET', `/orders/${orderId}/refunds`)).body.items).toHaveLength(1)
    expect((await tenant.asOperator('GET', `/orders/${orderId}/refunds/${refund_id}`)).body).toMatchObject({
      refund_id,
      status: 'succeeded',
    })
    const other = await refund(orderId, 401, refund_id)
    expect([other.status, other.body.code]).toEqual([409, 'idempotency_conflict'])
  })

  test('Two refunds of the same amount under different ids both succeed', async () => {
    const orderId = await paidByCard()
    expect([(await refund(orderId, 500)).status, (await refund(orderId, 500)).status]).toEqual([201, 201])
    expect(await paymentOf(tenant, orderId)).toMatchObject({ refunded_amount: 1000 })
    expect(await sentFor(orderId)).toHaveLength(2)
  })

  test('A refund above the rest fails without a call, and its replay returns the same answer', async () => {
    const orderId = await paidByCard()
    const refund_id = randomUUID()
    for (let times = 0; times < 2; times++) {
      const refused = await refund(orderId, 1001, refund_id)
      expect(refusalOf(refused)).toEqual([422, '/amount', 'amount_exceeds_refundable'])
      expect(refused.body.refund).toEqual({ refund_id, status: 'failed' })
    }
    expect((await tenant.asOperator('GET', `/orders/${orderId}/refunds/${refund_id}`)).body).toMatchObject({
      status: 'failed',
      amount: 1001,
      sent_at: null,
    })
    expect((await refund(orderId, 1000, refund_id)).body.code).toBe('idempotency_conflict')
    expect((await refund(orderId, 1000)).status).toBe(201)
    expect(await sentFor(orderId)).toHaveLength(1)
  })

  test('An unpaid order cannot be refunded', async () => {
    const { order_id } = await order(tenant, [sold.item()])
    expect(refusalOf(await refund(order_id, 1))).toEqual([422, '/amount', 'amount_exceeds_refundable'])
    expect((await refund(randomUUID(), 1)).status).toBe(404)
    for (const amount of [0, -1, 1.5, '1', null, 2 ** 53])
      expect((await refund(order_id, amount as number)).status).toBe(422)
    expect((await refund(order_id, Number.MAX_SAFE_INTEGER)).status).toBe(422)
  })

  test('One refund_id used for two orders at once is one refund and one 409', async () => {
    for (let round = 0; round < 3; round++) {
      const pair = [await paidInCash(), await paidInCash()]
      const refund_id = randomUUID()
      const answers = await Promise.all(pair.map((orderId) => refund(orderId, 10, refund_id, eitherApi())))
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 409])
      expect(answers.find(({ status }) => status === 409)?.body.code).toBe('idempotency_conflict')
    }
  })

  test('An unproved refund is unknown, keeps its amount, is not resent, and an owner resolves it', async () => {
    for (const outcome of ['succeeded', 'rejected'] as const) {
      const orderId = await paidByCard()
      const refund_id = randomUUID()
      await fault({ fault: 'reset_after_read', method: 'POST', path: '/v1/refunds', account: merchant })
      expect((await refund(orderId, 700, refund_id)).body).toMatchObject({ status: 'unknown', refund_id })
      expect((await refund(orderId, 700, refund_id)).body).toMatchObject({ status: 'unknown' })
      expect(await paymentOf(tenant, orderId)).toMatchObject({ refunded_amount: 0, refund_unknown_amount: 700 })
      expect((await refund(orderId, 301)).status).toBe(422)
      expect(await sentFor(orderId)).toHaveLength(1)

      const resolve = (as = tenant.op) =>
        tenant.as(as, 'POST', `/orders/${orderId}/refunds/${refund_id}/resolve`, {
          outcome,
          note: 'looked it up in the dashboard',
        })
      const admin = await operator()
      await tenant.asOperator('POST', '/members', { email: admin.email, role: 'admin' })
      expect((await resolve(admin)).status).toBe(403)
      expect((await resolve()).body).toMatchObject({
        status: outcome,
        resolution: { account_id: tenant.op.account_id, note: 'looked it up in the dashboard' },
      })
      expect(await paymentOf(tenant, orderId)).toMatchObject({
        refunded_amount: outcome === 'succeeded' ? 700 : 0,
        refund_unknown_amount: 0,
      })
      expect((await resolve()).status).toBe(200)
      // Nothing contradicts a correction.
      const corrected = await tenant.asOperator('POST', `/orders/${orderId}/refunds/${refund_id}/resolve`, {
        ...{ outcome: 'rejected', replaces: outcome, note: 'x' },
      })
      expect(corrected.body).toMatchObject({
        status: 'rejected',
        ...(outcome === 'succeeded' ? { resolution: { before: { outcome } } } : {}),
      })
      expect(await paymentOf(tenant, orderId)).toMatchObject({ refunded_amount: 0, refund_unknown_amount: 0 })
    }
  })

  test('A refund that the provider refuses frees its amount', async () => {
    const orderId = await paidByCard()
    await fault({ fault: 'status', status: 400, method: 'POST', path: '/v1/refunds', account: merchant })
    expect((await refund(orderId, 1000)).body).toMatchObject({ status: 'rejected', error: { provider_status: 400 } })
    expect(await paymentOf(tenant, orderId)).toMatchObject({ refunded_amount: 0, refund_pending_amount: 0 })
    expect((await refund(orderId, 1000)).body).toMatchObject({ status: 'succeeded' })
  })

  test('The table’s check refuses a payment whose refunds exceed it', async () => {
    const orderId = await paidInCash()
    await expect(
      database().query('update payments set refunded_amount = captured_amount + 1 where order_id = $1', [orderId]),
    ).rejects.toThrow('payments_refunds')
  })
})
