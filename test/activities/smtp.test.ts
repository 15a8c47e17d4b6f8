// An SMTP session that breaks at any point proves exactly what happened to its message, and the next message is judged
// by its own reply.
import { once } from 'node:events'
import net, { type AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { SmtpError, type SmtpServer, SmtpSession } from '../../activities/providers/smtp.ts'
import { dotted, extensionsOf, newReplyReader, proved, providerIdOf, type Reply } from '../../rules/mail/smtp.ts'

type Point = 'greeting' | 'ehlo' | 'mail' | 'rcpt' | 'data' | 'body' | 'dot'
/** `half`: a reply that breaks off. `twice`: two replies to one command. */
type Fault = 'cut' | 'half' | 'stall' | 'farewell' | 'twice' | 'before' | 'garbage' | 'refuse'
const replies: Record<Point, string> = {
  ...{
    greeting: '220 here',
    ehlo: '250-here\r\n250-SIZE 100000\r\n250 PIPELINING',
    mail: '250 sender',
    rcpt: '250 recipient',
    data: '354 go on',
    dot: '250 kept',
  },
  body: '',
}

let script: { at: Point; fault: Fault; message: number } | undefined
let pipelining = true
/** Further extensions, as lines of the reply to EHLO. */
let extensions = ''
/** The messages that arrived with their final dot, and the replies to them. */
let ledger: { body: string; reply: string }[] = []
let commands: string[] = []
let server: net.Server
let port = 0

function answer(socket: net.Socket, point: Point, message: number): void {
  const reply =
    point === 'ehlo'
      ? pipelining
        ? replies.ehlo.replace('250-SIZE', () => `${extensions}250-SIZE`)
        : '250 here'
      : replies[point]
  const isStruck = script?.at === point && (script.message === message || point === 'greeting' || point === 'ehlo')
  if (!isStruck) return void socket.write(reply && `${reply}\r\n`)
  switch (script?.fault) {
    case 'cut':
      return void socket.resetAndDestroy()
    case 'half':
      return void socket.end(reply.slice(0, 6))
    case 'farewell':
      return void socket.end('421 closing\r\n')
    case 'twice':
      return void socket.write(`${reply}\r\n550 not at all\r\n`)
    case 'before':
      return void socket.write(`250 of something else\r\n${reply}\r\n`)
    case 'refuse':
      return void socket.write('550 not that one\r\n')
    case 'garbage':
      return void socket.write('hello\r\n')
  }
}

function converse(socket: net.Socket): void {
  let text = ''
  let inBody = false
  let message = 0
  socket.on('error', () => {})
  answer(socket, 'greeting', message)
  socket.on('data', (bytes) => {
    text += bytes.toString('latin1')
    socket.cork()
    process.nextTick(() => socket.uncork())
    for (;;) {
      if (inBody) {
        if (script?.at === 'body' && script.message === message && text !== '') {
          socket.pause()
          return answer(socket, 'body', message)
        }
        const end = text.startsWith('.\r\n') ? 0 : text.indexOf('\r\n.\r\n') + 2
        if (end === 1) return
        ledger.push({
          body: text.slice(0, end),
          reply: script?.at === 'dot' && script.message === message ? (script.fault ?? '') : 'kept',
        })
        text = text.slice(end + 3)
        inBody = false
        answer(socket, 'dot', message)
        message++
        continue
      }
      const end = text.indexOf('\r\n')
      if (end < 0) return
      const command = text.slice(0, end)
      text = text.slice(end + 2)
      commands.push(command)
      if (command.startsWith('EHLO')) answer(socket, 'ehlo', message)
      if (command === 'RSET') {
        message++
        socket.write('250 forgotten\r\n')
      }
      if (command.startsWith('MAIL')) answer(socket, 'mail', message)
      if (command.startsWith('RCPT')) answer(socket, 'rcpt', message)
      if (command === 'DATA') {
        const refused = script?.fault === 'refuse' && script.at !== 'dot' && script.message === message
        inBody = !refused && !(script?.at === 'data' && script.message === message && script.fault !== 'twice')
        if (refused && script?.at !== 'data') socket.write('503 no recipient\r\n')
        else answer(socket, 'data', message)
      }
    }
  })
}

beforeAll(async () => {
  server = net.createServer(converse)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  port = (server.address() as AddressInfo).port
})
afterAll(() => new Promise((done) => server.close(done)))

const to: SmtpServer = { host: '127.0.0.1', port: 0, security: 'none', username: null, password: null }
const connect = async () => {
  const socket = net.connect(port, '127.0.0.1')
  await once(socket, 'connect')
  return { socket, tls: {} }
}
const soon = (ms: number) => ({ firstByteBy: performance.now() + ms, endBy: performance.now() + ms })
const envelope = { from: 'shop@example.com', to: 'ada@example.com' }
const message = (n: number) => Buffer.from(`Subject: ${n}\r\n\r\n.one\r\ntwo\r\n`)

type Outcome = ReturnType<typeof proved>
const outcomeOf = (work: Promise<unknown>): Promise<Outcome> =>
  work.then(
    () => 'sent' as const,
    (error: unknown) => {
      // Without a connection, nothing was sent.
      return error instanceof SmtpError ? proved(error.stage, error.reply?.code) : 'not_sent'
    },
  )

/** Sends `count` messages one after the other; a session that broke is replaced. */
async function sendAll(count: number, ms: number): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  let session: SmtpSession | undefined
  for (let n = 0; n < count; n++)
    outcomes.push(
      await outcomeOf(
        (async () => {
          session ??= await SmtpSession.open(to, connect, soon(ms))
          await session.deliver(envelope, message(n), soon(ms))
        })().catch((error) => {
          session = undefined
          script = undefined
          throw error
        }),
      ),
    )
  session?.quit()
  return outcomes
}

