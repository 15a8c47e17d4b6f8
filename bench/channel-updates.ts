// Messages of visitors to a bot, while the model takes 30 seconds for each answer: updates of 8 clients, each of another number, in 64 chats.
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { client } from '../client/client.ts'
import { script } from '../dev/parts.ts'
import { freePort } from '../dev/ports.ts'
import type { Stack } from '../dev/stack.ts'
import { type Ask, lanesOf, type Measure } from './kit/path.ts'
import { startLoad } from './kit/processes.ts'
import { perRequest, startRecorder } from './kit/record.ts'
import { resultOf } from './kit/report.ts'
import type { Shop } from './kit/shop.ts'

const name = 'channel-updates'
const clients = 8
const chats = 64
const updates = 16_000
const seconds = 6
const answerMs = 30_000

async function simulator(file: string, env: Record<string, string>) {
  const child = script(`dev/${file}.ts`, [], { name: file, env: { ...process.env, ...env } })
  await child.said(/listening/)
  return child
}
const post = async (url: string, body: object) => (await fetch(url, { method: 'POST', body: JSON.stringify(body) })).json()

type Bot = { business: string; channel: string; secret: string; stop(): Promise<void> }

/** A business whose agent asks a slow model, connected to a bot. */
async function openBot({ dir }: Stack, { api, operator }: Shop): Promise<Bot> {
  const [models, service] = [await freePort(), await freePort()]
  const children = await Promise.all([
    simulator('models', { MODELS_PORT: String(models), MODELS_DIR: path.join(dir, 'bench-models') }),
    simulator('chat-bot', { CHAT_BOT_PORT: String(service), CHAT_BOT_DIR: path.join(dir, 'bench-chat-bot') }),
  ])
  await post(`http://127.0.0.1:${models}/_sim/script`, { answers: Array.from({ length: 1_000 }, () => ({ text: 'Green tea.', delay_ms: answerMs })) })
  const call = client({ base: api, headers: operator })
  const { id: businessId } = await call('POST /v1/businesses', { body: { key: `bot-${Date.now()}`, timezone: 'UTC', billingEmail: 'bench@shop.example' } })
  const at = { businessId }
  const provider = { type: 'llm_a', apiKey: 'demo-key', model: 'slow', baseUrl: `http://127.0.0.1:${models}/v1` }
  await call('POST /v1/businesses/{businessId}/integrations', { path: at, body: { key: 'model', provider } })
  const bot = { type: 'chat_bot', botToken: '42:bench-bot', baseUrl: `http://127.0.0.1:${service}` }
  const { id: channel } = await call('POST /v1/businesses/{businessId}/integrations', { path: at, body: { key: 'bot', provider: bot } })
  await call('POST /v1/businesses/{businessId}/agents', {
    path: at,
    body: { key: 'agent', prompt: 'You sell tea.', modelId: 'model', channelIds: [channel] },
  })
  for (;;) {
    const { channel: state } = await call('GET /v1/businesses/{businessId}/integrations/{id}', { path: { ...at, id: channel } })
    if (state?.status === 'connected') break
    await pause(50)
  }
  const webhooks = (await post(`http://127.0.0.1:${service}/_sim/webhooks`, {})) as Record<string, { secret_token: string }>
  return {
    business: businessId,
    channel,
    secret: webhooks['42']?.secret_token as string,
    stop: async () => void (await Promise.all(children.map((child) => child.stop()))),
  }
}

export const channelUpdates: Measure = {
  name,
  target: { p95_ms: 50, sql: 9, clients },
  async measure(stack, shop) {
    const bot = await openBot(stack, shop)
    const headers = { 'content-type': 'application/json', 'x-telegram-bot-api-secret-token': bot.secret }
    const ask = (n: number): Ask => {
      const id = 1 + (n % chats)
      const from = { id, is_bot: false, first_name: 'Ada' }
      const message = { message_id: n, date: 1, from, chat: { id, type: 'private' }, text: `Do you still have number ${n}? I would like two of them.` }
      return { method: 'POST', path: `/v1/webhooks/channels/${bot.channel}`, headers, body: JSON.stringify({ update_id: n, message }) }
    }
    const recorder = await startRecorder(stack)
    const recorded = await recorder.record(Array.from({ length: chats }, (_, n) => ask(n)))
    const again = await recorder.record(Array.from({ length: chats }, (_, n) => ask(chats + n)))
    const load = startLoad()
    const rest = Array.from({ length: updates }, (_, n) => 2 * chats + n)
    const job = { base: shop.api, temporal: String(stack.env.TEMPORAL_ADDRESS), once: true, floor: null, rounds: 1, floorMs: 0, warmMs: 500 }
    const { path: times } = await load.run({ ...job, lanes: lanesOf(rest, clients, ask), ms: seconds * 1_000 })
    const { rows } = await shop.db.query<{ n: number }>('select count(*)::int as n from chat_messages where channel_id = $1', [bot.channel])
    if ((rows[0]?.n ?? 0) < times.each.length + 2 * chats) throw new Error(`${rows[0]?.n} messages of ${times.each.length + 2 * chats} updates`)
    // The chats are given to people: no model is asked beside the next measurement.
    await shop.db.query(`update chats set mode = 'human', version = version + 1 where tenant_id = $1`, [bot.business])
    load.stop()
    await recorder.stop()
    await bot.stop()
    return resultOf(name, clients, Math.max(perRequest(recorded), perRequest(again)), times, null)
  },
}
