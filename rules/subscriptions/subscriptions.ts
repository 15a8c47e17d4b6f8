// What a subscription consists of: a membership's, or a store's own plan.
import { z } from 'zod'

/** `one_time`: paid once, without an end. */
export const SubscriptionKind = z.enum(['recurring', 'one_time'])
export type SubscriptionKind = z.infer<typeof SubscriptionKind>

/**
 * `waiting`: until the page of another subscription is closed. `pending`: its page may be paid. `live`: paid for, or linked to the provider's subscription.
 * `given_up`: its page can no longer be paid.
 */
export const SubscriptionStatus = z.enum(['waiting', 'pending', 'live', 'ended', 'given_up'])
export type SubscriptionStatus = z.infer<typeof SubscriptionStatus>

/** A page of the provider's customer portal that a link opens. */
export const PortalFlow = z.enum(['payment_method_update'])
export type PortalFlow = z.infer<typeof PortalFlow>

/** Who ended it: `provider` for the provider's dashboard or a failed payment, `archive` for the archiving of its audience. */
export const CancelledBy = z.enum(['member', 'operator', 'provider', 'archive'])
export type CancelledBy = z.infer<typeof CancelledBy>
