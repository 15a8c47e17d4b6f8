// Applies signed events and reads of the provider to subscriptions. Only a paid invoice makes time; everything else changes words. Any order of events leaves the same rows.
import type { EntityManager } from '@mikro-orm/postgresql'
import type { EffectStatus } from '../../rules/shapes.ts'
import {
  type BillingState,
  billingStateOf,
  type Invoice,
  invoiceAmounts,
  invoiceLine,
  isOver,
  isUnpaid,
  type ProviderSubscription,
  precedence,
} from '../../rules/subscriptions/events.ts'
import type { CancelledBy } from '../../rules/subscriptions/subscriptions.ts'
import { undoPending } from '../audiences/members.ts'
import { newId, uuids } from '../kit/ids.ts'
import { insertion } from '../kit/insert.ts'
import { anyTenant } from '../kit/orm.ts'
import { start } from '../kit/outbox.ts'
import { assignments, json, type Sql, sql, type Value } from '../kit/sql.ts'
import { Payment } from '../orders/payment.ts'
import type { PaymentSession } from '../orders/payment-session.ts'
import { recordSession } from '../orders/payment-sessions.ts'
import { giveBackUse } from '../orders/redemptions.ts'
import { lockPayment, refundLatePayment } from '../orders/refunds.ts'
import { applyWaiting, enterTenantOf, type Outcome, recordCapture, recordPage, type SessionFacts } from '../orders/settlement.ts'
import { subscriptionUpdated } from '../stores/account-events.ts'
import { requestChange, wakeMembership } from './changes.ts'
import { followSubscription } from './follow.ts'
import { type LockedSubscription, lockSubscription } from './locking.ts'
import type { SubscriptionError } from './subscription.ts'

type Found = { id: string; tenant_id: string }
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/**
 * The subscription of an object of this account: by the provider's id, else the one that its metadata names, if that has no other. Locks it with its member. null:
 * the object belongs to something else that the account bills.
 */
async function lockNamed(
  em: EntityManager,
  account: string | null,
  providerId: string,
  metadata: Record<string, string> | null | undefined,
): Promise<LockedSubscription | null> {
  const { subscription = '', tenant_id = '' } = metadata ?? {}
  const inAccount = sql`coalesce(provider_account_id, '') = ${account ?? ''}`
  const named =
    uuid.test(subscription) && uuid.test(tenant_id)
      ? sql` union all select id, tenant_id from subscriptions where id = ${subscription} and tenant_id = ${tenant_id} and kind = 'recurring' and provider_subscription_id is null
        and ${inAccount}`
      : sql``
  const [found]: Found[] = await em.execute(
    sql`select id, tenant_id from subscriptions where ${inAccount} and provider_subscription_id = ${providerId}${named} limit 1`,
  )
  if (!found) return null
  const row = await lockSubscription(em, found)
  // Linked to another one while this transaction waited.
  return row && (row.provider_subscription_id === null || row.provider_subscription_id === providerId) ? row : null
}

const write = async (em: EntityManager, row: LockedSubscription, columns: { [Name in keyof LockedSubscription]?: Value | Sql }, now: number): Promise<void> => {
  await em.execute(
    sql`update subscriptions set ${assignments({ ...columns, updated_at: now } as Record<string, Value | Sql>)} where id = ${row.id} and tenant_id = ${row.tenant_id}`,
  )
}

/** Gives up those whose page was never opened, because another one of the member was paid. */
async function giveUpWaiting(em: EntityManager, tenantId: string, ids: readonly string[], now: number): Promise<void> {
  if (ids.length === 0) return
  const error = { code: 'payment_in_progress', message: 'The payment form of the former choice was paid.' }
  await em.execute(
    sql`with s as (update subscriptions set status = 'given_up', cancel_requested = false, error = ${json(error)}, updated_at = ${now} where tenant_id = ${tenantId} and id = any (${uuids(ids)}) returning id)
     update payments set status = 'cancelled', updated_at = ${now} where tenant_id = ${tenantId} and status = 'pending' and subscription_id in (select id from s)`,
  )
  for (const subscription_id of ids) await giveBackUse(em, tenantId, { subscription_id })
}

