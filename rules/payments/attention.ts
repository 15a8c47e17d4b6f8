// What a person has to do about money, and what they may say about it.
import { z } from 'zod'
import {
  type AttentionEvidence,
  type AttentionKind,
  AttentionOutcome,
  type ItemText,
  type Mend,
  mending,
  outcomeWords,
  type ProviderPage,
  recorded,
  wrong,
} from '../attention.ts'
import { type DescribedRow, kindOf } from '../descriptions.ts'
import type { EffectName } from '../effects.ts'
import { isolated } from '../isolated.ts'
import type { ProcessKind } from '../processes.ts'
import type { Evidence, Resolution } from '../resolutions.ts'
import { formatMoney } from './currencies.ts'

/**
 * Requests to the payment provider whose outcome is not proved, or is contradicted; `payment`: what was taken is not
 * what was due, or has to go back; `subscription`: it charges without paid time, or cannot be read.
 */
export const MoneyKind = z.enum([
  ...([
    'refund',
    'capture',
    'cancel_authorization',
    'open_form',
    'close_form',
    'cancel_subscription',
    'cancel_now_subscription',
    'resume_subscription',
  ] as const),
  ...(['change_card', 'payment', 'subscription'] as const),
])
export type MoneyKind = z.infer<typeof MoneyKind>

/** `accepted`: another amount than the one due is kept as it is. */
export const MoneyOutcome = AttentionOutcome.extract(['succeeded', 'rejected', 'accepted'])
export type MoneyOutcome = z.infer<typeof MoneyOutcome>

/**
 * The codes of payments that can be accepted as they are: the others end when the payment is refunded, or the event
 * arrives.
 */
export const acceptable: readonly string[] = ['amount_mismatch', 'price_mismatch', 'paid_twice']

type Choosable = Pick<MoneyItem, 'kind' | 'status' | 'resolution' | 'superseded'>

/** What can be recorded about an item; none: it is over by itself when what is wrong is mended. */
export function choicesOf({ kind, status, resolution, superseded }: Choosable): MoneyOutcome[] {
  if (kind === 'payment') return acceptable.includes(status) ? ['accepted'] : []
  if (kind === 'subscription') return []
  if (superseded) return resolution ? ['rejected'] : []
  // What is still being sent, or was refused, has no outcome that a person could know better.
  return status === 'unknown' || resolution ? ['succeeded', 'rejected'] : []
}

export type MoneyItem = {
  id: string
  tenant_id: string
  kind: MoneyKind
  /** The status of a request, or the code of what is wrong with a payment or a membership. */
  status: string
  since: number
  amount: number | null
  currency: string | null
  payment_id: string | null
  order_id: string | null
  order_number: number | null
  order_cancelled: boolean | null
  subscription_id: string | null
  audience_id: string | null
  member_id: string | null
  provider_account_id: string | null
  provider_payment_id: string | null
  /** The provider's id of the refund, the payment form or the subscription. */
  provider_object_id: string | null
  error: ({ code: string; message: string } & Record<string, unknown>) | null
  evidence: Evidence | null
  late_evidence: Evidence | null
  resolution: Resolution | null
  /** It was not carried out, and another decision about its payment stands: what was recorded cannot be corrected. */
  superseded: boolean
  /** Of a request; in Unix seconds. */
  sent_at: number | null
  settled_at: number | null
}
type Tenant = Pick<DescribedRow, 'store' | 'tenant_kind'>

/** The effect of each kind of request. */
const effectOf = {
  refund: 'refund',
  capture: 'authorization_end',
  cancel_authorization: 'authorization_end',
  open_form: 'payment_session',
  close_form: 'session_expiry',
  cancel_subscription: 'subscription_change',
  cancel_now_subscription: 'subscription_change',
  resume_subscription: 'subscription_change',
  change_card: 'subscription_change',
} as const satisfies Partial<Record<MoneyKind, EffectName>>
/** The kinds of the list of everything. */
export const attentionKindOf: Record<MoneyKind, AttentionKind> = {
  ...effectOf,
  payment: 'payment',
  subscription: 'subscription',
}

const unknownSum = 'an amount that is not known'
const lookUp = 'Look it up at the payment provider by the ids under “What is known”, and record what you found.'

const keepIt =
  'An operator recorded that it was not carried out, and what became known since says otherwise. Another decision about the payment was made since, and stands. Compare the payment with the provider, then record the same outcome again against the evidence.'

