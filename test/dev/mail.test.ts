// The mail catcher shows what was sent, and can produce every way in which sending fails.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createTransport } from 'nodemailer'
import type { Child } from '../../dev/child.ts'
import { script } from '../../dev/parts.ts'

type Message = {
  id: string
  from: string
  to: string[]
  subject: string
  text: string
  html: string
  headers: Record<string, string>
}
type Entry = { id: string; message_id: string; to: string[]; accepted: boolean; answered: boolean }
type Failure = { code?: string; responseCode?: number; command?: string }

const dir = mkdtempSync(join(tmpdir(), 'mail-'))
let child: Child
let smtp = 0
let http = ''

beforeAll(async () => {
  const env = { ...process.env, NODE_OPTIONS: '', MAIL_SMTP_PORT: '0', MAIL_HTTP_PORT: '0', MAIL_DIR: dir }
  child = script('dev/mail.ts', [], { name: 'mail', env })
  const ports = JSON.parse(await child.said(/listening/)) as { smtp: number; http: number }
  smtp = ports.smtp
  http = `http://127.0.0.1:${ports.http}`
})

afterAll(async () => {
  await child.stop()
  rmSync(dir, { recursive: true })
})

const get = async <T>(path: string) => (await (await fetch(`${http}${path}`)).json()) as T
const fault = async (body: Record<string, unknown>) =>
  expect((await fetch(`${http}/faults`, { method: 'POST', body: JSON.stringify(body) })).status).toBe(200)

function send(to: string, subject = 'Hello', hanging = false) {
  // A client that gives up on a slow machine would let the fault strike the next email.
  const limit = hanging ? 2_000 : 20_000
  const transport = createTransport({
    host: '127.0.0.1',
    port: smtp,
    secure: false,
    greetingTimeout: limit,
    socketTimeout: limit,
  })
  const headers = { 'x-effect-id': 'e1' }
  return transport
    .sendMail({ from: 'Shop <shop@example.com>', to, subject, text: 'plain', html: '<b>rich</b>', headers })
    .finally(() => transport.close())
}

const failed = (to: string, hanging = false): Promise<Failure> =>
  send(to, 'Hello', hanging).then(
    () => {
      throw new Error('it was sent')
    },
    ({ code, responseCode, command }: Failure) => ({
      ...(code && { code }),
      ...(responseCode && { responseCode }),
      ...(command && { command }),
    }),
  )

const received = async (to: string) => (await get<Entry[]>('/ledger')).filter((entry) => entry.to.includes(to))

test('A sent email is found by its recipient, newest first, and rendered', async () => {
  await send('ann@example.com', 'First')
  await send('Ann <ANN@example.com>', 'Second <b>')
  await send('bob@example.com', 'Other')
  const messages = await get<Message[]>('/messages?to=ann@example.com')
  expect(messages.map(({ subject }) => subject)).toEqual(['Second <b>', 'First'])
  expect(messages[1]).toMatchObject({
    from: 'shop@example.com',
    to: ['ann@example.com'],
    html: '<b>rich</b>',
    headers: { 'x-effect-id': 'e1' },
  })
  expect(messages[1]?.text).toBe('plain')
  const page = await (await fetch(`${http}/?id=${messages[0]?.id}`)).text()
  expect(page).toContain('<iframe sandbox srcdoc="&#60;b&#62;rich')
  expect(page).not.toContain('Second <b>')
})

