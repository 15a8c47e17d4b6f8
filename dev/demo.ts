// `npm run demo`: buys something by card through the running stack, and prints each step.
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { ApiProblem, client } from '../api/client.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const file = path.resolve(root, process.env.DEV_DIR || '.dev', 'stack.json')

type StackFile = {
  api: string
  stripe: string | null
  temporal_ui: string | null
  store_id: string | null
  api_token: string | null
  publishable_key: string | null
}

function running(): StackFile {
  if (!fs.existsSync(file)) throw new Error('nothing is running: `npm start` first, in another terminal')
  return JSON.parse(fs.readFileSync(file, 'utf8'))
}

let step = 0
const say = (what: string, detail = '') => console.log(`${String(++step).padStart(2)}. ${what}${detail ? `\n      ${detail}` : ''}`)
const dollars = (amount: number) => `$${(amount / 100).toFixed(2)}`

async function until<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
  const end = performance.now() + 20_000
  for (;;) {
    const found = await look()
    if (found !== undefined) return found
    if (performance.now() > end) throw new Error(`waited 20 s for ${what}`)
    await new Promise((done) => setTimeout(done, 50))
  }
}

async function demo(): Promise<void> {
  const { api, stripe, temporal_ui, store_id, api_token, publishable_key } = running()
  if (!store_id || !api_token || !publishable_key || !stripe) throw new Error('the running stack has no demo store: its mail or its Stripe is not a simulator')
  const path = { storeId: store_id }
  const operator = client({ base: api, headers: { authorization: `Bearer ${api_token}` } })
  const visitor = client({ base: api, headers: { 'x-service-publishable-key': publishable_key } })

  const { items } = await visitor('GET /v1/storefront/products', { query: { query: 'tea' } })
  const variant = items[0]?.variants[0]
  if (!items[0] || !variant) throw new Error('the demo store has no tea towel')
  say('A visitor looks for “tea”', `${items[0].key}, ${dollars(variant.prices[0]?.amount ?? 0)}`)

  const cart = await visitor('POST /v1/storefront/carts/current', { body: {} })
  await visitor('PUT /v1/storefront/carts/{id}', {
    path: { id: cart.id },
    body: {
      product_items: [{ product_id: items[0].id, variant_id: variant.id, quantity: 2 }],
      shipping_address: { name: 'Ada Buyer', street1: '5 Elm Street', city: 'Portland', state: 'OR', postal_code: '97201', country: 'US' },
      shipping_method_id: 'us-standard',
    },
  })
  say('Two go into the cart, to be shipped to Portland', `cart ${cart.id}`)

  const { money } = await visitor('POST /v1/storefront/carts/{id}/quote', { path: { id: cart.id }, body: {} })
  say('The quote', `${dollars(money.subtotal)} + ${dollars(money.shipping)} shipping = ${dollars(money.total)}`)

  const order = await visitor('POST /v1/storefront/carts/{id}/checkout', {
    path: { id: cart.id },
    body: { payment_method_key: 'credit_card', return_url: 'http://localhost:3000/thanks' },
  })
  const session = order.payment_action.client_secret?.split('_secret_')[0]
  say('Checkout by card: the stock is held, the provider’s page is open', `order ${order.number}, ${order.payment_action.type}, session ${session}`)
  const link = temporal_ui ? `${temporal_ui}/namespaces/default/workflows/checkout%2F${order.order_id}` : 'no Temporal UI'
  say('Its workflow in the Temporal UI', link)

  await fetch(`${stripe}/_sim/checkout_sessions/${session}/pay`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ outcome: 'succeeded' }),
  })
  say('The customer types a card number (at the simulator)')
  const payment = await until('the signed event', async () => {
    const found = await operator('GET /v1/stores/{storeId}/orders/{orderId}/payment', { path: { ...path, orderId: order.order_id } })
    return found.status === 'paid' ? found : undefined
  })
  const paid = await operator('GET /v1/stores/{storeId}/orders/{id}', { path: { ...path, id: order.order_id } })
  say('The provider’s signed event settles it', `payment ${payment.status}, ${dollars(payment.captured_amount)}; order ${paid.status}`)

  const refund_id = crypto.randomUUID()
  const refund = () =>
    operator('POST /v1/stores/{storeId}/orders/{orderId}/refunds', { path: { ...path, orderId: order.order_id }, body: { refund_id, amount: 500 } })
  const first = await refund()
  const second = await refund()
  say('A refund of $5.00, asked for twice with the same refund_id', `${first.status}; the second time the same record: ${second.id === first.id}`)
  const seen = (await (await fetch(`${stripe}/_sim/ledger?key=${first.id}`)).json()) as { key: string; times: number }[]
  say('What the provider saw of it', seen.map(({ key, times }) => `key ${key}: ${times} time${times === 1 ? '' : 's'}`).join(', '))
  if (temporal_ui) say('The refund’s workflow', `${temporal_ui}/namespaces/default/workflows/refund%2F${first.id}`)
}

try {
  await demo()
} catch (error) {
  console.error(error instanceof ApiProblem ? `${error.message} (request ${error.requestId})` : `demo: ${error instanceof Error ? error.message : error}`)
  process.exitCode = 1
}
