// What a refusal of a mail server says of the address: in a reply while sending or in a report that came back.
import type { RefusalClass } from '../mail/refusals.ts'

/**
 * `hard`: the address does not exist. `soft`: another permanent refusal of the recipient, such as a full mailbox.
 * `reputation`: the sender is refused, and `message`: the message is, such as one that is too large; both say nothing
 * of the address. `transient`: the server gave up after temporary refusals.
 */
export const bounceClasses = ['hard', 'reputation', 'soft', 'transient', 'message'] as const
export type BounceClass = (typeof bounceClasses)[number]

/** Soft bounces of an address within so many seconds that suppress it. */
export const SOFT_BOUNCES_MAX = 3
export const SOFT_BOUNCES_S = 30 * 86_400

export const bounceClassOf: Readonly<Record<RefusalClass, BounceClass>> = {
  ...{ address_unknown: 'hard', mailbox_full: 'soft', recipient: 'soft', size: 'message', protocol: 'message' },
  ...{
    reputation: 'reputation',
    rate: 'reputation',
    authentication: 'reputation',
    content: 'reputation',
    temporary: 'transient',
    unavailable: 'transient',
  },
}
