// However many buyers check out at once on however many servers, stock is sold once and returned exactly.
import { beforeAll, expect, test } from '@jest/globals'
import {
  atOnce,
  buyer,
  card,
  cash,
  checkOut,
  connected,
  ledger,
  locationOf,
  order,
  product,
  read,
  type Sold,
  update,
} from '../kit/orders/buying.ts'
import { type Answer, database, eitherApi, newShop, type Shop, unique } from '../kit/shop.ts'

let shop: Shop
beforeAll(async () => {
  shop = await newShop()
})

/** What orders that are not cancelled reserve of a variant, by location. */
async function heldOf(variantId: string): Promise<Record<string, number>> {
  const { rows } = await database().query<{ location: string; held: string }>(
    `select a->>'location_id' as location, sum((a->>'quantity')::int) as held from order_lines l join orders o on o.id = l.order_id, jsonb_array_elements(l.allocations) a
     where l.variant_id = $1 and l.status <> 'cancelled' and o.status <> 'cancelled' group by 1`,
    [variantId],
  )
  return Object.fromEntries(rows.map(({ location, held }) => [location, Number(held)]))
}
const held = async (sold: Sold) => Object.values(await heldOf(sold.variant_id)).reduce((sum, one) => sum + one, 0)

async function levelsOf({ id }: Sold): Promise<Record<string, number>> {
  const { body } = await shop.asOperator('GET', `/products/${id}/inventory`)
  return Object.fromEntries(
    body.map((row: { location_id: string; available: number }) => [row.location_id, row.available]),
  )
}

const counts = (answers: Answer[]): Record<number, number> => {
  const found: Record<number, number> = {}
  for (const { status } of answers) found[status] = (found[status] ?? 0) + 1
  return found
}

async function rush(sold: Sold, buyers: number, quantity: number): Promise<Answer[]> {
  const ready = await atOnce(buyers, () => buyer(shop, [sold.item(quantity)]))
  return Promise.all(ready.map(({ visitor, cart }) => checkOut(visitor, cart, cash, eitherApi())))
}

async function secondLocation(): Promise<string> {
  const made = await shop.asOperator('POST', '/locations', { key: `place-${unique()}`, address: {} })
  return made.body.id
}

test('Of twenty buyers of the last unit on two servers, one gets it and the others are refused', async () => {
  const last = await product(shop, { stock: 1 })
  const answers = await rush(last, 20, 1)
  expect(counts(answers)).toEqual({ 200: 1, 409: 19 })
  for (const { body } of answers.filter(({ status }) => status === 409))
    expect(body).toMatchObject({ code: 'out_of_stock', variant_id: last.variant_id, available: 0 })
  expect([await last.available(), await held(last)]).toEqual([0, 1])
})

test('Of thirty buyers of ten units, ten get one each, and no failed order reserves any', async () => {
  const ten = await product(shop, { stock: 10 })
  const answers = await rush(ten, 30, 1)
  expect(counts(answers)).toEqual({ 200: 10, 409: 20 })
  expect(new Set(answers.filter(({ status }) => status === 200).map(({ body }) => body.number)).size).toBe(10)
  expect([await ten.available(), await held(ten)]).toEqual([0, 10])
})

test('A checkout of more than is left is refused with the rest and reserves nothing', async () => {
  const three = await product(shop, { stock: 3 })
  const plenty = await product(shop, { stock: 100 })
  const { visitor, cart } = await buyer(shop, [plenty.item(5), three.item(4)])
  const refused = await checkOut(visitor, cart, cash)
  expect(refused.status).toBe(409)
  expect(refused.body).toMatchObject({ code: 'out_of_stock', variant_id: three.variant_id, available: 3 })
  expect([await three.available(), await plenty.available()]).toEqual([3, 100])
  await visitor.call('PUT', `/carts/${cart.id}`, { product_items: [plenty.item(5), three.item(3)] })
  expect((await checkOut(visitor, cart, cash)).status).toBe(200)
  expect([await three.available(), await plenty.available()]).toEqual([0, 95])
})

test('Equal variants of a cart become one line and one reservation', async () => {
  const five = await product(shop, { stock: 5 })
  const { visitor, cart } = await buyer(shop, [five.item(2), five.item(4)])
  expect((await checkOut(visitor, cart, cash)).body).toMatchObject({ code: 'out_of_stock', available: 5 })
  await visitor.call('PUT', `/carts/${cart.id}`, { product_items: [five.item(2), five.item(3)] })
  const done = await checkOut(visitor, cart, cash)
  const lines = (await shop.asOperator('GET', `/orders/${done.body.order_id}/products`)).body
  expect(lines).toMatchObject([{ variant_id: five.variant_id, quantity: 5, subtotal: 5000 }])
  expect([await five.available(), await held(five)]).toEqual([0, 5])
})

test('A variant without inventory never runs out', async () => {
  const endless = await product(shop)
  expect(counts(await rush(endless, 5, 1_000_000))).toEqual({ 200: 5 })
  expect(await held(endless)).toBe(0)
})

