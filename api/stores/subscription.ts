// The plan of a store: the platform charges it for the store's own use of the service.
import { z } from 'zod'
import { config } from '../../config.ts'
import type { EntityManager } from '../../entities/kit/database/orm.ts'
import { requestStorePortal } from '../../entities/portal/portal-links.ts'
import { choosePlan, readPlanRows, type StoreRow } from '../../entities/subscriptions/store-subscription.ts'
import { PriceInterval } from '../../rules/audiences/audiences.ts'
import { expectedTotal } from '../../rules/carts/expected-total.ts'
import { ReturnUrl } from '../../rules/input/return-url.ts'
import { SessionState } from '../../rules/payments/payments.ts'
import { declineOf } from '../../rules/payments/provider-answers.ts'
import { conflict, invalid, Refusal, unavailable } from '../../rules/refusal.ts'
import { Amount, EffectError, EffectStatus } from '../../rules/shapes.ts'
import { freePlanOf, isFree, isPageUnknown, type Plan, storeSubscription } from '../../rules/subscriptions/plans.ts'
import { Reply } from '../kit/answer/replies.ts'
import { route } from '../kit/route.ts'
import { PaymentAction } from '../orders/checkout.ts'
import { PortalOut, PortalReturnUrl, portalRefusals, portalWait, requestedPortal } from '../portal/portal.ts'

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
      .describe('Prices by market: a {store} pays that of its first market that has one. Empty for the free plan.'),
  })
  .meta({ id: 'StorePlan', description: 'A plan that a {store} can choose.' })

const seconds = (description: string) =>
  z.int().nullable().describe(`${description}, in Unix seconds; null if there is none.`)

const [none, cardCheckout] = PaymentAction.options
const PlanPaymentAction = z.discriminatedUnion('type', [none, cardCheckout.omit({ account_id: true })]).meta({
  id: 'PlanPaymentAction',
  description: "What the browser has to do next to pay. The payment form is one of the platform's own account.",
})

const StoreSubscriptionOut = z
  .object({
    plan_id: z.string().max(63).describe('Identifier of the plan that the {store} has.'),
    next_plan_id: z
      .string()
      .max(63)
      .nullable()
      .describe('Identifier of the plan that the {store} has after its paid time; null if the plan goes on.'),
    billing_status: z
      .string()
      .describe("The payment provider's status of the subscription; `active` for the free plan."),
    market: z.string().nullable().describe('Key of the market whose price is charged; null for the free plan.'),
    currency: z.string().nullable().describe('Currency of the amount, ISO 4217; null for the free plan.'),
    amount: Amount.describe('Amount that is charged repeatedly, in minor units; 0 for the free plan.'),
    started_at: seconds('Time at which the {store} chose the paid plan'),
    paid_through_at: seconds('End of the time that is paid'),
    cancel_at: seconds('Time at which the paid plan ends'),
    canceled_at: seconds('Time at which the last paid plan ended'),
    checkout: z
      .object({
        plan_id: z.string().max(63).describe('Identifier of the plan that was chosen.'),
        status: EffectStatus.describe(
          'Outcome of opening the payment form. `unknown`: it may be open and is not opened again.',
        ),
        state: SessionState.nullable().describe('State of the payment form; null while it is not known to exist.'),
        return_url: z.string().describe('Address that the payment form returns to.'),
        expires_at: seconds('Time at which the payment form expires'),
        error: EffectError.nullable().describe('Why the payment form could not be opened; null if it could.'),
      })
      .nullable()
      .describe('The newest choice of a paid plan that was not paid; null if there is none.'),
    payment_action: PlanPaymentAction,
  })
  .meta({
    id: 'StoreSubscription',
    description: "The {store}'s subscription to a plan. A {store} without one has the free plan.",
  })

const shownPlan = ({ id, name, interval, features, prices }: Plan) => {
  const [first] = prices
  return {
    id,
    name,
    amount: first?.amount ?? 0,
    currency: first?.currency ?? null,
    interval: first ? interval : null,
    features,
    prices,
  }
}

const isOpen = (row: StoreRow): row is StoreRow & { client_secret: string } =>
  row.status === 'pending' &&
  !row.cancel_requested &&
  row.session_status === 'succeeded' &&
  row.state === 'open' &&
  row.client_secret !== null

