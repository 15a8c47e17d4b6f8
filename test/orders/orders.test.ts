// An order changes only by its current version and as its payment allows, and a list of orders skips and repeats none.
import { beforeAll, describe, expect, test } from '@jest/globals'
import { prove } from '../kit/codes.ts'
import {
  atOnce,
  buyer,
  card,
  cardShop,
  cartOf,
  cash,
  checkOut,
  eventsOf,
  hasStatus,
  ledger,
  linesOf,
  madeAt,
  order,
  paidOrder,
  pay,
  paymentOf,
  product,
  read,
  requestRefund,
  type Sold,
  sim,
  stripe,
  update,
} from '../kit/orders/buying.ts'
import { type Answer, database, eitherApi, newEmail, newShop, type Shop } from '../kit/shop.ts'

let shop: Shop
let account: string
let tea: Sold
beforeAll(async () => {
  ;({ shop, account, tea } = await cardShop())
})

const told = ({ status, body }: Answer) => [status, body.code]
const refund = (orderId: string, amount: number) => requestRefund(shop, orderId, amount)
const address = {
  name: 'Ada',
  street1: '5 Elm Street',
  city: 'Portland',
  state: 'OR',
  postal_code: '97201',
  country: 'US',
}
const forms = [{ key: 'order-notes', entries: [{ key: 'note', value: { deep: [null, 1] } }] }]

test('An order, its lines and its payment have the fields of the contract', async () => {
  const file = await product(shop, { is_digital: true, sku: 'FILE-1' })
  const { visitor, cart } = await buyer(shop, [tea.item(2), file.item()], { shipping_address: address, forms })
  const { order_id, number, payment } = (await checkOut(visitor, cart, cash)).body
  const found = await read(shop, order_id)
  expect(found).toEqual({
    id: order_id,
    number,
    status: 'pending',
    fulfillment_status: 'unfulfilled',
    contact_id: visitor.contact_id,
    verified: false,
    email: null,
    paid_at: null,
    source_cart_id: cart.id,
    payment_id: payment.id,
    market: 'us',
    money: { currency: 'USD', subtotal: 3000, discount: 0, shipping: 0, tax: null, total: 3000 },
    shipping_line: null,
    pickup_location_id: null,
    shipping_address: expect.objectContaining(address),
    billing_address: null,
    forms,
    promo_code: null,
    version: 1,
    cancelled_at: null,
    created_at: expect.any(Number),
    updated_at: expect.any(Number),
  })
  expect(await paymentOf(shop, order_id)).toEqual(payment)
  const [line] = await linesOf(shop, order_id)
  const amounts = { quantity: 2, unit_price: 1000, subtotal: 2000, discount: 0, tax: 0, total: 2000 }
  expect(line).toMatchObject({
    product_id: tea.id,
    variant_id: tea.variant_id,
    requires_shipping: true,
    taxable: true,
    status: 'pending',
    ...amounts,
  })
  const digital = (await shop.asOperator('GET', `/orders/${order_id}/digital-products`)).body
  expect(digital).toMatchObject([
    { variant_id: file.variant_id, sku: 'FILE-1', requires_shipping: false, status: 'pending' },
  ])
  expect((await shop.asOperator('GET', `/orders/${order_id}/refunds`)).body).toEqual({ items: [], cursor: null })
  expect((await shop.asOperator('GET', `/orders/${order_id}/disputes`)).body).toEqual({ items: [], cursor: null })
})

test('An order has its buyer’s address at checkout and the time of its payment', async () => {
  const email = newEmail('buyer')
  const visitor = await shop.visitor(email)
  const cart = await cartOf(visitor, [tea.item()])
  const { order_id } = (await checkOut(visitor, cart, cash)).body
  expect(await read(shop, order_id)).toMatchObject({ email, paid_at: null })
  const { paid_at } = (await shop.asOperator('POST', `/orders/${order_id}/payment/mark-paid`)).body
  expect(await read(shop, order_id)).toMatchObject({ email, paid_at, version: 1 })
  await visitor.call('POST', '/account/identify', { email: newEmail('other') })
  expect(await read(shop, order_id)).toMatchObject({ email })
  const byCard = await paidOrder(shop, [tea.item()])
  expect((await read(shop, byCard.order_id)).paid_at).toBe((await paymentOf(shop, byCard.order_id)).paid_at)
})

