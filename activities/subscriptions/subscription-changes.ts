// Changes of a subscription: cancelled, resumed, charged to another card. Sent once each; Stripe's idempotency key is
// our row's id.
import type Stripe from 'stripe'
import { anyTenant, unitOf } from '../../entities/kit/database/orm.ts'
import { Subscription } from '../../entities/subscriptions/subscription.ts'
import { SubscriptionChange } from '../../entities/subscriptions/subscription-change.ts'
import { subscriptionChangeEffect } from '../../entities/subscriptions/subscription-change-effect.ts'
import { billingStateOf, Customer, isOver, isUnpaid, ProviderSubscription } from '../../rules/subscriptions/events.ts'
import { database } from '../kit/database.ts'
import { NeverSent, once, type Verdict } from '../kit/once.ts'
import { answeredAt, reading, sendToStripe } from '../providers/stripe.ts'

type Request = { account: string | null; subscription: string } & (
  | { do: 'cancel' | 'cancel_now' | 'resume' }
  | { do: 'card'; card: string }
)

/** The card that the customer has chosen by now. */
async function defaultCard(account: string | null, customer: string): Promise<string> {
  const { client, options } = reading(account, 'customer')
  const found = Customer.safeParse(await client.customers.retrieve(customer, {}, options))
  const card = found.data?.invoice_settings.default_payment_method
  if (!card) throw new NeverSent({ code: 'no_card', message: 'the customer has no default card' })
  return card
}

/**
 * Whether a renewal is being collected. It is charged although the subscription ends with its period, which has begun.
 * The provider is read, because the renewal's events may be late, and the provider drafts its invoice up to 72 hours
 * before it charges.
 */
async function isCollecting(account: string | null, subscription: string): Promise<boolean> {
  const { client, options } = reading(account, 'subscription')
  const { status, latest_invoice } = ProviderSubscription.parse(
    await client.subscriptions.retrieve(subscription, {}, options),
  )
  if (isUnpaid(status) || !latest_invoice) return isUnpaid(status)
  const invoices = reading(account, 'invoice')
  const latest = await invoices.client.invoices.retrieve(latest_invoice, {}, invoices.options)
  return latest.status === 'draft' || latest.status === 'open'
}

async function prepare(id: string): Promise<Request> {
  const em = unitOf(await database(), null)
  const change = await em.findOneOrFail(SubscriptionChange, { id }, anyTenant)
  const of = await em.findOneOrFail(
    Subscription,
    { id: String(change.subscription_id), tenant_id: change.tenant_id },
    anyTenant,
  )
  const {
    provider_account_id: account = null,
    provider_subscription_id: subscription,
    provider_customer_id: customer,
  } = of
  if (!subscription)
    throw new NeverSent({ code: 'no_provider_subscription', message: 'the subscription is not known at the provider' })
  if (change.kind === 'card') {
    if (!customer)
      throw new NeverSent({ code: 'no_customer', message: 'the subscription has no customer at the provider' })
    return { account, subscription, do: 'card', card: await defaultCard(account, customer) }
  }
  return {
    account,
    subscription,
    do: change.kind === 'cancel' && (await isCollecting(account, subscription)) ? 'cancel_now' : change.kind,
  }
}

function call(
  client: Stripe,
  request: Request,
  options: Stripe.RequestOptions,
): Promise<Stripe.Response<Stripe.Subscription>> {
  const { subscription } = request
  if (request.do === 'cancel_now') return client.subscriptions.cancel(subscription, {}, options)
  if (request.do === 'card')
    return client.subscriptions.update(subscription, { default_payment_method: request.card }, options)
  // The empty `cancel_at` takes back both ways of ending.
  return client.subscriptions.update(
    subscription,
    request.do === 'cancel' ? { cancel_at_period_end: true } : { cancel_at: '' },
    options,
  )
}

/** The verdict of an answer; null where it does not show what was asked. */
function verdictOf(request: Request, answer: Stripe.Response<Stripe.Subscription>): Verdict | null {
  const { data } = ProviderSubscription.safeParse(answer)
  const at = answeredAt(answer)
  if (!data || data.id !== request.subscription) return null
  const state = billingStateOf(data, at)
  const isEnding = isOver(state.billing_status) || state.cancel_at !== null
  const shows = {
    cancel: isEnding,
    cancel_now: isOver(state.billing_status),
    resume: !isEnding,
    card: request.do === 'card' && data.default_payment_method === request.card,
  }
  if (!shows[request.do]) return null
  return { kind: 'succeeded', evidence: { ...state, do: request.do }, columns: { ...state, reported_at: at } }
}

export const sendSubscriptionChange = once({
  row: subscriptionChangeEffect,
  prepare,
  send: (request, sending) =>
    sendToStripe(
      sending,
      request.account,
      'subscription',
      (client, options) => call(client, request, options),
      (answer) => verdictOf(request, answer as Stripe.Response<Stripe.Subscription>),
    ),
})
