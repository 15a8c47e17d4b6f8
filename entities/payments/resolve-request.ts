// A person records the outcome of a request to the payment provider that could not be proved, or accepts a payment of
// another amount. Nothing is sent by that alone.
import { LockMode } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import { sentOutcomes } from '../../rules/effects.ts'
import { acceptable, type MoneyOutcome } from '../../rules/payments/attention.ts'
import type { RefundOutcome } from '../../rules/payments/payments.ts'
import { conflict, invalid, notFound } from '../../rules/refusal.ts'
import { type Decision, type Evidence, needsAttention, type Resolution, resolved } from '../../rules/resolutions.ts'
import type { ChangeKind } from '../../rules/subscriptions/subscriptions.ts'
import { asRow } from '../kit/database/row.ts'
import { column, json, type Sql, sql } from '../kit/database/sql.ts'
import { type EffectRow, settleByProof } from '../kit/effects.ts'
import { concludeAgain, notCarriedOut, requestNotUnknown } from '../kit/resolution.ts'
import { Order } from '../orders/order.ts'
import { orderUpdated } from '../orders/order-events.ts'
import { cancelOrder, lockOrder } from '../orders/release.ts'
// Backwards: operators resolve refunds in the same list as other requests to the provider.
import { Refund } from '../refunds/refund.ts'
import { resolveRefund } from '../refunds/resolve-refund.ts'
// Backwards: operators resolve changes of subscriptions in that list, too.
import { lockSubscription } from '../subscriptions/locks.ts'
import { subscriptionChangeEffect } from '../subscriptions/subscription-change-effect.ts'
import { AuthorizationEnd } from './authorization-end.ts'
import { decisionOf, requestEnd } from './authorization-ends.ts'
import { authorizationEndEffect } from './authorizations.ts'
import { wakeCheckout } from './checkout-steps.ts'
import { Payment } from './payment.ts'
import { lockPayment } from './payment-lock.ts'
import { paymentSessionEffect } from './payment-session-effect.ts'
import { sessionExpiryEffect } from './session-expiry.ts'

/** `provider_object_id`: the provider's id of the payment form that was found. */
export type Found = Decision<MoneyOutcome> & { provider_object_id: string | null }
type Outcome = Decision<RefundOutcome> & { provider_object_id: string | null }
/** What is recorded: the provider's id is a column of its own. */
const said = ({ provider_object_id: _, ...decision }: Outcome): Decision<RefundOutcome> => decision
type Row = {
  id: string
  tenant_id: string
  status: string
  resolution: Resolution | null
  evidence: Evidence | null
  late_evidence: Evidence | null
}

/** The resolution to write; null: the row has this outcome already. 409 as `resolved` says; request_not_unknown. */
function decide(
  row: Row,
  decision: Outcome,
  otherEvidence: readonly (Evidence | null)[],
  now: number,
): Resolution | null {
  const { status, resolution, evidence, late_evidence } = row
  if (resolution?.outcome === decision.outcome && status === decision.outcome && !needsAttention(row)) return null
  if (status !== 'unknown' && !resolution) throw requestNotUnknown(status)
  return resolved(
    said(decision),
    [evidence, late_evidence, ...otherEvidence],
    resolution as Resolution<RefundOutcome> | null,
    now,
  )
}

const columnsOf = (resolution: Resolution) => ({ resolution: JSON.stringify(resolution) })
const settle = async (
  em: EntityManager,
  effect: EffectRow,
  { id, status, evidence }: Row,
  { outcome }: Outcome,
  resolution: Resolution,
  columns: Record<string, string | number | null> = {},
): Promise<void> => {
  const error = outcome === 'rejected' ? notCarriedOut : undefined
  const settlement = {
    status: outcome,
    evidence: evidence ?? {},
    resolved: true as const,
    error,
    columns: { ...columnsOf(resolution), ...columns },
  }
  if (!(await settleByProof(em, effect, id, settlement, sentOutcomes))) throw requestNotUnknown(status)
}

/**
 * A payment that an operator called captured was not: nothing was captured, and its booking fails as after a capture
 * that the provider refused. 409 payment_captured while refunds of it are recorded.
 */