test('Order numbers of a store increase by one without a gap', async () => {
  const own = await newShop()
  const sold = await product(own)
  const none = await product(own, { stock: 0 })
  const answers = await atOnce(10, async (n) => {
    const { visitor, cart } = await buyer(own, [n % 3 === 0 ? none.item() : sold.item()])
    return checkOut(visitor, cart, cash, eitherApi())
  })
  const numbers = answers.filter(({ status }) => status === 200).map(({ body }) => body.number)
  expect(numbers.sort()).toEqual([1001, 1002, 1003, 1004, 1005, 1006])
})

test('An order keeps names and prices as they were when it was placed', async () => {
  const sold = await product(shop, { amount: 700 })
  const { order_id } = await order(shop, [sold.item()])
  const before = await linesOf(shop, order_id)
  await shop.asOperator('DELETE', `/products/${sold.id}`)
  expect(await linesOf(shop, order_id)).toEqual(before)
  expect((await update(shop, order_id, { cancel: true })).body.status).toBe('cancelled')
})

test('Another store’s order returns 404, and a visitor sees only their own orders', async () => {
  const { order_id, visitor } = await order(shop, [tea.item()])
  const other = await newShop()
  for (const path of ['', '/payment', '/products', '/digital-products', '/refunds', '/disputes'])
    expect((await other.asOperator('GET', `/orders/${order_id}${path}`)).status).toBe(404)
  expect((await other.asOperator('PUT', `/orders/${order_id}`, { version: 1, cancel: true })).status).toBe(404)
  expect((await other.asOperator('POST', `/orders/${order_id}/payment/mark-paid`)).status).toBe(404)
  const stranger = await shop.visitor()
  expect((await stranger.call('GET', '/orders')).body).toEqual({ items: [], cursor: null })
  expect((await stranger.call('GET', `/orders/${order_id}`)).status).toBe(404)
  const shown = { ...(await read(shop, order_id)), payment_error: null }
  expect((await visitor.call('GET', '/orders')).body.items).toEqual([shown])
  expect((await visitor.call('GET', `/orders/${order_id}`)).body).toEqual(shown)
})

test('An update with a stale version is 409 and returns the current version', async () => {
  const { order_id } = await order(shop, [tea.item()])
  expect((await update(shop, order_id, { billing_address: address })).body.version).toBe(2)
  const stale = await shop.asOperator('PUT', `/orders/${order_id}`, { version: 1, confirm: true })
  expect(told(stale)).toEqual([409, 'stale_version'])
  expect(stale.body.version).toBe(2)
  expect((await shop.asOperator('PUT', `/orders/${order_id}`, { confirm: true })).body.errors[0]).toMatchObject({
    pointer: '/version',
    code: 'required',
  })
})

test('Of ten concurrent updates with one version, one is written', async () => {
  const { order_id } = await order(shop, [tea.item()])
  const answers = await atOnce(10, (n) =>
    shop.asOperator('PUT', `/orders/${order_id}`, { version: 1, billing_address: { name: `n${n}` } }, eitherApi()),
  )
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 9 }, () => 409)])
  expect((await read(shop, order_id)).version).toBe(2)
})

test('An update stores addresses and forms, clears an address with null and keeps the price', async () => {
  const { order_id } = await order(shop, [tea.item()])
  const first = (await update(shop, order_id, { shipping_address: address, billing_address: { country: 'de' }, forms }))
    .body
  expect(first).toMatchObject({
    version: 2,
    shipping_address: address,
    billing_address: { country: 'DE' },
    forms,
    money: { total: 1000 },
  })
  const second = (await update(shop, order_id, { shipping_address: null })).body
  expect(second).toMatchObject({ version: 3, shipping_address: null, billing_address: { country: 'DE' }, forms })
  expect((await update(shop, order_id, { forms: [] })).body).toMatchObject({ version: 4, forms: [] })
  expect((await update(shop, order_id, { shipping_address: { planet: 'Mars' } })).body.errors[0].pointer).toBe(
    '/shipping_address/planet',
  )
  expect((await update(shop, order_id, { status: 'confirmed', confirmed: true })).body.errors).toMatchObject([
    { pointer: '/confirmed', code: 'unknown_field' },
  ])
})

