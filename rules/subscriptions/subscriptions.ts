// What a subscription consists of: a membership's, or a store's own plan.
import { z } from 'zod'

/** `one_time`: paid once, without an end. */
export const SubscriptionKind = z.enum(['recurring', 'one_time'])
export type SubscriptionKind = z.infer<typeof SubscriptionKind>

/**
 * `waiting`: until the page of another subscription is closed. `pending`: its page may be paid. `live`: paid for, or
 * linked to the provider's subscription. `given_up`: its page can no longer be paid.
 */
export const SubscriptionStatus = z.enum(['waiting', 'pending', 'live', 'ended', 'given_up'])
export type SubscriptionStatus = z.infer<typeof SubscriptionStatus>

/** Seconds for which the provider delivers an event again. Source: docs.stripe.com/webhooks. */
export const EVENTS_MAX_S = 3 * 86_400

/** A page of the provider's customer portal that a link opens. */
export const PortalFlow = z.enum(['payment_method_update'])
export type PortalFlow = z.infer<typeof PortalFlow>

/**
 * Who ended it: `provider` for the provider's dashboard, `archive` for the archiving of its audience. Null: it runs, or
 * its payment failed.
 */
export const CancelledBy = z.enum(['member', 'operator', 'provider', 'archive'])
export type CancelledBy = z.infer<typeof CancelledBy>

/**
 * Whether a pending subscription is ending: its page is being closed, or the member or an operator ended it, and a
 * payment that comes all the same is refunded.
 */
export const isClosing = ({
  cancel_requested,
  cancelled_by,
}: {
  cancel_requested: boolean
  cancelled_by: CancelledBy | null
}): boolean => cancel_requested || isWithdrawn(cancelled_by)

/** Whether the member or an operator ended it. */
export const isWithdrawn = (cancelled_by: CancelledBy | null): boolean =>
  cancelled_by === 'member' || cancelled_by === 'operator'

/**
 * A change of a subscription at the provider. `cancel`: at the end of the paid time. `card`: the customer's new default
 * card pays.
 */
export const ChangeKind = z.enum(['cancel', 'cancel_now', 'resume', 'card'])
export type ChangeKind = z.infer<typeof ChangeKind>

/** `system`: a second subscription that was paid, or a card that the customer saved. */
export const ChangeOrigin = z.enum(['member', 'operator', 'archive', 'system'])
export type ChangeOrigin = z.infer<typeof ChangeOrigin>
