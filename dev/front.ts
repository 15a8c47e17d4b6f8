// A TLS front like a provider's: it offers HTTP/2 and HTTP/1.1, forwards requests to a plain HTTP server, and can be
// slow, silent or send GOAWAY.
//   FRONT_TO (the port behind it), FRONT_PORT, FRONT_CONTROL_PORT (0: any free port), FRONT_CERTIFICATE (a file that it
//     writes, for NODE_EXTRA_CA_CERTS).
// Its control: GET /log, DELETE /log, POST /faults {do, times, after, ms, method}, DELETE /faults. Prints a line when a
// slow handshake begins.
import fs from 'node:fs'
import http from 'node:http'
import http2, { type Http2ServerRequest, type Http2ServerResponse } from 'node:http2'
import net, { type AddressInfo, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { cert, key } from './certificate.ts'
import { keptServer } from './sim/kept-server.ts'

/**
 * `slow_handshake`: the next connections wait `ms` for TLS. `silent`: the connection of the next request (of this
 * `method`) answers neither it nor a later one, while other connections do. `goaway` and `refuse_stream`: the next
 * requests over HTTP/2 get these frames and are not read; HTTP/1.1 is not affected.
 * `after`: the number of requests that pass first.
 */
export type FrontFault = {
  do: 'slow_handshake' | 'silent' | 'goaway' | 'refuse_stream'
  times?: number
  after?: number
  ms?: number
  method?: string
}
/**
 * A request whose headers arrived: time in milliseconds since 1970, number of its connection. A request that `met` a
 * fault was not forwarded.
 */
export type FrontEntry = {
  connection: number
  at: number
  version: string
  method: string
  path: string
  idempotency_key: string | null
  met: FrontFault['do'] | null
}

const { FRONT_TO = '80', FRONT_PORT = '0', FRONT_CONTROL_PORT = '0', FRONT_CERTIFICATE } = process.env
let faults: FrontFault[] = []
let entries: FrontEntry[] = []
let connections = 0
const numbers = new WeakMap<object, number>()
const silent = new Set<number>()

function take(kinds: FrontFault['do'][], method?: string): FrontFault | undefined {
  const found = faults.find(
    (fault) => kinds.includes(fault.do) && (fault.method === undefined || fault.method === method),
  )
  if (found?.after) {
    found.after--
    return undefined
  }
  if (found) found.times = (found.times ?? 1) - 1
  faults = faults.filter(({ times = 1 }) => times > 0)
  return found
}

type Incoming = http.IncomingMessage | Http2ServerRequest
type Outgoing = http.ServerResponse | Http2ServerResponse
const connectionOf = (request: Incoming): number =>
  numbers.get('stream' in request ? (request.stream.session ?? {}) : request.socket) ?? 0
/** Headers of one connection are not forwarded. */
const ofConnection = /^(:.*|connection|keep-alive|transfer-encoding|upgrade|http2-settings)$/
const passed = (headers: http.IncomingHttpHeaders) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !ofConnection.test(name)))

function handle(request: Incoming, answering: Outgoing): void {
  // Both types have the members used here, but TypeScript cannot call their different overloads.
  const response = answering as http.ServerResponse
  const fault = 'stream' in request ? take(['goaway', 'refuse_stream'], request.method) : undefined
  const connection = connectionOf(request)
  if (take(['silent'], request.method)) silent.add(connection)
  const met = fault?.do ?? (silent.has(connection) ? 'silent' : null)
  const [idempotency_key = null] = [request.headers['idempotency-key'] ?? []].flat()
  const { httpVersion: version, method = '', url: path = '' } = request
  entries.push({
    connection,
    at: performance.timeOrigin + performance.now(),
    version,
    method,
    path,
    idempotency_key,
    met,
  })
  request.on('error', () => {})
  response.on('error', () => {})
  if (met === 'silent') return
  if ('stream' in request && met !== null) {
    if (met === 'goaway') request.stream.session?.goaway(http2.constants.NGHTTP2_NO_ERROR, 0)
    request.stream.close(http2.constants.NGHTTP2_REFUSED_STREAM)
    return
  }
  const broken = () => ('stream' in request ? request.stream.destroy() : request.socket.destroy())
  const headers = {
    ...passed(request.headers),
    host: request.headers.host ?? String(request.headers[':authority'] ?? ''),
  }
  const up = http.request(
    { host: '127.0.0.1', port: Number(FRONT_TO), method: request.method, path: request.url, headers, agent: false },
    (answer) => {
      response.writeHead(answer.statusCode ?? 502, passed(answer.headers))
      answer.on('error', broken)
      answer.pipe(response)
    },
  )
  up.on('error', broken)
  response.on('close', () => response.writableFinished || up.destroy())
  request.pipe(up)
}

const secure = http2.createSecureServer({ key, cert, allowHTTP1: true })
// As long as the simulators': a client that reuses an idle connection must not meet its end.
Object.assign(secure, { keepAliveTimeout: 65_000 })
secure.on('request', handle)
secure.on('secureConnection', (socket) => numbers.set(socket, ++connections))
secure.on('session', (session) => {
  session.on('error', () => {})
  numbers.set(session, connections)
})
secure.on('tlsClientError', () => {})
const door = net.createServer(async (socket: Socket) => {
  socket.on('error', () => {})
  const slow = take(['slow_handshake'])
  if (slow) {
    const { ms = 1_000 } = slow
    console.log(`slow handshake ${ms}`)
    await pause(ms)
  }
  secure.emit('connection', socket)
})

const control = keptServer(async (request, response) => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  switch (`${request.method} ${request.url}`) {
    case 'GET /log':
      break
    case 'POST /faults':
      faults.push(JSON.parse(Buffer.concat(chunks).toString()) as FrontFault)
      break
    case 'DELETE /faults':
      faults = []
      silent.clear()
      break
    case 'DELETE /log':
      entries = []
      break
    default:
      return void response.writeHead(404).end()
  }
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(entries))
})

const listen = (server: net.Server, port: string) =>
  new Promise<number>((done) =>
    server.listen(Number(port), '127.0.0.1', () => done((server.address() as AddressInfo).port)),
  )

if (FRONT_CERTIFICATE) fs.writeFileSync(FRONT_CERTIFICATE, cert)
const port = await listen(door, FRONT_PORT)
console.log(`listening ${port} ${await listen(control, FRONT_CONTROL_PORT)}`)
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => process.exit())