async function takeBack(em: EntityManager, payment: Payment, order: Order, now: number): Promise<void> {
  const { refunded_amount, refund_pending_amount, refund_unknown_amount } = payment
  if (refunded_amount + refund_pending_amount + refund_unknown_amount > 0)
    throw conflict('payment_captured', 'Refunds of the payment are recorded. Correct them first.')
  em.assign(payment, { status: 'failed', captured_amount: 0, paid_at: null, updated_at: now })
  em.assign(order, { paid_at: null, version: order.version + 1, updated_at: now })
  await em.flush()
  await requestEnd(em, order.tenant_id, order.id, { kind: 'cancel' }, now)
  if (order.status !== 'cancelled') {
    await cancelOrder(em, order, now, { reason: 'capture_rejected' })
    await em.refresh(order)
  }
  await orderUpdated(em, order, now)
}

/** An authorisation that an operator called cancelled was not. */
async function reserveAgain(em: EntityManager, payment: Payment, now: number): Promise<void> {
  if (payment.status !== 'cancelled') return
  em.assign(payment, { status: 'authorized', updated_at: now })
  await em.flush()
}

/** What signed events have said about the payment itself. */
const saidOf = ({ status, evidence, error }: Payment): Evidence | null => {
  if (status === 'paid' && evidence?.event) return { status: 'succeeded', ...evidence }
  return error?.code === 'authorization_expired' ? { status: 'canceled', code: error.code } : null
}

async function resolveEnd(em: EntityManager, id: string, decision: Outcome, now: number): Promise<void> {
  const { order_id } = await em.findOneOrFail(AuthorizationEnd, { id })
  const order = await em.findOneOrFail(Order, { id: order_id }, { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true })
  const payment = (await lockPayment(em, { order_id })) as Payment
  const end = await em.findOneOrFail(AuthorizationEnd, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true })
  const fact = saidOf(payment)
  // A person resolves the request; what was captured is recorded in the payment.
  const about =
    end.kind === 'capture' ? fact : fact && { ...fact, status: fact.status === 'succeeded' ? 'failed' : 'succeeded' }
  const resolution = decide(asRow(end), decision, [about], now)
  if (!resolution) return
  const other = await decisionOf(em, payment.id)
  // To record the same outcome once more, against evidence, contradicts no decision.
  if (other && other.id !== end.id && decision.outcome !== end.status)
    throw conflict('decision_made', 'Another decision about the payment was made since.')
  // A capture that a signed event proves stays recorded, so that it can be refunded, also against the record of a
  // person.
  const wasTaken =
    end.kind === 'capture' && end.status === 'succeeded' && decision.outcome === 'rejected' && !resolution.against
  const wasCancelled = end.kind === 'cancel' && end.status === 'succeeded' && decision.outcome === 'rejected'
  await settle(em, authorizationEndEffect, asRow(end), decision, resolution)
  await concludeAgain(em, authorizationEndEffect, id)
  // The amount is reserved, as after a cancellation that was refused.
  if (wasCancelled) await reserveAgain(em, await em.refreshOrFail(payment), now)
  if (wasTaken) await takeBack(em, await em.refreshOrFail(payment), await em.refreshOrFail(order), now)
}

type Form = { id: string; tenant_id: string; owner: string; state: string | null; provider_session_id: string | null }
const formOf = async (em: EntityManager, tenantId: string, where: Sql): Promise<Form> => {
  const [form]: Form[] = await em.execute(sql`
    select id, tenant_id, coalesce(order_id, subscription_id) as owner, state, provider_session_id
    from payment_sessions
    where tenant_id = ${tenantId} and ${where}
  `)
  if (!form) throw notFound('request')
  return form
}

/**
 * A form that was found open is read by its checkout, which closes it if it is the form of this request: what a person
 * types may be another one. 422 required without the provider's id of it.
 */
