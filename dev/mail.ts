// A mail server that stores every message, delivers none, and can refuse, stall or disconnect at every step.
import { createHash } from 'node:crypto'
import { closeSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { join } from 'node:path'
import PostalMime from 'postal-mime'
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server'

type Message = {
  id: string
  time: number
  from: string
  to: string[]
  subject: string
  text: string
  html: string
  headers: Record<string, string>
}
/** Received completely, with the final dot. `accepted`: the server's decision. `answered`: whether the response was sent. */
type Entry = {
  id: string
  time: number
  message_id: string | null
  from: string
  to: string[]
  subject: string
  digest: string
  accepted: boolean
  answered: boolean
}
type Step = 'connect' | 'auth' | 'mail' | 'rcpt' | 'data' | 'after_data'
/**
 * `reject` sends `code` and `message`; `cut` sends the first half of that and closes the connection. `greylist`: at `rcpt`, each pair of sender and recipient
 * is refused until `delay_ms` after its first attempt; `times` is ignored.
 */
type Fault = { step: Step; action: (typeof actions)[number]; code: number; message: string; times: number; delay_ms: number; to?: string }
type Done = (error?: Error | null) => void

const { MAIL_SMTP_PORT = '0', MAIL_HTTP_PORT = '0', MAIL_DIR } = process.env
const keepMax = 1000
const actions = ['reject', 'hang', 'reset', 'cut', 'greylist'] as const
const steps: Step[] = ['connect', 'auth', 'mail', 'rcpt', 'data', 'after_data']

let messages: Message[] = []
let faults: Fault[] = []
let waiting: (() => void)[] = []
/** Time of the first attempt of each pair of sender and recipient. */
const seenAt = new Map<string, number>()
const sockets = new Map<number, Socket>()
const { ledger, record } = openLedger(MAIL_DIR)

function openLedger(dir: string | undefined): { ledger: Entry[]; record: (entry: Entry) => void } {
  if (!dir) {
    const ledger: Entry[] = []
    return { ledger, record: (entry) => ledger.push(entry) }
  }
  mkdirSync(dir, { recursive: true })
  const path = join(dir, 'mail.jsonl')
  closeSync(openSync(path, 'a'))
  const text = readFileSync(path, 'utf8')
  const lines = text.slice(0, text.lastIndexOf('\n') + 1).split('\n')
  const ledger = lines.filter(Boolean).map((line) => JSON.parse(line) as Entry)
  const file = openSync(path, 'a')
  const record = (entry: Entry) => {
    ledger.push(entry)
    writeSync(file, `${JSON.stringify(entry)}\n`)
  }
  return { ledger, record }
}

function takeFault(step: Step, to: string[]): Fault | undefined {
  const found = faults.find((fault) => fault.step === step && (!fault.to || to.includes(fault.to.toLowerCase())))
  if (found?.action !== 'greylist' && found && --found.times <= 0) faults = faults.filter((fault) => fault !== found)
  return found
}

/** Hang: the callback is never called, so the client gets no response. */
function strike(fault: Fault, session: SMTPServerSession, done: Done): void {
  if (fault.action === 'reset') sockets.get(session.remotePort)?.resetAndDestroy()
  if (fault.action === 'cut') sockets.get(session.remotePort)?.end(halfOf(fault))
  if (fault.action === 'reject') done(rejection(fault))
}

function greylist(fault: Fault, { envelope: { mailFrom } }: SMTPServerSession, to: string, done: Done): void {
  const pair = `${mailFrom ? mailFrom.address : ''} ${to}`
  const now = Date.now()
  if (!seenAt.has(pair)) seenAt.set(pair, now)
  done(now - (seenAt.get(pair) ?? now) < fault.delay_ms ? rejection(fault) : null)
}

const rejection = ({ code, message }: Fault) => Object.assign(new Error(message), { responseCode: code })
const halfOf = ({ code, message }: Fault) => `${code} ${message}`.slice(0, (4 + message.length) >> 1)

const recipients = (session: SMTPServerSession) => session.envelope.rcptTo.map(({ address }) => address.toLowerCase())

const smtp = new SMTPServer({
  authOptional: true,
  allowInsecureAuth: true,
  disabledCommands: ['STARTTLS'],
  disableReverseLookup: true,
  onAuth: (auth, session, done) => {
    const fault = takeFault('auth', [])
    if (fault) strike(fault, session, (error) => done(error))
    else done(null, { user: auth.username ?? 'anybody' })
  },
  onConnect: (session, done) => {
    const fault = takeFault('connect', [])
    if (fault) strike(fault, session, done)
    else done()
  },
  onMailFrom: (_address, session, done) => {
    const fault = takeFault('mail', [])
    if (fault) strike(fault, session, done)
    else done()
  },
  onRcptTo: ({ address }, session, done) => {
    const fault = takeFault('rcpt', [address.toLowerCase()])
    if (fault?.action === 'greylist') greylist(fault, session, address.toLowerCase(), done)
    else if (fault) strike(fault, session, done)
    else done()
  },
  onData: (stream, session, done) => {
    const fault = takeFault('data', recipients(session))
    if (fault) refuseData(fault, session)
    else receive(stream, session, done).catch(done)
  },
})
smtp.on('error', (error: Error) => console.error(JSON.stringify({ msg: 'smtp', error: error.message })))
smtp.server.on('connection', (socket: Socket) => {
  const port = socket.remotePort ?? 0
  sockets.set(port, socket)
  socket.once('close', () => sockets.delete(port))
})

/** smtp-server has no hook that can refuse before 354, so the socket writes the refusal, or nothing. */
function refuseData(fault: Fault, session: SMTPServerSession): void {
  const socket = sockets.get(session.remotePort)
  if (fault.action === 'reset') socket?.resetAndDestroy()
  if (fault.action === 'reject') socket?.end(`${fault.code} ${fault.message}\r\n`)
  if (fault.action === 'cut') socket?.end(halfOf(fault))
  socket?.cork()
}

async function receive(stream: SMTPServerDataStream, session: SMTPServerSession, done: Done): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk as Buffer)
  const raw = Buffer.concat(chunks)
  const fault = takeFault('after_data', recipients(session))
  const parsed = await PostalMime.parse(raw)
  const id = `m${ledger.length + 1}`
  const time = Date.now() / 1000
  const from = session.envelope.mailFrom ? session.envelope.mailFrom.address : ''
  const to = recipients(session)
  const subject = parsed.subject ?? ''
  const accepted = fault?.action !== 'reject'
  const digest = createHash('sha256').update(raw).digest('hex')
  record({ id, time, message_id: parsed.messageId ?? null, from, to, subject, digest, accepted, answered: fault === undefined || !accepted })
  if (accepted) {
    const headers = Object.fromEntries(parsed.headers.map(({ key, value }) => [key, value]))
    messages = [{ id, time, from, to, subject, text: parsed.text?.trimEnd() ?? '', html: parsed.html?.trimEnd() ?? '', headers }, ...messages].slice(0, keepMax)
    const awake = waiting
    waiting = []
    for (const wake of awake) wake()
  }
  if (fault) strike(fault, session, done)
  else done()
}