type Words = { whether: (sum: string, of: string) => string; what_to_do: string }
const requests: Record<Exclude<MoneyKind, 'payment' | 'subscription'>, Words> = {
  refund: { whether: (sum, of) => `the refund of ${sum} for ${of} was made`, what_to_do: lookUp },
  capture: {
    whether: (sum, of) => `${sum} were captured for ${of}`,
    what_to_do: `${lookUp} If it was carried out, the booking is confirmed; otherwise it fails, and the reservation of the amount ends.`,
  },
  cancel_authorization: {
    whether: (sum, of) => `the reservation of ${sum} for ${of} was released`,
    what_to_do: lookUp,
  },
  open_form: {
    whether: (sum, of) => `a payment form of ${sum} for ${of} is open`,
    what_to_do:
      "Look for it at the payment provider by the ids under “What is known”. If it is there, record that with the provider's id of it: it is closed then. If not, record that. A form ends by itself within a day.",
  },
  close_form: { whether: (sum, of) => `the payment form of ${sum} for ${of} was closed`, what_to_do: lookUp },
  cancel_subscription: { whether: (_, of) => `${of} was set to end`, what_to_do: lookUp },
  cancel_now_subscription: { whether: (_, of) => `${of} was cancelled`, what_to_do: lookUp },
  resume_subscription: { whether: (_, of) => `${of} was resumed`, what_to_do: lookUp },
  change_card: { whether: (_, of) => `${of} is charged on the new card`, what_to_do: lookUp },
}

const refundIt = 'Refund it, or record that it is kept as it is.'
/** A refund of what is left. What the platform charged is refunded in the dashboard. */
function refunding({ order_id, audience_id, member_id, payment_id }: MoneyItem, row: DescribedRow): Mend | null {
  if (order_id !== null) return mending(row, 'POST', `/orders/${order_id}/refunds`)
  if (audience_id === null) return null
  return mending(row, 'POST', `/audiences/${audience_id}/members/${member_id}/payments/${payment_id}/refunds`)
}

/** `sum` null: the provider did not say how much. */
type Wrong = { title: (sum: string | null, of: string) => string; what_to_do: string }
/** What is said of a payment, by the code of what is wrong. */
const payments: Record<string, Wrong> = {
  amount_mismatch: {
    title: (sum, of) =>
      sum === null
        ? `It is not known how much was paid for ${of}, nor whether it is the amount that was due.`
        : `${sum} were paid for ${of}, and another amount was due.`,
    what_to_do: refundIt,
  },
  price_mismatch: {
    title: (sum, of) => `${sum ?? unknownSum} was charged for ${of}, which is none of its prices.`,
    what_to_do: refundIt,
  },
  paid_twice: { title: (_, of) => `A payment for ${of} came beside another one.`, what_to_do: refundIt },
  refund_due: {
    title: (_, of) => `Money that was paid for ${of} has to go back, and did not.`,
    what_to_do: 'Refund what is left, here or in the dashboard of the payment provider.',
  },
  refund_conflict: {
    title: (_, of) => `More is recorded as refunded for ${of} than was captured.`,
    what_to_do:
      'Compare the refunds with the payment provider. Correct the one that was not made: record that it was not carried out.',
  },
  event_missing: {
    title: (_, of) => `${of} was paid at the provider, and its signed event did not arrive.`,
    what_to_do: 'Send the event again in the dashboard of the payment provider, or check its webhook endpoint.',
  },
}
const subscriptions: Record<string, Wrong> = {
  price_mismatch: {
    title: (sum, of) => `${of} is charged ${sum ?? unknownSum}, which is none of its prices, and makes no paid time.`,
    what_to_do: 'Correct the price at the payment provider, or cancel the subscription and refund what was charged.',
  },
  event_missing: {
    title: (_, of) => `${of} was charged, and the signed event did not arrive.`,
    what_to_do: 'Send the event again in the dashboard of the payment provider, or check its webhook endpoint.',
  },
  not_readable: {
    title: (_, of) => `The payment provider does not return the subscription of ${of}.`,
    what_to_do:
      'Check in the dashboard of the payment provider that the account is connected and the subscription exists.',
  },
}

/** Null for an integration's own account: its dashboard names no account. */
export const providerPage = (account: string | null, path: string | null): ProviderPage | null =>
  path === null || account?.startsWith('integration:') ? null : { account, path }

