// One call is one HTTP/1.1 request on one connection, even where the server offers HTTP/2. No library below sends it
// again, and a connection that timed out is not reused.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { withoutSources } from '../../activities/providers/call.ts'
import { script } from '../../dev/parts.ts'
import { type Front, startFront } from '../kit/stack/front.ts'
import { type Receiver, startReceiver } from '../kit/webhooks/receiver.ts'

const dir = fs.mkdtempSync(path.join(os.tmpdir(), `tillwright-test-${process.pid}-front-`))
let receiver: Receiver
let front: Front
beforeAll(async () => {
  receiver = await startReceiver(dir)
  await receiver.rule('*', { body: { object: 'refund', id: 're_1', status: 'succeeded' } })
  front = await startFront(dir, Number(new URL(receiver.url).port))
})
afterAll(async () => {
  await front.stop()
  await receiver.stop()
  fs.rmSync(dir, { recursive: true, force: true })
})

/** The outcome of each call, made in a child process that trusts the certificate of the front. */
const called = (...calls: string[]): Promise<string[]> => calledAt(`https://localhost:${front.port}`, calls)

async function calledAt(base: string, calls: string[]): Promise<string[]> {
  const kinds: string[] = []
  const child = script('test/kit/effects/calls.ts', calls, {
    name: 'calls',
    env: { ...process.env, ...front.env, STRIPE_API_BASE: base, SOCIAL_API_BASE: base },
    onLine: (line) => line.startsWith('{"call"') && kinds.push((JSON.parse(line) as { kind: string }).kind),
  })
  expect([await child.ended, child.tail()]).toEqual([0, expect.any(String)])
  return kinds
}

test('Every client uses HTTP/1.1 with a server that prefers HTTP/2', async () => {
  expect(await called('stripe', 'stripe', 's3', 'egress', 'read')).toEqual(Array(5).fill('succeeded'))
  const log = await front.drain()
  expect(log.map(({ version, method }) => `${method} ${version}`)).toEqual([
    'POST 1.1',
    'POST 1.1',
    'DELETE 1.1',
    'POST 1.1',
    'GET 1.1',
  ])
})

test.each(['goaway', 'refuse_stream'] as const)(
  'A server that answers HTTP/2 with %s receives each call once',
  async (how) => {
    await front.fault({ do: how, times: 9 })
    expect(await called('stripe', 's3', 'egress')).toEqual(Array(3).fill('succeeded'))
    expect((await front.drain()).map(({ met }) => met)).toEqual([null, null, null])
  },
)

test('A call without an answer is unknown, and the next calls succeed on a new connection', async () => {
  await front.fault({ do: 'silent' })
  expect(await called('stripe:3000', 'stripe', 'stripe')).toEqual(['unknown', 'succeeded', 'succeeded'])
  const [first, ...others] = await front.drain()
  expect([first?.met, ...others.map(({ met }) => met)]).toEqual(['silent', null, null])
  for (const { connection } of others) expect(connection).not.toBe(first?.connection)
})

test('The clients of effects reuse no connection, which a server may be closing', async () => {
  const calls = ['stripe', 'social', 'social_renewal', 'egress']
  await receiver.reused('all')
  const kinds = await calledAt(receiver.url, [...calls, ...calls])
  await receiver.reused('none')
  expect(kinds).toEqual(Array(8).fill('succeeded'))
})

test('A call whose TLS handshake exceeds its limit is not_sent, and nothing arrives later', async () => {
  await front.fault({ do: 'slow_handshake', ms: 1_200 })
  expect(await called('stripe:400', 'stripe')).toEqual(['not_sent', 'succeeded'])
  expect((await front.drain()).length).toBe(1)
})

test('A failed TLS handshake is reported by its reason, without source file paths', () => {
  const version =
    'C0E8ADB4D27F0000:error:0A00010B:SSL routines:tls_validate_record_header:wrong version number:ssl/record/methods/tlsany_meth.c:84:\n'
  const two = `write EPROTO ${version}C0E8:error:0A000410:SSL routines:ssl3_read_bytes:ssl/tls alert handshake failure:ssl/record/rec_layer_s3.c:916:SSL alert number 40\n`
  expect(withoutSources(version)).toBe('TLS: wrong version number')
  expect(withoutSources(two)).toBe('write EPROTO TLS: wrong version number; TLS: ssl/tls alert handshake failure')
  for (const plain of [
    'self-signed certificate',
    'connect ECONNREFUSED 127.0.0.1:1',
    "Hostname/IP does not match certificate's altnames",
  ])
    expect(withoutSources(plain)).toBe(plain)
})
