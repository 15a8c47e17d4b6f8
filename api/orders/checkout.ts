// Checkout: cash is answered from its transaction alone; a card waits until the provider's page is open.
import type { EntityManager } from '@mikro-orm/postgresql'
import { z } from 'zod'
import { config } from '../../config.ts'
import { checkOut, checkoutCancelled } from '../../entities/orders/checkout.ts'
import { Order } from '../../entities/orders/order.ts'
import { Payment } from '../../entities/orders/payment.ts'
import { PaymentSession } from '../../entities/orders/payment-session.ts'
import { Key } from '../../rules/input/identities.ts'
import { ReturnUrl } from '../../rules/input/return-url.ts'
import { declineOf } from '../../rules/orders/provider-answers.ts'
import { Refusal, unavailable } from '../../rules/refusal.ts'
import { Reply, route } from '../kit/route.ts'
import { PaymentOut } from './payments.ts'
import { pricingProblems } from './pricing-problems.ts'

const PaymentAction = z
  .discriminatedUnion('type', [
    z.object({
      type: z.literal('none').describe('What the browser has to do: `card_embedded_checkout` opens the payment form of the provider, `none` is nothing.'),
    }),
    z.object({
      type: z
        .literal('card_embedded_checkout')
        .describe('What the browser has to do: `card_embedded_checkout` opens the payment form of the provider, `none` is nothing.'),
      provider: z.literal('stripe').describe('Payment provider of the form.'),
      account_id: z.string().min(1).describe("Identifier of the store's connected account at the provider."),
      publishable_key: z.string().describe('Publishable key of the provider for the browser library.'),
      client_secret: z.string().describe("Secret of the payment form for the provider's browser library. It is valid until `expires_at`."),
      expires_at: z.int().optional().describe('Time from which the payment form no longer takes a payment, in Unix seconds.'),
    }),
  ])
  .meta({ id: 'PaymentAction' })

export const CheckoutOut = z
  .object({
    order_id: z.string().describe('Identifier of the order.'),
    number: z.int().describe('Number of the order, counted per store.'),
    payment: PaymentOut.describe('The one payment of the order.'),
    payment_action: PaymentAction.describe('What the browser has to do next to pay.'),
  })
  .meta({ id: 'Checkout' })

type Answer = z.input<typeof CheckoutOut>

const none = { type: 'none' as const }

/** The open page of a card payment, or why there is none; undefined while nobody knows. */
async function cardAction(em: EntityManager, orderId: string): Promise<Answer['payment_action'] | undefined> {
  // The order first: a session is at its end before its order is given up.
  const order = await em.findOneOrFail(Order, { id: orderId })
  const session = await em.findOne(PaymentSession, { order_id: orderId })
  if (!session) return none
  if (order.status === 'cancelled') {
    const members = { order_id: orderId, cart_id: order.next_cart_id ?? null }
    const declined = session.status === 'rejected' ? declineOf(session.error) : null
    if (declined) throw new Refusal(422, 'payment_rejected', declined, { members })
    if (session.status === 'succeeded' || !order.next_cart_id) throw checkoutCancelled(orderId, order.next_cart_id ?? null)
    // Without `Retry-After`: the order is cancelled, and the same request returns 409 `checkout_cancelled`.
    throw new Refusal(503, 'provider_unavailable', 'The payment could not be started; nothing was taken. Check out the next cart, `cart_id`.', { members })
  }
  if (order.status !== 'pending' || session.state === 'complete') return none
  if (session.status !== 'succeeded' || session.state !== 'open' || !session.client_secret) return undefined
  return {
    type: 'card_embedded_checkout',
    provider: 'stripe',
    account_id: session.provider_account_id,
    publishable_key: config.stripe.publishableKey,
    client_secret: session.client_secret,
    expires_at: session.expires_at ?? undefined,
  }
}

type Pending = { order_id: string; awaits_card: boolean }
const pendings = new WeakMap<object, Pending>()

export const checkouts = [
  route('POST /v1/storefront/carts/{id}/checkout', {
    operation: 'checkoutCart',
    may: 'visitor',
    refuses: [
      'checkout_cancelled',
      'out_of_stock',
      'slot_taken',
      ...pricingProblems,
      'payment_provider_not_connected',
      'payment_rejected',
      'return_url_required',
      'engine_unavailable',
      'provider_retryable',
      'provider_unavailable',
    ],
    summary: 'Check out a cart',
    description:
      'Prices the cart, reserves stock and slots, and creates the order and its payment in one transaction. The same call again returns the same order. After 503 `provider_unavailable` nothing was charged and the order is cancelled: do not repeat the call, check out `cart_id`, the next cart with the same lines.',
    body: z.object({
      payment_method_key: Key.optional().describe(
        "Key of one of the market's payment methods. Left out, the cart's is used; one is required unless the total is 0.",
      ),
      return_url: ReturnUrl.optional().describe("Address that the provider's payment form returns to, required for cards: https, or http for localhost."),
    }),
    out: CheckoutOut,
    async run({ em, tenant_id, caller, path, body, now }) {
      const done = await checkOut(em, {
        tenant_id,
        contact_id: caller.contact_id,
        cart_id: path.id,
        verified: caller.verified,
        ...body,
        payment_method_key: body.payment_method_key,
        return_url: body.return_url,
        now,
      })
      const payment = done.payment ?? (await em.findOneOrFail(Payment, { order_id: done.order_id }))
      const answer: Answer = { order_id: done.order_id, number: done.number, payment: payment as never, payment_action: none }
      pendings.set(answer, done)
      return new Reply(200, answer)
    },
    wait: {
      when: (result) => pendings.get(result)?.awaits_card ?? false,
      async until({ em, result }) {
        const payment_action = await cardAction(em, result.order_id)
        if (!payment_action) return undefined
        const payment = await em.findOneOrFail(Payment, { order_id: result.order_id })
        return { ...result, payment: payment as never, payment_action }
      },
      late(result, engineAway) {
        throw unavailable(engineAway ? 'engine_unavailable' : 'provider_retryable', 'The order stands, its payment is not ready yet; repeat the request.', {
          order_id: result.order_id,
        })
      },
    },
  }),
]