async function resolveForm(em: EntityManager, row: Row, decision: Outcome, now: number): Promise<void> {
  const { provider_object_id } = decision
  const form = await formOf(em, row.tenant_id, sql`id = ${row.id}`)
  const isOpen = decision.outcome === 'succeeded'
  if (isOpen && !provider_object_id && !form.provider_session_id)
    throw invalid('/provider_object_id', 'required', "The provider's id of the payment form.")
  const resolution = decide(row, decision, [], now)
  const named = isOpen ? provider_object_id : null
  if (resolution) await settle(em, paymentSessionEffect, row, decision, resolution)
  else if (!named) return
  await em.execute(sql`
    update payment_sessions
    set evidence = coalesce(evidence, '{}') - 'named' || ${json(named ? { named } : {})}
    where id = ${row.id} and tenant_id = ${row.tenant_id}
  `)
  await wakeCheckout(em, { id: form.owner, tenant_id: row.tenant_id })
}

async function resolveClosing(em: EntityManager, row: Row, decision: Outcome, now: number): Promise<void> {
  const form = await formOf(
    em,
    row.tenant_id,
    sql`id = (
      select payment_session_id
      from session_expiries
      where id = ${row.id} and tenant_id = ${row.tenant_id}
    )`,
  )
  const pageEvidence =
    form.state === 'complete'
      ? { status: 'failed', state: form.state }
      : form.state === 'expired'
        ? { status: 'succeeded', state: form.state }
        : null
  const resolution = decide(row, decision, [pageEvidence], now)
  if (!resolution) return
  await settle(em, sessionExpiryEffect, row, decision, resolution)
  if (decision.outcome === 'succeeded')
    await em.execute(sql`
      update payment_sessions
      set state = 'expired'
      where id = ${form.id} and tenant_id = ${row.tenant_id} and state is distinct from 'complete'
    `)
  await wakeCheckout(em, { id: form.owner, tenant_id: row.tenant_id })
}

type Change = {
  kind: ChangeKind
  billing_status: string | null
  paid_through_at: number | null
  superseded: boolean
}
const changeOf = async (em: EntityManager, { id, tenant_id }: Row): Promise<Change | undefined> => {
  const [change]: Change[] = await em.execute(sql`
    select c.kind, s.billing_status, s.paid_through_at::float8 as paid_through_at,
      exists (
        select 1
        from subscription_changes n
        where n.subscription_id = c.subscription_id and n.tenant_id = c.tenant_id and n.id > c.id
      ) as superseded
    from subscription_changes c
    join subscriptions s on s.id = c.subscription_id and s.tenant_id = c.tenant_id
    where c.id = ${id} and c.tenant_id = ${tenant_id}
  `)
  return change
}

/** The subscription after a change that was carried out. `now` in Unix seconds. */
const stateAfter = ({ kind, billing_status, paid_through_at }: Change, now: number) => ({
  billing_status: kind === 'cancel_now' ? 'canceled' : (billing_status ?? 'active'),
  cancel_at: kind === 'resume' ? null : (paid_through_at ?? now),
  reported_at: now,
})
const noState = { billing_status: null, cancel_at: null, reported_at: null }

/**
 * Its subscription is what the change made of it; what a read of the provider shows later counts more. After a later
 * change only the provider knows what both made of it: then the settlement writes no state, and requests a read.
 */
async function resolveChange(em: EntityManager, row: Row, decision: Outcome, now: number): Promise<void> {
  const resolution = decide(row, decision, [], now)
  if (!resolution) return
  const change = await changeOf(em, row)
  const isLast = change && !change.superseded && change.kind !== 'card'
  const state = isLast && decision.outcome === 'succeeded' ? stateAfter(change, now) : noState
  await settle(em, subscriptionChangeEffect, row, decision, resolution, state)
  await concludeAgain(em, subscriptionChangeEffect, row.id)
}

/** Another amount than the one due is kept as it is. 409 request_not_unknown. */
async function accept(em: EntityManager, id: string, { note, account_id }: Found, now: number): Promise<void> {
  const { subscription_id: owner = null, tenant_id } = await em.findOneOrFail(Payment, { id })
  // Locked before its payment, as by invoices.
  if (owner !== null) await lockSubscription(em, { id: String(owner), tenant_id })
  const payment = await lockPayment(em, { id })
  const { error } = payment ?? {}
  if (!payment || !error || !acceptable.includes(error.code))
    throw conflict('request_not_unknown', 'The payment has nothing that could be accepted.')
  if (error.acknowledged) return
  em.assign(payment, { error: { ...error, acknowledged: { account_id, note, at: now } }, updated_at: now })
  await em.flush()
  const { subscription_id, provider_invoice_id } = payment
  if (error.code === 'price_mismatch' && subscription_id)
    await em.execute(sql`
      update subscriptions
      set error = null, updated_at = ${now}
      where id = ${String(subscription_id)}
        and tenant_id = ${payment.tenant_id}
        and error ->> 'code' = 'price_mismatch'
        and error ->> 'invoice' = ${provider_invoice_id ?? null}
    `)
}

