// Refunds, as signed events of the provider report them, in any order: those that were requested here and those that
// were made in its dashboard.
import { LockMode } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import { anyTenant } from '../kit/database/orm.ts'
import { json, nothing, sql } from '../kit/database/sql.ts'
import { settleByProof, unsettled } from '../kit/effects.ts'
import { newId } from '../kit/ids.ts'
import { start } from '../kit/outbox.ts'
import { laterAssignment } from '../kit/resolutions.ts'
import { keepForPayment, waitForPayment, waiting } from '../payments/early-events.ts'
import { Payment } from '../payments/payment.ts'
import { lockPayment } from '../payments/payment-lock.ts'
import { enterTenantOf, isUuid, type Outcome } from '../payments/provider-events.ts'
import { Refund } from './refund.ts'
import { countRefunds, refundIsDue } from './refund-amounts.ts'
import { refundEffect } from './refund-effect.ts'

export type RefundFacts = {
  id: string
  status: 'pending' | 'succeeded' | 'failed' | 'canceled' | (string & {})
  amount: number
  currency: string
  payment_intent: string | null
  refund: string | null
  reason: string | null
}

export async function applyRefund(
  em: EntityManager,
  account: string | null,
  facts: RefundFacts,
  eventId: string,
  now: number,
): Promise<Outcome> {
  const byId = await em.findOne(Refund, { provider_account_id: account, provider_refund_id: facts.id }, anyTenant)
  const refund = byId ?? (await refundNamed(em, account, facts))
  return refund
    ? settleRefund(em, refund, account, facts, eventId, now)
    : recordForeignRefund(em, account, facts, eventId, now)
}

/**
 * The recorded refund that the provider's refund names in its metadata. Any holder of a key of the account can write
 * metadata: the name of another account's or another payment's refund, of one that is linked to a provider's refund
 * already, or of one that was never sent, is ignored.
 */
async function refundNamed(em: EntityManager, account: string | null, facts: RefundFacts): Promise<Refund | null> {
  if (!facts.refund || !isUuid(facts.refund) || !facts.payment_intent) return null
  const named = await em.findOne(
    Refund,
    { id: facts.refund, provider_account_id: account, provider_refund_id: null },
    anyTenant,
  )
  if (!named || named.status === 'failed' || !agrees(named, facts)) return null
  const paid = { id: named.payment_id, tenant_id: named.tenant_id, provider_payment_id: facts.payment_intent }
  return (await em.count(Payment, paid, anyTenant)) > 0 ? named : null
}

const agrees = (refund: Refund, facts: RefundFacts): boolean =>
  refund.amount === facts.amount && refund.currency === facts.currency