/** An operator removed the member while the page was open, and it was paid all the same: the member becomes what it was before, and the payment is refunded. */
async function giveUpRemoved(em: EntityManager, row: LockedSubscription, now: number): Promise<void> {
  const waiting: { id: string }[] = await em.execute(
    sql`select id from subscriptions where tenant_id = ${row.tenant_id} and member_id = ${row.member_id} and status = 'waiting' for update`,
  )
  await write(em, row, { status: 'given_up', ...opened }, now)
  row.status = 'given_up'
  await giveBackUse(em, row.tenant_id, { subscription_id: row.id })
  const ids = waiting.map(({ id }) => id)
  await giveUpWaiting(em, row.tenant_id, ids, now)
  if (row.member_id !== null) await undoPending(em, row.tenant_id, row.member_id, now)
}

type Begun = 'live' | 'ended' | 'second'

/**
 * What a subscription becomes that is linked or paid. `second`: its member was removed, or it was given up and its member has another one that is live or may be paid at this moment. Those
 * that wait for its page are given up.
 */
async function beginning(em: EntityManager, row: LockedSubscription, now: number): Promise<Begun> {
  if (row.status === 'live' || row.status === 'ended') return row.status
  // It was ended as a second one before, and its payments are refunded.
  const wasSecond: unknown[] = await em.execute(
    sql`select 1 from subscription_changes where tenant_id = ${row.tenant_id} and subscription_id = ${row.id} and kind = 'cancel_now' and requested_by = 'system' limit 1`,
  )
  if (wasSecond.length > 0) return 'second'
  // Removed before it was paid, with its page open or closed.
  if (row.cancelled_by === 'operator') {
    if (row.status === 'pending') await giveUpRemoved(em, row, now)
    return 'second'
  }
  const owner = row.member_id === null ? sql`plan_id is not null` : sql`member_id = ${row.member_id}`
  const others: { id: string; status: string }[] = await em.execute(
    sql`select id, status from subscriptions where tenant_id = ${row.tenant_id} and ${owner} and id <> ${row.id} and status in ('waiting', 'pending', 'live') order by id for update`,
  )
  if (others.some(({ status }) => status !== 'waiting')) return 'second'
  await giveUpWaiting(
    em,
    row.tenant_id,
    others.map(({ id }) => id),
    now,
  )
  return 'live'
}

const opened = { hold_until: null, cancel_requested: false }

/** What follows from the subscription's row: the state of its member, or an event of the store that has the plan. */
const follow = (em: EntityManager, row: LockedSubscription, now: number): Promise<void> =>
  row.member_id === null ? subscriptionUpdated(em, row.tenant_id, now) : followSubscription(em, row.tenant_id, row.id, now)

/** A subscription of an audience or a store that was archived meanwhile ends with its period. */
async function endIfArchived(em: EntityManager, row: LockedSubscription, now: number): Promise<void> {
  if (row.kind !== 'recurring') return
  const archived: unknown[] = await em.execute(
    sql`select 1 from tenants t left join audience_members m on m.tenant_id = t.id and m.id = ${row.member_id} left join audiences a on a.id = m.audience_id and a.tenant_id = m.tenant_id
     where t.id = ${row.tenant_id} and (t.status = 'ARCHIVED' or a.status = 'archived')`,
  )
  if (archived.length > 0) await requestChange(em, row, 'cancel', 'archive', now)
}

/** Its page may be open, and its workflow ends with the payment. */
const wakePage = (em: EntityManager, { id, tenant_id }: Found) => start(em, 'checkout', id, { tenant_id, again: true })

/** A page of a subscription was completed or has expired. Of `payment` mode, the exact amount makes it live; of `subscription` mode, no time is proved. */
export async function applyPage(
  em: EntityManager,
  session: PaymentSession,
  facts: SessionFacts & { subscription: string | null; customer: string | null },
  eventId: string,
  now: number,
): Promise<Outcome> {
  enterTenantOf(em, session)
  const row = await lockSubscription(em, { id: String(session.subscription_id), tenant_id: session.tenant_id })
  if (!row) return 'ignored: no subscription'
  const payment = await lockPayment(em, { id: session.payment_id })
  if (!payment) return 'ignored: no payment'
  await recordPage(em, session, facts, eventId)
  if (facts.status !== 'complete') {
    await wakePage(em, row)
    return `session ${facts.status}`
  }
  if (session.mode === 'subscription') return linked(em, row, facts, now)
  if (!facts.paid) return 'session complete'
  if (payment.captured_amount > 0 || payment.provider_session_id === facts.id) return 'known already'
  return captured(em, row, payment, facts, eventId, now)
}

