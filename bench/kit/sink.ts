// A mail server that takes every message, and notes which ones were given to it: a process of its own, which parses
// nothing but commands.
//   SINK_PORT=2525 SINK_CONTROL_PORT=0 node bench/kit/sink.ts
// Replies leave SINK_DELAY_MS after the commands that came together, as those of a server so far away would.
import { createServer } from 'node:http'
import net from 'node:net'
import { crc32 } from 'node:zlib'

const { SINK_PORT = '0', SINK_CONTROL_PORT = '0', SINK_DELAY_MS = '0' } = process.env
const sizeMax = 50 * 1024 * 1024

/**
 * A message of which an octet arrived. `row`: the local part of its Message-ID. `code`: of the reply to its final dot;
 * null without one, also where the reply was cut off by a fault. `whole`: it came with its final dot. `crc`: of all
 * octets, the final dot included. `fault`: what struck it.
 */
export type Arrival = {
  row: string
  to: string
  at: number
  bytes: number
  crc: number
  whole: boolean
  code: number | null
  fault: SinkFault['action'] | null
}

/**
 * Where a fault strikes: at the command, within the message, or after its final dot. `hang`: no reply any more.
 * `reset`, `close`: the connection ends. `reply`: with `code` instead of the one that is due. `twice`: the reply is
 * sent two times. `cut`: half of the reply, then the connection ends.
 */
export type SinkFault = {
  at: 'connect' | 'mail' | 'rcpt' | 'data' | 'body' | 'dot'
  action: 'hang' | 'reset' | 'close' | 'reply' | 'twice' | 'cut'
  code?: number
  /** Messages that it strikes; 1 if it is left out. */
  times?: number
  /** Only every so many messages. */
  each?: number
}

let delayMs = Number(SINK_DELAY_MS)
let arrivals: Arrival[] = []
let faults: (SinkFault & { left: number; seen: number })[] = []
let open = 0

function strike(at: SinkFault['at']): SinkFault | undefined {
  for (const fault of faults) {
    if (fault.at !== at || fault.left <= 0 || ++fault.seen % (fault.each ?? 1) !== 0) continue
    fault.left--
    if (fault.left <= 0) faults = faults.filter((one) => one !== fault)
    return fault
  }
  return undefined
}

const texts: Record<number, string> = {
  220: 'sink',
  221: 'bye',
  235: 'signed in',
  250: 'ok',
  354: 'go on',
  451: 'try again later',
  421: 'closing',
  550: 'no such recipient',
}
const replyOf = (code: number) => `${code} ${texts[code] ?? 'as asked'}\r\n`
const greeting = `250-sink\r\n250-PIPELINING\r\n250-SIZE ${sizeMax}\r\n250-8BITMIME\r\n250-AUTH PLAIN LOGIN\r\n250 DSN\r\n`
const endOfBody = Buffer.from('\r\n.\r\n')
const idMark = Buffer.from('Message-ID: <', 'latin1')
/** So many octets of a message are searched for its Message-ID. */
const headMax = 8_192