test('A location with enough stock is preferred, else it is split; cancelling returns it there', async () => {
  const [a, b] = [await locationOf(shop), await secondLocation()]
  const stock = [
    { location_id: a, available: 1 },
    { location_id: b, available: 3 },
  ]
  const sold = await product(shop, { stock })
  const whole = await order(shop, [sold.item(2)])
  expect(await levelsOf(sold)).toEqual({ [a]: 1, [b]: 1 })
  const split = await order(shop, [sold.item(2)])
  expect(await levelsOf(sold)).toEqual({ [a]: 0, [b]: 0 })
  expect(await heldOf(sold.variant_id)).toEqual({ [a]: 1, [b]: 3 })

  expect((await update(shop, split.order_id, { cancel: true })).body).toMatchObject({
    status: 'cancelled',
    fulfillment_status: 'cancelled',
  })
  expect(await levelsOf(sold)).toEqual({ [a]: 1, [b]: 1 })
  expect((await update(shop, whole.order_id, { cancel: true })).status).toBe(200)
  expect(await levelsOf(sold)).toEqual({ [a]: 1, [b]: 3 })
})

/** A pickup location with an address. */
const pickup = async (): Promise<string> =>
  (
    await shop.asOperator('POST', '/locations', {
      key: `desk-${unique()}`,
      address: { country: 'US' },
      is_pickup_location: true,
    })
  ).body.id

test('Goods that are picked up are quoted, reserved and returned at their pickup location alone', async () => {
  const [a, b, c] = [await locationOf(shop), await pickup(), await pickup()]
  const stock = [
    { location_id: a, available: 5 },
    { location_id: b, available: 2 },
  ]
  const [sold, file] = [await product(shop, { stock }), await product(shop, { stock, is_digital: true })]
  const collect = (quantity: number, pickup_location_id: string) =>
    buyer(shop, [sold.item(quantity), file.item(3)], { pickup_location_id })
  for (const [place, available] of [
    [b, 2],
    [c, 0],
  ] as const) {
    const { visitor, cart } = await collect(3, place)
    const { body: quote } = await visitor.call('POST', `/carts/${cart.id}/quote`, {}, eitherApi())
    expect([quote.product_lines[0].available, quote.digital_lines[0].available]).toEqual([available, 7])
    const refused = await checkOut(visitor, cart, cash, eitherApi())
    expect([refused.status, refused.body]).toEqual([
      409,
      expect.objectContaining({ code: 'out_of_stock', variant_id: sold.variant_id, available }),
    ])
  }
  expect(await levelsOf(sold)).toEqual({ [a]: 5, [b]: 2 })

  const { visitor, cart } = await collect(2, b)
  const { order_id } = (await checkOut(visitor, cart, cash)).body
  // Files come from anywhere.
  expect([await levelsOf(sold), await levelsOf(file)]).toEqual([
    { [a]: 5, [b]: 0 },
    { [a]: 2, [b]: 2 },
  ])
  const replace = (quantity: number) => update(shop, order_id, { product_items: [sold.item(quantity)] })
  expect((await replace(3)).body).toMatchObject({ code: 'out_of_stock', available: 2 })
  expect((await replace(1)).status).toBe(200)
  expect(await levelsOf(sold)).toEqual({ [a]: 5, [b]: 1 })
  expect((await update(shop, order_id, { cancel: true })).status).toBe(200)
  expect([await levelsOf(sold), await levelsOf(file)]).toEqual([
    { [a]: 5, [b]: 2 },
    { [a]: 5, [b]: 2 },
  ])
})

test('Of many who pick up and others who are sent the goods, nobody gets more than there is', async () => {
  const [a, b] = [await locationOf(shop), await pickup()]
  const stock = [
    { location_id: a, available: 4 },
    { location_id: b, available: 4 },
  ]
  const sold = await product(shop, { stock })
  const ready = await atOnce(20, (n) => buyer(shop, [sold.item()], n % 2 ? { pickup_location_id: b } : {}))
  const answers = await Promise.all(ready.map(({ visitor, cart }) => checkOut(visitor, cart, cash, eitherApi())))
  expect(counts(answers)).toEqual({ 200: 8, 409: 12 })
  expect([await levelsOf(sold), await held(sold)]).toEqual([{ [a]: 0, [b]: 0 }, 8])
  const places = (n: number) => answers.filter(({ status }, at) => status === 200 && at % 2 === n).length
  expect(places(1)).toBeLessThanOrEqual(4)
})