const number = (id: string) => Number(id.slice(1))
const sentTo = (to: string | null) => messages.filter((message) => !to || message.to.includes(to.toLowerCase()))

/** `after`: the id of a message, or the number of messages to skip. */
function newer(to: string | null, after: string): Message[] {
  const found = sentTo(to)
  return after.startsWith('m') ? found.filter((message) => number(message.id) > number(after)) : found.slice(0, Math.max(0, found.length - Number(after)))
}

async function waitFor(query: URLSearchParams): Promise<Message[] | undefined> {
  const until = Date.now() + Number(query.get('timeout_ms') ?? 10_000)
  for (;;) {
    const found = newer(query.get('to'), query.get('after') ?? '0')
    if (found.length) return found
    const left = until - Date.now()
    if (left <= 0) return undefined
    await new Promise<void>((resolve) => {
      waiting.push(resolve)
      setTimeout(resolve, left)
    })
  }
}

function addFault(given: Partial<Fault>): Fault {
  const code = given.action === 'greylist' ? 451 : 550
  const fault = { action: 'reject', code, message: 'A fault was asked for', times: 1, delay_ms: 300_000, ...given } as Fault
  if (!steps.includes(fault.step)) throw new SyntaxError(`step: must be one of ${steps.join(', ')}`)
  if (!actions.includes(fault.action)) throw new SyntaxError(`action: must be one of ${actions.join(', ')}`)
  if (fault.action === 'greylist' && fault.step !== 'rcpt') throw new SyntaxError('greylist is an action of the step rcpt')
  if (['connect', 'auth', 'mail'].includes(fault.step) && fault.to) throw new SyntaxError(`to is not known at the step ${fault.step}`)
  faults.push(fault)
  return fault
}

