// The simplest model of a store: a list of orders. Stock left, free slots and code uses are counted from that list each
// time.
// Written from the contract, not from the rules: plain arrays, naive overlaps, numbers. One market, a tax of 10 % added
// to everything, hours in UTC.

export type Slot = { from: number; to: number }
export type Good = {
  id: string
  product: string
  price: number
  kind: 'shipped' | 'handed' | 'digital'
  stock: number | null
}
/** Booked time of a service with a provider; `times` is all that it offers, in order of time. */
export type Link = {
  id: string
  service: string
  provider: string
  price: number
  kind: 'time'
  limit: number
  times: Slot[]
}

export type Discount = { type: 'items_percentage'; bps: number } | { type: 'items_fixed'; amount: number }
export type Code = {
  discounts: Discount[]
  max_uses: number | null
  max_uses_per_user: number | null
  min_order_amount: number | null
  products: string[] | null
  services: string[] | null
  range: 'over' | 'to come' | null
  archived: boolean
}

export type Wanted = { of: Good | Link; quantity: number; slots: Slot[] }
export type Amounts = { subtotal: number; discount: number; tax: number; total: number }
export type Line = Wanted & Amounts & { status: 'pending' | 'confirmed' | 'cancelled'; shipped: number }
export type Money = {
  currency: string
  subtotal: number
  discount: number
  shipping: number
  tax: { amount: number; included: boolean }
  total: number
}

export type Order = {
  contact: number
  status: 'pending' | 'confirmed' | 'partially_cancelled' | 'cancelled'
  lines: Line[]
  code: boolean
  money: Money
  payment: {
    type: 'cash' | 'card' | 'none'
    method: string | null
    status: 'pending' | 'paid' | 'cancelled' | 'failed'
    amount: number
    captured: number
    refunded: number
  }
  /** The provider's page is open and can be paid. */
  open: boolean
  version: number
}
export type Store = { goods: Good[]; links: Link[]; code: Code | null; orders: Order[] }
export type Cart = { goods: { at: number; quantity: number }[]; times: { at: number; slots: Slot[] }[]; code: boolean }
export type Refusal = { status: number; code: string; [more: string]: unknown }

const sum = (numbers: number[]) => numbers.reduce((a, b) => a + b, 0)
const live = (order: Order) => order.lines.filter(({ status }) => status !== 'cancelled')
const same = (a: Slot, b: Slot) => a.from === b.from && a.to === b.to

/**
 * What a link offers on a date: starts each `every` minutes from minute `first` on, ends by minute `last`, which may be
 * on the next day.
 */
export function timesOf(date: number, o: { first: number; last: number; every: number; lasting: number[] }): Slot[] {
  const times: Slot[] = []
  for (let start = o.first; start < o.last; start += o.every)
    for (const lasting of o.lasting)
      if (start + lasting <= o.last) times.push({ from: date + start * 60, to: date + (start + lasting) * 60 })
  return times
}

const heldBy = (orders: Order[]) => orders.filter(({ status }) => status !== 'cancelled').flatMap(live)
const quantityIn = (lines: Wanted[], of: Good | Link) =>
  sum(lines.filter((line) => line.of === of).map(({ quantity }) => quantity))
/**
 * How many more bookings of the link fit into the slot: at each quarter of an hour, the smallest limit of those who are
 * there minus their number.
 */
function roomIn(slot: Slot, link: Link, lines: Wanted[]): number {
  const booked = lines.flatMap(({ of, slots }) =>
    of.kind === 'time' && of.provider === link.provider ? slots.map((one) => ({ ...one, limit: of.limit })) : [],
  )
  let room = link.limit
  for (let at = slot.from; at < slot.to; at += 900) {
    const there = booked.filter(({ from, to }) => from <= at && at < to)
    room = Math.min(room, Math.min(link.limit, ...there.map(({ limit }) => limit)) - there.length)
  }
  return room
}

export const leftOf = (store: Store, good: Good): number | null =>
  good.stock === null ? null : good.stock - quantityIn(heldBy(store.orders), good)
export const usesOf = (store: Store): number =>
  store.orders.filter(({ status, code }) => code && status !== 'cancelled').length
