// Files in a bucket behave as files in a folder, against a server that verifies every signature; an unreachable bucket
// returns 503.
import { once } from 'node:events'
import fs from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals'
import { s3Bucket } from '../../adapters/object-storage/s3.ts'
import { script } from '../../dev/parts.ts'
import { until } from '../kit/codes.ts'
import { type Drives, startDrives } from '../kit/drives.ts'
import { fileCases } from '../kit/file-cases.ts'
import { photo, read, rowsOf, send } from '../kit/files.ts'
import { type Lab, startLab } from '../kit/lab.ts'
import { api, database, newShop, type Shop } from '../kit/shop.ts'

jest.setTimeout(60_000)

let lab: Lab
let drives: Drives
let shop: Shop

let env: Record<string, string>
beforeAll(async () => {
  lab = await startLab('media-s3', {}, { queues: ['media', 'mail'] })
  drives = await startDrives(path.join(lab.stack.dir, 'drives'))
  const { settings, credentials } = drives.s3
  env = {
    S3_ENDPOINT: settings.endpoint,
    S3_BUCKET: settings.bucket,
    S3_REGION: settings.region,
    S3_ACCESS_KEY_ID: credentials.access_key_id,
    S3_SECRET_ACCESS_KEY: credentials.secret_access_key,
  }
  await lab.stack.startApi(env)
  process.env.TEST_API_2 = (await lab.stack.startApi(env)).url
  await lab.startWorker(env)
  shop = await newShop()
})
afterAll(async () => {
  await database().end()
  await drives.stop()
  await lab.stop()
})

/** Deletes an object from the bucket without the API. */
const forget = (key: string) => {
  const [tenant_id = '', id = '', name = ''] = key.split('/')
  const {
    S3_ENDPOINT: endpoint = '',
    S3_BUCKET: bucket = '',
    S3_REGION: region = '',
    S3_ACCESS_KEY_ID: accessKeyId = '',
    S3_SECRET_ACCESS_KEY = '',
  } = env
  return s3Bucket({ endpoint, name: bucket, region, accessKeyId, secretAccessKey: S3_SECRET_ACCESS_KEY }).remove(
    { tenant_id, id },
    [name],
  )
}

const kept = (of: Shop) =>
  drives.keys().flatMap((key) => (key.startsWith(of.store_id) ? [key.slice(of.store_id.length + 1)] : []))

describe('Files in a bucket', () => {
  fileCases(() => shop, kept)
})

test('Every call of the bucket is signed, and objects have their content types', async () => {
  const { body } = await send(shop, [{ name: 'a.png', bytes: await photo(50, 50, 'png') }])
  const key = (name: string) => `${shop.store_id}/${body.items[0].id}/${name}`
  expect([drives.object(key('original'))?.type, drives.object(key('large'))?.type]).toEqual(['image/png', 'image/webp'])
  expect(drives.ledger().filter(({ status }) => status === 403)).toEqual([])
})

test('An unreachable bucket returns 503 to uploads and downloads, and keeps no part of a file', async () => {
  const { body } = await send(shop, [{ name: 'a.txt', bytes: 'hello' }])
  const other = await newShop()
  const at = path.join(lab.stack.dir, 'drives', 's3')
  fs.renameSync(path.join(at, 'uploads'), path.join(at, 'elsewhere'))
  const refused = await send(other, [{ name: 'a.txt', bytes: 'hello' }])
  expect([refused.status, refused.body.code]).toEqual([503, 'storage_unavailable'])
  const reading = await read(`${api()}/media/${body.items[0].id}/original`)
  expect([reading.status, JSON.parse(String(reading.bytes)).code]).toEqual([503, 'storage_unavailable'])
  fs.renameSync(path.join(at, 'elsewhere'), path.join(at, 'uploads'))
  await until(async () => (await rowsOf(other)).length === 0 && kept(other).length === 0, 30_000)
})

test('A truncated object of a bucket is not served', async () => {
  const { body } = await send(shop, [{ name: 'a.txt', bytes: 'hello' }])
  const { id } = body.items[0]
  const at = `${api()}/media/${id}/original`
  fs.writeFileSync(
    path.join(lab.stack.dir, 'drives', 's3', 'uploads', encodeURIComponent(`${shop.store_id}/${id}/original`)),
    'hel',
  )
  for (const range of ['', 'bytes=1-4']) {
    const reading = await read(at, range ? { range } : {})
    expect([range, reading.status, JSON.parse(String(reading.bytes)).code]).toEqual([range, 503, 'storage_unavailable'])
  }
})

test('A download without a length that ends early fails', async () => {
  const server = createServer((_, response) => {
    response.write('hel')
    response.end()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const open = (size: number) =>
    s3Bucket({ endpoint, name: 'b', region: 'r', accessKeyId: 'a', secretAccessKey: 's' }).open(
      { tenant_id: 't', id: 'i' },
      'original',
      size,
    )
  expect(await text(await open(3))).toBe('hel')
  await expect(text(await open(5))).rejects.toThrow('ended 2 bytes early')
  server.close()
})

test('An image whose download ends early gets its variants from the next attempt', async () => {
  const fault = {
    path: `/uploads/${shop.store_id}/`,
    method: 'GET',
    headers: { 'content-length': '3' },
    body: 'hel',
    times: 3,
  }
  await fetch(`${env.S3_ENDPOINT}/_sim/faults`, { method: 'POST', body: JSON.stringify(fault) })
  const { body } = await send(shop, [{ name: 'a.jpg', bytes: await photo(700, 500) }])
  const [{ id }] = body.items
  const found = await until(
    async () => (await rowsOf(shop)).find((row) => row.id === id && row.status !== 'processing'),
    30_000,
  )
  expect(found.status).toBe('ready')
})

test('Files of a folder are served from the bucket after they were copied there', async () => {
  const { body } = await send(shop, [{ name: 'moved.txt', bytes: 'from the folder' }])
  const { id } = body.items[0]
  const at = `${api()}/media/${id}/original`
  // As if it had been uploaded before the store used a bucket.
  const folder = path.join(lab.stack.dir, 'copied', shop.store_id, id)
  fs.mkdirSync(folder, { recursive: true })
  fs.writeFileSync(path.join(folder, 'original'), 'from the folder')
  await forget(`${shop.store_id}/${id}/original`)
  expect((await read(at)).status).toBe(404)
  const copy = script('workers/copy-media.ts', [], {
    name: 'copy',
    env: { ...process.env, ...env, MEDIA_DIR: path.join(lab.stack.dir, 'copied') },
  })
  expect([await copy.ended, copy.tail()]).toEqual([0, expect.stringMatching(/^1 files? copied, \d+ are not in/m)])
  expect(await read(at)).toMatchObject({ status: 200 })
  expect(String((await read(at)).bytes)).toBe('from the folder')
})

test('No log contains the secret of the bucket', () => {
  const logs = path.join(lab.stack.dir, 'logs')
  for (const name of fs.readdirSync(logs))
    expect(fs.readFileSync(path.join(logs, name), 'utf8')).not.toContain(drives.s3.credentials.secret_access_key)
})