test('An order that was read can be sent back unchanged, also a cancelled one', async () => {
  const { visitor, cart } = await buyer(shop, [tea.item()], { shipping_address: { city: 'Salem' }, forms })
  const { order_id } = (await checkOut(visitor, cart, cash)).body
  const found = await read(shop, order_id)
  expect((await shop.asOperator('PUT', `/orders/${order_id}`, found)).body).toEqual(found)
  const cancelled = (await update(shop, order_id, { cancel: true })).body
  expect((await shop.asOperator('PUT', `/orders/${order_id}`, cancelled)).body).toEqual(cancelled)
  expect(told(await update(shop, order_id, { forms: [] }))).toEqual([409, 'order_cancelled'])
})

test('Confirming a cash order confirms its lines, and repeating it changes nothing', async () => {
  const { order_id } = await order(shop, [tea.item()])
  const confirmed = (await update(shop, order_id, { confirm: true })).body
  expect(confirmed).toMatchObject({ status: 'confirmed', version: 2 })
  expect(await linesOf(shop, order_id)).toMatchObject([{ status: 'confirmed' }])
  expect((await update(shop, order_id, { confirm: true })).body).toEqual(confirmed)
  expect((await update(shop, order_id, { cancel: true })).body).toMatchObject({ status: 'cancelled', version: 3 })
  expect(await linesOf(shop, order_id)).toMatchObject([{ status: 'cancelled' }])
  expect(told(await update(shop, order_id, { confirm: true }))).toEqual([409, 'order_cancelled'])
})

test('Confirming and cancelling in one update is 422, whatever the version', async () => {
  const { order_id } = await order(shop, [tea.item()])
  const both = await shop.asOperator('PUT', `/orders/${order_id}`, { version: 99, confirm: true, cancel: true })
  expect([both.status, both.body.errors[0].pointer]).toEqual([422, '/cancel'])
  expect((await read(shop, order_id)).status).toBe('pending')
})

test('One update increments the version once, also when it edits and cancels', async () => {
  const { order_id } = await order(shop, [tea.item()])
  const both = (await update(shop, order_id, { billing_address: address, cancel: true })).body
  expect(both).toMatchObject({ status: 'cancelled', version: 2, billing_address: address })
  expect((await update(shop, order_id, { cancel: true })).body).toEqual(both)
  expect(await paymentOf(shop, order_id)).toMatchObject({ status: 'cancelled' })
})

test('A captured order is cancelled only after it was refunded in full', async () => {
  const { order_id } = await paidOrder(shop, [tea.item()])
  expect(told(await update(shop, order_id, { cancel: true }))).toEqual([409, 'payment_must_be_refunded'])
  await refund(order_id, 999)
  expect(told(await update(shop, order_id, { cancel: true }))).toEqual([409, 'payment_must_be_refunded'])
  await refund(order_id, 1)
  expect((await update(shop, order_id, { cancel: true })).body.status).toBe('cancelled')
  expect(await paymentOf(shop, order_id)).toMatchObject({ status: 'paid', refunded_amount: 1000 })
})

test('A card order that is not charged cannot be confirmed', async () => {
  const { order_id } = await order(shop, [tea.item()], card)
  expect(told(await update(shop, order_id, { confirm: true }))).toEqual([409, 'payment_not_captured'])
})

