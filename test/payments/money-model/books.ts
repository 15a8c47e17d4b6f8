// The provider's books of a scene beside ours, to the cent, and every difference beside the worklist.
import type { PaymentBook } from '../../../dev/stripe/billing/ledger.ts'
import { uuids } from '../../../entities/kit/ids.ts'
import type { MoneyItem } from '../../../rules/payments/attention.ts'
import { sim } from '../../kit/orders/buying.ts'
import { database } from '../../kit/shop.ts'
import type { Scene } from './scenes.ts'
import type { MoneyLab } from './worker.ts'

export type SeenEvent = {
  id: string
  type: string
  state: string
  position: number
  event: { data: { object: Record<string, unknown> } }
}

/** Types that the API stores and does not use. */
const unused = /^(account\.|charge\.(refunded|captured|failed|expired)|customer\.created|price\.|product\.)/

const namesOf = (object: Record<string, unknown>): string[] =>
  ['id', 'customer', 'subscription', 'payment_intent', 'invoice', 'latest_invoice', 'latest_charge', 'charge'].flatMap(
    (name) => {
      const value = object[name]
      return typeof value === 'string' ? [value] : []
    },
  )

/**
 * All events of the scene, oldest first. On the platform's own account, where lanes meet, those that name something of
 * the scene.
 */
export async function eventsOf(scene: Scene): Promise<SeenEvent[]> {
  const all: SeenEvent[] = await sim('GET', `/events?account=${scene.account}&since=${scene.since}`)
  if (scene.account !== '') return all.filter(({ type }) => !unused.test(type))
  return all.filter(({ type, event }) => {
    const { object } = event.data
    const text = JSON.stringify(object)
    if (![...scene.known].some((id) => text.includes(id))) return false
    for (const name of namesOf(object)) scene.known.add(name)
    return !unused.test(type)
  })
}

/** The payments of the scene that the provider took or reserved, or that were tried. */
export async function booksOf(scene: Scene): Promise<PaymentBook[]> {
  const intents = new Set<string>()
  for (const { type, event } of await eventsOf(scene))
    if (type === 'charge.succeeded')
      intents.add(String((event.data.object as { payment_intent: string }).payment_intent))
  if (intents.size === 0) return []
  return sim(
    'GET',
    `/ledger/payments?account=${scene.account}${[...intents].map((id) => `&payment_intent=${id}`).join('')}`,
  )
}

export type OurPayment = {
  id: string
  order_id: string | null
  subscription_id: string | null
  intent: string | null
  invoice: string | null
  status: string
  amount: number
  captured: number
  refunded: number
  pending: number
  unknown: number
  error: { code: string; acknowledged?: object } | null
  order_status: string | null
  subscription_status: string | null
  by_system: boolean
  /** What people have recorded about requests of the payment. */
  resolved: { id: string; kind: string; outcome: string; provider_id: string | null }[]
  /** A person has overridden evidence knowingly. */
  forced: boolean
}

export async function paymentsOf(scene: Scene): Promise<OurPayment[]> {
  const { rows } = await database().query<OurPayment>(
    `select p.id, p.order_id, p.subscription_id, p.provider_payment_id as intent, p.provider_invoice_id as invoice, p.status, p.amount::float8, p.captured_amount::float8 as captured,
       p.refunded_amount::float8 as refunded, p.refund_pending_amount::float8 as pending, p.refund_unknown_amount::float8 as unknown, p.error, o.status as order_status, u.status as subscription_status,
       exists (select 1 from refunds r where r.payment_id = p.id and r.origin = 'system') as by_system,
       exists (select 1 from refunds r where r.payment_id = p.id and r.resolution -> 'against' is not null)
         or exists (select 1 from authorization_ends e where e.payment_id = p.id and e.resolution -> 'against' is not null) as forced,
       (select coalesce(jsonb_agg(x), '[]') from (select r.id, 'refund' as kind, r.resolution ->> 'outcome' as outcome, r.provider_refund_id as provider_id from refunds r
          where r.payment_id = p.id and r.resolution is not null union all select e.id, e.kind, e.resolution ->> 'outcome', null from authorization_ends e
          where e.payment_id = p.id and e.resolution is not null) x) as resolved
     from payments p left join orders o on o.id = p.order_id left join subscriptions u on u.id = p.subscription_id
     where p.tenant_id = $1 and (p.order_id = $2 or p.subscription_id = any($3)) order by p.id`,
    [scene.shop.store_id, scene.order_id, await scene.subscriptions()],
  )
  return rows
}

export async function itemsOf(lab: MoneyLab, scene: Scene): Promise<MoneyItem[]> {
  const { kind, shop, order_id } = scene
  const own = await scene.subscriptions()
  const found = await lab.inUnit((em) =>
    lab.moneyAttention(em, kind === 'plan' ? 'plans' : { tenants: uuids([shop.store_id]) }, 100_000),
  )
  return found.filter(
    (item) =>
      (item.order_id && item.order_id === order_id) || (item.subscription_id && own.includes(item.subscription_id)),
  )
}

