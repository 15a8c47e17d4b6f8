// What a payment consists of: how it is paid, which provider captures it, and the provider's page.
import { z } from 'zod'
import { EffectStatus } from '../shapes.ts'

export const PaymentMethodType = z.enum(['cash', 'card'])
export type PaymentMethodType = z.infer<typeof PaymentMethodType>

/** A refunded payment stays `paid`. `authorized`: the amount is reserved on the card and not captured. */
export const PaymentStatus = z.enum(['pending', 'processing', 'authorized', 'paid', 'failed', 'cancelled'])
export type PaymentStatus = z.infer<typeof PaymentStatus>

/** `none`: the total is 0. */
export const PaymentType = z.enum([...PaymentMethodType.options, 'none'])

export const ProviderName = z.enum(['stripe'])

/** The kind of a subscription's payment: the first of a recurring one, a later one, or the only one. */
export const PaymentKind = z.enum(['initial', 'renewal', 'one_time'])
export type PaymentKind = z.infer<typeof PaymentKind>

/** The mode of the provider's payment page: it takes one payment, or begins a subscription. */
export const SessionMode = z.enum(['payment', 'subscription'])
export type SessionMode = z.infer<typeof SessionMode>

/** The state of the provider's payment page. */
export const SessionState = z.enum(['open', 'complete', 'expired'])
export type SessionState = z.infer<typeof SessionState>

/** Who requested a refund: an operator, the system (paid too late), or a person in the provider's own dashboard. */
export const RefundOrigin = z.enum(['operator', 'system', 'provider'])
export type RefundOrigin = z.infer<typeof RefundOrigin>

/** How an operator, or an event of the provider, settles a refund. */
export const RefundOutcome = EffectStatus.extract(['succeeded', 'rejected'])
export type RefundOutcome = z.infer<typeof RefundOutcome>
