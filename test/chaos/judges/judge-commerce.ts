// Invariants of commerce: no double charge, no overselling or double booking, and every acknowledged order exists.
import type { History, OrderRow } from '../history.ts'

const sum = (numbers: readonly number[]) => numbers.reduce((all, one) => all + one, 0)
const live = ({ status }: { status: string }) => status !== 'cancelled'

export const chargedTwice = (h: History): string[] =>
  [...Map.groupBy(h.charges, ({ order_id }) => order_id)].flatMap(([order_id, all]) => {
    const taken = all.filter(({ status }) => status === 'succeeded')
    const order = h.orders.find(({ id }) => id === order_id)
    const received = sum(taken.map((one) => one.received))
    const faults: string[] = []
    if (taken.length > 1) faults.push(`order ${order_id} was charged ${taken.length} times`)
    if (taken.length > 0 && !order) faults.push(`order ${order_id} was charged and does not exist`)
    if (order && received > order.total) faults.push(`order ${order_id} of ${order.total} was charged ${received}`)
    return faults
  })

export const oversold = (h: History): string[] =>
  h.variants.flatMap(({ id, stock, available }) => {
    const sold = sum(
      h.orders.flatMap(({ lines }) =>
        lines.filter((line) => line.variant_id === id && live(line)).map(({ quantity }) => quantity),
      ),
    )
    if (available >= 0 && stock - available === sold) return []
    return [`variant ${id}: stock ${stock}, available ${available}, sold ${sold}`]
  })

/** The maximum number that overlap at one instant. */
function depth(slots: readonly [number, number][]): number {
  const moves = slots.flatMap(([from, to]): [number, number][] => [
    [from, 1],
    [to, -1],
  ])
  // A slot that ends when another begins does not overlap it.
  moves.sort((a, b) => a[0] - b[0] || a[1] - b[1])
  let [now, most] = [0, 0]
  for (const [, step] of moves) {
    now += step
    most = Math.max(most, now)
  }
  return most
}

export const doubleBooked = (h: History): string[] =>
  h.providers.flatMap(({ id, limit, taken }) => {
    const booked = h.orders.flatMap(({ bookings }) =>
      bookings
        .filter((one) => one.provider_id === id && live(one))
        .flatMap(({ slots }) => slots.map(({ from, to }): [number, number] => [from, to])),
    )
    const faults =
      depth(booked) > limit ? [`provider ${id} has ${depth(booked)} overlapping bookings, the limit is ${limit}`] : []
    const text = (all: readonly [number, number][]) => all.map(String).sort().join(' ')
    if (text(booked) !== text(taken))
      faults.push(`provider ${id}: ${booked.length} slots are booked, and ${taken.length} are taken from the schedule`)
    return faults
  })

export const overused = (h: History): string[] =>
  h.codes.flatMap(({ id, uses, max, max_per_contact, redemptions }) => {
    const faults: string[] = []
    if (uses !== redemptions.length)
      faults.push(`code ${id} counts ${uses} uses and has ${redemptions.length} redemptions`)
    if (max !== null && redemptions.length > max)
      faults.push(`code ${id} was used ${redemptions.length} times, the limit is ${max}`)
    for (const [contact, all] of Map.groupBy(redemptions, ({ contact_id }) => contact_id))
      if (max_per_contact !== null && all.length > max_per_contact)
        faults.push(`code ${id} was used ${all.length} times by ${contact}, the limit is ${max_per_contact}`)
    return faults
  })

const textOf = (lines: readonly { variant_id: string; quantity: number }[]) =>
  lines
    .map(({ variant_id, quantity }) => `${variant_id} x ${quantity}`)
    .sort()
    .join(', ')

export const lost = (h: History): string[] =>
  h.acknowledged.flatMap((said) => {
    const order = h.orders.find(({ id }) => id === said.order_id)
    if (!order) return [`order ${said.order_id} was acknowledged and does not exist`]
    const faults: string[] = []
    const wrong = (what: string, told: unknown, is: unknown) => {
      if (told !== is) faults.push(`order ${said.order_id}: the buyer received ${what} ${told}, stored is ${is}`)
    }
    wrong('the number', said.number, order.number)
    wrong('the amount', said.amount, order.payment.amount)
    wrong('the currency', said.currency, order.payment.currency)
    wrong('a payment by', said.type, order.payment.type)
    wrong('lines', textOf(said.lines), textOf(order.lines))
    const slots = (all: readonly { from: number; to: number }[]) =>
      all
        .map(({ from, to }) => `${from}-${to}`)
        .sort()
        .join(', ')
    wrong('slots', slots(said.slots), slots(order.bookings.flatMap((one) => one.slots)))
    return faults
  })

export const overRefunded = (h: History): string[] => [
  ...h.charges.flatMap(({ order_id, received, refunded }) =>
    refunded > received ? [`order ${order_id}: ${refunded} of ${received} were refunded`] : [],
  ),
  ...h.orders.flatMap(({ id, payment: p }) =>
    p.refunded + p.pending + p.unknown > p.captured
      ? [`order ${id}: ${p.refunded + p.pending + p.unknown} of ${p.captured} are recorded as refunded`]
      : [],
  ),
]

