// However many buyers book at once on however many servers, no slot is sold above its limit, and cancelling restores
// exactly what was taken.
import { afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { z } from 'zod'
import { newId } from '../../entities/kit/ids.ts'
import { localDatesOf } from '../../rules/scheduling/scheduling.ts'
import { newAudience } from '../kit/audiences/audiences.ts'
import {
  type Bookable,
  bookable,
  bookingsOf,
  dateIn,
  promoCode,
  provider,
  type Slot,
  scheduleOf,
  service,
  usesOf,
} from '../kit/bookings/booking.ts'
import { prove } from '../kit/codes.ts'
import { deadlocks } from '../kit/database/locks.ts'
import {
  apiWith,
  atOnce,
  buyer,
  card,
  cartOf,
  cash,
  checkOut,
  connected,
  hasStatus,
  order,
  paymentOf,
  product,
  read,
  refusalOf,
  update,
} from '../kit/orders/buying.ts'
import {
  type Answer,
  database,
  eitherApi,
  newEmail,
  newShop,
  type Shop,
  secondApi,
  unique,
  type Visitor,
} from '../kit/shop.ts'

let shop: Shop
beforeAll(async () => {
  shop = await newShop()
})
afterEach(async () => {
  const { taken, booked } = await scheduleOf(shop.store_id)
  expect(taken).toEqual(booked)
})

const counts = (answers: Answer[]): Record<number, number> => {
  const found: Record<number, number> = {}
  for (const { status } of answers) found[status] = (found[status] ?? 0) + 1
  return found
}

/** All buyers check out at once on both servers; the n-th buyer wants the n-th list of slots. */
async function rush(wanted: { of: Bookable; slots: Slot[] }[]): Promise<Answer[]> {
  const ready = await Promise.all(
    wanted.map(({ of, slots }) => buyer(shop, [], { booking_items: [of.item(...slots)] })),
  )
  return Promise.all(ready.map(({ visitor, cart }) => checkOut(visitor, cart, cash, eitherApi())))
}

const first = async (of: Bookable): Promise<Slot> => {
  const [slot] = await of.free()
  if (!slot) throw new Error('nothing is free')
  return slot
}

test('Of twenty buyers of one slot, one gets it and the others are refused with slot_taken', async () => {
  const cut = await bookable(shop)
  const slot = await first(cut)
  const answers = await rush(Array(20).fill({ of: cut, slots: [slot] }))
  expect(counts(answers)).toEqual({ 200: 1, 409: 19 })
  for (const { body } of answers.filter(({ status }) => status === 409))
    expect(body).toMatchObject({
      code: 'slot_taken',
      service_id: cut.service_id,
      provider_id: cut.provider_id,
      slot: { from: slot.from, to: slot.to },
    })
})

test('Of twenty buyers of overlapping slots, no two get slots that overlap', async () => {
  const cut = await bookable(shop, { slot_interval: 15, durations: [{ duration: 60 }, { duration: 30 }] })
  const free = (await cut.free()).slice(0, 20)
  const answers = await rush(free.map((slot) => ({ of: cut, slots: [slot] })))
  const got = free.filter((_, at) => answers[at]?.status === 200)
  expect(got.length).toBeGreaterThan(0)
  expect(answers.every(({ status, body }) => status === 200 || body.code === 'slot_taken')).toBe(true)
  for (const a of got) expect(got.filter((b) => a.from < b.to && b.from < a.to)).toEqual([a])
})

test('Of twenty buyers of slots around midnight, no two get the same time', async () => {
  const night = await bookable(shop, {
    windows: [{ from: '22:00', to: '03:00' }],
    slot_interval: 30,
    durations: [{ duration: 60 }, { duration: 180 }],
  })
  const free = await night.free(dateIn(2), dateIn(3))
  const midnight = free.filter(
    ({ from, to }) => new Date(from * 1000).getUTCDate() !== new Date((to - 1) * 1000).getUTCDate() || to - from > 3600,
  )
  const answers = await rush(
    Array.from({ length: 20 }, (_, n) => ({ of: night, slots: [(n % 2 ? midnight : free)[n % 7] as Slot] })),
  )
  expect(counts(answers)[200]).toBeGreaterThan(0)
  expect(answers.every(({ status, body }) => status === 200 || body.code === 'slot_taken')).toBe(true)
  const sold = (await scheduleOf(shop.store_id)).taken.filter((one) => one.startsWith(night.provider_id))
  const slots = [...new Set(sold)].map((one) => one.split(' ').slice(1, 3).map(Number) as [number, number])
  for (const [from, to] of slots) expect(slots.filter(([a, b]) => from < b && a < to)).toEqual([[from, to]])
})

test('A provider of two services that twenty buyers book at once is booked once', async () => {
  const cut = await bookable(shop)
  const shave = await bookable(shop, { provider_id: cut.provider_id, slot_interval: 30 })
  const [slot, other] = [await first(cut), (await shave.free())[1] as Slot]
  const answers = await rush(
    Array.from({ length: 20 }, (_, n) => (n % 2 ? { of: cut, slots: [slot] } : { of: shave, slots: [other] })),
  )
  expect(counts(answers)).toEqual({ 200: 1, 409: 19 })
})

test('A slot with three spots is sold to three of twenty buyers', async () => {
  const yoga = await bookable(shop, { concurrent_limit: 3 })
  const slot = await first(yoga)
  const answers = await rush(Array(20).fill({ of: yoga, slots: [slot] }))
  expect(counts(answers)).toEqual({ 200: 3, 409: 17 })
  expect((await yoga.free())[0]).not.toMatchObject({ from: slot.from })
})

test('Twenty buyers who take several slots in different orders cause no deadlock', async () => {
  const [a, b] = [await bookable(shop), await bookable(shop)]
  const [x, y] = [await a.free(dateIn(2), dateIn(4)), await b.free(dateIn(2), dateIn(4))]
  const carts = await atOnce(20, (n) => {
    const items = [a.item(x[n % 8] as Slot, x[20 - (n % 8)] as Slot), b.item(y[20 - (n % 5)] as Slot, y[n % 5] as Slot)]
    return buyer(shop, [], { booking_items: n % 2 ? items : items.reverse() })
  })
  const answers = await Promise.all(carts.map(({ visitor, cart }) => checkOut(visitor, cart, cash, eitherApi())))
  expect(answers.every(({ status, body }) => status === 200 || body.code === 'slot_taken')).toBe(true)
  expect(counts(answers)[200]).toBeGreaterThan(0)
})

test('A code with one use discounts one of twenty checkouts; the refused ones reserve nothing', async () => {
  const [cut, tea] = [await bookable(shop), await product(shop, { stock: 100 })]
  const once = await promoCode(shop, { conditions: [{ type: 'max_uses', count: 1 }] })
  const free = await cut.free(dateIn(2), dateIn(5))
  const carts = await atOnce(20, (n) =>
    buyer(shop, [tea.item(1)], { booking_items: [cut.item(free[n] as Slot)], promo_code: once.code }),
  )
  const answers = await Promise.all(carts.map(({ visitor, cart }) => checkOut(visitor, cart, cash, eitherApi())))
  expect(counts(answers)).toEqual({ 200: 1, 422: 19 })
  for (const answer of answers.filter(({ status }) => status === 422))
    expect(refusalOf(answer)).toEqual([422, '/promo_code', 'promo_code_exhausted'])
  expect([await usesOf(shop, once.id), await tea.available(), (await cut.free(dateIn(2), dateIn(5))).length]).toEqual([
    1,
    99,
    free.length - 1,
  ])
  const orders = (await shop.asOperator('GET', `/orders?service_ids=${cut.service_id}`)).body.items
  expect(orders).toHaveLength(1)
})

test('A code limited to one use per contact is used once by two concurrent carts of a contact', async () => {
  const tea = await product(shop)
  const mine = await promoCode(shop, { conditions: [{ type: 'max_uses_per_user', count: 1 }] })
  const { visitor, cart } = await buyer(shop, [tea.item(1)], { promo_code: mine.code })
  // A checkout that fails leaves an open cart behind; here the second cart is created directly.
  const second = await cartBeside(visitor.contact_id, cart.id)
  const answers = await Promise.all(
    [cart.id, second].map((id, n) => checkOut(visitor, { id }, cash, n ? secondApi() : undefined)),
  )
  expect(counts(answers)).toEqual({ 200: 1, 422: 1 })
  expect(await usesOf(shop, mine.id)).toBe(1)
  const refused = answers.find(({ status }) => status === 422) as Answer
  expect(refusalOf(refused)).toEqual([422, '/promo_code', 'promo_code_exhausted'])
})

test('A code used under an address that strangers claimed is used once by its owner', async () => {
  const tea = await product(shop)
  const mine = await promoCode(shop, { conditions: [{ type: 'max_uses_per_user', count: 1 }] })
  const email = newEmail()
  const cartIn = async (visitor: Visitor) => ({
    visitor,
    cart: await cartOf(visitor, [tea.item(1)], { promo_code: mine.code }),
  })
  const [stranger, guest] = [await cartIn(await shop.visitor(email)), await cartIn(await shop.visitor(email))]
  expect((await checkOut(stranger.visitor, stranger.cart, cash)).status).toBe(200)
  const owner = await shop.visitor()
  expect((await prove(owner, email)).status).toBe(200)
  const own = await cartIn(owner)
  expect((await owner.call('POST', `/carts/${own.cart.id}/quote`, {})).status).toBe(200)
  const carts = [own.cart.id, await cartBeside(owner.contact_id, own.cart.id)]
  const answers = await Promise.all(carts.map((id, n) => checkOut(owner, { id }, cash, n ? secondApi() : undefined)))
  expect(counts(answers)).toEqual({ 200: 1, 422: 1 })
  // The uses of strangers and of the owner count for those who claim the address.
  expect(refusalOf(await checkOut(guest.visitor, guest.cart, cash))).toEqual([
    422,
    '/promo_code',
    'promo_code_exhausted',
  ])
  expect(await usesOf(shop, mine.id)).toBe(2)
})

test('A code limited to one use per customer is used once by an address, however spelled', async () => {
  const tea = await product(shop)
  const mine = await promoCode(shop, { conditions: [{ type: 'max_uses_per_user', count: 1 }] })
  const name = unique()
  const browser = async (email: string | undefined) => {
    const visitor = await shop.visitor(email)
    return { visitor, cart: await cartOf(visitor, [tea.item(1)], { promo_code: mine.code }) }
  }
  const spellings = [
    `Ada.${name}@münchen.example`,
    `ada.${name}@xn--mnchen-3ya.example`,
    `ADA.${name.toUpperCase()}@MÜNCHEN.example`,
  ]
  const buyers = await Promise.all([...spellings, ...spellings].map(browser))
  const answers = await Promise.all(buyers.map(({ visitor, cart }) => checkOut(visitor, cart, cash, eitherApi())))
  expect(counts(answers)).toEqual({ 200: 1, 422: 5 })
  expect(await usesOf(shop, mine.id)).toBe(1)
  const again = await browser(spellings[1])
  expect(refusalOf(await again.visitor.call('POST', `/carts/${again.cart.id}/quote`, {}))).toEqual([
    422,
    '/promo_code',
    'promo_code_exhausted',
  ])
  // Others are other customers.
  for (const email of [`ada+1.${name}@xn--mnchen-3ya.example`, undefined]) {
    const other = await browser(email)
    expect((await checkOut(other.visitor, other.cart, cash)).status).toBe(200)
  }
  const done = answers.find(({ status }) => status === 200) as Answer
  expect((await update(shop, done.body.order_id, { cancel: true })).status).toBe(200)
  expect((await checkOut(again.visitor, again.cart, cash)).status).toBe(200)
})

/** A second open cart of the contact with the same content, as merging two contacts leaves. */
async function cartBeside(contactId: string, cartId: string): Promise<string> {
  const id = newId()
  await database().query(
    `insert into carts (id, tenant_id, contact_id, created_at, updated_at, status, is_current, market, product_items, booking_items, forms, promo_code)
     select $1, tenant_id, contact_id, created_at, updated_at, 'open', false, market, product_items, booking_items, forms, promo_code from carts where id = $2 and contact_id = $3`,
    [id, cartId, contactId],
  )
  return id
}

test('A cart of goods and bookings with a code is ordered at its quoted total', async () => {
  const [cut, tea] = [
    await bookable(shop, { amount: 4500 }),
    await product(shop, { amount: 1200, requires_shipping: false }),
  ]
  const { code, id } = await promoCode(shop)
  const slots = (await cut.free()).slice(0, 2)
  const { visitor, cart } = await buyer(shop, [tea.item(2)], {
    booking_items: [cut.item(...slots)],
    promo_code: ` ${code.toLowerCase()} `,
  })
  const quote = (await visitor.call('POST', `/carts/${cart.id}/quote`, {})).body
  expect(quote.money).toMatchObject({ subtotal: 11_400, discount: 1140, total: 10_260 })
  expect(quote.booking_lines).toMatchObject([
    { service_id: cut.service_id, provider_id: cut.provider_id, quantity: 2, unit_price: 4500, subtotal: 9000 },
  ])
  // A UUID like every other id, and the same in every quote of the cart.
  expect(z.uuid().safeParse(quote.booking_lines[0].id).error).toBeUndefined()
  expect((await visitor.call('POST', `/carts/${cart.id}/quote`, {})).body).toEqual(quote)
  const done = await checkOut(visitor, cart, cash)
  expect(done.status).toBe(200)
  const made = await read(shop, done.body.order_id)
  expect(made).toMatchObject({ money: quote.money, fulfillment_status: 'unfulfilled', promo_code: code })
  expect(await bookingsOf(shop, made.id)).toMatchObject([
    { status: 'pending', quantity: 2, slots: slots.map(({ from, to }) => ({ from, to })), total: 8100 },
  ])
  expect(await usesOf(shop, id)).toBe(1)
  expect((await cut.free())[0]?.from).not.toBe(slots[0]?.from)
})

test('Cancelling an order of goods and bookings returns the slots, the stock and the code’s use', async () => {
  const [cut, tea] = [await bookable(shop), await product(shop, { stock: 5 })]
  const once = await promoCode(shop, { conditions: [{ type: 'max_uses', count: 1 }] })
  const before = await cut.free()
  const buy = async () => {
    const { visitor, cart } = await buyer(shop, [tea.item(3)], {
      booking_items: [cut.item(before[0] as Slot)],
      promo_code: once.code,
    })
    return checkOut(visitor, cart, cash)
  }
  const done = await buy()
  expect([await tea.available(), await usesOf(shop, once.id)]).toEqual([2, 1])
  expect((await update(shop, done.body.order_id, { cancel: true })).body.status).toBe('cancelled')
  expect([await tea.available(), await usesOf(shop, once.id), await cut.free()]).toEqual([5, 0, before])
  expect((await bookingsOf(shop, done.body.order_id))[0].status).toBe('cancelled')
  expect((await buy()).status).toBe(200)
})

test('A checkout that is not paid in time returns everything, and the next cart has its items', async () => {
  const own = await newShop()
  await connected(own)
  const [cut, { code, id }] = [await bookable(own), await promoCode(own)]
  const [slot] = await cut.free()
  const impatient = await apiWith({ CHECKOUT_HOLD_MINUTES: '0.08' })
  try {
    const { visitor, cart } = await buyer(own, [], { booking_items: [cut.item(slot as Slot)], promo_code: code })
    const done = await checkOut(visitor, cart, card, impatient.url)
    expect(done.status).toBe(200)
    await hasStatus(own, done.body.order_id, 'cancelled')
    const next = (await visitor.call('POST', '/carts/current')).body
    expect(next).toMatchObject({ booking_items: [cut.item(slot as Slot)], promo_code: code })
    expect([await usesOf(own, id), (await cut.free())[0]]).toEqual([0, slot])
  } finally {
    await impatient.stop()
  }
})

test('A provider deleted during a checkout is either booked or deleted, never both', async () => {
  const gone = await atOnce(12, async (n) => {
    const cut = await bookable(shop)
    const slot = await first(cut)
    const { visitor, cart } = await buyer(shop, [], { booking_items: [cut.item(slot)] })
    const path = [`/providers/${cut.provider_id}`, `/services/${cut.service_id}`, `/service-providers/${cut.link_id}`][
      n % 3
    ] as string
    const [removed, done] = await Promise.all([
      shop.asOperator('DELETE', path),
      checkOut(visitor, cart, cash, secondApi()),
    ])
    expect([removed.status, done.status].filter((status) => status === 200)).toHaveLength(1)
    expect([removed.body.code ?? 'ok', done.body.code ?? 'ok']).toEqual(
      removed.status === 200 ? ['ok', 'link_unknown'] : ['bookings_ahead', 'ok'],
    )
    return removed.status === 200
  })
  expect(gone).toHaveLength(12)
})

/** Moves a booking back by whole days until it has begun, because the clock cannot be moved. */
async function letBegin(bookingId: string, providerId: string, { from, to }: Slot): Promise<void> {
  const back = 86_400 * Math.ceil((from - Date.now() / 1000) / 86_400)
  const slot = { from: from - back, to: to - back }
  await database().query('update order_bookings set slots = $2, starts_at = $3, ends_at = $4 where id = $1', [
    bookingId,
    JSON.stringify([slot]),
    slot.from,
    slot.to,
  ])
  await database().query('delete from schedule_days where provider_id = $1', [providerId])
  for (const date of localDatesOf(slot, 'Europe/Berlin'))
    await database().query(
      'insert into schedule_days (provider_id, local_date, tenant_id, taken) values ($1, $2, $3, $4)',
      [providerId, date, shop.store_id, JSON.stringify([[slot.from, slot.to]])],
    )
}

test('Deleting codes while their orders are cancelled causes no deadlock', async () => {
  const tea = await product(shop)
  for (let round = 0; round < 3; round++) {
    const { id, code } = await promoCode(shop)
    const orders = await atOnce(12, async () => {
      const { visitor, cart } = await buyer(shop, [tea.item(1)], { promo_code: code })
      return (await checkOut(visitor, cart, cash)).body.order_id as string
    })
    const before = await deadlocks()
    const answers = await Promise.all([
      ...orders.map((order_id) =>
        shop.asOperator('PUT', `/orders/${order_id}`, { version: 1, cancel: true }, eitherApi()),
      ),
      shop.asOperator('DELETE', `/promo-codes/${id}`),
    ])
    expect(counts(answers)).toEqual({ 200: 13 })
    expect(await deadlocks()).toEqual(before)
  }
})

describe('Refused bookings', () => {
  const quoteOf = async (items: unknown[], more: Record<string, unknown> = {}) => {
    const { visitor, cart } = await buyer(shop, [], { booking_items: items, ...more })
    return visitor.call('POST', `/carts/${cart.id}/quote`, {})
  }

  test('A booking off the grid, of the wrong length or in the past is refused with its pointer', async () => {
    const cut = await bookable(shop)
    const { from, to } = await first(cut)
    const slot = (a: number, b: number) => [cut.item({ from, to }), cut.item({ from: from + a, to: to + b })]
    expect(refusalOf(await quoteOf(slot(60, 60)))).toEqual([422, '/booking_items/1/slots/0', 'slot_not_offered'])
    expect(refusalOf(await quoteOf(slot(0, 600)))).toEqual([422, '/booking_items/1/slots/0', 'slot_not_offered'])
    expect(refusalOf(await quoteOf(slot(-7 * 86_400, -7 * 86_400)))).toEqual([
      422,
      '/booking_items/1/slots/0',
      'slot_in_past',
    ])
  })

  test('A booking of an unlinked provider or another store’s is refused with its pointer', async () => {
    const [cut, other, theirs] = [await bookable(shop), await bookable(shop), await bookable(await newShop())]
    const slot = await first(cut)
    const { visitor, cart } = await buyer(shop, [])
    const put = (item: unknown) => visitor.call('PUT', `/carts/${cart.id}`, { booking_items: [cut.item(slot), item] })
    expect(refusalOf(await put({ ...cut.item(slot), provider_id: other.provider_id }))).toEqual([
      422,
      '/booking_items/1/provider_id',
      'invalid_input',
    ])
    expect((await put(theirs.item(slot))).body.errors).toMatchObject([
      { pointer: '/booking_items/1/provider_id', code: 'link_unknown' },
    ])
  })

  test('A booking of an inactive service or one without a price is refused with its pointer', async () => {
    const [cut, free] = [await bookable(shop), await bookable(shop, { prices: [{ market: 'eu', amount: 1 }] })]
    const [slot, other] = [await first(cut), await first(free)]
    await shop.asOperator('PUT', `/services/${cut.service_id}`, { status: 'archived' })
    expect(refusalOf(await quoteOf([cut.item(slot)]))).toEqual([422, '/booking_items/0', 'service_not_active'])
    expect(refusalOf(await quoteOf([free.item(other)]))).toEqual([422, '/booking_items/0', 'price_missing'])
  })

  test('An unknown, archived, expired, used up or inapplicable code is refused in a quote', async () => {
    const cut = await bookable(shop)
    const items = [cut.item(await first(cut))]
    const with_ = async (conditions: unknown[], discounts?: unknown[]) => {
      const { code } = await promoCode(shop, { conditions, ...(discounts ? { discounts } : {}) })
      return refusalOf(await quoteOf(items, { promo_code: code }))
    }
    const archived = await promoCode(shop)
    await shop.asOperator('PUT', `/promo-codes/${archived.id}`, { status: 'archived' })
    expect(refusalOf(await quoteOf(items, { promo_code: 'never-heard' }))).toEqual([
      422,
      '/promo_code',
      'promo_code_invalid',
    ])
    expect(refusalOf(await quoteOf(items, { promo_code: archived.code }))).toEqual([
      422,
      '/promo_code',
      'promo_code_invalid',
    ])
    expect(await with_([{ type: 'date_range', end: 1_000_000_000 }])).toEqual([
      422,
      '/promo_code',
      'promo_code_expired',
    ])
    expect(await with_([{ type: 'min_order_amount', amount: 3001 }])).toEqual([
      422,
      '/promo_code',
      'promo_code_not_applicable',
    ])
    expect(await with_([{ type: 'services', service_ids: [await service(shop)] }])).toEqual([
      422,
      '/promo_code',
      'promo_code_not_applicable',
    ])
    const { id: audience_id } = await newAudience(shop)
    expect(await with_([], [{ type: 'audience_percentage', audience_id, bps: 500 }])).toEqual([
      422,
      '/promo_code',
      'promo_code_not_applicable',
    ])
    const theirs = await promoCode(await newShop())
    expect(refusalOf(await quoteOf(items, { promo_code: theirs.code }))).toEqual([
      422,
      '/promo_code',
      'promo_code_invalid',
    ])
  })
})

describe('Orders of bookings', () => {
  const booked = async (of: Bookable, slots: Slot[], more: Record<string, unknown> = {}) => {
    const { visitor, cart } = await buyer(shop, [], { booking_items: [of.item(...slots)], ...more })
    const done = await checkOut(visitor, cart, cash)
    if (done.status !== 200) throw new Error(JSON.stringify(done.body))
    return done.body.order_id as string
  }

  test('Rescheduling an order reprices it, frees the old slot and takes the new one', async () => {
    const cut = await bookable(shop)
    const before = await cut.free()
    const [one, two, three] = before as unknown as [Slot, Slot, Slot]
    const id = await booked(cut, [one])
    const changed = await update(shop, id, { booking_items: [cut.item(two, three)] })
    expect(changed.body).toMatchObject({ status: 'pending', money: { total: 6000 } })
    expect((await paymentOf(shop, id)).amount).toBe(6000)
    expect((await cut.free()).map(({ from }) => from)).toEqual(
      before.filter(({ from }) => from !== two.from && from !== three.from).map(({ from }) => from),
    )
    const rows = await bookingsOf(shop, id)
    expect(rows).toMatchObject([{ status: 'pending', quantity: 2, starts_at: two.from, ends_at: three.to }])
  })

  test('Adding goods keeps an order’s slot even when it is no longer offered', async () => {
    const [cut, tea] = [await bookable(shop), await product(shop)]
    const slot = await first(cut)
    const id = await booked(cut, [slot])
    await shop.asOperator('PUT', `/service-providers/${cut.link_id}`, { working_days: [] })
    expect((await update(shop, id, { product_items: [tea.item(1)] })).body.money).toMatchObject({ subtotal: 4000 })
    expect(
      refusalOf(await update(shop, id, { booking_items: [cut.item({ from: slot.from + 3600, to: slot.to + 3600 })] })),
    ).toEqual([422, '/booking_items/0/slots/0', 'slot_not_offered'])
  })

  test('A slot that is twice in one cart is refused as overlapping, not as taken', async () => {
    const cut = await bookable(shop)
    const slot = await first(cut)
    const refusal = {
      status: 409,
      code: 'slot_taken',
      provider_id: cut.provider_id,
      slot: { from: slot.from, to: slot.to },
    }
    const { visitor, cart } = await buyer(shop, [], { booking_items: [cut.item(slot), cut.item(slot)] })
    expect((await checkOut(visitor, cart, cash)).body).toMatchObject({
      ...refusal,
      detail: 'The requested slots overlap: the provider takes 1 at a time.',
    })
    await booked(cut, [slot])
    const later = await buyer(shop, [], { booking_items: [cut.item(slot)] })
    expect((await checkOut(later.visitor, later.cart, cash)).body).toMatchObject({
      ...refusal,
      detail: 'Another booking has taken this time.',
    })
  })

  test('Rescheduling to a taken slot is refused, and the order keeps its slot', async () => {
    const cut = await bookable(shop)
    const [one, two] = (await cut.free()) as unknown as [Slot, Slot]
    const id = await booked(cut, [one])
    await booked(cut, [two])
    expect((await update(shop, id, { booking_items: [cut.item(two)] })).body).toMatchObject({
      status: 409,
      code: 'slot_taken',
      slot: { from: two.from },
    })
    expect(await bookingsOf(shop, id)).toMatchObject([{ slots: [{ from: one.from }] }])
  })

  test('Removing some bookings of a confirmed order cancels it partially, removing all cancels it', async () => {
    const [cut, tea] = [await bookable(shop), await product(shop, { stock: 3 })]
    const slot = await first(cut)
    const id = await booked(cut, [slot], { product_items: [tea.item(2)] })
    await update(shop, id, { confirm: true })
    expect((await bookingsOf(shop, id))[0].status).toBe('confirmed')
    expect((await update(shop, id, { booking_items: [] })).body).toMatchObject({
      status: 'partially_cancelled',
      money: { total: 2000 },
    })
    expect([(await bookingsOf(shop, id))[0].status, (await cut.free())[0]]).toEqual([
      'cancelled',
      { ...slot, spots: 1 },
    ])
    expect((await update(shop, id, { product_items: [] })).body.status).toBe('cancelled')
    expect(await tea.available()).toBe(3)
  })

  test('An order loses its code and returns the use when the code no longer applies to any item', async () => {
    const [cut, tea] = [await bookable(shop), await product(shop)]
    const { code, id: codeId } = await promoCode(shop, {
      conditions: [{ type: 'services', service_ids: [cut.service_id] }],
    })
    const id = await booked(cut, [await first(cut)], { product_items: [tea.item(1)], promo_code: code })
    expect((await read(shop, id)).money.discount).toBe(300)
    expect((await update(shop, id, { product_items: [tea.item(2)] })).body).toMatchObject({
      promo_code: code,
      money: { discount: 300 },
    })
    expect((await update(shop, id, { booking_items: [] })).body).toMatchObject({
      promo_code: null,
      money: { discount: 0, total: 2000 },
    })
    expect(await usesOf(shop, codeId)).toBe(0)
  })

  test('A booking is completed or no_show only after it began, and then cannot be cancelled', async () => {
    const cut = await bookable(shop, { windows: [{ from: '00:00', to: '24:00' }], slot_interval: 1 })
    const soon = (await cut.free(dateIn(0), dateIn(1))).find(({ from }) => from > Date.now() / 1000 + 3600) as Slot
    const id = await booked(cut, [soon])
    const [{ id: bookingId }] = await bookingsOf(shop, id)
    const say = (status: string) => update(shop, id, { booking_statuses: [{ id: bookingId, status }] })
    expect(refusalOf(await say('completed'))).toEqual([409, '/booking_statuses/0/status', 'booking_not_confirmed'])
    await update(shop, id, { confirm: true })
    expect(refusalOf(await say('completed'))).toEqual([409, '/booking_statuses/0/status', 'booking_not_started'])
    await letBegin(bookingId, cut.provider_id, soon)
    expect(
      refusalOf(
        await update(shop, id, { booking_items: [], booking_statuses: [{ id: bookingId, status: 'completed' }] }),
      ),
    ).toEqual([422, '/booking_statuses', 'cancel_and_replace'])
    expect((await say('no_show')).body.fulfillment_status).toBe('fulfilled')
    expect((await say('COMPLETED')).body.fulfillment_status).toBe('fulfilled')
    expect((await update(shop, id, { cancel: true })).body).toMatchObject({ status: 409, code: 'booking_completed' })
    expect((await update(shop, id, { booking_items: [] })).body).toMatchObject({
      status: 409,
      code: 'booking_completed',
    })
    expect((await say('confirmed')).body.fulfillment_status).toBe('unfulfilled')
    expect((await say('no_show')).status).toBe(200)
    expect((await update(shop, id, { cancel: true })).body.status).toBe('cancelled')
    expect((await say('confirmed')).body).toMatchObject({ status: 409, code: 'order_cancelled' })
  })

  test('A past booking keeps its price when goods are added, even if its service is archived', async () => {
    const [cut, tea] = [await bookable(shop, { windows: [{ from: '00:00', to: '24:00' }] }), await product(shop)]
    const slot = (await cut.free())[0] as Slot
    const id = await booked(cut, [slot])
    await update(shop, id, { confirm: true })
    const [{ id: bookingId }] = await bookingsOf(shop, id)
    await letBegin(bookingId, cut.provider_id, slot)
    await update(shop, id, { booking_statuses: [{ id: bookingId, status: 'completed' }] })
    await shop.asOperator('PUT', `/service-providers/${cut.link_id}`, { prices: [] })
    await shop.asOperator('PUT', `/services/${cut.service_id}`, { status: 'archived' })
    expect((await update(shop, id, { product_items: [tea.item(1)] })).body.money).toMatchObject({ total: 4000 })
    expect((await shop.asOperator('DELETE', `/service-providers/${cut.link_id}`)).status).toBe(200)
    expect((await update(shop, id, { product_items: [tea.item(2)] })).body.money).toMatchObject({ total: 5000 })
    expect((await update(shop, id, { booking_items: [] })).body).toMatchObject({
      status: 409,
      code: 'booking_completed',
    })
  })

  test('An order keeps its redeemed code when that is renamed and another takes its name', async () => {
    const [cut, tea] = [await bookable(shop), await product(shop)]
    const code = await promoCode(shop)
    const id = await booked(cut, [await first(cut)], { product_items: [tea.item(1)], promo_code: code.code })
    await shop.asOperator('PUT', `/promo-codes/${code.id}`, { code: `${code.code}-old` })
    const all = ['us', 'eu'].map((market_key) => ({ type: 'items_percentage', market_key, bps: 10_000 }))
    const other = await promoCode(shop, { code: code.code, discounts: all })
    expect((await update(shop, id, { product_items: [tea.item(2)] })).body.money).toMatchObject({
      subtotal: 5000,
      discount: 500,
    })
    expect([await usesOf(shop, code.id), await usesOf(shop, other.id)]).toEqual([1, 0])
    await shop.asOperator('DELETE', `/promo-codes/${code.id}`)
    expect((await update(shop, id, { product_items: [tea.item(1)] })).body).toMatchObject({
      promo_code: null,
      money: { discount: 0, total: 4000 },
    })
  })

  test('An update that confirms an order and removes all bookings is refused', async () => {
    const cut = await bookable(shop)
    const id = await booked(cut, [await first(cut)])
    expect(refusalOf(await update(shop, id, { confirm: true, booking_items: [] }))).toEqual([
      422,
      '/cancel',
      'confirm_and_cancel',
    ])
  })

  test('An update cannot change the status of another store’s booking', async () => {
    const other = await newShop()
    const theirs = await bookable(other)
    const { visitor, cart } = await buyer(other, [], { booking_items: [theirs.item((await theirs.free())[0] as Slot)] })
    const [booking] = await bookingsOf(other, (await checkOut(visitor, cart, cash)).body.order_id)
    const { order_id } = await order(shop, [(await product(shop)).item()])
    const answer = await update(shop, order_id, { booking_statuses: [{ id: booking.id, status: 'no_show' }] })
    expect(refusalOf(answer)).toEqual([422, '/booking_statuses/0/id', 'booking_unknown'])
  })
})

test('A visitor’s second cart for a slot of a provider with one spot is refused', async () => {
  const cut = await bookable(shop, { provider_id: await provider(shop) })
  const slot = await first(cut)
  const visitor = await shop.visitor()
  const cart = await cartOf(visitor, [], { booking_items: [cut.item(slot, slot)] })
  expect((await checkOut(visitor, cart, cash)).body).toMatchObject({ status: 409, code: 'slot_taken' })
})
