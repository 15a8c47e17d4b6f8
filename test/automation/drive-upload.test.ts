// One PUT uploads a whole file to its path; the verdict follows from the phase and the status, and no credential is
// revealed.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { prepareUpload, sendUpload, type UploadRequest } from '../../activities/automation/drive-upload.ts'
import { closeDatabase, statement } from '../../activities/kit/database.ts'
import { NeverSent, type Sending } from '../../activities/kit/once.ts'
import { newId } from '../../entities/kit/ids.ts'
import { type Drives, s3At, startDrives, webdavAt } from '../kit/automation/drives.ts'
import { database, newShop, type Shop, unique } from '../kit/shop.ts'
import { type Received, type Receiver, startReceiver } from '../kit/webhooks/receiver.ts'

const dir = fs.mkdtempSync(path.join(os.tmpdir(), `tillwright-test-${process.pid}-drives-`))
let shop: Shop
let drives: Drives
let receiver: Receiver
beforeAll(async () => {
  for (const name of ['drives', 'receiver']) fs.mkdirSync(path.join(dir, name))
  ;[shop, drives, receiver] = await Promise.all([
    newShop(),
    startDrives(path.join(dir, 'drives')),
    startReceiver(path.join(dir, 'receiver')),
  ])
})
afterAll(async () => {
  await Promise.all([drives.stop(), receiver.stop(), closeDatabase(), database().end()])
  fs.rmSync(dir, { recursive: true })
})

type Described = { type: string; settings: Record<string, unknown>; credentials: Record<string, string> }
async function connected(drive: Described, of = shop): Promise<string> {
  const { status, body } = await of.asOperator('POST', '/workflow-connections', { key: unique(), ...drive })
  if (status !== 201) throw new Error(`no connection: ${status} ${JSON.stringify(body)}`)
  return body.id
}
const prepared = (
  connection_id: string,
  asked: { folder?: unknown; file_name?: unknown; content?: unknown } = {},
  tenant = shop.store_id,
) =>
  statement((em) =>
    prepareUpload(em, tenant, { connection_id, folder: '', file_name: 'note.txt', content: 'Grüße', ...asked }),
  )
/** The request as it is stored: JSON. */
const thawed = (request: UploadRequest): UploadRequest => JSON.parse(JSON.stringify(request))
const within = (ms = 5_000): Sending => ({
  id: newId(),
  firstByteBy: performance.now() + ms,
  endBy: performance.now() + ms,
})
const uploaded = async (drive: Described, asked: Parameters<typeof prepared>[1] = {}, ms?: number) =>
  sendUpload(thawed(await prepared(await connected(drive), asked)), within(ms))
const refusal = (attempt: Promise<unknown>) =>
  attempt.then(
    () => 'none',
    (error) => (error instanceof NeverSent ? error.reason.code : `not for good: ${error}`),
  )

/** Every kind of character that can break a path or a signature. */
const oddName = "a b+c%20&d=e'(!*)~ü€😀#?.csv"
const text = `Zeile 1\r\nline 2\n\0\u2028${'ü€😀'.repeat(20_000)}`

test('An S3 upload stores the exact bytes under a signature that the drive verifies', async () => {
  const { verdict, output } = await uploaded(drives.s3, {
    folder: 'reports/2030 Q1/',
    file_name: oddName,
    content: text,
  })
  expect(verdict).toEqual({ kind: 'succeeded', evidence: { status: 200 } })
  const name = `reports/2030 Q1/${oddName}`
  const kept = drives.object(name)
  expect([kept?.bytes.equals(Buffer.from(text)), kept?.type]).toEqual([true, 'text/csv; charset=utf-8'])
  expect(output).toEqual({
    path: name,
    bytes: Buffer.byteLength(text),
    url: expect.stringContaining('/uploads/reports/2030%20Q1/a%20b%2B'),
    etag: expect.any(String),
  })
})

test('An S3 upload uses the connection’s prefix and session token', async () => {
  const prefixed = {
    ...drives.s3,
    settings: { ...drives.s3.settings, prefix: 'store/a/' },
    credentials: { ...drives.s3.credentials, session_token: 'tok/en=' },
  }
  const { verdict, output } = await uploaded(prefixed, { folder: 'b' })
  expect([verdict.kind, output?.path]).toEqual(['succeeded', 'store/a/b/note.txt'])
  expect(drives.object('store/a/b/note.txt')?.bytes.toString()).toBe('Grüße')
})