async function linked(
  em: EntityManager,
  row: LockedSubscription,
  { id, subscription, customer }: { id: string; subscription: string | null; customer: string | null },
  now: number,
): Promise<Outcome> {
  await wakePage(em, row)
  if (!subscription) return 'session complete: it names no subscription'
  if (row.provider_subscription_id && row.provider_subscription_id !== subscription) return 'ignored: another subscription'
  await em.execute(
    sql`update payments set provider_session_id = ${id} where tenant_id = ${row.tenant_id} and subscription_id = ${row.id} and kind = 'initial' and provider_session_id is null`,
  )
  return link(em, row, subscription, customer, now)
}

/** A read showed that a page of `subscription` mode was completed: links its subscription. It makes no time. */
export async function applyReadPage(
  em: EntityManager,
  session: PaymentSession,
  facts: { id: string; subscription: string; customer: string | null },
  now: number,
): Promise<void> {
  enterTenantOf(em, session)
  const row = await lockSubscription(em, { id: String(session.subscription_id), tenant_id: session.tenant_id })
  if (!row) return
  await recordSession(em, session.tenant_id, session.id, { provider_session_id: facts.id, state: 'complete' })
  if (row.provider_subscription_id === null) await linked(em, row, facts, now)
}

/** Links the provider's subscription. A second one of its member is ended at once. */
async function link(em: EntityManager, row: LockedSubscription, subscription: string, customer: string | null, now: number): Promise<Outcome> {
  const begun = await beginning(em, row, now)
  const isLive = begun === 'live'
  await write(
    em,
    row,
    {
      provider_subscription_id: subscription,
      provider_customer_id: sql`coalesce(provider_customer_id, ${customer})`,
      ...(isLive && row.status !== 'live' ? { status: 'live' as const, ...opened } : {}),
    },
    now,
  )
  if (begun === 'second') await requestChange(em, row, 'cancel_now', 'system', now)
  if (isLive && row.status !== 'live') await endIfArchived(em, row, now)
  await follow(em, row, now)
  return begun === 'second' ? 'linked: the member has another subscription' : 'linked'
}

/** A one-time price was paid: the membership has no end, if the amount is exact. */
async function captured(em: EntityManager, row: LockedSubscription, payment: Payment, facts: SessionFacts, eventId: string, now: number): Promise<Outcome> {
  const agrees = await recordCapture(em, payment, facts, eventId, now)
  await wakePage(em, row)
  if (!agrees) {
    await write(em, row, { ...opened, ...(row.status === 'live' || row.status === 'ended' ? {} : { status: 'given_up' as const }) }, now)
    return 'paid another amount: flagged'
  }
  const begun = await beginning(em, row, now)
  if (begun === 'second') {
    await refundLatePayment(em, payment, { amount: payment.amount, currency: payment.currency }, now)
    return 'paid beside another subscription: refunded'
  }
  if (begun === 'live') await write(em, row, { status: 'live', ...opened }, now)
  await follow(em, row, now)
  return 'paid'
}

