// What a person has to do about money, and what they may say about it.
import { z } from 'zod'

/**
 * Requests to the payment provider whose outcome is not proved, or is contradicted; `payment`: what was taken is not
 * what was due, or has to go back; `subscription`: it charges without paid time, or cannot be read.
 */
export const AttentionKind = z.enum([
  ...([
    'refund',
    'capture',
    'cancel_authorization',
    'open_form',
    'close_form',
    'cancel_subscription',
    'cancel_now_subscription',
    'resume_subscription',
  ] as const),
  ...(['change_card', 'payment', 'subscription'] as const),
])
export type AttentionKind = z.infer<typeof AttentionKind>

/** `accepted`: another amount than the one due is kept as it is. */
export const AttentionOutcome = z.enum(['succeeded', 'rejected', 'accepted'])
export type AttentionOutcome = z.infer<typeof AttentionOutcome>

/**
 * The codes of payments that can be accepted as they are: the others end when the payment is refunded, or the event
 * arrives.
 */
export const acceptable: readonly string[] = ['amount_mismatch', 'price_mismatch', 'paid_twice']

/** What can be recorded about an item; none: it is over by itself when what is wrong is mended. */
export function choicesOf({ kind, status }: { kind: AttentionKind; status: string }): AttentionOutcome[] {
  if (kind === 'payment') return acceptable.includes(status) ? ['accepted'] : []
  if (kind === 'subscription') return []
  // What is still being sent, or was refused, has no outcome that a person could know better.
  return ['requested', 'processing', 'failed'].includes(status) ? [] : ['succeeded', 'rejected']
}
