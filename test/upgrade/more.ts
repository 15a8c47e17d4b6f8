// What a recording has beside the demo: orders and members in every state. The record command runs it on the stack
// whose database it records.
//   node test/upgrade/more.ts STACK.JSON
import fs from 'node:fs'

const [file = ''] = process.argv.slice(2)
const { api, stripe, store_id, api_token, publishable_key } = JSON.parse(fs.readFileSync(file, 'utf8'))

// biome-ignore lint/suspicious/noExplicitAny: answers have every shape
type Any = any
type Headers = Record<string, string>
const operator: Headers = { authorization: `Bearer ${api_token}` }
const shop: Headers = { 'x-service-publishable-key': publishable_key }
/** Ten years: a recording is migrated long after it was made. */
const period_s = 315_360_000

async function send(base: string, headers: Headers, method: string, path: string, body?: unknown): Promise<Any> {
  const answer = await fetch(`${base}${path}`, {
    method,
    headers: { ...headers, 'content-type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
  return text ? JSON.parse(text) : null
}
const asOperator = (method: string, path: string, body?: unknown) =>
  send(api, operator, method, `/v1/stores/${store_id}${path}`, body)
const sim = (path: string, body?: unknown) => send(stripe, {}, body ? 'POST' : 'GET', `/_sim${path}`, body)

async function until<T>(what: string, look: () => Promise<T | undefined | null | false>): Promise<T> {
  const end = performance.now() + 30_000
  for (;;) {
    const found = await look()
    if (found) return found
    if (performance.now() > end) throw new Error(`Timed out after 30 s: ${what}`)
    await new Promise((done) => setTimeout(done, 50))
  }
}

async function visitor(name: string): Promise<(method: string, path: string, body?: unknown) => Promise<Any>> {
  const { visitor_token } = await send(api, shop, 'POST', '/v1/storefront/account/identify', {
    email: `${name}@people.test`,
  })
  return (method, path, body) =>
    send(api, { ...shop, 'x-service-visitor-token': visitor_token }, method, `/v1/storefront${path}`, body)
}
const pageOf = (answer: Any): string => answer.payment_action.client_secret.split('_secret_')[0]

async function order(name: string, how: object, promo_code?: string): Promise<Any> {
  const call = await visitor(name)
  const { items } = await call('GET', '/products?query=tea')
  const cart = await call('POST', '/carts/current')
  await call('PUT', `/carts/${cart.id}`, {
    product_items: [{ product_id: items[0].id, variant_id: items[0].variants[0].id, quantity: 1 }],
    shipping_address: {
      name: 'Ada',
      street1: '5 Elm Street',
      city: 'Portland',
      state: 'OR',
      postal_code: '97201',
      country: 'US',
    },
    shipping_method_id: 'us-standard',
    ...(promo_code ? { promo_code } : {}),
  })
  return call('POST', `/carts/${cart.id}/checkout`, how)
}
const card = { payment_method_key: 'credit_card', return_url: 'https://shop.example/thanks' }

async function paidOrder(name: string, promo_code?: string): Promise<{ order_id: string; intent: string }> {
  const bought = await order(name, card, promo_code)
  const { payment_intent } = await sim(`/checkout_sessions/${pageOf(bought)}/pay`, { outcome: 'succeeded' })
  await until(
    'the order is paid',
    async () => (await asOperator('GET', `/orders/${bought.order_id}/payment`)).status === 'paid',
  )
  return { order_id: bought.order_id, intent: payment_intent }
}

/**
 * A redeemed code, a dispute, refunds by the dashboard and without an answer, an open page, and one that was closed.
 */
async function addOrders(): Promise<void> {
  await order('redeemed', { payment_method_key: 'cash' }, 'WELCOME10')
  const disputed = await paidOrder('disputed', 'WELCOME10')
  await sim(`/payments/${disputed.intent}/dispute`, { status: 'needs_response' })
  await until(
    'the dispute',
    async () => (await asOperator('GET', `/orders/${disputed.order_id}/disputes`)).items.length === 1,
  )
  const refunded = await paidOrder('refunded')
  await sim(`/payments/${refunded.intent}/refund`, { amount: 200 })
  await sim('/faults', { fault: 'reset_after_read', method: 'POST', path: '/v1/refunds' })
  await asOperator('POST', `/orders/${refunded.order_id}/refunds`, { refund_id: crypto.randomUUID(), amount: 300 })
  await until('both refunds', async () => {
    const { items } = await asOperator('GET', `/orders/${refunded.order_id}/refunds`)
    return items.length === 2 && items.some(({ status }: Any) => status === 'unknown')
  })
  await order('open', card, 'WELCOME10')
  const closed = await order('closed', card)
  const { version } = await asOperator('GET', `/orders/${closed.order_id}`)
  await asOperator('PUT', `/orders/${closed.order_id}`, { version, cancel: true })
  await until(
    'the closed page',
    async () => (await asOperator('GET', `/orders/${closed.order_id}`)).status === 'cancelled',
  )
}

/** Joins the audience; with a price that is charged, pays its page for ten years. */
async function join(
  name: string,
  audience: string,
  body: Any = {},
  paying: object | null = { period_s },
): Promise<Any> {
  const call = await visitor(name)
  const joined = await call('POST', `/audiences/${audience}/subscribe`, {
    return_url: 'https://shop.example/club',
    ...body,
  })
  const shown = () => call('GET', `/audiences/${audience}/access`)
  if (joined.payment_action.type === 'none' || paying === null) return { ...joined.member, call, shown }
  await sim(`/checkout_sessions/${pageOf(joined)}/pay`, { outcome: 'succeeded', ...paying })
  const member = await until(`${name} has paid`, async () => {
    const access = await shown()
    return (
      access.member?.status === 'active' &&
      (access.member.billing_status || !access.member.paid_through_at) &&
      access.member
    )
  })
  const [payment] = (await asOperator('GET', `/audiences/${audience}/members/${member.id}/payments`)).items
  const all = await sim('/ledger/subscriptions')
  return {
    ...member,
    call,
    shown,
    payment,
    provider: all.find((one: Any) => one.metadata.subscription === payment.subscription_id),
  }
}

async function addMembers(): Promise<void> {
  const { items: audiences } = await asOperator('GET', '/audiences')
  const idOf = (key: string): string => audiences.find((one: Any) => one.key === key).id
  const [newsletter, club] = [idOf('newsletter'), idOf('tea-club')]
  const tier = (await asOperator('GET', `/audiences/${club}/tiers`)).items[0]
  const [monthly, forever] = [true, false].map(
    (renews) => tier.prices.find((one: Any) => (one.interval !== null) === renews).id,
  )
  const [provider] = (await asOperator('GET', '/payment-providers')).items
  const second = await asOperator('POST', `/audiences/${club}/tiers`, {
    key: 'guest',
    provider: { type: 'card_payment', payment_provider_id: provider.id },
    prices: [
      { amount: 0, currency: 'USD', interval: null },
      { amount: 500, currency: 'USD', interval: { period: 'week', count: 1 } },
    ],
  })
  const [free, weekly] = second.prices.map(({ id }: Any) => id)
  const members = `/audiences/${club}/members`

  await join('open-member', newsletter)
  const body =
    '<mjml><mj-body><mj-section><mj-column><mj-text>{{ confirmation_url }}</mj-text></mj-column></mj-section></mj-body></mjml>'
  const { id: template_id } = await asOperator('POST', '/email-templates', {
    key: 'confirm',
    type: 'subscription_confirmation',
    subject: 'Confirm',
    body,
  })
  const asked = await asOperator('POST', '/audiences', {
    key: 'letters',
    type: { type: 'confirmation', template_id, confirmation_url: 'https://shop.example/confirm' },
  })
  await asOperator('PUT', `/audiences/${asked.id}`, { status: 'active' })
  await join('unconfirmed', asked.id)

  await join('free', club, { price_id: free })
  await join('one-time', club, { price_id: forever })
  await join('live', club, { price_id: monthly, promo_code: 'CLUB10' })
  await join('weekly', club, { price_id: weekly })
  await join('paying', club, { price_id: weekly, promo_code: 'CLUB10' }, null)

  // In grace now, and overdue when it is migrated.
  const late = await join('late', club, { price_id: monthly }, { period_s: 1 })
  await sim(`/subscriptions/${late.provider.id}/advance`, { outcome: 'decline' })
  await until('the declined renewal', async () => (await late.shown()).member.billing_status === 'past_due')

  const cancelled = await join('cancelled', club, { price_id: monthly })
  const token = new URL(cancelled.manage_url).searchParams.get('token')
  await send(api, {}, 'POST', '/v1/customer/audiences/payment-method', {
    token,
    return_url: 'https://shop.example/club',
  })
  await send(api, {}, 'POST', '/v1/customer/audiences/subscription/cancel', { token })
  await until('the cancellation', async () => (await cancelled.shown()).member.cancel_at)

  const ended = await join('ended', club, { price_id: monthly }, { period_s: 1 })
  await sim(`/subscriptions/${ended.provider.id}/cancel`, { mode: 'now' })
  await until('the end of a membership', async () => (await ended.shown()).member.status !== 'active')

  const expired = await join('expired', club, { price_id: monthly }, { period_s: 1 })
  for (const outcome of ['decline', 'give_up']) await sim(`/subscriptions/${expired.provider.id}/advance`, { outcome })
  await until('the expired membership', async () => (await expired.shown()).member.status === 'expired')

  const removed = await join('removed', club, { price_id: monthly })
  await asOperator('DELETE', `${members}/${removed.id}?now=true`)
  await until('the removed member', async () => (await removed.shown()).member?.status === 'removed')

  const refunded = await join('refunded-member', club, { price_id: monthly })
  const payment = `${members}/${refunded.id}/payments/${refunded.payment.id}/refunds`
  await until('a refund of a member', () =>
    asOperator('POST', payment, { refund_id: crypto.randomUUID(), amount: 100 }).then(
      ({ status }) => status === 'succeeded',
    ),
  )
  await sim('/faults', { fault: 'reset_after_read', method: 'POST', path: '/v1/refunds' })
  const { id: unknown } = await asOperator('POST', payment, { refund_id: crypto.randomUUID(), amount: 50 })
  await until(
    'the unknown refund',
    async () =>
      (await asOperator('GET', `${members}/${refunded.id}/refunds`)).items.find((one: Any) => one.id === unknown)
        ?.status === 'unknown',
  )

  const disputed = await join('disputed-member', club, { price_id: monthly })
  const invoice = (await sim('/ledger/invoices')).find((one: Any) => one.customer === disputed.provider.customer)
  await sim(`/payments/${invoice.payment_intents[0]}/dispute`, { status: 'needs_response' })
  await until(
    'the dispute of a member',
    async () => (await asOperator('GET', `${members}/${disputed.id}/payments`)).items[0].disputes.length === 1,
  )

  const into = await join('merged-into', club, { price_id: monthly })
  await join('merged-away', newsletter)
  await asOperator('POST', `/contacts/${into.contact.id}/merge`, {
    source_contact_id: (await asOperator('GET', '/contacts?query=merged-away')).items[0].id,
  })

  const changed = await join('unknown-change', club, { price_id: monthly })
  await sim('/faults', { fault: 'reset_after_read', method: 'POST', path: `/v1/subscriptions/${changed.provider.id}` })
  await asOperator('DELETE', `${members}/${changed.id}`)
  await until('the unanswered change', async () => (await sim('/faults')).length === 0)

  // Its first page cannot be closed, so the other price waits.
  const waiting = await join('waiting', club, { price_id: monthly }, null)
  await sim('/faults', {
    fault: 'status',
    status: 503,
    method: 'POST',
    path: '/v1/checkout/sessions/*/expire',
    times: 100,
  })
  await waiting
    .call('POST', `/audiences/${club}/subscribe`, { price_id: weekly, return_url: 'https://shop.example/club' })
    .catch(() => {})

  const plans = await send(api, operator, 'GET', '/v1/stores/plans')
  const paid = plans.items.find(({ id }: Any) => id === 'pro')
  const chosen = await asOperator('POST', '/subscription', {
    plan_id: paid.id,
    return_url: 'https://shop.example/plan',
  })
  await sim(`/checkout_sessions/${pageOf(chosen)}/pay`, { outcome: 'succeeded', period_s })
  await until("the store's plan", async () => (await asOperator('GET', '/subscription')).plan_id === paid.id)
  await asOperator('POST', '/subscription/portal', { return_url: 'https://shop.example/plan' })
}

await addOrders()
const { status } = await fetch(`${api}/v1/stores/${store_id}/audiences`, { headers: operator })
if (status === 200) await addMembers()
