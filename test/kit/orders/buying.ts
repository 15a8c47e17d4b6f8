// Everything a purchase needs: a provider that charges, a product with stock, a visitor with a cart, and a card.
//   const shop = await newShop()
//   const account = await connected(shop)
//   const tea = await product(shop, { stock: 10 })
//   const { visitor, cart } = await buyer(shop, [tea.item(2)])
//   const done = await checkOut(visitor, cart, card)
//   await pay(done)
import { createHmac, randomUUID } from 'node:crypto'
import path from 'node:path'
import { script } from '../../../dev/parts.ts'
import { until } from '../codes.ts'
import { type Answer, database, type Method, newShop, type Shop, unique, type Visitor } from '../shop.ts'

export const return_url = 'https://shop.example/thanks'
export const cash = { payment_method_key: 'cash' }
export const card = { payment_method_key: 'credit_card', return_url }

/** Runs the same work so many times at once. */
export const atOnce = <T>(times: number, what: (n: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: times }, (_, n) => what(n)))

// biome-ignore lint/suspicious/noExplicitAny: the simulator answers in every shape
export async function sim(method: Method, at: string, body?: unknown): Promise<any> {
  const answer = await fetch(`${process.env.TEST_STRIPE_CONTROL}/_sim${at}`, {
    method,
    ...(body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  })
  const told = await answer.json()
  if (!answer.ok) throw new Error(`the simulator: ${answer.status} ${JSON.stringify(told)}`)
  return told
}

/** The provider's own API, as the merchant sees it. */
// biome-ignore lint/suspicious/noExplicitAny: the provider answers in every shape
export async function stripe(account: string, at: string): Promise<any> {
  const answer = await fetch(`${process.env.TEST_STRIPE}/v1${at}`, {
    headers: { authorization: `Bearer ${process.env.STRIPE_SECRET_KEY}`, 'stripe-account': account },
  })
  return answer.json()
}

export type LedgerEntry = {
  path: string
  key: string | null
  times: number
  effect: boolean
  status: number | null
  metadata: Record<string, string>
}
/** The requests that arrived at the provider for an account; '' is the platform's own. */
export const ledger = async (account: string, at: string): Promise<LedgerEntry[]> =>
  (await sim('GET', `/ledger?account=${account}`)).filter((entry: LedgerEntry) => entry.path === at)

export const connect = (shop: Shop, more: Record<string, unknown> = {}, base?: string): Promise<Answer> =>
  shop.asOperator(
    'POST',
    '/payment-providers/stripe/connect',
    { return_url: 'https://shop.example/done', refresh_url: 'https://shop.example/again', ...more },
    base,
  )

export const providerOf = async (shop: Shop) => (await shop.asOperator('GET', '/payment-providers')).body.items[0]

/** The store's own account at the provider, ready to charge cards. */
export async function connected(shop: Shop): Promise<string> {
  let answer = await connect(shop)
  // On a busy machine the request can end before the provider's answer, and asks to be repeated.
  for (let n = 0; n < 5 && answer.body.code === 'provider_retryable'; n++) answer = await connect(shop)
  if (answer.status !== 200) throw new Error(`not connected: ${answer.status} ${JSON.stringify(answer.body)}`)
  const { account_id } = await providerOf(shop)
  await sim('POST', `/accounts/${account_id}`, {
    charges_enabled: true,
    details_submitted: true,
    payouts_enabled: true,
  })
  await until(async () => (await providerOf(shop)).ready)
  return account_id
}

export type Item = { product_id: string; variant_id: string; quantity: number }
export type Sold = {
  id: string
  variant_id: string
  item: (quantity?: number) => Item
  available: () => Promise<number>
}

export const locationOf = async (shop: Shop): Promise<string> => (await shop.asOperator('GET', '/locations')).body[0].id

type ProductOptions = {
  amount?: number
  stock?: number | { location_id: string; available: number }[]
  prices?: unknown[]
  [more: string]: unknown
}

/**
 * 1000 minor units each, in both markets, and never sold out unless `stock` says so. Further options are the variant's.
 */
export async function product(
  shop: Shop,
  { amount = 1000, stock, prices, ...more }: ProductOptions = {},
): Promise<Sold> {
  const inventory = typeof stock === 'number' ? [{ location_id: await locationOf(shop), available: stock }] : stock
  const variant = {
    prices: prices ?? [
      { market: 'us', currency: 'USD', amount },
      { market: 'eu', currency: 'EUR', amount },
    ],
    ...(inventory ? { inventory } : {}),
    ...more,
  }
  const made = await shop.asOperator('POST', '/products', { key: `product-${unique()}`, variants: [variant] })
  if (made.status !== 201) throw new Error(`no product: ${made.status} ${JSON.stringify(made.body)}`)
  const { id, variants } = made.body
  const variant_id = variants[0].id as string
  return {
    id,
    variant_id,
    item: (quantity = 1) => ({ product_id: id, variant_id, quantity }),
    async available() {
      const { body } = await shop.asOperator('GET', `/products/${id}/inventory`)
      return (body as { available: number }[]).reduce((sum, row) => sum + row.available, 0)
    },
  }
}

export type Cart = { id: string } & Record<string, unknown>
export type Buyer = { visitor: Visitor; cart: Cart }

export async function cartOf(visitor: Visitor, items: Item[], more: Record<string, unknown> = {}): Promise<Cart> {
  const current = await visitor.call('POST', '/carts/current')
  const filled = await visitor.call('PUT', `/carts/${current.body.id}`, { product_items: items, ...more })
  if (filled.status !== 200) throw new Error(`no cart: ${filled.status} ${JSON.stringify(filled.body)}`)
  return filled.body
}

/** A new visitor with these items in the cart. */
export async function buyer(shop: Shop, items: Item[], more: Record<string, unknown> = {}): Promise<Buyer> {
  const visitor = await shop.visitor()
  return { visitor, cart: await cartOf(visitor, items, more) }
}

export const checkOut = (visitor: Visitor, cart: { id: string }, body: unknown, base?: string): Promise<Answer> =>
  visitor.call('POST', `/carts/${cart.id}/checkout`, body, base)

export type Ordered = { visitor: Visitor; cart: Cart; order_id: string; session: string; answer: Answer }

/** A new buyer's order, paid as `how` says; `session` is the provider's, of a card. */
export async function order(shop: Shop, items: Item[], how: unknown = cash, base?: string): Promise<Ordered> {
  const { visitor, cart } = await buyer(shop, items)
  const answer = await checkOut(visitor, cart, how, base)
  if (answer.status !== 200) throw new Error(`no order: ${answer.status} ${JSON.stringify(answer.body)}`)
  return { visitor, cart, order_id: answer.body.order_id, session: sessionOf(answer), answer }
}

export const sessionOf = (answer: Answer): string =>
  (answer.body.payment_action?.client_secret ?? '').split('_secret_')[0]

export const read = async (shop: Shop, orderId: string) => (await shop.asOperator('GET', `/orders/${orderId}`)).body
export const paymentOf = async (shop: Shop, orderId: string) =>
  (await shop.asOperator('GET', `/orders/${orderId}/payment`)).body
export const linesOf = async (shop: Shop, orderId: string) =>
  (await shop.asOperator('GET', `/orders/${orderId}/products`)).body

/** With the order's current version. */
export const update = async (shop: Shop, orderId: string, change: Record<string, unknown>): Promise<Answer> =>
  shop.asOperator('PUT', `/orders/${orderId}`, { version: (await read(shop, orderId)).version, ...change })

/** Moves the creation of an order to this second. */
export async function madeAt(orderId: string, second: number): Promise<void> {
  await database().query('update orders set created_at = $2 where id = $1', [orderId, second])
  for (const children of ['order_lines', 'order_bookings'])
    await database().query(`update ${children} set ordered_at = $2 where order_id = $1`, [orderId, second])
}

/** A store that charges cards, its account at the provider, and a product that never sells out. */
export async function cardShop(options: ProductOptions = {}): Promise<{ shop: Shop; account: string; tea: Sold }> {
  const shop = await newShop()
  const account = await connected(shop)
  return { shop, account, tea: await product(shop, options) }
}

/**
 * Requests a refund under an id of its own; with `meets`, the provider answers this request with that fault (a status,
 * unless it names another).
 */
export async function requestRefund(
  shop: Shop,
  orderId: string,
  amount: number,
  meets?: Record<string, unknown>,
): Promise<Answer> {
  const refund_id: string = randomUUID()
  if (meets) await fault({ body_match: refund_id, fault: 'status', ...meets })
  return shop.asOperator('POST', `/orders/${orderId}/refunds`, { refund_id, amount })
}
export const refundsOf = async (shop: Shop, orderId: string) =>
  (await shop.asOperator('GET', `/orders/${orderId}/refunds`)).body.items
export const disputesOf = async (shop: Shop, orderId: string) =>
  (await shop.asOperator('GET', `/orders/${orderId}/disputes`)).body.items

/** Pays with a card on the provider's page. */
export const pay = (session: string, outcome: 'succeeded' | 'declined' = 'succeeded') =>
  sim('POST', `/checkout_sessions/${session}/pay`, { outcome })

/** An order that was paid by card, and whose signed event has arrived. */
export async function paidOrder(shop: Shop, items: Item[]): Promise<Ordered & { payment_intent: string }> {
  const made = await order(shop, items, card)
  const { payment_intent } = await pay(made.session)
  await until(async () => (await paymentOf(shop, made.order_id)).status === 'paid')
  return { ...made, payment_intent }
}

/**
 * An order that was cancelled before the event of its payment arrived; `before` happens in between. The system refunds
 * it.
 */
export async function paidTooLate(
  shop: Shop,
  account: string,
  items: Item[],
  before: () => Promise<unknown> = async () => {},
): Promise<Ordered> {
  const made = await order(shop, items, card)
  await sim('POST', '/events', { hold: true, account })
  await pay(made.session)
  await database().query(
    `update orders set status = 'cancelled', hold_until = null, cancelled_at = updated_at where id = $1`,
    [made.order_id],
  )
  await database().query(`update payments set status = 'cancelled' where order_id = $1`, [made.order_id])
  await before()
  await sim('POST', '/events', { hold: false, account })
  return made
}

export const hasStatus = (shop: Shop, orderId: string, status: string) =>
  until(async () => {
    const found = await read(shop, orderId)
    return found.status === status && found
  }, 20_000)

/** Of the provider's endpoint for connected accounts, and of the platform's own. */
export const webhookSecrets = () => (process.env.STRIPE_WEBHOOK_SECRET as string).split(',') as [string, string]

type SimEvent = {
  id: string
  type: string
  state: string
  event: { data: { object: Record<string, unknown> } } & Record<string, unknown>
}
/** The provider's events of an account. */
export const eventsOf = (account: string, type?: string): Promise<SimEvent[]> =>
  sim('GET', `/events?account=${account}${type ? `&type=${type}` : ''}`)

/**
 * Sends an event of our own making, or `raw` in its place, signed as the provider would, or as the options say; to the
 * endpoint of an integration if one is named.
 */
export async function sendEvent(
  event: Record<string, unknown>,
  o: { secret?: string; time?: number; base?: string; raw?: string; integration?: string; from?: string } = {},
): Promise<Answer> {
  const payload =
    o.raw ?? JSON.stringify({ object: 'event', livemode: false, created: Math.floor(Date.now() / 1000), ...event })
  const time = o.time ?? Math.floor(Date.now() / 1000)
  const signature = createHmac('sha256', o.secret ?? webhookSecrets()[0])
    .update(`${time}.${payload}`)
    .digest('hex')
  const answer = await fetch(
    `${o.base ?? process.env.TEST_API}/v1/webhooks/stripe${o.integration ? `/${o.integration}` : ''}`,
    {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'stripe-signature': `t=${time},v1=${signature}`,
        ...(o.from ? { 'x-forwarded-for': o.from } : {}),
      },
      body: payload,
    },
  )
  return { status: answer.status, body: await answer.json(), headers: answer.headers }
}

