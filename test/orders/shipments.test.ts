// Each unit is shipped once: of concurrent shipments of the last unit one succeeds, and a shipment that was entered by
// mistake can be deleted.
import { beforeAll, expect, test } from '@jest/globals'
import { newId } from '../../entities/kit/ids.ts'
import { atOnce, linesOf, order, product, read, type Sold, update } from '../kit/orders/buying.ts'
import { type Answer, database, eitherApi, newShop, type Shop } from '../kit/shop.ts'

let shop: Shop
let tea: Sold
let cups: Sold
let file: Sold
beforeAll(async () => {
  shop = await newShop()
  ;[tea, cups, file] = [await product(shop), await product(shop), await product(shop, { is_digital: true })]
})

type Items = { line_id: string; quantity: number }[]
const ship = (orderId: string, items: Items, more: Record<string, unknown> = {}): Promise<Answer> =>
  shop.asOperator('POST', `/orders/${orderId}/shipments`, { items, ...more }, eitherApi())
const told = ({ status, body }: Answer) => [status, body.code]
const stateOf = async (orderId: string) => {
  const { fulfillment_status, version } = await read(shop, orderId)
  return [fulfillment_status, version]
}
const shipped = async (orderId: string): Promise<number[]> => {
  const { rows } = await database().query<{ shipped_quantity: number }>(
    'select shipped_quantity from order_lines where order_id = $1 order by position',
    [orderId],
  )
  return rows.map(({ shipped_quantity }) => shipped_quantity)
}

/** A confirmed order and its lines' ids, in the order of the products. */
async function sold(...things: [Sold, number][]): Promise<{ id: string; lines: string[] }> {
  const { order_id } = await order(
    shop,
    things.map(([thing, quantity]) => thing.item(quantity)),
  )
  await update(shop, order_id, { confirm: true })
  const found = [
    ...(await linesOf(shop, order_id)),
    ...(await shop.asOperator('GET', `/orders/${order_id}/digital-products`)).body,
  ]
  return {
    id: order_id,
    lines: things.map(
      ([thing]) => found.find(({ variant_id }: { variant_id: string }) => variant_id === thing.variant_id).id,
    ),
  }
}

test('A shipment counts on its lines and moves the order’s fulfillment and version', async () => {
  const { id, lines } = await sold([tea, 3], [cups, 1], [file, 1])
  const [a, b] = lines as [string, string]
  expect(await stateOf(id)).toEqual(['unfulfilled', 2])
  const first = await ship(id, [{ line_id: a.toUpperCase(), quantity: 2 }], {
    carrier: 'DHL',
    tracking_number: ' 00340 ',
  })
  expect(first.status).toBe(201)
  expect(first.body).toEqual({
    id: expect.any(String),
    order_id: id,
    items: [{ line_id: a, quantity: 2 }],
    carrier: 'DHL',
    tracking_number: '00340',
    created_at: expect.any(Number),
    updated_at: expect.any(Number),
  })
  expect(await stateOf(id)).toEqual(['partially_fulfilled', 3])
  // Without a carrier: the goods were handed over.
  const second = (
    await ship(id, [
      { line_id: b, quantity: 1 },
      { line_id: a, quantity: 1 },
    ])
  ).body
  expect(second).toMatchObject({ carrier: null, tracking_number: null })
  expect(await stateOf(id)).toEqual(['fulfilled', 4])
  expect(await shipped(id)).toEqual([3, 1, 0])
  expect((await shop.asOperator('GET', `/orders/${id}/shipments`)).body).toEqual({
    items: expect.arrayContaining([first.body, second]),
    cursor: null,
  })
  expect((await shop.asOperator('GET', `/orders/${id}/shipments/${second.id}`)).body).toEqual(second)
})

test('Deleting a shipment returns its quantities once', async () => {
  const { id, lines } = await sold([tea, 2])
  const items = [{ line_id: lines[0] as string, quantity: 2 }]
  const { body } = await ship(id, items)
  const gone = await atOnce(5, () =>
    shop.asOperator('DELETE', `/orders/${id}/shipments/${body.id}`, undefined, eitherApi()),
  )
  expect(gone.map(({ status }) => status).sort()).toEqual([200, 404, 404, 404, 404])
  expect(gone.find(({ status }) => status === 200)?.body).toEqual({ success: true })
  expect([await shipped(id), await stateOf(id)]).toEqual([[0], ['unfulfilled', 4]])
  expect((await shop.asOperator('GET', `/orders/${id}/shipments/${body.id}`)).status).toBe(404)
  expect((await ship(id, items)).status).toBe(201)
})

test('A shipment of more than the rest is 409, returns the rest and counts nothing', async () => {
  const { id, lines } = await sold([tea, 3], [cups, 1])
  const [a, b] = lines as [string, string]
  await ship(id, [{ line_id: a, quantity: 2 }])
  const over = await ship(id, [
    { line_id: b, quantity: 1 },
    { line_id: a, quantity: 2 },
  ])
  expect(told(over)).toEqual([409, 'already_shipped'])
  expect(over.body).toMatchObject({
    line_id: a,
    remaining: 1,
    errors: [{ pointer: '/items/1/quantity', code: 'already_shipped' }],
  })
  expect([await shipped(id), await stateOf(id)]).toEqual([
    [2, 0],
    ['partially_fulfilled', 3],
  ])
})

