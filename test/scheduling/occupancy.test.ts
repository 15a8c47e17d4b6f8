// Each booking keeps its own limit with its time, whichever surface or process books it, and in whichever order.
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { type Bookable, bookable, dateIn, provider, type Slot, scheduleOf } from '../kit/bookings/booking.ts'
import { newSalon } from '../kit/business.ts'
import { deadlocks } from '../kit/database/locks.ts'
import { buyer, cash, checkOut, update } from '../kit/orders/buying.ts'
import { type Answer, database, eitherApi, newShop, type Shop, secondApi } from '../kit/shop.ts'

let shop: Shop
beforeAll(async () => {
  shop = await newShop({ timezone: 'UTC' })
})
afterEach(async () => {
  const { taken, booked } = await scheduleOf(shop.store_id)
  expect(taken).toEqual(booked)
})
afterAll(() => database().end())

const hour = 3600
/** Links of one provider. An hour at a time, from 09:00 to 17:00, unless they say otherwise. */
async function linked<Names extends string>(
  links: Record<Names, Record<string, unknown>>,
): Promise<Record<Names, Bookable>> {
  const provider_id = await provider(shop)
  const made = Object.entries<Record<string, unknown>>(links).map(async ([name, more]) => [
    name,
    await bookable(shop, { provider_id, ...more }),
  ])
  return Object.fromEntries(await Promise.all(made))
}
/** Other files use the same server. */
const ownDeadlocks = async () =>
  (await deadlocks()).filter((one) => /schedule_days|order_bookings|service_providers/.test(one))
const book = async (of: Bookable, slots: Slot[], base = eitherApi()): Promise<Answer> => {
  const { visitor, cart } = await buyer(shop, [], { booking_items: [of.item(...slots)] })
  return checkOut(visitor, cart, cash, base)
}
const outcome = ({ status, body }: Answer) => (status === 200 ? 'booked' : body.code)
const spots = async (of: Bookable, { from, to }: Slot): Promise<number> => {
  const found = (await of.free(dateIn(2), dateIn(2), eitherApi())).find((one) => one.from === from && one.to === to)
  return found?.spots ?? 0
}
const freeOf = async (of: Bookable): Promise<[Slot, Slot, Slot]> => {
  const [first, second, third] = await of.free()
  if (!first || !second || !third) throw new Error('too little is free')
  return [first, second, third]
}
const firstOf = async (of: Bookable): Promise<Slot> => (await freeOf(of))[0]
const after = ({ from, to }: Slot, seconds: number): Slot => ({ from: from + seconds, to: to + seconds })

test('A private booking and a class of one provider exclude each other, in both orders', async () => {
  const { private: alone, class: group } = await linked({ private: {}, class: { concurrent_limit: 10 } })
  const [first, second] = await freeOf(alone)
  expect(outcome(await book(alone, [first]))).toBe('booked')
  expect([await spots(group, first), outcome(await book(group, [first]))]).toEqual([0, 'slot_taken'])
  expect([outcome(await book(group, [second])), await spots(group, second)]).toEqual(['booked', 9])
  expect([await spots(alone, second), outcome(await book(alone, [second]))]).toEqual([0, 'slot_taken'])
})

test('Of a private booking and a class that are booked at once by two processes, one is booked', async () => {
  const { private: alone, class: group } = await linked({ private: {}, class: { concurrent_limit: 10 } })
  const [slot] = await freeOf(alone)
  const carts = await Promise.all(
    Array.from({ length: 12 }, (_, n) => buyer(shop, [], { booking_items: [(n % 3 ? group : alone).item(slot)] })),
  )
  const answers = await Promise.all(
    carts.map(({ visitor, cart }, n) => checkOut(visitor, cart, cash, n % 2 ? secondApi() : undefined)),
  )
  const [ofPrivate, ofClass] = [answers.filter((_, n) => n % 3 === 0), answers.filter((_, n) => n % 3 > 0)].map(
    (all) => all.filter(({ status }) => status === 200).length,
  )
  expect([
    [1, 0],
    [0, 8],
  ]).toContainEqual([ofPrivate, ofClass])
  expect(new Set(answers.map(outcome))).toEqual(new Set(['booked', 'slot_taken']))
})

test('Of two bookings one after the other, one is counted at each moment of a longer slot', async () => {
  const { short, long } = await linked({
    short: { slot_interval: 30, concurrent_limit: 2 },
    long: { concurrent_limit: 2 },
  })
  const slot = await firstOf(long)
  const halves = [slot.from, slot.from + hour / 2].map((from) => ({ from, to: from + hour / 2 }))
  expect(outcome(await book(short, halves))).toBe('booked')
  expect([await spots(long, slot), outcome(await book(long, [slot]))]).toEqual([1, 'booked'])
  expect([await spots(long, slot), outcome(await book(long, [slot]))]).toEqual([0, 'slot_taken'])
  expect(await Promise.all(halves.map((half) => spots(short, half)))).toEqual([0, 0])
})

