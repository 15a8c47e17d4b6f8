// Signed events of Stripe. The signature is checked over the raw bytes; an event is stored once, by the provider's id,
// and applied in the same transaction.
import type { EntityManager } from '@mikro-orm/postgresql'
import Stripe from 'stripe'
import { z } from 'zod'
import { unixNow } from '../../adapters/clock.ts'
import { config } from '../../config.ts'
import { Integration } from '../../entities/automation/integration.ts'
import { anyTenant } from '../../entities/kit/database/orm.ts'
import * as authorizations from '../../entities/payments/authorizations.ts'
import { accountOfIntegration } from '../../entities/payments/charging-account.ts'
import { applyDispute } from '../../entities/payments/dispute-events.ts'
import { waiting } from '../../entities/payments/early-events.ts'
import { applySession, findPage, recordDecline, type SessionFacts } from '../../entities/payments/page-events.ts'
import { insertProviderEvent, noteOutcome, type Outcome } from '../../entities/payments/provider-events.ts'
import { applyRefund } from '../../entities/refunds/refund-events.ts'
import { applyAccount } from '../../entities/stores/payment-provider-events.ts'
import { applyPage } from '../../entities/subscriptions/completed-pages.ts'
import { applyInvoiceFailed, applyInvoicePaid } from '../../entities/subscriptions/invoices.ts'
import { applyCustomer, applySubscription } from '../../entities/subscriptions/states.ts'
import { cardSecretsOf, webhookSecretsOf } from '../../rules/automation/integrations.ts'
import { textFaults } from '../../rules/input/storable.ts'
import type { disputeStatuses } from '../../rules/payments/disputes.ts'
import { ourAmount } from '../../rules/payments/provider-amounts.ts'
import { conflict, Refusal } from '../../rules/refusal.ts'
import { Customer, CustomerBefore, Invoice, ProviderSubscription } from '../../rules/subscriptions/events.ts'
import { type Headers, headerOf } from '../kit/caller.ts'
import { route } from '../kit/route.ts'
import { countingTarget, refuseTarget } from '../limits/failures.ts'

/** The fields of every event. */
const Envelope = z.object({
  id: z.string().min(1).max(255),
  type: z.string().min(1).max(255),
  account: z.string().max(255).nullish(),
  created: z.int().min(0).max(253_402_300_799),
  livemode: z.boolean(),
  data: z.object({ object: z.looseObject({}) }),
})

/** The mode of a key: events of the other mode change nothing. */
const isLive = (secretKey: string) => /^(sk|rk)_live_/.test(secretKey)

const badSignature = () => new Refusal(400, 'bad_signature', 'The signature does not match the body.')
const badEvent = () => new Refusal(400, 'bad_event', 'The signed body is not an event.')

/** Seconds that the time of a signature may be ahead of ours. Its age is checked with the signature. */
const aheadS = 300

/** A signature of a later time could be used again when its age is right. */
const isOfLater = (signature: string): boolean => Number(/(?:^|,)\s*t=(\d+)/.exec(signature)?.[1]) > unixNow() + aheadS

/** The event, if one of the secrets signed it: each endpoint at the provider has its own. */
function signed(raw: Buffer, signature: string, secrets: readonly string[]): Stripe.Event | undefined {
  for (const secret of secrets) {
    try {
      return Stripe.webhooks.constructEvent(raw, signature, secret)
    } catch {
      // The next secret may match.
    }
  }
  return undefined
}

function verified(raw: Buffer, signature: string | string[] | undefined, secrets: readonly string[]): Stripe.Event {
  const given = typeof signature === 'string' ? signature : ''
  const event = signed(raw, given, secrets)
  if (!event || isOfLater(given)) throw badSignature()
  // A signed body may still have another shape, for example from a newer version of the provider's API.
  if (!Envelope.safeParse(event).success || textFaults(event).length > 0) throw badEvent()
  return event
}

const idOf = (value: string | { id: string } | null | undefined): string | null =>
  typeof value === 'string' ? value : (value?.id ?? null)
const currencyOf = (currency: string) => currency.toUpperCase()

/** The literal statuses of the SDK's type, without its `string` member. */
type Literal<T> = T extends string ? (string extends T ? never : T) : never
/** Does not compile if the SDK has a status that the rules do not map. */
const disputeStatus = (status: Literal<Stripe.Dispute.Status>): keyof typeof disputeStatuses => status

type Apply = (em: EntityManager, event: Stripe.Event, now: number) => Promise<Outcome>

const session: Apply = async (em, event, now) => {
  const one = event.data.object as Stripe.Checkout.Session
  const currency = one.currency ? currencyOf(one.currency) : null
  const facts: SessionFacts = {
    id: one.id,
    status: one.status === 'complete' ? 'complete' : one.status === 'expired' ? 'expired' : 'open',
    paid: one.payment_status === 'paid',
    amount: one.amount_total === null || !currency ? null : ourAmount(one.amount_total, currency),
    currency,
    payment_intent: idOf(one.payment_intent),
    payment_session: one.metadata?.payment_session ?? null,
  }
  const page = await findPage(em, event.account ?? null, facts)
  if (typeof page === 'string') return page
  if (page.order_id) return applySession(em, page, facts, event.id, now)
  return applyPage(
    em,
    page,
    { ...facts, subscription: idOf(one.subscription), customer: idOf(one.customer) },
    event.id,
    now,
  )
}