/** The payment form that is open. */
function actionOf(rows: readonly StoreRow[]): z.input<typeof PlanPaymentAction> {
  const open = rows.find(isOpen)
  if (!open || open.cancel_url !== null) return { type: 'none' }
  const { client_secret, expires_at } = open
  return {
    ...{
      type: 'card_embedded_checkout',
      provider: 'stripe',
      publishable_key: config.stripe.publishableKey,
      client_secret,
    },
    ...(expires_at === null ? {} : { expires_at }),
  }
}

const shown = (rows: readonly StoreRow[]) => ({
  ...storeSubscription(rows, freePlanOf(config.storePlans)),
  payment_action: actionOf(rows),
})

const unknownCheckout = () =>
  conflict(
    'checkout_unknown',
    'It cannot be proved whether the payment form was opened. Another one opens when it was found and closed, or has expired.',
  )

/**
 * The choice and all of the store's once its page is open or paid; undefined until then. Throws the refusal of one that
 * was given up.
 */
async function opened(
  em: EntityManager,
  tenantId: string,
  id: string,
  now: number,
): Promise<{ row: StoreRow; rows: StoreRow[] } | undefined> {
  const rows = await readPlanRows(em, tenantId)
  const row = rows.find((one) => one.id === id)
  if (!row) throw conflict('subscription_cancelled', 'Another plan was chosen meanwhile.')
  if (isPageUnknown(row, now)) throw unknownCheckout()
  if (row.status === 'live' || row.status === 'ended' || row.state === 'complete') return { row, rows }
  if (row.status === 'given_up') {
    if (row.error?.code === 'checkout_unknown') throw unknownCheckout()
    if (row.cancel_requested || row.session_status === null)
      throw conflict('subscription_cancelled', 'Another plan was chosen meanwhile.')
    const declined = row.session_status === 'rejected' ? declineOf(row.session_error) : null
    if (declined) throw new Refusal(422, 'payment_rejected', declined)
    throw unavailable(
      'provider_retryable',
      'The payment form could not be opened and nothing was charged. Repeat the request.',
    )
  }
  return isOpen(row) ? { row, rows } : undefined
}

const plans = {
  may: 'account',
  out: z.object({ items: z.array(PlanOut).describe('The plans.') }),
  run: () => ({ items: config.storePlans.map(shownPlan) }),
} as const

const choiceRefusals = [
  ...([
    'plan_unknown',
    'plan_unavailable',
    'subscription_active',
    'subscription_cancelled',
    'payment_in_progress',
    'checkout_unknown',
  ] as const),
  ...(['change_in_flight', 'total_changed', 'payment_rejected', 'provider_retryable', 'engine_unavailable'] as const),
] as const

const PlanId = z.string().min(1).max(63).describe('Identifier of the plan.')

/** The plan of that id. 422 plan_unknown. */
function planOf(id: string): Plan {
  const plan = config.storePlans.find((one) => one.id === id)
  if (!plan) throw invalid('/plan_id', 'plan_unknown', 'There is no such plan.')
  return plan
}

function notYet(_: unknown, engineAway: boolean): never {
  throw unavailable(
    engineAway ? 'engine_unavailable' : 'provider_retryable',
    'The provider has not answered yet. Repeat the request.',
  )
}

export const storeSubscriptions = [
  route('GET /v1/stores/plans', {
    ...plans,
    operation: 'listPlans',
    summary: 'List the plans that a {store} can choose',
  }),
  route('GET /v1/stores/{storeId}/subscription', {
    operation: 'getStoreSubscription',
    may: 'owner',
    summary: "Read the {store}'s subscription",
    out: StoreSubscriptionOut,
    run: async ({ em, tenant_id }) => shown(await readPlanRows(em, tenant_id)),
  }),
  route('POST /v1/stores/{storeId}/subscription', {
    operation: 'choosePlan',
    may: 'owner',
    active: true,
    refuses: choiceRefusals,
    summary: 'Choose a plan for the {store}',
    description:
      'A paid plan opens a payment form, which `payment_action` describes; the same plan and `return_url` again return the same form, and another choice closes it first. The free plan ' +
      'ends a paid plan at the end of its paid time; the same paid plan again lets it go on. 409 `subscription_active` for another paid plan while one is paid. 409 `checkout_unknown` if it ' +
      'cannot be proved whether a form was opened, `total_changed` if the price is not `expected_total`. 503 `provider_retryable`: repeat the request.',
    body: z.object({
      plan_id: PlanId,
      return_url: ReturnUrl.describe('Address that the payment form returns to: https, or http for localhost.'),
      expected_total: expectedTotal,
    }),
    out: StoreSubscriptionOut,
    async run({ em, tenant_id, body: { plan_id, return_url, expected_total }, now }) {
      const plan = planOf(plan_id)
      const id = await choosePlan(em, tenant_id, { plan, return_url, cancel_url: null, expected_total }, now)
      return new Reply(shown(await readPlanRows(em, tenant_id)), {
        pending: id === null || isFree(plan) ? undefined : { id, now },
      })
    },
    wait: {
      async until({ em, tenant_id, pending: { id, now } }) {
        const found = await opened(em, tenant_id, id, now)
        return found && shown(found.rows)
      },
      late: notYet,
    },
  }),
  route('POST /v1/stores/{storeId}/subscription/portal', {
    operation: 'openStorePortal',
    may: 'owner',
    refuses: portalRefusals,
    summary: "Request a link to the portal with the {store}'s invoices and payment methods",
    description:
      '409 `no_billing_customer` if the {store} has never paid for a plan. 503 `provider_retryable`: repeat the request.',
    body: z.object({ return_url: PortalReturnUrl }),
    out: PortalOut,
    run: async ({ em, tenant_id, body, now }) =>
      requestedPortal(await requestStorePortal(em, tenant_id, body.return_url, now)),
    wait: portalWait,
  }),
]

