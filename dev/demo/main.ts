// `npm run demo`: buys by card, shows the webhook and the graph that this starts, books a slot, reads content,
// submits a form, joins a paid club, approves a request of the business surface, likes and rates a product, chats with
// an agent, researches a lead, and sends a campaign on the running stack.
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { ApiProblem, client } from '../../client/client.ts'
import { showAgent } from './agents.ts'
import { showBusiness } from './business.ts'
import { showCampaign } from './campaigns.ts'
import { showComments } from './comments.ts'
import { showMembers } from './members.ts'
import { showReactions } from './reactions.ts'
import { showResearch } from './research.ts'
import { showSocial } from './social.ts'
import { address, type Callers, control, dollars, say, until } from './steps.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const file = path.resolve(root, process.env.DEV_DIR || '.dev', 'stack.json')

type StackFile = {
  worker_pid: number
  api: string
  console: string
  stripe: string | null
  temporal_ui: string | null
  mail: string | null
  models: string | null
  chat_bot: string | null
  social: string | null
  receiver_ledger: string | null
  store_id: string | null
  business_id: string | null
  agent_id: string | null
  api_token: string | null
  publishable_key: string | null
}

function running(): StackFile {
  if (!fs.existsSync(file)) throw new Error('No stack is running: start one with `npm start` in another terminal.')
  return JSON.parse(fs.readFileSync(file, 'utf8'))
}

type Bought = { number: number; order_id: string; email: string }

async function buyByCard(
  { path, operator, visitor }: Callers,
  stripe: string,
  temporal_ui: string | null,
): Promise<Bought> {
  const email = `ada-${crypto.randomUUID().slice(0, 8)}@tillwright.test`
  const { items } = await visitor('GET /v1/storefront/products', { query: { query: 'tea' } })
  const variant = items[0]?.variants[0]
  if (!items[0] || !variant) throw new Error('The demo store has no tea towel.')
  say('A visitor searches for “tea”', `${items[0].key}, ${dollars(variant.prices[0]?.amount ?? 0)}`)

  await visitor('POST /v1/storefront/account/identify', { body: { email } })
  const cart = await visitor('POST /v1/storefront/carts/current')
  await visitor('PUT /v1/storefront/carts/{id}', {
    path: { id: cart.id },
    body: {
      product_items: [{ product_id: items[0].id, variant_id: variant.id, quantity: 2 }],
      shipping_address: address,
      shipping_method_id: 'us-standard',
    },
  })
  say(
    'The visitor enters an e-mail address, and puts two into the cart, shipped to Portland',
    `${email}, cart ${cart.id}`,
  )

  const { money } = await visitor('POST /v1/storefront/carts/{id}/quote', { path: { id: cart.id } })
  say('The quote', `${dollars(money.subtotal)} + ${dollars(money.shipping)} shipping = ${dollars(money.total)}`)

  const order = await visitor('POST /v1/storefront/carts/{id}/checkout', {
    path: { id: cart.id },
    body: { payment_method_key: 'credit_card', return_url: 'http://localhost:3000/thanks' },
  })
  const session = 'client_secret' in order.payment_action && order.payment_action.client_secret.split('_secret_')[0]
  say(
    'Checkout by card: the stock is reserved, the payment page is open',
    `order ${order.number}, ${order.payment_action.type}, session ${session}`,
  )
  const link = temporal_ui
    ? `${temporal_ui}/namespaces/default/workflows/checkout%2F${order.order_id}`
    : 'no Temporal UI'
  say('Its workflow in the Temporal UI', link)

  await fetch(`${stripe}/_sim/checkout_sessions/${session}/pay`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ outcome: 'succeeded' }),
  })
  say('The buyer pays by card (at the simulator)')
  const payment = await until('the payment is paid', async () => {
    const found = await operator('GET /v1/stores/{storeId}/orders/{orderId}/payment', {
      path: { ...path, orderId: order.order_id },
    })
    return found.status === 'paid' ? found : undefined
  })
  const paid = await operator('GET /v1/stores/{storeId}/orders/{id}', { path: { ...path, id: order.order_id } })
  say(
    'The provider’s signed event settles the payment',
    `payment ${payment.status}, ${dollars(payment.captured_amount)}; order ${paid.status}`,
  )

  const refund_id = crypto.randomUUID()
  const refund = () =>
    operator('POST /v1/stores/{storeId}/orders/{orderId}/refunds', {
      path: { ...path, orderId: order.order_id },
      body: { refund_id, amount: 500 },
    })
  const first = await refund()
  const second = await refund()
  say(
    'A refund of $5.00, requested twice with one refund_id',
    `${first.status}; both responses are the same record: ${second.id === first.id}`,
  )
  const seen = (await (await fetch(`${stripe}/_sim/ledger?key=${first.id}`)).json()) as { key: string; times: number }[]
  say(
    'Requests for it at the provider',
    seen.map(({ key, times }) => `key ${key}: ${times} time${times === 1 ? '' : 's'}`).join(', '),
  )
  if (temporal_ui) say('The refund’s workflow', `${temporal_ui}/namespaces/default/workflows/refund%2F${first.id}`)
  return { number: order.number, order_id: order.order_id, email }
}

