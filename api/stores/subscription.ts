// The plan of a store: the platform charges it for the store's own use of the service.
import { z } from 'zod'
import { config } from '../../config.ts'
import type { EntityManager } from '../../entities/kit/orm.ts'
import { requestStorePortal } from '../../entities/subscriptions/portal-links.ts'
import { choosePlan, readPlanRows, type StoreRow } from '../../entities/subscriptions/store-subscription.ts'
import { PriceInterval } from '../../rules/audiences/audiences.ts'
import { ReturnUrl } from '../../rules/input/return-url.ts'
import { SessionState } from '../../rules/orders/payments.ts'
import { declineOf } from '../../rules/orders/provider-answers.ts'
import { conflict, invalid, Refusal, unavailable } from '../../rules/refusal.ts'
import { Amount, EffectError, EffectStatus } from '../../rules/shapes.ts'
import { freePlanOf, isFree, isPageUnknown, type Plan, storeSubscription } from '../../rules/subscriptions/plans.ts'
import { Reply, route } from '../kit/route.ts'
import { PaymentAction } from '../orders/checkout.ts'
import { PortalOut, PortalReturnUrl, portalRefusals, portalWait, requestedPortal } from '../subscriptions/portal.ts'

const PlanOut = z
  .object({
    id: z.string().max(63).describe('Identifier of the plan.'),
    name: z.string().describe('Name of the plan for people.'),
    amount: Amount.describe('Amount of the first price, in minor units of `currency`; 0 for the free plan.'),
    currency: z.string().nullable().describe('Currency of the first price, ISO 4217; null for the free plan.'),
    interval: PriceInterval.nullable().describe('How often it is charged; null for the free plan.'),
    features: z.array(z.string()).describe('What the plan offers, one text per feature.'),
    prices: z
      .array(
        z.object({
          market: z.string().describe('Key of the market.'),
          currency: z.string().describe('Currency, ISO 4217.'),
          amount: Amount.describe('Amount in minor units of the currency.'),
        }),
      )
      .describe('Prices by market: a store pays that of its first market that has one. Empty for the free plan.'),
  })
  .meta({ id: 'StorePlan', description: 'A plan that a store can choose.' })

const seconds = (description: string) => z.int().nullable().describe(`${description}, in Unix seconds; null if there is none.`)

const [none, cardCheckout] = PaymentAction.options
const PlanPaymentAction = z
  .discriminatedUnion('type', [none, cardCheckout.omit({ account_id: true })])
  .meta({ id: 'PlanPaymentAction', description: "What the browser has to do next to pay. The payment form is one of the platform's own account." })

const StoreSubscriptionOut = z
  .object({
    plan_id: z.string().max(63).describe('Identifier of the plan that the store has.'),
    next_plan_id: z.string().max(63).nullable().describe('Identifier of the plan that the store has after its paid time; null if the plan goes on.'),
    billing_status: z.string().describe("The payment provider's status of the subscription; `active` for the free plan."),
    market: z.string().nullable().describe('Key of the market whose price is charged; null for the free plan.'),
    currency: z.string().nullable().describe('Currency of the amount, ISO 4217; null for the free plan.'),
    amount: Amount.describe('Amount that is charged repeatedly, in minor units; 0 for the free plan.'),
    started_at: seconds('Time at which the store chose the paid plan'),
    paid_through_at: seconds('End of the time that is paid'),
    cancel_at: seconds('Time at which the paid plan ends'),
    canceled_at: seconds('Time at which the last paid plan ended'),
    checkout: z
      .object({
        plan_id: z.string().max(63).describe('Identifier of the plan that was chosen.'),
        status: EffectStatus.describe('Outcome of opening the payment form. `unknown`: it may be open and is not opened again.'),
        state: SessionState.nullable().describe('State of the payment form; null while it is not known to exist.'),
        return_url: z.string().describe('Address that the payment form returns to.'),
        expires_at: seconds('Time at which the payment form expires'),
        error: EffectError.nullable().describe('Why the payment form could not be opened; null if it could.'),
      })
      .nullable()
      .describe('The newest choice of a paid plan that was not paid; null if there is none.'),
    payment_action: PlanPaymentAction,
  })
  .meta({ id: 'StoreSubscription', description: "The store's subscription to a plan. A store without one has the free plan." })

const shownPlan = ({ id, name, interval, features, prices }: Plan) => {
  const [first] = prices
  return { id, name, amount: first?.amount ?? 0, currency: first?.currency ?? null, interval: first ? interval : null, features, prices }
}

/** The payment form that is open. */
function actionOf(rows: readonly StoreRow[]): z.input<typeof PlanPaymentAction> {
  const open = rows.find(({ status }) => status === 'pending')
  if (!open || open.cancel_requested || open.session_status !== 'succeeded' || open.state !== 'open' || !open.client_secret) return { type: 'none' }
  const { client_secret, expires_at } = open
  return {
    ...{ type: 'card_embedded_checkout', provider: 'stripe', publishable_key: config.stripe.publishableKey, client_secret },
    ...(expires_at === null ? {} : { expires_at }),
  }
}

