// Connects and disconnects the bots of channels, as their rows say. Each request says a state, or reads one, so that it
// may be repeated.

import { unixNow } from '../../adapters/clock.ts'
import { log } from '../../adapters/log.ts'
import { config } from '../../config.ts'
import {
  type ChannelOutcome,
  type ChannelPlan,
  channelPlan,
  isBotTaken,
  type LeftChannel,
  markSet,
  recordChannel,
  touchOthers,
} from '../../entities/agents/channels.ts'
import type { ChannelError } from '../../rules/agents/channels.ts'
import {
  type Bot,
  reasonOf,
  retryAfterOf,
  takesUpdates,
  usernameOf,
  webhookUrlOf,
} from '../../rules/agents/chat-bot.ts'
import { statement, transaction } from '../kit/database.ts'
import { type Asked, ask } from '../providers/chat-bot.ts'

type Failed = Exclude<Asked, { kind: 'answered' }>

const pathOf = (id: string): string => `/v1/webhooks/channels/${id}`
/** Webhooks that are taken away in one step: an address that hangs takes 20 seconds. */
const removalsMax = 3

function errorOf({ kind, code, status, answer }: Failed, secrets: readonly string[]): ChannelError {
  const reason = reasonOf(answer, secrets)
  const message =
    code === 'egress_refused'
      ? 'The address of the bot API is not public.'
      : `${kind === 'refused' ? 'The bot API refused the request' : 'The bot API could not be reached, or gave no usable answer'}${reason && `: ${reason}`}`
  return { code, message, ...(status === null ? {} : { provider_status: status }) }
}

/**
 * Takes the webhook away, unless the bot's updates are sent elsewhere by now. Null: done; a refusal ends it, too, as
 * the token is no longer valid.
 */
async function leave(bot: Bot, id: string): Promise<Failed | null> {
  const info = await ask(bot, 'getWebhookInfo')
  if (info.kind !== 'answered') return info.kind === 'lost' ? info : null
  // Compared by the path: the public address may have been another one.
  if (!webhookUrlOf(info.answer)?.endsWith(pathOf(id))) return null
  const removed = await ask(bot, 'deleteWebhook')
  return removed.kind === 'lost' ? removed : null
}

const touchOthersOf = (plan: ChannelPlan, bot: Bot, which: 'all' | 'connected'): Promise<boolean> =>
  transaction((em) => touchOthers(em, plan, bot, which, unixNow()))

/**
 * Leaves the bot as `leave` does, unless another channel has it: between the two requests of `leave` its webhook may
 * become that channel's.
 */
const leaveOrGive = async (bot: Bot, plan: ChannelPlan): Promise<Failed | null> =>
  (await touchOthersOf(plan, bot, 'all')) ? null : leave(bot, plan.id)

/** Undefined: the channel was changed meanwhile. */
async function connect(
  plan: ChannelPlan,
  bot: Bot,
): Promise<{ username: string | null; failed: Failed | null } | undefined> {
  const me = await ask(bot, 'getMe')
  if (me.kind !== 'answered') return { username: plan.username, failed: me }
  const username = usernameOf(me.answer)
  if (!plan.served) return { username, failed: null }
  if (!(await statement((em) => markSet(em, plan)))) return undefined
  const set = await ask(bot, 'setWebhook', {
    url: `${config.publicUrl}${pathOf(plan.id)}`,
    secret_token: plan.secret,
    allowed_updates: ['message'],
  })
  return { username, failed: set.kind === 'answered' ? null : set }
}

const unsuitable: ChannelError = {
  code: 'public_url_unsuitable',
  message: 'The bot API sends updates to https addresses on the ports 443, 80, 88 and 8443, and PUBLIC_URL is none.',
}

const botInUse: ChannelError = {
  code: 'bot_in_use',
  message: 'An older integration has the same bot, and an agent serves it: updates of the bot are sent there.',
}

/** What is to be done about the channel's own bot. */
async function attend(plan: ChannelPlan, bot: Bot): Promise<Omit<ChannelOutcome, 'former'> | undefined> {
  const { served, status, username, is_set, secret } = plan
  const same = { username, is_set, error: null, lost: false, after_s: null }
  if (!takesUpdates(bot.base_url, config.publicUrl)) return { ...same, status: 'failed', error: unsuitable }
  if (served && status === 'connected') return { ...same, status }
  const failure = ({ kind, ...failed }: Failed) => ({
    status: kind === 'refused' ? ('failed' as const) : ('pending' as const),
    error: errorOf({ kind, ...failed }, [bot.bot_token, secret]),
    ...{ lost: kind === 'lost', after_s: retryAfterOf(failed.answer) },
  })
  // Looked at again when the other one is left.
  if (served && (await statement((em) => isBotTaken(em, plan, bot))))
    return { ...same, status: 'pending', error: botInUse, lost: true }
  if (!served && is_set) {
    const failed = await leaveOrGive(bot, plan)
    if (failed) return { ...same, ...failure(failed) }
  }
  const found = await connect(plan, bot)
  if (!found) return undefined
  const done = { ...same, username: found.username, is_set: served }
  if (found.failed) return { ...done, ...failure(found.failed) }
  if (served) await touchOthersOf(plan, bot, 'connected')
  return { ...done, status: served ? 'connected' : 'pending' }
}

/** `wait`: until the next request, 0 if the channel was changed meanwhile. */
export type ChannelStep = { do: 'done' } | { do: 'wait'; wait_ms: number }

/** Asks the provider once for each thing that is due. */
export async function applyChannel(id: string): Promise<ChannelStep> {
  const plan = await statement((em) => channelPlan(em, id))
  if (!plan) return { do: 'done' }
  const early = plan.look_at - unixNow()
  if (early > 0) return { do: 'wait', wait_ms: early * 1000 }
  const own = plan.bot
    ? await attend(plan, plan.bot)
    : { status: 'pending' as const, error: null, username: plan.username, is_set: false, lost: false, after_s: null }
  if (!own) return { do: 'wait', wait_ms: 0 }
  const former = plan.former.slice(removalsMax)
  for (const bot of plan.former.slice(0, removalsMax)) if (await leaveOrGive(bot, plan)) former.push(bot)
  const outcome = { ...own, former, lost: own.lost || former.length > 0 }
  if (outcome.error) log.warn({ channel: id, code: outcome.error.code }, 'channel not connected')
  const next = await transaction((em) => recordChannel(em, plan, outcome, unixNow()))
  return next === null ? { do: 'done' } : { do: 'wait', wait_ms: next * 1000 }
}

/**
 * Before the rows of an erased tenant are deleted: tries once to take the webhooks away. Returns the ids of the
 * channels.
 */
export async function leaveChannels(plans: readonly LeftChannel[]): Promise<string[]> {
  await Promise.all(
    plans.map(async ({ id, bot, is_set, former }) => {
      for (const one of [...former, ...(bot && is_set ? [bot] : [])]) await leave(one, id)
    }),
  )
  return plans.map(({ id }) => id)
}
