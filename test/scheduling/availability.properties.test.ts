// Exactly the slots that are shown as free can be booked, and cancelling restores them, for any hours and across clock
// changes.
import { randomInt } from 'node:crypto'
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { type Bookable, bookable, provider, type Slot, scheduleOf } from '../kit/bookings/booking.ts'
import { cartOf, cash, checkOut, product, read, refusalOf, type Sold, update } from '../kit/orders/buying.ts'
import { database, eitherApi, newShop, type Shop, type Visitor } from '../kit/shop.ts'

const seed = process.env.MODEL_SEED === 'random' ? randomInt(2 ** 31) : Number(process.env.MODEL_SEED ?? 20261121)
const stock = 30

const hour = fc.constantFrom(
  '00:00',
  '00:30',
  '01:00',
  '01:45',
  '02:00',
  '02:15',
  '03:00',
  '05:00',
  '09:00',
  '21:00',
  '22:30',
  '23:45',
)
/** An end that is not after its beginning is on the next day; two windows of one day may overlap. */
const window = fc.record({ from: hour, to: fc.oneof(hour, fc.constant('24:00')) })
const minutes = fc.constantFrom(15, 20, 30, 45, 60, 90)
const link = fc.record({
  windows: fc.array(window, { minLength: 1, maxLength: 2 }),
  slot_interval: minutes,
  durations: fc.uniqueArray(minutes, { maxLength: 2 }),
  concurrent_limit: fc.integer({ min: 1, max: 3 }),
})
const turn = fc.record({
  at: fc.nat(1),
  nth: fc.nat(1000),
  goods: fc.nat(2),
  moves: fc.option(fc.record({ at: fc.nat(1), nth: fc.nat(1000), goods: fc.nat(2) })),
})
const script = fc.record({
  links: fc.tuple(link, link),
  turns: fc.array(turn, { minLength: 1, maxLength: 6 }),
  beside: fc.array(fc.tuple(fc.nat(1000), fc.integer({ min: -9, max: 9 })), { maxLength: 4 }),
})

type Free = (Slot & { spots: number })[]
type Taken = Slot & { limit: number }
/** What is left: at each five minutes, the smallest limit of those who are there minus their number. */
const without = (free: Free, taken: Taken[]): Free => {
  const spotsAt = (limit: number, at: number) => {
    const there = taken.filter((one) => one.from <= at && at < one.to)
    return Math.min(limit, ...there.map((one) => one.limit)) - there.length
  }
  // Slots and bookings begin at minutes that 5 divides.
  const moments = ({ from, to }: Slot) => Array.from({ length: (to - from) / 300 }, (_, n) => from + n * 300)
  return free
    .map((slot) => ({ ...slot, spots: Math.min(...moments(slot).map((at) => spotsAt(slot.spots, at))) }))
    .filter(({ spots }) => spots > 0)
}
const dayAfter = (date: string, days: number) =>
  new Date(Date.parse(date) + days * 86_400_000).toISOString().slice(0, 10)

async function levelsOf(sold: Sold): Promise<{ available: number; held: number }> {
  const { rows } = await database().query(
    `select (select sum(available)::int from inventory_levels where variant_id = $1) as available,
       (select coalesce(sum((a->>'quantity')::int), 0)::int from order_lines l join orders o on o.id = l.order_id, jsonb_array_elements(l.allocations) a
        where l.variant_id = $1 and l.status <> 'cancelled' and o.status <> 'cancelled') as held`,
    [sold.variant_id],
  )
  return rows[0]
}

const year = new Date().getUTCFullYear() + 1
/** The first, second, … Sunday of a month of next year; -1: the last one. */
function sunday(month: number, nth: number): string {
  const days = Array.from({ length: 31 }, (_, n) => new Date(Date.UTC(year, month - 1, n + 1)))
  const sundays = days.filter((day) => day.getUTCMonth() === month - 1 && day.getUTCDay() === 0)
  return (sundays.at(nth < 0 ? nth : nth - 1) as Date).toISOString().slice(0, 10)
}

const zones: [string, string[]][] = [
  ['Europe/Berlin', [sunday(3, -1), sunday(10, -1), `${year}-02-10`]],
  ['America/New_York', [sunday(3, 2), sunday(11, 1), `${year}-02-10`]],
  // At the two clock changes: by half an hour, and at two o'clock.
  ['Australia/Lord_Howe', [sunday(4, 1), sunday(10, 1), `${year}-02-10`]],
]

test.each(zones)(
  'Booking, moving and cancelling in %s change exactly the slots that overlap',
  async (timezone, dates) => {
    const shop = await newShop({ timezone })
    const visitor = await shop.visitor()
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...dates), script, async (date, { links, turns, beside }) => {
        const provider_id = await provider(shop)
        const days = [-1, 0, 1].map((days) => dayAfter(date, days)) as [string, string, string]
        const both: Bookable[] = []
        for (const { windows, durations, ...more } of links) {
          const specific_dates = days.map((date) => ({ date, windows }))
          both.push(
            await bookable(shop, {
              provider_id,
              working_days: [],
              specific_dates,
              durations: durations.map((duration) => ({ duration })),
              ...more,
            }),
          )
        }
        const free = () => Promise.all(both.map((one) => one.free(days[0], days[2], eitherApi())))
        const before = await free()
        await onlyShown(visitor, both, before, beside)
        await turnsOf(shop, visitor, both, before, turns, free)
      }),
      { seed, numRuns: 20 },
    )
    const { taken, booked } = await scheduleOf(shop.store_id)
    expect(taken).toEqual(booked)
  },
  120_000,
)

