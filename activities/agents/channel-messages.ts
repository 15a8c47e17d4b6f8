// Sends a reply to a visitor of a channel, once. The bot's token is read when it is sent, and is frozen nowhere.
import { channelMessageEffect, sendable, unslottedReply } from '../../entities/agents/channel-messages.ts'
import { botOf } from '../../entities/agents/channels.ts'
import { Integration } from '../../entities/automation/integration.ts'
import { anyTenant, unitOf } from '../../entities/kit/database/orm.ts'
import { partsOf } from '../../rules/agents/channels.ts'
import {
  type Bot,
  botAnswer,
  CHAT_BOT_BASE_URL,
  messageIdOf,
  reasonOf,
  retryAfterOf,
  statusProves,
} from '../../rules/agents/chat-bot.ts'
import { database, statement } from '../kit/database.ts'
import { NeverSent, once, type Sending, type Verdict } from '../kit/once.ts'
import { slotted } from '../kit/slotted.ts'
import { botRequest } from '../providers/chat-bot.ts'
import { EgressError } from '../providers/egress-guard.ts'
import { egress, type HttpAnswer } from '../providers/http.ts'

/** Frozen in the row. Plain text: no part of an answer is markup. */
type Request = { tenant_id: string; channel_id: string; base_url: string; chat_id: number; text: string }

const integrationChanged = () =>
  new NeverSent({ code: 'integration_changed', message: 'The integration of the channel was changed or deleted.' })

async function prepare(id: string): Promise<Request> {
  const found = await statement((em) => sendable(em, id))
  if (!found) throw new NeverSent({ code: 'chat_deleted', message: 'The chat was deleted.' })
  const { tenant_id, channel_id, external_id, content, part, base_url, has_integration } = found
  if (!has_integration) throw integrationChanged()
  return {
    tenant_id,
    channel_id,
    base_url: base_url ?? CHAT_BOT_BASE_URL,
    chat_id: Number(external_id),
    text: partsOf(content)[part - 1] ?? '',
  }
}

const post = (bot: Bot, { chat_id, text }: Request, timeoutMs: number) =>
  botRequest(bot, 'sendMessage', { chat_id, text }, Math.max(1, Math.ceil(timeoutMs)))

async function unlock(request: Request): Promise<{ request: Request; bot: Bot }> {
  const { channel_id: id, tenant_id, base_url } = request
  const integration = await unitOf(await database(), null).findOne(
    Integration,
    { id, tenant_id, category: 'channel' },
    anyTenant,
  )
  const bot = integration && botOf(integration)
  // A token is sent only to the bot API that it was entered for.
  if (bot?.base_url !== base_url) throw integrationChanged()
  try {
    await egress().check(post(bot, request, 1))
  } catch (error) {
    if (error instanceof EgressError && error.code === 'egress_refused')
      throw new NeverSent({ code: error.code, message: error.message })
    throw error
  }
  return { request, bot }
}

/**
 * Judges an answer with a final status line. A success that does not return the message that was sent is an answer that
 * broke off.
 */
function decided(status: number, answer: HttpAnswer | null, bot: Bot): Verdict {
  const read = botAnswer(answer?.body)
  const proved = statusProves(status)
  const evidence = { status }
  const provider_message_id = messageIdOf(read)
  if (proved === 'answered' && provider_message_id !== null)
    return { kind: 'succeeded', evidence, columns: { provider_message_id } }
  const reason = reasonOf(read, [bot.bot_token])
  const message = `the bot API answered with status ${status}${reason && `: ${reason}`}`
  const error = (code: string) => ({ code, message, provider_status: status })
  if (proved === 'deferred')
    return {
      kind: 'rejected',
      evidence,
      error: error('channel_deferred'),
      columns: { retry_after: retryAfterOf(read) ?? 1 },
    }
  if (proved === 'rejected')
    return { kind: 'rejected', evidence, error: error(status === 403 ? 'channel_blocked' : 'channel_refused') }
  return { kind: 'unknown', evidence, error: error('outcome_unknown') }
}

export const sendChannelMessage = slotted(
  once({
    row: channelMessageEffect,
    prepare,
    unlock,
    async send({ request, bot }, sending: Sending) {
      const { verdict, answer } = await egress().send(post(bot, request, sending.endBy - performance.now()), sending)
      if (verdict.kind === 'not_sent') return verdict
      const status = answer?.status ?? verdict.error?.provider_status
      return status === undefined ? verdict : decided(status, answer, bot)
    },
  }),
  unslottedReply,
)
