// The IMAP client against the simulator's inboxes and against servers that misbehave, and the mail that the simulator
// makes.
import net, { type AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createTransport } from 'nodemailer'
import { newEgress } from '../../activities/providers/http.ts'
import { inFolder } from '../../activities/providers/imap.ts'
import { parseMail } from '../../adapters/mail-parser.ts'
import type { Child } from '../../dev/child.ts'
import { script } from '../../dev/parts.ts'
import { failureFor, inboundOf } from '../../rules/inbox/inbound.ts'
import { ownOwner } from '../kit/owners.ts'

let child: Child
let ports: { smtp: number; http: number; imap: number }
const servers: net.Server[] = []
const door = newEgress({ allow: ['127.0.0.1'] })
beforeAll(async () => {
  child = script('dev/mail.ts', [], {
    name: 'mail',
    env: { ...process.env, NODE_OPTIONS: '', MAIL_SMTP_PORT: '0', MAIL_HTTP_PORT: '0', MAIL_IMAP_PORT: '0' },
  })
  ports = JSON.parse(await child.said(/listening/))
})
afterAll(async () => {
  for (const server of servers) server.close()
  await child.stop()
})

const row = '0199a1b2-c3d4-7e5f-8a6b-7c8d9e0f1a2b'
const call = async (method: string, route: string, body?: object | string | Buffer) => {
  const sent = body === undefined || typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body)
  return (
    await fetch(`http://127.0.0.1:${ports.http}${route}`, { method, ...(sent === undefined ? {} : { body: sent }) })
  ).json()
}
const server = (username: string, more = {}) => ({
  host: '127.0.0.1',
  port: ports.imap,
  security: 'none' as const,
  username,
  password: 'se"cret',
  folder: 'INBOX',
  ...more,
})
const within = <T>(at: Parameters<typeof inFolder>[0], work: Parameters<typeof inFolder<T>>[2], ms = 20_000) =>
  inFolder(at, performance.now() + ms, work, door)
/** All mail of an inbox. */
const read = (address: string) =>
  within(server(address), async (folder) => {
    const { uids } = await folder.after(0, 100)
    const mails: Buffer[] = []
    for (const uid of uids) mails.push((await folder.read(uid, 1_000_000)) as Buffer)
    return mails
  })

/** A campaign message as it is sent; returns the id of the catcher. */
async function send(from: string, to: string): Promise<string> {
  const transport = createTransport({ host: '127.0.0.1', port: ports.smtp, secure: false })
  const headers = { 'X-Campaign-Message': row }
  const { response } = await transport
    .sendMail({ from, to, subject: 'Spring', text: 'Hello', messageId: `<${row}@shop.example>`, headers })
    .finally(() => transport.close())
  expect(response).toMatch(/^250/)
  return ((await call('GET', `/messages?to=${to}`)) as { id: string }[])[0]?.id ?? ''
}

test('Bounces, replies and complaints that the simulator makes name the message', async () => {
  const [from, to] = ['news@shop.example', 'ann@customer.example']
  const id = await send(from, to)
  await call('POST', '/bounces', { id, status: '5.2.2' })
  await call('POST', '/bounces', { id, status: '4.4.1', action: 'delayed' })
  await call('POST', '/replies', { id })
  await call('POST', '/replies', { id, automatic: true })
  await call('POST', '/complaints', { id })
  const found = (await Promise.all((await read(from)).map((raw) => parseMail(raw, ownOwner('a tenant'))))).map((mail) =>
    inboundOf(mail, [from]),
  )
  expect(found.map((one) => one?.kind)).toEqual(['bounce', 'bounce', 'reply', 'auto_reply', 'complaint'])
  for (const one of found) expect(one?.ids[0]).toMatch(new RegExp(`^${row}`))
  expect(found.flatMap((one) => (one?.kind === 'bounce' ? [failureFor(one.failures, to)?.class] : []))).toEqual([
    'soft',
    'delayed',
  ])
})

test('A message that the server renames is named by the id behind 250', async () => {
  const [from, to] = ['news@renamed.example', 'bob@customer.example']
  await call('POST', '/faults', { step: 'after_data', action: 'rename', to })
  const id = await send(from, to)
  await call('POST', '/replies', { id })
  const [mail] = await Promise.all((await read(from)).map((raw) => parseMail(raw, ownOwner('a tenant'))))
  expect(mail && inboundOf(mail, [from])?.ids[0]).toMatch(/^[0-9a-f]{16}-[\w-]+-000000@provider\.tillwright\.test$/)
})