test('A WebDAV upload creates each missing folder once and stores the exact bytes', async () => {
  const asked = { folder: 'reports/2030 Q1/ü', file_name: oddName, content: text }
  const from = drives.ledger().length
  const { verdict, output } = await uploaded(drives.webdav, asked)
  expect(verdict).toEqual({ kind: 'succeeded', evidence: { status: 201 } })
  expect(drives.file(`${asked.folder}/${oddName}`)?.equals(Buffer.from(text))).toBe(true)
  expect(output).toMatchObject({ path: `${asked.folder}/${oddName}`, bytes: Buffer.byteLength(text) })
  const steps = () =>
    drives
      .ledger()
      .slice(from)
      .map(({ method, status }) => `${method} ${status}`)
  expect(steps()).toEqual(['MKCOL 409', 'MKCOL 409', 'MKCOL 201', 'MKCOL 201', 'MKCOL 201', 'PUT 201'])
  expect((await uploaded(drives.webdav, asked)).verdict).toEqual({ kind: 'succeeded', evidence: { status: 204 } })
  expect(steps().slice(6)).toEqual(['MKCOL 405', 'PUT 204'])
})

test.each<[unknown, string, string]>([
  ['', 'empty.bin', 'application/octet-stream'],
  [{ total: 12 }, 'order.JSON', 'application/json'],
  ['x', 'page.html', 'text/html; charset=utf-8'],
  [12, 'README', 'application/octet-stream'],
])('Content %j of a file %s is uploaded as %s', async (content, file_name, type) => {
  for (const drive of [drives.s3, drives.webdav])
    expect((await uploaded(drive, { file_name, content })).verdict.kind).toBe('succeeded')
  const bytes = Buffer.from(typeof content === 'string' ? content : JSON.stringify(content))
  expect(drives.object(file_name)).toEqual({ bytes, type })
  expect(drives.file(file_name)).toEqual(bytes)
})

test('An S3 upload with a wrong secret, unknown key or missing bucket is rejected', async () => {
  const { s3 } = drives
  const cases: [Described, string][] = [
    [{ ...s3, credentials: { ...s3.credentials, secret_access_key: 'wrong-secret' } }, 'SignatureDoesNotMatch'],
    [{ ...s3, credentials: { ...s3.credentials, access_key_id: 'AKIDNOBODY' } }, 'InvalidAccessKeyId'],
  ]
  for (const [drive, provider_code] of cases)
    expect(await uploaded(drive)).toEqual({
      verdict: {
        kind: 'rejected',
        evidence: { status: 403 },
        error: { code: 'drive_status', message: expect.any(String), provider_status: 403, provider_code },
      },
      output: null,
    })
  const nowhere = { ...s3, settings: { ...s3.settings, bucket: 'nowhere' } }
  expect((await uploaded(nowhere)).verdict).toMatchObject({
    kind: 'rejected',
    error: { provider_status: 404, provider_code: 'NoSuchBucket' },
  })
})

test('A WebDAV upload with a wrong password or a missing root is rejected', async () => {
  const wrong = { ...drives.webdav, credentials: { username: 'ada.byron', password: 'wrong' } }
  for (const folder of ['', 'x/y'])
    expect((await uploaded(wrong, { folder })).verdict).toMatchObject({
      kind: 'rejected',
      error: { provider_status: 401 },
    })
  const nowhere = { ...drives.webdav, settings: { url: `${drives.webdav.settings.url}/nowhere` } }
  for (const folder of ['', 'x/y'])
    expect((await uploaded(nowhere, { folder })).verdict).toMatchObject({
      kind: 'rejected',
      error: { provider_status: 409 },
    })
})