/** The object of an event, in the shape that is read of it. 400 bad_event. */
function read<T>(shape: z.ZodType<T>, value: unknown): T {
  const parsed = shape.safeParse(value)
  if (!parsed.success) throw badEvent()
  return parsed.data
}

const invoicePaid: Apply = (em, event, now) =>
  applyInvoicePaid(em, event.account ?? null, read(Invoice, event.data.object), event.id, now)

const subscription: Apply = (em, event, now) =>
  applySubscription(em, event.account ?? null, read(ProviderSubscription, event.data.object), event.created, now)

const customer: Apply = async (em, event, now) => {
  const { id, invoice_settings } = read(Customer, event.data.object)
  const before = read(CustomerBefore, event.data.previous_attributes ?? {}).invoice_settings
  const isOther =
    before?.default_payment_method !== undefined &&
    before.default_payment_method !== invoice_settings.default_payment_method
  return isOther && invoice_settings.default_payment_method
    ? applyCustomer(em, event.account ?? null, id, now)
    : 'ignored: the same card'
}

const refund: Apply = (em, event, now) => {
  const one = event.data.object as Stripe.Refund
  const currency = currencyOf(one.currency)
  return applyRefund(
    em,
    event.account ?? null,
    {
      id: one.id,
      status: one.status ?? 'pending',
      amount: ourAmount(one.amount, currency),
      currency,
      payment_intent: idOf(one.payment_intent),
      refund: one.metadata?.refund ?? null,
      reason: one.failure_reason ?? null,
    },
    event.id,
    now,
  )
}

const dispute: Apply = (em, event, now) => {
  const one = event.data.object as Stripe.Dispute
  const currency = currencyOf(one.currency)
  return applyDispute(
    em,
    event.account ?? null,
    {
      id: one.id,
      status: disputeStatus(one.status as Literal<Stripe.Dispute.Status>),
      closed: event.type === 'charge.dispute.closed',
      amount: ourAmount(one.amount, currency),
      currency,
      reason: one.reason ?? null,
      payment_intent: idOf(one.payment_intent),
      evidence_due_at: one.evidence_details?.due_by ?? null,
      event_at: event.created,
    },
    event.id,
    now,
  )
}

const intentOf = (event: Stripe.Event, amount: 'amount_capturable' | 'amount_received'): authorizations.IntentFacts => {
  const one = event.data.object as Stripe.PaymentIntent
  const currency = currencyOf(one.currency)
  return {
    id: one.id,
    payment_session: one.metadata.payment_session ?? null,
    amount: ourAmount(one[amount], currency),
    currency,
  }
}

/** The charge of an authorisation says when that ends. */
const charge: Apply = async (em, event, now) => {
  const one = event.data.object as Stripe.Charge
  const captureBefore = one.captured ? undefined : one.payment_method_details?.card?.capture_before
  if (!captureBefore) return 'not used'
  return authorizations.applyCaptureBefore(
    em,
    event.account ?? null,
    one.metadata.payment_session ?? null,
    captureBefore,
    now,
  )
}

const handlers: Record<string, Apply> = {
  'charge.succeeded': charge,
  'payment_intent.amount_capturable_updated': (em, event, now) =>
    authorizations.applyAuthorized(em, event.account ?? null, intentOf(event, 'amount_capturable'), event.id, now),
  'payment_intent.succeeded': (em, event, now) =>
    authorizations.applyCaptured(em, event.account ?? null, intentOf(event, 'amount_received'), event.id, now),
  'payment_intent.canceled': (em, event, now) => {
    const { id, metadata } = event.data.object as Stripe.PaymentIntent
    return authorizations.applyCanceled(
      em,
      event.account ?? null,
      { id, payment_session: metadata.payment_session ?? null },
      event.id,
      now,
    )
  },
  'checkout.session.completed': session,
  'checkout.session.expired': session,
  'invoice.paid': invoicePaid,
  'invoice.payment_failed': (em, event, now) =>
    applyInvoiceFailed(em, event.account ?? null, read(Invoice, event.data.object), now),
  'customer.subscription.created': subscription,
  'customer.subscription.updated': subscription,
  'customer.subscription.deleted': subscription,
  'customer.updated': customer,
  'refund.created': refund,
  'refund.updated': refund,
  'refund.failed': refund,
  'charge.dispute.created': dispute,
  'charge.dispute.updated': dispute,
  'charge.dispute.closed': dispute,
  'account.updated': (em, event, now) => applyAccount(em, event.data.object as Stripe.Account, event.created, now),
  'payment_intent.payment_failed': (em, event, now) => {
    const one = event.data.object as Stripe.PaymentIntent
    return recordDecline(
      em,
      event.account ?? null,
      one.metadata.payment_session ?? null,
      one.last_payment_error?.message ?? 'The card was declined.',
      now,
    )
  },
}

