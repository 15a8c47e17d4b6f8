// Bookings and reservations of a business: one engine with the storefront, a status of their own, and any number of
// equal or competing requests at once.
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { newId } from '../../entities/kit/ids.ts'
import { eventOf } from '../../rules/webhooks/deliveries.ts'
import { type Bookable, bookable, dateIn, promoCode, type Slot, scheduleOf, usesOf } from '../kit/bookings/booking.ts'
import { webhook } from '../kit/bookings/booking-reminders.ts'
import { newSalon, type Salon } from '../kit/business.ts'
import { atOnce, cartOf, eventsOf, pay, sim, until } from '../kit/orders/buying.ts'
import { type Answer, database, eitherApi, http, newEmail, newShop, type Shop, unique } from '../kit/shop.ts'

let salon: Salon
let shop: Shop
let account: string
let code: { id: string; code: string }
/** Used once; used once by each customer. */
let limited: { id: string; code: string }[]
/** Sold once at a time; twice at a time; free of charge; at another price, by the provider of `one`. */
let one: Bookable
let two: Bookable
let gift: Bookable
let dear: Bookable
const slots = new Map<Bookable, Slot[]>()
/** A slot that no other test takes. */
const next = (of: Bookable): Slot => {
  const slot = slots.get(of)?.shift()
  if (!slot) throw new Error('no slot is left')
  return { from: slot.from, to: slot.to }
}

beforeAll(async () => {
  salon = await newSalon()
  ;({ shop, account } = salon)
  const prices = (amount: number) => ['booking', 'us'].map((market) => ({ market, amount }))
  one = await bookable(shop, { prices: prices(3000) })
  two = await bookable(shop, { prices: prices(3000), concurrent_limit: 2 })
  gift = await bookable(shop, { prices: prices(0) })
  dear = await bookable(shop, { prices: prices(5000), provider_id: one.provider_id })
  const discounts = [{ type: 'items_percentage', market_key: 'booking', bps: 1000 }]
  code = await promoCode(shop, { discounts })
  limited = [
    await promoCode(shop, { discounts, conditions: [{ type: 'max_uses', count: 1 }] }),
    await promoCode(shop, { discounts, conditions: [{ type: 'max_uses_per_user', count: 1 }] }),
  ]
  for (const each of [one, two, gift]) slots.set(each, await each.free(dateIn(2), dateIn(12)))
  await salon.open()
}, 60_000)
afterEach(async () => {
  const { taken, booked } = await scheduleOf(shop.store_id)
  expect(taken).toEqual(booked)
})
afterAll(async () => database().end())

const at = (path: string) => `/v1/businesses/${shop.store_id}${path}`
const op: Salon['op'] = (...all) => salon.op(...all)
const as: Salon['as'] = (...all) => salon.as(...all)

const item = (of: Bookable, ...times: Slot[]) => ({
  serviceId: of.service_id,
  providerId: of.provider_id,
  slots: times,
})
const cash = (of: Bookable, ...times: Slot[]) => ({ items: [item(of, ...times)], paymentMethodId: 'cash' })
const card = (of: Bookable, ...times: Slot[]) => ({
  items: [item(of, ...times)],
  paymentMethodId: 'credit_card',
  returnUrl: 'https://salon.example/thanks',
})
const statuses = (answers: Answer[]) => answers.map(({ status }) => status).sort()
const codes = (answers: Answer[]) => [
  ...new Set(answers.filter(({ status }) => status >= 400).map(({ body }) => body.code)),
]

async function booking(request: object, module = 'bookings'): Promise<Record<string, unknown> & { id: string }> {
  const made = await op('POST', `/${module}`, request)
  if (made.status !== 201) throw new Error(`not booked: ${made.status} ${JSON.stringify(made.body)}`)
  return made.body
}
const paid = async (of: Bookable) => {
  const visitor = await shop.visitor()
  const made = await as(visitor, 'POST', '/bookings/checkout', card(of, next(of)))
  if (made.status !== 200) throw new Error(`not booked: ${made.status} ${JSON.stringify(made.body)}`)
  await pay(made.body.paymentAction.clientSecret.split('_secret_')[0])
  const { id } = made.body.booking
  await until(async () => (await op('GET', `/bookings/${id}`)).body.payment.status === 'paid')
  return { id: id as string, visitor }
}
const put = (id: string, body: object) => op('PUT', `/bookings/${id}`, body)
const stateOf = async (id: string) => (await op('GET', `/bookings/${id}`)).body.status as string

test.each(['/bookings', '/bookings/checkout', '/reservations', '/reservations/checkout'])(
  'A request to %s at another total than the expected one is refused',
  async (path) => {
    const slot = next(one)
    const visitor = await shop.visitor()
    const ask = (expectedTotal?: number) =>
      as(visitor, 'POST', path, { ...cash(one, slot), ...(expectedTotal === undefined ? {} : { expectedTotal }) })
    const { body } = await ask(2999)
    const quote = (await as(visitor, 'POST', `${path.replace('/checkout', '')}/quote`, cash(one, slot))).body
    expect(body).toMatchObject({ status: 409, code: 'total_changed', quote })
    expect(quote).toMatchObject({ total: 3000, subtotal: 3000, promoCodeId: null })
    const made = await ask(3000)
    expect(made.status).toBeLessThan(300)
    // The same request with another expected total.
    const id = (answer: Answer) => answer.body.booking?.id ?? answer.body.id
    expect([id(await ask()), id(await ask(1))]).toEqual([id(made), id(made)])
  },
)

const meaning: Record<string, [order: string[], part: string]> = {
  CREATED: [['pending'], 'pending'],
  PENDING: [['pending'], 'pending'],
  CONFIRMED: [['confirmed', 'partially_cancelled'], 'confirmed'],
  COMPLETED: [['confirmed', 'partially_cancelled'], 'completed'],
  CANCELLED: [['cancelled'], 'cancelled'],
  FAILED: [['cancelled'], 'cancelled'],
}
/** The status, the order, its parts and the booked time say the same. */
async function agrees(id: string, state: string): Promise<void> {
  const { rows } = await database().query(
    `select o.status, upper(o.booking_status) as state, array_agg(distinct b.status) as parts, o.cancelled_at is not null as over from orders o
     join order_bookings b on b.order_id = o.id and not b.replaced where o.id = $1 group by o.id`,
    [id],
  )
  const [orders, part] = meaning[state] as [string[], string]
  const [found] = rows
  expect([state, found.state, orders.includes(found.status), found.parts, found.over]).toEqual([
    state,
    state,
    true,
    [part],
    part === 'cancelled',
  ])
}

