// An upload that breaks off, is too large or loses its worker leaves nothing behind, and every accepted upload is
// finished.
import fs from 'node:fs'
import { request } from 'node:http'
import net from 'node:net'
import path from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, jest, test } from '@jest/globals'
import type { Process } from '../../dev/parts.ts'
import { newId } from '../../entities/kit/ids.ts'
import { until } from '../kit/codes.ts'
import { blackPng, keptIn, photo, read, rowsOf, type Sent, send, wireOf } from '../kit/content/files.ts'
import { api, database, newShop, type Shop } from '../kit/shop.ts'
import { type Lab, startLab } from '../kit/stack/lab.ts'

jest.setTimeout(120_000)

let lab: Lab
let folder: string
let temporary: string
let server: Process
let worker: Process
let shop: Shop

beforeAll(async () => {
  lab = await startLab('media', { RECONCILE_EVERY_MS: '500', ANSWER_WAIT_MS: '20000' }, { queues: ['media', 'mail'] })
  folder = lab.stack.env.MEDIA_DIR as string
  temporary = path.join(lab.stack.dir, 'tmp')
  fs.mkdirSync(temporary)
  server = await lab.stack.startApi({ TMPDIR: temporary, ANSWER_WAIT_MS: '20000' })
  worker = await lab.startWorker({ TMPDIR: temporary })
  database().on('error', () => {})
})
beforeEach(async () => {
  shop = await newShop()
})
afterAll(async () => {
  await database().end()
  await lab.stop()
})