describe('Verdicts of uploads', () => {
  const kinds = { s3: () => s3At(`${receiver.url}/${unique()}`), webdav: () => webdavAt(`${receiver.url}/${unique()}`) }
  const putAt = (drive: Described) =>
    new URL(drive.type === 's3' ? `${drive.settings.endpoint}/uploads/note.txt` : `${drive.settings.url}/note.txt`)
      .pathname
  const puts = async (drive: Described): Promise<Received[]> => receiver.arrivals(putAt(drive))

  const statuses: [number, string, string][] = [
    [200, 'succeeded', 'succeeded'],
    [204, 'succeeded', 'succeeded'],
    [301, 'unknown', 'unknown'],
    [304, 'unknown', 'unknown'],
    [307, 'rejected', 'rejected'],
    [308, 'rejected', 'rejected'],
    [400, 'rejected', 'rejected'],
    [403, 'rejected', 'rejected'],
    [404, 'rejected', 'rejected'],
    [408, 'unknown', 'unknown'],
    // S3: a concurrent write. WebDAV: the parent folder is missing.
    [409, 'unknown', 'rejected'],
    [412, 'rejected', 'rejected'],
    [429, 'rejected', 'rejected'],
    [500, 'unknown', 'unknown'],
    [503, 'unknown', 'unknown'],
    [507, 'unknown', 'unknown'],
  ]
  test.each(statuses)(
    'An upload answered with %d is %s at S3 and %s at WebDAV, after one request',
    async (status, ...expected) => {
      for (const [index, type] of (['s3', 'webdav'] as const).entries()) {
        const drive = kinds[type]()
        await receiver.rule(putAt(drive), { status, headers: { location: '/elsewhere' } })
        const { verdict, output } = await uploaded(drive)
        expect([verdict.kind, output !== null]).toEqual([expected[index], status < 300])
        expect(verdict).toMatchObject(
          status < 300 ? { evidence: { status } } : { error: { code: 'drive_status', provider_status: status } },
        )
        expect(await puts(drive)).toMatchObject([{ method: 'PUT', status, body: 'Grüße' }])
      }
    },
  )

  test.each(['reset_before_read', 'reset_after_read', 'hang'] as const)(
    'An upload that ends with %s is unknown and is not sent again',
    async (fault) => {
      for (const type of ['s3', 'webdav'] as const) {
        const drive = kinds[type]()
        await receiver.rule(putAt(drive), { do: fault })
        const { verdict, output } = await uploaded(drive, {}, fault === 'hang' ? 2_000 : 5_000)
        expect([verdict.kind, output]).toEqual(['unknown', null])
        expect(await puts(drive)).toHaveLength(fault === 'reset_before_read' ? 0 : 1)
      }
    },
  )

  test('An upload to a drive that refuses connections is not_sent', async () => {
    const [drive, folders] = [kinds.s3(), kinds.webdav()]
    await receiver.listen(false)
    try {
      expect((await uploaded(drive)).verdict).toMatchObject({ kind: 'not_sent', error: { code: 'egress_not_sent' } })
      expect((await uploaded(folders, { folder: 'a/b' })).verdict).toMatchObject({
        kind: 'not_sent',
        error: { code: 'egress_not_sent' },
      })
    } finally {
      await receiver.listen(true)
    }
  })

  test('An upload is not_sent when creating its folder hangs or the connection breaks', async () => {
    for (const fault of ['hang', 'reset_after_read'] as const) {
      const drive = kinds.webdav()
      const folder = new URL(`${drive.settings.url}/a/`).pathname
      await receiver.rule(folder, { do: fault })
      expect((await uploaded(drive, { folder: 'a' }, 2_000)).verdict).toMatchObject({
        kind: 'not_sent',
        error: { code: 'folder_not_made' },
      })
      expect([
        (await receiver.arrivals(folder)).map(({ method }) => method),
        await receiver.count(folder.replace(/\/$/, '/note.txt')),
      ]).toEqual([['MKCOL'], 0])
    }
  })

  test('Folders that the drive keeps reporting as missing are requested a bounded number of times', async () => {
    const drive = kinds.webdav()
    const { pathname } = new URL(drive.settings.url as string)
    await receiver.rule('*', { status: 409 })
    try {
      expect((await uploaded(drive, { folder: 'a/b/c/d' })).verdict.kind).toBe('rejected')
    } finally {
      await receiver.clear('*')
    }
    const seen = (await receiver.arrivals()).filter((one) => one.path.startsWith(pathname))
    expect(seen.map(({ method }) => method)).toEqual([...Array(4).fill('MKCOL'), 'PUT'])
  })

  test('An upload past its deadline sends nothing', async () => {
    for (const type of ['s3', 'webdav'] as const) {
      const drive = kinds[type]()
      const request = await prepared(await connected(drive))
      expect((await sendUpload(request, within(-1))).verdict.kind).toBe('not_sent')
      expect(await puts(drive)).toEqual([])
    }
  })

  test('An upload is signed when it is sent, because a stored signature would expire', async () => {
    const drive = kinds.s3()
    const request = thawed(await prepared(await connected(drive)))
    expect(JSON.stringify(request)).not.toMatch(/AWS4|X-Amz/i)
    await sendUpload(request, within())
    expect((await puts(drive)).map(({ headers }) => headers.authorization)).toEqual([
      expect.stringMatching(/^AWS4-HMAC-SHA256 /),
    ])
  })

  test('Errors and outputs of uploads contain no credentials and no signature', async () => {
    const echo = '<Error><Code>SignatureDoesNotMatch</Code><StringToSign>AWS4-HMAC-SHA256 s3cr3t</StringToSign></Error>'
    for (const type of ['s3', 'webdav'] as const)
      for (const way of [
        { status: 403, body: echo },
        { status: 500, body: echo },
        { status: 200 },
        { do: 'reset_after_read' as const },
      ]) {
        const drive = kinds[type]()
        await receiver.rule(putAt(drive), way)
        const told = JSON.stringify(await uploaded(drive))
        for (const secret of [...Object.values(drive.credentials), 'AWS4', 's3cr3t', 'Basic '])
          expect(told).not.toContain(secret)
      }
  })
})