const points: Point[] = ['greeting', 'ehlo', 'mail', 'rcpt', 'data', 'body', 'dot']
const faults: Fault[] = ['cut', 'half', 'stall', 'farewell', 'twice', 'before', 'garbage']
const cases = points.flatMap((at) =>
  faults.flatMap((fault) => [0, 1].map((at_message) => [at, fault, at_message] as const)),
)
const possible = cases.filter(
  ([at, fault, n]) =>
    !(at === 'body' && ['half', 'twice', 'before'].includes(fault)) && !(n === 1 && ['greeting', 'ehlo'].includes(at)),
)

/** What the faulty message proves; the others are sent. */
function expected(at: Point, fault: Fault): Outcome {
  if (at === 'body' || at === 'dot') return 'unknown'
  return fault === 'farewell' ? 'later' : 'not_sent'
}

describe.each([true, false])('With pipelining: %s', (withPipelining) => {
  test.each(possible)('A session with a fault at %s (%s) of message %d proves what happened', async (at, fault, n) => {
    pipelining = withPipelining
    ledger = []
    script = { at, fault, message: n }
    const outcomes = await sendAll(3, fault === 'stall' ? 1_000 : 3_000)
    const sent = outcomes.filter((outcome) => outcome === 'sent').length
    expect(outcomes).toEqual([0, 1, 2].map((m) => (m === n ? expected(at, fault) : 'sent')))
    expect(ledger.filter(({ reply }) => reply === 'kept')).toHaveLength(sent)
  })
})

describe.each([true, false])('With pipelining: %s', (withPipelining) => {
  test.each(['rcpt', 'data', 'dot'] as const)('A session goes on after a refusal at %s', async (at) => {
    pipelining = withPipelining
    ledger = []
    commands = []
    script = { at, fault: 'refuse', message: 0 }
    const session = await SmtpSession.open(to, connect, soon(3_000))
    const outcomes: Outcome[] = []
    for (const n of [0, 1, 2]) outcomes.push(await outcomeOf(session.deliver(envelope, message(n), soon(3_000))))
    expect(outcomes).toEqual(['rejected', 'sent', 'sent'])
    expect(commands.filter((command) => command === 'RSET')).toHaveLength(at === 'dot' ? 0 : 1)
    session.quit()
  })
})

test('Lines that begin with a dot arrive as they were', async () => {
  script = undefined
  ledger = []
  expect(await sendAll(1, 3_000)).toEqual(['sent'])
  expect(ledger[0]?.body).toBe('Subject: 0\r\n\r\n..one\r\ntwo\r\n')
})

test('A message larger than the server’s limit is refused without a command', async () => {
  script = undefined
  ledger = []
  pipelining = true
  const session = await SmtpSession.open(to, connect, soon(3_000))
  expect(await outcomeOf(session.deliver(envelope, Buffer.alloc(100_001, 'a'), soon(3_000)))).toBe('rejected')
  expect(ledger).toEqual([])
  session.quit()
})