/** Writes the payment of an invoice: the first settles the one that was pending since subscribing. */
async function writePayment(
  em: EntityManager,
  row: LockedSubscription,
  invoice: Invoice,
  period: { start: number; end: number } | null,
  eventId: string,
  now: number,
): Promise<'written' | 'known'> {
  const { amount, discount } = invoiceAmounts(invoice)
  const account = row.provider_account_id
  const known: { id: string; provider_invoice_id: string | null; payer_contact_id: string | null; method_key: string | null; kind: string }[] =
    await em.execute(
      sql`select id, provider_invoice_id, payer_contact_id, method_key, kind from payments where tenant_id = ${row.tenant_id} and subscription_id = ${row.id}
       and (kind = 'initial' or provider_invoice_id = ${invoice.id}) order by id for update`,
    )
  if (known.some(({ provider_invoice_id }) => provider_invoice_id === invoice.id)) return 'known'
  const initial = known.find(({ kind }) => kind === 'initial')
  const mismatch = { code: 'price_mismatch', message: 'The invoice is not for the price of this subscription, once and without proration. It gives no time.' }
  const facts = {
    ...{ status: 'paid' as const, currency: invoice.currency, captured_amount: amount, discount_amount: discount, provider_invoice_id: invoice.id },
    ...{ period_start: period?.start ?? null, period_end: period?.end ?? null, paid_at: now, updated_at: now },
    evidence: { event: eventId, invoice: invoice.id, amount_paid: invoice.amount_paid, amount_paid_off_stripe: invoice.amount_paid_off_stripe ?? 0 },
    error: period ? null : mismatch,
  }
  if (initial && initial.provider_invoice_id === null && invoice.billing_reason === 'subscription_create') {
    const columns = { ...facts, amount, evidence: json(facts.evidence), error: json(facts.error) }
    await em.execute(sql`update payments set ${assignments(columns)} where id = ${initial.id} and tenant_id = ${row.tenant_id}`)
    return 'written'
  }
  const payer = initial ? initial.payer_contact_id : sql`(select contact_id from audience_members where id = ${row.member_id} and tenant_id = ${row.tenant_id})`
  const renewal = {
    id: newId(),
    tenant_id: row.tenant_id,
    ...{ created_at: now, subscription_id: row.id, kind: 'renewal' as const, type: 'card' as const, amount },
    ...{
      method_key: initial?.method_key ?? null,
      payer_contact_id: payer as string | null,
      provider: 'stripe' as const,
      provider_account_id: account,
      ...facts,
    },
  }
  const made: unknown[] = await em.execute(
    sql`${insertion(em, Payment, renewal)} on conflict (coalesce(provider_account_id, ''), provider_invoice_id) where provider_invoice_id is not null do nothing returning id`,
  )
  return made.length > 0 ? 'written' : 'known'
}

/** What an invoice of the provider's subscription has to agree with. */
const expectedOf = (row: LockedSubscription, provider_subscription_id: string) => {
  const { amount, currency, provider_price_id: price_id, plan_id } = row
  return { provider_subscription_id, amount, currency, price_id, own_price: plan_id !== null }
}

const billed = (invoice: Invoice) => {
  const details = invoice.parent?.subscription_details
  return details ? { subscription: details.subscription, metadata: details.metadata } : null
}

/** An invoice was paid: the only event that makes time, and that only for an invoice of the subscription's own price. */
export async function applyInvoicePaid(em: EntityManager, account: string | null, invoice: Invoice, eventId: string, now: number): Promise<Outcome> {
  const of = billed(invoice)
  if (!of) return 'ignored: not the invoice of a subscription'
  const row = await lockNamed(em, account, of.subscription, of.metadata)
  if (!row) return 'ignored: no subscription of this account'
  enterTenantOf(em, row)
  const period = invoiceLine(invoice, expectedOf(row, of.subscription))
  if ((await writePayment(em, row, invoice, period, eventId, now)) === 'known') return 'known already'
  const begun = await beginning(em, row, now)
  const begins = begun === 'live' && row.status !== 'live'
  const recovers = row.error?.invoice === invoice.id || (period !== null && row.error?.code === 'event_missing' && period.end >= (row.held_until ?? 0))
  await write(
    em,
    row,
    {
      provider_subscription_id: of.subscription,
      provider_customer_id: sql`coalesce(provider_customer_id, ${invoice.customer ?? null})`,
      ...(begins ? { status: 'live' as const, ...opened } : {}),
      ...(period ? { paid_through_at: sql`greatest(paid_through_at, ${period.end}::bigint)` } : {}),
      ...(recovers ? { error: null } : {}),
    },
    now,
  )
  if (begun === 'second') await requestChange(em, row, 'cancel_now', 'system', now)
  if (begins) await endIfArchived(em, row, now)
  await follow(em, row, now)
  if (begins) await wakePage(em, row)
  await wakeMembership(em, row)
  if (begun === 'second') return 'paid beside another subscription: refunded'
  return period ? 'paid' : 'paid another price: no time'
}