describe('Quotes', () => {
  test('A quote prices the items with the code, and reserves nothing', async () => {
    const slot = next(one)
    const quoted = await http('POST', at('/bookings/quote'), {
      headers: { 'x-service-publishable-key': shop.publishable_key },
      body: {
        ...cash(one, slot),
        promoCode: code.code,
        location: { country: 'US', state: 'OR', city: 'Portland', postalCode: '97204' },
      },
    })
    expect([quoted.status, quoted.body]).toMatchObject([
      200,
      {
        subtotal: 3000,
        total: 2700,
        promoCodeId: code.id,
        paymentMethodKey: 'cash',
        money: { currency: 'USD', total: 2700 },
      },
    ])
    const reserved = await op('POST', '/reservations/quote', {
      items: [{ serviceId: one.service_id, providerId: one.provider_id, ...slot }],
    })
    expect([reserved.status, reserved.body.total, reserved.body.promoCodeId]).toEqual([200, 3000, null])
  })

  test('The promo code that a quote returns is sent with the booking, also if there is none', async () => {
    const body = cash(one, next(one))
    const visitor = await shop.visitor()
    const { promoCodeId } = (await as(visitor, 'POST', '/bookings/quote', body)).body
    const made = await as(visitor, 'POST', '/bookings/checkout', { ...body, promoCodeId })
    expect([promoCodeId, made.status, made.body.booking?.promoCode]).toEqual([null, 200, null])
    const again = await as(visitor, 'POST', '/bookings/checkout', body)
    expect(again.body.booking?.id).toBe(made.body.booking.id)
    const quoted = await as(visitor, 'POST', '/bookings/quote', { ...cash(one, next(one)), promoCodeId: code.id })
    expect([quoted.body.total, quoted.body.promoCodeId]).toEqual([2700, code.id])
  })

  test('Faults of a quote name the fields that were sent', async () => {
    const slot = next(one)
    const wrong = async (body: object) => {
      const { status, body: answer } = await op('POST', '/bookings/quote', body)
      return [status, answer.errors?.[0]?.pointer, answer.code]
    }
    const stranger = { ...item(one, slot), providerId: gift.provider_id }
    expect(await wrong({ items: [stranger] })).toEqual([422, '/items/0', 'link_unknown'])
    expect(await wrong({ items: [item(one, { from: slot.from + 60, to: slot.to + 60 })] })).toEqual([
      422,
      '/items/0/slots/0',
      'slot_not_offered',
    ])
    // One that was sent without slots has its fault where its time begins, in a booking and a change of it as well.
    const span = { serviceId: one.service_id, providerId: one.provider_id, from: slot.from + 60, to: slot.to + 60 }
    const misplaced = [422, '/items/0/from', 'slot_not_offered']
    expect(await wrong({ items: [span] })).toEqual(misplaced)
    const reserved = await op('POST', '/reservations', { items: [{ ...span, ...next(one) }], paymentMethodId: 'cash' })
    expect(reserved.status).toBe(201)
    for (const [method, path] of [
      ['POST', '/reservations'],
      ['PUT', `/reservations/${reserved.body.id}`],
    ] as const) {
      const { status, body } = await op(method, path, {
        items: [span],
        ...(method === 'POST' ? { paymentMethodId: 'cash' } : { status: reserved.body.status, blocks: [] }),
      })
      expect([status, body.errors?.[0]?.pointer, body.code]).toEqual(misplaced)
    }
    expect(await wrong({ items: [item(one, slot)], paymentMethodId: 'gold' })).toEqual([
      422,
      '/paymentMethodId',
      'payment_method_unknown',
    ])
    expect(await wrong({ items: [item(one, slot)], promoCode: 'no-such-code' })).toEqual([
      422,
      '/promoCode',
      'promo_code_invalid',
    ])
    expect(await wrong({ items: [{ serviceId: one.service_id, providerId: one.provider_id }] })).toEqual([
      422,
      '/items/0/slots',
      'invalid_input',
    ])
    expect(await wrong({ items: [{ ...item(one, slot), service_id: one.service_id }] })).toEqual([
      422,
      '/items/0/service_id',
      'invalid_input',
    ])
    expect(await wrong({ items: [] })).toMatchObject([422, '/items', 'invalid_input'])
  })
})

