// Invoices of subscriptions. Only a paid invoice of the subscription's own price makes time, and any order of events
// leaves the same rows.
import { LockMode } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import { type Invoice, invoiceAmounts, invoiceLine } from '../../rules/subscriptions/events.ts'
import { insertion } from '../kit/database/insert.ts'
import { anyTenant } from '../kit/database/orm.ts'
import { json, sql } from '../kit/database/sql.ts'
import { newId } from '../kit/ids.ts'
import { recordCapture } from '../payments/captures.ts'
import { applyWaiting } from '../payments/event-replay.ts'
import { Payment } from '../payments/payment.ts'
import { lockPayment } from '../payments/payment-lock.ts'
import { enterTenantOf, type Outcome } from '../payments/provider-events.ts'
import { refundLatePayment } from '../refunds/refunds.ts'
import { begin, follow, lockNamed, wakePage, writeSubscription } from './beginnings.ts'
import { wakeMembership } from './changes.ts'
import { type LockedSubscription, lockSubscription } from './locks.ts'
import type { SubscriptionError } from './subscription.ts'

const mismatch = {
  code: 'price_mismatch',
  message: 'The invoice is not for the price of this subscription, once and without proration. It gives no time.',
}

/**
 * The payment of an invoice, locked: the first is the one that was pending since subscribing. null: it is recorded
 * already.
 */
async function paymentFor(
  em: EntityManager,
  row: LockedSubscription,
  invoice: Invoice,
  now: number,
): Promise<Payment | null> {
  const ofInvoice = { $or: [{ kind: 'initial' as const }, { provider_invoice_id: invoice.id }] }
  const lock = { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true } as const
  const payments = await em.find(
    Payment,
    { subscription_id: row.id, ...ofInvoice },
    { ...lock, orderBy: { id: 'asc' } },
  )
  if (payments.some(({ provider_invoice_id }) => provider_invoice_id === invoice.id)) return null
  const initial = payments.find(({ kind }) => kind === 'initial')
  if (initial && initial.provider_invoice_id == null && invoice.billing_reason === 'subscription_create') return initial
  const payer = initial
    ? (initial.payer_contact_id ?? null)
    : sql`(select contact_id from audience_members where id = ${row.member_id} and tenant_id = ${row.tenant_id})`
  const renewal = {
    ...{
      id: newId(),
      tenant_id: row.tenant_id,
      created_at: now,
      updated_at: now,
      subscription_id: row.id,
      kind: 'renewal' as const,
      type: 'card' as const,
    },
    ...{
      amount: 0,
      currency: invoice.currency,
      provider_invoice_id: invoice.id,
      method_key: initial?.method_key ?? null,
      payer_contact_id: payer as string | null,
    },
    ...{ provider: 'stripe' as const, provider_account_id: row.provider_account_id },
  }
  const made: { id: string }[] = await em.execute(sql`
    ${insertion(em, Payment, renewal)}
    on conflict (
      coalesce(provider_account_id, ''), provider_invoice_id
    ) where provider_invoice_id is not null do nothing
    returning id
  `)
  return made[0] ? em.findOneOrFail(Payment, { id: made[0].id }, lock) : null
}

/**
 * Writes the payment of an invoice for a membership or a plan, with its capture. `eventId`: `read` if no event reported
 * it. Requires the lock of the subscription.
 */
export async function writePayment(
  em: EntityManager,
  row: LockedSubscription,
  invoice: Invoice,
  period: { start: number; end: number } | null,
  eventId: string,
  now: number,
): Promise<'written' | 'known'> {
  const payment = await paymentFor(em, row, invoice, now)
  if (!payment) return 'known'
  const { amount, discount } = invoiceAmounts(invoice)
  const { id, currency, amount_paid, amount_paid_off_stripe } = invoice
  em.assign(payment, {
    ...{
      amount,
      currency,
      discount_amount: discount,
      provider_invoice_id: id,
      period_start: period?.start ?? null,
      period_end: period?.end ?? null,
    },
  })
  // Whether it has to go back is read with its row: clocks of two processes do not tell what came first.
  const [tenant]: { erasing: boolean }[] = await em.execute(
    sql`select erasing_at is not null as erasing from tenants where id = ${row.tenant_id}`,
  )
  const facts = { event: eventId, invoice: id, amount_paid, amount_paid_off_stripe: amount_paid_off_stripe ?? 0 }
  const evidence = { ...facts, erasing: tenant?.erasing ?? false }
  await recordCapture(em, payment, { amount, currency, payment_intent: null, evidence }, now)
  if (!period) em.assign(payment, { error: mismatch })
  await em.flush()
  return 'written'
}

/** What an invoice of the provider's subscription has to agree with. */
export const expectedOf = (row: LockedSubscription, provider_subscription_id: string) => {
  const { amount, currency, provider_price_id: price_id, plan_id } = row
  return { provider_subscription_id, amount, currency, price_id, own_price: plan_id !== null }
}

/** The subscription that an invoice of the provider is for. null: it is for something else. */
export const billed = (invoice: Invoice) => {
  const details = invoice.parent?.subscription_details
  return details ? { subscription: details.subscription, metadata: details.metadata } : null
}

/**
 * An invoice was paid: the only event that makes time, and that only for an invoice of the subscription's own price.
 */
