// A server that records every request in an ordered ledger file, and answers, hangs or disconnects by rules.
//   RECEIVER_PORT, RECEIVER_CONTROL_PORT (0: any free port), RECEIVER_DIR (the ledger, receiver.jsonl).
// Its control: GET /ledger?path=…&header=name:value&from=n, GET /count?path=…, POST /rules, DELETE /rules, POST /listen
// {up}, POST /reused {closes}.
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { answerFreely, type FreeAnswer } from './sim/free-answer.ts'
import { keptServer } from './sim/kept-server.ts'
import { closeReused, meetsClosing } from './sim/reused.ts'

/** A request that arrived completely. `at` in milliseconds since 1970; `status` null: no response was sent. */
export type Received = {
  n: number
  at: number
  method: string
  path: string
  headers: Record<string, string>
  body: string
  digest: string
  status: number | null
}
/** `reset_before_read` leaves no entry: the request did not arrive. */
export type Way = FreeAnswer & {
  do?: 'answer' | 'hang' | 'reset_before_read' | 'reset_after_read'
  delay_ms?: number
  /** Weight of this way among the rule's ways; 1 by default. */
  share?: number
}
/** The newest rule for a path with uses left applies. `*` is every path. */
type Rule = { path: string; times?: number; ways: Way[] }

const { RECEIVER_PORT = '0', RECEIVER_CONTROL_PORT = '0', RECEIVER_DIR } = process.env
const file = RECEIVER_DIR ? fs.openSync(ensured(RECEIVER_DIR), 'a') : null
const ledger: Received[] = []
let rules: Rule[] = []
let unwritten: string[] = []

function ensured(dir: string): string {
  fs.mkdirSync(dir, { recursive: true })
  return path.join(dir, 'receiver.jsonl')
}

/** Written in order of arrival, one turn of the event loop later: a response does not wait for the disk. */
function record(arrival: Received): void {
  ledger.push(arrival)
  if (file === null) return
  if (unwritten.length === 0) setImmediate(flush)
  unwritten.push(`${JSON.stringify(arrival)}\n`)
}
function flush(): void {
  const text = unwritten.join('')
  unwritten = []
  if (file !== null && text !== '') fs.writeSync(file, text)
}

function wayOf(at: string): Way {
  const rule = rules.findLast((one) => one.path === at || one.path === '*')
  if (!rule) return {}
  if (rule.times !== undefined && --rule.times <= 0) rules = rules.filter((one) => one !== rule)
  const drawn = Math.random() * rule.ways.reduce((sum, { share = 1 }) => sum + share, 0)
  let sum = 0
  for (const way of rule.ways) {
    sum += way.share ?? 1
    if (drawn < sum) return way
  }
  return {}
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}

const headersOf = ({ headers }: IncomingMessage) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value].flat().join(', ')]))

async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (meetsClosing(request)) return
  const at = request.url ?? '/'
  const way = wayOf(at.split('?')[0] as string)
  if (way.do === 'reset_before_read') return void request.socket.resetAndDestroy()
  const body = await bodyOf(request)
  const status = way.do === 'hang' || way.do === 'reset_after_read' ? null : (way.status ?? 200)
  record({
    n: ledger.length,
    at: performance.timeOrigin + performance.now(),
    method: request.method ?? '',
    path: at,
    headers: headersOf(request),
    body,
    digest: createHash('sha256').update(body).digest('hex'),
    status,
  })
  if (way.delay_ms) await new Promise((done) => setTimeout(done, way.delay_ms))
  if (way.do === 'reset_after_read') return void request.socket.resetAndDestroy()
  if (status === null) return
  await answerFreely(response, way)
}

const server = keptServer((request, response) => void receive(request, response).catch(() => {}))

const listening = (on: typeof server, port: number) =>
  new Promise<number>((done, fail) => {
    on.once('error', fail)
    on.listen(port, '127.0.0.1', () => done((on.address() as AddressInfo).port))
  })

function chosen(query: URLSearchParams): Received[] {
  const [name, value] = (query.get('header') ?? '').split(/:(.*)/s)
  const wanted = query.get('path')
  return ledger
    .slice(Number(query.get('from') ?? 0))
    .filter((one) => (wanted === null || one.path.split('?')[0] === wanted) && (!name || one.headers[name] === value))
}

async function control(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://control')
  const text = await bodyOf(request)
  const given = text === '' ? {} : JSON.parse(text)
  const answer = (body: unknown, status = 200) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  switch (`${request.method} ${pathname}`) {
    case 'GET /ledger':
      return void answer(chosen(searchParams))
    case 'GET /count':
      return void answer({ count: chosen(searchParams).length })
    case 'POST /rules':
      rules.push({ ...given, ways: [given.ways ?? {}].flat() })
      return void answer({})
    case 'DELETE /rules':
      rules = rules.filter((one) => searchParams.has('path') && one.path !== searchParams.get('path'))
      return void answer({})
    case 'POST /reused':
      closeReused(given.closes)
      return void answer({})
    case 'POST /listen':
      if (given.up && !server.listening) await listening(server, port)
      if (!given.up && server.listening) {
        server.closeAllConnections()
        await new Promise((done) => server.close(done))
      }
      return void answer({})
    default:
      return void answer({ error: 'not known' }, 404)
  }
}

const port = await listening(server, Number(RECEIVER_PORT))
const controls = keptServer(
  (request, response) =>
    void control(request, response).catch((error: Error) => response.writeHead(500).end(error.stack)),
)
const controlPort = await listening(controls, Number(RECEIVER_CONTROL_PORT))
for (const signal of ['SIGTERM', 'SIGINT'] as const)
  process.on(signal, () => {
    flush()
    process.exit()
  })
console.log(`listening ${port} ${controlPort}`)