/** An invoice could not be charged. The provider tries again, and access lasts for the grace. */
export async function applyInvoiceFailed(em: EntityManager, account: string | null, invoice: Invoice, now: number): Promise<Outcome> {
  const of = billed(invoice)
  const row = of && (await lockNamed(em, account, of.subscription, of.metadata))
  if (!row) return 'ignored: no subscription of this account'
  const paid: unknown[] = await em.execute(
    sql`select 1 from payments where tenant_id = ${row.tenant_id} and subscription_id = ${row.id} and provider_invoice_id = ${invoice.id}`,
  )
  const attempt = invoice.attempt_count ?? 0
  const isLater = row.error?.invoice === invoice.id && Number(row.error.attempt ?? 0) >= attempt
  if (paid.length > 0 || isLater) return 'older than what is known'
  const error: SubscriptionError = {
    code: 'payment_failed',
    message: 'The payment provider could not charge the card.',
    invoice: invoice.id,
    attempt,
    next_attempt_at: invoice.next_payment_attempt ?? null,
  }
  await write(em, row, { error: json(error) }, now)
  return 'payment failed'
}

type Ending = { billing_status: string; cancel_at: number | null; reason: string | null }

/** Who ends a subscription: a request of ours says so first; else the dashboard or the portal, unless its payment failed. */
const endedBy = (row: LockedSubscription, { billing_status, cancel_at, reason }: Ending): CancelledBy | null => {
  const ends = cancel_at !== null || isOver(billing_status)
  const byUs = row.cancelled_by !== null && row.cancelled_by !== 'provider'
  // What we ended and the dashboard resumed goes on.
  if (byUs) return ends || row.cancel_at === null ? row.cancelled_by : null
  return ends && reason !== 'payment_failed' ? 'provider' : null
}

/** A cancellation was requested after the last resumption, and is not proved yet: the resumption that is reported now is not the last word. */
async function isCancelling(em: EntityManager, row: LockedSubscription): Promise<boolean> {
  const found: unknown[] = await em.execute(
    sql`select 1 from subscription_changes c where c.tenant_id = ${row.tenant_id} and c.subscription_id = ${row.id} and c.kind in ('cancel', 'cancel_now') and c.status <> 'succeeded'
       and not exists (select 1 from subscription_changes r where r.subscription_id = c.subscription_id and r.kind = 'resume' and r.id > c.id) limit 1`,
  )
  return found.length > 0
}

type Reported = BillingState & { reason: string | null; ended_at: number | null; at: number; is_read: boolean }

/** A subscription that was cancelled here, and whose renewal is collected all the same, ends at once: its charge was late when the cancellation was sent. */
async function endUnpaid(em: EntityManager, row: LockedSubscription, now: number): Promise<void> {
  const byUs = row.cancelled_by !== null && row.cancelled_by !== 'provider'
  if (row.status === 'live' && byUs && row.cancel_at !== null && isUnpaid(row.billing_status)) await requestChange(em, row, 'cancel', 'system', now)
}

/** Takes over a state of the provider's subscription if it is newer. Requires the lock of the subscription. */
async function report(
  em: EntityManager,
  row: LockedSubscription,
  { billing_status, cancel_at, reason, ended_at, at, is_read }: Reported,
  now: number,
): Promise<boolean> {
  const state = { billing_status, cancel_at }
  const { newer, read_again } = precedence(row, state, at, is_read)
  const resumed = newer && row.status === 'live' && row.cancel_at !== null && cancel_at === null && !isOver(billing_status)
  if (newer) {
    const over = isOver(billing_status)
    const cancelled_by = resumed && (await isCancelling(em, row)) ? row.cancelled_by : endedBy(row, { ...state, reason })
    const ends = over && (row.status !== 'ended' || row.ended_at === null)
    await write(
      em,
      row,
      {
        ...state,
        event_at: at,
        cancelled_by,
        ...(ends ? { status: 'ended' as const, ended_at: ended_at ?? at, ...opened } : {}),
      },
      now,
    )
    Object.assign(row, state, { event_at: at, cancelled_by }, ends ? { status: 'ended' } : {})
  }
  await endUnpaid(em, row, now)
  if (resumed) await endIfArchived(em, row, now)
  if (read_again) await wantRead(em, row, now)
  return newer
}

