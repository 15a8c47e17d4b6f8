// What a failed round prints is needed where nothing else is known: each of its statements must run on today's schema.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { Connection } from '@temporalio/client'
import { database, newShop } from '../kit/shop.ts'
import { diagnose } from './diagnosis.ts'

let engine: Connection
let logs: string

beforeAll(async () => {
  engine = await Connection.connect({ address: process.env.TEMPORAL_ADDRESS as string })
  logs = fs.mkdtempSync(path.join(os.tmpdir(), 'diagnosis-'))
})
afterAll(async () => {
  await engine.close()
  fs.rmSync(logs, { recursive: true })
})

test('The diagnosis of a round names its open rows and warnings of workers, and reads workflows', async () => {
  const { store_id } = await newShop()
  await database().query(
    `insert into campaigns (id, tenant_id, created_at, updated_at, name, status, mailbox_ids, steps, variables)
     values (gen_random_uuid(), $1, 1, 1, 'News', 'paused', '[]', '[]', '{}')`,
    [store_id],
  )
  fs.writeFileSync(
    path.join(logs, 'worker-1.log'),
    '{"level":40,"time":"2001-01-01T00:00:00.000Z","msg":"old"}\n{"level":40,"time":"2099-01-01T00:00:00.000Z","msg":"new"}\n',
  )
  const lines = await diagnose({ db: database(), logs }, engine, [store_id], Date.now())
  expect(lines.filter((line) => line.includes('could not be read'))).toEqual([])
  expect(lines.filter((line) => line.startsWith('campaign '))).toEqual([expect.stringContaining('"status":"paused"')])
  expect(lines.filter((line) => line.startsWith('worker-1.log'))).toEqual([expect.stringContaining('"msg":"new"')])
})
