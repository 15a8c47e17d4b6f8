// A visitor subscribes to a paid audience. Equal requests get one subscription with one page; another choice waits
// until the open page is closed.
import type { EntityManager } from '@mikro-orm/postgresql'
import type { SessionState } from '../../rules/payments/payments.ts'
import { declineOf } from '../../rules/payments/provider-answers.ts'
import { conflict, invalid, Refusal, unavailable } from '../../rules/refusal.ts'
import type { EffectStatus } from '../../rules/shapes.ts'
import { type CancelledBy, isClosing, type SubscriptionStatus } from '../../rules/subscriptions/subscriptions.ts'
import type { Enrollment } from '../audiences/audiences.ts'
import { joinPaid } from '../audiences/members.ts'
import { paidUnder } from '../audiences/ownership.ts'
import { insertRow } from '../kit/database/insert.ts'
import { type Sql, sql } from '../kit/database/sql.ts'
import type { EffectError } from '../kit/effect-columns.ts'
import { decrypt } from '../kit/encrypted.ts'
import { newId } from '../kit/ids.ts'
import { endFree, freeSql } from './free.ts'
import { type Choice, checkTotal, isFree, isSameChoice, type Offer, readOffer } from './offer.ts'
import { openSubscription, requestClosing } from './pages.ts'
import { Subscription, type SubscriptionError } from './subscription.ts'

/** `page`: the subscription whose page the visitor waits for; null if there is nothing to pay. */
export type Subscribed = { member_id: string; page: string | null }

type Row = Choice &
  Pick<Offer, 'amount' | 'discount_amount' | 'currency' | 'interval'> & {
    id: string
    tenant_id: string
    status: SubscriptionStatus
    claimed_address: string | null
    cancel_requested: boolean
    cancelled_by: CancelledBy | null
    state: SessionState | null
    free: boolean
  }

const active = () =>
  conflict(
    'subscription_active',
    'The membership has a subscription that is paid for. It has to be cancelled, and to end, before another price.',
  )
const moved = () =>
  conflict(
    'subscription_active',
    'The membership that was paid for here belongs to the owner of the address now. Sign in with the address to use it.',
  )
const elsewhere = () =>
  conflict(
    'subscription_active',
    'A membership of this audience was paid for under this address on another device. Sign in with the address again to use it.',
  )
const cancelled = () =>
  conflict(
    'subscription_cancelled',
    'Another price, code or address was chosen meanwhile, or the membership was removed.',
  )
const inProgress = () =>
  conflict(
    'payment_in_progress',
    'The payment form of the former choice was completed, and its payment is being confirmed.',
  )

type Claimant = { audience_id: string; contact_id: string; claimed_address: string | null }

/**
 * Whether the contact paid under the address for a live membership of the audience that another contact has now: the
 * owner of the address.
 */
const gaveAway = (tenantId: string, { audience_id, contact_id, claimed_address }: Claimant): Sql => sql`
  exists (
    select 1
    from subscriptions s
    join audience_members m on m.id = s.member_id and m.tenant_id = s.tenant_id
    join payments p on p.tenant_id = s.tenant_id and p.subscription_id = s.id
    where s.tenant_id = ${tenantId}
      and s.claimed_address = ${claimed_address}
      and s.status = 'live'
      and m.audience_id = ${audience_id}
      and m.contact_id <> ${contact_id}
      and p.payer_contact_id = ${contact_id}
  )
`

/**
 * The subscriptions of a member that have not ended, all locked. `free`: live, and nothing is paid for it. `pending`:
 * its page is open. `waiting`: until that page is closed.
 */
type Unended = {
  free: Row | undefined
  pending: Row | undefined
  waiting: Row | undefined
  /** See gaveAway. */
  gave_away: boolean
}

/** Locks the subscriptions of the member, by id. 409 subscription_active for one that is paid for. */
async function lockUnended(
  em: EntityManager,
  tenantId: string,
  memberId: string,
  claimant: Claimant,
): Promise<Unended> {
  // Always a row, of which all but the last column are null without a subscription.
  const found: (Row & { gave_away: boolean })[] = await em.execute(sql`
    with open_subscriptions as (
      select u.id, u.tenant_id, u.status, u.price_id, u.promo_code, u.return_url, u.amount, u.discount_amount,
        u.currency, u.interval, u.claimed_address, u.cancel_requested, u.cancelled_by, ${freeSql('u')} as free,
        (select s.state from payment_sessions s where s.tenant_id = u.tenant_id and s.subscription_id = u.id) as state
      from subscriptions u
      where u.tenant_id = ${tenantId} and u.member_id = ${memberId} and u.status in ('pending', 'live', 'waiting')
      order by u.id
      for update
    )
    select open_subscriptions.*, benefits.gave_away
    from (select ${gaveAway(tenantId, claimant)} as gave_away) benefits
    left join open_subscriptions on true
  `)
  const rows = found.filter(({ id }) => id !== null)
  const waiting = rows.find(({ status }) => status === 'waiting')
  const running = rows.find(({ status }) => status !== 'waiting')
  const free = running?.status === 'live' && running.free ? running : undefined
  if (running?.status === 'live' && !free) throw active()
  return { free, pending: free ? undefined : running, waiting, gave_away: found[0]?.gave_away ?? false }
}

