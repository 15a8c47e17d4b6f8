// Twenty buyers who order, pay, cancel and request refunds, and record the answers they get.
import { setTimeout as pause } from 'node:timers/promises'
import { newId } from '../../../entities/kit/ids.ts'
import { card, cash, sim } from '../../kit/orders/buying.ts'
import type { Answer } from '../../kit/shop.ts'
import type { BuyerPlan, RefundPlan } from '../plan.ts'
import type { Round, Store } from './acts.ts'

type Visitor = Record<string, string>
type Wanted = { scarce: number; plenty: number; slot: number | null; code: boolean }

const operatorPath = ({ store }: Round, at: string) => `/v1/stores/${store.shop.store_id}${at}`
const asOperator = (c: Round, method: 'GET' | 'POST' | 'PUT', at: string, body?: unknown) =>
  c.client.ask(method, operatorPath(c, at), { body, headers: c.store.shop.op.headers })

/** The provider's page or account, which no fault affects; null where it refuses. */
const atProvider = (at: string, body: unknown) => sim('POST', at, body).catch(() => null)

function cartOf({ scarce, plenty, service_id, provider_id, slots, code }: Store, wanted: Wanted) {
  const slot = wanted.slot === null ? undefined : slots[wanted.slot]
  return {
    product_items: [
      ...(wanted.scarce > 0 ? [{ product_id: scarce.id, variant_id: scarce.variant_id, quantity: wanted.scarce }] : []),
      { product_id: plenty.id, variant_id: plenty.variant_id, quantity: wanted.plenty },
    ],
    booking_items: slot ? [{ service_id, provider_id, slots: [{ from: slot.from, to: slot.to }] }] : [],
    promo_code: wanted.code ? code.code : null,
  }
}

/** Removes what was refused; null if nothing is left to remove. */
function without(wanted: Wanted, { body }: Answer): Wanted | null {
  const text = JSON.stringify(body)
  if (wanted.code && text.includes('promo_code')) return { ...wanted, code: false }
  if (wanted.slot !== null && /slot|booking/.test(text)) return { ...wanted, slot: null }
  if (wanted.scarce > 0 && text.includes('out_of_stock')) return { ...wanted, scarce: 0 }
  return null
}

type Made = { order_id: string; session: string; amount: number }

function note(c: Round, answer: Answer, cart: ReturnType<typeof cartOf>): Made {
  const { order_id, number, payment, payment_action } = answer.body
  c.acknowledged.push({
    ...{ order_id, number, amount: payment.amount, currency: payment.currency, type: payment.type },
    lines: cart.product_items.map(({ variant_id, quantity }) => ({ variant_id, quantity })),
    slots: cart.booking_items.flatMap(({ slots }) => slots),
  })
  return {
    order_id,
    session: String(payment_action?.client_secret ?? '').split('_secret_')[0] as string,
    amount: payment.amount,
  }
}

/** The checkout was released: its cart is replaced by a new one. */
const isOver = ({ status, body }: Answer) => status === 503 && typeof body?.cart_id === 'string'

async function order(c: Round, visitor: Visitor, plan: BuyerPlan): Promise<Made | null> {
  const ask = (method: 'POST' | 'PUT', at: string, body: unknown) =>
    c.client.ask(method, `/v1/storefront${at}`, { body, headers: visitor, final: isOver })
  let cartId = (await ask('POST', '/carts/current', {})).body.id as string
  let wanted: Wanted | null = plan
  for (let tries = 0; wanted && tries < 6; tries++) {
    const cart = cartOf(c.store, wanted)
    const filled = await ask('PUT', `/carts/${cartId}`, cart)
    if (filled.status !== 200) {
      wanted = without(wanted, filled)
      continue
    }
    const checkout = () => ask('POST', `/carts/${cartId}/checkout`, plan.pays === 'card' ? card : cash)
    const answers = await Promise.all(plan.twice ? [checkout(), checkout()] : [checkout()])
    const made = answers.filter(({ status }) => status === 200).map((answer) => note(c, answer, cart))
    if (new Set(made.map(({ order_id }) => order_id)).size > 1)
      c.surprises.push(`cart ${cartId} became the orders ${made.map(({ order_id }) => order_id).join(' and ')}`)
    if (made[0]) return made[0]
    const refused = answers[0] as Answer
    if (typeof refused.body?.cart_id === 'string') cartId = refused.body.cart_id
    else wanted = without(wanted, refused)
  }
  return null
}

