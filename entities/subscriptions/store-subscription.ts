// A store subscribes to a plan of the installation, on the platform's own account: by the same rows and the same pages
// as a membership.
import type { EntityManager } from '@mikro-orm/postgresql'
import { endsAsPaid } from '../../rules/audiences/memberships.ts'
import { conflict, invalid, notFound } from '../../rules/refusal.ts'
import { isUnpaid } from '../../rules/subscriptions/events.ts'
import { isFree, isPageUnknown, type Plan, type PlanRow, priceFor } from '../../rules/subscriptions/plans.ts'
import { isClosing } from '../../rules/subscriptions/subscriptions.ts'
import { insertRow } from '../kit/database/insert.ts'
import { sql } from '../kit/database/sql.ts'
import { decrypt } from '../kit/encrypted.ts'
import { newId } from '../kit/ids.ts'
import { lockForChange } from '../kit/locked-row.ts'
import { subscriptionUpdated } from '../stores/account-events.ts'
import { Tenant } from '../stores/tenant.ts'
import { requestChange } from './changes.ts'
import { checkTotal, type Offer } from './offer.ts'
import { openSubscription, requestClosing } from './pages.ts'
import { Subscription } from './subscription.ts'

/** `client_secret`: of the payment form of the page, or the address of a page that is the provider's own. */
export type StoreRow = PlanRow & { client_secret: string | null }

type Stored = Omit<StoreRow, 'expires_at'> & { expires_at: number | null; request: string | null }

/** The time that was sent to the provider; it holds also where no answer came. */
const sentExpiry = (request: string | null): number | null =>
  request === null ? null : ((JSON.parse(decrypt(request)) as { expires_at?: number }).expires_at ?? null)

/** The live subscription of the store, and its newest ones, the newest first. One statement. */
export async function readPlanRows(em: EntityManager, tenantId: string): Promise<StoreRow[]> {
  const rows: Stored[] = await em.execute(sql`
    select sub.id, sub.plan_id, sub.status, sub.billing_status, sub.market, sub.currency, sub.amount::float8 as amount,
      sub.return_url, sub.cancel_url, sub.paid_through_at::float8 as paid_through_at,
      sub.cancel_requested, sub.cancelled_by, sub.cancel_at::float8 as cancel_at,
      exists (
        select 1
        from subscription_changes c
        where c.tenant_id = sub.tenant_id
          and c.subscription_id = sub.id
          and c.kind = 'cancel'
          and c.status in ('requested', 'processing')
      ) as is_ending,
      exists (
        select 1
        from subscription_changes c
        where c.tenant_id = sub.tenant_id
          and c.subscription_id = sub.id
          and c.kind = 'resume'
          and c.status in ('requested', 'processing')
      ) as is_resuming,
      sub.ended_at::float8 as ended_at, sub.created_at::float8 as created_at, sub.error,
      s.status as session_status, s.state, s.expires_at::float8 as expires_at, s.request, s.client_secret,
      s.error as session_error
    from (
      select x.*
      from subscriptions x
      where x.tenant_id = ${tenantId} and x.plan_id is not null
      order by x.status = 'live' desc, x.created_at desc, x.id desc
      limit 20
    ) sub
    left join payment_sessions s on s.subscription_id = sub.id and s.tenant_id = sub.tenant_id
    order by sub.created_at desc, sub.id desc
  `)
  return rows.map(({ request, client_secret, expires_at, ...row }) => ({
    ...row,
    client_secret: client_secret === null ? null : decrypt(client_secret),
    expires_at: expires_at ?? sentExpiry(request),
  }))
}

const marketsOf = async (em: EntityManager, tenantId: string): Promise<string[]> => {
  const rows: { key: string }[] = await em.execute(
    sql`select key from markets where tenant_id = ${tenantId} order by created_at, id`,
  )
  return rows.map(({ key }) => key)
}

/** `cancel_url`: of a page that is the provider's own; null for a form. */
type Choice = { plan: Plan; return_url: string; cancel_url: string | null; expected_total: number | undefined }

/** The price of the plan for the store. 422 plan_unavailable. */
async function offerOf(em: EntityManager, tenantId: string, plan: Plan): Promise<Offer & { market: string }> {
  const price = priceFor(plan, await marketsOf(em, tenantId))
  if (!price) throw invalid('/plan_id', 'plan_unavailable', 'The plan has no price for a market of the {store}.')
  const { amount, currency, market } = price
  const { interval } = plan
  return {
    tier_id: null,
    price_id: null,
    kind: 'recurring',
    amount,
    discount_amount: 0,
    currency,
    interval,
    provider_account_id: null,
    promo: null,
    market,
  }
}

/** The rows of a store, of which it has one of each status: live, with an open page, and waiting for that to close. */
type Rows = { all: StoreRow[]; live: StoreRow | undefined; open: StoreRow | undefined; waiting: StoreRow | undefined }

/** Locks the store: its choices are made one after the other. 404 for one that is being deleted. */
async function lockRows(em: EntityManager, tenantId: string): Promise<Rows> {
  const tenant = await lockForChange(em, Tenant, tenantId, '{store}')
  // Its subscription is cancelled, and a page that opens after that would be paid for nothing.
  if (tenant.erasing_at != null) throw notFound('{store}')
  const all = await readPlanRows(em, tenantId)
  const of = (status: PlanRow['status']) => all.find((row) => row.status === status)
  return { all, live: of('live'), open: of('pending'), waiting: of('waiting') }
}

/**
 * Ends the live subscription at the end of its paid time for the free plan, or lets it continue for its own. Requires
 * the lock of the store. 409 subscription_active for another paid plan, change_in_flight.
 */
