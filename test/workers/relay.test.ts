// One start that Temporal refuses delays no other, an outage counts against no row and is not asked at full speed, and
// what failed is recorded in Temporal's words. A server in the place of Temporal answers as each test wants.
import http2 from 'node:http2'
import type { AddressInfo } from 'node:net'
import zlib from 'node:zlib'
import { afterAll, beforeAll, beforeEach, expect, jest, test } from '@jest/globals'
import { Client } from '@temporalio/client'
import { NativeConnection } from '@temporalio/worker'
import { newId } from '../../entities/kit/ids.ts'
import { reconciler } from '../../workers/reconciler.ts'
import { relay } from '../../workers/relay.ts'
import { until } from '../kit/codes.ts'
import { ownDatabase } from '../kit/database/own-database.ts'

jest.setTimeout(120_000)

type Refusal = { code: number; details: string }
type Request = { body: Buffer; refusal: Refusal | null }

const own = ownDatabase('relay')
let connection: NativeConnection
let client: Client
let refusalOf: (body: Buffer) => Refusal | null = () => null
let requests: Request[] = []

const server = http2.createServer()
server.on('stream', (stream, headers) => {
  stream.on('error', () => {})
  const chunks: Buffer[] = []
  stream.on('data', (chunk: Buffer) => chunks.push(chunk))
  stream.on('end', () => {
    // A message of gRPC: one byte that says whether it is compressed, four bytes of length.
    const message = Buffer.concat(chunks)
    const body = message[0] === 1 ? zlib.gunzipSync(message.subarray(5)) : message.subarray(5)
    const isStart = !String(headers[':path']).includes('GetSystemInfo')
    const refusal = isStart ? refusalOf(body) : null
    if (isStart) requests.push({ body, refusal })
    const answer = { ':status': 200, 'content-type': 'application/grpc' }
    if (refusal) {
      const { code, details } = refusal
      stream.respond({ ...answer, 'grpc-status': String(code), 'grpc-message': details }, { endStream: true })
      return
    }
    stream.respond(answer, { waitForTrailers: true })
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }))
    stream.end(Buffer.alloc(5))
  })
})

beforeAll(async () => {
  await own.orm.migrator.up()
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  connection = await NativeConnection.connect({ address: `127.0.0.1:${(server.address() as AddressInfo).port}` })
  client = new Client({ connection, namespace: 'default' })
}, 60_000)
afterAll(async () => {
  await connection.close()
  server.close()
})
beforeEach(async () => {
  await own.db.query('delete from outbox')
  refusalOf = () => null
  requests = []
})

async function insert(count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, newId)
  await own.db.query(
    `insert into outbox (id, tenant_id, kind, row_id) select gen_random_uuid(), null, 'script', unnest($1::uuid[])`,
    [ids],
  )
  return ids
}
const rowOf = async (rowId: string) =>
  (await own.db.query('select tries, parked, error from outbox where row_id = $1', [rowId])).rows[0]
const isStarted = (id: string) => requests.some(({ body, refusal }) => refusal === null && body.includes(id))

async function whileRelaying<T>(work: () => Promise<T>, prepare = async (): Promise<void> => {}): Promise<T> {
  const over = new AbortController()
  const running = relay(own.orm, client, prepare, over.signal)
  try {
    return await work()
  } finally {
    over.abort()
    await running
  }
}

test.each([
  [8, 'RESOURCE_EXHAUSTED'],
  [13, 'INTERNAL'],
])('A start that alone is answered with %d %s counts, says why, and others are started', async (code) => {
  const [bad] = (await insert(1)) as [string]
  refusalOf = (body) => (body.includes(bad) ? { code, details: 'the reason' } : null)
  // After many tries, too, it is not parked.
  await own.db.query('update outbox set tries = 30')
  await whileRelaying(async () => {
    const others: string[] = []
    const row = await until(async () => {
      others.push(...(await insert(1)))
      const found = await rowOf(bad)
      return found.error !== null && found
    }, 60_000)
    expect(row).toEqual({ tries: 31, parked: false, error: expect.stringMatching(/^(8|13|4): ./) })
    await until(async () => others.every(isStarted), 30_000)
  })
})

test('An outage counts against no row, and is not asked at full speed', async () => {
  const ids = await insert(300)
  refusalOf = () => ({ code: 16, details: 'Request unauthorized.' })
  await whileRelaying(async () => {
    const since = performance.now()
    await until(async () => requests.length >= 75, 30_000)
    const rounds = Math.ceil((performance.now() - since) / 1_000) + 1
    // A lease takes 25 rows without a tenant.
    expect(requests.length).toBeLessThanOrEqual(25 * rounds)
  })
  const { rows } = await own.db.query(
    'select max(tries) as tries, bool_or(parked) as parked, count(*)::int as count from outbox',
  )
  expect(rows).toEqual([{ tries: 0, parked: false, count: 300 }])
  refusalOf = () => null
  await whileRelaying(() => until(async () => ids.every(isStarted), 60_000))
})

test('A namespace without our search attributes gets them, and no try counts', async () => {
  const details = 'Namespace default has no mapping defined for search attribute Kind'
  const [id] = (await insert(1)) as [string]
  let found: unknown
  let isPrepared = false
  refusalOf = () => (isPrepared ? null : { code: 3, details })
  await whileRelaying(
    () => until(async () => isStarted(id), 30_000),
    async () => {
      found = await rowOf(id)
      isPrepared = true
    },
  )
  expect(found).toEqual({ tries: 0, parked: false, error: null })
})

test('The reconciler starts what is behind a row whose start fails, and stops where all fail', async () => {
  const ids = Array.from({ length: 5 }, newId).sort()
  for (const id of ids)
    await own.db.query(
      `insert into mails (id, created_at, updated_at, kind, status, attempt, fingerprint)
       values ($1, 5, 5, 'code', 'requested', 0, '')`,
      [id],
    )
  const reconciling = async (work: () => Promise<unknown>) => {
    const over = new AbortController()
    const running = reconciler(own.orm, client, over.signal)
    await work()
    over.abort()
    await running
  }
  refusalOf = (body) => (body.includes(ids[0] as string) ? { code: 9, details: 'the reason' } : null)
  await reconciling(() => until(async () => ids.slice(1).every(isStarted), 60_000))
  expect(isStarted(ids[0] as string)).toBe(false)

  requests = []
  refusalOf = () => ({ code: 16, details: 'Request unauthorized.' })
  await reconciling(() => until(async () => requests.length >= 3, 60_000))
  expect(ids.filter((id) => requests.some(({ body }) => body.includes(id)))).toHaveLength(3)
})