/** Asks the workflow of the membership to read the provider's subscription, also if a read is under way: that one clears the time that it began with. */
async function wantRead(em: EntityManager, row: LockedSubscription, now: number): Promise<void> {
  await write(em, row, { read_wanted_at: sql`greatest(read_wanted_at + 1, ${now}::bigint)` }, now)
  await wakeMembership(em, row)
}

/** A subscription was created, changed or deleted at the provider. No such event makes time. */
export async function applySubscription(
  em: EntityManager,
  account: string | null,
  facts: ProviderSubscription,
  eventAt: number,
  now: number,
): Promise<Outcome> {
  const row = await lockNamed(em, account, facts.id, facts.metadata)
  if (!row) return 'ignored: no subscription of this account'
  enterTenantOf(em, row)
  const isNew = row.provider_subscription_id === null
  // Nothing was paid: the page may make another subscription. It would block the member without an end.
  if (isNew && (facts.status === 'incomplete' || facts.status === 'incomplete_expired')) return `ignored: ${facts.status}`
  if (isNew) {
    const over = isOver(facts.status)
    const begun = over ? 'ended' : await beginning(em, row, now)
    const begins = begun === 'live' && row.status !== 'live'
    const columns = { provider_subscription_id: facts.id, provider_customer_id: facts.customer, ...(begins ? { status: 'live' as const, ...opened } : {}) }
    await write(em, row, columns, now)
    if (begun === 'second') await requestChange(em, row, 'cancel_now', 'system', now)
    if (begins) await endIfArchived(em, row, now)
    Object.assign(row, columns)
    await wakePage(em, row)
  }
  const reason = facts.cancellation_details?.reason ?? null
  const newer = await report(em, row, { ...billingStateOf(facts, eventAt), reason, ended_at: facts.ended_at ?? null, at: eventAt, is_read: false }, now)
  if (!newer) return isNew ? 'linked' : 'older than what is known'
  await follow(em, row, now)
  return `subscription ${facts.status}`
}

/** The customer saved another card: it becomes the card of every live subscription, which would go on charging the card of their page. */
export async function applyCustomer(em: EntityManager, account: string | null, customerId: string, now: number): Promise<Outcome> {
  const found: Found[] = await em.execute(
    sql`select id, tenant_id from subscriptions where coalesce(provider_account_id, '') = ${account ?? ''} and provider_customer_id = ${customerId} and status = 'live'
       and provider_subscription_id is not null order by id limit 100`,
  )
  for (const one of found) {
    const row = await lockSubscription(em, one)
    if (row?.status === 'live') await requestChange(em, row, 'card', 'system', now)
  }
  return found.length > 0 ? 'card requested' : 'ignored: no subscription of this customer'
}

type Answered = {
  subscription_id: string
  tenant_id: string
  billing_status: string | null
  cancel_at: number | null
  reported_at: number | null
  repeat: boolean
  status: EffectStatus
  now: number
}

/** What the answer to a change says about its subscription: as a read of the provider at that time. */
export async function recordAnswer(em: EntityManager, changeId: string): Promise<void> {
  const [change]: Answered[] = await em.execute(
    sql`select subscription_id, tenant_id, status, billing_status, cancel_at, reported_at, repeat and status not in ('requested', 'processing') as repeat,
       extract(epoch from clock_timestamp())::bigint as now from subscription_changes where id = ${changeId}`,
  )
  if (!change) return
  const row = await lockSubscription(em, { id: change.subscription_id, tenant_id: change.tenant_id })
  if (!row) return
  const { billing_status, cancel_at, reported_at: at, status, now } = change
  // It may have ended at the provider, and its event is missing.
  if (status === 'rejected') await wantRead(em, row, now)
  if (change.repeat) await requestChange(em, row, 'card', 'system', now)
  if (billing_status === null || at === null) return
  if (await report(em, row, { billing_status, cancel_at, reason: null, ended_at: null, at, is_read: true }, now)) await follow(em, row, now)
}