describe('Checkout', () => {
  test('A visitor without a token books in cash, and finds their own booking only', async () => {
    const slot = next(one)
    const email = newEmail()
    const body = {
      ...cash(one, slot),
      ...{ email, promoCodeId: code.id, forms: [{ formId: 'contact', values: { message: 'Short, please' } }] },
      ...{
        blocks: [{ key: 'note', type: 'text', value: 'window seat' }],
        location: { country: 'US', city: 'Portland', lat: 45.5, lng: -122.6 },
      },
    }
    const used = await usesOf({ ...shop, asOperator: (method, path) => op(method, path) }, code.id)
    const made = await http('POST', at('/bookings/checkout'), {
      headers: { 'x-service-publishable-key': shop.publishable_key },
      body,
    })
    const token = made.headers.get('x-service-visitor-token') as string
    const part = {
      serviceId: one.service_id,
      providerId: one.provider_id,
      slots: [slot],
      ...slot,
      unitPrice: 3000,
      total: 2700,
      status: 'confirmed',
    }
    expect([made.status, made.body]).toMatchObject([
      200,
      {
        booking: {
          ...{
            status: 'CONFIRMED',
            cancelReason: null,
            subtotal: 3000,
            total: 2700,
            promoCode: code.code,
            parts: [part],
          },
          ...{
            forms: [{ formId: 'contact', values: { message: 'Short, please' } }],
            customerInfo: { id: expect.any(String), verified: false },
          },
          blocks: [{ key: 'note', type: 'text', value: 'window seat' }],
          location: { country: 'US', state: null, city: 'Portland', postalCode: null, lat: 45.5, lng: -122.6 },
        },
        payment: { type: 'cash', status: 'pending', amount: 2700 },
        paymentAction: { type: 'none' },
      },
    ])
    const { id } = made.body.booking
    const own = { 'x-service-publishable-key': shop.publishable_key, 'x-service-visitor-token': token }
    const mine = await http('GET', at('/bookings'), { headers: own })
    expect(mine.body.items).toEqual([made.body.booking])
    expect((await http('GET', at(`/bookings/${id}`), { headers: own })).body).toEqual(made.body.booking)
    expect((await http('GET', at(`/reservations/${id}`), { headers: own })).status).toBe(404)
    const other = await shop.visitor()
    expect([
      (await as(other, 'GET', `/bookings/${id}`)).status,
      (await as(other, 'GET', '/bookings')).body.items,
    ]).toEqual([404, []])
    expect((await as(other, 'PUT', `/bookings/${id}`, { status: 'CANCELLED' })).status).toBe(404)
    expect(await usesOf({ ...shop, asOperator: (method, path) => op(method, path) }, code.id)).toBe(used + 1)
    expect(
      (await op('GET', `/bookings?query=${encodeURIComponent(email)}`)).body.items.map(({ id }: { id: string }) => id),
    ).toEqual([id])
    await agrees(id, 'CONFIRMED')
  })

  test.each([undefined, 'a-key'])(
    'Twenty equal checkouts at once are one booking with 20 equal answers (key: %s)',
    async (key) => {
      for (const module of ['bookings', 'reservations']) {
        const visitor = await shop.visitor()
        const body = { ...cash(two, next(two)), email: newEmail() }
        const headers: Record<string, string> = key ? { 'idempotency-key': `${key}-${module}` } : {}
        const answers = await atOnce(20, () => as(visitor, 'POST', `/${module}/checkout`, body, headers))
        expect(statuses(answers)).toEqual(Array(20).fill(200))
        expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1)
        expect((await as(visitor, 'GET', `/${module}`)).body.items).toEqual([answers[0]?.body.booking])
      }
    },
  )

  test('Another payload under a key is 409, and another key is another booking', async () => {
    const visitor = await shop.visitor()
    const body = cash(two, next(two))
    const send = (key: string, body: object) =>
      as(visitor, 'POST', '/bookings/checkout', body, { 'idempotency-key': key })
    const first = await send('first', body)
    const conflict = await send('first', cash(two, next(two)))
    expect([conflict.status, conflict.body.code]).toEqual([409, 'idempotency_conflict'])
    const byCard = await send('first', { ...body, paymentMethodId: 'credit_card' })
    expect([byCard.status, byCard.body.code]).toEqual([409, 'idempotency_conflict'])
    const second = await send('second', body)
    expect([first.status, second.status, first.body.booking.id === second.body.booking.id]).toEqual([200, 200, false])
    // The same key of another visitor is another key.
    expect(
      (
        await as(await shop.visitor(), 'POST', '/bookings/checkout', cash(two, next(two)), {
          'idempotency-key': 'first',
        })
      ).status,
    ).toBe(200)
    const long = await send('x'.repeat(256), body)
    expect([long.status, long.body.errors[0].pointer]).toEqual([422, 'Idempotency-Key'])
  })

  test('A booking that is over does not stand for an equal request', async () => {
    const visitor = await shop.visitor()
    const body = cash(one, next(one))
    const first = await as(visitor, 'POST', '/bookings/checkout', body)
    expect((await as(visitor, 'PUT', `/bookings/${first.body.booking.id}`, { status: 'CANCELLED' })).body.status).toBe(
      'CANCELLED',
    )
    const second = await as(visitor, 'POST', '/bookings/checkout', body)
    expect([second.status, second.body.booking.id === first.body.booking.id]).toEqual([200, false])
  })

  test('A key of a cancelled booking says so in words of bookings', async () => {
    const visitor = await shop.visitor()
    const send = (body: object) => as(visitor, 'POST', '/bookings/checkout', body, { 'idempotency-key': 'over' })
    const body = cash(one, next(one))
    const { id } = (await send(body)).body.booking
    await as(visitor, 'PUT', `/bookings/${id}`, { status: 'CANCELLED' })
    const again = await send(body)
    expect([again.status, again.body.code, again.body.orderId]).toEqual([409, 'checkout_cancelled', id])
    expect(again.body.detail).toBe('The booking of this request was cancelled. A new request books again.')
  })

  test('Of fifty buyers of one time by all ways, as many as its limit get it', async () => {
    const slot = next(two)
    const visitors = await atOnce(30, () => shop.visitor())
    const carts = await Promise.all(
      visitors.slice(20).map((visitor) => cartOf(visitor, [], { booking_items: [two.item(slot)] })),
    )
    const answers = await Promise.all([
      ...visitors.slice(0, 10).map((visitor) => as(visitor, 'POST', '/bookings/checkout', cash(two, slot))),
      ...visitors.slice(10, 20).map((visitor) => as(visitor, 'POST', '/reservations/checkout', cash(two, slot))),
      ...carts.map(
        (cart, n) =>
          visitors[20 + n]?.call(
            'POST',
            `/carts/${cart.id}/checkout`,
            { payment_method_key: 'cash' },
            eitherApi(),
          ) as Promise<Answer>,
      ),
      ...Array.from({ length: 20 }, (_, n) =>
        op(
          'POST',
          '/bookings',
          { ...cash(two, slot), status: n % 2 ? 'PENDING' : 'CONFIRMED' },
          { 'idempotency-key': unique() },
        ),
      ),
    ])
    expect(statuses(answers)).toEqual([
      ...answers
        .filter(({ status }) => status < 300)
        .map(({ status }) => status)
        .sort(),
      ...Array(48).fill(409),
    ])
    expect(codes(answers)).toEqual(['slot_taken'])
    expect(answers.find(({ status, body }) => status === 409 && body.serviceId)?.body).toMatchObject({
      slot: { from: slot.from, to: slot.to },
    })
  })

  test('A reservation lists its slots one by one', async () => {
    const times = [next(one), next(one)]
    const made = await booking(
      { items: times.map((slot) => ({ ...item(one), slots: undefined, ...slot })), paymentMethodId: 'cash' },
      'reservations',
    )
    expect(made).toMatchObject({
      status: 'CONFIRMED',
      total: 6000,
      blocks: [],
      items: times.map((slot) => ({ ...slot, status: 'confirmed' })),
    })
    expect((await op('GET', `/bookings/${made.id}`)).status).toBe(404)
  })
})