export const freeOf = (store: Store, link: Link): (Slot & { spots: number })[] =>
  link.times
    .map((slot) => ({ ...slot, spots: roomIn(slot, link, heldBy(store.orders)) }))
    .filter(({ spots }) => spots > 0)

/** Goods before bookings; equal items of a cart are one line. */
export function wantedOf(store: Store, cart: Pick<Cart, 'goods' | 'times'>): Wanted[] {
  const wanted: Wanted[] = []
  const add = (of: Good | Link | undefined, quantity: number, slots: Slot[]) => {
    if (!of) return
    const known = wanted.find((line) => line.of === of)
    if (!known) wanted.push({ of, quantity, slots })
    else Object.assign(known, { quantity: known.quantity + quantity, slots: [...known.slots, ...slots] })
  }
  for (const { at, quantity } of cart.goods) add(store.goods[at], quantity, [])
  for (const { at, slots } of cart.times) add(store.links[at], slots.length, slots)
  return wanted.map((line) => ({ ...line, slots: line.slots.toSorted((a, b) => a.from - b.from || a.to - b.to) }))
}

const eligible = ({ products, services }: Code, wanted: Wanted[]): Wanted[] =>
  products || services
    ? wanted.filter(({ of }) => (of.kind === 'time' ? services?.includes(of.service) : products?.includes(of.product)))
    : wanted

const applies = (code: Code, wanted: Wanted[]): boolean =>
  sum(wanted.map(({ of, quantity }) => of.price * quantity)) >= (code.min_order_amount ?? 0) &&
  eligible(code, wanted).length > 0

function refusedCode(store: Store, contact: number, wanted: Wanted[]): Refusal | null {
  const refuse = (code: string) => ({ status: 422, code: `promo_code_${code}` })
  const { code } = store
  if (!code || code.archived) return refuse('invalid')
  if (code.range === 'over') return refuse('expired')
  const used = store.orders.filter((order) => order.code && order.status !== 'cancelled')
  if (code.max_uses !== null && used.length >= code.max_uses) return refuse('exhausted')
  if (
    code.max_uses_per_user !== null &&
    used.filter((order) => order.contact === contact).length >= code.max_uses_per_user
  )
    return refuse('exhausted')
  return code.range === 'to come' || !applies(code, wanted) ? refuse('not_applicable') : null
}

/** Cents that cannot be divided evenly go to the greatest remainders, and of equal remainders to the smaller id. */
function share(amount: number, among: { id: string; left: number }[]): void {
  const whole = sum(among.map(({ left }) => left))
  if (whole === 0) return
  const parts = among.map((line) => ({
    line,
    part: Math.floor((amount * line.left) / whole),
    rest: (amount * line.left) % whole,
  }))
  parts.sort((a, b) => b.rest - a.rest || (a.line.id < b.line.id ? -1 : 1))
  const spare = amount - sum(parts.map(({ part }) => part))
  parts.forEach(({ line, part }, at) => {
    line.left -= part + (at < spare ? 1 : 0)
  })
}

export function priceOf(wanted: Wanted[], code: Code | null): { lines: (Wanted & Amounts)[]; money: Money } {
  const open = wanted.map((line) => ({ line, id: line.of.id, left: line.of.price * line.quantity }))
  for (const discount of code?.discounts ?? []) {
    const among = open.filter(({ line }) => code && eligible(code, wanted).includes(line))
    const whole = sum(among.map(({ left }) => left))
    share(
      discount.type === 'items_fixed' ? Math.min(whole, discount.amount) : Math.round((whole * discount.bps) / 10_000),
      among,
    )
  }
  const lines = open.map(({ line, left }) => {
    const [subtotal, tax] = [line.of.price * line.quantity, Math.round(left / 10)]
    return { ...line, subtotal, discount: subtotal - left, tax, total: left + tax }
  })
  const all = (name: keyof Amounts) => sum(lines.map((line) => line[name]))
  const money = {
    currency: 'USD',
    subtotal: all('subtotal'),
    discount: all('discount'),
    shipping: 0,
    tax: { amount: all('tax'), included: false },
    total: all('total'),
  }
  return { lines, money }
}

