// Requests to a bot API through the egress client. The path has the bot's token: no error, log or result has a path.
import { type Bot, type BotAnswer, botAnswer, botPost } from '../../rules/agents/chat-bot.ts'
import { isSuccess } from '../../rules/http-verdicts.ts'
import { EgressError } from './egress-guard.ts'
import { egress, type HttpRequest } from './http.ts'

const limitMs = 10_000

export const botRequest = (bot: Bot, method: string, body: object, timeout_ms: number): HttpRequest => ({
  ...botPost(bot, method, body),
  method: 'POST',
  headers: { 'content-type': 'application/json', accept: 'application/json' },
  timeout_ms,
})

/** `refused`: another request would have the same answer. */
export type Asked =
  | { kind: 'answered'; answer: BotAnswer }
  | { kind: 'refused'; status: number | null; answer: BotAnswer | null; code: string }
  | { kind: 'lost'; status: number | null; answer: BotAnswer | null; code: string }

/** A request that says a state, or reads one: it may be repeated. */
export async function ask(bot: Bot, method: string, body: object = {}): Promise<Asked> {
  try {
    const { status, body: received } = await egress().request(botRequest(bot, method, body, limitMs))
    const answer = botAnswer(received)
    if (isSuccess(status) && answer?.ok) return { kind: 'answered', answer }
    const kind = status >= 400 && status < 500 && status !== 408 && status !== 429 ? 'refused' : 'lost'
    return { kind, status, answer, code: kind === 'refused' ? 'channel_refused' : 'channel_unreachable' }
  } catch (error) {
    if (!(error instanceof EgressError)) throw error
    const { code } = error
    return code === 'egress_refused'
      ? { kind: 'refused', status: null, answer: null, code }
      : { kind: 'lost', status: error.status ?? null, answer: null, code: 'channel_unreachable' }
  }
}