test('A delayed reply and a stray one are sent before the message is accepted', async () => {
  await call('POST', '/faults', { step: 'rcpt', action: 'delay', delay_ms: 300, to: 'late@customer.example' })
  const begun = performance.now()
  await send('news@shop.example', 'late@customer.example')
  expect(performance.now() - begun).toBeGreaterThan(290)
  await call('POST', '/faults', {
    step: 'after_data',
    action: 'stray_reply',
    message: 'stray',
    to: 'twice@customer.example',
  })
  await send('news@shop.example', 'twice@customer.example')
})

test('Only newer messages are listed, in parts, and only the beginning of a long one is read', async () => {
  const to = 'long@shop.example'
  for (let n = 0; n < 5; n++) await call('POST', `/inbox?to=${to}`, `Subject: ${n}\r\n\r\nx`)
  await call('POST', `/inbox?to=${to}`, Buffer.alloc(12 * 1024 * 1024, 'a'))
  await within(server(to), async (folder) => {
    expect(folder.uid_next).toBe(7)
    expect(await folder.after(6, 10)).toEqual({ uids: [], more: false, until: 6 })
    expect(await folder.after(1, 3)).toMatchObject({ uids: [2, 3, 4], more: true })
    expect((await folder.read(6, 1024 * 1024))?.length).toBe(1024 * 1024)
    expect(await folder.read(99, 10)).toBeNull()
  })
})

test('A wrong password and a missing folder are told apart, and the password is in no message', async () => {
  const fail = (more: object) => within(server('a@b.example', more), async () => null).catch((error) => error)
  expect(await fail({ password: 'wrong' })).toMatchObject({
    code: 'imap_sign_in',
    message: expect.not.stringContaining('wrong'),
  })
  expect(await fail({ folder: 'Nowhere' })).toMatchObject({ code: 'imap_folder' })
})

/** A server that writes these lines to a new client, and after each command. */
const misbehaving = (greeting: string, answer: (line: string) => string) =>
  new Promise<number>((resolve) => {
    const one = net.createServer((socket) => {
      socket.on('error', () => {})
      socket.write(greeting)
      socket.on('data', (bytes) => socket.write(answer(String(bytes))))
    })
    servers.push(one)
    one.listen(0, '127.0.0.1', () => resolve((one.address() as AddressInfo).port))
  })

test('A server that stays silent, closes, or sends without an end is given up', async () => {
  const heard: string[] = []
  const silent = await misbehaving('', () => '')
  const without = await misbehaving('* OK [CAPABILITY IMAP4rev1 AUTH=PLAIN] ready\r\n', (line) => {
    heard.push(line)
    return `${line.split(' ')[0]} OK done\r\n`
  })
  const huge = await misbehaving(
    '* OK [CAPABILITY IMAP4rev1 AUTH=PLAIN SASL-IR] ready\r\n',
    (line) => `* 1 FETCH (BODY[] {9000000000}\r\nx\r\n${line.split(' ')[0]} OK done\r\n`,
  )
  const fail = (port: number, more = {}, ms = 1_000) =>
    within(server('a@b.example', { port, ...more }), async () => null, ms).catch((error) => error)
  expect(await fail(silent)).toMatchObject({ code: 'imap_failed' })
  // Encryption is required: the password is not sent.
  expect(await fail(without, { security: 'starttls' }, 5_000)).toMatchObject({
    code: expect.stringMatching(/^imap_(tls|failed)$/),
  })
  expect(heard.join()).not.toMatch(/AUTHENTICATE|LOGIN/)
  expect(await fail(huge, {}, 5_000)).toMatchObject({ code: expect.stringMatching(/^imap_/) })
})

test('A server that sends what was not asked for, or no valid numbers, is given up at once', async () => {
  const greeting = '* OK [CAPABILITY IMAP4rev1 AUTH=PLAIN SASL-IR] ready\r\n'
  const opens = (said: string) => (line: string) =>
    `${/ (EXAMINE|SELECT) /.test(line) ? said : ''}${line.split(' ')[0]} OK done\r\n`
  const flood = await misbehaving(greeting, opens(`* OK ${'x'.repeat(1_000)}\r\n`.repeat(6_000)))
  const large = await misbehaving(
    greeting,
    opens('* 4 EXISTS\r\n* OK [UIDVALIDITY 99999999999999999999] x\r\n* OK [UIDNEXT 5] x\r\n'),
  )
  const fail = (port: number) =>
    within(server('a@b.example', { port }), async () => null, 25_000).catch((error) => error)
  expect(await fail(flood)).toMatchObject({
    code: 'imap_failed',
    message: expect.stringContaining('more than was asked for'),
  })
  expect(await fail(large)).toMatchObject({ code: 'imap_failed', message: expect.stringContaining('UIDVALIDITY') })
})

test('An address that is not public is refused before a connection is opened', async () => {
  const refused = inFolder(server('a@b.example'), performance.now() + 5_000, async () => null, newEgress({ allow: [] }))
  await expect(refused).rejects.toMatchObject({ code: 'egress_refused' })
})
