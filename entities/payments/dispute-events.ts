// Disputes, as signed events of the provider report them, in any order.
import type { EntityManager } from '@mikro-orm/postgresql'
import { meaningOf } from '../../rules/payments/disputes.ts'
import { anyTenant } from '../kit/database/orm.ts'
import { newId } from '../kit/ids.ts'
// Backwards: a lost dispute reduces what has to be refunded.
import { concludeRefused, countPayment } from '../refunds/refund-amounts.ts'
import { Dispute } from './dispute.ts'
import { waitForPayment } from './early-events.ts'
import { Payment } from './payment.ts'
import { lockPayment } from './payment-lock.ts'
import { enterTenantOf, type Outcome } from './provider-events.ts'

export type DisputeFacts = {
  id: string
  /** The provider's name of the status. */
  status: string
  /** Whether the event says that it is closed. */
  closed: boolean
  amount: number
  currency: string
  reason: string | null
  payment_intent: string | null
  evidence_due_at: number | null
  event_at: number
}

/** If two events have the same second, the one with the later state is the newer. */
const isOlder = (facts: DisputeFacts, dispute: Dispute): boolean =>
  facts.event_at < dispute.event_at ||
  (facts.event_at === dispute.event_at &&
    meaningOf(facts.status, facts.closed).rank < meaningOf(dispute.provider_status ?? dispute.status, false).rank)

export async function applyDispute(
  em: EntityManager,
  account: string | null,
  facts: DisputeFacts,
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
  await lockPayment(em, { id: found.id })
  const { id: provider_dispute_id, status: provider_status, event_at } = facts
  const { status, closed } = meaningOf(provider_status, facts.closed)
  const dispute = await em.findOne(Dispute, { provider_account_id: account, provider_dispute_id })
  if (dispute && isOlder(facts, dispute)) return 'older than what is known'
  const { amount, currency, reason, evidence_due_at } = facts
  const state = {
    ...{ status, provider_status, amount, currency, reason, evidence_due_at, event_at, updated_at: now },
    closed_at: closed ? (dispute?.closed_at ?? now) : null,
    evidence: { event: eventId },
  }
  if (dispute) em.assign(dispute, state)
  else
    em.create(Dispute, {
      id: newId(),
      tenant_id: found.tenant_id,
      created_at: now,
      order_id: found.order_id ?? null,
      subscription_id: found.subscription_id ?? null,
      payment_id: found.id,
      provider_account_id: account,
      provider_dispute_id,
      ...state,
    })
  await em.flush()
  // The amount of a lost dispute is no longer owed to the buyer of a cancelled order; an amount that an appeal returns
  // is.
  await countPayment(em, found.id)
  await concludeRefused(em, found)
  return `dispute ${provider_status}`
}
