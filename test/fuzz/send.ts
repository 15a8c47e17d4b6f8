// Sends a request byte by byte as it was drawn: no library normalises it.
import { Agent } from 'undici'
import type { Answer } from './judge.ts'
import type { Request } from './requests.ts'

/** Longer than any answer may take. */
const patienceMs = 40_000

export type Sender = {
  send(request: Pick<Request, 'method' | 'path' | 'query' | 'headers' | 'sent'>): Promise<Answer>
  close(): Promise<void>
}

export function senderTo(api: string): Sender {
  const agent = new Agent({ connections: 32, headersTimeout: patienceMs, bodyTimeout: patienceMs })
  return {
    async send({ method, path, query, headers, sent }) {
      const since = performance.now()
      const target = query === '' ? path : `${path}?${query}`
      const answer = await agent.request({
        origin: api,
        path: target,
        method: method as 'GET',
        headers,
        ...(sent ? { body: sent } : {}),
      })
      const text = await answer.body.text()
      const given = Object.entries(answer.headers).map(([name, value]): [string, string] => [
        name,
        [value].flat().join(', '),
      ])
      return { status: answer.statusCode, headers: Object.fromEntries(given), text, ms: performance.now() - since }
    },
    close: () => agent.destroy(),
  }
}

const secret = /^(authorization|x-service-visitor-token|stripe-signature)$/

/** The same request for a shell; the caller's name stands in place of secrets. */
export function curlOf({ method, path, query, headers, sent, caller }: Request, api: string): string {
  const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`
  const given = Object.entries(headers).map(
    ([name, value]) => `-H ${quoted(`${name}: ${secret.test(name) ? `<${caller}>` : value}`)}`,
  )
  const text = sent?.toString() ?? ''
  const body = sent ? [`--data-binary ${quoted(text.length > 3000 ? `${text.slice(0, 3000)}…` : text)}`] : []
  return ['curl -g', `-X ${method}`, quoted(`${api}${path}${query === '' ? '' : `?${query}`}`), ...given, ...body].join(
    ' ',
  )
}