test('A shipment needs a confirmed order and is refused for a cancelled one', async () => {
  const { order_id } = await order(shop, [tea.item()])
  const items = [{ line_id: (await linesOf(shop, order_id))[0].id, quantity: 1 }]
  expect(told(await ship(order_id, items))).toEqual([409, 'order_not_confirmed'])
  await update(shop, order_id, { cancel: true })
  expect(told(await ship(order_id, items))).toEqual([409, 'order_cancelled'])
})

test('A shipment names shippable lines of its order, each once', async () => {
  const { id, lines } = await sold([tea, 2], [file, 1])
  const [a, digital] = lines as [string, string]
  const other = await sold([tea, 2])
  const refused = async (items: unknown) => {
    const { status, body } = await ship(id, items as Items)
    return [status, body.errors?.[0]?.pointer, body.errors?.[0]?.code]
  }
  expect(await refused([{ line_id: other.lines[0], quantity: 1 }])).toEqual([422, '/items/0/line_id', 'line_unknown'])
  expect(
    await refused([
      { line_id: a, quantity: 1 },
      { line_id: digital, quantity: 1 },
    ]),
  ).toEqual([422, '/items/1/line_id', 'not_shippable'])
  expect(
    await refused([
      { line_id: a, quantity: 1 },
      { line_id: a, quantity: 1 },
    ]),
  ).toEqual([422, '/items/1/line_id', 'duplicate'])
  expect(await refused([{ line_id: a, quantity: 0 }])).toEqual([422, '/items/0/quantity', 'too_small'])
  expect(await refused([])).toEqual([422, '/items', 'too_small'])
  expect(await refused(Array.from({ length: 501 }, () => ({ line_id: newId(), quantity: 1 })))).toEqual([
    422,
    '/items',
    'too_big',
  ])
  expect([await shipped(id), await stateOf(id)]).toEqual([
    [0, 0],
    ['unfulfilled', 2],
  ])
})

test('A shipment of a cancelled line is 422', async () => {
  const { id, lines } = await sold([tea, 1], [cups, 1])
  await update(shop, id, { product_items: [tea.item(1)] })
  const gone = await ship(id, [{ line_id: lines[1] as string, quantity: 1 }])
  expect([gone.status, gone.body.errors[0]]).toMatchObject([
    422,
    { pointer: '/items/0/line_id', code: 'line_cancelled' },
  ])
  expect((await ship(id, [{ line_id: lines[0] as string, quantity: 1 }])).status).toBe(201)
  expect(await stateOf(id)).toEqual(['fulfilled', 4])
})

test('A shipment repeated with the version that was read is refused', async () => {
  const { id, lines } = await sold([tea, 4])
  const items = [{ line_id: lines[0] as string, quantity: 1 }]
  const answers = await atOnce(5, () => ship(id, items, { version: 2 }))
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409])
  const stale = answers.find(({ status }) => status === 409) as Answer
  expect([told(stale), stale.body.version]).toEqual([[409, 'stale_version'], 3])
  expect(await shipped(id)).toEqual([1])
})

test('Of twenty concurrent shipments of the last unit through two processes, one succeeds', async () => {
  const { id, lines } = await sold([tea, 2])
  const items = [{ line_id: lines[0] as string, quantity: 1 }]
  await ship(id, items)
  const answers = await atOnce(20, () => ship(id, items))
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
  for (const answer of answers.filter(({ status }) => status !== 201)) {
    expect(told(answer)).toEqual([409, 'already_shipped'])
    expect(answer.body.remaining).toBe(0)
  }
  expect([await shipped(id), await stateOf(id)]).toEqual([[2], ['fulfilled', 4]])
  expect((await shop.asOperator('GET', `/orders/${id}/shipments`)).body.items).toHaveLength(2)
})

test('Concurrent shipments of lines in any order cause no deadlock', async () => {
  const { id, lines } = await sold([tea, 20], [cups, 20])
  const items = lines.map((line_id) => ({ line_id, quantity: 1 }))
  const answers = await atOnce(20, (n) => ship(id, n % 2 === 0 ? items : items.toReversed()))
  expect(answers.every(({ status }) => status === 201)).toBe(true)
  expect([await shipped(id), await stateOf(id)]).toEqual([
    [20, 20],
    ['fulfilled', 22],
  ])
})

test('A shipment is found only below its order and its store', async () => {
  const [mine, other] = [await sold([tea, 1]), await sold([tea, 1])]
  const { body } = await ship(mine.id, [{ line_id: mine.lines[0] as string, quantity: 1 }])
  for (const method of ['GET', 'DELETE'] as const)
    expect((await shop.asOperator(method, `/orders/${other.id}/shipments/${body.id}`)).status).toBe(404)
  const stranger = await newShop()
  for (const method of ['GET', 'DELETE'] as const)
    expect((await stranger.asOperator(method, `/orders/${mine.id}/shipments/${body.id}`)).status).toBe(404)
  expect((await stranger.asOperator('GET', `/orders/${mine.id}/shipments`)).status).toBe(404)
  expect((await ship(newId(), [{ line_id: newId(), quantity: 1 }])).status).toBe(404)
  expect(await shipped(mine.id)).toEqual([1])
})