test('Cancelling while the payment page is open closes it, then returns everything', async () => {
  const sold = await product(shop, { stock: 3 })
  const { order_id, session, visitor, cart } = await order(shop, [sold.item(2)], card)
  const { version } = await read(shop, order_id)
  const answers = await atOnce(3, () =>
    shop.asOperator('PUT', `/orders/${order_id}`, { version, cancel: true }, eitherApi()),
  )
  // A request that arrives after the cancellation has an old version.
  expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(0)
  for (const { status, body } of answers)
    expect(status === 200 ? body.status : body.code).toBe(status === 200 ? 'cancelled' : 'stale_version')
  expect((await stripe(account, `/checkout/sessions/${session}`)).status).toBe('expired')
  expect((await ledger(account, `/v1/checkout/sessions/${session}/expire`)).map(({ times }) => times)).toEqual([1])
  expect(await paymentOf(shop, order_id)).toMatchObject({ status: 'cancelled' })
  expect(await sold.available()).toBe(3)
  expect(await checkOut(visitor, cart, card)).toMatchObject({
    status: 409,
    body: { code: 'checkout_cancelled', order_id },
  })
})

test('Cancelling an order that was paid meanwhile is 409, and the order stays', async () => {
  const { shop: own, account: at, tea: sold } = await cardShop()
  const { order_id, session } = await order(own, [sold.item()], card)
  await sim('POST', '/events', { hold: true, account: at })
  await pay(session)
  for (let times = 0; times < 2; times++)
    expect(told(await update(own, order_id, { cancel: true }))).toEqual([409, 'payment_in_progress'])
  await sim('POST', '/events', { hold: false, account: at })
  expect(await hasStatus(own, order_id, 'confirmed')).toMatchObject({ status: 'confirmed' })
  expect(told(await update(own, order_id, { cancel: true }))).toEqual([409, 'payment_must_be_refunded'])
  expect((await eventsOf(at, 'checkout.session.expired')).length).toBe(0)
})

test('A cash payment is marked as paid once, and repeating counts it once', async () => {
  const { order_id } = await order(shop, [tea.item()])
  const mark = () => shop.asOperator('POST', `/orders/${order_id}/payment/mark-paid`, undefined, eitherApi())
  const answers = await atOnce(5, mark)
  for (const { status, body } of answers)
    expect([status, body]).toMatchObject([200, { status: 'paid', captured_amount: 1000, paid_at: expect.any(Number) }])
  expect(told(await update(shop, order_id, { cancel: true }))).toEqual([409, 'payment_must_be_refunded'])
  expect((await refund(order_id, 1000)).body).toMatchObject({ status: 'succeeded' })
  expect((await update(shop, order_id, { cancel: true })).body.status).toBe('cancelled')
})

test('A cancelled order or a card payment cannot be marked as paid', async () => {
  const gone = await order(shop, [tea.item()])
  await update(shop, gone.order_id, { cancel: true })
  expect(told(await shop.asOperator('POST', `/orders/${gone.order_id}/payment/mark-paid`))).toEqual([
    409,
    'order_cancelled',
  ])
  const byCard = await order(shop, [tea.item()], card)
  expect(told(await shop.asOperator('POST', `/orders/${byCard.order_id}/payment/mark-paid`))).toEqual([409, 'not_cash'])
})

test('Marking as paid and cancelling at once ends in exactly one of the two', async () => {
  for (let round = 0; round < 5; round++) {
    const { order_id } = await order(shop, [tea.item()])
    const [marked, cancelled] = await Promise.all([
      shop.asOperator('POST', `/orders/${order_id}/payment/mark-paid`),
      shop.asOperator('PUT', `/orders/${order_id}`, { version: 1, cancel: true }, eitherApi()),
    ])
    expect([marked.status, cancelled.status].sort()).toEqual([200, 409])
  }
})

