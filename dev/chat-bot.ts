// A chat service with bots, as its bot API shows it. It records every request in a ledger and every message that a
// visitor would see, and sends updates to webhooks.
//   CHAT_BOT_PORT (0: any free port), CHAT_BOT_DIR (the ledger). A token is a number, a colon and a secret of five
//     characters or more.
// Its control: POST /_sim/say {bot, text | message, from?, times?, delay_ms?, order?, texts?, update_id?, secret?}:
// writes to a bot, and delivers the updates to its webhook until they are accepted (Telegram Bot API, setWebhook). POST
// /_sim/block {user_id}: the visitor blocks all bots. POST /_sim/revoke {token}. GET /_sim/messages, /_sim/webhooks,
// /_sim/ledger; POST and DELETE /_sim/faults, where `path` has a `*` for the token: {fault: 'hang', path:
// '/bot*/sendMessage'}.
import { setTimeout as pause } from 'node:timers/promises'
import { type Done, type Request, serveSimulator } from './sim/http.ts'
import { part } from './sim/journal.ts'

type Webhook = { url: string; secret_token: string | null; allowed_updates: string[] }
/** What a visitor sees; `chat_id` is theirs. */
type Visible = { bot: string; chat_id: number; message_id: number; text: string; at: number }

const { CHAT_BOT_PORT = '0', CHAT_BOT_DIR = '.dev/chat-bot' } = process.env

const webhooks = new Map<string, Webhook>()
const messages: Visible[] = []
const blocked = new Set<number>()
const revoked = new Set<string>()
let lastUpdate = Math.floor(Date.now() / 1000)

const keepWebhook = part<[string, Webhook | null]>('webhook', ([bot, webhook]) =>
  webhook ? webhooks.set(bot, webhook) : webhooks.delete(bot),
)
const keepMessage = part<Visible>('message', (message) => messages.push(message))
const keepBlocked = part<number>('blocked', (id) => blocked.add(id))
const keepRevoked = part<string>('revoked', (token) => revoked.add(token))
const keepUpdate = part<number>('update', (id) => {
  lastUpdate = id
})

const refused = (status: number, description: string, more = {}): Done => ({
  status,
  body: { ok: false, error_code: status, description, ...more },
  effect: false,
})
const done = (result: unknown, effect = true): Done => ({ body: { ok: true, result }, effect })

function setWebhook(bot: string, webhook: Webhook | null): Done {
  if (webhook) webhooks.set(bot, webhook)
  else webhooks.delete(bot)
  keepWebhook([bot, webhook])
  return done(true)
}

function sendMessage(bot: string, { chat_id, text }: { chat_id?: unknown; text?: unknown }): Done {
  if (typeof text !== 'string' || text.trim() === '') return refused(400, 'Bad Request: message text is empty')
  if (text.length > 4_096) return refused(400, 'Bad Request: message is too long')
  if (!Number.isSafeInteger(chat_id)) return refused(400, 'Bad Request: chat not found')
  if (blocked.has(chat_id as number)) return refused(403, 'Forbidden: bot was blocked by the user')
  const message = { bot, chat_id: chat_id as number, message_id: messages.length + 1, text, at: Date.now() / 1000 }
  messages.push(message)
  keepMessage(message)
  return done({
    message_id: message.message_id,
    date: Math.floor(message.at),
    chat: { id: chat_id, type: 'private' },
    text,
  })
}