/**
 * Of an account with a secret key of its own: what is keyed by account. Others name accounts and customers that its
 * events prove nothing of.
 */
const ofOrders = ['checkout.session.', 'refund.', 'charge.dispute.', 'charge.succeeded', 'payment_intent.']

/** Stores the event once and applies it. `secretKey`: of the account that it is signed for. */
async function receive(
  em: EntityManager,
  event: Stripe.Event,
  apply: Apply | undefined,
  secretKey: string,
  now: number,
): Promise<void> {
  if (!(await insertProviderEvent(em, event, now))) return
  // An endpoint may receive events of both modes.
  const applied =
    event.livemode === isLive(secretKey) ? apply : () => `ignored: ${event.livemode ? 'live' : 'test'} mode`
  const outcome = await (applied?.(em, event, now) ?? 'not used')
  if (typeof outcome !== 'string')
    throw conflict('not_yet', `The event cannot be applied yet: ${outcome.retry}. Send it again.`)
  if (outcome !== waiting) await noteOutcome(em, event.id, outcome)
}

/** Refuses what is no signature in its form before the body is read. 400 bad_signature. */
function precheck(headers: Headers): void {
  const given = headerOf(headers, 'stripe-signature') ?? ''
  const parts = given.length > 4096 ? [] : given.split(',').map((part) => part.trim())
  if (![/^t=\d{1,12}$/, /^v1=[0-9a-f]{64}$/].every((form) => parts.some((part) => form.test(part))))
    throw badSignature()
}

/** A shape for each route: its name in the document is the route's. */
const received = () => z.object({ received: z.literal(true).describe('Always true: the event is stored.') })
const request = {
  headers: {
    'Stripe-Signature': { description: 'The signature of the body by the webhook secret: `t=…,v1=…`.', required: true },
  },
  unparsed: true,
  // Events have a few kilobytes; one with the longest lists that the provider sends has less than this.
  bytesMax: 256 * 1024,
  precheck,
} as const

export const stripeEvents = [
  route('POST /v1/webhooks/stripe', {
    operation: 'receiveStripeEvent',
    request,
    may: 'public',
    refuses: ['bad_event', 'bad_signature', 'not_yet'],
    summary: 'Receive a signed event of the provider',
    description:
      'Stores the event once and applies it. An event of a type that is not used is stored only. 400 `bad_signature` if the signature does not match the body. 409 `not_yet` if the ' +
      'event cannot be applied yet: the provider sends it again. Query parameters are ignored.',
    out: received(),
    async run({ em, raw, headers, now }) {
      const event = verified(raw, headers['stripe-signature'], config.stripe.webhookSecrets)
      await receive(em, event, handlers[event.type], config.stripe.secretKey, now)
      return { received: true as const }
    },
  }),
  route('POST /v1/webhooks/stripe/{integrationId}', {
    operation: 'receiveIntegrationEvent',
    request,
    may: 'public',
    refuses: ['bad_event', 'bad_signature', 'not_yet', 'too_many_requests'],
    summary: "Receive a signed event of an integration's account",
    description:
      'For the account of a `card_payment` integration, whose `webhook_secret` signs the body; the one before is accepted for three days. Stores the event once and applies it to payments of that account. 400 ' +
      '`bad_signature` if the signature does not match the body, or there is no such integration. 409 `not_yet` if the event cannot be applied yet: the provider sends it ' +
      'again. Query parameters are ignored.',
    out: received(),
    async run({ em, path, raw, headers, ip, now }) {
      const { integrationId } = path
      refuseTarget(integrationId, ip)
      const prove = async (found: () => void) => {
        const integration = await em.findOne(Integration, { id: integrationId, type: 'card_payment' }, anyTenant)
        if (!integration) throw badSignature()
        found()
        const secrets = cardSecretsOf(integration.credentials as string)
        return {
          integration,
          secret_key: secrets.secret_key,
          event: verified(raw, headers['stripe-signature'], webhookSecretsOf(secrets, now)),
        }
      }
      const { integration, secret_key, event } = await countingTarget(
        integrationId,
        ip,
        prove,
        ({ code }) => code === 'bad_signature',
      )
      const account = accountOfIntegration(integration.id)
      // Under the account: the owner of one secret cannot send the id of another account's event first, so that the
      // true one is taken for a repetition.
      const own = { ...event, id: `${account}/${event.id}`, account }
      if (own.id.length > 255) throw badEvent()
      const isUsed = event.account == null && ofOrders.some((type) => event.type.startsWith(type))
      await receive(em, own, isUsed ? handlers[event.type] : undefined, secret_key, now)
      return { received: true as const }
    },
  }),
]
