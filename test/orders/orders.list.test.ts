// An order is found by each of its items, once however many lines match, and paging skips none.
import { beforeAll, expect, test } from '@jest/globals'
import { newId } from '../../entities/kit/ids.ts'
import { madeAt, order, product, read, type Sold, update } from '../kit/orders/buying.ts'
import { database, eitherApi, newShop, type Shop } from '../kit/shop.ts'

let shop: Shop
let other: Shop
let sold: Sold[]
const [cut, dye, ann, bob] = [newId(), newId(), newId(), newId()]
const made: { id: string; contact_id: string; number: number }[] = []

const ordered = async (at: Shop, items: Sold[], n: number) => {
  const { order_id } = await order(
    at,
    items.map((one) => one.item()),
  )
  await madeAt(order_id, 1_700_000_000 + n * 10)
  return order_id
}

/** A booking row as a checkout writes it. */
const book = (at: Shop, orderId: string, service: string, provider: string, status: string) =>
  database().query(
    `insert into order_bookings (id, tenant_id, created_at, updated_at, order_id, ordered_at, position, service_id, provider_id, service_key, provider_key, slots, starts_at, ends_at,
       quantity, unit_price, subtotal, discount, tax, total, status)
     select $1, tenant_id, created_at, created_at, id, created_at, 0, $4, $5, 's', 'p', '[]', created_at, created_at, 1, 0, 0, 0, 0, 0, $6 from orders where id = $2 and tenant_id = $3`,
    [newId(), orderId, at.store_id, service, provider, status],
  )

/** Order n's products, bookings and their statuses. */
const plan: { items: number[]; bookings: [string, string, string][]; change?: Record<string, unknown> }[] = [
  { items: [0], bookings: [] },
  { items: [0, 1], bookings: [[cut, ann, 'confirmed']], change: { confirm: true } },
  {
    items: [1],
    bookings: [
      [cut, bob, 'completed'],
      [cut, bob, 'completed'],
      [dye, bob, 'no_show'],
    ],
    change: { confirm: true },
  },
  { items: [0, 1, 2], bookings: [[dye, ann, 'cancelled']], change: { cancel: true } },
  { items: [2], bookings: [[dye, ann, 'completed']], change: { confirm: true } },
  {
    items: [0, 2],
    bookings: [
      [cut, ann, 'pending'],
      [dye, bob, 'pending'],
    ],
  },
]

beforeAll(async () => {
  ;[shop, other] = await Promise.all([newShop(), newShop()])
  sold = [await product(shop), await product(shop), await product(shop)]
  for (const [n, { items, bookings, change }] of plan.entries()) {
    const id = await ordered(
      shop,
      items.map((at) => sold[at] as Sold),
      n,
    )
    if (change) await update(shop, id, change)
    for (const [service, provider, status] of bookings) await book(shop, id, service, provider, status)
    made.push(await read(shop, id))
  }
  // Another store's order with the same service and provider.
  const theirs = await ordered(other, [await product(other)], 9)
  await book(other, theirs, cut, ann, 'confirmed')
})

const ids = (...places: number[]) => places.map((at) => sold[at]?.id).join(',')
async function found(query: string): Promise<number[]> {
  const { status, body } = await shop.asOperator('GET', `/orders?${query}`)
  expect([status, body.code]).toEqual([200, undefined])
  return body.items.map(({ id }: { id: string }) => made.findIndex((one) => one.id === id))
}

test('Filtering orders by products finds each order once', async () => {
  expect(await found(`product_ids=${ids(0)}`)).toEqual([5, 3, 1, 0])
  expect(await found(`product_ids=${ids(0, 1, 2)}`)).toEqual([5, 4, 3, 2, 1, 0])
  expect(await found(`product_ids=${newId()}`)).toEqual([])
  expect(await found('product_statuses=confirmed')).toEqual([4, 2, 1])
  expect(await found('product_statuses=Pending,cancelled')).toEqual([5, 3, 0])
})

test('Filtering orders by services and providers finds each order once', async () => {
  expect(await found(`service_ids=${cut}`)).toEqual([5, 2, 1])
  expect(await found(`service_ids=${cut}&service_ids=${dye}`)).toEqual([5, 4, 3, 2, 1])
  expect(await found(`provider_ids=${ann.toUpperCase()}`)).toEqual([5, 4, 3, 1])
  expect(await found(`provider_ids=${newId()}`)).toEqual([])
  expect(await found('booking_statuses=completed')).toEqual([4, 2])
  expect(await found('booking_statuses=NO_SHOW,cancelled')).toEqual([3, 2])
})