describe('Direct creation', () => {
  test('An operator books for a contact, for an address, and with a status', async () => {
    const { contact_id } = await shop.visitor()
    const made = await booking({ ...cash(one, next(one)), contactId: contact_id, status: 'pending' })
    expect(made).toMatchObject({ status: 'PENDING', customerInfo: { id: contact_id } })
    const email = newEmail()
    const [first, second] = [
      await booking({ ...cash(one, next(one)), email }),
      await booking({ ...cash(one, next(one)), email }),
    ]
    expect(first.customerInfo).toEqual(second.customerInfo)
    expect((await op('GET', `/bookings?accountId=${contact_id}`)).body.items).toEqual([made])
    const body = cash(one, next(one))
    const [once, again] = [await op('POST', '/bookings', body), await op('POST', '/bookings', body)]
    expect([once.status, again.status, again.body]).toEqual([201, 200, once.body])
    const unknown = await op('POST', '/bookings', { ...cash(one, next(one)), contactId: first.id })
    expect([unknown.status, unknown.body.errors[0].pointer, unknown.body.code]).toEqual([
      422,
      '/contactId',
      'contact_unknown',
    ])
  })

  test('A visitor creates one in cash, but sends no contact, no status and no card', async () => {
    const visitor = await shop.visitor()
    const slot = next(one)
    const refused = async (more: object) => {
      const { status, body } = await as(visitor, 'POST', '/reservations', { ...cash(one, slot), ...more })
      return [status, body.errors?.[0]?.pointer, body.code]
    }
    expect(await refused({ contactId: visitor.contact_id })).toEqual([422, '/contactId', 'not_writable'])
    expect(await refused({ status: 'CONFIRMED' })).toEqual([422, '/status', 'not_writable'])
    expect(await refused({ paymentMethodId: 'credit_card' })).toEqual([
      422,
      '/paymentMethodId',
      'payment_method_required',
    ])
    expect(await refused({ forms: [{ formId: 'no-such-form', values: {} }] })).toEqual([
      422,
      '/forms/0/formId',
      'invalid_input',
    ])
    const made = await as(visitor, 'POST', '/reservations', cash(one, slot))
    expect([made.status, made.body.customerInfo.id]).toEqual([201, visitor.contact_id])
  })
})

describe('Cards', () => {
  test('A card payment confirms the booking, and its form needs no address to return to', async () => {
    const visitor = await shop.visitor()
    const { returnUrl: _, ...body } = card(one, next(one))
    const made = await as(visitor, 'POST', '/bookings/checkout', body)
    expect([made.status, made.body.booking.status, made.body.paymentAction.type]).toEqual([
      200,
      'CREATED',
      'card_embedded_checkout',
    ])
    const again = await as(visitor, 'POST', '/bookings/checkout', body)
    expect(again.body).toEqual(made.body)
    const session = made.body.paymentAction.clientSecret.split('_secret_')[0]
    await pay(session)
    await until(async () => (await stateOf(made.body.booking.id)) === 'CONFIRMED')
    await agrees(made.body.booking.id, 'CONFIRMED')
    expect((await as(visitor, 'GET', `/bookings/${made.body.booking.id}`)).body.payment).toMatchObject({
      status: 'paid',
      capturedAmount: 3000,
    })
  })

  test.each(['CREATED', 'PENDING', 'CONFIRMED', 'COMPLETED'])(
    'An open form is closed before a booking that is %s ends',
    async (state) => {
      for (const end of ['CANCELLED', 'FAILED']) {
        const made = await as(await shop.visitor(), 'POST', '/bookings/checkout', card(one, next(one)))
        const { id } = made.body.booking
        const session = made.body.paymentAction.clientSecret.split('_secret_')[0]
        expect((await put(id, { status: state })).body.status).toBe(state)
        const [first, second] = await atOnce(2, () => put(id, { status: end }))
        expect([first?.status, first?.body.status, second?.status, second?.body.status]).toEqual([200, end, 200, end])
        await agrees(id, end)
        const events = await eventsOf(account, 'checkout.session.expired')
        expect(events.filter(({ event }) => event.data.object.id === session)).toHaveLength(1)
      }
    },
  )

  test('A form stays open after an operator has confirmed, and its payment is recorded', async () => {
    const made = await as(await shop.visitor(), 'POST', '/bookings/checkout', card(one, next(one)))
    const { id } = made.body.booking
    expect((await put(id, { status: 'COMPLETED' })).body.status).toBe('COMPLETED')
    await pay(made.body.paymentAction.clientSecret.split('_secret_')[0])
    await until(async () => (await op('GET', `/bookings/${id}`)).body.payment.status === 'paid')
    await agrees(id, 'COMPLETED')
  })

  test.each(['CREATED', 'PENDING'])(
    'An equal checkout of a booking that is kept %s without its form says that there is none',
    async (state) => {
      const visitor = await shop.visitor()
      const body = card(one, next(one))
      const made = await as(visitor, 'POST', '/bookings/checkout', body)
      const { id } = made.body.booking
      await put(id, { status: 'PENDING' })
      expect((await put(id, { status: state })).body.status).toBe(state)
      expect((await as(visitor, 'POST', '/bookings/checkout', body)).body.paymentAction).toEqual(
        made.body.paymentAction,
      )
      await sim('POST', `/checkout_sessions/${made.body.paymentAction.clientSecret.split('_secret_')[0]}/expire`)
      await until(
        async () =>
          (await database().query("select 1 from payment_sessions where order_id = $1 and state = 'expired'", [id]))
            .rowCount === 1,
      )
      const again = await as(visitor, 'POST', '/bookings/checkout', body)
      expect([again.status, again.body.code, again.body.orderId, await stateOf(id)]).toEqual([
        409,
        'payment_form_over',
        id,
        state,
      ])
      await put(id, { status: 'CONFIRMED' })
      expect((await as(visitor, 'POST', '/bookings/checkout', body)).body).toMatchObject({
        booking: { id, status: 'CONFIRMED' },
        paymentAction: { type: 'none' },
      })
      await put(id, { status: 'CANCELLED' })
    },
  )

  test('A booking whose form could not be opened has failed, and may be booked again', async () => {
    const visitor = await shop.visitor()
    const email = newEmail()
    await sim('POST', '/faults', { path: '/v1/checkout/sessions', fault: 'status', status: 400, times: 1, account })
    const body = { ...card(one, next(one)), email }
    const failed = await as(visitor, 'POST', '/bookings/checkout', body)
    expect([failed.status, failed.body.code]).toEqual([503, 'provider_unavailable'])
    const [found] = (await as(visitor, 'GET', '/bookings')).body.items
    expect(found).toMatchObject({ status: 'FAILED', cancelReason: 'payment_failed' })
    await agrees(found.id, 'FAILED')
    const again = await as(visitor, 'POST', '/bookings/checkout', body)
    expect([again.status, again.body.booking.status]).toEqual([200, 'CREATED'])
    await put(again.body.booking.id, { status: 'CANCELLED' })
  })
})