async function settleRefund(
  em: EntityManager,
  earlier: Refund,
  account: string | null,
  facts: RefundFacts,
  eventId: string,
  now: number,
): Promise<Outcome> {
  if (!agrees(earlier, facts)) return 'ignored: not the refund that we sent'
  enterTenantOf(em, earlier)
  await lockPayment(em, { id: String(earlier.payment_id) })
  const refund = await em.refresh(earlier, { lockMode: LockMode.PESSIMISTIC_WRITE })
  if (!refund) return 'ignored: no refund'
  // The answer to the request named its refund meanwhile, and this is another one.
  if (refund.provider_refund_id && refund.provider_refund_id !== facts.id)
    return recordForeignRefund(em, account, facts, eventId, now)
  const evidence = { event: eventId, provider_refund_id: facts.id, status: facts.status }
  const columns = { provider_refund_id: facts.id }
  const note = async (late: Record<string, unknown>) => {
    await em.execute(sql`
      update refunds e
      set ${laterAssignment('e', sql`answer.next`)},
        provider_refund_id = coalesce(e.provider_refund_id, ${facts.id}), updated_at = ${now}
      from (select ${json(late)} as next) answer
      where e.id = ${refund.id} and e.tenant_id = ${refund.tenant_id}
    `)
    // It may contradict what an operator has recorded.
    if (refund.resolution) await countRefunds(em, refund.id)
  }

  const says =
    facts.status === 'succeeded'
      ? 'succeeded'
      : facts.status === 'failed' || facts.status === 'canceled'
        ? 'rejected'
        : 'pending'
  // Events decide a refund that was made at the provider. An unknown refund that was requested here is resolved by an
  // operator.
  if (refund.status === 'unknown' && refund.origin !== 'provider') {
    // The operator sees what the provider reported.
    await note(evidence)
    return 'late evidence of an unknown refund'
  }
  if (says === 'pending') return 'pending'
  const error =
    says === 'rejected'
      ? { code: 'refund_failed', message: `The provider could not refund: ${facts.reason ?? facts.status}.` }
      : undefined
  if (refund.status === says) {
    // Records the provider's refund, and the provider's failure, which no older success may undo. What a person has
    // recorded before is then proved.
    if (!refund.provider_refund_id || (error && refund.error?.code !== error.code))
      await em.execute(sql`
        update refunds e
        set provider_refund_id = ${facts.id}, error = coalesce(${json(error)}, e.error), updated_at = ${now}
          ${error && refund.resolution ? sql`, ${laterAssignment('e', sql`answer.next`)}` : nothing}
        from (select ${json(evidence)} as next) answer
        where e.id = ${refund.id} and e.tenant_id = ${refund.tenant_id}
      `)
    return 'known already'
  }
  // A refund that succeeded can still fail at the bank, which frees its amount. A refund that an operator or a
  // gateway's answer called rejected, and that the provider carried out, counts; an older success after the provider's
  // failure does not.
  const failed =
    refund.error?.code === 'refund_failed' || ['failed', 'canceled'].includes(String(refund.late_evidence?.status))
  const from =
    says === 'rejected'
      ? ([...unsettled, 'succeeded'] as const)
      : failed
        ? unsettled
        : ([...unsettled, 'rejected'] as const)
  if (await settleByProof(em, refundEffect, refund.id, { status: says, evidence, error, columns }, from)) {
    // Its workflow ends as failed, which puts the refund on the operators' worklist: started again if it has ended,
    // signalled if it is about to end.
    if (says === 'rejected' && (await refundIsDue(em, refund.id)))
      await start(em, 'refund', refund.id, { tenant_id: refund.tenant_id, signal: true })
    return `refund ${says}`
  }
  await note({ ...evidence, conflict: true })
  return `conflict: the refund is ${refund.status}, the provider says ${facts.status}`
}

/**
 * Records a refund that was made in the provider's dashboard, so that no more than the rest can be refunded here. It is
 * recorded even if it exceeds the rest beside a refund that is pending or unknown here: that one did not happen, or
 * will be rejected.
 */
async function recordForeignRefund(
  em: EntityManager,
  account: string | null,
  facts: RefundFacts,
  eventId: string,
  now: number,
): Promise<Outcome> {
  if (!facts.payment_intent) return 'ignored: no payment'
  const found = await em.findOne(
    Payment,
    { provider_account_id: account, provider_payment_id: facts.payment_intent },
    anyTenant,
  )
  if (!found) return waitForPayment(em, account, facts.payment_intent, facts, eventId)
  enterTenantOf(em, found)
  const payment = await lockPayment(em, { id: found.id })
  if (!payment) return 'ignored: no payment'
  if (payment.status !== 'paid') {
    // It was captured at the provider, and the event that says so has not arrived.
    await keepForPayment(em, eventId, facts.payment_intent, facts)
    return waiting
  }
  // Another event of the same refund was applied first; this one may be newer.
  const earlierRefund = await em.findOne(Refund, { provider_account_id: account, provider_refund_id: facts.id })
  if (earlierRefund) return settleRefund(em, earlierRefund, account, facts, eventId, now)
  // A failed refund is recorded too, so that an older event that arrives later does not count it.
  const status =
    facts.status === 'succeeded'
      ? 'succeeded'
      : facts.status === 'failed' || facts.status === 'canceled'
        ? 'rejected'
        : 'processing'
  const id = newId()
  em.create(Refund, {
    id,
    tenant_id: payment.tenant_id,
    created_at: now,
    updated_at: now,
    refund_id: id,
    order_id: payment.order_id ?? null,
    subscription_id: payment.subscription_id ?? null,
    payment_id: payment.id,
    amount: facts.amount,
    currency: facts.currency,
    origin: 'provider',
    provider_account_id: account,
    provider_refund_id: facts.id,
    fingerprint: '',
    status,
    sent_at: new Date(now * 1000),
    answered_at: new Date(now * 1000),
    settled_at: status === 'processing' ? null : new Date(now * 1000),
    error:
      status === 'rejected'
        ? { code: 'refund_failed', message: `The provider could not refund: ${facts.reason ?? facts.status}.` }
        : null,
    evidence: { event: eventId, provider_refund_id: facts.id, status: facts.status },
  })
  await em.flush()
  await countRefunds(em, id)
  return 'recorded: refunded at the provider'
}