async function changeLive(em: EntityManager, tenantId: string, live: StoreRow, plan: Plan, now: number): Promise<void> {
  if (!isFree(plan) && plan.id !== live.plan_id)
    throw conflict(
      'subscription_active',
      'The {store} has a paid plan. Choose the free plan first, which ends it after its paid time.',
    )
  const { id, cancel_at, paid_through_at, billing_status } = live
  const changed = { id, tenant_id: tenantId, cancel_at, paid_through_at, billing_status }
  const isEnding = cancel_at !== null || live.is_ending
  // A cancellation that is being revoked at this moment is requested again.
  const isDone = (live.is_ending || (endsAsPaid(live) && !live.is_resuming)) && !isUnpaid(billing_status)
  if (isDone && isFree(plan)) return
  await (isFree(plan)
    ? requestChange(em, changed, 'cancel', 'operator', now)
    : requestChange(em, changed, 'resume', 'member', now))
  if (isEnding || isFree(plan)) await subscriptionUpdated(em, tenantId, now)
}

/** The subscription of the same choice, whose page answers this request. Reads nothing. `now` in Unix seconds. */
function equalOf({ open, waiting }: Rows, { plan, return_url, cancel_url }: Choice, now: number): StoreRow | undefined {
  const isSame = (row: PlanRow) =>
    row.plan_id === plan.id && row.return_url === return_url && row.cancel_url === cancel_url
  // A row that waits for no page any more is replaced.
  if (open && waiting && isSame(waiting)) return waiting
  return open && isSame(open) && !isClosing(open) && !isPageUnknown(open, now) ? open : undefined
}

/** Checks that another choice may replace the ones before. Reads nothing. 409 payment_in_progress, checkout_unknown. */
function checkReplaceable({ all, open }: Rows, plan: Plan, now: number): void {
  if (open?.state === 'complete')
    throw conflict('payment_in_progress', 'The payment form was completed, and its payment is being confirmed.')
  if (!isFree(plan) && all.some((row) => isPageUnknown(row, now)))
    throw conflict(
      'checkout_unknown',
      'A payment form may be open that is not known. Another one opens when it was found and closed, or has expired.',
    )
}

/** Closes the open page for the free plan. A payment that comes before is refunded. Requires the lock of the store. */
async function closePage(em: EntityManager, tenantId: string, open: StoreRow, now: number): Promise<void> {
  await em.execute(sql`
    update subscriptions
    set cancelled_by = 'operator', updated_at = ${now}
    where tenant_id = ${tenantId} and id = ${open.id} and status = 'pending'
  `)
  await requestClosing(em, { id: open.id, tenant_id: tenantId }, now)
}

type Priced = { choice: Choice; offer: Offer; market: string }

/** Writes a choice that waits, and requests that the open page is closed. Requires the lock of the store. */
async function waitForPage(
  em: EntityManager,
  tenantId: string,
  { choice: { plan, return_url, cancel_url }, offer, market }: Priced,
  open: StoreRow,
  now: number,
): Promise<string> {
  const id = newId()
  const { kind, amount, currency, interval } = offer
  await insertRow(em, Subscription, {
    ...{ id, tenant_id: tenantId, created_at: now, updated_at: now, status: 'waiting', plan_id: plan.id },
    ...{ kind, amount, currency, interval, market, return_url, cancel_url },
  })
  await requestClosing(em, { id: open.id, tenant_id: tenantId }, now, true)
  return id
}

/** Opens the page of the plan. Requires the lock of the store. */
async function openPage(
  em: EntityManager,
  tenantId: string,
  { choice: { plan, return_url, cancel_url }, offer, market }: Priced,
  now: number,
): Promise<string> {
  const id = newId()
  const opening = {
    ...{ id, tenant_id: tenantId, member_id: null, plan_id: plan.id, contact_id: null, return_url, cancel_url },
    ...{ claimed_address: null, waited: false },
  }
  await openSubscription(em, opening, offer, now, true)
  await em.execute(sql`update subscriptions set market = ${market} where tenant_id = ${tenantId} and id = ${id}`)
  return id
}

/**
 * Chooses a plan. Equal requests get one subscription with one page; another plan or address waits until the open page
 * is closed. The free plan ends a paid one at the end of its paid time, and the same plan again lets it continue.
 * Returns the subscription whose page is waited for; null if there is nothing to pay. Locks the store. 409
 * subscription_active, payment_in_progress, checkout_unknown, change_in_flight, total_changed; 422 plan_unavailable;
 * 404 for one that is being deleted. `now` in Unix seconds.
 */
export async function choosePlan(
  em: EntityManager,
  tenantId: string,
  choice: Choice,
  now: number,
): Promise<string | null> {
  const { plan, expected_total } = choice
  const rows = await lockRows(em, tenantId)
  const { live, open, waiting } = rows
  if (live) {
    await changeLive(em, tenantId, live, plan, now)
    return null
  }
  const equal = equalOf(rows, choice, now)
  if (equal) {
    checkTotal(expected_total, { ...equal, discount_amount: 0, interval: plan.interval })
    return equal.id
  }
  checkReplaceable(rows, plan, now)
  if (waiting) await em.execute(sql`delete from subscriptions where tenant_id = ${tenantId} and id = ${waiting.id}`)
  if (isFree(plan)) {
    if (open) await closePage(em, tenantId, open, now)
    return null
  }
  const { market, ...offer } = await offerOf(em, tenantId, plan)
  checkTotal(expected_total, offer)
  const priced = { choice, offer, market }
  return open ? waitForPage(em, tenantId, priced, open, now) : openPage(em, tenantId, priced, now)
}