async function payByCard({ session }: Made, { card: how, think_ms }: BuyerPlan): Promise<void> {
  if (!session) return
  await pause(think_ms)
  const pay = (outcome: 'succeeded' | 'declined') => atProvider(`/checkout_sessions/${session}/pay`, { outcome })
  if (how === 'declined' || how === 'declined_then_paid') await pay('declined')
  if (how === 'paid' || how === 'declined_then_paid') await pay('succeeded')
  if (how === 'expired') await atProvider(`/checkout_sessions/${session}/expire`, {})
}

/** Waits a while for the signed event. */
async function isPaid(c: Round, orderId: string): Promise<boolean> {
  for (let tries = 0; tries < 40; tries++) {
    const { body } = await asOperator(c, 'GET', `/orders/${orderId}/payment`)
    if (body.status === 'paid') return true
    if (body.status !== 'pending' && body.status !== 'processing') return false
    await pause(250)
  }
  return false
}

async function refund(c: Round, { order_id, amount }: Made, { share, mode }: RefundPlan): Promise<void> {
  const refund_id = newId()
  const ask = (wanted: number) => asOperator(c, 'POST', `/orders/${order_id}/refunds`, { refund_id, amount: wanted })
  const part = Math.max(1, Math.floor(amount * share))
  const answers = mode === 'parallel' ? await Promise.all([ask(part), ask(part), ask(part)]) : [await ask(part)]
  if (mode === 'twice') answers.push(await ask(part))
  const ids = new Set(answers.flatMap(({ status, body }) => (status < 300 ? [body.id] : [])))
  if (ids.size > 1) c.surprises.push(`refund ${refund_id} is ${[...ids].join(' and ')}`)
  if (mode !== 'changed') return
  const changed = await ask(part + 1)
  if (changed.status < 300) c.surprises.push(`refund ${refund_id} of ${part} was taken once more as one of ${part + 1}`)
}

async function cancel(c: Round, orderId: string): Promise<void> {
  for (let tries = 0; tries < 5; tries++) {
    const { body } = await asOperator(c, 'GET', `/orders/${orderId}`)
    const { status } = await asOperator(c, 'PUT', `/orders/${orderId}`, { version: body.version, cancel: true })
    if (status !== 409) return
  }
}

async function settle(c: Round, made: Made, plan: BuyerPlan): Promise<void> {
  if (plan.pays === 'card') await payByCard(made, plan)
  else if (plan.marked_paid)
    await Promise.all([1, 2].map(() => asOperator(c, 'POST', `/orders/${made.order_id}/payment/mark-paid`, {})))
  const mayBePaid = plan.pays === 'cash' ? plan.marked_paid : plan.card === 'paid' || plan.card === 'declined_then_paid'
  if (mayBePaid && plan.refunds.length > 0 && (await isPaid(c, made.order_id)))
    await Promise.all(plan.refunds.map((one) => refund(c, made, one)))
  if (plan.cancelled) await cancel(c, made.order_id)
}

/** Rejects if a call was never answered. */
export async function buy(c: Round, plan: BuyerPlan): Promise<void> {
  await pause(plan.at_ms)
  const key = { 'x-service-publishable-key': c.store.shop.publishable_key }
  const known = await c.client.ask('POST', '/v1/storefront/account/identify', { body: {}, headers: key })
  const visitor = { ...key, 'x-service-visitor-token': String(known.body.visitor_token) }
  for (const _ of plan.again ? [1, 2] : [1]) {
    const made = await order(c, visitor, plan)
    if (!made) return
    await settle(c, made, plan)
  }
}