describe('Statuses', () => {
  const states = Object.keys(meaning)
  /** Every status after every status, in one walk: an Eulerian circuit of the complete graph with loops. */
  const walk = (begin: string): string[] => {
    const left = new Map(states.map((state) => [state, [...states]]))
    const [stack, path]: [string[], string[]] = [[begin], []]
    while (stack.length > 0) {
      const to = left.get(stack.at(-1) as string)?.pop()
      if (to) stack.push(to)
      else path.push(stack.pop() as string)
    }
    return path.reverse()
  }

  test.each(['cash', 'free', 'paid'])('Any status follows any other: %s', async (how) => {
    const of = how === 'free' ? gift : one
    const made =
      how === 'paid'
        ? await paid(of)
        : await booking(how === 'free' ? { items: [item(of, next(of))] } : cash(of, next(of)))
    const before = (await op('GET', `/bookings/${made.id}`)).body
    const path = walk(before.status)
    expect(path).toHaveLength(states.length ** 2 + 1)
    for (const state of path.slice(1)) {
      const moved = await put(made.id, { status: state })
      expect([moved.status, moved.body.status]).toEqual([200, state])
      await agrees(made.id, state)
      const { taken, booked } = await scheduleOf(shop.store_id)
      expect(taken).toEqual(booked)
      const over = meaning[state]?.[1] === 'cancelled'
      const unpaid =
        state === 'FAILED' || moved.body.payment.status === 'failed' ? ['failed', 'cancelled'] : ['cancelled']
      const expected = how === 'cash' ? (over ? unpaid : ['pending']) : ['paid']
      expect([state, moved.body.payment.status]).toEqual([state, expect.stringMatching(expected.join('|'))])
      const refused = await put(made.id, { status: 'AUTHORIZED' })
      expect([refused.status, refused.body.code]).toEqual([409, 'payment_not_authorized'])
    }
    const after = (await op('GET', `/bookings/${made.id}`)).body
    expect(after.money).toEqual(before.money)
  })

  test('Any status follows any other while a payment form is open, and after it was closed', async () => {
    const made = await as(await shop.visitor(), 'POST', '/bookings/checkout', card(one, next(one)))
    const { id } = made.body.booking
    const session = made.body.paymentAction.clientSecret.split('_secret_')[0]
    const open = ['CREATED', 'PENDING', 'CONFIRMED', 'COMPLETED']
    const refused = async () =>
      expect((await put(id, { status: 'AUTHORIZED' })).body.code).toBe('payment_not_authorized')
    for (const from of open)
      for (const to of open) {
        await put(id, { status: from })
        const moved = await put(id, { status: to })
        expect([from, to, moved.status, moved.body.status, moved.body.payment.status]).toEqual([
          from,
          to,
          200,
          to,
          'pending',
        ])
        await agrees(id, to)
        await refused()
      }
    expect((await put(id, { status: 'CANCELLED' })).status).toBe(200)
    for (const state of walk('CANCELLED').slice(1)) {
      const moved = await put(id, { status: state })
      expect([moved.status, moved.body.status, moved.body.payment.status]).toEqual([200, state, 'cancelled'])
      await agrees(id, state)
      await refused()
    }
    expect(
      (await eventsOf(account, 'checkout.session.expired')).filter(({ event }) => event.data.object.id === session),
    ).toHaveLength(1)
  })

  test('The table refuses a status that contradicts the order', async () => {
    const { id } = await booking(cash(one, next(one)))
    for (const set of ["status = 'pending'", "booking_status = 'failed'", 'booking_status = null', 'module = null'])
      await expect(database().query(`update orders set ${set} where id = $1`, [id])).rejects.toThrow(/orders_booking/)
  })

  test('Time that was sold meanwhile is not taken again, however many set it back at once', async () => {
    const slot = next(one)
    const ids: string[] = []
    for (let n = 0; n < 10; n++) {
      const { id } = await booking({ ...cash(one, slot), email: newEmail() })
      await put(id, { status: 'CANCELLED' })
      ids.push(id)
    }
    const back = await Promise.all(ids.map((id) => put(id, { status: 'PENDING' })))
    expect(statuses(back)).toEqual([200, ...Array(9).fill(409)])
    expect(codes(back)).toEqual(['slot_taken'])
  })

  test('The use of a promo code is counted again within its limits, however many set back at once', async () => {
    for (const { id: promoCodeId, code: promo } of limited) {
      const uses = async () => {
        const { rows } = await database().query(
          'select uses, (select count(*)::int from promo_redemptions where promo_code_id = c.id) as redemptions from promo_codes c where id = $1',
          [promoCodeId],
        )
        expect(rows[0].redemptions).toBe(rows[0].uses)
        return rows[0].uses
      }
      const { contact_id } = await shop.visitor()
      const request = () => ({ ...cash(one, next(one)), contactId: contact_id, promoCodeId })
      const first = await booking(request())
      await put(first.id, { status: 'CANCELLED' })
      expect([(await put(first.id, { status: 'CONFIRMED' })).body.total, await uses()]).toEqual([2700, 1])
      await put(first.id, { status: 'FAILED' })
      const second = await booking(request())
      const refused = await put(first.id, { status: 'PENDING' })
      expect([refused.status, refused.body.code, refused.body.errors?.[0].pointer]).toEqual([
        422,
        'promo_code_exhausted',
        '/status',
      ])
      expect([await stateOf(first.id), await uses()]).toEqual(['FAILED', 1])
      await put(second.id, { status: 'CANCELLED' })
      const both = await Promise.all([first, second].map(({ id }) => put(id, { status: 'COMPLETED' })))
      expect([statuses(both), await uses()]).toEqual([[200, 422], 1])
      for (const { id } of [first, second]) await put(id, { status: 'CANCELLED' })
      const moved = await put(first.id, { status: 'PENDING', parts: [item(one, next(one))] })
      expect([moved.status, moved.body.total, moved.body.promoCode, await uses()]).toEqual([200, 2700, promo, 1])
      // The discount of a booking outlasts its code.
      await put(first.id, { status: 'CANCELLED' })
      await database().query("update promo_codes set status = 'archived' where id = $1", [promoCodeId])
      expect([(await put(first.id, { status: 'CONFIRMED' })).body.total, await uses()]).toEqual([2700, 1])
    }
  })

  test('An order’s own route and the booking’s say the same', async () => {
    const { id } = await booking({ ...cash(one, next(one)), status: 'PENDING' })
    const order = (body: object) => op('PUT', `/orders/${id}`, body)
    expect((await order({ version: 1, confirm: true })).body.status).toBe('confirmed')
    await agrees(id, 'CONFIRMED')
    expect(
      (await order({ version: 2, productItems: [{ productId: id, variantId: id, quantity: 1 }] })).body.errors[0],
    ).toMatchObject({ code: 'cannot_change' })
    expect((await order({ version: 2, cancel: true })).body.status).toBe('cancelled')
    await agrees(id, 'CANCELLED')
  })

  test('A visitor cancels their own booking before it begins, and changes nothing else', async () => {
    const visitor = await shop.visitor()
    const body = cash(one, next(one))
    const { id, blocks } = (await as(visitor, 'POST', '/reservations', body)).body
    const change = (body: object) => as(visitor, 'PUT', `/reservations/${id}`, { blocks, ...body })
    for (const status of ['COMPLETED', 'FAILED', 'PENDING'])
      expect([(await change({ status })).status, status]).toEqual([403, status])
    expect((await change({ status: 'CONFIRMED', blocks: [{ key: 'a', type: 'text', value: 'b' }] })).body.code).toBe(
      'forbidden',
    )
    expect((await change({ status: 'CONFIRMED' })).status).toBe(200)
    expect((await change({ status: 'CANCELLED' })).body).toMatchObject({
      status: 'CANCELLED',
      cancelReason: 'requested',
    })
    const begun = (await as(visitor, 'POST', '/bookings', cash(one, next(one)))).body.id
    await database().query('update order_bookings set starts_at = 1 where order_id = $1', [begun])
    expect((await as(visitor, 'PUT', `/bookings/${begun}`, { status: 'CANCELLED' })).body).toMatchObject({
      status: 403,
      code: 'forbidden',
    })
  })
})

