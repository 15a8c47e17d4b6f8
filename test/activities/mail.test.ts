// SMTP: an email arrives once or fails with a reason. Before the final dot nothing was sent; after it the outcome is
// unknown. A password goes to its host alone.
import { mkdtempSync, rmSync } from 'node:fs'
import net, { type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { newEgress } from '../../activities/providers/http.ts'
import { type StoreEmail as Letter, sendStoreEmail as sendLetter } from '../../activities/providers/mail.ts'
import type { Child } from '../../dev/child.ts'
import { script } from '../../dev/parts.ts'
import { cert, key } from '../kit/stack/certificate.ts'

const dir = mkdtempSync(join(tmpdir(), 'letters-'))
let catcher: Child
let port = 0
let control = ''

beforeAll(async () => {
  const env = { ...process.env, NODE_OPTIONS: '', MAIL_SMTP_PORT: '0', MAIL_HTTP_PORT: '0', MAIL_DIR: dir }
  catcher = script('dev/mail.ts', [], { name: 'mail', env })
  const ports = JSON.parse(await catcher.said(/listening/)) as { smtp: number; http: number }
  port = ports.smtp
  control = `http://127.0.0.1:${ports.http}`
})
beforeEach(() => fetch(`${control}/faults`, { method: 'DELETE' }))
afterAll(async () => {
  await catcher.stop()
  rmSync(dir, { recursive: true })
})

const password = 'correct horse battery staple'
const letter = (smtp: Partial<Letter['smtp']> = {}, more: Partial<Letter> = {}): Letter => ({
  to: 'ada@example.com',
  subject: 'Your order',
  text: 'Thank you',
  html: '<p>Thank you</p>',
  from: { address: 'shop@example.com', name: 'The Shop' },
  reply_to: 'help@example.com',
  smtp: { host: '127.0.0.1', port, security: 'none', username: 'shop', password, ...smtp },
  ...more,
})
let turn = 0
const sending = (ms = 5_000) => ({
  id: `effect ${++turn}`,
  firstByteBy: performance.now() + ms,
  endBy: performance.now() + ms,
})
const names: Record<string, string[]> = {
  'shop.test': ['127.0.0.1'],
  'other.test': ['127.0.0.1'],
  'inside.test': ['10.0.0.7'],
  'mixed.test': ['93.184.215.14', '127.0.0.1'],
}
const resolve = async (name: string) => names[name] ?? Promise.reject(new Error('no such name'))
const guarded = newEgress({ allow: [], resolve })
const local = newEgress({ allow: ['127.0.0.0/8'], resolve, ca: cert })
const strangers = newEgress({ allow: ['127.0.0.0/8'], resolve })

const send = (given: Letter, with_ = sending(), door = local) => sendLetter(given, with_, door)
const fault = async (body: Record<string, unknown>) =>
  expect((await fetch(`${control}/faults`, { method: 'POST', body: JSON.stringify(body) })).status).toBe(200)
type Caught = {
  message_id: string
  to: string[]
  subject: string
  digest: string
  accepted: boolean
  headers: Record<string, string>
}
const ledger = async () => (await (await fetch(`${control}/ledger`)).json()) as Caught[]
const newest = async () =>
  ((await (await fetch(`${control}/messages`)).json()) as (Caught & { from: string; text: string; html: string })[])[0]
/** What arrived during this work. */
async function arrivals(work: () => Promise<unknown>): Promise<Caught[]> {
  const before = (await ledger()).length
  await work()
  return (await ledger()).slice(before)
}

test('An email has the store’s sender and reply address, and the output names its message id', async () => {
  const { verdict, output } = await send(letter())
  expect(verdict).toEqual({ kind: 'succeeded', evidence: { response: expect.stringMatching(/^250/) } })
  const mail = await newest()
  expect(mail).toMatchObject({
    from: 'shop@example.com',
    to: ['ada@example.com'],
    subject: 'Your order',
    text: 'Thank you',
    html: '<p>Thank you</p>',
  })
  expect(mail?.headers).toMatchObject({
    from: 'The Shop <shop@example.com>',
    'reply-to': 'help@example.com',
    'message-id': output?.message_id,
  })
  expect(output).toEqual({
    message_id: expect.stringMatching(/^<[0-9a-f]{32}@example\.com>$/),
    accepted: ['ada@example.com'],
    response: expect.stringMatching(/^250/),
  })
})

test('An email has the same message id in every attempt', async () => {
  const one = sending()
  expect((await send(letter(), one)).output?.message_id).toBe(
    (await send(letter(), { ...sending(), id: one.id })).output?.message_id,
  )
  expect((await send(letter())).output?.message_id).not.toBe((await send(letter())).output?.message_id)
})

test.each<[string, Partial<Letter>]>([
  ['a subject', { subject: 'Hi\r\nBcc: eve@example.com' }],
  ['a name', { from: { address: 'shop@example.com', name: 'Shop\r\nBcc: eve@example.com\r\n' } }],
  [
    'a name that looks like addresses',
    { from: { address: 'shop@example.com', name: 'a@example.com>, <eve@example.com' } },
  ],
  ['a recipient', { to: 'ada@example.com\r\nBcc: eve@example.com' }],
  ['a recipient that looks like two', { to: 'ada@example.com,eve@example.com' }],
  ['an answer address', { reply_to: 'help@example.com\r\nBcc: eve@example.com' }],
])('A line break in %s adds no recipient and no header', async (_, more) => {
  for (const one of await arrivals(() => send(letter({}, more)))) {
    expect(one.to).not.toContain('eve@example.com')
    expect((await newest())?.headers).not.toHaveProperty('bcc')
  }
})

test('A refused email leaves no connection open', async () => {
  let open = 0
  const closed = Promise.withResolvers<void>()
  const server = net.createServer((socket) => {
    open++
    socket.on('error', () => {}).on('close', () => --open === 0 && closed.resolve())
    socket.write('220 here\r\n')
    socket.on('data', (chunk) => {
      for (const line of chunk.toString().split('\r\n').filter(Boolean))
        socket.write(/^RCPT/.test(line) ? '550 nobody here\r\n' : '250 fine\r\n')
    })
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const smtp = { port: (server.address() as AddressInfo).port, username: null, password: null }
  expect((await send(letter(smtp))).verdict).toMatchObject({ kind: 'rejected' })
  await closed.promise
  expect(open).toBe(0)
  server.close()
})

describe('Verdicts', () => {
  const early = ['connect', 'auth', 'mail', 'rcpt', 'data'] as const
  test.each(early.flatMap((step) => [421, 451, 550].map((code) => [step, code] as const)))(
    'A server that answers %s with %d defers on 4yz and rejects on 5yz',
    async (step, code) => {
      await fault({ step, action: 'reject', code })
      let result: Awaited<ReturnType<typeof send>> | undefined
      const arrived = await arrivals(async () => {
        result = await send(letter())
      })
      const verdict = code < 500 ? { kind: 'not_sent', later: true } : { kind: 'rejected', evidence: { status: code } }
      expect(result).toMatchObject({ verdict: { ...verdict, error: { provider_status: code } }, output: null })
      expect(arrived).toEqual([])
    },
  )

  test.each(early.flatMap((step) => (['reset', 'hang'] as const).map((action) => [step, action] as const)))(
    'An email whose connection breaks at %s (%s) is not_sent',
    async (step, action) => {
      await fault({ step, action })
      let result: Awaited<ReturnType<typeof send>> | undefined
      const arrived = await arrivals(async () => {
        result = await send(letter(), sending(action === 'hang' ? 3_000 : 5_000))
      })
      expect(result).toMatchObject({ verdict: { kind: 'not_sent', error: { code: expect.any(String) } }, output: null })
      expect(arrived).toEqual([])
    },
  )

  test.each(['reset', 'hang'])(
    'An email that meets a %s after the final dot is unknown, though it arrived',
    async (action) => {
      await fault({ step: 'after_data', action })
      let result: Awaited<ReturnType<typeof send>> | undefined
      const arrived = await arrivals(async () => {
        result = await send(letter(), sending(action === 'hang' ? 3_000 : 5_000))
      })
      expect(result).toMatchObject({ verdict: { kind: 'unknown' }, output: null })
      expect(arrived).toMatchObject([{ accepted: true }])
    },
  )

  test.each([
    [452, { kind: 'not_sent', later: true, error: { provider_status: 452 } }],
    [554, { kind: 'rejected', evidence: { status: 554, command: 'DATA' } }],
    // 421 closes the connection: whether the server accepted the message is unknown.
    [421, { kind: 'unknown' }],
  ])('An email answered with %d after the final dot has that verdict', async (code, verdict) => {
    await fault({ step: 'after_data', action: 'reject', code })
    expect(await send(letter())).toMatchObject({ verdict, output: null })
  })

  test('An email to a closed port is not_sent', async () => {
    const server = net.createServer()
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    const closed = (server.address() as AddressInfo).port
    await new Promise((done) => server.close(done))
    expect(await send(letter({ port: closed }))).toMatchObject({
      verdict: { kind: 'not_sent', error: { code: 'egress_not_sent' } },
      output: null,
    })
  })

  test('An email past its deadline is not_sent, and no connection is opened', async () => {
    const arrived = await arrivals(async () => {
      expect(
        await send(letter(), { id: 'late', firstByteBy: performance.now() - 1, endBy: performance.now() + 1_000 }),
      ).toMatchObject({
        verdict: { kind: 'not_sent' },
      })
    })
    expect(arrived).toEqual([])
  })
})

describe('Private hosts', () => {
  let visits = 0
  let trap: net.Server
  let trapPort = 0
  beforeAll(async () => {
    trap = net.createServer((socket) => {
      visits++
      socket.end('220 trap\r\n')
    })
    await new Promise<void>((done) => trap.listen(0, done))
    trapPort = (trap.address() as AddressInfo).port
  })
  afterAll(() => new Promise((done) => trap.close(done)))

  const hosts = [
    '127.0.0.1',
    'localhost',
    '::1',
    '::ffff:127.0.0.1',
    '0.0.0.0',
    '0',
    '127.1',
    '2130706433',
    '0x7f000001',
    '0177.0.0.1',
    '10.0.0.7',
    '169.254.169.254',
  ]
  test.each([...hosts, 'shop.test', 'inside.test', 'mixed.test', 'fe80::1%lo', '[::1]', '64:ff9b::127.0.0.1'])(
    'An email to the host %s is refused without a connection',
    async (host) => {
      visits = 0
      const given = letter({ host, port: trapPort, security: 'tls' })
      const { verdict } = await send(given, sending(), guarded)
      expect(verdict).toMatchObject({
        kind: 'not_sent',
        error: { code: expect.stringMatching(/^egress_(refused|unresolved)$/) },
      })
      await expect(guarded.checkMailHost({ protocol: 'smtp', host, port: trapPort, plain: false })).rejects.toThrow(
        /^egress_/,
      )
      expect(visits).toBe(0)
    },
  )

  test.each([22, 80, 443, 6, 1023, 110, 143, 993])('An email to port %d is refused', async (number) => {
    expect(await send(letter({ port: number }))).toMatchObject({
      verdict: { kind: 'not_sent', error: { code: 'egress_refused' } },
    })
  })
})

describe('Passwords', () => {
  type EntryText = { servers: SMTPServer[]; passwords: string[]; subjects: string[] }
  const told: EntryText = { servers: [], passwords: [], subjects: [] }
  const secret: Partial<SMTPServerOptions> = { key, cert }
  async function serve(options: SMTPServerOptions): Promise<number> {
    const server = new SMTPServer({
      disableReverseLookup: true,
      onAuth: (auth, _session, done) => {
        const [username, password] = [`${auth.username}`, `${auth.password}`]
        told.passwords.push(password)
        if (username === 'refused') {
          const all = [
            password,
            Buffer.from(password).toString('base64'),
            Buffer.from(`\0${username}\0${password}`).toString('base64'),
          ].join(' ')
          return done(Object.assign(new Error(`not with ${all}`), { responseCode: 535 }))
        }
        done(null, { user: username })
      },
      onData: (stream, _session, done) => {
        stream.resume()
        stream.on('end', () => {
          told.subjects.push('one')
          done()
        })
      },
      ...options,
    })
    server.on('error', () => {})
    told.servers.push(server)
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    return (server.server.address() as AddressInfo).port
  }
  let tlsPort = 0
  let starttlsPort = 0
  let plainPort = 0
  beforeAll(async () => {
    tlsPort = await serve({ secure: true, ...secret })
    starttlsPort = await serve({ secure: false, ...secret })
    plainPort = await serve({ secure: false, allowInsecureAuth: true, disabledCommands: ['STARTTLS'] })
  })
  beforeEach(() => {
    told.passwords = []
    told.subjects = []
  })
  afterAll(() => Promise.all(told.servers.map((server) => new Promise<void>((done) => server.close(() => done())))))

  test('A password is sent over TLS from the first byte, or after STARTTLS', async () => {
    for (const smtp of [
      { port: tlsPort, security: 'tls' },
      { port: starttlsPort, security: 'starttls' },
    ] as const)
      expect((await send(letter({ host: 'shop.test', ...smtp }))).verdict).toMatchObject({ kind: 'succeeded' })
    expect(told).toMatchObject({ passwords: [password, password], subjects: ['one', 'one'] })
  })

  test.each([
    ['an unknown authority', strangers, 'shop.test'],
    ['another host’s certificate', local, 'other.test'],
    ['another host’s certificate, by address', local, '127.0.0.1'],
  ])('A server with a certificate of %s gets no password and no email', async (_, door, host) => {
    for (const smtp of [
      { port: tlsPort, security: 'tls' },
      { port: starttlsPort, security: 'starttls' },
    ] as const) {
      const { verdict } = await send(letter({ host, ...smtp }), sending(), door)
      // The next attempt would meet the same certificate.
      expect(verdict).toMatchObject({
        kind: 'not_sent',
        final: true,
        error: { message: expect.stringMatching(/certificate|altnames/) },
      })
    }
    expect(told).toMatchObject({ passwords: [], subjects: [] })
  })

  test('A server without STARTTLS or without TLS gets no password and no email', async () => {
    for (const security of ['tls', 'starttls'] as const)
      expect(
        (await send(letter({ host: 'shop.test', port: plainPort, security }), sending(2_000))).verdict.kind,
      ).not.toBe('succeeded')
    expect(told).toMatchObject({ passwords: [], subjects: [] })
  })

  test('An email is sent in clear text only to hosts that the installation’s operator named', async () => {
    const open = newEgress({ allow: [], resolve: async () => ['93.184.215.14'] })
    await expect(
      open.checkMailHost({ protocol: 'smtp', host: 'smtp.example.com', port: 25, plain: true }),
    ).rejects.toThrow(/egress_refused: mail is spoken without encryption only/)
    await expect(
      open.checkMailHost({ protocol: 'smtp', host: 'smtp.example.com', port: 25, plain: false }),
    ).resolves.toBeUndefined()
    const named = newEgress({ allow: ['smtp.example.com'], resolve: async () => ['93.184.215.14'] })
    await expect(
      named.checkMailHost({ protocol: 'smtp', host: 'smtp.example.com', port: 25, plain: true }),
    ).resolves.toBeUndefined()
  })

  test('An answer that repeats the password is not quoted', async () => {
    const result = await send(letter({ host: 'shop.test', port: tlsPort, security: 'tls', username: 'refused' }))
    expect(result.verdict).toMatchObject({
      kind: 'rejected',
      error: { code: 'EAUTH', provider_status: 535, message: expect.stringContaining('not with [redacted]') },
    })
    for (const one of [
      password,
      Buffer.from(password).toString('base64'),
      Buffer.from(`\0refused\0${password}`).toString('base64'),
    ])
      expect(JSON.stringify(result)).not.toContain(one)
  })
})
