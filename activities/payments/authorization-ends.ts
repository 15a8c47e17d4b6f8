// An authorised payment is captured or cancelled, once: Stripe's idempotency key is our row's id.
import type Stripe from 'stripe'
import { anyTenant, unitOf } from '../../entities/kit/database/orm.ts'
import { AuthorizationEnd } from '../../entities/payments/authorization-end.ts'
import { authorizationEndEffect } from '../../entities/payments/authorizations.ts'
import type { AuthorizationEndKind } from '../../rules/bookings/bookings.ts'
import { stripeAmount } from '../../rules/payments/provider-amounts.ts'
import { database } from '../kit/database.ts'
import { once, type Verdict } from '../kit/once.ts'
import { type Access, reading, sendToStripe } from '../providers/stripe.ts'
import { unlocked } from './provider-access.ts'

type Request = { account: string | null; payment_intent: string; kind: AuthorizationEndKind; amount: number }

type Intent = Pick<Stripe.PaymentIntent, 'id' | 'status' | 'amount_received'>

const evidenceOf = ({ id, status, amount_received }: Intent) => ({ provider_payment_id: id, status, amount_received })

/** The verdict that the state of an intent proves. Null: the intent is not in the state that the request asks for. */
function proved({ payment_intent, kind, amount }: Request, intent: Intent): Verdict | null {
  const isDone =
    kind === 'capture'
      ? intent.status === 'succeeded' && intent.amount_received === amount
      : intent.status === 'canceled'
  return intent.id === payment_intent && isDone ? { kind: 'succeeded', evidence: evidenceOf(intent) } : null
}

/** The provider did not let the request in: it has not judged the payment, and may carry out the same request later. */
const notLetIn: readonly unknown[] = [401, 403, 429]

/**
 * A read shows that the payment was captured elsewhere, or by another amount: the request is refused for good, and what
 * was taken is recorded (entities/payments/authorizations.ts).
 */
const elsewhere = (intent: Intent): Verdict => ({
  kind: 'rejected',
  evidence: evidenceOf(intent),
  error: {
    code: 'captured',
    message: `The provider had captured ${intent.amount_received} of the payment, in its smallest units.`,
  },
})

/**
 * What an attempt means whose answer is no success. A cancellation is sent again until a read, or the end of the
 * authorisation, shows that nothing is reserved on the card any more: a second one adds nothing. A capture is sent
 * again if the provider did not let it in. Where the provider refuses because of the state of the intent, it was
 * captured or cancelled in its dashboard, or by a request that a restore has lost: a read decides; without one, a
 * capture is unknown until the signed event.
 */
async function judged(
  request: Request & { access: Access },
  verdict: Exclude<Verdict, { kind: 'not_sent' }>,
): Promise<Verdict> {
  const { access, payment_intent, kind } = request
  const { evidence, error } = verdict
  const again: Verdict = { kind: 'not_sent', error: error ?? { code: 'no_answer', message: 'no answer' } }
  const refused = verdict.kind === 'rejected'
  const hasOtherState = refused && evidence.code === 'payment_intent_unexpected_state'
  if (!hasOtherState && refused) return kind === 'cancel' || notLetIn.includes(evidence.status) ? again : verdict
  if (!hasOtherState && kind === 'capture') return verdict
  const { client, options } = reading(access, 'payment_intent')
  const intent = await client.paymentIntents.retrieve(payment_intent, {}, options).catch(() => null)
  const done = intent && proved(request, intent)
  if (done) return done
  if (intent?.id === payment_intent && intent.status === 'succeeded') return elsewhere(intent)
  if (kind === 'cancel') return hasOtherState || intent?.status === 'requires_capture' ? again : verdict
  return intent?.status === 'canceled' ? verdict : { ...verdict, kind: 'unknown' }
}

async function prepare(id: string): Promise<Request> {
  const end = await unitOf(await database(), null).findOneOrFail(AuthorizationEnd, { id }, anyTenant)
  const { provider_account_id: account = null, provider_payment_id: payment_intent, kind, currency } = end
  return { account, payment_intent, kind, amount: stripeAmount(end.amount, currency) }
}

export const sendAuthorizationEnd = once({
  row: authorizationEndEffect,
  prepare,
  unlock: unlocked<Request>,
  async send(request, sending) {
    const { access, payment_intent, kind, amount } = request
    const verdict = await sendToStripe(
      sending,
      access,
      'payment_intent',
      (client, options) =>
        kind === 'capture'
          ? client.paymentIntents.capture(payment_intent, { amount_to_capture: amount }, options)
          : client.paymentIntents.cancel(payment_intent, {}, options),
      (intent) => proved(request, intent),
    )
    return verdict.kind === 'rejected' || verdict.kind === 'unknown' ? judged(request, verdict) : verdict
  },
})