/** Seconds for which a read holds access where the event of a payment is missing. */
const HOLD_S = 86_400

type Read = { facts: ProviderSubscription; invoice: Invoice | null; card_agrees: boolean; at: number; wanted_at: number | null }

/**
 * What a read of the provider showed. It makes no time: a later paid period holds access for a day at a time, and the subscription says `event_missing`. Changes whose
 * outcome is unknown, and which the provider's state shows, get their evidence. null: the provider does not know the subscription, or the account refuses access.
 */
export async function recordRead(em: EntityManager, found: Found, read: Read | null, now: number): Promise<void> {
  const row = await lockSubscription(em, found)
  if (!row) return
  const readColumns = {
    read_at: now,
    read_wanted_at: sql`case when read_wanted_at is distinct from ${read?.wanted_at ?? row.read_wanted_at}::bigint then read_wanted_at end`,
  }
  if (!read) {
    await write(em, row, { ...readColumns, error: json({ code: 'not_readable', message: 'The payment provider did not return the subscription.' }) }, now)
    return
  }
  const { facts, invoice, card_agrees, at } = read
  const reason = facts.cancellation_details?.reason ?? null
  const state = billingStateOf(facts, at)
  await report(em, row, { ...state, reason, ended_at: facts.ended_at ?? null, at, is_read: true }, now)
  const paid = invoice?.status === 'paid' && billed(invoice)?.subscription === facts.id ? invoiceLine(invoice, expectedOf(row, facts.id)) : null
  const missing = paid !== null && row.status === 'live' && paid.end > (row.paid_through_at ?? 0) && paid.end > now
  const error = {
    code: 'event_missing',
    message: `The payment provider shows a paid period until ${paid?.end}, in Unix seconds, and its event has not arrived.`,
  }
  await write(em, row, { ...readColumns, ...(missing ? { held_until: Math.min(paid.end, now + HOLD_S), error: json(error) } : {}) }, now)
  const seen = sql`case kind when 'cancel_now' then ${isOver(state.billing_status)} when 'cancel' then ${isOver(state.billing_status) || state.cancel_at !== null}
    when 'resume' then ${!isOver(state.billing_status) && state.cancel_at === null} else ${card_agrees} end`
  await em.execute(
    sql`update subscription_changes set late_evidence = ${json({ status: 'seen', read_at: at, billing_status: state.billing_status, cancel_at: state.cancel_at })}, updated_at = ${now}
     where tenant_id = ${row.tenant_id} and subscription_id = ${row.id} and status = 'unknown' and late_evidence is null and ${seen}`,
  )
  await follow(em, row, now)
}

/**
 * Records the payment intent of an invoice's payment; `none`: the invoice was paid elsewhere. Refunds and disputes that waited for it are applied, and a payment
 * beside another subscription is refunded.
 */
export async function recordIntent(em: EntityManager, paymentId: string, intent: string | null, now: number): Promise<void> {
  const found = await em.findOne(Payment, { id: paymentId }, anyTenant)
  if (!found?.subscription_id) return
  enterTenantOf(em, found)
  await lockSubscription(em, { id: String(found.subscription_id), tenant_id: found.tenant_id })
  const payment = await lockPayment(em, { id: paymentId })
  if (!payment) return
  // A refund may have read and recorded it before.
  const known = payment.provider_payment_id ?? intent
  const recorded = payment.evidence?.payment_intent
  if (recorded && !(recorded === 'none' && known)) return
  em.assign(payment, { provider_payment_id: known, evidence: { ...payment.evidence, payment_intent: known ?? 'none' }, updated_at: now })
  await em.flush()
  if (known) await applyWaiting(em, payment, now)
  const second: unknown[] = await em.execute(
    sql`select 1 from subscription_changes where tenant_id = ${payment.tenant_id} and subscription_id = ${String(payment.subscription_id)} and kind = 'cancel_now' and requested_by = 'system'`,
  )
  if (second.length > 0) await refundLatePayment(em, payment, { amount: payment.captured_amount, currency: payment.currency }, now)
}
