// Whether a membership grants access, to the second. Paid time is what the provider proved; grace and endings only
// decide how long it lasts.
import { z } from 'zod'

/** `cancelled`, `expired` and `removed` memberships have ended; the contact may join again. */
export const MemberStatus = z.enum(['pending', 'active', 'cancelled', 'expired', 'removed'])
export type MemberStatus = z.infer<typeof MemberStatus>

/** Whether the audience's e-mail reaches the member. Independent of the membership itself. */
export const MemberDelivery = z.enum(['subscribed', 'unsubscribed', 'bounced', 'complained'])
export type MemberDelivery = z.infer<typeof MemberDelivery>

/** What the removal of a member did. */
export const MemberRemoval = z.enum(['removed', 'subscription_cancellation_requested', 'already_removed'])
export type MemberRemoval = z.infer<typeof MemberRemoval>

export const MemberSource = z.enum(['storefront', 'operator', 'import'])
export type MemberSource = z.infer<typeof MemberSource>

/**
 * Hours of access after the paid time of a membership that is not ending: the default of the store setting
 * `membership_grace_hours`.
 */
export const GRACE_HOURS = 72
export const GRACE_HOURS_MAX = 720

/** Days after which a membership that was not confirmed is undone. */
export const PENDING_DAYS = 30
/** Days for which a confirmation link is valid. */
export const CONFIRM_DAYS = 7

type Paid = { status: MemberStatus; paid_through_at: number | null; cancel_at: number | null }

/**
 * Whether a subscription ends with its paid time. A later end is preceded by another renewal. Times in Unix seconds.
 */
export const endsAsPaid = ({ paid_through_at, cancel_at }: Omit<Paid, 'status'>): boolean =>
  cancel_at !== null && (paid_through_at === null || cancel_at <= paid_through_at)

/**
 * The last second of access, in Unix seconds; null for a membership without paid time, which does not run out. A
 * membership that is ending or has ended has no grace.
 */
export const accessUntil = ({ status, paid_through_at, cancel_at }: Paid, graceHours: number): number | null => {
  if (paid_through_at === null) return null
  const lasts = (status === 'active' || status === 'pending') && !endsAsPaid({ paid_through_at, cancel_at })
  return lasts ? paid_through_at + graceHours * 3600 : paid_through_at
}

type Stored = { status: MemberStatus; access_until: number | null }

/** `now` in Unix seconds. The same condition as SQL: entities/audiences/access.ts. */
export const hasAccess = ({ status, access_until }: Stored, now: number): boolean =>
  status === 'active' && (access_until === null || now <= access_until)

/** Access that lasts beyond the paid time, because the provider is still charging the renewal. */
export const inGrace = (member: Stored & { paid_through_at: number | null }, now: number): boolean =>
  hasAccess(member, now) && member.paid_through_at !== null && now > member.paid_through_at

type Ranked = Stored & { id: string; price_id: string | null; created_at: number }

const rankOf = ({ status, price_id }: Ranked): number =>
  status === 'active' ? (price_id === null ? 1 : 0) : status === 'pending' ? 2 : 3

/**
 * The one of two memberships of one audience that a merge of their contacts keeps: paid, active, pending, ended; of
 * equal ones the older.
 */
export const keptOf = <M extends Ranked>(one: M, other: M): M => {
  const order = rankOf(one) - rankOf(other) || one.created_at - other.created_at || (one.id < other.id ? -1 : 1)
  return order <= 0 ? one : other
}

const refusing: readonly MemberDelivery[] = ['complained', 'bounced', 'unsubscribed']
/** The stronger refusal of two: a merge never subscribes an address again. */
export const strictest = (one: MemberDelivery, other: MemberDelivery): MemberDelivery =>
  refusing.find((status) => status === one || status === other) ?? 'subscribed'

/** `ada@example.org` → `a…@example.org`, for pages that a forwarded link opens. */
export const maskedEmail = (address: string | null): string | null => {
  if (address === null) return null
  const at = address.lastIndexOf('@')
  return `${[...address][0] ?? ''}…${address.slice(at)}`
}

/**
 * The page of ours that names the store before it leads to the store's page, for links of our own mail. `base`: the
 * public address of the API.
 */
export const confirmUrl = (base: string, token: string): string =>
  withToken(`${base}/v1/customer/audiences/confirm`, token)

/** The address with a token in its query. */
export const withToken = (address: string, token: string): string => {
  const url = new URL(address)
  url.searchParams.set('token', token)
  return url.href
}