describe('Changes', () => {
  test('A record that is sent back as it was read changes nothing', async () => {
    const made = await booking({
      ...cash(one, next(one)),
      forms: [{ formId: 'contact', values: { message: 'a' } }],
      location: { country: 'US' },
    })
    const same = await put(made.id, made)
    expect([same.status, same.body]).toEqual([200, made])
    const reserved = await booking(cash(one, next(one)), 'reservations')
    expect((await op('PUT', `/reservations/${reserved.id}`, reserved)).body).toEqual(reserved)
    const { rows } = await database().query('select version from orders where id = any ($1)', [[made.id, reserved.id]])
    expect(rows).toEqual([{ version: 1 }, { version: 1 }])
  })

  test('A form that an earlier version stored in another spelling is found by its key', async () => {
    const key = `café ${unique()}`
    await database().query(
      `insert into forms select (jsonb_populate_record(f, jsonb_build_object('id', gen_random_uuid(), 'key', $2::text))).* from forms f where tenant_id = $1 and key = 'contact'`,
      [shop.store_id, key.normalize('NFD')],
    )
    const made = await booking({ ...cash(one, next(one)), forms: [{ formId: key, values: { message: 'a' } }] })
    expect(made.forms).toEqual([{ formId: key.normalize('NFD'), values: { message: 'a' } }])
  })

  test('A slot of the availability is quoted, booked and moved to as it was read', async () => {
    const { serviceId, providerId } = item(one)
    const free = await op('GET', `/bookings/availability?serviceId=${serviceId}&month=${dateIn(40).slice(0, 7)}`)
    const [first, second, third] = free.body.providers[0].days.at(-1).slots
    const plain = ({ from, to }: Slot) => ({ from, to })
    expect(first).toEqual({ ...plain(first), spots: 1 })
    for (const body of [cash(one, first), { ...cash(one), items: [{ serviceId, providerId, ...first }] }])
      expect((await op('POST', '/bookings/quote', body)).status).toBe(200)
    const made = await booking(cash(one, first))
    const moved = await put(made.id, { parts: [item(one, second)] })
    expect([moved.status, moved.body.parts]).toMatchObject([200, [{ slots: [plain(second)] }]])
    const reserved = await booking({ ...cash(one), items: [{ serviceId, providerId, ...first }] }, 'reservations')
    const { status, body } = await op('PUT', `/reservations/${reserved.id}`, {
      ...reserved,
      items: [{ serviceId, providerId, ...third }],
    })
    expect([status, body.items]).toMatchObject([200, [plain(third)]])
    const { rows } = await database().query('select slots from order_bookings where order_id = any ($1)', [
      [made.id, reserved.id],
    ])
    expect(JSON.stringify(rows)).not.toContain('spots')
  })

  test('Forms, blocks and time are replaced, and the parts before are gone', async () => {
    const made = await booking(cash(one, next(one)))
    const [later, more] = [next(one), next(gift)]
    const moved = await put(made.id, {
      ...{
        status: 'COMPLETED',
        forms: [{ formId: 'contact', values: { message: 'b' } }],
        blocks: [{ key: 'note', type: 'text', value: 'c' }],
      },
      parts: [item(one, later), item(gift, more)],
    })
    expect([moved.status, moved.body]).toMatchObject([
      200,
      {
        ...{
          status: 'COMPLETED',
          total: 3000,
          forms: [{ formId: 'contact', values: { message: 'b' } }],
          blocks: [{ key: 'note', value: 'c' }],
        },
        parts: [
          { slots: [later], status: 'completed' },
          { slots: [more], status: 'completed' },
        ],
      },
    ])
    await agrees(made.id, 'COMPLETED')
    const over = await put(made.id, { parts: [item(one, next(one))] })
    expect([over.status, over.body.code]).toEqual([409, 'booking_completed'])
    expect((await put(made.id, { status: 'CONFIRMED', parts: [item(gift, more)] })).body).toMatchObject({
      total: 0,
      payment: { type: 'none', status: 'paid' },
    })
    expect((await put(made.id, { status: 'CANCELLED' })).body.status).toBe('CANCELLED')
    const other = next(gift)
    const back = await put(made.id, { status: 'PENDING', parts: [item(gift, other)] })
    expect([back.status, back.body.parts.map(({ slots }: { slots: Slot[] }) => slots)]).toEqual([200, [[other]]])
    await agrees(made.id, 'PENDING')
    const both = await put(made.id, { status: 'CANCELLED', parts: [item(one, next(one))] })
    expect([both.status, both.body.code, both.body.errors[0].pointer]).toEqual([422, 'cancel_and_replace', '/parts'])
  })

  test('A booking that is paid moves to time of the same price only, and is no other’s', async () => {
    const { id, visitor } = await paid(one)
    const slot = next(one)
    const moved = await put(id, { parts: [item(one, slot)] })
    expect([moved.status, moved.body.parts[0].slots, moved.body.payment.status]).toEqual([200, [slot], 'paid'])
    const dearer = await put(id, { parts: [item(dear, next(one))] })
    expect([dearer.status, dearer.body.code]).toEqual([409, 'payment_captured'])
    expect((await as(visitor, 'PUT', `/bookings/${id}`, { parts: [item(one, next(one))] })).status).toBe(403)
    const taken = await put(id, {
      parts: [item(one, ((await booking(cash(one, next(one)))).parts as { slots: Slot[] }[])[0]?.slots[0] as Slot)],
    })
    expect([taken.status, taken.body.code]).toEqual([409, 'slot_taken'])
    // A cancelled booking keeps what was captured, for a refund.
    const cancelled = await put(id, { status: 'CANCELLED' })
    expect(cancelled.body).toMatchObject({
      status: 'CANCELLED',
      payment: { status: 'paid', capturedAmount: 3000, refundedAmount: 0 },
    })
  })

  test('Cash is marked as paid or waived, and nothing else of a payment is changed', async () => {
    const made = await booking(cash(one, next(one)))
    const payment = made.payment as Record<string, unknown>
    const wrong = await put(made.id, { payment: { ...payment, amount: 1 } })
    expect([wrong.status, wrong.body.errors[0]]).toMatchObject([
      422,
      { pointer: '/payment/amount', code: 'payment_read_only' },
    ])
    const taken = await put(made.id, { payment: { ...payment, status: 'paid' } })
    expect(taken.body.payment).toMatchObject({ status: 'paid', capturedAmount: 3000 })
    expect((await put(made.id, { payment: null })).body.code).toBe('payment_read_only')
    const free = await put((await booking(cash(one, next(one)))).id, { payment: null })
    expect(free.body).toMatchObject({
      subtotal: 3000,
      total: 0,
      payment: { type: 'none', status: 'paid', amount: 0 },
      parts: [{ total: 0 }],
    })
    const over = await booking(cash(one, next(one)))
    await put(over.id, { status: 'CANCELLED' })
    expect((await put(over.id, { payment: { status: 'paid' } })).body.code).toBe('order_cancelled')
  })
})

