// The plans that a store itself may pay for, and what a store's subscription is by its rows.
import { z } from 'zod'
import { amountFault, PriceInterval } from '../audiences/audiences.ts'
import type { SessionState } from '../payments/payments.ts'
import { Currency, type EffectStatus } from '../shapes.ts'
import type { CancelledBy, SubscriptionStatus } from './subscriptions.ts'

const PlanPrice = z
  .strictObject({
    market: z.string().min(1).max(255).describe('Key of the market whose {stores} pay this price.'),
    currency: Currency.describe('Currency, ISO 4217.'),
    amount: z.int().positive().describe('Amount in minor units of the currency.'),
  })
  .superRefine(({ amount, currency }, ctx) => {
    const fault = amountFault({ amount, currency })
    if (fault) ctx.addIssue({ code: 'custom', path: ['amount'], message: fault.detail })
  })
type PlanPrice = z.output<typeof PlanPrice>

const Plan = z.strictObject({
  id: z
    .string()
    .regex(/^[a-z0-9][a-z0-9_-]{0,62}$/, 'Expected 1 to 63 small letters, digits, hyphens and underscores.'),
  name: z.string().trim().min(1).max(200),
  features: z.array(z.string().min(1).max(500)).max(100).default([]),
  /** How often a price is charged. */
  interval: PriceInterval.default({ period: 'month', count: 1 }),
  /** None: the plan is free. */
  prices: z
    .array(PlanPrice)
    .max(100)
    .refine((prices) => new Set(prices.map(({ market }) => market)).size === prices.length, 'A market has two prices.')
    .default([]),
})
export type Plan = z.output<typeof Plan>

/** The setting STORE_PLANS. Exactly one plan is free: stores without a subscription have it. */
export const Plans = z
  .array(Plan)
  .max(50)
  .refine((plans) => new Set(plans.map(({ id }) => id)).size === plans.length, 'Two plans have one id.')
  .refine((plans) => plans.filter(isFree).length === 1, 'Exactly one plan must be without prices.')

export const isFree = ({ prices }: Pick<Plan, 'prices'>): boolean => prices.length === 0

export const freePlanOf = (plans: readonly Plan[]): Plan => {
  const free = plans.find(isFree)
  if (!free) throw new Error('no plan is free')
  return free
}

/**
 * The price that a store pays: that of its first market which has one. `markets` are its markets' keys, the oldest
 * first.
 */
export const priceFor = (plan: Plan, markets: readonly string[]): PlanPrice | null =>
  markets.map((key) => plan.prices.find(({ market }) => market === key)).find((price) => price !== undefined) ?? null

type RowError = { code: string; message: string; provider_status?: number; provider_code?: string }

/** A subscription of a store, with the page on which it is paid. Times in Unix seconds. */
export type PlanRow = {
  id: string
  plan_id: string
  status: SubscriptionStatus
  billing_status: string | null
  market: string | null
  currency: string
  amount: number
  return_url: string | null
  cancel_url: string | null
  paid_through_at: number | null
  cancel_requested: boolean
  cancelled_by: CancelledBy | null
  cancel_at: number | null
  /** Its cancellation was requested. */
  is_ending: boolean
  /** The ending is being taken back. */
  is_resuming: boolean
  ended_at: number | null
  created_at: number
  error: RowError | null
  session_status: EffectStatus | null
  state: SessionState | null
  expires_at: number | null
  session_error: RowError | null
}

/** The longest time for which the provider leaves a page open, in seconds. */
const PAGE_MAX_S = 86_400

/**
 * Whether a page may be open that is not known: nothing else may be paid until it is found and closed, or has expired.
 * `now` in Unix seconds.
 */
export const isPageUnknown = ({ session_status, state, expires_at, created_at }: PlanRow, now: number): boolean =>
  session_status === 'unknown' &&
  state !== 'expired' &&
  state !== 'complete' &&
  (expires_at ?? created_at + PAGE_MAX_S) > now

/** The subscription of a store, by its rows, the newest first. */
export function storeSubscription(rows: readonly PlanRow[], free: Plan) {
  const live = rows.find(({ status }) => status === 'live')
  const ended = rows.find(({ status }) => status === 'ended')
  const [newest] = rows
  const attempt = newest && newest.status !== 'live' && newest.status !== 'ended' ? newest : null
  const isEnding = live !== undefined && (live.cancel_at !== null || live.is_ending)
  return {
    plan_id: live?.plan_id ?? free.id,
    next_plan_id: isEnding ? free.id : null,
    billing_status: live ? (live.billing_status ?? 'active') : 'active',
    market: live?.market ?? null,
    currency: live?.currency ?? null,
    amount: live?.amount ?? 0,
    started_at: live?.created_at ?? null,
    paid_through_at: live?.paid_through_at ?? ended?.paid_through_at ?? null,
    cancel_at: live?.cancel_at ?? null,
    canceled_at: live ? null : (ended?.ended_at ?? null),
    checkout: attempt && {
      plan_id: attempt.plan_id,
      status: attempt.session_status ?? ('requested' as const),
      state: attempt.state,
      return_url: attempt.return_url ?? '',
      expires_at: attempt.expires_at,
      error: attempt.session_error ?? attempt.error,
    },
  }
}