/** The subscription of the same choice under the same address, whose page answers this request. Reads nothing. */
function equalOf(
  { pending, waiting }: Unended,
  choice: Choice,
  { claimed_address, email }: Enrollment,
): Row | undefined {
  const isSame = (one: Row) =>
    isSameChoice(one, choice) && (one.claimed_address === claimed_address || one.claimed_address === email)
  // A row that waits for no page any more is replaced.
  const answering = [pending && isClosing(pending) ? undefined : pending, pending && waiting]
  return answering.find((one) => one && isSame(one))
}

/**
 * Repeats a choice: a total is expected of one that waits, too. Requires the lock of the row. 409 total_changed.
 */
async function repeatChoice(
  em: EntityManager,
  tenantId: string,
  equal: Row,
  { expected_total }: Choice,
): Promise<void> {
  checkTotal(expected_total, equal)
  if (equal.status === 'waiting' && expected_total !== undefined)
    await em.execute(sql`
      update subscriptions
      set expected_total = ${expected_total}
      where tenant_id = ${tenantId} and id = ${equal.id}
    `)
}

/**
 * Checks that another choice may replace the ones before. Locks nothing. 409 payment_in_progress, and
 * subscription_active for a membership that was paid for under the address.
 */
async function checkReplaceable(
  em: EntityManager,
  tenantId: string,
  { pending, gave_away }: Unended,
  { id: audience_id, contact_id, claimed_address, email }: Enrollment,
): Promise<void> {
  if (pending?.state === 'complete') throw inProgress()
  if (gave_away) throw moved()
  if (claimed_address !== null || email === null) return
  const paid = await paidUnder(em, tenantId, email, contact_id)
  if (paid.some((one) => one.audience_id === audience_id)) throw elsewhere()
}

/** Checks that the visitor has an address. A payer without one could not find the membership again. 422. */
function checkAddress({ email }: Enrollment, offer: Offer): void {
  if (email === null && !isFree(offer))
    throw invalid(
      '',
      'email_required',
      'The visitor has no address. Send it with POST /v1/storefront/account/identify, or sign in by code, before paying.',
    )
}

type Chosen = { id: string; tenant_id: string; member_id: string; choice: Choice; offer: Offer }

/** Writes a choice that waits, and requests that the open page is closed. Requires the locks of lockUnended. */
async function waitForPage(
  em: EntityManager,
  { id, tenant_id, member_id, choice, offer }: Chosen,
  claimed_address: string | null,
  pending: Row,
  now: number,
): Promise<void> {
  const { return_url, expected_total = null } = choice
  const { promo, tier_id, price_id, kind, amount, discount_amount, currency, interval } = offer
  await insertRow(em, Subscription, {
    ...{ id, tenant_id, created_at: now, updated_at: now, member_id, tier_id, price_id, kind, status: 'waiting' },
    ...{ amount, discount_amount, currency, interval, promo_code: promo?.code ?? null },
    ...{ return_url, claimed_address, expected_total },
  })
  await requestClosing(em, pending, now, true)
}

/**
 * Replaces what waited and what was free by the choice, which opens its page, or waits for the open one to close.
 * Requires the locks of lockUnended; locks the promo code. Returns the page that the visitor waits for.
 */
async function replaceBy(
  em: EntityManager,
  chosen: Chosen,
  { contact_id, claimed_address }: Enrollment,
  { free, pending, waiting }: Unended,
  now: number,
): Promise<string | null> {
  const { id, tenant_id, member_id, choice, offer } = chosen
  if (waiting) await em.execute(sql`delete from subscriptions where tenant_id = ${tenant_id} and id = ${waiting.id}`)
  if (free) await endFree(em, tenant_id, [member_id], now)
  if (pending) {
    await waitForPage(em, chosen, claimed_address, pending, now)
    return id
  }
  const { return_url } = choice
  const opening = { id, tenant_id, member_id, plan_id: null, contact_id, return_url, claimed_address, waited: false }
  return (await openSubscription(em, opening, offer, now, true)) ? id : null
}