export async function applyInvoicePaid(
  em: EntityManager,
  account: string | null,
  invoice: Invoice,
  eventId: string,
  now: number,
): Promise<Outcome> {
  const of = billed(invoice)
  if (!of) return 'ignored: not the invoice of a subscription'
  const row = await lockNamed(em, account, of.subscription, of.metadata)
  if (!row) return 'ignored: no subscription of this account'
  enterTenantOf(em, row)
  const period = invoiceLine(invoice, expectedOf(row, of.subscription))
  if ((await writePayment(em, row, invoice, period, eventId, now)) === 'known') return 'known already'
  const failed = row.error?.code === 'payment_failed' && Number(row.error.period_end ?? 0) <= endOf(invoice)
  const recovers =
    row.error?.invoice === invoice.id ||
    (period !== null && (failed || row.error?.code === 'price_mismatch')) ||
    (period !== null && row.error?.code === 'event_missing' && period.end >= (row.held_until ?? 0))
  // An operator has to find out what was paid: the subscription keeps charging.
  const error: SubscriptionError | null = period === null ? { ...mismatch, invoice: invoice.id } : null
  const isShown = recovers || (error && (row.error === null || row.error.code === 'price_mismatch'))
  const columns = {
    provider_subscription_id: of.subscription,
    provider_customer_id: sql`coalesce(provider_customer_id, ${invoice.customer ?? null})`,
    ...(period ? { paid_through_at: sql`greatest(paid_through_at, ${period.end}::bigint)` } : {}),
    ...(isShown ? { error: error && json(error) } : {}),
  }
  const { begun, begins } = await begin(em, row, columns, now)
  await follow(em, row, now)
  if (begins) await wakePage(em, row)
  await wakeMembership(em, row)
  if (begun === 'second') return 'paid beside another subscription: refunded'
  return period ? 'paid' : 'paid another price: no time'
}

/** The end of the last period that an invoice bills, in Unix seconds. */
const endOf = (invoice: Invoice): number => Math.max(0, ...invoice.lines.data.map(({ period }) => period.end))

/** An invoice could not be charged. The provider tries again, and access lasts for the grace. */
export async function applyInvoiceFailed(
  em: EntityManager,
  account: string | null,
  invoice: Invoice,
  now: number,
): Promise<Outcome> {
  const of = billed(invoice)
  const row = of && (await lockNamed(em, account, of.subscription, of.metadata))
  if (!row) return 'ignored: no subscription of this account'
  const paid: unknown[] = await em.execute(sql`
    select 1
    from payments
    where tenant_id = ${row.tenant_id} and subscription_id = ${row.id} and provider_invoice_id = ${invoice.id}
  `)
  const [attempt, period_end] = [invoice.attempt_count ?? 0, endOf(invoice)]
  const earlierError = row.error?.code === 'payment_failed' ? row.error : null
  const isLater =
    earlierError &&
    (earlierError.invoice === invoice.id
      ? Number(earlierError.attempt ?? 0) >= attempt
      : Number(earlierError.period_end ?? 0) >= period_end)
  if (paid.length > 0 || isLater || period_end <= (row.paid_through_at ?? 0)) return 'older than what is known'
  const error: SubscriptionError = {
    code: 'payment_failed',
    message: 'The payment provider could not charge the card.',
    invoice: invoice.id,
    ...{ attempt, period_end },
    next_attempt_at: invoice.next_payment_attempt ?? null,
  }
  await writeSubscription(em, row, { error: json(error) }, now)
  const declined = {
    code: 'card_declined',
    message: 'The payment provider declined the card. Another card can be tried on the same payment page.',
  }
  if (invoice.billing_reason === 'subscription_create')
    await em.execute(sql`
      update payments
      set error = ${json(declined)}, updated_at = ${now}
      where tenant_id = ${row.tenant_id} and subscription_id = ${row.id} and kind = 'initial' and status = 'pending'
    `)
  return 'payment failed'
}

/**
 * Records the payment intent of an invoice's payment; `none`: the invoice was paid elsewhere. Refunds and disputes that
 * waited for it are applied, and a payment beside another subscription, or during the deletion of the business, is
 * refunded.
 */
export async function recordIntent(
  em: EntityManager,
  paymentId: string,
  intent: string | null,
  now: number,
): Promise<void> {
  const found = await em.findOne(Payment, { id: paymentId }, anyTenant)
  if (!found?.subscription_id) return
  enterTenantOf(em, found)
  await lockSubscription(em, { id: String(found.subscription_id), tenant_id: found.tenant_id })
  const payment = await lockPayment(em, { id: paymentId })
  if (!payment) return
  // A refund may have read and recorded it before.
  const providerPaymentId = payment.provider_payment_id ?? intent
  const recorded = payment.evidence?.payment_intent
  if (recorded && !(recorded === 'none' && providerPaymentId)) return
  em.assign(payment, {
    provider_payment_id: providerPaymentId,
    evidence: { ...payment.evidence, payment_intent: providerPaymentId ?? 'none' },
    updated_at: now,
  })
  await em.flush()
  if (providerPaymentId) await applyWaiting(em, payment, now)
  // Earlier versions did not record whether the business was being deleted.
  const { erasing } = payment.evidence as { erasing?: boolean }
  const wasErasing =
    erasing === undefined ? sql`t.erasing_at <= ${payment.paid_at ?? null}::bigint` : sql`${erasing}::boolean`
  const isOwed: unknown[] = await em.execute(sql`
    select 1
    from tenants t
    where t.id = ${payment.tenant_id}
      and (
        ${wasErasing}
        or exists (
          select 1
          from subscription_changes c
          where c.tenant_id = t.id
            and c.subscription_id = ${String(payment.subscription_id)}
            and c.kind = 'cancel_now'
            and c.requested_by = 'system'
        )
      )
  `)
  if (isOwed.length > 0)
    await refundLatePayment(em, payment, { amount: payment.captured_amount, currency: payment.currency }, now)
}