const left = async () => ({
  rows: await rowsOf(shop),
  files: keptIn(folder, shop),
  temporary: fs.readdirSync(temporary),
})
const nothing = { rows: [], files: [], temporary: [] }
/** Nothing is left: the row is deleted last. */
const nothingLeft = () => until(async () => JSON.stringify(await left()) === JSON.stringify(nothing))
const statusOf = async (id: string) => (await rowsOf(shop)).find((row) => row.id === id)?.status
const mebibytes = (count: number) => Buffer.alloc(count * 1024 * 1024, 'x')
/** The peak memory of a process, in MiB. */
const peakOf = ({ pid }: Process) =>
  Number(/VmHWM:\s+(\d+)/.exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
const forgetPeak = ({ pid }: Process) => fs.writeFileSync(`/proc/${pid}/clear_refs`, '5')

test('A store’s image is processed between the twenty that another store sent before', async () => {
  const [bytes, other] = [await photo(2_400, 1_800), await newShop()]
  const many = send(
    shop,
    Array.from({ length: 20 }, (_, n) => ({ name: `${n}.jpg`, bytes })),
  )
  await until(async () => (await rowsOf(shop)).filter(({ status }) => status === 'processing').length > 15, 30_000)
  expect((await send(other, [{ name: 'one.jpg', bytes }])).body.items[0].status).toBe('ready')
  expect((await rowsOf(shop)).filter(({ status }) => status === 'ready').length).toBeLessThan(15)
  await many
  // Those that the answer did not wait for: the next tests look at the worker's temporary files.
  await until(async () => (await rowsOf(shop)).every(({ status }) => status === 'ready'), 60_000)
})

test('An upload above 50 MiB is refused by file name, and one of 50 MiB is streamed', async () => {
  forgetPeak(server)
  const before = peakOf(server)
  const whole = await send(shop, [{ name: 'film.bin', bytes: mebibytes(50) }])
  expect([whole.status, whole.body.items?.[0].size]).toEqual([201, 50 * 1024 * 1024])
  expect(peakOf(server) - before).toBeLessThan(64)
  const { body } = await send(shop, [
    { name: 'a.txt', bytes: 'hello' },
    { name: 'more.bin', bytes: mebibytes(51) },
  ])
  expect(body).toMatchObject({
    status: 413,
    code: 'too_large',
    detail: '"more.bin" is larger than 50 MiB.',
    errors: [{ pointer: '/files/1' }],
  })
  await shop.asOperator('DELETE', `/media/${whole.body.items[0].id}`)
  await nothingLeft()
})

test('A client that reads only after sending everything gets 413', async () => {
  const body = wireOf([{ name: 'more.bin', bytes: mebibytes(60) }], 'x')
  const { hostname, port } = new URL(api())
  const socket = net.connect(Number(port), hostname)
  const head = [
    `POST /v1/stores/${shop.store_id}/media HTTP/1.1`,
    'Host: x',
    `Authorization: ${shop.op.headers.authorization}`,
    'Content-Type: multipart/form-data; boundary=x',
    `Content-Length: ${body.length}`,
    '',
    '',
  ]
  await new Promise<void>((sent) => socket.write(Buffer.concat([Buffer.from(head.join('\r\n')), body]), () => sent()))
  const answer = await new Promise<string>((done) => socket.once('data', (bytes) => done(String(bytes))))
  expect(answer).toMatch(/^HTTP\/1\.1 413 /)
  socket.destroy()
  await nothingLeft()
})

test.each<[string, Sent[], number, string]>([
  ['21 files', Array.from({ length: 21 }, (_, n) => ({ name: `${n}.txt`, bytes: 'x' })), 422, 'too_many_files'],
  ['no file', [], 422, 'required'],
  ['a file without bytes', [{ name: 'a.txt', bytes: '' }], 422, 'invalid_input'],
  ['another field', [{ name: 'a.txt', bytes: 'x', field: 'file' }], 422, 'invalid_input'],
])('An upload of %s is refused', async (_, files, status, code) => {
  const { body } = await send(shop, files)
  expect([body.status, body.code]).toEqual([status, code])
  await nothingLeft()
})

test('Malformed upload bodies return 4xx', async () => {
  const post = async (type: string, body: string) => {
    const headers = { ...shop.op.headers, 'content-type': type }
    const answer = await fetch(`${api()}/v1/stores/${shop.store_id}/media`, { method: 'POST', headers, body })
    return [answer.status, ((await answer.json()) as { code: string }).code]
  }
  const form = 'multipart/form-data; boundary=x'
  expect(await post('application/json', '{}')).toEqual([415, 'unsupported_media_type'])
  expect(await post('multipart/form-data', '--x--')).toEqual([400, 'malformed_multipart'])
  expect(await post(form, 'nonsense')).toEqual([400, 'malformed_multipart'])
  expect(
    await post(form, '--x\r\nContent-Disposition: form-data; name="files"; filename="a.txt"\r\n\r\nhalf a'),
  ).toEqual([400, 'malformed_multipart'])
  expect(await post(form, '--x\r\nContent-Disposition: form-data; name="files"\r\n\r\nhello\r\n--x--\r\n')).toEqual([
    422,
    'invalid_name',
  ])
  expect(await post(form, '--x\r\nContent-Disposition: form-data; name="note"\r\n\r\nhello\r\n--x--\r\n')).toEqual([
    422,
    'invalid_input',
  ])
  await nothingLeft()
})

test('An image with too many pixels is refused without decoding it', async () => {
  const bomb = blackPng(30_000, 30_000)
  await send(shop, [{ name: 'warm.png', bytes: await photo(100, 100, 'png') }])
  forgetPeak(worker)
  const before = peakOf(worker)
  const answers = await Promise.all(Array.from({ length: 4 }, () => send(shop, [{ name: 'bomb.png', bytes: bomb }])))
  expect(answers.map(({ body }) => body.code)).toEqual(Array.from({ length: 4 }, () => 'image_too_large'))
  expect(peakOf(worker) - before).toBeLessThan(64)
})

test.each([0.001, 0.3, 0.9, 0.9999])('An upload that breaks off after %f of its bytes leaves nothing', async (part) => {
  const body = wireOf(
    [
      { name: 'a.jpg', bytes: await photo(800, 600) },
      { name: 'b.bin', bytes: mebibytes(8) },
    ],
    'x',
  )
  const sending = request(`${api()}/v1/stores/${shop.store_id}/media`, {
    method: 'POST',
    headers: { ...shop.op.headers, 'content-type': 'multipart/form-data; boundary=x', 'content-length': body.length },
  })
  sending.on('error', () => {})
  await new Promise((sent) => sending.write(body.subarray(0, Math.ceil(body.length * part)), sent))
  // The connection closes only after the request has been read.
  await until(async () => fs.readdirSync(temporary).length > 0)
  sending.destroy()
  await nothingLeft()
})

test('Of twenty concurrent uploads the valid ones are stored in full, the others not at all', async () => {
  const good = await photo(600, 400)
  const bad: Sent[] = [
    { name: 'half.jpg', bytes: good.subarray(0, good.length / 2) },
    { name: 'bomb.png', bytes: blackPng(20_000, 20_000) },
    { name: 'photo.png', bytes: '<!doctype html><p>' },
  ]
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, n) => {
      const one = { name: `${n}.jpg`, bytes: good }
      return send(shop, n % 4 === 3 ? [one, bad[(n >> 2) % 3] as Sent] : [one])
    }),
  )
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, (_, n) => (n % 4 === 3 ? 422 : 201)))
  const kept = answers.flatMap(({ body }) => body.items ?? []).map(({ id }) => id as string)
  await until(async () => (await rowsOf(shop)).length === kept.length)
  expect((await rowsOf(shop)).every(({ id, status }) => kept.includes(id) && status === 'ready')).toBe(true)
  expect(keptIn(folder, shop)).toEqual(
    kept.flatMap((id) => ['large', 'medium', 'original', 'thumbnail'].map((name) => `${id}/${name}`)).sort(),
  )
  await until(async () => fs.readdirSync(temporary).length === 0)
})

