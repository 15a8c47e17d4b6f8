// Random command sequences over HTTP on both servers leave every store as a simple model (a list of orders) predicts.
// A failure prints its seed and its shortest script. MODEL_SEED=random (or a number) picks another seed, MODEL_RUNS
// sets the number of runs.
// MODEL_TOLD=1 prints which cases occurred.
import { randomInt, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { derivedId } from '../../entities/kit/ids.ts'
import { bookable, made, provider, scheduleOf, service } from '../kit/bookings/booking.ts'
import { mustHaveMet, tellCases } from '../kit/cases.ts'
import {
  apiWith,
  card,
  cash,
  connected,
  locationOf,
  market,
  pay,
  paymentOf,
  product,
  sessionOf,
  until,
} from '../kit/orders/buying.ts'
import { type Answer, database, eitherApi, newShop, type Shop, unique, type Visitor } from '../kit/shop.ts'
import * as model from './model.ts'

const seed = process.env.MODEL_SEED === 'random' ? randomInt(2 ** 31) : Number(process.env.MODEL_SEED ?? 20261121)
const runs = Number(process.env.MODEL_RUNS ?? 160)
const lanes = 8

// The commands of a script. Indexes are taken modulo what exists, so that a shortened script stays meaningful.

/** True in one of `times` cases; shrinks to false. */
const sometimes = <T>(arbitrary: fc.Arbitrary<T>, times: number) =>
  fc.oneof({ withCrossShrink: true }, { arbitrary: fc.constant(null), weight: times - 1 }, { arbitrary, weight: 1 })
const oneIn = (times: number) => fc.nat(times - 1).map((n) => n === times - 1)

const small = fc.integer({ min: 1, max: 3 })
const item = fc.record({ at: fc.nat(2), quantity: small })
const goods = fc.array(item, { maxLength: 2 })
const times = fc.array(fc.record({ at: fc.nat(3), slots: fc.array(fc.nat(5), { minLength: 1, maxLength: 2 }) }), {
  maxLength: 2,
})
const cart = fc.record({ goods, times, code: oneIn(3).map((no) => !no) })
const how = fc.oneof(
  { arbitrary: fc.constant('cash' as const), weight: 40 },
  { arbitrary: fc.constant('card' as const), weight: 3 },
)
const [visitor, nth] = [fc.nat(1), fc.nat(7)]

const full = fc.record({
  goods: fc.array(item, { minLength: 1, maxLength: 2 }),
  times,
  code: oneIn(3).map((no) => !no),
})
const buy = fc.record({
  do: fc.constant('buy' as const),
  visitor,
  cart: full,
  how,
  pays: fc.constantFrom('not yet', 'at once', 'with another card'),
})
const command = fc.oneof(
  { arbitrary: buy, weight: 4 },
  { arbitrary: fc.record({ do: fc.constant('fill' as const), visitor, cart }), weight: 2 },
  { arbitrary: fc.record({ do: fc.constant('quote' as const), visitor }), weight: 2 },
  { arbitrary: fc.record({ do: fc.constant('check out' as const), visitor, how }), weight: 2 },
  { arbitrary: fc.record({ do: fc.constant('check out again' as const), nth }), weight: 1 },
  { arbitrary: fc.record({ do: fc.constant('confirm' as const), nth }), weight: 4 },
  { arbitrary: fc.record({ do: fc.constant('cancel' as const), nth }), weight: 3 },
  {
    arbitrary: fc.record({
      do: fc.constant('replace' as const),
      nth,
      goods: fc.option(goods),
      times: fc.option(times),
      confirm: oneIn(6),
    }),
    weight: 8,
  },
  {
    arbitrary: fc.record({
      do: fc.constant('mark paid' as const),
      nth,
      refunds: sometimes(fc.constantFrom(30, 100), 2),
    }),
    weight: 2,
  },
  {
    arbitrary: fc.record({
      do: fc.constant('refund' as const),
      nth,
      percent: fc.constantFrom(30, 100, 100, 130),
      again: fc.boolean(),
    }),
    weight: 2,
  },
  { arbitrary: fc.record({ do: fc.constant('ship' as const), nth, line: fc.nat(3), quantity: small }), weight: 2 },
  { arbitrary: fc.record({ do: fc.constant('pay by card' as const), nth, declined: oneIn(3) }), weight: 2 },
  { arbitrary: fc.record({ do: fc.constant('use an old version' as const), nth }), weight: 1 },
  { arbitrary: fc.record({ do: fc.constant('archive the code' as const) }), weight: 1 },
)
/** No payment until the hold ends: it takes seconds, so it is rare. */
const late = fc.record({ do: fc.constant('let a card checkout pass' as const), visitor, cart: full })
type Command =
  | (typeof command extends fc.Arbitrary<infer T> ? T : never)
  | (typeof late extends fc.Arbitrary<infer T> ? T : never)

const percentage = fc.record({
  type: fc.constant('items_percentage' as const),
  bps: fc.constantFrom(333, 1000, 5000, 10_000),
})
const fixed = fc.record({ type: fc.constant('items_fixed' as const), amount: fc.constantFrom(1, 500, 3333, 100_000) })
const code = fc.record({
  discounts: fc.oneof(fc.tuple(percentage), fc.tuple(fixed), fc.tuple(percentage, fixed), fc.tuple(fixed, percentage)),
  max_uses: sometimes(fc.constantFrom(1, 1, 2), 2),
  max_uses_per_user: sometimes(fc.constant(1), 3),
  min_order_amount: sometimes(fc.constantFrom(1000, 3000), 4),
  products: sometimes(fc.array(fc.nat(1), { minLength: 1, maxLength: 2 }), 4),
  services: sometimes(fc.array(fc.nat(1), { minLength: 1, maxLength: 2 }), 4),
  range: sometimes(fc.constantFrom('over' as const, 'to come' as const), 12),
})
const price = fc.constantFrom(0, 1, 33, 999, 1000, 1005, 2333)
const world = fc.record({
  prices: fc.tuple(price, price),
  stocks: fc.tuple(fc.nat(5), fc.nat(5), fc.nat(9)),
  second: fc.constantFrom('shipped' as const, 'handed' as const),
  code: fc.option(code, { freq: 3 }),
})
const script = fc.record({
  world,
  first: buy,
  rest: fc.array(command, { minLength: 4, maxLength: 7, size: 'max' }),
  late: sometimes(late, 40),
})
type Script = typeof script extends fc.Arbitrary<infer T> ? T : never

// A lane has a store of its own, and each of its scripts has its own product, code and date.

type Lane = {
  shop: Shop
  visitors: Visitor[]
  services: string[]
  links: Omit<model.Link, 'times'>[]
  file: model.Good
  locations: [string, string]
  dates: number
}

const day = 86_400
const hours = [
  { first: 540, last: 720, every: 60, lasting: [60] },
  { first: 540, last: 720, every: 30, lasting: [30, 90] },
  { first: 1320, last: 1560, every: 60, lasting: [60] },
  { first: 1380, last: 1560, every: 45, lasting: [45, 120] },
] as const
const clock = (minutes: number) =>
  `${String(Math.floor(minutes / 60) % 24).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`

async function newLane(): Promise<Lane> {
  const shop = await newShop({ timezone: 'UTC', settings: { booking_reminder_minutes: 0 } })
  await market(shop, 'us', { zones: [{ tax_bps: 1000 }] })
  await connected(shop)
  const file = await product(shop, { amount: 700, is_digital: true })
  const [services, providers] = [
    [await service(shop), await service(shop)],
    [await provider(shop), await provider(shop)],
  ]
  const links: Lane['links'] = []
  for (const [at, { first, last, every, lasting }] of hours.entries()) {
    const [service_id, provider_id] = [services[at % 2] as string, providers[at < 2 ? 0 : 1] as string]
    const [price, limit] = [[3000, 1234, 45, 2500][at] as number, [1, 2, 2, 3][at] as number]
    const windows = [{ from: clock(first), to: clock(last) }]
    const durations = lasting.map((duration) => ({ duration }))
    await bookable(shop, {
      service_id,
      provider_id,
      windows,
      durations,
      slot_interval: every,
      amount: price,
      concurrent_limit: limit,
    })
    links.push({
      id: derivedId(provider_id, service_id),
      service: service_id,
      provider: provider_id,
      price,
      kind: 'time',
      limit,
    })
  }
  const other = await made(shop.asOperator('POST', '/locations', { key: 'other', address: {} }))
  return {
    shop,
    visitors: [await shop.visitor(), await shop.visitor()],
    services,
    links,
    file: { id: file.variant_id, product: file.id, price: 700, kind: 'digital', stock: null },
    locations: [await locationOf(shop), other.id],
    dates: Math.floor(Date.now() / 1000 / day) + 3,
  }
}

type Scene = {
  lane: Lane
  date: number
  store: model.Store
  locations: Record<string, number>
  code: { id: string; code: string } | null
  orders: Map<model.Order, { id: string; cart: string; session: string; next: string | null }>
  /** What each of the two visitors puts into the cart. */
  carts: ({ id: string; cart: model.Cart } | null)[]
}

async function newScene(
  lane: Lane,
  { prices, stocks: [here, there, more], second, code }: Script['world'],
): Promise<Scene> {
  // A booking that crosses midnight ends on the next date.
  const date = lane.dates * day
  lane.dates += 2
  const levels = [[here, there], [more]]
  const inventory = levels.map((level) =>
    level.map((available, at) => ({ location_id: lane.locations[at], available })),
  )
  const variants = prices.map((amount, at) => ({
    sku: String(at),
    prices: [{ market: 'us', amount }],
    inventory: inventory[at],
    requires_shipping: at === 0 || second === 'shipped',
  }))
  const sold = await made(
    lane.shop.asOperator('POST', '/products', { key: `product-${unique()}`, variants }, eitherApi()),
  )
  const ids = (sold.variants as { id: string }[]).map(({ id }) => id) as [string, string]
  const stocked = prices.map((price, at): model.Good => {
    return {
      id: ids[at] as string,
      product: sold.id,
      price,
      kind: at === 0 ? 'shipped' : second,
      stock: at === 0 ? here + there : more,
    }
  })
  const links = lane.links.map((link, at) => {
    // Includes the dates before and after, whose slots can overlap this one's.
    const all = [-1, 0, 1].flatMap((days) =>
      model.timesOf(date + days * day, {
        ...(hours[at] as (typeof hours)[number]),
        lasting: [...(hours[at]?.lasting ?? [])],
      }),
    )
    return { ...link, times: all.filter(({ from }) => from >= date && from < date + 2 * day) }
  })
  const products = code?.products?.map((at) => [sold.id, lane.file.product][at] as string) ?? null
  const services = code?.services?.map((at) => lane.services[at] as string) ?? null
  const store: model.Store = {
    goods: [...stocked, lane.file],
    links,
    code: code && { ...code, products, services, archived: false },
    orders: [],
  }
  const locations = Object.fromEntries(
    levels.flatMap((level, good) => level.map((available, at) => [`${ids[good]} ${lane.locations[at]}`, available])),
  )
  return {
    lane,
    date,
    store,
    locations,
    code: store.code && (await newCode(lane.shop, store.code)),
    orders: new Map(),
    carts: [null, null],
  }
}

async function newCode(
  shop: Shop,
  { discounts, max_uses, max_uses_per_user, min_order_amount, products, services, range }: model.Code,
): Promise<{ id: string; code: string }> {
  const far = Math.floor(Date.now() / 1000) + 50 * day
  const conditions = [
    ...(max_uses ? [{ type: 'max_uses', count: max_uses }] : []),
    ...(max_uses_per_user ? [{ type: 'max_uses_per_user', count: max_uses_per_user }] : []),
    ...(min_order_amount ? [{ type: 'min_order_amount', amount: min_order_amount }] : []),
    ...(products ? [{ type: 'products', product_ids: [...new Set(products)] }] : []),
    ...(services ? [{ type: 'services', service_ids: [...new Set(services)] }] : []),
    ...(range ? [{ type: 'date_range', ...(range === 'over' ? { end: far - 60 * day } : { start: far }) }] : []),
  ]
  const body = {
    code: `CODE-${unique()}`,
    discounts: discounts.map((one) => ({ ...one, market_key: 'us' })),
    conditions,
  }
  return { id: (await made(shop.asOperator('POST', '/promo-codes', body, eitherApi()))).id, code: body.code }
}

// A command is carried out over HTTP and in the model; the two must agree at once.

const met: Record<string, number> = {}
function meet(name: string): void {
  met[name] = (met[name] ?? 0) + 1
}

const refusalMembers = ['variant_id', 'available', 'service_id', 'provider_id', 'slot', 'remaining'] as const

/** The answer is what the model predicts: a success, or the same refusal with the same members. */
function agree(what: string, answer: Answer, said: object | null): void {
  const refused = said && model.isRefusal(said) ? said : null
  meet(`${what}: ${refused?.code ?? 'done'}`)
  const { status, body } = answer
  if (!refused) expect([what, status < 300 ? 'done' : body]).toEqual([what, 'done'])
  else
    expect([
      what,
      {
        status,
        code: body.code,
        ...Object.fromEntries(refusalMembers.filter((key) => key in body).map((key) => [key, body[key]])),
      },
    ]).toEqual([what, refused])
}

/** The part of an order that the model predicts. */
const shownOf = (order: model.Order, code: string | null) => ({
  status: order.status,
  fulfillment_status: model.fulfillmentOf(order),
  version: order.version,
  money: order.money,
  promo_code: order.code ? code : null,
})

/**
 * The n-th slot that is offered on the script's own date; low numbers are drawn often, so that scripts compete for
 * them.
 */
const chosen = ({ store, date }: Scene, wanted: readonly { at: number; slots: number[] }[]): model.Cart['times'] =>
  wanted.map(({ at, slots }) => {
    const night = hours[at]?.last ?? 0
    const own = (store.links[at]?.times ?? []).filter(
      ({ from, to }) => from >= date + (hours[at]?.first ?? 0) * 60 && to <= date + night * 60,
    )
    return { at, slots: slots.map((n) => own[n % own.length] as model.Slot) }
  })

const itemsOf = ({ store }: Scene, wanted: model.Cart['goods']) =>
  wanted.map(({ at, quantity }) => ({
    product_id: store.goods[at]?.product,
    variant_id: store.goods[at]?.id,
    quantity,
  }))
const bookingsOf = ({ store }: Scene, wanted: model.Cart['times']) =>
  wanted.map(({ at, slots }) => ({
    service_id: store.links[at]?.service,
    provider_id: store.links[at]?.provider,
    slots,
  }))

async function fill(
  scene: Scene,
  who: number,
  wanted: { goods: model.Cart['goods']; times: { at: number; slots: number[] }[]; code: boolean },
): Promise<void> {
  const visitor = scene.lane.visitors[who] as Visitor
  const id = scene.carts[who]?.id ?? (await visitor.call('POST', '/carts/current', undefined, eitherApi())).body.id
  const cart = { goods: wanted.goods, times: chosen(scene, wanted.times), code: wanted.code && scene.code !== null }
  const body = {
    product_items: itemsOf(scene, cart.goods),
    booking_items: bookingsOf(scene, cart.times),
    promo_code: cart.code ? scene.code?.code : null,
  }
  agree('fill', await visitor.call('PUT', `/carts/${id}`, body, eitherApi()), null)
  scene.carts[who] = { id, cart }
}

async function checkOut(
  scene: Scene,
  who: number,
  payment: 'cash' | 'card',
  base = eitherApi(),
): Promise<model.Order | null> {
  const full = scene.carts[who]
  if (!full) return null
  const said = model.checkOut(scene.store, who, full.cart, payment)
  const visitor = scene.lane.visitors[who] as Visitor
  const answer = await repeated(() =>
    visitor.call('POST', `/carts/${full.id}/checkout`, payment === 'cash' ? cash : card, base),
  )
  if (base === impatient.url && answer.body.code === 'provider_unavailable' && !model.isRefusal(said)) {
    // On a busy machine the hold can end before the provider's page is open: nothing is sent after it.
    model.giveUp(said, 'failed')
    scene.orders.set(said, { id: answer.body.order_id, cart: full.id, session: '', next: answer.body.cart_id })
    meet('let a card checkout pass: before its page was open')
    scene.carts[who] = { id: answer.body.cart_id, cart: full.cart }
    return null
  }
  agree(`check out by ${payment}`, answer, said)
  if (model.isRefusal(said)) return null
  const { order_id, payment: told, payment_action } = answer.body
  expect([told.type, told.status, told.amount, payment_action.type === 'none']).toEqual([
    said.payment.type,
    said.payment.status,
    said.money.total,
    !said.open,
  ])
  scene.orders.set(said, { id: order_id, cart: full.id, session: sessionOf(answer), next: null })
  scene.carts[who] = null
  return said
}

/** Repeats a request that a slow provider answered with 503, as the answer asks. */
async function repeated(ask: () => Promise<Answer>): Promise<Answer> {
  const answer = await ask()
  return answer.body.code === 'provider_retryable' ? repeated(ask) : answer
}

type On<Name> = Extract<Command, { do: Name }>

const onOrders: {
  [Name in Extract<Command, { nth: number }>['do']]: (
    scene: Scene,
    order: model.Order,
    command: On<Name>,
  ) => Promise<void>
} = {
  async 'check out again'({ lane, orders }, order) {
    const { id, cart, next } = known(orders, order)
    const again = await (lane.visitors[order.contact] as Visitor).call(
      'POST',
      `/carts/${cart}/checkout`,
      order.payment.type === 'card' ? card : cash,
      eitherApi(),
    )
    agree('check out again', again, order.status === 'cancelled' ? { status: 409, code: 'checkout_cancelled' } : null)
    expect(again.body).toMatchObject({ order_id: id, ...(order.status === 'cancelled' ? { cart_id: next } : {}) })
  },
  async confirm(scene, order) {
    await put(scene, order, 'confirm', { confirm: true }, () => model.confirm(order))
  },
  async cancel(scene, order) {
    const { open } = order
    await put(scene, order, open ? 'cancel a card order that is open' : 'cancel', { cancel: true }, () =>
      model.cancel(order),
    )
  },
  async replace(scene, order, { goods, times, confirm }) {
    if (!goods && !times) return
    const given = { ...(goods ? { goods } : {}), ...(times ? { times: chosen(scene, times) } : {}), confirm }
    const items = {
      ...(given.goods ? { product_items: itemsOf(scene, given.goods) } : {}),
      ...(given.times ? { booking_items: bookingsOf(scene, given.times) } : {}),
    }
    const code = order.code
    await put(scene, order, 'replace', { ...items, ...(confirm ? { confirm } : {}) }, () =>
      model.replace(scene.store, order, given),
    )
    if (code && !order.code) meet('replace: the code fell away')
  },
  async 'mark paid'(scene, order, { refunds }) {
    const answer = await scene.lane.shop.asOperator(
      'POST',
      `/orders/${known(scene.orders, order).id}/payment/mark-paid`,
      {},
      eitherApi(),
    )
    agree('mark paid', answer, model.markPaid(order))
    if (refunds) await refund(scene, order, refunds, false)
  },
  refund: (scene, order, { percent, again }) => refund(scene, order, percent, again),
  async ship({ lane, orders }, order, { line, quantity }) {
    const { id } = known(orders, order)
    const goods = order.lines.filter(({ of }) => of.kind === 'shipped' || of.kind === 'handed')
    const left = goods[line % Math.max(1, goods.length)]
    if (!left) return
    const rows: { id: string; variant_id: string; status: string }[] = (
      await lane.shop.asOperator('GET', `/orders/${id}/products`, undefined, eitherApi())
    ).body
    // Cancelled lines of one variant are alike, and at most one is not cancelled.
    const found = rows.find((row) => row.variant_id === left.of.id && row.status === left.status)
    const answer = await lane.shop.asOperator(
      'POST',
      `/orders/${id}/shipments`,
      { items: [{ line_id: found?.id, quantity }] },
      eitherApi(),
    )
    agree('ship', answer, model.ship(order, left, quantity))
  },
  async 'pay by card'(scene, order, { declined }) {
    if (order.open) await payByCard(scene, order, declined ? 'declined' : 'succeeded')
  },
  async 'use an old version'(scene, order) {
    const { id } = known(scene.orders, order)
    const answer = await scene.lane.shop.asOperator(
      'PUT',
      `/orders/${id}`,
      { version: order.version - 1, cancel: true },
      eitherApi(),
    )
    agree('use an old version', answer, { status: 409, code: 'stale_version' })
  },
}

async function refund({ lane, orders }: Scene, order: model.Order, percent: number, again: boolean): Promise<void> {
  const { id } = known(orders, order)
  const amount = Math.max(1, Math.ceil((order.payment.amount * percent) / 100))
  const body = { refund_id: randomUUID(), amount }
  const ask = () => lane.shop.asOperator('POST', `/orders/${id}/refunds`, body, eitherApi())
  const answer = await ask()
  const said = model.refund(order, amount)
  agree(`refund of ${order.payment.type}`, answer, said)
  if (again) agree('refund again', await ask(), said)
  if (order.payment.type === 'card')
    await until(async () => (await paymentOf(lane.shop, id)).refund_pending_amount === 0, 20_000)
}

async function payByCard(
  { lane, orders }: Scene,
  order: model.Order,
  outcome: 'succeeded' | 'declined',
): Promise<void> {
  const { id, session } = known(orders, order)
  await pay(session, outcome)
  meet(`pay by card: ${outcome}`)
  const told = (payment: { status: string; error: { code: string } | null }) =>
    outcome === 'declined' ? payment.error?.code === 'card_declined' : payment.status === 'paid'
  await until(async () => told(await paymentOf(lane.shop, id)), 20_000)
  if (outcome === 'succeeded') model.paidByCard(order)
}

/** The orders to which a command applies, if there are any; else any order, which refuses the command. */
const fits: { [Name in Command['do']]?: (order: model.Order) => boolean } = {
  replace: ({ status, payment }) => status !== 'cancelled' && payment.captured === 0,
  'mark paid': ({ payment }) => payment.type === 'cash' && payment.status === 'pending',
  refund: ({ payment }) => payment.captured > payment.refunded,
  ship: ({ status, lines }) =>
    status !== 'cancelled' &&
    status !== 'pending' &&
    lines.some((line) => line.status !== 'cancelled' && line.of.kind === 'shipped'),
  'pay by card': ({ open }) => open,
}

function known(orders: Scene['orders'], order: model.Order) {
  const found = orders.get(order)
  if (!found) throw new Error('the order was not made')
  return found
}

async function put(
  scene: Scene,
  order: model.Order,
  what: string,
  change: Record<string, unknown>,
  says: () => model.Refusal | null,
): Promise<void> {
  const { id } = known(scene.orders, order)
  const answer = await repeated(() =>
    scene.lane.shop.asOperator('PUT', `/orders/${id}`, { version: order.version, ...change }, eitherApi()),
  )
  const before = order.status
  const said = says()
  agree(what, answer, said)
  if (said) return
  expect([what, answer.body]).toMatchObject([what, shownOf(order, scene.code?.code ?? null)])
  if (before !== order.status) meet(`${what}: ${before} is ${order.status}`)
}

async function perform(scene: Scene, command: Command): Promise<void> {
  if ('nth' in command) {
    const fitting = scene.store.orders.filter(fits[command.do] ?? (() => true))
    const orders = fitting.length > 0 ? fitting : scene.store.orders
    const order = orders[command.nth % Math.max(1, orders.length)]
    // A command's type follows from its name, which TypeScript cannot infer here.
    if (order)
      await (onOrders[command.do] as (scene: Scene, order: model.Order, command: Command) => Promise<void>)(
        scene,
        order,
        command,
      )
    return
  }
  switch (command.do) {
    case 'buy': {
      await fill(scene, command.visitor, command.cart)
      const order = await checkOut(scene, command.visitor, command.how)
      if (!order?.open || command.pays === 'not yet') return
      if (command.pays === 'with another card') await payByCard(scene, order, 'declined')
      await payByCard(scene, order, 'succeeded')
      return
    }
    case 'fill':
      return fill(scene, command.visitor, command.cart)
    case 'quote': {
      const full = scene.carts[command.visitor]
      if (!full) return
      const said = model.quoteOf(scene.store, command.visitor, full.cart)
      const answer = await (scene.lane.visitors[command.visitor] as Visitor).call(
        'POST',
        `/carts/${full.id}/quote`,
        {},
        eitherApi(),
      )
      agree('quote', answer, said)
      if (!model.isRefusal(said)) expect(answer.body.money).toEqual(said)
      return
    }
    case 'check out':
      await checkOut(scene, command.visitor, command.how)
      return
    case 'archive the code':
      if (!scene.code || !scene.store.code) return
      agree(
        'archive the code',
        await scene.lane.shop.asOperator('PUT', `/promo-codes/${scene.code.id}`, { status: 'archived' }, eitherApi()),
        null,
      )
      scene.store.code.archived = true
      return
    case 'let a card checkout pass': {
      await fill(scene, command.visitor, command.cart)
      const full = scene.carts[command.visitor]
      const order = await checkOut(scene, command.visitor, 'card', impatient.url)
      if (!order?.open || !full) return
      const own = known(scene.orders, order)
      await until(
        async () => (await scene.lane.shop.asOperator('GET', `/orders/${own.id}`)).body.status === 'cancelled',
        20_000,
      )
      model.giveUp(order)
      meet('let a card checkout pass: done')
      const next = (await (scene.lane.visitors[command.visitor] as Visitor).call('POST', '/carts/current')).body
      const { goods, times, code } = full.cart
      expect(next).toMatchObject({
        product_items: itemsOf(scene, goods),
        booking_items: bookingsOf(scene, times),
        promo_code: code ? scene.code?.code : null,
      })
      own.next = next.id
      scene.carts[command.visitor] = { id: next.id, cart: full.cart }
    }
  }
}

// Afterwards, every row is what the model predicts.

const rowsOf = ({ lane, code, orders, date, locations }: Scene) =>
  database().query(
    `select
       (select coalesce(jsonb_object_agg(variant_id || ' ' || location_id, available), '{}') from inventory_levels where variant_id = any($1)) as levels,
       (select coalesce(jsonb_object_agg(place, held), '{}') from (select l.variant_id || ' ' || (a->>'location_id') as place, sum((a->>'quantity')::int) as held
          from order_lines l, jsonb_array_elements(l.allocations) a where l.order_id = any($2) and l.status <> 'cancelled' group by 1) h) as held,
       (select uses from promo_codes where id = $3) as uses,
       (select count(*)::int from promo_redemptions where promo_code_id = $3) as redemptions,
       (select coalesce(jsonb_agg(provider_id || ' ' || (t->>0) || ' ' || (t->>1)), '[]') from schedule_days, jsonb_array_elements(taken) t
          where tenant_id = $4 and local_date between $5 and $6) as taken,
       (select coalesce(jsonb_object_agg(o.id, jsonb_build_object('order', to_jsonb(o), 'payment', to_jsonb(p),
            'lines', (select coalesce(jsonb_agg(to_jsonb(l)), '[]') from order_lines l where l.order_id = o.id),
            'bookings', (select coalesce(jsonb_agg(to_jsonb(b)), '[]') from order_bookings b where b.order_id = o.id))), '{}')
          from orders o join payments p on p.order_id = o.id where o.id = any($2)) as orders`,
    [
      [...new Set(Object.keys(locations).map((place) => place.split(' ')[0]))],
      [...orders.values()].map(({ id }) => id),
      code?.id ?? null,
      lane.shop.store_id,
      dateOf(date),
      dateOf(date + day),
    ],
  )

const dateOf = (at: number) => new Date(at * 1000).toISOString().slice(0, 10)

type Row = Record<string, unknown>
type Rows = { order: Row; payment: Row; lines: Row[]; bookings: Row[] }
const texts = (values: unknown[]) => values.map((value) => JSON.stringify(value)).sort()

const expectedOf = (order: model.Order, code: string | null) => ({
  ...shownOf(order, code),
  payment: { ...order.payment, pending: 0, unknown: 0 },
  lines: texts(
    order.lines.map(({ of, quantity, slots, status, shipped, subtotal, discount, tax, total }) =>
      of.kind === 'time'
        ? [of.id, slots.map(({ from, to }) => [from, to]), status, subtotal, discount, tax, total]
        : [of.id, quantity, status, shipped, subtotal, discount, tax, total],
    ),
  ),
})

const foundOf = ({ order, payment, lines, bookings }: Rows) => ({
  ...Object.fromEntries(
    ['status', 'fulfillment_status', 'version', 'money', 'promo_code'].map((name) => [name, order[name]]),
  ),
  payment: {
    type: payment.type,
    method: payment.method_key,
    status: payment.status,
    amount: payment.amount,
    captured: payment.captured_amount,
    refunded: payment.refunded_amount,
    pending: payment.refund_pending_amount,
    unknown: payment.refund_unknown_amount,
  },
  lines: texts([
    ...lines.map((line) => [
      line.variant_id,
      line.quantity,
      line.status,
      line.shipped_quantity,
      line.subtotal,
      line.discount,
      line.tax,
      line.total,
    ]),
    ...bookings.map(({ service_id, provider_id, slots, status, subtotal, discount, tax, total }) => {
      return [
        derivedId(String(provider_id), String(service_id)),
        (slots as model.Slot[]).map(({ from, to }) => [from, to]),
        status,
        subtotal,
        discount,
        tax,
        total,
      ]
    }),
  ]),
})

async function compare(scene: Scene): Promise<void> {
  const { lane, store, orders, locations, date } = scene
  // A script without a booking has nothing to compare here.
  const providers = new Set(
    store.orders.flatMap(({ lines }) => lines.flatMap(({ of }) => (of.kind === 'time' ? [of.provider] : []))),
  )
  const links = store.links.filter(({ provider }) => providers.has(provider))
  const asked = links.map(({ service, provider }) =>
    lane.shop.asOperator(
      'GET',
      `/services/availability?service_id=${service}&provider_id=${provider}&from=${dateOf(date)}&to=${dateOf(date + day)}`,
      undefined,
      eitherApi(),
    ),
  )
  const [{ rows }, ...free] = await Promise.all([rowsOf(scene), ...asked])
  const { levels, held, uses, redemptions, taken, orders: found } = rows[0]

  for (const [order, { id }] of orders) expect(foundOf(found[id])).toEqual(expectedOf(order, scene.code?.code ?? null))
  for (const [place, initial] of Object.entries(locations))
    expect([place, levels[place]]).toEqual([place, initial - (held[place] ?? 0)])
  for (const good of store.goods.slice(0, 2)) {
    const available = Object.entries<number>(levels).filter(([place]) => place.startsWith(good.id))
    expect([good.id, available.reduce((sum, [, one]) => sum + one, 0)]).toEqual([good.id, model.leftOf(store, good)])
  }
  if (scene.code) expect([uses, redemptions]).toEqual([model.usesOf(store), model.usesOf(store)])

  const booked = store.orders.flatMap(({ lines }) =>
    lines.flatMap(({ of, slots, status }) =>
      of.kind !== 'time' || status === 'cancelled'
        ? []
        : slots.flatMap(({ from, to }) =>
            Array(dateOf(from) === dateOf(to - 1) ? 1 : 2).fill(`${of.provider} ${from} ${to}`),
          ),
    ),
  )
  expect(taken.sort()).toEqual(booked.sort())
  for (const [at, link] of links.entries())
    expect([link.id, free[at]?.body.providers[0].days.flatMap(({ slots }: { slots: unknown[] }) => slots)]).toEqual([
      link.id,
      model.freeOf(store, link),
    ])
}

const timesOf = (ending: string) =>
  Object.entries(met).reduce((sum, [name, times]) => (name.endsWith(ending) ? sum + times : sum), 0)

let open: Lane[]
let impatient: Awaited<ReturnType<typeof apiWith>>
beforeAll(async () => {
  ;[impatient, ...open] = await Promise.all([
    apiWith({ CHECKOUT_HOLD_MINUTES: '0.05' }),
    ...Array.from({ length: lanes }, newLane),
  ])
}, 60_000)
afterAll(() => impatient?.stop())

test(`${runs} random sequences leave stock, schedule, codes, orders and money as the model predicts`, async () => {
  const since = performance.now()
  const lived = open.map((lane, nth) =>
    fc.assert(
      fc.asyncProperty(script, async ({ world, first, rest, late }) => {
        const scene = await newScene(lane, world)
        for (const command of [first, ...rest, ...(late ? [late] : [])]) await perform(scene, command)
        await compare(scene)
      }),
      { seed: seed + nth, numRuns: Math.ceil(runs / lanes) },
    ),
  )
  const ended = await Promise.allSettled(lived)
  if (process.env.MODEL_TOLD) tellCases(met, seed, since)
  for (const one of ended) if (one.status === 'rejected') throw one.reason
  const rare = [
    'out_of_stock',
    'slot_taken',
    'promo_code_exhausted',
    'is partially_cancelled',
    'payment_must_be_refunded',
  ]
  mustHaveMet(rare, timesOf, runs, 2_000)
  for (const { shop } of open) {
    const { taken, booked } = await scheduleOf(shop.store_id)
    expect(taken).toEqual(booked)
  }
}, 900_000)
