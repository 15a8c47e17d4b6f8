// Messages of visitors to a bot, while the model takes 30 seconds for each answer: eight clients write in eight chats
// of a bot of their own.
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { client } from '../../client/client.ts'
import { script } from '../../dev/parts.ts'
import { freePort } from '../../dev/ports.ts'
import { type Ask, lanesOf, type Measure } from '../kit/path.ts'
import { startLoad } from '../kit/processes.ts'
import { perRequest, startRecorder } from '../kit/record.ts'
import { resultOf } from '../kit/report.ts'
import type { Shop } from '../kit/shop.ts'

const name = 'channel-updates'
const clients = 8
const chatsEach = 8
const updates = 16_000
const seconds = 6
const answerMs = 30_000

async function simulator(file: string, env: Record<string, string>) {
  const child = script(`dev/${file}.ts`, [], { name: file, env: { ...process.env, ...env } })
  await child.said(/listening/)
  return child
}
const textOf = (n: number) => `Do you still have number ${n}? I would like two of them.`
const post = async (url: string, body: object) =>
  (await fetch(url, { method: 'POST', body: JSON.stringify(body) })).json()

type Bot = { channel: string; business: string; secret: string }
type Simulators = { models: string; service: string; stop(): Promise<void> }

async function startSimulators(dir: string): Promise<Simulators> {
  const [models, service] = [await freePort(), await freePort()]
  const children = await Promise.all([
    simulator('models', { MODELS_PORT: String(models), MODELS_DIR: path.join(dir, 'bench-models') }),
    simulator('chat-bot', { CHAT_BOT_PORT: String(service), CHAT_BOT_DIR: path.join(dir, 'bench-chat-bot') }),
  ])
  const urls = { models: `http://127.0.0.1:${models}`, service: `http://127.0.0.1:${service}` }
  await post(`${urls.models}/_sim/script`, {
    answers: Array.from({ length: 1_000 }, () => ({ text: 'Green tea.', delay_ms: answerMs })),
  })
  return { ...urls, stop: async () => void (await Promise.all(children.map((child) => child.stop()))) }
}

/** A business whose agent asks a slow model, connected to a bot. */
async function openBot({ api, operator }: Shop, { models, service }: Simulators, number: number): Promise<Bot> {
  const call = client({ base: api, headers: operator })
  const key = `bot-${number}-${Date.now()}`
  const { id: businessId } = await call('POST /v1/businesses', {
    body: { key, timezone: 'UTC', billingEmail: 'bench@shop.example' },
  })
  const at = { businessId }
  const provider = { type: 'llm_a', apiKey: 'demo-key', model: 'slow', baseUrl: `${models}/v1` }
  await call('POST /v1/businesses/{businessId}/integrations', { path: at, body: { key: 'model', provider } })
  const bot = { type: 'chat_bot', botToken: `${number}:bench-bot`, baseUrl: service }
  const { id: channel } = await call('POST /v1/businesses/{businessId}/integrations', {
    path: at,
    body: { key: 'bot', provider: bot },
  })
  const agent = { key: 'agent', prompt: 'You sell tea.', modelId: 'model', channelIds: [channel] }
  await call('POST /v1/businesses/{businessId}/agents', { path: at, body: agent })
  for (;;) {
    const { channel: state } = await call('GET /v1/businesses/{businessId}/integrations/{id}', {
      path: { ...at, id: channel },
    })
    if (state?.status === 'connected') break
    await pause(50)
  }
  const webhooks = (await (await fetch(`${service}/_sim/webhooks`)).json()) as Record<string, { secret_token: string }>
  return { channel, business: businessId, secret: webhooks[String(number)]?.secret_token as string }
}

export const channelUpdates: Measure = {
  name,
  target: { p95_ms: 50, sql: 9, clients },
  async measure(stack, shop) {
    const simulators = await startSimulators(stack.dir)
    const bots = await Promise.all(Array.from({ length: clients }, (_, n) => openBot(shop, simulators, 42 + n)))
    const ask = (n: number): Ask => {
      const bot = bots[n % clients] as Bot
      const id = 1 + (Math.floor(n / clients) % chatsEach)
      const message = {
        message_id: n,
        date: 1,
        from: { id, is_bot: false, first_name: 'Ada' },
        chat: { id, type: 'private' },
        text: textOf(n),
      }
      const headers = { 'content-type': 'application/json', 'x-telegram-bot-api-secret-token': bot.secret }
      return {
        method: 'POST',
        path: `/v1/webhooks/channels/${bot.channel}`,
        headers,
        body: JSON.stringify({ update_id: n, message }),
      }
    }
    const numbers = (from: number, count: number) => Array.from({ length: count }, (_, n) => from + n)
    const recorder = await startRecorder(stack)
    // The first message of each chat begins it with its contact and its turn, whose model is asked until after the
    // measurement.
    const first = await recorder.record(numbers(0, clients * chatsEach).map(ask))
    const load = startLoad()
    const job = {
      base: shop.api,
      temporal: String(stack.env.TEMPORAL_ADDRESS),
      once: true,
      floor: null,
      rounds: 1,
      floorMs: 0,
      warmMs: 500,
    }
    const { path: times } = await load.run({
      ...job,
      lanes: lanesOf(numbers(first.length, updates), clients, ask),
      ms: seconds * 1_000,
    })
    const { rows } = await shop.db.query<{ n: number }>(
      'select count(*)::int as n from chat_messages where channel_id = any ($1)',
      [bots.map(({ channel }) => channel)],
    )
    if ((rows[0]?.n ?? 0) < times.each.length + first.length)
      throw new Error(`${rows[0]?.n} messages of ${times.each.length + first.length} updates`)
    // The chats are given to people: no model is asked beside the next measurement.
    await shop.db.query(`update chats set mode = 'human', version = version + 1 where tenant_id = any ($1)`, [
      bots.map(({ business }) => business),
    ])
    load.stop()
    await recorder.stop()
    await simulators.stop()
    return resultOf(name, clients, perRequest(first), times, null)
  },
}
