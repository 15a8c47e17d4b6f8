// Channels: where visitors write to an agent other than through the API. Their states, what an update says, and how a
// reply is divided into messages.
import { z } from 'zod'
import { cut, shortened } from '../excerpts.ts'
import { storable } from '../input/storable.ts'
import { MESSAGE_MAX } from './chats.ts'

/** `connected`: its webhook is set. `pending`: it is being set, or no agent serves the channel. */
export const ChannelStatus = z.enum(['pending', 'connected', 'failed'])
export type ChannelStatus = z.infer<typeof ChannelStatus>
/** Who answers: the agent that serves the channel, or people. */
export const ChannelAction = z.enum(['agent', 'inbox'])
export type ChannelAction = z.infer<typeof ChannelAction>
/**
 * The delivery of a message to a visitor of a channel. `rejected`: the provider refused it. `failed`: it was not sent.
 */
export const DeliveryStatus = z.enum(['pending', 'sent', 'rejected', 'failed', 'unknown'])
export type DeliveryStatus = z.infer<typeof DeliveryStatus>

/** The `provider` of the social channels of contacts who write to a bot; the subject is `<integration>:<user id>`. */
export const CHANNEL_PROVIDER = 'chat_bot'

/** UTF-16 units of one message: the bot API refuses longer ones. */
const unitsMax = 4_096
/** Messages of one reply. */
const PARTS_MAX = 32

/** Ends of paragraphs, sentences and words. */
const ends = [/\n\s*\n/g, /[.!?…]["'”’)\]]*\s|[。！？]|\n/g, /\s/g]

/** Where the first message of a text ends: at the last of these that fits. */
function firstCut(text: string): number {
  const window = text.slice(0, unitsMax + 1)
  for (const end of ends) {
    const at =
      [...window.matchAll(end)]
        .map((found) => found.index + found[0].trimEnd().length)
        .findLast((cut) => cut <= unitsMax) ?? 0
    // A short first message would make many of a text with few ends.
    if (at > unitsMax / 4) return at
  }
  return cut(text, unitsMax).length
}

/**
 * The messages that a text is sent as: one, unless it is longer than the bot API takes. What exceeds 32 messages is
 * left out.
 */
export function partsOf(text: string): string[] {
  const parts: string[] = []
  let rest = text.trim()
  while (rest.length > unitsMax && parts.length < PARTS_MAX - 1) {
    const at = firstCut(rest)
    parts.push(rest.slice(0, at).trimEnd())
    rest = rest.slice(at).trimStart()
  }
  if (rest.length <= unitsMax) return [...parts, rest]
  return [...parts, shortened(rest, unitsMax)]
}

/** A message of a person to a bot, in a private chat. `name`: what the person is called there. */
export type Update = { update_id: number; user_id: number; name: string; text: string }

const nameMax = 200
const media = [
  'photo',
  'video',
  'animation',
  'audio',
  'voice',
  'video_note',
  'document',
  'sticker',
  'contact',
  'location',
  'venue',
  'poll',
  'dice',
  'story',
]
const natural = z.int().min(0)
const line = z.string().nullish().catch(null)
const Sent = z.object({
  update_id: natural,
  message: z.looseObject({
    chat: z.object({ id: natural, type: z.literal('private') }),
    from: z.object({ id: natural, is_bot: z.literal(false), first_name: line, last_name: line, username: line }),
    text: line,
    caption: line,
  }),
})

/**
 * What an update says; null for one that is no message of a person in a private chat. A message without a text is its
 * kind: `[photo]`.
 */
export function updateOf(body: unknown): Update | null {
  const sent = Sent.safeParse(body).data
  if (!sent) return null
  const { from, chat, text, caption, ...others } = sent.message
  const kind = media.find((name) => others[name] !== undefined && others[name] !== null)
  const said = text ?? (kind ? [`[${kind}]`, caption ?? ''].join(' ') : '')
  const content = cut(String(storable(said)).trim(), MESSAGE_MAX)
  if (content === '' || chat.id !== from.id) return null
  const names = [from.first_name, from.last_name].filter(Boolean).join(' ').trim()
  const name = String(storable(names || (from.username ? `@${from.username}` : `User ${from.id}`)))
  return { update_id: sent.update_id, user_id: from.id, name: cut(name, nameMax), text: content }
}

/** Messages that are sent for one that the provider deferred, and the longest time that it may ask for. */
const triesMax = 5
const retryAfterMaxS = 3_600
/** Whether a message that the provider deferred is sent again, as a new effect. `tries`: those that were refused. */
export const isSentAgain = (tries: number, retryAfterS: number | null): boolean =>
  retryAfterS !== null && retryAfterS <= retryAfterMaxS && tries < triesMax

/** Attempts to connect a channel: after so many without an answer it is shown as failed, and is tried once an hour. */
const quickTries = 8
const pauseMaxS = 3_600
export const pauseOf = (tries: number, retryAfterS: number | null = null): number =>
  Math.max(retryAfterS ?? 0, Math.min(pauseMaxS, 2 ** tries))
export const isStillPending = (tries: number): boolean => tries < quickTries
/** After so many attempts a webhook that cannot be taken away is forgotten. */
export const REMOVAL_TRIES_MAX = 20

export type ChannelError = { code: string; message: string; provider_status?: number }