/** The recorded outcome of an event: null until it is applied. */
export async function outcomeOf(eventId: string): Promise<string | null> {
  const { rows } = await database().query<{ outcome: string | null }>(
    'select outcome from provider_events where id = $1',
    [eventId],
  )
  return rows[0]?.outcome ?? null
}

/** One more API process on the same database, with other settings. */
export async function apiWith(settings: Record<string, string>): Promise<{ url: string; stop(): Promise<void> }> {
  const child = script('api/main.ts', [], {
    name: 'api',
    env: { ...process.env, ...settings, PORT: '0' },
    ...(process.env.TEST_LOGS ? { log: path.join(process.env.TEST_LOGS, `api-${unique()}.log`) } : {}),
  })
  const line = await child.said(/"msg":"listening"/)
  return { url: `http://127.0.0.1:${/"port":(\d+)/.exec(line)?.[1]}`, stop: () => child.stop(20_000) }
}

export { until }

/** Changes one of the store's markets. */
export async function market(shop: Shop, key: string, change: Record<string, unknown>): Promise<void> {
  const { items } = (await shop.asOperator('GET', '/markets')).body
  const { id } = items.find((one: { key: string }) => one.key === key)
  const changed = await shop.asOperator('PUT', `/markets/${id}`, change)
  if (changed.status !== 200) throw new Error(`no market: ${changed.status} ${JSON.stringify(changed.body)}`)
}

export const fault = (what: Record<string, unknown>) => sim('POST', '/faults', what)

/** The status, and the pointer and the code of the first fault of a refusal. */
export const refusalOf = ({ status, body }: Answer): unknown[] => [status, body.errors?.[0]?.pointer, body.code]