function pageOf({
  provider_account_id,
  provider_payment_id,
  provider_object_id,
  kind,
}: MoneyItem): ProviderPage | null {
  if (provider_payment_id) return providerPage(provider_account_id, `payments/${provider_payment_id}`)
  const isSubscription = attentionKindOf[kind] === 'subscription_change' || kind === 'subscription'
  return providerPage(
    provider_account_id,
    isSubscription && provider_object_id ? `subscriptions/${provider_object_id}` : null,
  )
}

function processOf(item: MoneyItem): { kind: ProcessKind; id: string } | null {
  const { kind, id, order_id, subscription_id } = item
  if (kind === 'refund') return { kind: 'refund', id }
  if (kind === 'capture' || kind === 'cancel_authorization') return { kind: 'authorization_end', id }
  if (order_id) return { kind: 'checkout', id: order_id }
  if (!subscription_id) return null
  return { kind: kind === 'open_form' || kind === 'close_form' ? 'checkout' : 'membership', id: subscription_id }
}

function subjectOf(item: MoneyItem, of: string): ItemText['subject'] {
  if (item.order_id) return { type: 'order', id: item.order_id, label: of }
  if (item.member_id) return { type: 'member', id: item.member_id, label: null }
  if (item.subscription_id) return { type: 'subscription', id: item.subscription_id, label: null }
  return { type: 'payment', id: item.payment_id ?? item.id, label: null }
}

/** Requests have timelines of their own; of a payment there is the timeline of its order or member. */
function timelineOf(item: MoneyItem, isRequest: boolean): ItemText['timeline'] {
  const { kind, id, order_id, member_id } = item
  if (isRequest && kind !== 'payment' && kind !== 'subscription') return { type: effectOf[kind], id }
  if (order_id) return { type: 'order', id: order_id }
  return member_id ? { type: 'member', id: member_id } : null
}

/** The codes of payments that a refund mends. */
const refundable: readonly string[] = [...acceptable, 'refund_due']

