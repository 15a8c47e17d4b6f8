// Subscriptions. A period begins when `advance` says so, and its invoice is charged to the pinned card, else to the
// customer's default.
import type Stripe from 'stripe'
import { type Call, dashboard, type Route } from '../calls.ts'
import { invalid, missing, Refusal, refused } from '../errors.ts'
import { emit, emitChange, type Origin } from '../events.ts'
import type { Fields } from '../form.ts'
import { newId, unixSeconds } from '../ids.ts'
import { list, one } from '../lists.ts'
import { endingSubscriptions, get, locate, put, type SessionDetail } from '../objects.ts'
import { ownCard } from './customers.ts'
import {
  attempt,
  cardFor,
  daySeconds,
  draftInvoice,
  dueInvoice,
  itemLine,
  oneTimeLine,
  stopCollecting,
} from './invoices.ts'
import { blankSubscription, decimal } from './shapes.ts'

type Subscription = Stripe.Subscription
type Item = Stripe.SubscriptionItem
type Invoice = Stripe.Invoice
type Price = Stripe.Price

const isEnded = (subscription: Subscription) =>
  subscription.status === 'canceled' || subscription.status === 'incomplete_expired'

/**
 * The end of a period that begins at `start`, by the UTC calendar: on the day of the anchor, or the last day of a
 * shorter month.
 */
function periodEnd(start: number, recurring: Stripe.Price.Recurring, anchor: number): number {
  const { interval, interval_count: count } = recurring
  if (interval === 'day' || interval === 'week') return start + count * daySeconds * (interval === 'week' ? 7 : 1)
  const from = new Date(start * 1000)
  const to = new Date(from)
  to.setUTCDate(1)
  to.setUTCMonth(from.getUTCMonth() + count * (interval === 'year' ? 12 : 1))
  const days = new Date(Date.UTC(to.getUTCFullYear(), to.getUTCMonth() + 1, 0)).getUTCDate()
  to.setUTCDate(Math.min(new Date(anchor * 1000).getUTCDate(), days))
  return to.getTime() / 1000
}

const recurringOf = (price: Price): Stripe.Price.Recurring =>
  price.recurring ?? {
    interval: 'month',
    interval_count: 1,
    meter: null,
    trial_period_days: null,
    usage_type: 'licensed',
  }

function newItem(subscription: string, price: Price, quantity: number, period: { start: number; end: number }): Item {
  return {
    id: newId('si', 14),
    object: 'subscription_item',
    billing_thresholds: null,
    created: unixSeconds(),
    current_period_end: period.end,
    current_period_start: period.start,
    current_trial: null,
    discounts: [],
    metadata: {},
    plan: planOf(price),
    price,
    quantity,
    subscription,
    tax_rates: [],
  }
}

function planOf(price: Price): Stripe.Plan {
  const { id, active, currency, created, metadata, nickname, product, unit_amount } = price
  const { interval, interval_count } = recurringOf(price)
  return {
    id,
    object: 'plan',
    active,
    amount: unit_amount,
    amount_decimal: decimal(unit_amount ?? 0),
    billing_scheme: 'per_unit',
    created,
    currency,
    interval,
    interval_count,
    livemode: false,
    metadata,
    meter: null,
    nickname,
    product,
    tiers_mode: null,
    transform_usage: null,
    trial_period_days: null,
    usage_type: 'licensed',
  }
}

const listOf = (id: string, data: Item[]) =>
  ({
    object: 'list',
    data,
    has_more: false,
    total_count: data.length,
    url: `/v1/subscription_items?subscription=${id}`,
  }) as unknown as Subscription['items']

/** Begins the subscription of a payment page: `incomplete`, with its first invoice, until that is paid. */
export function beginSubscription(
  origin: Origin,
  session: Stripe.Checkout.Session,
  detail: SessionDetail,
  customer: string,
  periodS: number | undefined,
): { subscription: Subscription; invoice: Invoice } {
  const { account } = origin
  const id = newId('sub')
  const now = unixSeconds()
  const recurring = detail.lines.filter((line) => line.price?.recurring)
  const trialEnd = detail.subscription?.trial_end ?? null
  const items = recurring.map((line) => {
    const price = line.price as Price
    const end = trialEnd ?? (periodS === undefined ? periodEnd(now, recurringOf(price), now) : now + periodS)
    return newItem(id, price, line.quantity ?? 1, { start: now, end })
  })
  const blank: Subscription = {
    ...blankSubscription,
    id,
    billing_cycle_anchor: trialEnd ?? now,
    created: now,
    currency: session.currency ?? '',
    customer,
    description: detail.subscription?.description ?? null,
    items: listOf(id, items),
    metadata: detail.subscription?.metadata ?? {},
    start_date: now,
    trial_end: trialEnd,
    trial_start: trialEnd === null ? null : now,
  }
  const lines = [
    ...items.map((item) =>
      itemLine(blank, item, { start: now, end: item.current_period_end }, trialEnd === null ? {} : { amount: 0 }),
    ),
    ...detail.lines.filter((line) => !line.price?.recurring).map((line) => oneTimeLine(blank, line, now)),
  ]
  const amount = session.total_details?.amount_discount ?? 0
  const invoice = draftInvoice(account, blank, {
    reason: 'subscription_create',
    lines,
    discount: amount > 0 ? { id: newId('di'), amount } : null,
    period: { start: now, end: now },
  })
  const subscription = put(account, { ...blank, latest_invoice: invoice.id })
  emit(origin, 'customer.subscription.created', subscription)
  return { subscription, invoice }
}