/** A slot beside a shown one can be booked if it is shown itself, and only then. */
async function onlyShown(
  visitor: Visitor,
  both: Bookable[],
  before: Free[],
  beside: [number, number][],
): Promise<void> {
  for (const [nth, quarters] of beside) {
    const at = nth % 2
    const slot = before[at]?.[nth % before[at].length]
    if (!slot) continue
    const other = { from: slot.from + quarters * 900, to: slot.to + quarters * 900 }
    const shown = before[at]?.some(({ from, to }) => from === other.from && to === other.to)
    const outside = other.from < (before[at]?.[0]?.from ?? 0) || other.from > (before[at]?.at(-1)?.from ?? 0)
    if (outside) continue
    const cart = await cartOf(visitor, [], { booking_items: [(both[at] as Bookable).item(other)] })
    const quote = await visitor.call('POST', `/carts/${cart.id}/quote`, {}, eitherApi())
    expect([other, refusalOf(quote)]).toEqual([
      other,
      shown ? [200, undefined, undefined] : [422, '/booking_items/0/slots/0', 'slot_not_offered'],
    ])
  }
}

type Turn = { at: number; nth: number; goods: number }
type Held = { id: string; slot: Taken; goods: number }

async function turnsOf(
  shop: Shop,
  visitor: Visitor,
  both: Bookable[],
  before: Free[],
  turns: (Turn & { moves: Turn | null })[],
  free: () => Promise<Free[]>,
): Promise<void> {
  const tea = await product(shop, { stock })
  const held: Held[] = []
  const isAsCounted = async () => {
    const taken = held.map(({ slot }) => slot)
    expect(await free()).toEqual(before.map((one) => without(one, taken)))
    const goods = held.reduce((sum, one) => sum + one.goods, 0)
    expect(await levelsOf(tea)).toEqual({ available: stock - goods, held: goods })
  }
  /** Any slot that could be booked when nothing was, free or not. */
  const wanted = ({ at, nth, goods }: Turn) => {
    const slot = before[at]?.[nth % before[at].length]
    // Nothing is booked before: its spots are the limit.
    return (
      slot && {
        slot: { ...slot, limit: slot.spots },
        items: {
          product_items: goods > 0 ? [tea.item(goods)] : [],
          booking_items: [(both[at] as Bookable).item(slot)],
        },
      }
    )
  }
  const isFree = (at: number, slot: Slot, others: Held[]) =>
    without(
      before[at] ?? [],
      others.map((one) => one.slot),
    ).some(({ from, to }) => from === slot.from && to === slot.to)

  for (const { moves, ...turn } of turns) {
    const first = wanted(turn)
    if (!first) continue
    const { product_items, booking_items } = first.items
    const cart = await cartOf(visitor, product_items, { booking_items })
    const done = await checkOut(visitor, cart, cash, eitherApi())
    if (!isFree(turn.at, first.slot, held)) {
      expect(done.body).toMatchObject({
        status: 409,
        code: 'slot_taken',
        slot: { from: first.slot.from, to: first.slot.to },
      })
      await isAsCounted()
      continue
    }
    expect([done.status, done.body.code]).toEqual([200, undefined])
    const order = { id: done.body.order_id as string, slot: first.slot, goods: turn.goods }
    held.push(order)
    await isAsCounted()

    const second = moves && wanted(moves)
    if (!second) continue
    const others = held.filter((one) => one !== order)
    const stays = moves.at === turn.at && second.slot.from === first.slot.from && second.slot.to === first.slot.to
    const moved = await update(shop, order.id, second.items)
    if (stays || isFree(moves.at, second.slot, others)) {
      expect([moved.status, moved.body.code]).toEqual([200, undefined])
      Object.assign(order, { slot: second.slot, goods: moves.goods })
    } else expect(moved.body).toMatchObject({ status: 409, code: 'slot_taken' })
    await isAsCounted()
  }
  // In another order than they were taken.
  while (held.length > 0) {
    const [one] = held.splice(((held.length * 7) % 3) % held.length, 1)
    expect((await update(shop, (one as Held).id, { cancel: true })).body.status).toBe('cancelled')
  }
  await isAsCounted()
  expect(await free()).toEqual(before)
}

test('Cancelling an order whose bookings were dropped before sets fulfillment to cancelled', async () => {
  const shop = await newShop()
  const [cut, file] = [await bookable(shop), await product(shop, { is_digital: true })]
  const visitor = await shop.visitor()
  const cart = await cartOf(visitor, [file.item()], { booking_items: [cut.item((await cut.free())[0] as Slot)] })
  const { order_id } = (await checkOut(visitor, cart, cash)).body
  expect((await update(shop, order_id, { booking_items: [] })).body.fulfillment_status).toBe('none')
  expect((await update(shop, order_id, { cancel: true })).body.fulfillment_status).toBe('cancelled')
  expect((await read(shop, order_id)).fulfillment_status).toBe('cancelled')
})