test('Requested slots that overlap one another are held against the limits of all of them', async () => {
  const { private: alone, class: group } = await linked({ private: {}, class: { concurrent_limit: 10 } })
  const slot = await firstOf(alone)
  const items = [group.item(slot), alone.item(slot)]
  for (const booking_items of [items, items.toReversed()]) {
    const { visitor, cart } = await buyer(shop, [], { booking_items })
    const { status, body } = await checkOut(visitor, cart, cash, eitherApi())
    expect([status, body.code, body.detail]).toEqual([409, 'slot_taken', expect.stringContaining('overlap')])
  }
})

test('A booking that is moved or cancelled takes its limit with it', async () => {
  const { private: alone, class: group } = await linked({ private: {}, class: { concurrent_limit: 10 } })
  const [first, second, third] = await freeOf(alone)
  const { order_id } = (await book(alone, [first, third])).body
  expect(outcome(await book(group, [second]))).toBe('booked')
  const move = (slots: Slot[]) => update(shop, order_id, { booking_items: [alone.item(...slots)] })
  expect((await move([second, third])).body).toMatchObject({ code: 'slot_taken', slot: { from: second.from } })
  expect((await move([after(third, hour), third])).status).toBe(200)
  expect(await Promise.all([first, second, third, after(third, hour)].map((slot) => spots(group, slot)))).toEqual([
    10, 9, 0, 0,
  ])
  expect((await update(shop, order_id, { cancel: true })).status).toBe(200)
  expect(await Promise.all([third, after(third, hour)].map((slot) => spots(group, slot)))).toEqual([10, 10])
})

test('A limit that is raised makes room beside bookings ahead, and a lowered one spares them', async () => {
  const { class: group, other } = await linked({ class: { concurrent_limit: 2 }, other: { concurrent_limit: 10 } })
  const slot = await firstOf(group)
  const limit = (concurrent_limit: number) =>
    shop.asOperator('PUT', `/service-providers/${group.link_id}`, { concurrent_limit }, eitherApi())
  for (const expected of ['booked', 'booked', 'slot_taken']) expect(outcome(await book(group, [slot]))).toBe(expected)
  expect((await limit(3)).status).toBe(200)
  expect([await spots(group, slot), await spots(other, slot)]).toEqual([1, 1])
  expect(outcome(await book(group, [slot]))).toBe('booked')
  expect(await spots(group, slot)).toBe(0)
  expect((await limit(1)).status).toBe(200)
  expect([outcome(await book(group, [slot])), await spots(other, slot)]).toEqual(['slot_taken', 0])
  expect((await limit(9)).status).toBe(200)
  expect([await spots(group, slot), await spots(other, slot)]).toEqual([6, 6])
  expect((await limit(1)).status).toBe(200)
  expect([await spots(group, slot), await spots(other, slot)]).toEqual([0, 6])
})

test('A limit that is raised while its bookings change causes no deadlock', async () => {
  const { class: group } = await linked({ class: { concurrent_limit: 5 } })
  const slots = (await group.free()) as Slot[]
  const orders = await Promise.all(
    slots.slice(0, 4).map(async (slot) => (await book(group, [slot])).body.order_id as string),
  )
  const before = await ownDeadlocks()
  for (let round = 0; round < 3; round++) {
    const answers = await Promise.all([
      ...orders.map((id, n) => update(shop, id, { booking_items: [group.item(slots[(n + round) % 7] as Slot)] })),
      ...[10, 20].map((limit, n) =>
        shop.asOperator(
          'PUT',
          `/service-providers/${group.link_id}`,
          { concurrent_limit: limit * (round + 1) + n },
          eitherApi(),
        ),
      ),
      ...slots.slice(0, 3).map((slot) => book(group, [slot])),
    ])
    expect(answers.filter(({ status }) => status !== 200).map(({ body }) => body)).toEqual([])
  }
  expect(await ownDeadlocks()).toEqual(before)
})

/** As the version before 0.3 has written the bookings of a provider, whose limit it did not store. */
async function writtenBefore(provider_id: string): Promise<void> {
  await database().query(
    `update order_bookings set slots = (select jsonb_agg(s - 'limit') from jsonb_array_elements(slots) s) where provider_id = $1`,
    [provider_id],
  )
  await database().query(
    `update schedule_days set taken = (select coalesce(jsonb_agg(jsonb_build_array(e -> 0, e -> 1)), '[]') from jsonb_array_elements(taken) e) where provider_id = $1`,
    [provider_id],
  )
}