test('A connection of another store or a deleted one returns connection_missing', async () => {
  const id = await connected(drives.s3)
  const other = await newShop()
  expect(await refusal(prepared(id, {}, other.store_id))).toBe('connection_missing')
  expect(await refusal(prepared(newId()))).toBe('connection_missing')
  await shop.asOperator('DELETE', `/workflow-connections/${id}`)
  expect(await refusal(prepared(id))).toBe('connection_missing')
})

test.each<[unknown, unknown]>([
  ['..', 'a.txt'],
  ['a/../../b', 'a.txt'],
  ['.', 'a.txt'],
  ['/etc', 'a.txt'],
  ['/', 'a.txt'],
  ['a//b', 'a.txt'],
  ['a\\..\\b', 'a.txt'],
  ['a\0b', 'a.txt'],
  ['a\nb', 'a.txt'],
  ['a\ud800', 'a.txt'],
  [null, 'a.txt'],
  [{ a: 1 }, 'a.txt'],
  ['', true],
  ['', ''],
  ['', '..'],
  ['', 'a/b.txt'],
  ['', 'a.txt/'],
  ['', '/a.txt'],
])('An upload to folder %j and file %j returns path_invalid', async (folder, file_name) => {
  const id = await connected(drives.webdav)
  expect(await refusal(prepared(id, { folder, file_name }))).toBe('path_invalid')
})

test('A segment, path or depth beyond its limit is invalid, also together with the prefix', async () => {
  const id = await connected({ ...drives.s3, settings: { ...drives.s3.settings, prefix: 'p' } })
  const deep = (depth: number) => Array(depth).fill('a').join('/')
  for (const folder of ['a'.repeat(256), deep(16), deep(15), Array(5).fill('ü'.repeat(120)).join('/')])
    expect(await refusal(prepared(id, { folder }))).toBe('path_invalid')
  expect((await prepared(id, { folder: deep(14) })).path).toHaveLength(16)
})

test('Upload content that is malformed or longer than a mebibyte is refused', async () => {
  const id = await connected(drives.s3)
  expect(await refusal(prepared(id, { content: 'half \ud83d' }))).toBe('content_invalid')
  expect(await refusal(prepared(id, { content: 'ü'.repeat(524_289) }))).toBe('content_too_large')
  expect((await prepared(id, { content: 'ü'.repeat(524_288) })).content).toHaveLength(524_288)
})

test('A drive at a private address is refused when the upload is prepared and when it is sent', async () => {
  for (const drive of [
    s3At('http://169.254.169.254', { path_style: true }),
    s3At('https://10.0.0.7:9000', { path_style: true }),
    webdavAt('http://[fd00::1]/dav'),
  ]) {
    expect(await refusal(prepared(await connected(drive)))).toBe('egress_refused')
    const request = { drive, path: ['a', 'x.txt'], content: 'x', content_type: 'text/plain' } as UploadRequest
    expect(await sendUpload(request, within())).toEqual({
      verdict: {
        kind: 'not_sent',
        final: true,
        error: { code: 'egress_refused', message: expect.stringContaining('not public') },
      },
      output: null,
    })
  }
})
