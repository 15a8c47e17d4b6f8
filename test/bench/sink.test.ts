// The sink of benches and chaos notes every message of which an octet arrived, with the reply that it was given.
import net from 'node:net'
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { SmtpSession } from '../../activities/providers/smtp.ts'
import { openSink, type Sink } from '../../bench/kit/mail.ts'
import type { SinkFault } from '../../bench/kit/sink.ts'

let sink: Sink
beforeAll(async () => {
  sink = await openSink()
})
afterAll(() => sink.stop())
afterEach(async () => {
  await sink.clearFaults()
  await sink.forget()
})

/** What hangs ends after a second; what is answered may take longer on a busy machine. */
const within = (ms = 10_000) => ({ firstByteBy: performance.now() + ms, endBy: performance.now() + ms })
const open = () => {
  const server = { host: '127.0.0.1', port: sink.port, security: 'none' as const, username: null, password: null }
  return SmtpSession.open(server, async () => ({ socket: net.connect(sink.port, '127.0.0.1'), tls: {} }), within())
}
const message = (id: string, lines = 2_000) =>
  Buffer.from(`Subject: news\r\nMessage-ID: <${id}@shop.example>\r\n\r\n${'.a line of the body\r\n'.repeat(lines)}`)
const send = async (session: SmtpSession, id: string, ms?: number) =>
  (await session.deliver({ from: 'news@shop.example', to: `${id}@a.example` }, message(id), within(ms))).code

test('Messages of one session are noted once each, whole, with their ids and recipients', async () => {
  const session = await open()
  for (const id of ['first', 'second']) expect(await send(session, id)).toBe(250)
  session.quit()
  const ledger = await sink.ledger()
  expect(ledger).toMatchObject(
    ['first', 'second'].map((row) => ({ row, to: `${row}@a.example`, whole: true, code: 250, fault: null })),
  )
  expect(ledger.map(({ bytes }) => bytes)).toEqual(['first', 'second'].map((id) => message(id).length + 2_000 + 3))
  expect(await sink.count()).toBe(2)
})

test.each<[SinkFault, object[]]>([
  [{ at: 'dot', action: 'reply', code: 451 }, [{ row: 'lost', whole: true, code: 451, fault: 'reply' }]],
  [{ at: 'dot', action: 'hang' }, [{ row: 'lost', whole: true, code: null, fault: 'hang' }]],
  [{ at: 'dot', action: 'reset' }, [{ row: 'lost', whole: true, code: null, fault: 'reset' }]],
  [{ at: 'dot', action: 'cut' }, [{ row: 'lost', whole: true, code: null, fault: 'cut' }]],
  [{ at: 'dot', action: 'twice' }, [{ row: 'lost', whole: true, code: 250, fault: 'twice' }]],
  [{ at: 'body', action: 'close' }, [{ row: 'lost', code: null, fault: 'close' }]],
  [{ at: 'data', action: 'twice' }, []],
  [{ at: 'rcpt', action: 'reply', code: 550 }, []],
  [{ at: 'mail', action: 'reset' }, []],
])('A fault %j strikes one message, and the ledger tells what was given', async (fault, noted) => {
  await sink.fault(fault)
  const session = await open()
  await expect(send(session, 'lost', fault.action === 'hang' ? 1_000 : undefined)).rejects.toThrow()
  session.close()
  expect(await sink.ledger()).toMatchObject(noted)
  expect(await sink.ledger()).toHaveLength(noted.length)
  const next = await open()
  expect(await send(next, 'next')).toBe(250)
  next.quit()
})