/** The first invoice was paid: the subscription starts, and pins the card of the page. */
export function activate(origin: Origin, id: string, card: string): Subscription {
  const before = get('subscription', origin.account, id)
  const status = before.trial_end === null ? 'active' : 'trialing'
  return emitChange(
    origin,
    'customer.subscription.updated',
    before,
    put(origin.account, { ...before, status, default_payment_method: card }),
  )
}

/** The page closed before its first invoice was paid. */
export function expireIncomplete(origin: Origin, id: string): void {
  const before = get('subscription', origin.account, id)
  stopCollecting(origin.account, id, 'void')
  emitChange(
    origin,
    'customer.subscription.updated',
    before,
    put(origin.account, { ...before, status: 'incomplete_expired', ended_at: unixSeconds() }),
  )
}

function end(
  origin: Origin,
  before: Subscription,
  details: Partial<NonNullable<Subscription['cancellation_details']>>,
): Subscription {
  const now = unixSeconds()
  stopCollecting(origin.account, before.id, 'keep')
  const after: Subscription = put(origin.account, {
    ...before,
    canceled_at: before.canceled_at ?? now,
    cancellation_details: { ...blankDetails, ...before.cancellation_details, ...details },
    ended_at: now,
    status: 'canceled',
  })
  emit(origin, 'customer.subscription.deleted', after)
  return after
}

const blankDetails = { comment: null, feedback: null, feedback_option: null, reason: null }

/** Ends subscriptions whose `cancel_at` has passed. */
export function endOverdueSubscriptions(): void {
  const now = unixSeconds()
  for (const id of endingSubscriptions()) {
    const { account, object } = locate('subscription', id)
    if (object.cancel_at !== null && object.cancel_at <= now) end(dashboard(account), object, {})
  }
}

const lastPeriodEnd = (subscription: Subscription) =>
  Math.max(...subscription.items.data.map((item) => item.current_period_end))
const firstPeriodEnd = (subscription: Subscription) =>
  Math.min(...subscription.items.data.map((item) => item.current_period_end))

/**
 * `cancel_at_period_end`: Stripe's older way. Without it only `cancel_at` is set, as by the portal under flexible
 * billing. null: goes on.
 */
function ending(subscription: Subscription, at: number | null, byPeriodEnd: boolean): Subscription {
  return {
    ...subscription,
    cancel_at: at,
    cancel_at_period_end: at !== null && byPeriodEnd,
    canceled_at: at === null ? null : (subscription.canceled_at ?? unixSeconds()),
    cancellation_details: {
      ...blankDetails,
      ...subscription.cancellation_details,
      reason: at === null ? null : 'cancellation_requested',
    },
  }
}

function cancelAtOf(fields: Fields, subscription: Subscription): number | null | undefined {
  const text = fields.textOrNull('cancel_at')
  if (text === null || text === undefined) return text
  if (text === 'max_period_end') return lastPeriodEnd(subscription)
  if (text === 'min_period_end') return firstPeriodEnd(subscription)
  if (!/^\d{1,12}$/.test(text)) throw invalid(`Invalid timestamp: ${text}`, 'cancel_at')
  if (Number(text) <= unixSeconds()) throw refused('`cancel_at` must be in the future.', { param: 'cancel_at' })
  return Number(text)
}

function detailsOf(fields: Fields): Partial<NonNullable<Subscription['cancellation_details']>> | undefined {
  const details = fields.map('cancellation_details')
  if (!details) return undefined
  const comment = details.textOrNull('comment')
  const feedback = details.textOrNull('feedback')
  return { ...(comment !== undefined && { comment }), ...(feedback !== undefined && { feedback }) }
}

