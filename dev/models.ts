// A model provider that speaks both formats, chat completions and messages, and records every request in a ledger.
//   MODELS_PORT (0: any free port), MODELS_DIR (the ledger), MODELS_KEY (the key that it takes).
// Its control: POST /_sim/script {match?, answers: [{text?, calls?, status?, headers?, body?, delay_ms?}]}: the next requests whose body contains `match` are answered so,
// one after the other. Without a script it picks a tool by the words of the last message, and repeats what was found or said. GET /_sim/requests: what arrived, in order.
import { randomUUID } from 'node:crypto'
import { type Done, type Request, serveSimulator } from './sim/http.ts'

type Scripted = {
  text?: string
  calls?: { id?: string; name: string; arguments: unknown }[]
  status?: number
  headers?: Record<string, string>
  body?: unknown
  delay_ms?: number
  /** Without the counts of tokens. */
  uncounted?: true
}
type Script = { match?: string; answers: Scripted[] }

const { MODELS_PORT = '0', MODELS_DIR = '.dev/models', MODELS_KEY = 'demo-key' } = process.env
let scripts: Script[] = []
const requests: { key: string | null; path: string; body: unknown }[] = []

function scripted(body: string): Scripted | undefined {
  const script = scripts.find(({ match }) => match === undefined || body.includes(match))
  const answer = script?.answers.shift()
  scripts = scripts.filter(({ answers }) => answers.length > 0)
  return answer
}

type Message = { role: string; content: unknown }
type Sent = { messages?: Message[]; tools?: unknown[]; model?: string }

const textIn = (content: unknown): string =>
  typeof content === 'string'
    ? content
    : Array.isArray(content)
      ? content.map((part) => (part as { text?: string; content?: string }).text ?? (part as { content?: string }).content ?? '').join(' ')
      : ''

/** The first word that a search may find something by. */
const subjectOf = (text: string): string => /(?:for|about|any|some)\s+(\p{L}{3,})/iu.exec(text)?.[1] ?? ''

/** Of a message without a script: searches once, and answers with what it found. */
function usual({ messages = [], tools = [] }: Sent): Scripted {
  const last = messages.at(-1)
  const isResult = last?.role === 'tool' || (Array.isArray(last?.content) && last.content.some((part) => (part as { type?: string }).type === 'tool_result'))
  const text = textIn(last?.content)
  if (isResult) return { text: `Here is what I found: ${text.slice(0, 500)}` }
  const named = JSON.stringify(tools)
  if (/\b(human|person|somebody)\b/i.test(text) && named.includes('hand_over'))
    return { calls: [{ name: 'hand_over', arguments: { message: 'A person will answer you.' } }] }
  if (/\bmy orders?\b/i.test(text) && named.includes('own_orders')) return { calls: [{ name: 'own_orders', arguments: {} }] }
  const query = subjectOf(text)
  const tool = /\b(book|hour|appointment|service)/i.test(text) ? 'search_services' : 'search_products'
  if (query !== '' && named.includes(tool)) return { calls: [{ name: tool, arguments: { query } }] }
  return { text: `You said: ${text.slice(0, 500)}` }
}

const argumentsText = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))

function completion({ text, calls = [], uncounted }: Scripted, input: number): object {
  const tool_calls = calls.map(({ id = `call_${randomUUID()}`, name, arguments: given }) => ({
    id,
    type: 'function',
    function: { name, arguments: argumentsText(given) },
  }))
  const message = { role: 'assistant', content: text ?? null, ...(tool_calls.length > 0 ? { tool_calls } : {}) }
  const usage = { prompt_tokens: input, completion_tokens: 20, total_tokens: input + 20 }
  return {
    ...{
      id: `chatcmpl-${randomUUID()}`,
      object: 'chat.completion',
      choices: [{ index: 0, finish_reason: tool_calls.length > 0 ? 'tool_calls' : 'stop', message }],
    },
    ...(uncounted ? {} : { usage }),
  }
}

function message({ text, calls = [], uncounted }: Scripted, input: number): object {
  const uses = calls.map(({ id = `toolu_${randomUUID()}`, name, arguments: given }) => ({
    type: 'tool_use',
    id,
    name,
    input: typeof given === 'string' ? {} : given,
  }))
  return {
    ...{ id: `msg_${randomUUID()}`, type: 'message', role: 'assistant', stop_reason: uses.length > 0 ? 'tool_use' : 'end_turn' },
    content: [...(text === undefined ? [] : [{ type: 'text', text }]), ...uses],
    ...(uncounted ? {} : { usage: { input_tokens: input, output_tokens: 20 } }),
  }
}

function act({ path, headers, body, key }: Request): Done {
  const [isCompletion, isMessage] = [path.endsWith('/chat/completions'), path.endsWith('/messages')]
  const sent = body === '' ? {} : (JSON.parse(body) as Sent)
  requests.push({ key, path, body: sent })
  if (!isCompletion && !isMessage) return { status: 404, body: { error: { message: 'not found' } }, effect: false }
  const given = isCompletion ? headers.authorization === `Bearer ${MODELS_KEY}` : headers['x-api-key'] === MODELS_KEY
  if (!given) return { status: 401, body: { error: { message: 'invalid key' } }, effect: false }
  const answer = scripted(body) ?? usual(sent)
  const { status = 200, headers: more, delay_ms } = answer
  const free = { ...(more ? { headers: more } : {}), ...(delay_ms === undefined ? {} : { delay_ms }) }
  if (status !== 200 || answer.body !== undefined) return { ...free, status, body: answer.body ?? { error: { message: 'refused' } }, effect: status === 200 }
  const input = Math.ceil(body.length / 4)
  return { ...free, body: isCompletion ? completion(answer, input) : message(answer, input), effect: true }
}

serveSimulator(
  {
    act,
    control(path, body) {
      if (path === 'requests') return requests
      if (path !== 'script') return undefined
      scripts.push(body as Script)
      return {}
    },
  },
  { port: Number(MODELS_PORT), dir: MODELS_DIR },
)
