// A model provider that speaks both formats, chat completions and messages, and records every request in a ledger.
//   MODELS_PORT (0: any free port), MODELS_DIR (the ledger), MODELS_KEY (the key that it takes).
// Its control: POST /_sim/script {match?, answers: [{text?, calls?, status?, headers?, body?, delay_ms?}]}: the next
// requests whose body contains `match` are answered so, one after the other; `$source` in their arguments is the last
// `source_id` of the request. Without a script it picks a tool by the words of the last message, and repeats what was
// found or said. GET /_sim/requests: what arrived, in order.
import { randomUUID } from 'node:crypto'
import { research, type Scripted } from './models-research.ts'
import { type Done, type Request, serveSimulator } from './sim/http.ts'

type Script = { match?: string; answers: Scripted[] }

const { MODELS_PORT = '0', MODELS_DIR = '.dev/models', MODELS_KEY = 'demo-key' } = process.env
let scripts: Script[] = []
const requests: { key: string | null; path: string; body: unknown }[] = []

function scripted(body: string): Scripted | undefined {
  const script = scripts.find(({ match }) => match === undefined || body.includes(match))
  const answer = script?.answers.shift()
  scripts = scripts.filter(({ answers }) => answers.length > 0)
  const source = [...body.matchAll(/source_id\\*":\\*"([0-9a-f-]{36})/g)].at(-1)?.[1]
  return answer && source ? (JSON.parse(JSON.stringify(answer).replaceAll('$source', source)) as Scripted) : answer
}

type Message = {
  role: string
  content: unknown
  tool_call_id?: string
  tool_calls?: { id: string; function: { name: string } }[]
}
type Sent = { messages?: Message[]; tools?: unknown[]; model?: string; system?: unknown }

type Part = { text?: string; content?: unknown; type?: string; id?: string; name?: string; tool_use_id?: string }
const partsOf = (content: unknown): Part[] =>
  typeof content === 'string' ? [{ text: content }] : Array.isArray(content) ? (content as Part[]) : []
const textIn = (content: unknown): string =>
  partsOf(content)
    .map((part) => part.text ?? (typeof part.content === 'string' ? part.content : ''))
    .join(' ')
const isResult = ({ role, content }: Message) =>
  role === 'tool' || partsOf(content).some(({ type }) => type === 'tool_result')

type Result = { name: string; value: unknown }

/** What the visitor said last, and the results of the tools that were used for it. */
function readChat(messages: readonly Message[]): { said: string; results: Result[] } {
  const at = messages.findLastIndex((one) => one.role === 'user' && !isResult(one))
  const names = new Map<string, string>()
  const results: Result[] = []
  const add = (id: string, text: string) => {
    try {
      results.push({ name: names.get(id) ?? '', value: JSON.parse(text) })
    } catch {
      results.push({ name: names.get(id) ?? '', value: text })
    }
  }
  for (const one of messages.slice(at + 1)) {
    for (const asked of one.tool_calls ?? []) names.set(asked.id, asked.function.name)
    if (one.role === 'tool') add(one.tool_call_id ?? '', textIn(one.content))
    else
      for (const part of partsOf(one.content)) {
        if (part.type === 'tool_use') names.set(part.id ?? '', part.name ?? '')
        if (part.type === 'tool_result') add(part.tool_use_id ?? '', String(part.content))
      }
  }
  return { said: textIn(messages[at]?.content), results }
}

/** The first word that a search may find something by. */
const subjectOf = (text: string): string => /(?:for|about|any|some)\s+(\p{L}{3,})/iu.exec(text)?.[1] ?? ''
const wantsTime = (text: string) => /\b(book|hour|appointment|service|free)/i.test(text)

type Listed = { id?: string; key?: string; text?: string; variants?: { variant_id: string }[] | null }
type Slot = { provider_id: string; from: number; to: number; local: string }
const recordsIn = (value: unknown) => (Array.isArray(value) ? (value as Listed[]) : [])
const slotsIn = (value: unknown) => (value as { slots?: Slot[] } | null)?.slots ?? []

/** A result in words. */
function worded({ name, value }: Result): string {
  const { error, link, cart_id, total, currency } = (value ?? {}) as {
    error?: string
    link?: string
    cart_id?: string
    total?: number
    currency?: string
  }
  if (error) return error
  if (name === 'availability')
    return `Free: ${
      slotsIn(value)
        .slice(0, 3)
        .map(({ local }) => local)
        .join(', ') || 'nothing'
    }.`
  if (name === 'cart_link') return `Your cart: ${link ?? cart_id}, ${total} ${currency}.`
  if (name.startsWith('search_'))
    return (
      recordsIn(value)
        .map(({ key, text }) => [key, text].filter(Boolean).join(': '))
        .join(', ') || 'Nothing.'
    )
  return JSON.stringify(value)
}

