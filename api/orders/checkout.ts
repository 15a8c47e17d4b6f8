// Checkout. Cash is answered from the transaction alone; a card payment waits until the provider's payment form is
// open.

import type { EntityManager } from '@mikro-orm/postgresql'
import { z } from 'zod'
import { config } from '../../config.ts'
import { Integration } from '../../entities/automation/integration.ts'
import { asRow } from '../../entities/kit/database/row.ts'
import { checkOut, checkoutCancelled } from '../../entities/orders/checkout.ts'
import { Order } from '../../entities/orders/order.ts'
import { integrationIn } from '../../entities/payments/charging-account.ts'
import { Payment } from '../../entities/payments/payment.ts'
import { PaymentSession } from '../../entities/payments/payment-session.ts'
import { expectedTotal } from '../../rules/carts/expected-total.ts'
import { Key } from '../../rules/input/identities.ts'
import { ReturnUrl } from '../../rules/input/return-url.ts'
import { buyerErrorOf, declineOf } from '../../rules/payments/provider-answers.ts'
import { conflict, Refusal, unavailable } from '../../rules/refusal.ts'
import { PaymentOut } from '../../rules/resources.ts'
import { pricingProblems } from '../carts/pricing-problems.ts'
import { Reply } from '../kit/answer/replies.ts'
import { route } from '../kit/route.ts'

export const PaymentAction = z
  .discriminatedUnion('type', [
    z.object({
      type: z
        .literal('none')
        .describe(
          'What the browser has to do: `card_embedded_checkout` opens the payment form of the provider, `none` requires nothing.',
        ),
    }),
    z.object({
      type: z
        .literal('card_embedded_checkout')
        .describe(
          'What the browser has to do: `card_embedded_checkout` opens the payment form of the provider, `none` requires nothing.',
        ),
      provider: z.literal('stripe').describe('Payment provider of the form.'),
      account_id: z
        .string()
        .min(1)
        .describe(
          "Identifier of the {store}'s connected account at the provider; `integration:` and an id for the account of an integration.",
        ),
      publishable_key: z.string().describe('Publishable key of the provider for the browser library.'),
      client_secret: z
        .string()
        .describe("Secret of the payment form for the provider's browser library. It is valid until `expires_at`."),
      expires_at: z.int().optional().describe('Time at which the payment form expires, in Unix seconds.'),
    }),
  ])
  .meta({ id: 'PaymentAction' })

export const CheckoutOut = z
  .object({
    order_id: z.string().describe('Identifier of the order.'),
    number: z.int().describe('Number of the order, counted per {store}.'),
    payment: PaymentOut.describe('The one payment of the order.'),
    payment_action: PaymentAction.describe('What the browser has to do next to pay.'),
  })
  .meta({ id: 'Checkout' })

type Answer = z.input<typeof CheckoutOut>

/** Without the provider's words and what only operators can act on. */
const paymentOfBuyer = (payment: Payment) => ({
  ...asRow(payment),
  order_id: payment.order_id as string,
  error: buyerErrorOf(payment.error),
})

/** Nothing has to be done to pay. */
export const none = { type: 'none' as const }

/** The payment form of a page that is open. `expires_at` in Unix seconds. */
export const cardForm = (page: {
  account_id: string | null
  publishable_key?: string | undefined
  client_secret: string
  expires_at: number | null
}) => ({
  type: 'card_embedded_checkout' as const,
  provider: 'stripe' as const,
  account_id: page.account_id as string,
  publishable_key: page.publishable_key ?? config.stripe.publishableKey,
  client_secret: page.client_secret,
  expires_at: page.expires_at ?? undefined,
})

/**
 * The payment form of a card payment; undefined while it is being created. Throws if the checkout was cancelled, or its
 * form is over.
 */