test('A booking whose payment was waived moves and stays free, but to no dearer time', async () => {
  const made = await booking({ ...cash(one, next(one)), promoCodeId: code.id })
  const used = async () =>
    (await database().query('select uses from promo_codes where id = $1', [code.id])).rows[0].uses
  const before = await used()
  const free = await put(made.id, { payment: null })
  // It needs no code any more.
  expect([free.body.total, free.body.promoCode, await used()]).toEqual([0, null, before - 1])
  for (const change of [{}, { status: 'CANCELLED' }, { status: 'CONFIRMED' }]) {
    const slot = next(one)
    const parts = 'status' in change && change.status === 'CANCELLED' ? {} : { parts: [item(one, slot)] }
    const moved = await put(made.id, { ...change, ...parts })
    expect([moved.status, moved.body]).toMatchObject([
      200,
      { subtotal: 3000, total: 0, payment: { type: 'none', status: 'paid', amount: 0 } },
    ])
    if ('parts' in parts) expect(moved.body.parts).toMatchObject([{ slots: [slot], total: 0 }])
  }
  const dearer = await put(made.id, { parts: [item(dear, next(one))] })
  expect([dearer.status, dearer.body.code, dearer.body.errors?.[0].pointer]).toEqual([
    422,
    'payment_method_required',
    '/parts',
  ])
  const { version } = (await op('GET', `/orders/${made.id}`)).body
  const order = await op('PUT', `/orders/${made.id}`, { version, bookingItems: [item(one, next(one))] })
  expect([order.status, order.body.money?.total]).toEqual([200, 0])
})

test('Only an operator books a private service', async () => {
  const slot = next(gift)
  const body = { items: [item(gift, slot)] }
  await database().query("update services set access = 'private' where id = $1", [gift.service_id])
  const visitor = await shop.visitor()
  for (const path of ['/bookings/quote', '/bookings/checkout', '/reservations']) {
    const { status, body: answer } = await as(visitor, 'POST', path, body)
    expect([path, status, answer.code, answer.errors[0].pointer]).toEqual([path, 422, 'link_unknown', '/items/0'])
  }
  expect((await op('POST', '/bookings/quote', body)).status).toBe(200)
  expect((await booking(body)).status).toBe('CONFIRMED')
  await database().query("update services set access = 'public' where id = $1", [gift.service_id])
})