/**
 * A refund whose connection breaks after the provider has read the request: nothing proves what became of it. It stays
 * in the list of what a person has to do, for those who want to see one.
 */
async function loseAnswer(
  { path, operator }: Callers,
  { stripe, page }: { stripe: string; page: string },
  orderId: string,
): Promise<void> {
  const amount = 700
  await control(stripe, '/faults', {
    ...{ fault: 'reset_after_read', method: 'POST', path: '/v1/refunds', body_match: `amount=${amount}` },
    ...{ after_effect: false, times: 1 },
  })
  const { id } = await operator('POST /v1/stores/{storeId}/orders/{orderId}/refunds', {
    path: { ...path, orderId },
    body: { refund_id: crypto.randomUUID(), amount },
  })
  const found = await until('the refund without an answer', async () => {
    const { items } = await operator('GET /v1/stores/{storeId}/refunds', { path, query: { needs_attention: true } })
    return items.find((one) => one.id === id && one.status === 'unknown')
  })
  say(
    'A refund of $7.00 whose answer is lost is never sent again: it waits for a person',
    `${found.status}, until someone has looked at the provider and says what is there`,
  )
  say('It is in the console, with what is known about it', `${page}stores/${path.storeId}/attention?item=${id}`)
}

type Arrived = { path: string; body: string; headers: Record<string, string> }

/** The paid order is delivered to a webhook and starts a graph. */
async function showAutomation(
  { path, operator }: Callers,
  { number, order_id, email }: Bought,
  { mail, receiver_ledger, temporal_ui }: StackFile,
): Promise<void> {
  const arrived = async (at: string) =>
    ((await (await fetch(`${receiver_ledger}?path=${at}`)).json()) as Arrived[]).toReversed()
  const delivery = await until('the delivery to the webhook', async () =>
    (await arrived('/webhook')).find(({ body }) => JSON.parse(body).data.id === order_id),
  )
  say(
    'The store’s webhook received the event',
    `${JSON.parse(delivery.body).type}, ${delivery.headers['webhook-id']}, signed ${delivery.headers['webhook-signature']?.slice(0, 16)}…`,
  )
  const { items } = await operator('GET /v1/stores/{storeId}/workflows', { path, query: { query: 'paid-orders' } })
  const workflow = items[0]
  if (!workflow) return
  const execution = await until('the execution of the graph', async () => {
    const all = await operator('GET /v1/stores/{storeId}/workflows/{workflowId}/executions', {
      path: { ...path, workflowId: workflow.id },
    })
    for (const { id, status } of all.items) {
      if (status === 'pending' || status === 'running') continue
      const one = await operator('GET /v1/stores/{storeId}/workflows/{workflowId}/executions/{executionId}', {
        path: { ...path, workflowId: workflow.id, executionId: id },
      })
      if ((one.input as { data: { id: string } }).data.id === order_id && one.results.tell?.status === 'completed')
        return one
    }
    return undefined
  })
  const nodes = Object.entries(execution.results).map(([node, { status }]) => `${node} ${status}`)
  say('Its graph “paid-orders” ran', `${execution.status}: ${nodes.join(', ')}`)
  say(
    'The request that it sent to the receiver',
    (await arrived('/paid-orders')).find(({ body }) => JSON.parse(body).number === number)?.body ?? 'nothing',
  )
  const [message] = (await (await fetch(`${mail}/messages?to=${encodeURIComponent(email)}`)).json()) as {
    subject: string
  }[]
  say('The e-mail that it sent to the buyer', `“${message?.subject}”`)
  if (temporal_ui)
    say('The execution in the Temporal UI', `${temporal_ui}/namespaces/default/workflows/execution%2F${execution.id}`)
}