function update(call: Call, fields: Fields, id: string): Subscription {
  const before = get('subscription', call.account, id, 'id')
  const flag = fields.flag('cancel_at_period_end')
  const at = cancelAtOf(fields, before)
  const card = fields.text('default_payment_method')
  const description = fields.textOrNull('description')
  const details = detailsOf(fields)
  fields.ignore('proration_behavior', 'payment_behavior', 'off_session')
  const after: Subscription = {
    ...before,
    metadata: fields.mergedMetadata(before.metadata),
    ...(description !== undefined && { description }),
  }
  fields.done()
  if (flag !== undefined && at !== undefined)
    throw refused('Received both cancel_at_period_end and cancel_at parameters. Please pass in only one.', {
      stored: false,
    })
  if (isEnded(before) && (flag !== undefined || at !== undefined || card !== undefined || description !== undefined))
    throw refused('A canceled subscription can only update its cancellation_details and metadata.')
  if (card !== undefined) {
    ownCard(call, String(before.customer), card, 'default_payment_method')
    after.default_payment_method = card
  }
  if (details) after.cancellation_details = { ...blankDetails, ...before.cancellation_details, ...details }
  return emitChange(call, 'customer.subscription.updated', before, put(call.account, scheduled(after, flag, at)))
}

/**
 * `cancel_at_period_end: false` takes back only what `cancel_at_period_end` set; an empty `cancel_at` takes back both.
 */
function scheduled(subscription: Subscription, flag: boolean | undefined, at: number | null | undefined): Subscription {
  if (flag === true) return ending(subscription, firstPeriodEnd(subscription), true)
  if (flag === false) return subscription.cancel_at_period_end ? ending(subscription, null, false) : subscription
  return at === undefined ? subscription : ending(subscription, at, false)
}

function cancel(call: Call, fields: Fields, id: string): Subscription {
  const before = get('subscription', call.account, id, 'id')
  const details = detailsOf(fields)
  fields.flag('invoice_now')
  fields.flag('prorate')
  fields.done()
  // An ended subscription can be read, and is missing for this call alone.
  if (isEnded(before)) throw missing('subscription', id, 'id')
  return end(call, { ...before, canceled_at: unixSeconds() }, { reason: 'cancellation_requested', ...details })
}

const cancelModes = ['cancel_at', 'cancel_at_period_end', 'now', 'resume'] as const

/**
 * As the merchant in the dashboard or the customer in the portal. `mode`: `cancel_at` (the default: the period's end,
 * or `cancel_at` in Unix seconds), `cancel_at_period_end`, `now`, or `resume`, which takes the end back.
 */
export function cancelByDashboard(id: string, o: { mode?: unknown; cancel_at?: unknown }): Subscription {
  const { account, object: before } = locate('subscription', id)
  const mode = cancelModes.find((one) => one === (o.mode ?? 'cancel_at'))
  if (!mode) throw new Refusal(400, `mode: must be one of ${cancelModes.join(', ')}`)
  if (isEnded(before)) throw refused(`This subscription is ${before.status}: it cannot be changed.`)
  const origin = dashboard(account)
  if (mode === 'now')
    return end(origin, { ...before, canceled_at: unixSeconds() }, { reason: 'cancellation_requested' })
  const at = typeof o.cancel_at === 'number' ? o.cancel_at : lastPeriodEnd(before)
  const after = mode === 'resume' ? ending(before, null, false) : ending(before, at, mode === 'cancel_at_period_end')
  return emitChange(origin, 'customer.subscription.updated', before, put(account, after))
}

export const outcomes = ['renew', 'decline', 'recover', 'draft', 'give_up', 'unpaid'] as const
/**
 * `renew`: charges what is due, else begins the next period and charges it; a subscription that has an end by then
 * ends. `decline`: the same, and the bank refuses. `recover`: charges what is due. `draft`: begins the period, and
 * charges nothing yet. `give_up`: the retries are over, the subscription is cancelled.
 * `unpaid`: the retries are over, the subscription stays.
 *
 * The others are what a merchant does in the dashboard: `amount_off` in minor units, another `quantity` or `price`, a
 * line of `proration`, a free `trial` period, a payment `off_stripe`.
 */
export type Advance = {
  outcome?: (typeof outcomes)[number]
  period_s?: number
  amount_off?: number
  quantity?: number
  price?: string
  proration?: boolean
  trial?: boolean
  off_stripe?: boolean
}

