// A review is marked as that of a buyer if its author has a paid or confirmed order of the target, and a business may
// take reviews of buyers alone.
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals'
import { type Bookable, bookable, dateIn } from '../kit/bookings/booking.ts'
import { newSalon, type Salon } from '../kit/business.ts'
import {
  card,
  cash,
  order,
  pay,
  paymentOf,
  product,
  read,
  requestRefund,
  type Sold,
  until,
  update,
} from '../kit/orders/buying.ts'
import { type Forum, newForum, refused, said, type Target } from '../kit/reactions.ts'
import { database, type Shop, type Visitor } from '../kit/shop.ts'

jest.setTimeout(180_000)

let salon: Salon
let shop: Shop
let forum: Forum
let cut: Bookable
const goods: Record<string, { sold: Sold; buyer: Visitor }> = {}

beforeAll(async () => {
  salon = await newSalon()
  ;({ shop } = salon)
  cut = await bookable(shop, { prices: ['booking', 'us'].map((market) => ({ market, amount: 3000 })) })
  const sell = async (name: string, how: unknown) => {
    const sold = await product(shop, { requires_shipping: false })
    const made = await order(shop, [sold.item()], how)
    goods[name] = { sold, buyer: made.visitor }
    return made
  }
  const paid = async (name: string) => {
    const made = await sell(name, card)
    await pay(made.session)
    await until(async () => (await paymentOf(shop, made.order_id)).status === 'paid')
    return made
  }
  await sell('pending', card)
  const confirmed = await sell('confirmed', cash)
  if ((await read(shop, confirmed.order_id)).status === 'pending')
    await update(shop, confirmed.order_id, { confirm: true })
  const cancelled = await sell('cancelled', cash)
  await update(shop, cancelled.order_id, { cancel: true })
  await paid('paid')
  const refunded = await paid('refunded')
  const { captured_amount } = await paymentOf(shop, refunded.order_id)
  await requestRefund(shop, refunded.order_id, captured_amount)
  await until(async () => (await paymentOf(shop, refunded.order_id)).refunded_amount === captured_amount)
  const partly = await paid('partly refunded')
  await requestRefund(shop, partly.order_id, 100)
  const sold = await product(shop, { requires_shipping: false })
  goods["another's"] = { sold, buyer: (await order(shop, [sold.item()], cash)).visitor }
  await salon.open()
  forum = await newForum({ id: shop.store_id, publishable_key: shop.publishable_key, op: shop.op })
}, 120_000)
afterAll(async () => database().end())

const of = (name: string): { target: Target; buyer: Visitor } => {
  const found = goods[name]
  if (!found) throw new Error(`nothing is ${name}`)
  return { target: { type: 'product', id: found.sold.id }, buyer: found.buyer }
}

/** An order is refunded in full: what was bought is given back. */
const expected: [name: string, bought: boolean][] = [
  ['pending', false],
  ['cancelled', false],
  ['refunded', false],
  ['partly refunded', true],
  ['paid', true],
  ['confirmed', true],
]

test.each(expected)(
  'With a %s order of the target, a review has verifiedPurchase as it should',
  async (name, bought) => {
    const { target, buyer } = of(name)
    const review = await forum.react(buyer, target, 'review', said('I say what I think.'))
    const star = await forum.react(buyer, target, 'star_4')
    expect([review.status, review.body.verifiedPurchase, star.body.verifiedPurchase]).toEqual([201, bought, bought])
  },
)

test("Another's order, and an order of something else, are no purchase", async () => {
  const stranger = await forum.person()
  for (const [who, target] of [
    [stranger, of("another's").target],
    [of('paid').buyer, of("another's").target],
  ] as const) {
    const { body } = await forum.react(who, target, 'review', said('I have not bought it.'))
    expect(body.verifiedPurchase).toBe(false)
  }
})

test('A booked service and its provider are bought, and only its customer reacts to the booking', async () => {
  const [slot] = await cutSlots()
  const visitor = await shop.visitor()
  const items = [{ serviceId: cut.service_id, providerId: cut.provider_id, slots: [slot] }]
  const made = await salon.as(visitor, 'POST', '/bookings/checkout', { items, paymentMethodId: 'cash' })
  expect([made.status, made.body.booking?.status]).toEqual([200, 'CONFIRMED'])
  const booking: Target = { type: 'booking', id: made.body.booking.id }
  for (const target of [
    { type: 'service', id: cut.service_id },
    { type: 'provider', id: cut.provider_id },
    booking,
  ] as Target[]) {
    const { status, body } = await forum.react(visitor, target, 'review', said('A good cut.'))
    expect([target.type, status, body.verifiedPurchase]).toEqual([target.type, 201, true])
  }
  const other = await forum.person()
  for (const [kind, more] of [
    ['like', {}],
    ['comment', said('Not mine')],
  ] as const)
    expect((await forum.react(other, booking, kind, more)).status).toBe(404)
  expect((await forum.react(visitor, booking, 'like')).status).toBe(201)
})
const cutSlots = async () => {
  const { body } = await salon.op(
    'GET',
    `/bookings/availability?serviceId=${cut.service_id}&month=${dateIn(40).slice(0, 7)}`,
  )
  return body.providers[0].days[0].slots.map(({ from, to }: { from: number; to: number }) => ({ from, to }))
}

test('Where only buyers review, others are refused, and their marks and comments are taken', async () => {
  await forum.settings({ reviewers: 'buyers' })
  const { target } = of('confirmed')
  const other = await forum.person()
  expect(refused(await forum.react(other, target, 'review', said('Bad')))).toEqual([403, 'purchase_required'])
  expect(refused(await forum.react(other, target, 'star_1'))).toEqual([403, 'purchase_required'])
  expect((await forum.react(other, target, 'like')).status).toBe(201)
  expect((await forum.react(other, target, 'comment', said('Is it good?'))).status).toBe(201)
  const sold = of('paid')
  expect((await forum.react(sold.buyer, sold.target, 'star_5')).status).toBe(201)
  for (const name of ['pending', 'cancelled', 'refunded'])
    expect(refused(await forum.react(of(name).buyer, of(name).target, 'star_5'))).toEqual([403, 'purchase_required'])
  await forum.settings({ reviewers: 'verified' })
  expect(refused(await forum.react(other, target, 'star_1'))).toEqual([403, 'sign_in_required'])
  await forum.settings({})
})
