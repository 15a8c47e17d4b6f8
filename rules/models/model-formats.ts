// The two formats of model providers: chat completions (`llm_a`) and messages (`llm_b`). Requests are built, and
// answers read, without trusting what a model wrote.
import { z } from 'zod'
import { cut } from '../excerpts.ts'
import { apiProof, type Proof } from '../http-verdicts.ts'
import { jsonOf } from '../input/json-of.ts'
import { losslessJson } from '../input/numbers.ts'
import { storable } from '../input/storable.ts'

export const ModelProvider = z.enum(['llm_a', 'llm_b'])
export type ModelProvider = z.infer<typeof ModelProvider>

/** The API of a provider without a `base_url`. */
export const MODEL_BASE_URLS: Readonly<Record<ModelProvider, string>> = {
  llm_a: 'https://api.openai.com/v1',
  llm_b: 'https://api.anthropic.com/v1',
}

export type ToolSpec = { name: string; description: string; parameters: object }
export type ToolCall = { id: string; name: string; arguments: string }
export type ToolResult = { id: string; name: string; content: string }
export type Turn =
  | { role: 'user'; content: string }
  | { role: 'assistant'; content: string; calls: readonly ToolCall[] }
  | { role: 'tool'; results: readonly ToolResult[] }

export type ModelRequest = {
  provider: ModelProvider
  base_url: string
  model: string
  system: string
  turns: readonly Turn[]
  tools: readonly ToolSpec[]
  output_tokens_max: number
}

/** `cut`: the answer reached the output limit. */
export type ModelAnswer = {
  text: string
  calls: ToolCall[]
  input_tokens: number | null
  output_tokens: number | null
  request_id: string | null
  cut: boolean
}

/** Neighbouring turns of a role as one: providers refuse two user messages in a row. */
function merged(turns: readonly Turn[]): Turn[] {
  const all: Turn[] = []
  for (const turn of turns) {
    const last = all.at(-1)
    if (last?.role === 'user' && turn.role === 'user')
      all[all.length - 1] = { role: 'user', content: `${last.content}\n\n${turn.content}` }
    else if (last?.role === 'assistant' && turn.role === 'assistant' && last.calls.length === 0)
      all[all.length - 1] = { ...turn, content: `${last.content}\n\n${turn.content}` }
    else all.push(turn)
  }
  // The first one is the user's.
  while (all[0] && all[0].role !== 'user') all.shift()
  return all
}

/**
 * Arguments that are no JSON object are sent back as none, as are those that are nested too deep to be written: both
 * formats want an object.
 */
const argumentsOf = (text: string): Record<string, unknown> => {
  try {
    const value: unknown = storable(losslessJson(text))
    return value !== null && typeof value === 'object' && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : {}
  } catch {
    return {}
  }
}

function completionsBody({ model, system, turns, tools, output_tokens_max }: ModelRequest): object {
  const messages = merged(turns).flatMap((turn): object[] => {
    if (turn.role === 'user') return [{ role: 'user', content: turn.content }]
    if (turn.role === 'tool')
      return turn.results.map(({ id, content }) => ({ role: 'tool', tool_call_id: id, content }))
    const tool_calls = turn.calls.map((one) => ({
      id: one.id,
      type: 'function',
      function: { name: one.name, arguments: JSON.stringify(argumentsOf(one.arguments)) },
    }))
    return [
      {
        role: 'assistant',
        content: turn.content === '' ? null : turn.content,
        ...(tool_calls.length > 0 ? { tool_calls } : {}),
      },
    ]
  })
  return {
    model,
    messages: [...(system === '' ? [] : [{ role: 'system', content: system }]), ...messages],
    // Newer models refuse `max_tokens`.
    max_completion_tokens: output_tokens_max,
    ...(tools.length > 0 ? { tools: tools.map((tool) => ({ type: 'function', function: tool })) } : {}),
  }
}

function messagesBody({ model, system, turns, tools, output_tokens_max }: ModelRequest): object {
  const messages = merged(turns).map((turn) => {
    if (turn.role === 'user') return { role: 'user', content: turn.content }
    // All results of a step come together.
    if (turn.role === 'tool')
      return {
        role: 'user',
        content: turn.results.map(({ id, content }) => ({ type: 'tool_result', tool_use_id: id, content })),
      }
    const text = turn.content === '' ? [] : [{ type: 'text', text: turn.content }]
    return {
      role: 'assistant',
      content: [
        ...text,
        ...turn.calls.map(({ id, name, arguments: given }) => ({
          type: 'tool_use',
          id,
          name,
          input: argumentsOf(given),
        })),
      ],
    }
  })
  return {
    model,
    ...(system === '' ? {} : { system }),
    messages,
    max_tokens: output_tokens_max,
    ...(tools.length > 0
      ? { tools: tools.map(({ name, description, parameters }) => ({ name, description, input_schema: parameters })) }
      : {}),
  }
}

/** Providers refuse lone surrogates, which a text that was cut may end with. */
const wellFormed = (_name: string, value: unknown): unknown =>
  typeof value === 'string' ? value.toWellFormed() : value

/** The request but for its key. */
export const modelPost = (request: ModelRequest): { url: string; body: string } => {
  const base = request.base_url.replace(/\/+$/, '')
  return request.provider === 'llm_a'
    ? { url: `${base}/chat/completions`, body: JSON.stringify(completionsBody(request), wellFormed) }
    : { url: `${base}/messages`, body: JSON.stringify(messagesBody(request), wellFormed) }
}

