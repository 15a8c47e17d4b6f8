// A model provider in a process of its own, and a business with an agent that asks it.
//   const models = await startModels(dir)
//   const { ask, agent } = await newAgent(models)
//   await models.script({ match: 'tea', answers: [{ text: 'We have tea.' }] })
import path from 'node:path'
import { script } from '../../../dev/parts.ts'
import { freePort } from '../../../dev/ports.ts'
import { type Business, newBusiness } from '../business.ts'
import { type Answer, eitherApi, http, type Method, unique } from '../shop.ts'

type Call = { name: string; arguments: unknown; id?: string }
type Scripted = {
  text?: string
  calls?: Call[]
  status?: number
  headers?: Record<string, string>
  body?: unknown
  delay_ms?: number
  uncounted?: true
}
type Entry = {
  key: string
  path: string
  digest: string
  times: number
  effect: boolean
  status: number | null
  fault: string | null
}

/** The key that the simulator takes and every integration has. */
export const modelKey = 'our-key-4f9b1c72e6d0'

export type Models = Awaited<ReturnType<typeof startModels>>

export async function startModels(dir: string) {
  const port = await freePort()
  const env = { ...process.env, MODELS_PORT: String(port), MODELS_DIR: path.join(dir, 'models'), MODELS_KEY: modelKey }
  const begin = async () => {
    const child = script('dev/models.ts', [], { name: 'models', env, log: path.join(dir, 'models.log') })
    await child.said(/listening/)
    return child
  }
  let child = await begin()
  const url = `http://127.0.0.1:${port}`
  const control = async (at: string, body?: unknown) =>
    (await fetch(`${url}/_sim/${at}`, body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) })).json()
  return {
    url,
    /** The provider of an integration. */
    provider: (type: 'llm_a' | 'llm_b' = 'llm_a') => ({
      type,
      api_key: modelKey,
      model: `model-${unique()}`,
      base_url: `${url}/v1`,
    }),
    script: (given: { match?: string; answers: Scripted[] }) => control('script', given),
    fault: (fault: object) => control('faults', fault),
    release: () => fetch(`${url}/_sim/faults`, { method: 'DELETE' }),
    ledger: (): Promise<Entry[]> => control('ledger') as never,
    /** The bodies that contain a text, in the order of their arrival. */
    async requests(text: string): Promise<{ key: string; body: Record<string, unknown> }[]> {
      const all = (await control('requests')) as { key: string; body: Record<string, unknown> }[]
      return all.filter(({ body }) => JSON.stringify(body).includes(text))
    },
    stop: () => child.stop(),
    /** On the same port, with the same ledger. */
    async start() {
      child = await begin()
    },
  }
}

export type Visiting = { headers: Record<string, string> }

/** A business with an integration and an agent. */
export async function newAgent(models: Models, fields: object = {}, type: 'llm_a' | 'llm_b' = 'llm_a') {
  const business = await newBusiness()
  const { type: kind, api_key: apiKey, model, base_url: baseUrl } = models.provider(type)
  const made = await business.ask('POST', '/integrations', {
    key: 'model',
    provider: { type: kind, apiKey, model, baseUrl },
  })
  if (made.status !== 201) throw new Error(`no integration: ${JSON.stringify(made.body)}`)
  const { id } = await business.make('/agents', { prompt: 'You sell tea.', modelId: 'model', ...fields })
  return { business, agent: id as string, integration: made.body.id as string, ...callsOf(business, id) }
}

export function callsOf(business: Business, agent: string) {
  const at = `/v1/businesses/${business.id}/agents/${agent}/chats`
  const anyone = { 'x-service-publishable-key': business.publishableKey }
  const call = (method: Method, path: string, headers: Record<string, string>, body?: unknown): Promise<Answer> =>
    http(method, `${at}${path}`, { headers, body, base: eitherApi() })
  /** As a visitor; without `headers` as a new one. */
  const say = (message: string, more: object = {}, headers: Record<string, string> = anyone) =>
    call('POST', '/messages', headers, { message, ...more })
  /** The headers of the visitor that an answer created. */
  const visitorOf = (answer: Answer) => ({
    ...anyone,
    'x-service-visitor-token': answer.headers.get('x-service-visitor-token') as string,
  })
  return {
    say,
    visitorOf,
    /** As a new visitor, with as much patience as it needs: a message that is answered with 202 is sent again. */
    async sayPatiently(message: string): Promise<Answer> {
      const messageId = crypto.randomUUID()
      const first = await say(message, { messageId })
      let answer = first
      while (answer.status === 202) answer = await say(message, { messageId }, visitorOf(first))
      return answer
    },
    see: (path: string, headers: Record<string, string>) => call('GET', path, headers),
    post: (path: string, headers: Record<string, string>, body: unknown = {}) => call('POST', path, headers, body),
    asOperator: (method: Method, path: string, body?: unknown) => call(method, path, business.op.headers, body),
  }
}