export function advance(id: string, o: Advance): { subscription: Subscription; invoice: Invoice | null } {
  const { outcome = 'renew' } = o
  const { account, object: before } = locate('subscription', id)
  const origin = dashboard(account)
  if (!outcomes.includes(outcome)) throw new Refusal(400, `outcome: must be one of ${outcomes.join(', ')}`)
  for (const [name, value] of Object.entries({ period_s: o.period_s, amount_off: o.amount_off, quantity: o.quantity }))
    if (value !== undefined && !(Number.isInteger(value) && value > 0))
      throw new Refusal(400, `${name}: must be a whole number above 0`)
  if (isEnded(before)) throw refused(`This subscription is ${before.status}: it cannot be charged.`)
  if (before.status === 'incomplete') throw refused('This subscription is incomplete: pay its checkout session.')
  const waiting = dueInvoice(account, id)
  if (!waiting && (outcome === 'recover' || outcome === 'give_up' || outcome === 'unpaid'))
    throw refused('This subscription has no invoice to pay.')
  if (outcome === 'give_up')
    return { subscription: end(origin, before, { reason: 'payment_failed' }), invoice: waiting ?? null }
  if (outcome === 'unpaid') return { subscription: changeStatus(origin, id, 'unpaid'), invoice: waiting ?? null }
  if (!waiting && before.cancel_at !== null && before.cancel_at <= lastPeriodEnd(before))
    return { subscription: end(origin, before, {}), invoice: null }
  const due = waiting ?? beginPeriod(origin, before, o)
  if (outcome === 'draft') return { subscription: get('subscription', account, id), invoice: due }
  const how = outcome === 'decline' ? 'decline' : o.off_stripe ? 'off_stripe' : 'charge'
  const invoice = attempt(origin, due, cardFor(account, before), how)
  const paid = o.trial ? 'trialing' : 'active'
  return { subscription: changeStatus(origin, id, invoice.status === 'paid' ? paid : 'past_due'), invoice }
}

function changeStatus(origin: Origin, id: string, status: Subscription['status']): Subscription {
  const before = get('subscription', origin.account, id)
  return emitChange(origin, 'customer.subscription.updated', before, put(origin.account, { ...before, status }))
}

function beginPeriod(origin: Origin, before: Subscription, o: Advance): Invoice {
  const { account } = origin
  const items = before.items.data.map((item, i): Item => {
    const price = i === 0 && o.price !== undefined ? get('price', account, o.price) : item.price
    const start = item.current_period_end
    const current_period_end =
      o.period_s === undefined ? periodEnd(start, recurringOf(price), before.billing_cycle_anchor) : start + o.period_s
    const quantity = (i === 0 ? o.quantity : undefined) ?? item.quantity ?? 1
    return { ...item, current_period_start: start, current_period_end, quantity, price, plan: planOf(price) }
  })
  const trial_end = o.trial ? Math.max(...items.map((item) => item.current_period_end)) : before.trial_end
  const moved: Subscription = { ...before, items: listOf(before.id, items), trial_end }
  const lines = items.map((item) => itemLine(moved, item, periodOf(item), o.trial ? { amount: 0 } : {}))
  const [first] = items
  if (o.proration && first) lines.push(itemLine(moved, first, periodOf(first), { amount: 100, proration: true }))
  const invoice = draftInvoice(account, moved, {
    reason: 'subscription_cycle',
    lines,
    discount: o.amount_off === undefined ? null : { id: newId('di'), amount: o.amount_off },
    period: {
      start: before.items.data[0]?.current_period_start ?? 0,
      end: before.items.data[0]?.current_period_end ?? 0,
    },
  })
  emitChange(origin, 'customer.subscription.updated', before, put(account, { ...moved, latest_invoice: invoice.id }))
  return invoice
}

const periodOf = (item: Item) => ({ start: item.current_period_start, end: item.current_period_end })

const statuses = [
  'active',
  'all',
  'canceled',
  'ended',
  'incomplete',
  'incomplete_expired',
  'past_due',
  'paused',
  'trialing',
  'unpaid',
]

export const subscriptionRoutes: Route[] = [
  [
    'GET',
    '/v1/subscriptions',
    (call, fields) => {
      const status = fields.oneOf('status', statuses)
      const price = fields.text('price')
      const fits = (one: Subscription) => {
        if (price !== undefined && !one.items.data.some((item) => item.price.id === price)) return false
        if (status === undefined) return !isEnded(one)
        return status === 'all' || (status === 'ended' ? isEnded(one) : one.status === status)
      }
      return list('subscription', call.account, call.path, fields, { customer: (one) => one.customer }, fits)
    },
  ],
  ['GET', '/v1/subscriptions/:id', one('subscription', 'id')],
  ['POST', '/v1/subscriptions/:id', update],
  ['DELETE', '/v1/subscriptions/:id', cancel],
]
