// The bot API of a chat service: its requests, whose path has the bot's token, and what an answer proves.
import { z } from 'zod'
import { cut } from '../excerpts.ts'
import { apiProof } from '../http-verdicts.ts'
import { jsonOf } from '../input/json-of.ts'
import { storable } from '../input/storable.ts'

/** The API of a `chat_bot` without a `base_url`. */
export const CHAT_BOT_BASE_URL = 'https://api.telegram.org'
/** Where the usual bot API sends updates to: https on one of these ports (Telegram Bot API, setWebhook). */
const webhookPorts = new Set(['', '80', '88', '443', '8443'])

/** Where a bot is reached. */
export type Bot = { base_url: string; bot_token: string }

/** Two tokens of one bot begin with the same number. */
const botIdOf = ({ base_url, bot_token }: Bot): string => `${base_url} ${bot_token.split(':')[0]}`
export const isSameBot = (a: Bot, b: Bot): boolean => botIdOf(a) === botIdOf(b)

/** Whether updates can be sent to this installation. A bot API of one's own may reach any address. */
export function takesUpdates(baseUrl: string, publicUrl: string): boolean {
  if (baseUrl !== CHAT_BOT_BASE_URL) return true
  const { protocol, port } = new URL(publicUrl)
  return protocol === 'https:' && webhookPorts.has(port)
}

/** A request to the bot API. */
export const botPost = ({ base_url, bot_token }: Bot, method: string, body: object): { url: string; body: string } => ({
  url: `${base_url.replace(/\/+$/, '')}/bot${encodeURIComponent(bot_token).replaceAll('%3A', ':')}/${method}`,
  body: JSON.stringify(body),
})

const Answer = z.union([
  z.object({ ok: z.literal(true), result: z.unknown() }),
  z.object({
    ok: z.literal(false),
    description: z.string().nullish().catch(null),
    parameters: z
      .object({ retry_after: z.int().min(0).nullish().catch(null) })
      .nullish()
      .catch(null),
  }),
])
export type BotAnswer = z.infer<typeof Answer>

/** Reads an answer. Null for a body that is no answer of the bot API. */
export const botAnswer = (body: unknown): BotAnswer | null => Answer.safeParse(jsonOf(body)).data ?? null

/** Why the bot API refused, without what is secret. */
export function reasonOf(answer: BotAnswer | null, secrets: readonly string[]): string {
  const said = answer && !answer.ok ? String(storable(answer.description ?? '')) : ''
  const reason = secrets.reduce((text, secret) => text.replaceAll(secret, '…'), said)
  return cut(reason, 200)
}

const dayS = 86_400
/** Seconds after which the bot API takes another request; a day, where it names more. */
export function retryAfterOf(answer: BotAnswer | null): number | null {
  const retryAfterS = answer && !answer.ok ? (answer.parameters?.retry_after ?? null) : null
  return retryAfterS === null ? null : Math.min(dayS, retryAfterS)
}

const Message = z.object({ message_id: z.int().transform(String) })
/** The id of a message that was sent; null for an answer that does not prove that it was. */
export const messageIdOf = (answer: BotAnswer | null): string | null =>
  answer?.ok ? (Message.safeParse(answer.result).data?.message_id ?? null) : null

const Me = z.object({ username: z.string().max(255).nullish().catch(null) })
export const usernameOf = (answer: BotAnswer | null): string | null =>
  answer?.ok ? (Me.safeParse(storable(answer.result)).data?.username ?? null) : null

const WebhookInfo = z.object({ url: z.string() })
/** The address that the bot's updates are sent to; empty for none. */
export const webhookUrlOf = (answer: BotAnswer | null): string | null =>
  answer?.ok ? (WebhookInfo.safeParse(answer.result).data?.url ?? null) : null

/** What the status of an answer to a message proves. `deferred`: nothing was sent, and another request may be. */
export function statusProves(status: number): 'answered' | 'rejected' | 'deferred' | 'unknown' {
  if (status === 429) return 'deferred'
  const proof = apiProof(status)
  return proof === 'done' ? 'answered' : proof === 'refused' ? 'rejected' : 'unknown'
}
