// Channels of contacts: how addresses are normalized, which changes of consent are allowed, and how the channels of two
// contacts become one contact's.
import { z } from 'zod'
import { EmailAddress } from '../input/email-addresses.ts'
import { expectedPhone, PhoneNumber, phoneForm } from '../input/phone-numbers.ts'
import { ComparedText } from '../input/texts.ts'

export const ChannelType = z.enum(['email', 'phone', 'social', 'custom'])
export type ChannelType = z.infer<typeof ChannelType>

/** `bounced`: the address does not take messages. `complained`: its owner reported one as spam. */
export const ChannelStatus = z.enum(['active', 'bounced', 'complained'])
export type ChannelStatus = z.infer<typeof ChannelStatus>

export const ConsentStatus = z.enum(['unknown', 'granted', 'withdrawn'])
export type ConsentStatus = z.infer<typeof ConsentStatus>

/** Bounds what one contact shows and what a merge reads. */
export const CHANNELS_MAX = 50

const phoneOf = (country: string | null) =>
  PhoneNumber.transform((written, { issues }) => {
    const form = phoneForm(written, country)
    if (form === null)
      issues.push({ code: 'custom', input: written, params: { code: 'invalid_format' }, message: expectedPhone })
    return form ?? z.NEVER
  })

const Plain = ComparedText.trim().min(1).max(254)

/**
 * The shape of an address of this type. It normalizes, so that equal addresses are equal texts. `country`: of telephone
 * numbers without a country code; null if it is not known.
 */
export const addressShape = (type: ChannelType, country: string | null = null): z.ZodType<string> =>
  type === 'phone' ? phoneOf(country) : { email: EmailAddress, social: Plain, custom: Plain }[type]

/** The form of a stored address, which an earlier version may have written; itself for what has none. */
export const addressForm = (
  { type, address }: { type: ChannelType; address: string },
  country: string | null,
): string => (type === 'phone' && phoneForm(address, country)) || address

export type Reach = { status: ChannelStatus; consent_status: ConsentStatus }

/** Whether messages to the channel are forbidden. Such a channel is never deleted, and only an owner lifts it. */
export const isSuppressed = ({ status, consent_status }: Reach): boolean =>
  status !== 'active' || consent_status === 'withdrawn'

/** Whether the change allows something that is forbidden now: it ends a bounce or complaint, or ends a withdrawal. */
export const lifts = (now: Reach, then: Reach): boolean =>
  (now.status !== 'active' && then.status === 'active') ||
  (now.consent_status === 'withdrawn' && then.consent_status !== 'withdrawn')

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

/** Statuses and consents, in the order of how much they forbid. */
const [statuses, consents]: [readonly string[], readonly string[]] = [ChannelStatus.options, ConsentStatus.options]

/** What forbids messages to an address the most. */
export const strictestStatus = (channels: readonly Pick<Reach, 'status'>[]): ChannelStatus =>
  ChannelStatus.options.findLast((status) => channels.some((channel) => channel.status === status)) ?? 'active'

const later = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? (a ?? b) : Math.max(a, b)

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
 * The channels that a contact takes over from another: `kept` are all that change or move, with their new values, and
 * `gone` the ids of those whose address it has already. Its own primary channels stay primary.
 */
export function takenOver(
  from: readonly MergedChannel[],
  to: readonly MergedChannel[],
): { kept: MergedChannel[]; gone: string[] } {
  const nameOf = (channel: MergedChannel) =>
    JSON.stringify([channel.type, channel.provider, addressForm(channel, null)])
  const own = new Map(to.map((channel) => [nameOf(channel), channel]))
  const primary = new Set(to.filter(({ is_primary }) => is_primary).map(({ type }) => type))
  const [moved, gone]: [MergedChannel[], string[]] = [[], []]
  for (const channel of from) {
    const same = own.get(nameOf(channel))
    if (same) gone.push(channel.id)
    if (same) own.set(nameOf(channel), joined(same, channel))
    else moved.push({ ...channel, is_primary: channel.is_primary && !primary.has(channel.type) })
  }
  const before = new Set(to)
  return { kept: [...own.values()].filter((channel) => !before.has(channel)).concat(moved), gone }
}
