// A chat service in a process of its own, and an agent that answers there.
//   const service = await startChatBot(dir)
//   const { bot, channel } = await newBot(service, await newAgent(models))
//   await service.say({ bot, text: 'Do you sell tea?' })
//   (await service.seen(bot)).map(({ text }) => text)
import path from 'node:path'
import { script } from '../../../dev/parts.ts'
import { freePort } from '../../../dev/ports.ts'
import { until } from '../codes.ts'
import { api, secondApi, unique } from '../shop.ts'
import type { newAgent } from './models.ts'

type Visible = { bot: string; chat_id: number; message_id: number; text: string; at: number }
type Entry = {
  method: string
  path: string
  digest: string
  effect: boolean
  status: number | null
  fault: string | null
}
type Said = { update_ids: number[]; statuses: (number | null)[]; error?: string }
export type Update = { update_id: number; message?: unknown }

export type ChatBot = Awaited<ReturnType<typeof startChatBot>>

export async function startChatBot(dir: string) {
  const port = await freePort()
  const env = { ...process.env, CHAT_BOT_PORT: String(port), CHAT_BOT_DIR: path.join(dir, 'chat-bot') }
  const begin = async () => {
    const child = script('dev/chat-bot.ts', [], { name: 'chat-bot', env, log: path.join(dir, 'chat-bot.log') })
    await child.said(/listening/)
    return child
  }
  let child = await begin()
  const url = `http://127.0.0.1:${port}`
  const control = async (at: string, body?: unknown) =>
    (await fetch(`${url}/_sim/${at}`, body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) })).json()
  const webhooks = (): Promise<Record<string, { url: string; secret_token: string; allowed_updates: string[] }>> =>
    control('webhooks') as never
  return {
    url,
    control,
    webhooks,
    say: (given: object): Promise<Said> => control('say', given) as never,
    /** What the visitors of a bot see, in order. */
    async seen(bot: string, user?: number): Promise<Visible[]> {
      const all = (await control('messages')) as Visible[]
      return all.filter((one) => one.bot === bot && (user === undefined || one.chat_id === user))
    },
    /** Requests that arrived, by method of the bot API. */
    async arrivals(token: string, method: string): Promise<Entry[]> {
      const all = (await control('ledger')) as Entry[]
      return all.filter((one) => one.path === `/bot${token}/${method}`)
    },
    fault: (fault: object) => control('faults', fault),
    release: () => fetch(`${url}/_sim/faults`, { method: 'DELETE' }),
    stop: () => child.stop(),
    /** On the same port, with the same state. */
    async start() {
      child = await begin()
    },
  }
}

export const newToken = () => {
  const bot = String(Number.parseInt(unique(), 16) % 1e10)
  return { bot, token: `${bot}:secret-${unique()}` }
}

type Salon = Awaited<ReturnType<typeof newAgent>>

/** A bot that an agent serves, connected. */
export async function newBot(service: ChatBot, { business, agent }: Salon, fields: object = {}) {
  const { bot, token } = newToken()
  const provider = { type: 'chat_bot', botToken: token, baseUrl: service.url, ...fields }
  const made = await business.ask('POST', '/integrations', { key: `bot-${unique()}`, provider })
  if (made.status !== 201) throw new Error(`no integration: ${JSON.stringify(made.body)}`)
  const channel = made.body.id as string
  const served = await business.ask('PUT', `/agents/${agent}`, { channelIds: [channel] })
  if (served.status !== 200) throw new Error(`not served: ${JSON.stringify(served.body)}`)
  await until(async () => (await business.ask('GET', `/integrations/${channel}`)).body.channel.status === 'connected')
  const { secret_token: secret } = (await service.webhooks())[bot] as { secret_token: string }
  let turn = 0
  const deliver = async (
    body: unknown,
    { secret: given = secret as string | null, base = ++turn % 2 ? api() : secondApi(), to = channel } = {},
  ) => {
    const headers = {
      'content-type': 'application/json',
      ...(given === null ? {} : { 'x-telegram-bot-api-secret-token': given }),
    }
    const text = typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body)
    const answer = await fetch(`${base}/v1/webhooks/channels/${to}`, { method: 'POST', headers, body: text as never })
    return { status: answer.status, headers: answer.headers, body: (await answer.json()) as { code?: string } }
  }
  return { bot, token, channel, secret, deliver }
}

// Not among the numbers that the service itself gives.
let last = 5_000_000_000
/** A message of a visitor, as the service sends it. */
export const update = (text: string, user = 1, message: object = {}): Update => ({
  update_id: ++last,
  message: {
    message_id: last,
    date: 1,
    from: { id: user, is_bot: false, first_name: 'Ada' },
    chat: { id: user, type: 'private' },
    text,
    ...message,
  },
})