const shown = (rows: readonly StoreRow[]) => ({ ...storeSubscription(rows, freePlanOf(config.storePlans)), payment_action: actionOf(rows) })

const unknownCheckout = () =>
  conflict('checkout_unknown', 'It cannot be proved whether the payment form was opened. Another one opens when it was found and closed, or has expired.')

/** The subscription once its page is open or paid; undefined until then. Throws the refusal of one that was given up. */
async function opened(em: EntityManager, tenantId: string, id: string, now: number) {
  const rows = await readPlanRows(em, tenantId)
  const row = rows.find((one) => one.id === id)
  if (!row) throw conflict('subscription_cancelled', 'Another plan was chosen meanwhile.')
  if (isPageUnknown(row, now)) throw unknownCheckout()
  if (row.status === 'live' || row.status === 'ended' || row.state === 'complete') return shown(rows)
  if (row.status === 'given_up') {
    if (row.error?.code === 'checkout_unknown') throw unknownCheckout()
    if (row.cancel_requested || row.session_status === null) throw conflict('subscription_cancelled', 'Another plan was chosen meanwhile.')
    const declined = row.session_status === 'rejected' ? declineOf(row.session_error) : null
    if (declined) throw new Refusal(422, 'payment_rejected', declined)
    throw unavailable('provider_retryable', 'The payment form could not be opened and nothing was charged. Repeat the request.')
  }
  const answer = shown(rows)
  return answer.payment_action.type === 'none' ? undefined : answer
}

export const storeSubscriptions = [
  route('GET /v1/stores/plans', {
    operation: 'listPlans',
    may: 'account',
    summary: 'List the plans that a store can choose',
    out: z.object({ items: z.array(PlanOut).describe('The plans.') }),
    run: () => ({ items: config.storePlans.map(shownPlan) }),
  }),
  route('GET /v1/stores/{storeId}/subscription', {
    operation: 'getStoreSubscription',
    may: 'owner',
    summary: "Read the store's subscription",
    out: StoreSubscriptionOut,
    run: async ({ em, tenant_id }) => shown(await readPlanRows(em, tenant_id)),
  }),
  route('POST /v1/stores/{storeId}/subscription', {
    operation: 'choosePlan',
    may: 'owner',
    refuses: [
      ...([
        'plan_unknown',
        'plan_unavailable',
        'subscription_active',
        'subscription_cancelled',
        'payment_in_progress',
        'checkout_unknown',
        'change_in_flight',
      ] as const),
      ...(['payment_rejected', 'provider_retryable', 'engine_unavailable'] as const),
    ],
    summary: 'Choose a plan for the store',
    description:
      'A paid plan opens a payment form, which `payment_action` describes; the same plan and `return_url` again return the same form, and another choice closes it first. The free plan ' +
      'ends a paid plan at the end of its paid time; the same paid plan again lets it go on. 409 `subscription_active` for another paid plan while one is paid. 409 `checkout_unknown` if it ' +
      'cannot be proved whether a form was opened. 503 `provider_retryable`: repeat the request.',
    body: z.object({
      plan_id: z.string().min(1).max(63).describe('Identifier of the plan.'),
      return_url: ReturnUrl.describe('Address that the payment form returns to: https, or http for localhost.'),
    }),
    out: StoreSubscriptionOut,
    async run({ em, tenant_id, body: { plan_id, return_url }, now }) {
      const plan = config.storePlans.find(({ id }) => id === plan_id)
      if (!plan) throw invalid('/plan_id', 'plan_unknown', 'There is no such plan.')
      const id = await choosePlan(em, tenant_id, { plan, return_url }, now)
      return new Reply(shown(await readPlanRows(em, tenant_id)), { pending: id === null || isFree(plan) ? undefined : { id, now } })
    },
    wait: {
      until: ({ em, tenant_id, pending: { id, now } }) => opened(em, tenant_id, id, now),
      late(_, engineAway) {
        throw unavailable(engineAway ? 'engine_unavailable' : 'provider_retryable', 'The provider has not answered yet. Repeat the request.')
      },
    },
  }),
  route('POST /v1/stores/{storeId}/subscription/portal', {
    operation: 'openStorePortal',
    may: 'owner',
    refuses: portalRefusals,
    summary: "Request a link to the portal with the store's invoices and payment methods",
    description: '409 `no_billing_customer` if the store has never paid for a plan. 503 `provider_retryable`: repeat the request.',
    body: z.object({ return_url: PortalReturnUrl }),
    out: PortalOut,
    run: async ({ em, tenant_id, body, now }) => requestedPortal(await requestStorePortal(em, tenant_id, body.return_url, now)),
    wait: portalWait,
  }),
]