test.each([
  [
    'offers them',
    '250-DSN\r\n',
    'MAIL FROM:<shop@example.com> SIZE=10 RET=HDRS ENVID=row-1',
    'RCPT TO:<ada@example.com> NOTIFY=FAILURE',
  ],
  ['does not', '', 'MAIL FROM:<shop@example.com> SIZE=10', 'RCPT TO:<ada@example.com>'],
])('Reports of failed deliveries name the message where the server %s', async (_, offered, ...expected) => {
  ;[script, ledger, commands, pipelining, extensions] = [undefined, [], [], true, offered]
  const session = await SmtpSession.open(to, connect, soon(3_000))
  await session.deliver(envelope, Buffer.from('..one\r\n.\r\n'), soon(3_000), { envid: 'row-1', isDotted: true })
  session.quit()
  extensions = ''
  expect(commands.filter((command) => /^(MAIL|RCPT)/.test(command))).toEqual(expected)
  expect(ledger.map(({ body }) => body)).toEqual(['..one\r\n'])
})

test.each([
  ['2.0.0 Ok: queued as 4XyZ12', '4XyZ12'],
  ['OK id=1tAbCd-000000-1x', '1tAbCd-000000-1x'],
  ['2.6.0 <a1@example.com> [InternalId=1] Queued mail for delivery', 'a1@example.com'],
  ['Ok 0100018f2c3d4e5f-1234abcd-0000', '0100018f2c3d4e5f-1234abcd-0000'],
  ['thank you', null],
  ['2.6.0 <a\0b@example.com> Queued', null],
  ['2.6.0 <a\u00e9@example.com> Queued', null],
])('A reply of a server says how it calls the message: %s', (line, id) => {
  expect(providerIdOf({ code: 250, lines: [line] })).toBe(id)
})

const text = fc.stringMatching(/^[ -~]{0,30}$/)
const aReply = fc.record({
  code: fc.integer({ min: 200, max: 599 }),
  lines: fc.array(text, { minLength: 1, maxLength: 4 }),
})
const written = ({ code, lines }: Reply) =>
  lines.map((line, n) => `${code}${n < lines.length - 1 ? '-' : ' '}${line}\r\n`).join('')

test('Replies are the same however their stream is cut', () => {
  fc.assert(
    fc.property(fc.array(aReply, { maxLength: 6 }), fc.array(fc.nat(200), { maxLength: 12 }), (all, cuts) => {
      const bytes = Buffer.from(all.map(written).join(''), 'latin1')
      const reader = newReplyReader()
      const at = [0, ...cuts.filter((cut) => cut < bytes.length), bytes.length].sort((a, b) => a - b)
      const read = at.slice(1).flatMap((end, n) => reader.feed(bytes.subarray(at[n], end)))
      expect(read).toEqual(all)
      expect([reader.error(), reader.isPartial()]).toEqual([undefined, false])
    }),
  )
})

test.each([
  ['no reply', 'hello\r\n'],
  ['two codes', '250-a\r\n251 b\r\n'],
  ['a line without an end', 'a'.repeat(5_000)],
  ['too many lines', '250-a\r\n'.repeat(300)],
])('A stream with %s is refused, after the replies before it', (_, bytes) => {
  const reader = newReplyReader()
  expect(reader.feed(Buffer.from(`250 before\r\n${bytes}`))).toEqual([{ code: 250, lines: ['before'] }])
  expect(reader.error()).toEqual(expect.any(String))
})

test('Any message with its final dot has no other line of one dot', () => {
  const line = fc.constantFrom('.', '..', '', 'a', '.a', '\r', '\n', '\r\n')
  fc.assert(
    fc.property(fc.array(line), (lines) => {
      const sent = dotted(Buffer.from(lines.join('\r\n'))).toString()
      expect(sent.split('\r\n').filter((one) => one === '.')).toHaveLength(1)
      expect(sent.endsWith('.\r\n')).toBe(true)
      expect(sent.replace(/\r\n/g, '')).not.toMatch(/[\r\n]/)
    }),
  )
})

test('Extensions are read in any case, with their parameters', () => {
  const reply = { code: 250, lines: ['here', 'size 1000', 'AUTH=PLAIN LOGIN', 'PIPELINING'] }
  expect([...extensionsOf(reply)]).toEqual([
    ['SIZE', '1000'],
    ['AUTH', 'PLAIN LOGIN'],
    ['PIPELINING', ''],
  ])
})
