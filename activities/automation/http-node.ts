// The request of an http node: rendered when its run begins, sent once if it changes something, repeated if it only
// reads.
import type { endRead } from '../../entities/automation/executions.ts'
import type { NodeOf } from '../../rules/automation/graph-shapes.ts'
import { resolve, resolveUrl, type Scope } from '../../rules/automation/templates.ts'
import { isSuccess } from '../../rules/http-verdicts.ts'
import type { Sending } from '../kit/once.ts'
import { EgressError } from '../providers/egress-guard.ts'
import { egress, type HttpAnswer, type HttpRequest } from '../providers/http.ts'
import { NodeError, type Sent, storedOutput } from './node-outputs.ts'

/** Throws NodeError url_invalid, and TemplateError. */
export function renderHttp(node: NodeOf<'http'>, scope: Scope): HttpRequest {
  const url = resolveUrl(node.url, scope)
  const { headers, body } = resolve({ headers: node.headers, body: node.body ?? null }, scope) as Record<
    string,
    unknown
  >
  if (typeof url !== 'string') throw new NodeError('url_invalid', 'the url is not a text')
  const entries = Object.entries(headers as Record<string, unknown>).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ])
  const sent = Object.fromEntries(entries) as Record<string, string>
  const method = node.method.toUpperCase()
  if (method === 'GET' || body === null) return { url, method, headers: sent, timeout_ms: node.timeout_ms }
  const typed = Object.keys(sent).some((name) => name.toLowerCase() === 'content-type')
  const type = typeof body === 'string' ? 'text/plain; charset=utf-8' : 'application/json'
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return {
    url,
    method,
    headers: typed ? sent : { 'content-type': type, ...sent },
    body: text,
    timeout_ms: node.timeout_ms,
  }
}

/** What later nodes read of an answer. */
const outputOf = ({ status, headers, body }: HttpAnswer) => ({ status, headers, body })

export async function sendHttp(request: HttpRequest, sending: Sending): Promise<Sent> {
  const { verdict, answer } = await egress().send(request, sending)
  return { verdict, output: answer && outputOf(answer) }
}

const mayPass = (status: number | undefined) =>
  status === undefined || status === 408 || status === 429 || status >= 500

type ReadEnd = Parameters<typeof endRead>[3]

const endOf = (answer: HttpAnswer): ReadEnd => {
  const { status } = answer
  const ok = isSuccess(status)
  const error = ok
    ? null
    : { code: 'http_status', message: `the address answered with status ${status}`, provider_status: status }
  try {
    return { status: ok ? 'succeeded' : 'rejected', error, ...storedOutput(outputOf(answer)) }
  } catch (thrown) {
    if (!(thrown instanceof NodeError)) throw thrown
    return { status: 'rejected', error: { code: thrown.code, message: thrown.message } }
  }
}

/** One attempt of a GET. `mayPass`: another attempt may have another result. */
export async function readHttp(request: HttpRequest): Promise<{ end: ReadEnd; mayPass: boolean }> {
  try {
    const answer = await egress().request(request, { redirects: 3 })
    return { end: endOf(answer), mayPass: mayPass(answer.status) && answer.status >= 300 }
  } catch (error) {
    if (!(error instanceof EgressError)) throw error
    const { code, message, status } = error
    return {
      end: { status: 'failed', error: { code, message, ...(status === undefined ? {} : { provider_status: status }) } },
      mayPass: code !== 'egress_refused' && mayPass(status),
    }
  }
}