type About = {
  /** The platform charges it, and resolves it. */
  of_plan: boolean
  /** A person recorded its outcome. */
  is_resolved?: boolean
}
/** An item of the list of money in the list of everything. */
export function moneyText(
  item: MoneyItem,
  tenant: Tenant,
  { of_plan, is_resolved = false }: About,
): ItemText & { kind: AttentionKind } {
  const { id, tenant_id, kind, status, amount, currency, error, evidence, late_evidence, resolution } = item
  const row: DescribedRow = { id, tenant_id, ...tenant }
  const of =
    item.order_number !== null
      ? `order ${item.order_number}`
      : item.member_id
        ? 'a membership'
        : `the plan of ${tenant.store ? `the ${kindOf(row)} ${isolated(tenant.store)}` : `a ${kindOf(row)}`}`
  const cancelled = item.order_cancelled ? ', which was cancelled,' : ''
  const known = amount !== null && currency !== null ? formatMoney(amount, currency) : null
  const sum = known ?? unknownSum
  const found: AttentionEvidence = {
    ...wrong(error, {
      ...{
        refund: kind === 'refund' ? id : null,
        payment_id: item.payment_id,
        order_id: item.order_id,
        subscription_id: item.subscription_id,
      },
      ...{ audience_id: item.audience_id, member_id: item.member_id, provider_account_id: item.provider_account_id },
      ...{ provider_payment_id: item.provider_payment_id, provider_object_id: item.provider_object_id },
    }),
    ...{ status, sent_at: item.sent_at, settled_at: item.settled_at, answer: evidence, late_evidence, resolution },
  }
  const choices = choicesOf(item)
  const refund = of_plan ? null : refunding(item, row)
  const text = {
    ...{ subject: subjectOf(item, of), amount, currency, evidence: found, process: processOf(item) },
    provider: pageOf(item),
    resolve: choices.length === 0 ? null : recorded(row, choices, of_plan),
    timeline: of_plan ? null : timelineOf(item, false),
  }
  if (kind === 'payment' || kind === 'subscription') {
    const { title, what_to_do } = (kind === 'payment' ? payments : subscriptions)[status] ?? {
      title: () => `Something is wrong with a payment for ${of}.`,
      what_to_do: refundIt,
    }
    const said = title(known, `${of}${status === 'refund_due' ? cancelled : ''}`)
    const shown = { ...text, kind, title: `${said[0]?.toUpperCase()}${said.slice(1)}` }
    if (is_resolved)
      return {
        ...shown,
        what_to_do: 'An operator recorded that it is kept as it is. It can still be refunded.',
        resolve: null,
      }
    return { ...shown, what_to_do, mend: kind === 'payment' && refundable.includes(status) ? refund : null }
  }
  if (kind === 'refund' && choices.length === 0)
    return {
      ...text,
      kind: 'refund_due',
      title: `A refund of ${sum} for ${of}${cancelled} has to be made, and was not.`,
      what_to_do: ['requested', 'processing'].includes(status)
        ? 'It is tried again every hour. If the payment provider cannot be reached for long, check the account there.'
        : of_plan
          ? 'Refund it in the dashboard of the payment provider.'
          : 'Refund the rest, here or in the dashboard of the payment provider.',
      mend: ['requested', 'processing'].includes(status) ? null : refund,
    }
  const requested = { ...text, kind: attentionKindOf[kind], timeline: of_plan ? null : timelineOf(item, true) }
  if (kind === 'cancel_authorization' && !is_resolved && status !== 'unknown' && status !== 'succeeded')
    return {
      ...requested,
      title: `The reservation of ${sum} for ${of} was not released.`,
      what_to_do: 'Cancel the payment in the dashboard of the payment provider. The item ends when its event arrives.',
    }
  if (kind === 'open_form' && !is_resolved && status === 'succeeded')
    return {
      ...requested,
      title: `The payment form of ${sum} for ${of} that was named is not found yet.`,
      what_to_do: 'Check the id, and record another one if it was mistyped. The item ends when the form is found.',
    }
  const { whether, what_to_do } = requests[kind]
  const asked = { whether: whether(sum, of), what_to_do, resolve: text.resolve }
  const words = outcomeWords({ resolution, is_resolved }, asked)
  // The customer still waits for the money.
  if (kind === 'refund' && is_resolved && resolution?.outcome === 'rejected')
    return {
      ...{ ...requested, ...words, mend: refund },
      what_to_do: `The customer did not get the money. Refund it again, ${of_plan ? '' : 'here or '}in the dashboard of the payment provider. If it was recorded by mistake, record the opposite.`,
    }
  return { ...requested, ...words, ...(item.superseded && resolution && !is_resolved ? { what_to_do: keepIt } : {}) }
}

export type DisputeFacts = DescribedRow & {
  order_id: string | null
  order_number: number | null
  member_id: string | null
  subscription_id: string | null
  payment_id: string
  amount: number
  currency: string
  status: string
  reason: string | null
  evidence: Evidence | null
  evidence_due_at: number | null
  account: string | null
  provider_dispute_id: string
  provider_payment_id: string | null
}

export function disputeItem(dispute: DisputeFacts): ItemText {
  const { amount, currency, reason, evidence_due_at, account, provider_payment_id, order_id, order_number } = dispute
  const of =
    order_number !== null
      ? `order ${order_number}`
      : dispute.member_id
        ? 'a membership'
        : `the plan of a ${kindOf(dispute)}`
  return {
    title: `A cardholder disputes ${formatMoney(amount, currency)} of ${of}${reason ? ` (${isolated(reason.replaceAll('_', ' '))})` : ''}.`,
    subject: order_id
      ? { type: 'order', id: order_id, label: of }
      : dispute.member_id
        ? { type: 'member', id: dispute.member_id, label: null }
        : { type: 'payment', id: dispute.payment_id, label: null },
    ...{ amount, currency, due_at: evidence_due_at },
    evidence: {
      ...wrong(null, {
        ...{ order_id, subscription_id: dispute.subscription_id, payment_id: dispute.payment_id },
        ...{ provider_account_id: account, provider_payment_id, provider_dispute_id: dispute.provider_dispute_id },
      }),
      ...{ status: dispute.status, answer: dispute.evidence },
    },
    what_to_do:
      'Answer it in the dashboard of the payment provider before the deadline, or accept it there. The item ends when the event of your answer arrives, or with the deadline.',
    resolve: null,
    timeline: order_id
      ? { type: 'order', id: order_id }
      : dispute.member_id
        ? { type: 'member', id: dispute.member_id }
        : null,
    process: null,
    provider: providerPage(account, provider_payment_id ? `payments/${provider_payment_id}` : null),
  }
}