/** The first refusal for what the other orders do not leave. `own` is what the order has reserved already. */
function unavailable(others: Order[], wanted: Wanted[], own: Line[]): Refusal | null {
  const held = heldBy(others)
  for (const { of, quantity } of wanted.toSorted((a, b) => (a.of.id < b.of.id ? -1 : 1))) {
    if (of.kind === 'time' || of.stock === null) continue
    const available = of.stock - quantityIn(held, of)
    if (quantity > available) return { status: 409, code: 'out_of_stock', variant_id: of.id, available }
  }
  for (const { of, slots } of wanted) {
    if (of.kind !== 'time') continue
    const kept = own.find((line) => line.of === of)?.slots.slice() ?? []
    for (const slot of slots) {
      const at = kept.findIndex((one) => same(one, slot))
      if (at >= 0) kept.splice(at, 1)
      else if (roomIn(slot, of, [...held, ...wanted]) < 0)
        return { status: 409, code: 'slot_taken', service_id: of.service, provider_id: of.provider, slot }
    }
  }
  return null
}

export const isRefusal = (found: object): found is Refusal => 'code' in found && typeof found.code === 'string'

/** A quote checks the code's uses, but neither stock nor slots. */
export function quoteOf(store: Store, contact: number, cart: Cart): Refusal | Money {
  const wanted = wantedOf(store, cart)
  return (cart.code && refusedCode(store, contact, wanted)) || priceOf(wanted, cart.code ? store.code : null).money
}

export function checkOut(store: Store, contact: number, cart: Cart, how: 'cash' | 'card'): Refusal | Order {
  const wanted = wantedOf(store, cart)
  const refused = cart.code && refusedCode(store, contact, wanted)
  if (refused) return refused
  if (wanted.length === 0) return { status: 422, code: 'cart_empty' }
  const { lines, money } = priceOf(wanted, cart.code ? store.code : null)
  const free = money.total === 0
  if (how === 'card' && !free && money.total < 50) return { status: 422, code: 'card_total_too_small' }
  const missing = unavailable(store.orders, wanted, [])
  if (missing) return missing
  const status = free ? 'confirmed' : 'pending'
  const method = free ? null : how === 'cash' ? 'cash' : 'credit_card'
  const payment: Order['payment'] = {
    type: free ? 'none' : how,
    method,
    status: free ? 'paid' : 'pending',
    amount: money.total,
    captured: 0,
    refunded: 0,
  }
  const order: Order = {
    contact,
    status,
    lines: lines.map((line) => ({ ...line, status, shipped: 0 })),
    code: cart.code,
    money,
    payment,
    open: !free && how === 'card',
    version: 1,
  }
  store.orders.push(order)
  return order
}

const no = (code: string): Refusal => ({ status: 409, code })
const isShipped = (order: Order) => order.lines.some(({ shipped }) => shipped > 0)

/** Cancels an order, also a card checkout that was not paid in time. */
export function giveUp(order: Order, payment: 'cancelled' | 'failed' = 'cancelled'): void {
  for (const line of order.lines) line.status = 'cancelled'
  if (order.payment.status === 'pending') order.payment.status = payment
  Object.assign(order, { status: 'cancelled', open: false, version: order.version + 1 })
}

export function cancel(order: Order): Refusal | null {
  if (order.status === 'cancelled') return null
  if (isShipped(order)) return no('order_shipped')
  if (order.payment.captured > order.payment.refunded) return no('payment_must_be_refunded')
  giveUp(order)
  return null
}

function settleLines(order: Order): void {
  for (const line of order.lines) if (line.status === 'pending') line.status = 'confirmed'
  order.status = 'confirmed'
}

const mayNotConfirm = (order: Order): Refusal | null => {
  if (order.status === 'cancelled') return no('order_cancelled')
  return order.status === 'pending' && order.payment.type === 'card' && order.payment.status !== 'paid'
    ? no('payment_not_captured')
    : null
}

export function confirm(order: Order): Refusal | null {
  const refused = mayNotConfirm(order)
  if (refused || order.status !== 'pending') return refused
  settleLines(order)
  order.version++
  return null
}