/**
 * Labels of comments by their words. A comment that tries to give the label of others is obeyed, as far as it names
 * their ids.
 */
function labelled(text: string): Scripted {
  const questions = JSON.parse(text) as { id: string; text: string }[]
  const items = questions.flatMap(({ id, text: comment }) => {
    const [label, sentiment] = /https?:|order you/i.test(comment)
      ? ['spam', 'neutral']
      : comment.includes('?')
        ? ['question', 'neutral']
        : /broken|bad|late/i.test(comment)
          ? ['complaint', 'negative']
          : /buy|want/i.test(comment)
            ? ['purchase', 'positive']
            : /love|great|thank/i.test(comment)
              ? ['praise', 'positive']
              : ['other', 'neutral']
    const named = [...comment.matchAll(/label ([0-9a-f-]{36}) as (\w+)/g)].map(([, other, theirs]) => ({
      id: other,
      label: theirs,
      sentiment: 'negative',
      needs_reply: true,
    }))
    return [
      { id, label, sentiment, needs_reply: label === 'question' || label === 'complaint' || label === 'purchase' },
      ...named,
    ]
  })
  return { text: JSON.stringify({ items }) }
}

/** Of a message without a script: picks tools by words, and answers with what they found. */
function usual({ messages = [], tools = [], system }: Sent): Scripted {
  if ((textIn(system) + textIn(messages[0]?.content)).startsWith('You label comments'))
    return labelled(textIn(messages.at(-1)?.content))
  const { said, results } = readChat(messages)
  const named = JSON.stringify(tools)
  if (named.includes('read_page'))
    return research(said, results.at(-1)?.value, messages.map(({ content }) => textIn(content)).join('\n'))
  const mayUse = (name: string) => named.includes(name) && !results.some((one) => one.name === name)
  const found = (name: string) => results.find((one) => one.name === name)?.value
  const call = (name: string, given: object) => ({ calls: [{ name, arguments: given }] })
  if (results.length === 0) {
    if (/\b(human|person|somebody)\b/i.test(said) && mayUse('hand_over'))
      return call('hand_over', { message: 'A person will answer you.' })
    if (/\bmy orders?\b/i.test(said) && mayUse('own_orders')) return call('own_orders', {})
    const [query, time] = [subjectOf(said), /\bfree\s+(\p{L}{3,})/iu.exec(said)?.[1]]
    const services = wantsTime(said) ? (time ?? query) : ''
    const products = wantsTime(said) && time === undefined ? '' : query
    const calls = [
      ...(products !== '' && mayUse('search_products')
        ? [{ name: 'search_products', arguments: { query: products } }]
        : []),
      ...(services !== '' && mayUse('search_services')
        ? [{ name: 'search_services', arguments: { query: services } }]
        : []),
    ]
    return calls.length > 0 ? { calls } : { text: `You said: ${said.slice(0, 500)}` }
  }
  const service = recordsIn(found('search_services'))[0]
  if (service?.id && mayUse('availability')) return call('availability', { service_id: service.id })
  const variant = recordsIn(found('search_products'))[0]?.variants?.[0]
  const slot = slotsIn(found('availability'))[0]
  if (/\bcart\b/i.test(said) && mayUse('cart_link') && (variant || slot))
    return call('cart_link', {
      ...(variant ? { products: [{ variant_id: variant.variant_id, quantity: 1 }] } : {}),
      ...(slot
        ? { bookings: [{ service_id: service?.id, provider_id: slot.provider_id, from: slot.from, to: slot.to }] }
        : {}),
    })
  return { text: results.map(worded).join(' ').slice(0, 500) }
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
    ...{
      id: `msg_${randomUUID()}`,
      type: 'message',
      role: 'assistant',
      stop_reason: uses.length > 0 ? 'tool_use' : 'end_turn',
    },
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
  if (status !== 200 || answer.body !== undefined)
    return { ...free, status, body: answer.body ?? { error: { message: 'refused' } }, effect: status === 200 }
  const input = Math.ceil(body.length / 4)
  return { ...free, body: isCompletion ? completion(answer, input) : message(answer, input), effect: true }
}

serveSimulator(
  {
    act,
    controls: {
      'GET /_sim/requests': () => requests,
      'POST /_sim/script'(body) {
        scripts.push(body as Script)
      },
    },
  },
  { port: Number(MODELS_PORT), dir: MODELS_DIR },
)