test('Bookings that the version before has written refuse others by the limit of their link', async () => {
  const { private: alone, class: group } = await linked({ private: {}, class: { concurrent_limit: 10 } })
  const [first, second, third] = await freeOf(alone)
  const { order_id } = (await book(alone, [first])).body
  await book(group, [second])
  await writtenBefore(alone.provider_id)
  const seen = () => Promise.all([first, second, third].flatMap((slot) => [spots(alone, slot), spots(group, slot)]))
  expect(await seen()).toEqual([0, 0, 0, 9, 1, 10])
  const free = await shop.visitor()
  const found = await free.call(
    'GET',
    `/services/availability?service_id=${group.service_id}&from=${first.from}&to=${first.from}`,
  )
  expect(found.body.providers).toEqual([{ provider_id: group.provider_id, days: [] }])
  expect([outcome(await book(group, [first])), outcome(await book(alone, [second]))]).toEqual([
    'slot_taken',
    'slot_taken',
  ])
  expect(outcome(await book(group, [second]))).toBe('booked')
  expect(await seen()).toEqual([0, 0, 0, 8, 1, 10])
  expect((await update(shop, order_id, { cancel: true })).status).toBe(200)
  expect(await seen()).toEqual([1, 10, 0, 8, 1, 10])
  // The limits of the two that stay are read from their link, and are written by the first change of their day.
  await database().query(
    `update order_bookings set slots = jsonb_set(slots, '{0,limit}', '10') where provider_id = $1 and status <> 'cancelled'`,
    [group.provider_id],
  )
})

test('A business and its storefront hold the same limits against each other', async () => {
  const salon = await newSalon()
  const prices = ['us', 'booking'].map((market) => ({ market, amount: 3000 }))
  const alone = await bookable(salon.shop, { prices })
  const group = await bookable(salon.shop, { prices, provider_id: alone.provider_id, concurrent_limit: 10 })
  const [first, second, third] = await freeOf(alone)
  await salon.open()
  const item = (of: Bookable, ...slots: Slot[]) => ({
    serviceId: of.service_id,
    providerId: of.provider_id,
    slots: slots.map(({ from, to }) => ({ from, to })),
  })
  const reserve = (of: Bookable, slot: Slot) =>
    salon.op('POST', '/reservations', { items: [item(of, slot)], paymentMethodId: 'cash' })
  const shown = async (of: Bookable, { from }: Slot): Promise<number> => {
    const { body } = await salon.op(
      'GET',
      `/bookings/availability?serviceId=${of.service_id}&month=${new Date(from * 1000).toISOString().slice(0, 7)}`,
    )
    const slots = body.providers[0].days.flatMap((day: { slots: (Slot & { spots: number })[] }) => day.slots)
    return slots.find((slot: Slot) => slot.from === from)?.spots ?? 0
  }
  const buy = async (of: Bookable, slot: Slot) => {
    const { visitor, cart } = await buyer(salon.shop, [], { booking_items: [of.item(slot)] })
    return outcome(await checkOut(visitor, cart, cash, eitherApi()))
  }
  const made = await reserve(alone, first)
  expect([made.status, await shown(group, first), await buy(group, first)]).toEqual([201, 0, 'slot_taken'])
  expect([await buy(group, second), await shown(alone, second), (await reserve(alone, second)).body.code]).toEqual([
    'booked',
    0,
    'slot_taken',
  ])
  // Out of CANCELLED the time is reserved again, under the limits of now.
  const put = (status: string) => salon.op('PUT', `/reservations/${made.body.id}`, { status, blocks: [] })
  expect([(await put('CANCELLED')).status, await buy(group, first), (await put('CONFIRMED')).body.code]).toEqual([
    200,
    'booked',
    'slot_taken',
  ])
  const other = await reserve(alone, third)
  const again = (status: string) => salon.op('PUT', `/reservations/${other.body.id}`, { status, blocks: [] })
  expect([(await again('CANCELLED')).status, (await again('CONFIRMED')).status, await shown(group, third)]).toEqual([
    200, 200, 0,
  ])
  // The limit of a provider is that of all its links.
  const provider = await salon.op('PUT', `/providers/${alone.provider_id}`, { concurrentLimit: 3 })
  expect([provider.status, await shown(group, first), await shown(alone, third), await shown(group, second)]).toEqual([
    200, 2, 2, 2,
  ])
  const { taken, booked } = await scheduleOf(salon.shop.store_id)
  expect(taken).toEqual(booked)
})
