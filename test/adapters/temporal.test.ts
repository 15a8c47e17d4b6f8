// Which failures of a start are Temporal's: those rows wait for it, and no try counts. On a real server.
import http2 from 'node:http2'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { Client, Connection } from '@temporalio/client'
import { engineIsAway, startWorkflow } from '../../adapters/temporal.ts'
import { newId } from '../../entities/kit/ids.ts'

let connection: Connection
beforeAll(async () => {
  connection = await Connection.connect({ address: process.env.TEMPORAL_ADDRESS as string })
})
afterAll(async () => {
  await connection.close()
})

const row = (row_id: string = newId()) => ({ kind: 'script' as const, row_id, tenant_id: null })

async function failureOf(client: Client, started = row()): Promise<unknown> {
  try {
    await startWorkflow(client, started)
  } catch (error) {
    return error
  }
  throw new Error('it was started')
}

test('A namespace that the server does not have fails the start of any row', async () => {
  const failure = await failureOf(new Client({ connection, namespace: 'none-of-this-name' }))
  expect([engineIsAway(failure), String(failure)]).toEqual([true, expect.stringContaining('none-of-this-name')])
})

test('A start whose content the server refuses fails by itself', async () => {
  const failure = await failureOf(new Client({ connection, namespace: 'default' }), row('x'.repeat(2_000)))
  expect([engineIsAway(failure), String(failure)]).toEqual([false, expect.any(String)])
})

test('An error of our own is none of the server', () => {
  expect(engineIsAway(new TypeError('x is undefined'))).toBe(false)
})

test.each([
  [1, 'CANCELLED', true],
  [3, 'INVALID_ARGUMENT', false],
  [4, 'DEADLINE_EXCEEDED', true],
  [7, 'PERMISSION_DENIED', true],
  [9, 'FAILED_PRECONDITION', true],
  [12, 'UNIMPLEMENTED', true],
  [16, 'UNAUTHENTICATED', true],
])('The status %d %s of a server', async (status, _, isAway) => {
  const server = http2.createServer()
  server.on('stream', (stream) => {
    stream.respond({ ':status': 200, 'content-type': 'application/grpc', 'grpc-status': status }, { endStream: true })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const own = Connection.lazy({ address, connectTimeout: 1_000 })
  try {
    expect(engineIsAway(await failureOf(new Client({ connection: own })))).toBe(isAway)
  } finally {
    await own.close()
    server.close()
  }
})