async function bookAndBuy({ path, operator, visitor }: Callers): Promise<void> {
  const { items: services } = await visitor('GET /v1/storefront/services', { query: { query: 'haircut' } })
  const { items: products } = await visitor('GET /v1/storefront/products', { query: { query: 'shampoo' } })
  const [service, product] = [services[0], products[0]]
  const variant = product?.variants[0]
  if (!service || !product || !variant) throw new Error('The demo store has no haircut or no shampoo.')

  const [from, to] = [1, 14].map((days) => Math.floor(Date.now() / 1000) + days * 86_400)
  const free = async () =>
    (
      await visitor('GET /v1/storefront/services/availability', {
        query: { service_id: service.id, from: String(from), to: String(to), market: 'us' },
      })
    ).providers
  const chosen = (await free()).find(({ days }) => days.length > 0)
  const [slot] = chosen?.days[0]?.slots ?? []
  if (!chosen || !slot) throw new Error('No slot is free within two weeks.')
  const stillFree = async () =>
    (await free()).some(
      ({ provider_id, days }) =>
        provider_id === chosen.provider_id && days.some(({ slots }) => slots.some((one) => one.from === slot.from)),
    )
  const when = new Date(slot.from * 1000).toISOString()
  say('The visitor looks for a haircut', `the first free slot begins at ${when}`)

  const cart = await visitor('POST /v1/storefront/carts/current')
  await visitor('PUT /v1/storefront/carts/{id}', {
    path: { id: cart.id },
    body: {
      product_items: [{ product_id: product.id, variant_id: variant.id, quantity: 1 }],
      booking_items: [
        { service_id: service.id, provider_id: chosen.provider_id, slots: [{ from: slot.from, to: slot.to }] },
      ],
      promo_code: 'WELCOME10',
      shipping_address: address,
      shipping_method_id: 'us-standard',
    },
  })
  const { money } = await visitor('POST /v1/storefront/carts/{id}/quote', { path: { id: cart.id } })
  const parts = `${dollars(money.subtotal)} − ${dollars(money.discount)} + ${dollars(money.shipping)} shipping`
  say('With a shampoo and the code WELCOME10 in one cart: the quote', `${parts} = ${dollars(money.total)}`)

  const { order_id, number } = await visitor('POST /v1/storefront/carts/{id}/checkout', {
    path: { id: cart.id },
    body: { payment_method_key: 'cash' },
  })
  say('Checkout by cash', `order ${number}; the slot is free: ${await stillFree()}`)

  const of = { ...path, id: order_id }
  const bookings = async () => {
    const found = await operator('GET /v1/stores/{storeId}/orders/{orderId}/bookings', {
      path: { ...path, orderId: order_id },
    })
    return found.map((one) => `${one.service_key} with ${one.provider_key}, ${one.status}`).join('; ')
  }
  const change = async (what: { confirm: true } | { cancel: true }) => {
    const { version } = await operator('GET /v1/stores/{storeId}/orders/{id}', { path: of })
    return operator('PUT /v1/stores/{storeId}/orders/{id}', { path: of, body: { version, ...what } })
  }
  say('The operator confirms the order', `order ${(await change({ confirm: true })).status}: ${await bookings()}`)
  say(
    'The operator cancels the order',
    `order ${(await change({ cancel: true })).status}: ${await bookings()}; the slot is free: ${await stillFree()}`,
  )
}

type Blocks = { key: string; value?: unknown }[]