describe('Listing orders', () => {
  let own: Shop
  let two: Sold[]
  const made: { id: string; contact_id: string; number: number }[] = []
  const email = newEmail('Buyer')
  beforeAll(async () => {
    own = await newShop()
    two = [await product(own), await product(own)]
    const visitor = await own.visitor()
    for (let n = 0; n < 6; n++) {
      const at = n < 3 ? visitor : await own.visitor()
      if (n === 2) await prove(visitor, email)
      const cart = await cartOf(at, [(two[n % 2] as Sold).item()])
      const { order_id } = (await checkOut(at, cart, cash)).body
      const found = await read(own, order_id)
      made.push(found)
    }
    await update(own, made[1]?.id as string, { confirm: true })
    await update(own, made[4]?.id as string, { cancel: true })
    // Made at different times, so that a range can tell them apart.
    for (const [n, { id }] of made.entries()) await madeAt(id, 1_700_000_000 + n * 10)
  })

  const indexes = async (query: string): Promise<number[]> => {
    const { status, body } = await own.asOperator('GET', `/orders?${query}`)
    expect([status, body.code]).toEqual([200, undefined])
    return body.items.map(({ id }: { id: string }) => made.findIndex((one) => one.id === id))
  }

  test('Orders are listed newest first, and each filter works alone and with all others', async () => {
    expect(await indexes('')).toEqual([5, 4, 3, 2, 1, 0])
    expect(await indexes('sort_direction=asc')).toEqual([0, 1, 2, 3, 4, 5])
    expect(await indexes('sort_field=number&sort_direction=asc')).toEqual([0, 1, 2, 3, 4, 5])
    expect(await indexes(`contact_id=${made[0]?.contact_id}`)).toEqual([2, 1, 0])
    expect(await indexes('statuses=confirmed&statuses=CANCELLED')).toEqual([4, 1])
    expect(await indexes('statuses=confirmed,cancelled')).toEqual([4, 1])
    expect(await indexes('product_statuses=confirmed')).toEqual([1])
    expect(await indexes('product_statuses=pending,cancelled')).toEqual([5, 4, 3, 2, 0])
    expect(await indexes(`product_ids=${two[0]?.id}`)).toEqual([4, 2, 0])
    expect(await indexes(`product_ids=${two.map(({ id }) => id).join(',')}`)).toEqual([5, 4, 3, 2, 1, 0])
    expect(await indexes('verified=true')).toEqual([2])
    expect(await indexes('verified=false')).toEqual([5, 4, 3, 1, 0])
    expect(await indexes('created_at_from=1700000010&created_at_to=1700000030')).toEqual([3, 2, 1])
    expect(
      await indexes(
        `product_ids=${two[1]?.id}&product_statuses=pending&verified=false&created_at_from=1700000011&limit=1`,
      ),
    ).toEqual([5])
  })

  test('A query finds an order by number, id, contact and the start of an email address', async () => {
    expect(await indexes(`query=${made[3]?.number}`)).toEqual([3])
    expect(await indexes(`query=%23${made[3]?.number}`)).toEqual([3])
    expect(await indexes(`query=${made[4]?.id.toUpperCase()}`)).toEqual([4])
    expect(await indexes(`query=${made[0]?.contact_id}`)).toEqual([2, 1, 0])
    expect(await indexes(`query=${email.slice(0, 12).toUpperCase()}`)).toEqual([2, 1, 0])
    expect(await indexes('query=%25')).toEqual([])
    expect(await indexes('query=nobody')).toEqual([])
  })

  test('An invalid filter value is refused with its pointer', async () => {
    for (const bad of [
      'query=%20',
      'statuses=lost',
      'contact_id=1',
      'verified=perhaps',
      'limit=0',
      'limit=101',
      'sort_field=money',
      'created_at_from=yesterday',
    ])
      expect((await own.asOperator('GET', `/orders?${bad}`)).body.errors[0].pointer).toBe(bad.split('=')[0])
    for (const bad of [
      'x',
      Buffer.from('["number",1,"x"]').toString('base64url'),
      Buffer.from('["created_at","x","x"]').toString('base64url'),
    ])
      expect((await own.asOperator('GET', `/orders?cursor=${bad}`)).status).toBe(400)
  })

  test('Paging through orders skips and repeats none while orders are created', async () => {
    for (const direction of ['asc', 'desc']) {
      const seen: string[] = []
      let cursor: string | null = ''
      while (cursor !== null) {
        const { body } = await own.asOperator(
          'GET',
          `/orders?limit=2&sort_direction=${direction}&cursor=${cursor}`,
          undefined,
          eitherApi(),
        )
        seen.push(...body.items.map(({ id }: { id: string }) => id))
        cursor = body.cursor
        if (seen.length <= 6) await order(own, [(two[0] as Sold).item()])
      }
      expect(new Set(seen).size).toBe(seen.length)
      const known = seen.filter((id) => made.some((one) => one.id === id))
      expect(known).toHaveLength(6)
    }
  })

  test('Orders of the same second are paged by their ids', async () => {
    const shopOfOne = await newShop()
    const sold = await product(shopOfOne)
    const ids = (await atOnce(7, () => order(shopOfOne, [sold.item()]))).map(({ order_id }) => order_id)
    await database().query('update orders set created_at = 1700000000 where id = any($1)', [ids])
    const seen: string[] = []
    let cursor: string | null = 'null'
    while (cursor !== null) {
      const { body } = await shopOfOne.asOperator('GET', `/orders?limit=3&cursor=${cursor}`)
      seen.push(...body.items.map(({ id }: { id: string }) => id))
      cursor = body.cursor
    }
    expect(seen).toEqual(ids.sort().reverse())
  })
})

