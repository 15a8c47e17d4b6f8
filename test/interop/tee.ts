// Sends every request to the Stripe simulator to stripe-mock as well, which checks it against Stripe's published
// schema.
import http, { type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Judged = { what: string; status: number; said: string }

export type Tee = {
  port: number
  /** What stripe-mock answered to each request so far, in the order of the requests. */
  judged(): Promise<Judged[]>
  close(): void
}

/** Parameters that are newer than the schema of stripe-mock, with their earlier names. */
const newer = { allowed_payment_method_types: 'payment_method_types' } as const

const older = (form: string): string =>
  Object.entries(newer).reduce(
    (text, [name, before]) => text.replaceAll(new RegExp(`(^|&)${name}(?=[=%[])`, 'g'), `$1${before}`),
    form,
  )

type Message = { method: string; path: string; headers: IncomingHttpHeaders; body: Buffer }
type Answer = { status: number; headers: IncomingHttpHeaders; body: Buffer }

async function bytesOf(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of stream) parts.push(part)
  return Buffer.concat(parts)
}

const ask = (port: number, { method, path, headers, body }: Message): Promise<Answer> =>
  new Promise((yes, no) => {
    const given = { ...headers, host: `127.0.0.1:${port}`, 'content-length': String(body.length) }
    const request = http.request({ host: '127.0.0.1', port, method, path, headers: given, agent: false }, (answer) => {
      bytesOf(answer).then((bytes) => yes({ status: answer.statusCode ?? 0, headers: answer.headers, body: bytes }), no)
    })
    request.on('error', no)
    request.end(body)
  })

/** `mockPort`: null where there is no stripe-mock; requests then go to the simulator only. */
export async function openTee(simulatorPort: () => number, mockPort: number | null): Promise<Tee> {
  const asked: Promise<Judged>[] = []
  async function judge(port: number, message: Message): Promise<Judged> {
    const what = `${message.method} ${message.path.split('?')[0]?.replaceAll(/\/(acct|bpc|ch|cs|cus|in|pi|price|re|sub)_\w+/g, '/{$1}')}`
    const body = Buffer.from(older(message.body.toString('latin1')), 'latin1')
    const answer = await ask(port, { ...message, body })
    return { what, status: answer.status, said: answer.status < 300 ? '' : answer.body.toString().slice(0, 400) }
  }
  const server = http.createServer(async (request, response) => {
    try {
      const message = {
        method: request.method ?? 'GET',
        path: request.url ?? '/',
        headers: request.headers,
        body: await bytesOf(request),
      }
      if (mockPort !== null && message.path.startsWith('/v1/')) {
        const judgement = judge(mockPort, message)
        judgement.catch(() => {})
        asked.push(judgement)
      }
      const { status, headers, body } = await ask(simulatorPort(), message)
      const { 'transfer-encoding': _, connection: __, ...rest } = headers
      response.writeHead(status, { ...rest, 'content-length': String(body.length) }).end(body)
    } catch {
      response.destroy()
    }
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return {
    port: (server.address() as AddressInfo).port,
    judged: () => Promise.all(asked),
    close: () => void server.close(),
  }
}