/** Lists that are undefined stay as they are. */
export function replace(
  store: Store,
  order: Order,
  given: { goods?: Cart['goods']; times?: Cart['times']; confirm: boolean },
): Refusal | null {
  const refused = given.confirm && mayNotConfirm(order)
  if (refused) return refused
  if (order.status === 'cancelled') return no('order_cancelled')
  if (order.payment.captured > 0) return no('payment_captured')
  if (order.open) return no('payment_in_progress')
  if (isShipped(order)) return no('order_shipped')
  const stays = (time: boolean) => live(order).filter(({ of }) => (of.kind === 'time') === time)
  const goods = given.goods ? wantedOf(store, { goods: given.goods, times: [] }) : stays(false)
  const times = given.times ? wantedOf(store, { goods: [], times: given.times }) : stays(true)
  const wanted = [...goods, ...times].map(({ of, quantity, slots }) => ({ of, quantity, slots }))
  if (wanted.length === 0) return given.confirm ? { status: 422, code: 'confirm_and_cancel' } : cancel(order)

  const code = order.code && store.code && applies(store.code, wanted) ? store.code : null
  const { lines, money } = priceOf(wanted, code)
  const free = money.total === 0
  if (!free && order.payment.method === null) return { status: 422, code: 'payment_method_required' }
  const before = live(order)
  const missing = unavailable(
    store.orders.filter((other) => other !== order),
    wanted,
    before,
  )
  if (missing) return missing
  const dropped = before.filter(({ of }) => !lines.some((line) => line.of === of))
  for (const line of dropped) line.status = 'cancelled'
  for (const line of lines) {
    const known = before.find(({ of }) => of === line.of)
    if (known) Object.assign(known, line)
    else order.lines.push({ ...line, status: order.status === 'pending' ? 'pending' : 'confirmed', shipped: 0 })
  }
  if (order.status === 'confirmed' && dropped.length > 0) order.status = 'partially_cancelled'
  Object.assign(order, { code: code !== null, money, version: order.version + 1 })
  Object.assign(order.payment, { type: free ? 'none' : 'cash', status: free ? 'paid' : 'pending', amount: money.total })
  if (given.confirm && order.status === 'pending') settleLines(order)
  return null
}

export function markPaid(order: Order): Refusal | null {
  if (order.payment.type !== 'cash') return no('not_cash')
  if (order.payment.status === 'paid') return null
  if (order.status === 'cancelled') return no('order_cancelled')
  Object.assign(order.payment, { status: 'paid', captured: order.payment.amount })
  return null
}

/** Applies the signed event of a payment: a paid card order is confirmed. */
export function paidByCard(order: Order): void {
  Object.assign(order.payment, { status: 'paid', captured: order.payment.amount })
  settleLines(order)
  Object.assign(order, { open: false, version: order.version + 1 })
}

export function refund(order: Order, amount: number): Refusal | null {
  if (amount > order.payment.captured - order.payment.refunded)
    return { status: 422, code: 'amount_exceeds_refundable' }
  order.payment.refunded += amount
  return null
}

export function ship(order: Order, line: Line, quantity: number): Refusal | null {
  if (order.status === 'pending') return no('order_not_confirmed')
  if (order.status === 'cancelled') return no('order_cancelled')
  if (line.status === 'cancelled') return { status: 422, code: 'line_cancelled' }
  if (line.of.kind !== 'shipped') return { status: 422, code: 'not_shippable' }
  if (line.shipped + quantity > line.quantity)
    return { ...no('already_shipped'), remaining: line.quantity - line.shipped }
  line.shipped += quantity
  order.version++
  return null
}

export function fulfillmentOf(order: Order): string {
  const isWork = ({ of }: Line) => of.kind === 'shipped' || of.kind === 'time'
  if (order.status === 'cancelled') return order.lines.some(isWork) ? 'cancelled' : 'none'
  const work = live(order).filter(isWork)
  if (work.length === 0) return 'none'
  // No booking begins during these tests.
  if (work.every(({ shipped, quantity }) => shipped === quantity)) return 'fulfilled'
  return work.some(({ shipped }) => shipped > 0) ? 'partially_fulfilled' : 'unfulfilled'
}