test('A killed worker’s image is finished by another worker', async () => {
  const next = await lab.startWorker({ TMPDIR: temporary })
  lab.failAt('media-kept', 'media', 'kill')
  const { status, body } = await send(shop, [{ name: 'a.jpg', bytes: await photo(500, 400) }])
  expect(status).toBe(201)
  await lab.failed('media-kept', 'media')
  await until(async () => (await statusOf(body.items[0].id)) === 'ready', 60_000)
  expect(keptIn(folder, shop)).toHaveLength(4)
  const [dead, alive] = worker.child.running() ? [next, worker] : [worker, next]
  expect(dead.child.running()).toBe(false)
  worker = alive
  // The temporary files of a dead worker are removed with its machine.
  for (const name of fs.readdirSync(temporary)) fs.rmSync(path.join(temporary, name), { recursive: true })
})

test('A worker whose image is deleted meanwhile removes what it made', async () => {
  lab.failAt('media-kept', 'media', 'wait:5000')
  const sending = send(shop, [{ name: 'a.jpg', bytes: await photo(500, 400) }])
  await lab.failed('media-kept', 'media')
  const [row] = await rowsOf(shop)
  expect((await shop.asOperator('GET', `/media/${row?.id}`)).body.status).toBe('processing')
  expect((await read(`${api()}/media/${row?.id}/original`)).status).toBe(404)
  expect((await shop.asOperator('DELETE', `/media/${row?.id}`)).status).toBe(200)
  expect((await shop.asOperator('GET', `/media/${row?.id}`)).status).toBe(404)
  expect((await sending).status).toBe(201)
  await nothingLeft()
})

test('A slow worker whose file was removed meanwhile leaves nothing of it', async () => {
  lab.failAt('media', 'media', 'wait:5000')
  const sending = send(shop, [{ name: 'a.jpg', bytes: await photo(500, 400) }])
  await lab.failed('media', 'media')
  await database().query('delete from media where tenant_id = $1', [shop.store_id])
  fs.rmSync(path.join(folder, shop.store_id), { recursive: true })
  await sending
  await nothingLeft()
})

