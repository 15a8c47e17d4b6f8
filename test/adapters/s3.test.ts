// Files in a bucket behave as files in a folder, against a server that verifies every signature; an unreachable bucket
// returns 503.
import { once } from 'node:events'
import fs from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals'
import type { Source } from '../../adapters/object-storage/bucket.ts'
import { type S3Options, s3Bucket } from '../../adapters/object-storage/s3.ts'
import { script } from '../../dev/parts.ts'
import { type Drives, startDrives } from '../kit/automation/drives.ts'
import { until } from '../kit/codes.ts'
import { fileCases } from '../kit/content/file-cases.ts'
import { photo, read, rowsOf, send, sha256 } from '../kit/content/files.ts'
import { api, database, newShop, type Shop } from '../kit/shop.ts'
import { type Lab, startLab } from '../kit/stack/lab.ts'

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

/** The bucket without the API. */
const bucketWith = (credentials: S3Options['credentials']) => {
  const { endpoint, bucket, region } = drives.s3.settings
  return s3Bucket({ endpoint, name: bucket, region, credentials })
}
const keys = () => ({
  accessKeyId: drives.s3.credentials.access_key_id,
  secretAccessKey: drives.s3.credentials.secret_access_key,
})
const forget = (key: string) => {
  const [tenant_id = '', id = '', name = ''] = key.split('/')
  return bucketWith(keys()).remove({ tenant_id, id }, [name])
}
/** A file on this machine, of more than one chunk. */
const source = (): Source => {
  const file = path.join(lab.stack.dir, 'source')
  fs.writeFileSync(file, Buffer.alloc(300_000, 'abc'))
  return { path: file, size: 300_000, digest: sha256(fs.readFileSync(file)), mime_type: 'text/plain' }
}
/** Sets variables of the environment while the work runs. */
async function withEnvironment<T>(more: Record<string, string>, work: () => Promise<T>): Promise<T> {
  const before = { ...process.env }
  // Files of the machine's own profile are not read.
  Object.assign(process.env, { AWS_CONFIG_FILE: '/none', AWS_SHARED_CREDENTIALS_FILE: '/none', ...more })
  try {
    return await work()
  } finally {
    for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name]
    Object.assign(process.env, before)
  }
}
const addFault = (fault: Record<string, unknown>) =>
  fetch(`${env.S3_ENDPOINT}/_sim/faults`, { method: 'POST', body: JSON.stringify(fault) })

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

test('An upload that the bucket refuses for now is repeated with the whole file', async () => {
  await addFault({ path: '/uploads/t/repeated', method: 'PUT', status: 503, body: '<Error><Code>SlowDown', times: 2 })
  const file = source()
  await bucketWith(keys()).put({ tenant_id: 't', id: 'repeated' }, 'original', file)
  expect(sha256(drives.object('t/repeated/original')?.bytes as Buffer)).toBe(file.digest)
})

test('A refusal of the bucket is reported by its status and code, without its text', async () => {
  const refusedWith = async (status: number, code: string, times: number) => {
    const body = `<Error><Code>${code}</Code><Message>its text</Message></Error>`
    await addFault({ path: '/uploads/t/refused', status, times, body })
    const put = bucketWith(keys()).put({ tenant_id: 't', id: 'refused' }, 'original', source())
    return put.catch((error: Error) => (error.cause as Error).message)
  }
  expect(await refusedWith(403, 'AccessDenied', 1)).toBe('PUT: the bucket answered 403 AccessDenied')
  expect(await refusedWith(500, 'InternalError', 3)).toBe('PUT: the bucket answered 500 InternalError')
})

test('Without keys the credentials of the environment, or of a role, sign the calls', async () => {
  const { accessKeyId, secretAccessKey } = keys()
  const file = source()
  const put = (id: string) => bucketWith(null).put({ tenant_id: 't', id }, 'original', file)
  await withEnvironment({ AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey }, () =>
    put('environment'),
  )
  let asked = 0
  const role = createServer((_, response) => {
    asked++
    const ofRole = { AccessKeyId: accessKeyId, SecretAccessKey: secretAccessKey, Token: 'session' }
    response.end(JSON.stringify({ ...ofRole, Expiration: '2100-01-01T00:00:00Z' }))
  })
  await once(role.listen(0, '127.0.0.1'), 'listening')
  const address = `http://127.0.0.1:${(role.address() as AddressInfo).port}/`
  await withEnvironment({ AWS_CONTAINER_CREDENTIALS_FULL_URI: address }, () => put('role'))
  role.close()
  expect(asked).toBe(1)
  expect(['environment', 'role'].map((id) => drives.object(`t/${id}/original`)?.bytes.length)).toEqual([
    300_000, 300_000,
  ])
})

test('A refusal of credentials with 404 does not say that a file is missing', async () => {
  const tokens = createServer((_, response) => response.writeHead(404).end())
  await once(tokens.listen(0, '127.0.0.1'), 'listening')
  const token = path.join(lab.stack.dir, 'token')
  fs.writeFileSync(token, 'a.b.c')
  const ofService = {
    AWS_ROLE_ARN: 'arn:aws:iam::123456789012:role/media',
    AWS_WEB_IDENTITY_TOKEN_FILE: token,
    AWS_ENDPOINT_URL_STS: `http://127.0.0.1:${(tokens.address() as AddressInfo).port}`,
  }
  const open = () => bucketWith(null).open({ tenant_id: 't', id: 'i' }, 'original', 1)
  await expect(withEnvironment(ofService, open)).rejects.toMatchObject({
    cause: { message: 'GET: no credentials: NotFound' },
  })
  tokens.close()
})

test('A missing source fails the upload and not the process', async () => {
  const missing = { ...source(), path: path.join(lab.stack.dir, 'missing') }
  await expect(bucketWith(keys()).put({ tenant_id: 't', id: 'i' }, 'original', missing)).rejects.toThrow(
    'storage is unavailable',
  )
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
    s3Bucket({ endpoint, name: 'b', region: 'r', credentials: { accessKeyId: 'a', secretAccessKey: 's' } }).open(
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
  await addFault(fault)
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
