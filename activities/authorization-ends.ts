// An authorised payment is captured or cancelled, once: Stripe's idempotency key is our row's id.
import { anyTenant, unitOf } from '../entities/kit/orm.ts'
import { AuthorizationEnd } from '../entities/orders/authorization-end.ts'
import { authorizationEndEffect } from '../entities/orders/authorizations.ts'
import type { AuthorizationEndKind } from '../rules/orders/bookings.ts'
import { stripeAmount } from '../rules/orders/provider-amounts.ts'
import { database } from './database.ts'
import { once, type Verdict } from './once.ts'
import { unlocked } from './provider-access.ts'
import { sendToStripe } from './providers/stripe.ts'

type Request = { account: string | null; payment_intent: string; kind: AuthorizationEndKind; amount: number }

async function prepare(id: string): Promise<Request> {
  const end = await unitOf(await database(), null).findOneOrFail(AuthorizationEnd, { id }, anyTenant)
  const { provider_account_id: account = null, provider_payment_id: payment_intent, kind, currency } = end
  return { account, payment_intent, kind, amount: stripeAmount(end.amount, currency) }
}

export const sendAuthorizationEnd = once({
  row: authorizationEndEffect,
  prepare,
  unlock: unlocked<Request>,
  send: ({ access, payment_intent, kind, amount }, sending) =>
    sendToStripe(
      sending,
      access,
      'payment_intent',
      (client, options) =>
        kind === 'capture'
          ? client.paymentIntents.capture(payment_intent, { amount_to_capture: amount }, options)
          : client.paymentIntents.cancel(payment_intent, {}, options),
      ({ id, status, amount_received }): Verdict | null => {
        const evidence = { provider_payment_id: id, status, amount_received }
        const isDone = kind === 'capture' ? status === 'succeeded' && amount_received === amount : status === 'canceled'
        return id === payment_intent && isDone ? { kind: 'succeeded', evidence } : null
      },
    ),
})