test('An id of another tenant is answered like an unknown id', async () => {
  const theirs = await newShop()
  const { contact_id } = await theirs.visitor()
  const their = await bookable(theirs)
  const { id: promoCodeId } = await promoCode(theirs)
  const form = (await theirs.asOperator('GET', '/forms')).body.items[0].id as string
  const slot = next(one)
  const mine = await booking(cash(one, slot))
  const unknown = newId()
  const good = cash(one, slot)
  const bodies: [string, (id: string) => object][] = [
    [their.service_id, (serviceId) => ({ ...good, items: [{ ...item(one, slot), serviceId }] })],
    [their.provider_id, (providerId) => ({ ...good, items: [{ ...item(one, slot), providerId }] })],
    [promoCodeId, (promoCodeId) => ({ ...good, promoCodeId })],
    [form, (formId) => ({ ...good, forms: [{ formId, values: {} }] })],
    [contact_id, (contactId) => ({ ...good, contactId })],
    [their.service_id, (value) => ({ ...good, blocks: [{ key: 'a', type: 'entry', value }] })],
  ]
  const answered = ({ status, body }: Answer, id: string) => [
    status,
    body.code,
    JSON.stringify(body.errors).replaceAll(id, 'ID'),
  ]
  for (const [id, body] of bodies) {
    const [foreign, none] = [await op('POST', '/bookings', body(id)), await op('POST', '/bookings', body(unknown))]
    expect([foreign.status, ...answered(foreign, id)]).toEqual([422, ...answered(none, unknown)])
  }
  const changes: [string, (id: string) => object][] = [
    [their.service_id, (serviceId) => ({ parts: [{ ...item(one, slot), serviceId }] })],
    [form, (formId) => ({ forms: [{ formId, values: {} }] })],
    [their.service_id, (value) => ({ blocks: [{ key: 'a', type: 'entry', value }] })],
  ]
  for (const [id, body] of changes) {
    const [foreign, none] = [await put(mine.id, body(id)), await put(mine.id, body(unknown))]
    expect([foreign.status, ...answered(foreign, id)]).toEqual([422, ...answered(none, unknown)])
  }
  for (const [name, id] of [
    ['serviceIds', their.service_id],
    ['providerIds', their.provider_id],
    ['accountId', contact_id],
  ])
    expect((await op('GET', `/bookings?${name}=${id}`)).body.items).toEqual([])
})

test('Lists filter by status, service, provider, contact and time, and page in any order', async () => {
  const { contact_id } = await shop.visitor()
  const own = `accountId=${contact_id}`
  const [a, b, c] = [next(two), next(two), next(gift)]
  const first = await booking({ ...cash(two, a), contactId: contact_id })
  const second = await booking({ ...cash(two, b), contactId: contact_id, status: 'PENDING' })
  const third = await booking({ items: [item(gift, c)], contactId: contact_id })
  await booking({ ...cash(two, next(two)), contactId: contact_id }, 'reservations')
  const found = async (query: string) =>
    (await op('GET', `/bookings?${own}&${query}`)).body.items.map(({ id }: { id: string }) => id)
  expect(await found('sortOrder=asc')).toEqual([first.id, second.id, third.id])
  expect(await found('status=PENDING')).toEqual([second.id])
  expect(await found('status=CONFIRMED,COMPLETED&sortOrder=asc')).toEqual([first.id, third.id])
  expect(await found(`serviceIds=${gift.service_id}`)).toEqual([third.id])
  expect(await found(`providerIds=${two.provider_id}&sortOrder=asc`)).toEqual([first.id, second.id])
  expect(await found(`from=${a.from + 1}&to=${a.from + 2}&serviceIds=${two.service_id}`)).toEqual([first.id])
  expect(await found(`from=${a.to}&to=${b.from}&serviceIds=${two.service_id}`)).toEqual([])
  expect(await found(`to=${b.from + 1}&serviceIds=${two.service_id}&sortOrder=asc`)).toEqual(
    b.from > a.from ? [first.id, second.id] : [second.id],
  )
  expect(await found(`query=${second.number}`)).toEqual([second.id])
  const page = await op('GET', `/bookings?${own}&limit=2&sortField=number&sortOrder=asc`)
  const rest = await op('GET', `/bookings?${own}&limit=2&sortField=number&sortOrder=asc&cursor=${page.body.cursor}`)
  expect([...page.body.items, ...rest.body.items]).toEqual([first, second, third])
  expect(rest.body.cursor).toBeNull()
})

test('A booking publishes its own events, with the record as its module returns it', async () => {
  await webhook(shop.store_id, ['booking.created', 'booking.updated', 'order.created', 'order.updated'])
  const { rows: before } = await database().query('select max(id::text) as last from events where tenant_id = $1', [
    shop.store_id,
  ])
  const visitor = await shop.visitor()
  const checkedOut = await as(visitor, 'POST', '/bookings/checkout', cash(one, next(one)))
  const moved = await put(checkedOut.body.booking.id, { status: 'COMPLETED' })
  const cancelled = await put(checkedOut.body.booking.id, { status: 'CANCELLED' })
  const reserved = await booking(cash(one, next(one)), 'reservations')
  const cart = await cartOf(visitor, [], { booking_items: [two.item(next(two))] })
  await visitor.call('POST', `/carts/${cart.id}/checkout`, { payment_method_key: 'cash' })
  const { rows } = await database().query(
    "select id, type, created_at::int, data from events where tenant_id = $1 and id::text > coalesce($2, '') order by id",
    [shop.store_id, before[0].last],
  )
  const sent = rows.map(({ data, ...head }) => eventOf({ ...head, tenant_id: shop.store_id, kind: 'business' }, data))
  expect(sent.map(({ type, businessId }) => [type, businessId])).toEqual(
    ['booking.created', 'booking.updated', 'booking.updated', 'booking.created', 'order.created'].map((type) => [
      type,
      shop.store_id,
    ]),
  )
  expect(sent.slice(0, 4).map(({ data }) => data)).toEqual([
    checkedOut.body.booking,
    moved.body,
    cancelled.body,
    reserved,
  ])
})