export type Invoice = {
  id: string
  status: string
  billing_reason: string
  amount_paid: number
  payment_intents: string[]
  lines: {
    data: {
      subtotal: number
      quantity: number
      parent: { subscription_item_details: { proration: boolean } | null }
      pricing: { price_details: { price: string } }
    }[]
  }
}
type Subscription = { id: string; status: string; metadata: { subscription?: string } }

export async function subscriptionsAt(scene: Scene): Promise<(Subscription & { invoices: Invoice[] })[]> {
  const own = await scene.subscriptions()
  if (own.length === 0 && !scene.erased) return []
  const ids = new Set<string>()
  for (const { type, event } of await eventsOf(scene))
    if (type.startsWith('customer.subscription.')) ids.add(String(event.data.object.id))
  const found: Subscription[] = (await sim('GET', `/ledger/subscriptions?account=${scene.account}`)).filter(
    ({ id }: Subscription) => ids.has(id),
  )
  return Promise.all(
    found.map(async (one) => ({
      ...one,
      invoices: await sim('GET', `/ledger/invoices?account=${scene.account}&subscription=${one.id}`),
    })),
  )
}

type Row = {
  id: string
  status: string
  amount: string
  provider_price_id: string | null
  provider_subscription_id: string | null
  plan_id: string | null
}
const subscriptionRows = async (scene: Scene): Promise<Row[]> =>
  (
    await database().query<Row>(
      `select u.id, u.status, u.amount, p.provider_price_id, u.provider_subscription_id, u.plan_id
       from subscriptions u left join audience_prices p on p.id = u.price_id where u.id = any($1)`,
      [await scene.subscriptions()],
    )
  ).rows

/** Whether the invoice has the subscription's own price exactly once. */
const isOwn = ({ lines }: Invoice, row: Row): boolean =>
  lines.data.filter(({ subtotal, quantity, parent, pricing }) => {
    const isItem = parent.subscription_item_details?.proration === false
    const isPrice = row.plan_id !== null || pricing.price_details.price === row.provider_price_id
    return isItem && isPrice && quantity === 1 && subtotal === Number(row.amount)
  }).length === 1

/** A person called a request successful that the provider never had: no event will say otherwise. */
const isMisled = ({ resolved }: OurPayment, book: Pick<PaymentBook, 'status' | 'refunds'>): boolean =>
  resolved.some(({ id, kind, outcome, provider_id }) => {
    const isThere =
      kind === 'refund'
        ? book.refunds.some((one) => one.metadata?.refund === id || one.id === provider_id)
        : book.status !== 'requires_capture'
    return outcome === 'succeeded' && !isThere
  })

const lostIn = ({ disputes }: PaymentBook): number =>
  disputes.reduce((sum, { status, amount }) => sum + (status === 'lost' ? amount : 0), 0)
const blank = { taken: 0, given: 0, pending: 0, disputes: [], refunds: [], status: 'none' }

/**
 * What disagrees; empty if nothing does. `lost`: whether a payment's event is never delivered, of which nothing but the
 * list tells.
 */