test('An upload is accepted as processing while Temporal is down, and ready afterwards', async () => {
  await lab.stack.temporal.stop()
  const image = await photo(500, 400)
  // Each request waits as long as an answer may take.
  const [{ status, body }, broken] = await Promise.all([
    send(shop, [
      { name: 'a.jpg', bytes: image },
      { name: 'a.txt', bytes: 'hello' },
    ]),
    send(shop, [{ name: 'half.jpg', bytes: image.subarray(0, 9_000) }]),
  ])
  expect([status, body.items.map((item: { status: string }) => item.status)]).toEqual([201, ['processing', 'ready']])
  expect([broken.status, broken.body.items[0].status]).toEqual([201, 'processing'])
  await shop.asOperator('DELETE', `/media/${body.items[1].id}`)
  await lab.stack.temporal.start()
  await until(async () => (await statusOf(body.items[0].id)) === 'ready', 60_000)
  await until(async () => (await statusOf(body.items[1].id)) === undefined, 60_000)
  // No request waited for it: the broken file stays listed until it is swept.
  await until(async () => (await statusOf(broken.body.items[0].id)) === 'failed', 60_000)
  expect((await shop.asOperator('GET', `/media/${broken.body.items[0].id}`)).body).toMatchObject({
    status: 'failed',
    error: { code: 'image_broken' },
  })
})

test('Unfinished uploads are deleted after an hour and failed ones after a day', async () => {
  const now = Math.floor(Date.now() / 1000)
  const ids = [newId(), newId(), newId(), newId()]
  for (const [index, [status, age]] of [
    ['uploading', 3_700],
    ['uploading', 3_000],
    ['failed', 87_000],
    ['failed', 80_000],
  ].entries() as ArrayIterator<[number, [string, number]]>) {
    await database().query(
      `insert into media (id, tenant_id, created_at, updated_at, name, mime_type, family, size, digest, status, variants)
         values ($1, $2, $3, $3, 'a', 'image/png', 'image', 1, '', $4, '{"original": {}}')`,
      [ids[index], shop.store_id, now - age, status],
    )
    fs.mkdirSync(path.join(folder, shop.store_id, ids[index] as string), { recursive: true })
    fs.writeFileSync(path.join(folder, shop.store_id, ids[index] as string, '.original.half'), 'x')
  }
  await until(async () => (await rowsOf(shop)).length === 2, 30_000)
  expect((await rowsOf(shop)).map(({ id }) => id).sort()).toEqual([ids[1], ids[3]].sort())
  expect(keptIn(folder, shop)).toHaveLength(2)
})

test('A folder that cannot be written returns 503 and leaves nothing that is not swept', async () => {
  fs.writeFileSync(path.join(folder, shop.store_id), 'no folder')
  const { status, body, headers } = await send(shop, [{ name: 'a.txt', bytes: 'hello' }])
  expect([status, body.code, headers.get('retry-after')]).toEqual([503, 'storage_unavailable', '2'])
  fs.rmSync(path.join(folder, shop.store_id))
  await nothingLeft()
  expect(server.child.running()).toBe(true)
})

test('Readers that disconnect free their resources, and the process keeps serving', async () => {
  const { body } = await send(shop, [{ name: 'film.bin', bytes: mebibytes(40) }])
  const { url } = body.items[0].resolutions.original
  const open = () =>
    fs.readdirSync(`/proc/${server.pid}/fd`).filter((fd) => {
      try {
        return fs.readlinkSync(`/proc/${server.pid}/fd/${fd}`).includes(body.items[0].id)
      } catch {
        return false
      }
    }).length
  const leaving = new AbortController()
  const readers = await Promise.all(Array.from({ length: 10 }, () => fetch(url, { signal: leaving.signal })))
  await until(async () => open() > 0)
  leaving.abort()
  await Promise.allSettled(readers.map((one) => one.body?.cancel()))
  await until(async () => open() === 0)
  expect((await read(url, { range: 'bytes=0-9' })).status).toBe(206)
})