const HostedPage = z.object({ url: z.string().describe("Address of the provider's page.") })

/** The same on the business surface, where a plan is paid on the provider's own page. */
export const businessPlans = [
  route('GET /v1/businesses/plans', {
    ...plans,
    operation: 'listBusinessPlans',
    summary: 'List the plans that a business can choose',
  }),
  route('POST /v1/businesses/{businessId}/subscribe', {
    operation: 'subscribeBusiness',
    may: 'owner',
    active: true,
    refuses: choiceRefusals,
    summary: "Open the payment provider's page for a plan",
    description:
      'The same plan and addresses again return the same page, and another choice closes it first: a business never has two open pages, nor two subscriptions. 409 `subscription_active` ' +
      'while a plan is paid. 422 `plan_unavailable` for the free plan. 409 `checkout_unknown` if it cannot be proved whether a page was opened, `total_changed` if the price is not `expected_total`. 503 `provider_retryable`: repeat the request.',
    body: z.object({
      plan_id: PlanId,
      success_url: ReturnUrl.describe('Address that the page goes to after the payment: https, or http for localhost.'),
      cancel_url: ReturnUrl.describe(
        'Address that the page goes back to without a payment: https, or http for localhost.',
      ),
      expected_total: expectedTotal,
    }),
    out: HostedPage.meta({ id: 'SubscriptionPage', description: 'A page on which a plan is paid for.' }),
    async run({ em, tenant_id, body: { plan_id, success_url, cancel_url, expected_total }, now }) {
      const plan = planOf(plan_id)
      if (isFree(plan))
        throw invalid('/plan_id', 'plan_unavailable', 'The free plan has no page: choose it through the subscription.')
      const id = await choosePlan(em, tenant_id, { plan, return_url: success_url, cancel_url, expected_total }, now)
      if (id === null) throw conflict('subscription_active', 'The business has this plan.')
      return new Reply({ url: '' }, { pending: { id, now } })
    },
    wait: {
      async until({ em, tenant_id, pending: { id, now } }) {
        const found = await opened(em, tenant_id, id, now)
        if (found && !isOpen(found.row)) throw conflict('subscription_active', 'The plan was paid meanwhile.')
        return found && { url: found.row.client_secret ?? '' }
      },
      late: notYet,
    },
  }),
  route('POST /v1/businesses/{businessId}/subscription/portal', {
    operation: 'openBusinessPortal',
    may: 'owner',
    refuses: portalRefusals,
    summary: "Request a link to the portal with the business's invoices and payment methods",
    description:
      '409 `no_billing_customer` if the business has never paid for a plan. 503 `provider_retryable`: repeat the request.',
    body: z.object({ return_url: PortalReturnUrl }),
    out: HostedPage.meta({ id: 'PortalPage', description: "A link to the payment provider's customer portal." }),
    run: async ({ em, tenant_id, body, now }) =>
      new Reply({ url: '' }, { pending: await requestStorePortal(em, tenant_id, body.return_url, now) }),
    wait: {
      async until(look) {
        const found = await portalWait.until(look)
        return found && { url: found.portal_url }
      },
      late: portalWait.late,
    },
  }),
]