type Before = {
  order_id: string | null
  subscription_id: string | null
  payment_id: string | null
  session_id: string | null
}
/** The table of each request, how it is resolved, and what is locked before it. */
const resolvers = [
  [
    'payment_sessions',
    resolveForm,
    sql`
      select order_id, subscription_id, payment_id, null as session_id, id, tenant_id
      from payment_sessions
    `,
  ],
  [
    'session_expiries',
    resolveClosing,
    sql`
      select f.order_id, f.subscription_id, f.payment_id, f.id as session_id, x.id, x.tenant_id
      from session_expiries x
      join payment_sessions f on f.id = x.payment_session_id and f.tenant_id = x.tenant_id
    `,
  ],
  [
    'subscription_changes',
    resolveChange,
    sql`
      select null as order_id, subscription_id, null as payment_id, null as session_id, id, tenant_id
      from subscription_changes
    `,
  ],
] as const

/**
 * Locks the order or the subscription, then the payment, then its form: the order of every transaction that changes
 * them.
 */
async function lockBefore(
  em: EntityManager,
  tenant_id: string,
  { order_id, subscription_id, payment_id, session_id }: Before,
): Promise<void> {
  if (order_id) await lockOrder(em, order_id)
  if (subscription_id) await lockSubscription(em, { id: subscription_id, tenant_id })
  if (payment_id) await lockPayment(em, { id: payment_id })
  if (session_id)
    await em.execute(sql`
      select id
      from payment_sessions
      where id = ${session_id} and tenant_id = ${tenant_id}
      for update
    `)
}

const refuseOutcome = () =>
  invalid('/outcome', 'outcome_not_possible', '`accepted` is for payments alone, and every other outcome for requests.')

/**
 * Records what a person found out about one item of `moneyAttention`, by its id. `now` in Unix seconds. 404; 409
 * request_not_unknown, contradicts_evidence, resolved_otherwise, resolved_too_often, decision_made, payment_captured;
 * 422 for an outcome that the item does not have, and for a payment form without its id.
 */
export async function resolveRequest(
  em: EntityManager,
  tenantId: string,
  id: string,
  found: Found,
  now: number,
): Promise<void> {
  em.setFilterParams('tenant', { tenant: tenantId })
  const { outcome } = found
  if ((await em.count(Payment, { id })) > 0) {
    if (outcome !== 'accepted') throw refuseOutcome()
    return accept(em, id, found, now)
  }
  if (outcome === 'accepted') throw refuseOutcome()
  const decision = { ...found, outcome }
  const refund = await em.findOne(Refund, { id }, { fields: ['payment_id', 'refund_id'] })
  if (refund) {
    await resolveRefund(em, { id: String(refund.payment_id) }, refund.refund_id, said(decision), now, requestNotUnknown)
    return
  }
  if ((await em.count(AuthorizationEnd, { id })) > 0) return resolveEnd(em, id, decision, now)
  for (const [table, resolve, before] of resolvers) {
    const [first]: Before[] = await em.execute(
      sql`select a.* from (${before}) a where a.id = ${id} and a.tenant_id = ${tenantId}`,
    )
    if (!first) continue
    await lockBefore(em, tenantId, first)
    // Locked after its owner: of two operators one finds what the other one recorded.
    const [row]: Row[] = await em.execute(sql`
      select id, tenant_id, status, resolution, evidence, late_evidence
      from ${column(table)}
      where id = ${id} and tenant_id = ${tenantId}
      for update
    `)
    if (row) return resolve(em, row, decision, now)
  }
  throw notFound('request')
}