const plain = (text: string) => text.replace(/[&<>"]/g, (one) => `&#${one.charCodeAt(0)};`)

function inbox(shown: Message | undefined): string {
  const item = ({ id, to, subject, time }: Message) =>
    `<li><a href="/?id=${id}">${plain(subject) || '(no subject)'}</a> to ${plain(to.join(', '))} <time>${new Date(time * 1000).toLocaleTimeString()}</time></li>`
  const body = shown?.html || (shown && `<pre>${plain(shown.text)}</pre>`)
  const view = body === undefined ? '' : `<h2>${plain(shown?.subject ?? '')}</h2><iframe sandbox srcdoc="${plain(body)}"></iframe>`
  const style = 'body{font:15px system-ui;margin:2rem;max-width:60rem}iframe{width:100%;height:30rem;border:1px solid #ccc}time{color:#777}'
  return `<!doctype html><meta charset="utf-8"><title>Mail</title><style>${style}</style><h1>Mail</h1>${view}<ul>${messages.map(item).join('')}</ul>`
}

async function serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
  const { pathname, searchParams } = new URL(req.url ?? '/', 'http://mail')
  const chunks: Buffer[] = []
  for await (const chunk of req) chunks.push(chunk as Buffer)
  const body = () => JSON.parse(Buffer.concat(chunks).toString() || '{}') as Partial<Fault>
  const json = (answer: unknown, status = 200) => res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
  switch (`${req.method} ${pathname}`) {
    case 'GET /': {
      const shown = messages.find(({ id }) => id === searchParams.get('id')) ?? messages[0]
      return void res.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(inbox(shown))
    }
    case 'GET /messages':
      return void json(sentTo(searchParams.get('to')))
    case 'GET /messages/wait': {
      const found = await waitFor(searchParams)
      return void json(found ?? { error: { message: 'nothing came' } }, found ? 200 : 408)
    }
    case 'DELETE /messages':
      messages = []
      return void json({ ok: true })
    case 'GET /ledger':
      return void json(ledger)
    case 'POST /faults':
      return void json(addFault(body()))
    case 'DELETE /faults':
      faults = []
      return void json({ ok: true })
    default:
      return void json({ error: { message: 'no such route' } }, 404)
  }
}

const web = createServer((req, res) => {
  serve(req, res).catch((error: Error) => {
    if (!res.headersSent) res.writeHead(error instanceof SyntaxError ? 400 : 500, { 'content-type': 'application/json' })
    res.end(JSON.stringify({ error: { message: error.message } }))
  })
})

const listen = (server: { listen(port: number, host: string, done: () => void): unknown }, port: string) =>
  new Promise<void>((resolve) => {
    server.listen(Number(port), '127.0.0.1', resolve)
  })

await listen(smtp, MAIL_SMTP_PORT)
await listen(web, MAIL_HTTP_PORT)
console.log(JSON.stringify({ msg: 'listening', smtp: (smtp.server.address() as AddressInfo).port, http: (web.address() as AddressInfo).port }))
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => process.exit(0))