test('The page shows dates, is dark where the reader wants it, and finds messages by their words', async () => {
  await send('ivy@example.com', 'Invoice & more')
  await send('ivy@example.com', 'Reminder')
  const shown = async (search: string) => (await fetch(`${http}/?${new URLSearchParams({ q: search })}`)).text()
  const page = await shown('IVY invoice plain')
  expect(page).toMatch(/Invoice &#38; more<\/a> to ivy@example\.com <time datetime="[^"]+">\d{4}-\d\d-\d\d \d\d:\d\d/)
  expect(page).toContain('color-scheme: light dark')
  expect(page).not.toContain('Reminder')
  const none = await shown('"><script>')
  expect(none).toContain('No message.')
  expect(none).not.toContain('"><script>')
})

test('A reader waits for an email and gets it on arrival, or an empty list on timeout', async () => {
  const first = get<Message[]>('/messages/wait?to=cat@example.com&timeout_ms=5000')
  await send('cat@example.com', 'One')
  const [one] = await first
  expect(one?.subject).toBe('One')
  const second = get<Message[]>(`/messages/wait?to=cat@example.com&after=${one?.id}&timeout_ms=5000`)
  const counted = get<Message[]>('/messages/wait?to=cat@example.com&after=1&timeout_ms=5000')
  await send('cat@example.com', 'Two')
  expect((await second).map(({ subject }) => subject)).toEqual(['Two'])
  expect((await counted).map(({ subject }) => subject)).toEqual(['Two'])
  expect((await fetch(`${http}/messages/wait?to=nobody@example.com&timeout_ms=1`)).status).toBe(408)
})

test('An email refused or cut off before the final dot of DATA is not received', async () => {
  await fault({ step: 'connect', action: 'reject', code: 421 })
  expect(await failed('dan@example.com')).toMatchObject({ responseCode: 421 })
  await fault({ step: 'connect', action: 'reset' })
  expect(await failed('dan@example.com')).not.toHaveProperty('responseCode')
  await fault({ step: 'connect', action: 'hang' })
  expect(await failed('dan@example.com', true)).toMatchObject({ code: 'ETIMEDOUT' })
  await fault({ step: 'rcpt', action: 'reject', code: 550, to: 'dan@example.com' })
  expect(await failed('dan@example.com')).toMatchObject({ responseCode: 550, command: 'RCPT TO' })
  await fault({ step: 'data', action: 'reject', code: 451 })
  expect(await failed('dan@example.com')).toMatchObject({ responseCode: 451, command: 'DATA' })
  await fault({ step: 'data', action: 'hang' })
  expect(await failed('dan@example.com', true)).not.toHaveProperty('responseCode')
  await fault({ step: 'data', action: 'reset' })
  expect(await failed('dan@example.com')).not.toHaveProperty('responseCode')
  expect(await received('dan@example.com')).toEqual([])
  await send('dan@example.com')
  expect(await received('dan@example.com')).toMatchObject([{ accepted: true, answered: true }])
})

test('A greylisted pair is refused until it has been known long enough', async () => {
  await fault({ step: 'rcpt', action: 'greylist', to: 'fay@example.com', delay_ms: 600_000 })
  for (const _ of [1, 2])
    expect(await failed('fay@example.com')).toMatchObject({ responseCode: 451, command: 'RCPT TO' })
  await send('gus@example.com')
  await fetch(`${http}/faults`, { method: 'DELETE' })
  await fault({ step: 'rcpt', action: 'greylist', to: 'fay@example.com', delay_ms: 1 })
  await send('fay@example.com')
  expect(await received('fay@example.com')).toHaveLength(1)
})

test('An email without an answer after the final dot was received and is in the ledger on disk', async () => {
  await fault({ step: 'after_data', action: 'hang', to: 'eve@example.com' })
  expect(await failed('eve@example.com', true)).not.toHaveProperty('responseCode')
  await fault({ step: 'after_data', action: 'reset' })
  expect(await failed('eve@example.com')).not.toHaveProperty('responseCode')
  await fault({ step: 'after_data', action: 'reject', code: 554 })
  expect(await failed('eve@example.com')).toMatchObject({ responseCode: 554 })
  const entries = await received('eve@example.com')
  expect(entries).toMatchObject([
    { accepted: true, answered: false },
    { accepted: true, answered: false },
    { accepted: false, answered: true },
  ])
  expect(readFileSync(join(dir, 'mail.jsonl'), 'utf8')).toContain(entries[0]?.message_id)
  expect(await get<Message[]>('/messages?to=eve@example.com')).toHaveLength(2)
})

test('The mail catcher keeps a thousand emails at most and none after deletion', async () => {
  const transport = createTransport({
    host: '127.0.0.1',
    port: smtp,
    secure: false,
    pool: true,
    maxConnections: 4,
    maxMessages: Number.POSITIVE_INFINITY,
  })
  await Promise.all(
    Array.from({ length: 1001 }, () =>
      transport.sendMail({ from: 'a@example.com', to: 'b@example.com', subject: 's', text: 't' }),
    ),
  )
  transport.close()
  expect(await get<Message[]>('/messages')).toHaveLength(1000)
  await fetch(`${http}/messages`, { method: 'DELETE' })
  expect(await get<Message[]>('/messages')).toEqual([])
})

test('A refusal sends the given code and text, or half of them', async () => {
  await fault({ step: 'rcpt', code: 451, message: '4.7.1 come back later', to: 'grey@example.com' })
  await expect(send('grey@example.com')).rejects.toMatchObject({
    responseCode: 451,
    message: expect.stringContaining('4.7.1 come back later'),
  })
  await fault({ step: 'after_data', action: 'cut', code: 250, message: 'queued as 1', to: 'half@example.com' })
  expect((await failed('half@example.com', true)).responseCode).toBeUndefined()
  expect(await received('half@example.com')).toMatchObject([{ accepted: true, answered: false }])
})