export const modelHeaders = (provider: ModelProvider, key: string): Record<string, string> =>
  provider === 'llm_a' ? { authorization: `Bearer ${key}` } : { 'x-api-key': key, 'anthropic-version': '2023-06-01' }

const count = z.int().min(0).max(1_000_000_000).nullish().catch(null)
const callMax = 64

const Text = z.object({ type: z.literal('text'), text: z.string() })
const joined = (parts: readonly unknown[]): string =>
  parts.flatMap((part) => Text.safeParse(part).data?.text ?? []).join('\n')

const Completion = z.object({
  id: z.string().max(255).nullish().catch(null),
  choices: z.tuple(
    [
      z.object({
        finish_reason: z.string().nullish().catch(null),
        message: z.object({
          // Some gateways divide it into parts.
          content: z.union([z.string(), z.array(z.object({ type: z.string() }).loose()).transform(joined)]).nullish(),
          tool_calls: z
            .array(
              z
                .object({
                  id: z.string().max(255),
                  function: z.object({ name: z.string(), arguments: z.string().catch('') }),
                })
                .nullable()
                .catch(null),
            )
            .nullish()
            .catch(null),
        }),
      }),
    ],
    z.unknown(),
  ),
  usage: z.object({ prompt_tokens: count, completion_tokens: count }).nullish().catch(null),
})

const Message = z.object({
  id: z.string().max(255).nullish().catch(null),
  stop_reason: z.string().nullish().catch(null),
  content: z.array(z.unknown()),
  usage: z.object({ input_tokens: count, output_tokens: count }).nullish().catch(null),
})

const ToolUse = z.object({ type: z.literal('tool_use'), id: z.string().max(255), name: z.string(), input: z.unknown() })

/** Reads the answer of a model. Null for an answer that is none of the format. */
export function modelAnswer(provider: ModelProvider, sent: unknown): ModelAnswer | null {
  // NUL and lone surrogates cannot be stored.
  const body = storable(jsonOf(sent))
  if (provider === 'llm_a') {
    const read = Completion.safeParse(body).data
    const choice = read?.choices[0]
    if (!read || !choice) return null
    const calls = (choice.message.tool_calls ?? []).flatMap((one) =>
      one ? [{ id: one.id, name: one.function.name, arguments: one.function.arguments }] : [],
    )
    return {
      text: choice.message.content ?? '',
      calls: calls.slice(0, callMax),
      input_tokens: read.usage?.prompt_tokens ?? null,
      output_tokens: read.usage?.completion_tokens ?? null,
      request_id: read.id ?? null,
      cut: choice.finish_reason === 'length',
    }
  }
  const read = Message.safeParse(body).data
  if (!read) return null
  const calls = read.content.flatMap((part) => {
    const use = ToolUse.safeParse(part).data
    return use ? [{ id: use.id, name: use.name, arguments: JSON.stringify(use.input ?? {}) }] : []
  })
  return {
    text: joined(read.content),
    calls: calls.slice(0, callMax),
    input_tokens: read.usage?.input_tokens ?? null,
    output_tokens: read.usage?.output_tokens ?? null,
    request_id: read.id ?? null,
    cut: read.stop_reason === 'max_tokens',
  }
}

const wordsMax = 500
/**
 * What a provider says about a refusal, for operators; null for nothing. `key` is removed: some providers repeat it.
 */
export function refusalWords(body: unknown, key: string): string | null {
  const { error } = (typeof body === 'object' && body !== null ? body : {}) as { error?: unknown }
  const message = typeof error === 'object' && error !== null ? (error as { message?: unknown }).message : error
  const words = typeof message === 'string' ? message : typeof body === 'string' ? body : JSON.stringify(body ?? null)
  const text = cut((key === '' ? words : words.replaceAll(key, '…')).trim(), wordsMax)
  return text === '' || text === 'null' ? null : text
}

/** Tokens that a call may use at most: what is sent, by its bytes, and its output limit. */
export const tokensOf = (request: ModelRequest): number =>
  Math.ceil(new TextEncoder().encode(modelPost(request).body).length / 3) + request.output_tokens_max

/**
 * What an answer of a model's API proves. An error in its own format is a refusal, also with 5xx, except for one of a
 * timeout: the model may have answered, and it is billed.
 * Other answers are a gateway's, and prove what a status proves of any API.
 */
export function modelProof(status: number, body: unknown): Proof {
  const { error } = (typeof body === 'object' && body !== null ? body : {}) as { error?: unknown }
  const isOwn =
    typeof error === 'object' && error !== null && typeof (error as { message?: unknown }).message === 'string'
  return isOwn && status >= 400 && status !== 408 && status !== 504 ? 'refused' : apiProof(status)
}

const retried: ReadonlySet<number> = new Set([408, 409, 429])
/** Whether an error status says that another call may have another result. */
export const isRetried = (status: number): boolean => retried.has(status) || status >= 500

/** A refusal because the request is too long for the model. */
export const isTooLong = (status: number, body: unknown): boolean =>
  status === 413 ||
  (status === 400 &&
    /context.{0,20}length|too long|maximum.{0,20}tokens/i.test(
      typeof body === 'string' ? body : JSON.stringify(body ?? ''),
    ))