const counted: Record<string, 'refunded' | 'pending' | 'unknown'> = {
  succeeded: 'refunded',
  requested: 'pending',
  processing: 'pending',
  unknown: 'unknown',
}

type Amounts = { [Name in 'refunded' | 'pending' | 'unknown']: number } & {
  refunds: { status: string; amount: number }[]
}

/** What a payment counts as refunded is the sum of its refunds. */
export const amountsOf = (what: string, payment: Amounts): string[] =>
  (['refunded', 'pending', 'unknown'] as const).flatMap((column) => {
    const refunds = sum(payment.refunds.filter(({ status }) => counted[status] === column).map(({ amount }) => amount))
    return payment[column] === refunds ? [] : [`${what}: the ${column} amount ${payment[column]} is not ${refunds}`]
  })

function moneyOf({ id, total, subtotal, discount, shipping, tax, lines, bookings, payment }: OrderRow): string[] {
  const faults: string[] = []
  const equal = (what: string, a: number, b: number) => {
    if (a !== b) faults.push(`order ${id}: ${what} ${a} is not ${b}`)
  }
  const items = [...lines, ...bookings]
  equal('the subtotal', subtotal, sum(items.map((one) => one.subtotal)))
  equal('the total', total, subtotal - discount + shipping + tax)
  equal('the amount of the payment', payment.amount, total)
  for (const one of items) equal('the total of an item', one.total, one.subtotal - one.discount + one.tax)
  return [...faults, ...amountsOf(`order ${id}`, payment)]
}

/** Our record of a card payment equals the provider's, and late payments are refunded. */
function providersMoney({ charges }: History, { id, status, payment: p }: OrderRow): string[] {
  if (p.type !== 'card') return []
  const own = charges.filter(({ order_id, status: taken }) => order_id === id && taken === 'succeeded')
  const [received, returned] = [sum(own.map((one) => one.received)), sum(own.map((one) => one.refunded))]
  const faults: string[] = []
  if (received !== p.captured) faults.push(`order ${id}: the provider captured ${received}, ${p.captured} are recorded`)
  if (returned < p.refunded || returned > p.refunded + p.pending + p.unknown)
    faults.push(
      `order ${id}: the provider refunded ${returned}, recorded are ${p.refunded}, ${p.pending} pending and ${p.unknown} unknown`,
    )
  if (status === 'cancelled' && p.captured > 0 && p.refunds.length === 0)
    faults.push(`order ${id} was cancelled, and its ${p.captured} were not refunded`)
  return faults
}

export const wrongMoney = (h: History): string[] =>
  h.orders.flatMap((order) => [...moneyOf(order), ...providersMoney(h, order)])

/** A buyer could still pay for stock that can be sold again. */
export const releasedTooEarly = (h: History): string[] =>
  h.payable.map((id) => `order ${id} is cancelled while its payment page is open`)

export const eventsLost = (h: History): string[] => [
  ...h.events.flatMap(({ id, type, order_id, taken, executions, wanted }) => {
    const faults: string[] = []
    if (!taken) faults.push(`event ${id} (${type} of ${order_id}) never reached its webhook`)
    if (executions !== wanted)
      faults.push(`event ${id} (${type} of ${order_id}) started ${executions} executions instead of ${wanted}`)
    return faults
  }),
  ...h.orders.flatMap(({ id, status, payment }) => {
    const told = h.events.filter(({ order_id }) => order_id === id)
    const made = told.filter(({ type }) => type === 'order.created').length
    const faults = made === 1 ? [] : [`order ${id} has ${made} events order.created`]
    // A payment that arrived after the order was released is refunded, and publishes no event of the order.
    const paid = payment.status === 'paid' && status !== 'cancelled'
    if (!told.some((event) => event.status === status && (event.paid || !paid)))
      faults.push(`order ${id} has no event with its status ${status}${paid ? ', paid' : ''}`)
    return faults
  }),
]

/** A round without a sale, a paid membership or a change of one proves nothing. */
export const untried = (h: History): string[] => [
  ...(
    [
      'acknowledged',
      'effects',
      'arrivals',
      'events',
      'members',
      'subscriptions',
      'member_payments',
      'member_charges',
      'merges',
      'campaigns',
      'chats',
    ] as const
  ).flatMap((name) => (h[name].length === 0 ? [`there are no ${name}`] : [])),
  ...(h.invoices.some(({ paid }) => paid) ? [] : ['there are no paid invoices']),
  ...(h.arrivals.some(({ oracle }) => oracle === 'sink') ? [] : ['no message of a campaign arrived']),
  ...(h.arrivals.some(({ oracle }) => oracle === 'models') ? [] : ['no question to a model arrived']),
  ...(h.effects.some(({ table }) => table === 'subscription_changes') ? [] : ['there are no subscription_changes']),
]