describe('Replacing items', () => {
  const put = (orderId: string, items: unknown, more: Record<string, unknown> = {}) =>
    update(shop, orderId, { product_items: items, ...more })
  const statuses = async (orderId: string) =>
    Object.fromEntries(
      (await linesOf(shop, orderId)).map((line: Record<string, unknown>) => [
        line.variant_id,
        [line.quantity, line.status],
      ]),
    )

  test('Replacing items reprices and reserves them in one version', async () => {
    const [a, b] = [await product(shop, { stock: 5 }), await product(shop, { stock: 5, amount: 300 })]
    const { order_id } = await order(shop, [a.item(3)])
    const [line] = await linesOf(shop, order_id)
    const changed = await put(order_id, [a.item(4), b.item(1), a.item(1)])
    expect(changed.body).toMatchObject({ status: 'pending', version: 2, money: { subtotal: 5300, total: 5300 } })
    expect(await paymentOf(shop, order_id)).toMatchObject({ type: 'cash', status: 'pending', amount: 5300 })
    expect([await a.available(), await b.available()]).toEqual([0, 4])
    expect((await linesOf(shop, order_id))[0]).toMatchObject({ id: line.id, quantity: 5, total: 5000 })

    expect((await put(order_id, [b.item(2)])).body).toMatchObject({
      status: 'pending',
      version: 3,
      money: { total: 600 },
    })
    expect(await statuses(order_id)).toEqual({ [a.variant_id]: [5, 'cancelled'], [b.variant_id]: [2, 'pending'] })
    expect([await a.available(), await b.available()]).toEqual([5, 3])
    // What was dropped comes back as a line of its own.
    expect((await put(order_id, [a.item(1)], { billing_address: address, confirm: true })).body).toMatchObject({
      status: 'confirmed',
      version: 4,
      billing_address: address,
    })
    expect((await linesOf(shop, order_id)).map(({ status }: { status: string }) => status).sort()).toEqual([
      'cancelled',
      'cancelled',
      'confirmed',
    ])
    expect((await update(shop, order_id, { cancel: true })).body.status).toBe('cancelled')
    expect([await a.available(), await b.available()]).toEqual([5, 5])
  })

  test('Dropping items of a confirmed order cancels it partially, dropping all cancels it', async () => {
    const [a, b] = [await product(shop, { stock: 5 }), await product(shop, { stock: 5 })]
    const { order_id } = await order(shop, [a.item(2), b.item(2)])
    await update(shop, order_id, { confirm: true })
    expect((await put(order_id, [a.item(1), b.item(2)])).body.status).toBe('confirmed')
    expect((await put(order_id, [a.item(1)])).body.status).toBe('partially_cancelled')
    expect(await statuses(order_id)).toEqual({ [a.variant_id]: [1, 'confirmed'], [b.variant_id]: [2, 'cancelled'] })
    expect((await update(shop, order_id, { confirm: true })).body.status).toBe('partially_cancelled')
    expect((await put(order_id, [a.item(2)])).body.status).toBe('partially_cancelled')
    expect((await put(order_id, [])).body).toMatchObject({ status: 'cancelled' })
    expect([await a.available(), await b.available()]).toEqual([5, 5])
    expect(told(await put(order_id, [a.item()]))).toEqual([409, 'order_cancelled'])
  })

  test('Replacing items with unavailable or unpriced ones changes nothing', async () => {
    const a = await product(shop, { stock: 5 })
    const { order_id } = await order(shop, [a.item(3)])
    const before = [await read(shop, order_id), await linesOf(shop, order_id)]
    expect((await put(order_id, [tea.item(), a.item(6)])).body).toMatchObject({
      code: 'out_of_stock',
      variant_id: a.variant_id,
      available: 5,
    })
    const elsewhere = await product(await newShop())
    expect((await put(order_id, [a.item(), elsewhere.item()])).body.errors).toMatchObject([
      { pointer: '/product_items/1', code: 'variant_unknown' },
    ])
    expect((await put(order_id, [a.item(999_999), a.item(2)])).body.errors).toMatchObject([
      { pointer: '/product_items/1/quantity', code: 'too_big' },
    ])
    expect((await put(order_id, [a.item(0)])).body.errors[0].pointer).toBe('/product_items/0/quantity')
    expect((await put(order_id, [a.item()], { cancel: true })).body.errors[0].pointer).toBe('/product_items')
    expect([await read(shop, order_id), await linesOf(shop, order_id)]).toEqual(before)
    expect(await a.available()).toBe(2)
  })

  test('Items cannot be replaced after a payment or while the payment page is open', async () => {
    const paid = await paidOrder(shop, [tea.item()])
    expect(told(await put(paid.order_id, [tea.item(2)]))).toEqual([409, 'payment_captured'])
    const open = await order(shop, [tea.item()], card)
    expect(told(await put(open.order_id, [tea.item(2)]))).toEqual([409, 'payment_in_progress'])
    expect(told(await put(open.order_id, []))).toEqual([409, 'payment_in_progress'])
    const taken = await order(shop, [tea.item()])
    await shop.asOperator('POST', `/orders/${taken.order_id}/payment/mark-paid`)
    expect(told(await put(taken.order_id, [tea.item(2)]))).toEqual([409, 'payment_captured'])
  })

  test('Replacing items by free ones makes the order paid, and priced ones make it unpaid again', async () => {
    const gift = await product(shop, { amount: 0 })
    const { order_id } = await order(shop, [tea.item()])
    expect((await put(order_id, [gift.item()])).body.money.total).toBe(0)
    expect(await paymentOf(shop, order_id)).toMatchObject({ type: 'none', status: 'paid', amount: 0 })
    expect((await put(order_id, [tea.item()])).body.money.total).toBe(1000)
    expect(await paymentOf(shop, order_id)).toMatchObject({
      type: 'cash',
      status: 'pending',
      amount: 1000,
      paid_at: null,
    })
    const free = await order(shop, [gift.item()], {})
    expect((await put(free.order_id, [tea.item()])).status).toBe(422)
  })

  test('Replacing items of many orders at once, crosswise, neither loses nor creates stock', async () => {
    const [a, b] = [await product(shop, { stock: 20 }), await product(shop, { stock: 20 })]
    const orders = await atOnce(10, (n) => order(shop, [(n % 2 ? a : b).item(2)]))
    const answers = await Promise.all(
      orders.map(({ order_id }, n) =>
        shop.asOperator(
          'PUT',
          `/orders/${order_id}`,
          { version: 1, product_items: [(n % 2 ? b : a).item(2), (n % 2 ? a : b).item()] },
          eitherApi(),
        ),
      ),
    )
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200))
    expect([await a.available(), await b.available()]).toEqual([5, 5])
  })
})