export async function cardAction(em: EntityManager, orderId: string): Promise<Answer['payment_action'] | undefined> {
  // The order is read before the session: the session reaches its final state before the order is cancelled.
  const order = await em.findOneOrFail(Order, { id: orderId })
  const session = await em.findOne(PaymentSession, { order_id: orderId })
  if (!session) return none
  if (order.status === 'cancelled') {
    const members = { order_id: orderId, cart_id: order.next_cart_id ?? null }
    const declined = session.status === 'rejected' ? declineOf(session.error) : null
    if (declined) throw new Refusal(422, 'payment_rejected', declined, { members })
    // A booking has no next cart: the items are the client's.
    const mayRepeat = order.module ? order.cancel_reason === 'payment_failed' : order.next_cart_id
    if (session.status === 'succeeded' || !mayRepeat) throw checkoutCancelled(order)
    // Without `Retry-After`: the order is cancelled, and the same request returns 409 `checkout_cancelled`.
    const next = order.module ? 'Book again.' : 'Check out again.'
    throw new Refusal(
      503,
      'provider_unavailable',
      `The payment could not be started and nothing was charged. ${next}`,
      { members },
    )
  }
  if (order.status !== 'pending' || session.state === 'complete') return none
  if (session.status !== 'succeeded' || session.state !== 'open' || !session.client_secret) {
    // An operator keeps the booking, whose form is over or was not opened: there will be none.
    const isKept = order.module && !order.hold_until && !order.cancel_requested
    if (isKept && !['requested', 'processing'].includes(session.status))
      throw conflict(
        'payment_form_over',
        `The payment form of the ${order.module} is closed, and the business keeps the ${order.module} without it.`,
        {
          members: { order_id: orderId },
        },
      )
    return undefined
  }
  const { provider_account_id, client_secret, expires_at = null } = session
  const page = { account_id: provider_account_id ?? null, client_secret, expires_at }
  const integration = integrationIn(page.account_id)
  if (!integration) return cardForm(page)
  const { settings } = await em.findOneOrFail(Integration, { id: integration })
  return cardForm({ ...page, publishable_key: settings.publishable_key as string | undefined })
}

export const checkouts = [
  route('POST /v1/storefront/carts/{id}/checkout', {
    operation: 'checkoutCart',
    may: 'visitor',
    accepts: 'former-token',
    refuses: [
      'approval_required',
      'cart_ordered',
      'checkout_cancelled',
      'out_of_stock',
      'slot_taken',
      'total_changed',
      'payment_in_progress',
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
      'Prices the cart, reserves stock and slots, and creates the order and its payment in one transaction. Repeating the call returns the same order; with another payment method it is 409 `payment_in_progress` while the order waits for a card, and 409 `cart_ordered` otherwise. A card payment is completed in ' +
      'the payment form that `payment_action` describes. 409 `out_of_stock` or `slot_taken` if an item is no longer available, `total_changed` with the present `quote` if the total is not `expected_total`. After 503 `engine_unavailable` or ' +
      '`provider_retryable`, repeat the call. After 503 `provider_unavailable`, nothing was charged and the order is cancelled: check out `cart_id`, the next cart with the same lines.',
    body: z.object({
      payment_method_key: Key.optional().describe(
        "Key of one of the market's payment methods. Left out, the cart's is used; one is required unless the total is 0.",
      ),
      return_url: ReturnUrl.optional().describe(
        "Address that the provider's payment form returns to, required for cards: https, or http for localhost.",
      ),
      expected_total: expectedTotal,
    }),
    out: CheckoutOut,
    async run({ em, tenant_id, caller, path, body, now }) {
      const done = await checkOut(em, {
        tenant_id,
        by: caller,
        made_by: caller.session_id,
        cart_id: path.id,
        ...body,
        payment_method_key: body.payment_method_key,
        return_url: body.return_url,
        now,
      })
      const payment = done.payment ?? (await em.findOneOrFail(Payment, { order_id: done.order_id }))
      const answer: Answer = {
        order_id: done.order_id,
        number: done.number,
        payment: paymentOfBuyer(payment as Payment),
        payment_action: none,
      }
      return new Reply(answer, {
        pending: done.awaits_card ? { order_id: done.order_id, number: done.number } : undefined,
      })
    },
    wait: {
      async until({ em, pending }) {
        const { order_id } = pending
        const payment_action = await cardAction(em, order_id)
        if (!payment_action) return undefined
        const payment = await em.findOneOrFail(Payment, { order_id })
        return { ...pending, payment: paymentOfBuyer(payment), payment_action }
      },
      late(_, engineAway, { order_id }) {
        throw unavailable(
          engineAway ? 'engine_unavailable' : 'provider_retryable',
          'The order was created, but its payment form is not ready yet. Repeat the request.',
          { order_id },
        )
      },
    },
  }),
]
