// Channels of contacts: how addresses are normalized, which changes of consent are allowed, and how the channels of two contacts become one contact's.
import { z } from 'zod'
import { EmailAddress } from '../input/email-addresses.ts'

export const ChannelType = z.enum(['email', 'phone', 'social', 'custom'])
export type ChannelType = z.infer<typeof ChannelType>

/** `bounced`: the address does not take messages. `complained`: its owner reported one as spam. */
export const ChannelStatus = z.enum(['active', 'bounced', 'complained'])
export type ChannelStatus = z.infer<typeof ChannelStatus>

export const ConsentStatus = z.enum(['unknown', 'granted', 'withdrawn'])
export type ConsentStatus = z.infer<typeof ConsentStatus>

/** Bounds what one contact shows and what a merge reads. */
export const CHANNELS_MAX = 50

/** Digits with an optional plus: blanks, hyphens, dots, slashes and parentheses are dropped. */
const Phone = z
  .string()
  .overwrite((number) => number.replaceAll(/[\s().\-/]/g, ''))
  .check(z.regex(/^\+?\d{3,20}$/, 'Expected a telephone number: 3 to 20 digits, with the country code after a plus.'))

const Plain = z.string().trim().min(1).max(254)

/** The shape of an address of this type. It normalizes, so that equal addresses are equal texts. */
export const addressShape = (type: ChannelType): z.ZodType<string> => ({ email: EmailAddress, phone: Phone, social: Plain, custom: Plain })[type]

export type Reach = { status: ChannelStatus; consent_status: ConsentStatus }

/** Whether messages to the channel are forbidden. Such a channel is never deleted, and only an owner lifts it. */
export const isSuppressed = ({ status, consent_status }: Reach): boolean => status !== 'active' || consent_status === 'withdrawn'

/** Whether the change allows something that is forbidden now: it ends a bounce or complaint, or ends a withdrawal. */
export const lifts = (now: Reach, then: Reach): boolean =>
  (now.status !== 'active' && then.status === 'active') || (now.consent_status === 'withdrawn' && then.consent_status !== 'withdrawn')

/** What a merge compares and changes of a channel. Times are Unix seconds. */
export type MergedChannel = Reach & {
  id: string
  type: ChannelType
  address: string
  provider: string | null
  provider_subject: string | null
  owned: boolean
  verified_at: number | null
  is_primary: boolean
  consent_source: string | null
  consent_at: number | null
}

/** In the order of how much they forbid. */
const [statuses, consents]: [readonly string[], readonly string[]] = [ChannelStatus.options, ConsentStatus.options]

/** What forbids messages to an address the most. */
export const strictestStatus = (channels: readonly Pick<Reach, 'status'>[]): ChannelStatus =>
  ChannelStatus.options.findLast((status) => channels.some((channel) => channel.status === status)) ?? 'active'

const later = (a: number | null, b: number | null): number | null => (a === null || b === null ? (a ?? b) : Math.max(a, b))

/** One channel of two with the same address: it is owned or verified if either is, and what forbids messages wins. */
export function joined(kept: MergedChannel, gone: MergedChannel): MergedChannel {
  const consent = consents.indexOf(gone.consent_status) > consents.indexOf(kept.consent_status) ? gone : kept
  const { consent_status, consent_source, consent_at } = consent
  return {
    ...kept,
    owned: kept.owned || gone.owned,
    verified_at: later(kept.verified_at, gone.verified_at),
    provider_subject: kept.provider_subject ?? gone.provider_subject,
    status: statuses.indexOf(gone.status) > statuses.indexOf(kept.status) ? gone.status : kept.status,
    consent_status,
    consent_source,
    consent_at,
  }
}

/**
 * The channels that a contact takes over from another: `kept` are all that change or move, with their new values, and `gone` the ids of those whose address it has
 * already. Its own primary channels stay primary.
 */
export function takenOver(from: readonly MergedChannel[], to: readonly MergedChannel[]): { kept: MergedChannel[]; gone: string[] } {
  const nameOf = ({ type, provider, address }: MergedChannel) => JSON.stringify([type, provider, address])
  const own = new Map(to.map((channel) => [nameOf(channel), channel]))
  const primary = new Set(to.filter(({ is_primary }) => is_primary).map(({ type }) => type))
  const [kept, gone]: [MergedChannel[], string[]] = [[], []]
  for (const channel of from) {
    const same = own.get(nameOf(channel))
    if (same) gone.push(channel.id)
    kept.push(same ? joined(same, channel) : { ...channel, is_primary: channel.is_primary && !primary.has(channel.type) })
  }
  return { kept, gone }
}