function serve(socket: net.Socket): void {
  open++
  socket.setNoDelay(true)
  socket.on('error', () => {})
  socket.on('close', () => open--)
  let text = ''
  let out = ''
  let body: Arrival | undefined
  /** The first octets of the message, until its Message-ID was read. */
  let head: Buffer = Buffer.alloc(0)
  /** The last octets of the piece before, in which the final dot may have begun. */
  let tail: Buffer = Buffer.alloc(0)
  let to = ''
  let silent = false

  const end = (how: 'reset' | 'close') => {
    silent = true
    if (how === 'reset') socket.resetAndDestroy()
    else socket.end()
  }
  /** Queues the reply, unless a fault of this place strikes. Returns the code that was sent. */
  const say = (at: SinkFault['at'] | null, code: number, line = replyOf(code)): number | null => {
    if (silent) return null
    const fault = at && strike(at)
    if (fault && at === 'dot' && body) body.fault = fault.action
    if (!fault) out += line
    else if (fault.action === 'twice') out += line + line
    else if (fault.action === 'reply') {
      out += replyOf(fault.code ?? 451)
      return fault.code ?? 451
    } else {
      if (fault.action === 'hang') silent = true
      else if (fault.action === 'cut') socket.end(line.slice(0, 2))
      else end(fault.action)
      silent = true
      return null
    }
    return code
  }
  const flush = () => {
    if (out === '') return
    const replies = out
    out = ''
    if (delayMs === 0) socket.write(replies)
    else setTimeout(() => socket.destroyed || socket.write(replies), delayMs)
  }

  function command(line: string): void {
    const verb = line.slice(0, 4).toUpperCase()
    if (verb === 'EHLO') say(null, 250, greeting)
    else if (verb === 'MAIL') say('mail', 250)
    else if (verb === 'RCPT') {
      to = line.slice(line.indexOf('<') + 1, line.indexOf('>'))
      if (say('rcpt', 250) !== 250) to = ''
    } else if (verb === 'DATA') {
      if (to === '') say(null, 503)
      else if (say('data', 354) === 354) {
        body = { row: '', to, at: 0, bytes: 0, crc: 0, whole: false, code: null, fault: null }
        head = tail = Buffer.alloc(0)
      }
    } else if (verb === 'AUTH') say(null, /LOGIN/i.test(line) ? 334 : 235)
    else if (verb === 'QUIT') {
      say(null, 221)
      flush()
      socket.end()
    } else say(null, verb === 'RSET' || verb === 'HELO' || verb === 'NOOP' ? 250 : 235)
  }

  /** The row of the message, as soon as it was read: a body that began counts as given. */
  function note(message: Arrival, piece: Buffer, isLast: boolean): void {
    if (message.at === 0) {
      message.at = Date.now()
      arrivals.push(message)
    }
    message.bytes += piece.length
    message.crc = crc32(piece, message.crc)
    if (message.row !== '' || head.length > headMax) return
    head = head.length === 0 ? piece : Buffer.concat([head, piece])
    const mark = head.indexOf(idMark)
    const stop = mark < 0 ? -1 : head.indexOf('@', mark)
    if (stop > 0) message.row = head.toString('latin1', mark + idMark.length, stop)
    if (isLast || message.row !== '') head = Buffer.alloc(0)
  }

  /** Takes what belongs to the message, and returns the rest. */
  function take(message: Arrival, chunk: Buffer): Buffer {
    const joined = tail.length === 0 ? chunk : Buffer.concat([tail, chunk])
    const dot = joined.indexOf(endOfBody)
    const until = dot < 0 ? joined.length : dot + endOfBody.length
    const piece = joined.subarray(tail.length, until)
    note(message, piece, dot >= 0)
    // What was given is known then.
    const within = message.row === '' ? undefined : strike('body')
    if (within) {
      message.fault = within.action
      if (within.action === 'hang') silent = true
      else end(within.action === 'reset' ? 'reset' : 'close')
    }
    if (dot < 0) {
      tail = Buffer.from(joined.subarray(Math.max(0, joined.length - endOfBody.length + 1)))
      return Buffer.alloc(0)
    }
    message.whole = true
    to = ''
    message.code = within ? null : say('dot', 250)
    body = undefined
    return joined.subarray(until)
  }

  socket.on('data', (chunk: Buffer) => {
    let rest = chunk
    while (rest.length > 0 && !silent) {
      if (body) {
        rest = take(body, rest)
        continue
      }
      const line = rest.indexOf('\n')
      if (line < 0) {
        text += rest.toString('latin1')
        break
      }
      command(text + rest.toString('latin1', 0, line))
      text = ''
      rest = rest.subarray(line + 1)
    }
    flush()
  })
  say('connect', 220)
  flush()
}

/** `POST /faults` a SinkFault, `POST /delay` {ms}, `GET /ledger`, `GET /count`, `DELETE /ledger`, `DELETE /faults`. */
const control = createServer(async (request, response) => {
  let given = ''
  for await (const chunk of request) given += chunk
  const answers: Record<string, () => unknown> = {
    'GET /ledger': () => arrivals,
    'GET /count': () => ({ count: arrivals.length, open, last: arrivals.at(-1)?.at ?? null }),
    'DELETE /ledger': () => {
      arrivals = []
    },
    'DELETE /faults': () => {
      faults = []
    },
    'POST /delay': () => {
      delayMs = (JSON.parse(given) as { ms: number }).ms
    },
    'POST /faults': () => {
      const fault = JSON.parse(given) as SinkFault
      faults.push({ ...fault, left: fault.times ?? 1, seen: 0 })
    },
  }
  const answer = answers[`${request.method} ${request.url}`]
  if (!answer) return void response.writeHead(404).end()
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify(answer() ?? {}))
})

const listening = (server: net.Server, port: string) =>
  new Promise<number>((done) =>
    server.listen(Number(port), '127.0.0.1', () => done((server.address() as net.AddressInfo).port)),
  )

const smtp = await listening(net.createServer(serve), SINK_PORT)
console.log(JSON.stringify({ msg: 'listening', smtp, http: await listening(control, SINK_CONTROL_PORT) }))
process.on('disconnect', () => process.exit())
process.on('SIGTERM', () => process.exit())