export async function disagreements(lab: MoneyLab, scene: Scene): Promise<string[]> {
  const theirs = await booksOf(scene)
  const faults: string[] = []
  const say = (text: string, facts: unknown) => faults.push(`${text}: ${JSON.stringify(facts)}`)
  for (const { id, refunds } of theirs) {
    const named = refunds.flatMap(({ metadata }) => metadata?.refund ?? [])
    if (new Set(named).size !== named.length) say('a refund was sent twice', { id, refunds })
  }
  const there = await subscriptionsAt(scene)
  if (scene.erased) return [...faults, ...(await afterErasure(scene, theirs, there))]

  const [ours, items, rows] = [await paymentsOf(scene), await itemsOf(lab, scene), await subscriptionRows(scene)]
  const justified = new Set<string>(items.filter(({ status }) => status === 'unknown').map(({ id }) => id))
  const named = (payment: Pick<OurPayment, 'id' | 'order_id' | 'subscription_id'>) =>
    items.filter(
      (item) =>
        item.payment_id === payment.id ||
        (item.order_id && item.order_id === payment.order_id) ||
        (item.subscription_id && item.subscription_id === payment.subscription_id),
    )
  const invoices = there.flatMap((one) =>
    one.invoices.map((invoice) => ({
      ...invoice,
      row: rows.find(({ provider_subscription_id }) => provider_subscription_id === one.id),
    })),
  )

  for (const payment of ours) {
    const book = theirs.find(({ id }) => id === payment.intent) ?? { ...blank, id: null, amount: 0 }
    const { captured, refunded, pending, unknown, status, order_status } = payment
    const facts = { payment, book, items }
    const holds = book.status === 'requires_capture'
    const isUndecided = status === 'authorized' && order_status === 'pending'
    const differs =
      captured !== book.taken ||
      refunded !== book.given - book.pending ||
      pending !== book.pending ||
      unknown > 0 ||
      holds !== (status === 'authorized') ||
      (holds && !isUndecided)
    const own = named(payment)
    if (differs) {
      for (const { id } of own) justified.add(id)
      if (own.length === 0 && !payment.forced && !isMisled(payment, book as PaymentBook))
        say('the books differ, and nothing lists it', facts)
      continue
    }
    const left = book.taken - book.given - lostIn(book as PaymentBook)
    const isOwed = order_status === 'cancelled' || payment.subscription_status === 'given_up' || payment.by_system
    const mustBeOwed = scene.order_id === null ? isOwed : order_status === 'cancelled' && scene.cancelledUnpaid
    const about = own.filter(
      ({ kind, payment_id }) => kind === 'refund' || (kind === 'payment' && payment_id === payment.id),
    )
    if (left > 0 && mustBeOwed && about.length === 0) say('money is owed, and nothing lists it', facts)
    if (left > 0 && isOwed) for (const { id } of about) justified.add(id)
    const invoice = invoices.find(({ id }) => id === payment.invoice)
    const wrong = invoice
      ? invoice.row !== undefined && !isOwn(invoice, invoice.row)
      : payment.order_id !== null && captured !== payment.amount
    const isKept = captured > refunded && captured > 0
    const mismatches = own.filter(
      ({ kind, status, payment_id }) => kind === 'payment' && payment_id === payment.id && /_mismatch$/.test(status),
    )
    if (
      wrong &&
      isKept &&
      !payment.error?.acknowledged &&
      order_status !== 'cancelled' &&
      mismatches.length + about.length === 0
    )
      say('another amount or price was paid, and nothing lists it', { ...facts, invoice })
    if (wrong) for (const { id } of mismatches) justified.add(id)
    // What a person recorded, and what was reported otherwise since.
    for (const { id, resolution, kind } of own)
      if (resolution && ['refund', 'capture', 'cancel_authorization', 'open_form', 'close_form'].includes(kind))
        justified.add(id)
  }
  for (const book of theirs) {
    if (ours.some(({ intent }) => intent === book.id)) continue
    // A reservation for what is cancelled, of which no event came, ends by itself.
    const isReserved =
      book.status === 'requires_capture' && ours.every(({ order_status }) => order_status !== 'cancelled')
    if (book.taken === 0 && !isReserved) continue
    if (items.length === 0) say('a payment of the provider is unknown here, and nothing lists it', { book, ours })
    for (const { id } of items) justified.add(id)
  }
  for (const { id, status, invoices: of } of there) {
    const row = rows.find(({ provider_subscription_id }) => provider_subscription_id === id)
    const isOver = ['canceled', 'incomplete_expired', 'incomplete'].includes(status)
    const own = items.filter(({ subscription_id }) => subscription_id === row?.id)
    if (!isOver && row?.status !== 'live') {
      if (own.length === 0) say('the provider charges for what is over here, and nothing lists it', { id, status, row })
      for (const one of own) justified.add(one.id)
    }
    if (isOver && row?.status === 'live' && scene.never === null)
      say('what is over at the provider goes on here', { id, status, row })
    if (row && of.some((invoice) => invoice.status === 'paid' && !isOwn(invoice, row)))
      for (const one of own) if (one.kind === 'subscription' && one.status === 'price_mismatch') justified.add(one.id)
  }
  // The payment is not over here, and what ended it at the provider names no payment that is known.
  if (scene.never !== null) for (const { id, status } of items) if (status === 'event_missing') justified.add(id)
  for (const item of items)
    if (!justified.has(item.id)) say('it is listed, and there is no difference', { item, ours, theirs })
  return faults
}

/** After the rows are deleted: what was taken during the deletion went back, or is in its row. */
async function afterErasure(
  scene: Scene,
  theirs: readonly PaymentBook[],
  there: readonly (Subscription & { invoices: Invoice[] })[],
): Promise<string[]> {
  const { rows } = await database().query('select open from erasures where id = $1', [scene.erasure])
  const open = JSON.stringify(rows[0]?.open ?? {})
  const faults: string[] = []
  const kept = new Set([
    ...scene.kept,
    ...there.flatMap(({ invoices }) =>
      invoices.flatMap(({ id, payment_intents }) => (scene.kept.has(id) ? payment_intents : [])),
    ),
  ])
  for (const book of theirs) {
    const left = book.taken - book.given - lostIn(book)
    if (left > 0 && !kept.has(book.id) && !open.includes(book.id) && !open.includes('event_missing'))
      faults.push(`money was kept, and the deletion does not say so: ${JSON.stringify({ book, open })}`)
    if (book.status === 'requires_capture' && !open.includes(book.id) && !open.includes('event_missing'))
      faults.push(`the amount stays reserved, and the deletion does not say so: ${JSON.stringify({ book, open })}`)
  }
  for (const { id, status } of there)
    if (!['canceled', 'incomplete_expired', 'incomplete'].includes(status) && !open.includes(id))
      faults.push(`the provider goes on charging: ${id} is ${status}`)
  for (const id of scene.unresolved) if (!open.includes(id)) faults.push(`an unknown outcome was deleted: ${id}`)
  return faults
}