test('A line that stays as it is keeps its units wherever they are when others are replaced', async () => {
  const [a, b] = [await locationOf(shop), await pickup()]
  const sold = await product(shop, { stock: [{ location_id: a, available: 5 }] })
  const more = await product(shop, { stock: 9 })
  const { order_id } = await order(shop, [sold.item(2)])
  // As the version before 0.3 sold it.
  await database().query('update orders set pickup_location_id = $2 where id = $1', [order_id, b])
  expect((await update(shop, order_id, { product_items: [sold.item(2), more.item()] })).body).toMatchObject({
    code: 'out_of_stock',
    variant_id: more.variant_id,
  })
  await shop.asOperator('PUT', `/products/${more.id}/inventory`, {
    inventory: [{ variant_id: more.variant_id, location_id: b, available: 1 }],
  })
  expect((await update(shop, order_id, { product_items: [sold.item(2), more.item()] })).status).toBe(200)
  expect([await heldOf(sold.variant_id), await heldOf(more.variant_id)]).toEqual([{ [a]: 2 }, { [b]: 1 }])
})

test('Many buyers of two locations never buy more than both have', async () => {
  const [a, b] = [await locationOf(shop), await secondLocation()]
  const stock = [
    { location_id: a, available: 7 },
    { location_id: b, available: 6 },
  ]
  const sold = await product(shop, { stock })
  const answers = await rush(sold, 20, 2)
  // Thirteen units are six pairs: one unit is left.
  expect(counts(answers)).toEqual({ 200: 6, 409: 14 })
  expect([await sold.available(), await held(sold)]).toEqual([1, 12])
})

test('An order that is cancelled by many requests at once returns its stock once', async () => {
  const sold = await product(shop, { stock: 4 })
  const { order_id } = await order(shop, [sold.item(3)])
  const { version } = await read(shop, order_id)
  const answers = await atOnce(10, () =>
    shop.asOperator('PUT', `/orders/${order_id}`, { version, cancel: true }, eitherApi()),
  )
  expect(counts(answers)).toEqual({ 200: 1, 409: 9 })
  expect(await sold.available()).toBe(4)
  expect((await update(shop, order_id, { cancel: true })).status).toBe(200)
  expect([await sold.available(), await held(sold)]).toEqual([4, 0])
})

test('Concurrent checkouts, cancellations and recounts leave the right stock', async () => {
  const [one, two] = [await product(shop, { stock: 40 }), await product(shop, { stock: 40 })]
  const orders = await atOnce(20, (n) =>
    order(shop, n % 2 === 0 ? [one.item(), two.item()] : [two.item(), one.item()], cash, eitherApi()),
  )
  await Promise.all([
    ...orders.slice(0, 10).map(({ order_id }) => update(shop, order_id, { cancel: true })),
    ...(await atOnce(10, (n) => buyer(shop, n % 2 === 0 ? [two.item(2), one.item()] : [one.item(2), two.item()]))).map(
      ({ visitor, cart }) => checkOut(visitor, cart, cash, eitherApi()),
    ),
  ])
  for (const sold of [one, two]) expect((await sold.available()) + (await held(sold))).toBe(40)
  expect([await held(one), await held(two)]).toEqual([25, 25])
})

test('Twenty concurrent cash checkouts of one cart make one order with identical answers', async () => {
  const sold = await product(shop, { stock: 20 })
  const { visitor, cart } = await buyer(shop, [sold.item()])
  const answers = await atOnce(20, () => checkOut(visitor, cart, cash, eitherApi()))
  expect(counts(answers)).toEqual({ 200: 20 })
  expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1)
  expect(answers[0]?.body.payment_action).toEqual({ type: 'none' })
  expect((await visitor.call('GET', '/orders')).body.items).toHaveLength(1)
  expect(await sold.available()).toBe(19)
})

test('Twenty concurrent card checkouts of one cart make one order, payment and page', async () => {
  const account = await connected(shop)
  const sold = await product(shop, { stock: 20 })
  const { visitor, cart } = await buyer(shop, [sold.item()])
  const answers = await atOnce(20, () => checkOut(visitor, cart, card, eitherApi()))
  expect(counts(answers)).toEqual({ 200: 20 })
  expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1)
  const { order_id, payment, payment_action } = answers[0]?.body ?? {}
  expect(payment).toMatchObject({
    order_id,
    status: 'pending',
    amount: 1000,
    currency: 'USD',
    provider: 'stripe',
    provider_account_id: account,
  })
  expect(payment_action).toMatchObject({ type: 'card_embedded_checkout', provider: 'stripe', account_id: account })
  expect(payment_action.client_secret).toMatch(/^cs_test_/)
  expect(payment_action.publishable_key).toBe(process.env.STRIPE_PUBLISHABLE_KEY)
  const sent = (await ledger(account, '/v1/checkout/sessions')).filter(({ metadata }) => metadata.order_id === order_id)
  expect(sent).toHaveLength(1)
  expect(sent[0]).toMatchObject({ times: 1, effect: true })
  expect((await visitor.call('GET', '/orders')).body.items).toHaveLength(1)
  expect(await sold.available()).toBe(19)
  // A later checkout of the same cart, while it can still be paid, returns the same.
  expect((await checkOut(visitor, cart, card)).body).toEqual(answers[0]?.body)
})