/**
 * A free subscription is replaced by another choice, and the membership continues meanwhile; choosing the same again
 * changes nothing. Another claimed address is another choice, because the owner of the address gets the membership.
 * Requires the locks of lockForVisitor. Locks the member, its subscriptions and the promo code. 409
 * subscription_active, payment_in_progress, total_changed; 422 email_required for a price that is not free, and those
 * of readOffer. `now` in Unix seconds.
 */
export async function subscribe(
  em: EntityManager,
  tenantId: string,
  audience: Enrollment,
  choice: Choice,
  now: number,
): Promise<Subscribed> {
  const { id: audience_id, contact_id, claimed_address } = audience
  const member_id = await joinPaid(em, tenantId, audience_id, contact_id, now)
  const unended = await lockUnended(em, tenantId, member_id, { audience_id, contact_id, claimed_address })
  const { free } = unended
  if (free && isSameChoice(free, { ...choice, return_url: free.return_url })) return { member_id, page: null }
  const equal = equalOf(unended, choice, audience)
  if (equal) {
    await repeatChoice(em, tenantId, equal, choice)
    return { member_id, page: equal.id }
  }
  await checkReplaceable(em, tenantId, unended, audience)
  const offer = await readOffer(em, tenantId, { audience_id, member_id, contact_id }, choice, now)
  checkAddress(audience, offer)
  const chosen = { id: newId(), tenant_id: tenantId, member_id, choice, offer }
  return { member_id, page: await replaceBy(em, chosen, audience, unended, now) }
}

type Read = {
  status: SubscriptionStatus
  cancel_requested: boolean
  error: SubscriptionError | null
  session_status: EffectStatus | null
  state: SessionState | null
  session_error: EffectError | null
  client_secret: string | null
  expires_at: number | null
  provider_account_id: string | null
  blocked_by: 'page' | 'payment' | 'subscription' | null
}

/** `none`: nothing has to be paid any more. Else the page of the provider; `expires_at` in Unix seconds. */
type Page = 'none' | { account_id: string | null; client_secret: string; expires_at: number | null }

/**
 * The page of a subscription, in one statement; undefined while it is not open yet. 409 subscription_cancelled,
 * subscription_active, payment_in_progress; 422 payment_rejected; 503 provider_retryable (the page was closed),
 * provider_unavailable.
 */
export async function readPage(em: EntityManager, tenantId: string, subscriptionId: string): Promise<Page | undefined> {
  const [row]: Read[] = await em.execute(sql`
    select u.status, u.cancel_requested, u.error, s.status as session_status, s.state, s.error as session_error,
      s.client_secret, s.expires_at, s.provider_account_id,
      (
        select case when o.status = 'live' then 'subscription' when x.state = 'complete' then 'payment' else 'page' end
        from subscriptions o
        left join payment_sessions x on x.subscription_id = o.id and x.tenant_id = o.tenant_id
        where u.status = 'waiting'
          and o.tenant_id = u.tenant_id
          and o.member_id = u.member_id
          and o.status in ('pending', 'live')
      ) as blocked_by
    from subscriptions u
    left join payment_sessions s on s.subscription_id = u.id and s.tenant_id = u.tenant_id
    where u.tenant_id = ${tenantId} and u.id = ${subscriptionId}
  `)
  // A choice that waited is deleted when the next one replaces it.
  if (!row) throw cancelled()
  if (row.blocked_by === 'subscription') throw active()
  if (row.blocked_by === 'payment') throw inProgress()
  if (row.status === 'given_up') throw refusalOf(row)
  if (row.status === 'live' || row.status === 'ended' || row.state === 'complete') return 'none'
  if (row.session_status !== 'succeeded' || row.state !== 'open' || !row.client_secret) return undefined
  return { account_id: row.provider_account_id, client_secret: decrypt(row.client_secret), expires_at: row.expires_at }
}

/** Why a subscription was given up. */
function refusalOf({ cancel_requested, error, session_status, session_error }: Read): Refusal {
  if (error?.code === 'payment_in_progress') return inProgress()
  if (cancel_requested) return cancelled()
  // Its page was never requested: it could not be subscribed to any more when the former page was closed, or that one
  // was paid.
  if (session_status === null && error?.code === 'total_changed')
    return conflict('total_changed', error.message, { members: { quote: error.quote } })
  if (session_status === null) return error ? conflict('subscription_cancelled', error.message) : active()
  const declined = session_status === 'rejected' ? declineOf(session_error) : null
  if (declined) return new Refusal(422, 'payment_rejected', declined)
  if (session_status === 'succeeded')
    return unavailable(
      'provider_retryable',
      'The payment form was closed. Repeat the request, which opens another one.',
    )
  return new Refusal(
    503,
    'provider_unavailable',
    'The payment could not be started and nothing was charged. Repeat the request.',
  )
}