test('Filtering orders by an audience without members finds none', async () => {
  expect(await found(`audience_id=${newId()}`)).toEqual([])
})

test('A filter without a value or with an invalid one is refused', async () => {
  const empty = ['product_ids', 'service_ids', 'provider_ids', 'product_statuses', 'booking_statuses', 'statuses'].map(
    (name) => `${name}=,`,
  )
  for (const bad of [
    ...empty,
    'booking_statuses=late',
    'service_ids=1',
    'provider_ids=x',
    'audience_id=x',
    `service_ids=${Array(101).fill(cut).join(',')}`,
  ])
    expect((await shop.asOperator('GET', `/orders?${bad}`)).body.errors[0].pointer.split('/')[0]).toBe(
      bad.split('=')[0],
    )
})

test('Several filters are combined with AND, and each is met by any line of the order', async () => {
  expect(await found(`statuses=pending&product_ids=${ids(0)}&verified=false`)).toEqual([5, 0])
  expect(await found(`product_ids=${ids(0)}&service_ids=${cut}`)).toEqual([5, 1])
  expect(await found(`service_ids=${cut}&provider_ids=${ann}&booking_statuses=pending`)).toEqual([5])
  expect(await found(`contact_id=${made[2]?.contact_id}&booking_statuses=completed&provider_ids=${bob}`)).toEqual([2])
  expect(await found(`contact_id=${made[2]?.contact_id}&booking_statuses=completed&provider_ids=${ann}`)).toEqual([])
  expect(
    await found(`product_ids=${ids(0, 2)}&service_ids=${dye}&created_at_from=1700000030&created_at_to=1700000040`),
  ).toEqual([4, 3])
  expect(await found(`query=${made[4]?.number}&statuses=confirmed`)).toEqual([4])
  expect(await found(`query=${made[4]?.number}&statuses=pending`)).toEqual([])
  expect(await found('product_statuses=cancelled&statuses=confirmed')).toEqual([])
  // No single booking matches both filters, but the order does.
  expect(await found(`service_ids=${dye}&booking_statuses=completed&provider_ids=${bob}`)).toEqual([2])
})

test('A filter gives the same orders in every sort order', async () => {
  for (const sort of ['created_at', 'number']) {
    expect(await found(`service_ids=${cut}&sort_field=${sort}`)).toEqual([5, 2, 1])
    expect(await found(`service_ids=${cut}&sort_field=${sort}&sort_direction=asc`)).toEqual([1, 2, 5])
  }
  expect((await found(`product_ids=${ids(0)}&sort_field=updated_at`)).sort()).toEqual([0, 1, 3, 5])
})

test('A filter finds an order by a line that was added later', async () => {
  const own = await newShop()
  const [a, b] = [await product(own), await product(own)]
  const first = await ordered(own, [a], 0)
  await ordered(own, [b], 1)
  await update(own, first, { product_items: [a.item(), b.item()] })
  const { items } = (await own.asOperator('GET', `/orders?product_ids=${b.id}&sort_direction=asc`)).body
  expect(items).toHaveLength(2)
  expect(items[0].id).toBe(first)
})

test('A filter never finds another store’s orders', async () => {
  expect((await other.asOperator('GET', `/orders?product_ids=${ids(0, 1, 2)}`)).body.items).toEqual([])
  const { items } = (await other.asOperator('GET', `/orders?service_ids=${cut}&provider_ids=${ann}`)).body
  expect(items).toHaveLength(1)
  expect(made.some(({ id }) => id === items[0].id)).toBe(false)
})

test.each(['asc', 'desc'])(
  'A filtered list sorted %s skips and repeats nothing while orders are created',
  async (direction) => {
    const own = await newShop()
    const [a, b] = [await product(own), await product(own)]
    const wanted: string[] = []
    // Several in the same second: their ids decide.
    for (let n = 0; n < 9; n++) {
      const id = await ordered(own, n % 3 === 2 ? [b] : [a, b], Math.floor(n / 4))
      await book(own, id, n % 2 === 0 ? cut : dye, ann, 'pending')
      if (n % 3 !== 2 && n % 2 === 0) wanted.push(id)
    }
    const seen: string[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const path = `/orders?product_ids=${a.id}&service_ids=${cut}&booking_statuses=pending&limit=1&sort_direction=${direction}&cursor=${cursor}`
      const { body } = await own.asOperator('GET', path, undefined, eitherApi())
      seen.push(...body.items.map(({ id }: { id: string }) => id))
      cursor = body.cursor
      if (seen.length < 3) await ordered(own, [a], 1)
    }
    expect(seen.toSorted()).toEqual(wanted.toSorted())
  },
)
