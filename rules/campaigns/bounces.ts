// What a mail server's refusal says of the address: its enhanced status code (RFC 3463), in a reply while sending or in a report that came back.

/**
 * `hard`: the address does not exist. `reputation`: the sender is refused, which says nothing of the address. `soft`: another permanent refusal, such as a full
 * mailbox. `transient`: the server gave up after temporary refusals.
 */
export const bounceClasses = ['hard', 'reputation', 'soft', 'transient'] as const
export type BounceClass = (typeof bounceClasses)[number]

/** Soft bounces of an address within so many seconds that suppress it. */
export const SOFT_BOUNCES_MAX = 3
export const SOFT_BOUNCES_S = 30 * 86_400

/** Of class 5.1.x, but about the sender's address or a relayed message. */
const notOfRecipient = new Set(['5.1.7', '5.1.8', '5.1.9'])

/** The enhanced status code of a text such as `550 5.1.1 No such user`; null without one. */
export const statusIn = (text: string): string | null => /(?:^|[^\d.])([245]\.\d{1,3}\.\d{1,3})(?![\d.]*\d)/.exec(text)?.[1] ?? null

/** `status`: an enhanced status code. Without one, or with 5.0.0, it is `soft`. */
export function bounceClass(status: string | null): BounceClass {
  if (status === null) return 'soft'
  if (status.startsWith('4.')) return 'transient'
  if (status.startsWith('5.7.') || notOfRecipient.has(status)) return 'reputation'
  return status.startsWith('5.1.') ? 'hard' : 'soft'
}