/** Reads the posts and products of one topic and a picture, and submits the contact form. */
async function readAndSubmit({ path, operator, visitor }: Callers): Promise<void> {
  const { items: terms } = await visitor('GET /v1/storefront/taxonomies', {})
  const [topics, care] = ['topics', 'care'].map((wanted) => terms.find(({ key }) => key === wanted))
  if (!topics || !care) return
  const taxonomy_query = JSON.stringify([{ taxonomy_id: topics.id, entry_ids: [care.id] }])
  const { items: posts } = await visitor('GET /v1/storefront/entries', { query: { taxonomy_query } })
  const said = (blocks: Blocks, wanted: string) => blocks.find(({ key }) => key === wanted)?.value
  const titles = posts.map(({ blocks }) => `“${(said(blocks, 'title') as { en: string }).en}”`)
  const { items: goods } = await visitor('GET /v1/storefront/products', { query: { taxonomy_query } })
  say(
    'The visitor reads the posts on “care”',
    `${titles.join(', ')}; products: ${goods.map(({ key }) => key).join(', ')}`,
  )

  const id = said(posts[0]?.blocks ?? [], 'cover')
  if (typeof id === 'string') {
    const { resolutions } = await operator('GET /v1/stores/{storeId}/media/{id}', { path: { ...path, id } })
    const { url = '', width, height } = resolutions.medium ?? {}
    const answer = await fetch(url)
    say(
      'Its picture',
      `${url}: ${answer.status} ${answer.headers.get('content-type')}, ${width} × ${height}, ${answer.headers.get('cache-control')}`,
    )
  }

  const field = (key: string, value: unknown) => ({ key, type: 'text', value })
  const submit = (fields: ReturnType<typeof field>[]) =>
    visitor('POST /v1/storefront/forms/{formId}/submissions', { path: { formId: 'contact' }, body: { fields } })
  const refused = await submit([field('name', 'Ada Buyer'), field('e-mail', 'ada@tillwright.test')]).catch(
    (error: unknown) => error,
  )
  if (refused instanceof ApiProblem)
    say(
      'A wrong submission of the contact form is refused, with each fault at its place',
      refused.errors.map((fault) => `${fault.pointer} ${fault.code}`).join(', '),
    )
  const { contact_id } = await submit([
    field('name', 'Ada Buyer'),
    field('email', 'ada@tillwright.test'),
    field('message', 'Do you ship to Alaska?'),
  ])
  say('A right one is stored, and belongs to the visitor', `contact ${contact_id}`)
}

async function demo(): Promise<void> {
  const stack = running()
  const { api, stripe, temporal_ui, store_id, business_id, api_token, publishable_key } = stack
  if (!store_id || !api_token || !publishable_key || !stripe)
    throw new Error('The running stack has no demo store: its mail server or its Stripe is not a simulator.')
  const callers = {
    path: { storeId: store_id },
    operator: client({ base: api, headers: { authorization: `Bearer ${api_token}` } }),
    visitor: client({ base: api, headers: { 'x-service-publishable-key': publishable_key } }),
  }
  const bought = await buyByCard(callers, stripe, temporal_ui)
  if (stack.mail && stack.receiver_ledger) await showAutomation(callers, bought, stack)
  await loseAnswer(callers, { stripe, page: stack.console }, bought.order_id)
  await bookAndBuy(callers)
  await readAndSubmit(callers)
  await showMembers(callers, { api, publishable_key, stripe, temporal_ui })
  if (business_id) await showBusiness(callers, { api, stripe, temporal_ui, business_id })
  if (business_id && stack.mail) await showReactions(callers, { api, mail: stack.mail, business_id })
  if (business_id && stack.agent_id && stack.models)
    await showAgent(callers, {
      api,
      models: stack.models,
      chat_bot: stack.chat_bot,
      business_id,
      agent_id: stack.agent_id,
    })
  if (stack.models) await showResearch(callers, { models: stack.models })
  if (stack.social) {
    const networks = { social: stack.social, temporal_ui }
    await showSocial(callers, networks)
    await showComments(callers, networks)
  }
  if (stack.mail) await showCampaign(callers, { mail: stack.mail, temporal_ui, worker: () => running().worker_pid })
}

try {
  await demo()
} catch (error) {
  console.error(
    error instanceof ApiProblem
      ? `${error.message} (request ${error.requestId})`
      : `demo: ${error instanceof Error ? error.message : error}`,
  )
  process.exitCode = 1
}
