// What the provider's events, reads and answers say about the state of a subscription: the newest one holds. None of
// them makes time.
import type { EntityManager } from '@mikro-orm/postgresql'
import type { EffectStatus } from '../../rules/shapes.ts'
import {
  type BillingState,
  billingStateOf,
  type Invoice,
  invoiceLine,
  isOver,
  isUnpaid,
  type ProviderSubscription,
  precedence,
} from '../../rules/subscriptions/events.ts'
import type { CancelledBy } from '../../rules/subscriptions/subscriptions.ts'
import { undoPending } from '../audiences/members.ts'
import { endAfterRead } from '../audiences/sweep.ts'
import { json, sql } from '../kit/database/sql.ts'
import { enterTenantOf, type Outcome } from '../payments/provider-events.ts'
import {
  begin,
  endIfArchived,
  type Found,
  follow,
  lockNamed,
  opened,
  wakePage,
  writeSubscription,
} from './beginnings.ts'
import { requestChange, wakeMembership } from './changes.ts'
import { billed, expectedOf } from './invoices.ts'
import { type LockedSubscription, lockSubscription } from './locks.ts'

type Ending = { billing_status: string; cancel_at: number | null; reason: string | null }

/**
 * Who ends a subscription: a request of ours says so first; else the dashboard or the portal, unless its payment
 * failed.
 */
const endedBy = (row: LockedSubscription, { billing_status, cancel_at, reason }: Ending): CancelledBy | null => {
  const ends = cancel_at !== null || isOver(billing_status)
  const byUs = row.cancelled_by !== null && row.cancelled_by !== 'provider'
  // What we ended and the dashboard resumed continues.
  if (byUs) return ends || row.cancel_at === null ? row.cancelled_by : null
  return ends && reason !== 'payment_failed' ? 'provider' : null
}

/**
 * A cancellation was requested after the last resumption, and is not proved yet: the resumption that is reported now is
 * not the last word.
 */
async function isCancelling(em: EntityManager, row: LockedSubscription): Promise<boolean> {
  const found: unknown[] = await em.execute(sql`
    select 1
    from subscription_changes c
    where c.tenant_id = ${row.tenant_id}
      and c.subscription_id = ${row.id}
      and c.kind in ('cancel', 'cancel_now')
      and c.status <> 'succeeded'
      and not exists (
        select 1
        from subscription_changes r
        where r.subscription_id = c.subscription_id and r.kind = 'resume' and r.id > c.id
      )
    limit 1
  `)
  return found.length > 0
}

type Reported = BillingState & { reason: string | null; ended_at: number | null; at: number; is_read: boolean }

/**
 * A subscription that was cancelled here, and whose renewal is collected all the same, ends at once: its charge was
 * late when the cancellation was sent.
 */