function act({ path, body }: Request): Done {
  const [, token = '', method] = /^\/bot([^/]+)\/(\w+)$/.exec(path) ?? []
  if (!method) return refused(404, 'Not Found')
  const bot = /^(\d+):[\w-]{5,}$/.exec(decodeURIComponent(token))?.[1]
  if (!bot || revoked.has(token)) return refused(401, 'Unauthorized')
  const sent = (body === '' ? {} : JSON.parse(body)) as Record<string, unknown>
  switch (method) {
    case 'getMe':
      return done({ id: Number(bot), is_bot: true, first_name: 'Bot', username: `bot_${bot}` }, false)
    case 'getWebhookInfo':
      return done({ url: webhooks.get(bot)?.url ?? '', has_custom_certificate: false, pending_update_count: 0 }, false)
    case 'setWebhook': {
      const { url, secret_token = null, allowed_updates = [] } = sent as Partial<Webhook>
      if (typeof url !== 'string' || !URL.canParse(url)) return refused(400, 'Bad Request: bad webhook: invalid url')
      return setWebhook(bot, { url, secret_token, allowed_updates })
    }
    case 'deleteWebhook':
      return setWebhook(bot, null)
    case 'sendMessage':
      return sendMessage(bot, sent)
    default:
      return refused(404, 'Not Found: method not found')
  }
}

type Say = {
  bot: string | number
  from?: { id?: number; first_name?: string; username?: string }
  text?: string
  /** Several messages, each an update of its own. */
  texts?: string[]
  /** A message without a text, such as {photo: []}. */
  message?: object
  update_id?: number
  /** How often each update is delivered. */
  times?: number
  /** Before the first delivery. */
  delay_ms?: number
  order?: 'reverse'
  /** Another secret than the webhook's. */
  secret?: string
  /** Milliseconds during which an update that is not accepted is delivered again. */
  retry_ms?: number
}

async function deliver(
  { url, secret_token }: Webhook,
  update: object,
  { secret, retry_ms = 10_000 }: Say,
): Promise<number | null> {
  const token = secret ?? secret_token
  const headers = {
    'content-type': 'application/json',
    ...(token === null ? {} : { 'x-telegram-bot-api-secret-token': token }),
  }
  const until = Date.now() + retry_ms
  for (let waitMs = 100; ; waitMs *= 2) {
    const status = await fetch(url, { method: 'POST', headers, body: JSON.stringify(update) }).then(
      (answer) => answer.status,
      () => null,
    )
    if (status === 200 || Date.now() + waitMs > until) return status
    await pause(waitMs)
  }
}

/** The ids of the updates, and how the webhook answered each delivery. */
async function say(given: Say): Promise<{ update_ids: number[]; statuses: (number | null)[] } | { error: string }> {
  const webhook = webhooks.get(String(given.bot))
  if (!webhook) return { error: `the bot ${given.bot} has no webhook` }
  const { from = {}, times = 1, delay_ms = 0, order, texts = [given.text ?? null] } = given
  const { id = 1, first_name = 'Ada', ...person } = from
  const updates = texts.map((text) => {
    const update_id = given.update_id ?? lastUpdate + 1
    lastUpdate = Math.max(lastUpdate, update_id)
    keepUpdate(lastUpdate)
    const message = {
      message_id: update_id,
      date: Math.floor(Date.now() / 1000),
      from: { id, is_bot: false, first_name, ...person },
    }
    return {
      update_id,
      message: { ...message, chat: { id, type: 'private' }, ...(text === null ? given.message : { text }) },
    }
  })
  if (delay_ms > 0) await pause(delay_ms)
  const sorted = order === 'reverse' ? updates.toReversed() : updates
  const statuses: (number | null)[] = []
  for (const update of sorted)
    statuses.push(...(await Promise.all(Array.from({ length: times }, () => deliver(webhook, update, given)))))
  return { update_ids: updates.map(({ update_id }) => update_id), statuses }
}

serveSimulator(
  {
    act,
    controls: {
      'POST /_sim/say': (body) => say(body as Say),
      'GET /_sim/messages': () => messages,
      'GET /_sim/webhooks': () => Object.fromEntries(webhooks),
      'POST /_sim/block'({ user_id }) {
        blocked.add(user_id as number)
        keepBlocked(user_id as number)
      },
      'POST /_sim/revoke'({ token }) {
        revoked.add(token as string)
        keepRevoked(token as string)
      },
    },
  },
  { port: Number(CHAT_BOT_PORT), dir: CHAT_BOT_DIR },
)