async function endUnpaid(em: EntityManager, row: LockedSubscription, now: number): Promise<void> {
  const byUs = row.cancelled_by !== null && row.cancelled_by !== 'provider'
  if (row.status === 'live' && byUs && row.cancel_at !== null && isUnpaid(row.billing_status))
    await requestChange(em, row, 'cancel', 'system', now)
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
  const resumed =
    newer && row.status === 'live' && row.cancel_at !== null && cancel_at === null && !isOver(billing_status)
  if (newer) {
    const over = isOver(billing_status)
    const cancelled_by =
      resumed && (await isCancelling(em, row)) ? row.cancelled_by : endedBy(row, { ...state, reason })
    const ends = over && (row.status !== 'ended' || row.ended_at === null)
    await writeSubscription(
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
  // Its payment may still be reported: with time that is left, the member comes back.
  if (row.status === 'ended' && row.paid_through_at === null && row.member_id !== null)
    await undoPending(em, row.tenant_id, row.member_id, now)
  await endUnpaid(em, row, now)
  if (resumed) await endIfArchived(em, row, now)
  if (read_again) await wantRead(em, row, now)
  return newer
}

/**
 * Asks the workflow of the membership to read the provider's subscription, also if a read is under way: that one clears
 * the time that it began with.
 */
async function wantRead(em: EntityManager, row: LockedSubscription, now: number): Promise<void> {
  await writeSubscription(em, row, { read_wanted_at: sql`greatest(read_wanted_at + 1, ${now}::bigint)` }, now)
  await wakeMembership(em, row)
}

/** The provider has no subscription that could be read. The membership's workflow reads until no read is wanted. */
export async function dropRead(em: EntityManager, { id, tenant_id }: Found): Promise<void> {
  await em.execute(sql`
    update subscriptions
    set read_wanted_at = null
    where id = ${id} and tenant_id = ${tenant_id} and provider_subscription_id is null
  `)
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
  if (isNew && (facts.status === 'incomplete' || facts.status === 'incomplete_expired'))
    return `ignored: ${facts.status}`
  if (isNew) {
    const columns = { provider_subscription_id: facts.id, provider_customer_id: facts.customer }
    if (isOver(facts.status)) await writeSubscription(em, row, columns, now)
    else if ((await begin(em, row, columns, now)).begins) row.status = 'live'
    Object.assign(row, columns)
    await wakePage(em, row)
  }
  const reason = facts.cancellation_details?.reason ?? null
  const newer = await report(
    em,
    row,
    { ...billingStateOf(facts, eventAt), reason, ended_at: facts.ended_at ?? null, at: eventAt, is_read: false },
    now,
  )
  if (!newer) return isNew ? 'linked' : 'older than what is known'
  await follow(em, row, now)
  return `subscription ${facts.status}`
}

/**
 * The customer saved another card: it becomes the card of every live subscription, which would keep charging the card
 * of their page. Members are locked by id, as by merges.
 */
export async function applyCustomer(
  em: EntityManager,
  account: string | null,
  customerId: string,
  now: number,
): Promise<Outcome> {
  const found: Found[] = await em.execute(sql`
    select id, tenant_id
    from subscriptions
    where coalesce(provider_account_id, '') = ${account ?? ''}
      and provider_customer_id = ${customerId}
      and status = 'live'
      and provider_subscription_id is not null
    order by member_id, id
    limit 100
  `)
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
  const [change]: Answered[] = await em.execute(sql`
    select subscription_id, tenant_id, status, billing_status, cancel_at, reported_at,
      repeat and status not in ('requested', 'processing') as repeat,
      extract(epoch from clock_timestamp())::bigint as now
    from subscription_changes
    where id = ${changeId}
  `)
  if (!change) return
  const row = await lockSubscription(em, { id: change.subscription_id, tenant_id: change.tenant_id })
  if (!row) return
  const { billing_status, cancel_at, reported_at: at, status, now } = change
  // It may have ended at the provider, and its event is missing. A success without a state was recorded by a person,
  // and does not say what the subscription is now.
  if (status === 'rejected' || (status === 'succeeded' && billing_status === null)) await wantRead(em, row, now)
  if (change.repeat) await requestChange(em, row, 'card', 'system', now)
  if (billing_status === null || at === null) return
  if (await report(em, row, { billing_status, cancel_at, reason: null, ended_at: null, at, is_read: true }, now))
    await follow(em, row, now)
}

/** Seconds for which a read holds access where the event of a payment is missing. */
const HOLD_S = 86_400

type Read = {
  facts: ProviderSubscription
  invoice: Invoice | null
  card_agrees: boolean
  at: number
  wanted_at: number | null
}

/**
 * What a read of the provider showed. It makes no time: a later paid period holds access for a day at a time, and the
 * subscription says `event_missing`. Changes whose outcome is unknown, and which the provider's state shows, get their
 * evidence. A member without access ends now, not with the next sweep. null: the provider does not know the
 * subscription, or the account refuses access.
 */
export async function recordRead(em: EntityManager, found: Found, read: Read | null, now: number): Promise<void> {
  const row = await lockSubscription(em, found)
  if (!row) return
  const readColumns = {
    read_at: now,
    read_wanted_at: sql`
      case when read_wanted_at is distinct from ${read?.wanted_at ?? row.read_wanted_at}::bigint then read_wanted_at end
    `,
  }
  if (!read) {
    await writeSubscription(
      em,
      row,
      {
        ...readColumns,
        error: json({ code: 'not_readable', message: 'The payment provider did not return the subscription.' }),
      },
      now,
    )
    if (row.member_id) await endAfterRead(em, row.tenant_id, row.member_id, now)
    return
  }
  const { facts, invoice, card_agrees, at } = read
  const reason = facts.cancellation_details?.reason ?? null
  const state = billingStateOf(facts, at)
  await report(em, row, { ...state, reason, ended_at: facts.ended_at ?? null, at, is_read: true }, now)
  const paid =
    invoice?.status === 'paid' && billed(invoice)?.subscription === facts.id
      ? invoiceLine(invoice, expectedOf(row, facts.id))
      : null
  const missing = paid !== null && row.status === 'live' && paid.end > (row.paid_through_at ?? 0) && paid.end > now
  const error = {
    code: 'event_missing',
    message: `The payment provider shows a paid period until ${paid?.end}, in Unix seconds, and its event has not arrived.`,
  }
  const isReadable = row.error?.code === 'not_readable' ? { error: null } : {}
  const shows = missing ? { held_until: Math.min(paid.end, now + HOLD_S), error: json(error) } : isReadable
  await writeSubscription(em, row, { ...readColumns, ...shows }, now)
  const seen = sql`
    case kind
      when 'cancel_now' then ${isOver(state.billing_status)}
      when 'cancel' then ${isOver(state.billing_status) || state.cancel_at !== null}
      when 'resume' then ${!isOver(state.billing_status) && state.cancel_at === null}
      else ${card_agrees}
    end
  `
  const { billing_status, cancel_at } = state
  await em.execute(sql`
    update subscription_changes
    set late_evidence = ${json({ status: 'seen', read_at: at, billing_status, cancel_at })},
      late_at = clock_timestamp(), updated_at = ${now}
    where tenant_id = ${row.tenant_id}
      and subscription_id = ${row.id}
      and status = 'unknown'
      and late_evidence is null
      and ${seen}
  `)
  await follow(em, row, now)
  if (row.member_id) await endAfterRead(em, row.tenant_id, row.member_id, now)
}
