// Two drives as strict as real ones: S3, which verifies every signature, and WebDAV, which requires the parent folder
// to exist.
//   DRIVES_PORT (0: any free port), DRIVES_DIR (files and the ledger, drives.jsonl), DRIVES_S3 key:secret, DRIVES_DAV
//     user:password.
// Paths below /dav/ are WebDAV, all others /<bucket>/<key>; a bucket is a folder of DRIVES_DIR/s3.
// POST /_sim/faults {path (a prefix), method, times, status, headers, body, cut, slow_ms}: the next matching requests
// get this answer and are not carried out.
import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import fs from 'node:fs'
import type { IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { answerFreely, type FreeAnswer } from './sim/free-answer.ts'
import { keptServer } from './sim/kept-server.ts'

const { DRIVES_PORT = '0', DRIVES_DIR = '.', DRIVES_S3 = 'demo:demo-secret', DRIVES_DAV = 'demo:demo' } = process.env
const [accessKey = '', secret = ''] = DRIVES_S3.split(/:(.*)/s)
const skewMaxMs = 15 * 60_000

type Arrived = { method: string; path: string; query: URLSearchParams; headers: Record<string, string>; body: Buffer }
type Given = { status: number; headers?: Record<string, string>; body?: string | Buffer }

const sha256 = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest('hex')
const hmac = (key: Buffer | string, text: string) => createHmac('sha256', key).update(text).digest()
const encoded = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
const same = (a: string, b: string) => a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b))

/**
 * The S3 error code of a request that is not authorized; null if it is (AWS Signature Version 4, Authenticating
 * Requests: Using the Authorization Header).
 */
function refusedBy({ method, path: at, query, headers, body }: Arrived): string | null {
  const given =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/.exec(
      headers.authorization ?? '',
    )
  if (!given) return 'AccessDenied'
  const [, key, day = '', region = '', names = '', signature = ''] = given
  if (key !== accessKey) return 'InvalidAccessKeyId'
  const signed = names.split(';')
  const time = headers['x-amz-date'] ?? ''
  const [, year, month, date, hour, minute, second] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(time) ?? []
  if (Math.abs(Date.parse(`${year}-${month}-${date}T${hour}:${minute}:${second}Z`) - Date.now()) <= skewMaxMs !== true)
    return 'RequestTimeTooSkewed'
  const must = ['host', ...Object.keys(headers).filter((name) => name === 'content-type' || name.startsWith('x-amz-'))]
  if (!must.every((name) => signed.includes(name)) || !time.startsWith(day)) return 'AccessDenied'
  if (headers['x-amz-content-sha256'] !== sha256(body)) return 'XAmzContentSHA256Mismatch'

  const canonicalPath = at.split('/').map((segment) => encoded(decodeURIComponent(segment)))
  const lines = signed.map((name) => `${name}:${(headers[name] ?? '').trim().replace(/ +/g, ' ')}\n`)
  const canonicalQuery = [...query].map(([name, value]) => `${encoded(name)}=${encoded(value)}`).sort()
  const request = [
    ...[method, canonicalPath.join('/'), canonicalQuery.join('&')],
    ...[lines.join(''), names, headers['x-amz-content-sha256']],
  ].join('\n')
  const scope = `${day}/${region}/s3/aws4_request`
  const signingKey = [day, region, 's3', 'aws4_request'].reduce<Buffer | string>(
    (with_, part) => hmac(with_, part),
    `AWS4${secret}`,
  )
  const right = hmac(signingKey, ['AWS4-HMAC-SHA256', time, scope, sha256(request)].join('\n')).toString('hex')
  return same(right, signature) ? null : 'SignatureDoesNotMatch'
}

const problem = (status: number, code: string): Given => ({
  status,
  headers: { 'content-type': 'application/xml' },
  body: `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${code}</Message></Error>`,
})

function s3(arrived: Arrived): Given {
  const refused = refusedBy(arrived)
  if (refused) return problem(403, refused)
  const [bucket = '', ...key] = arrived.path.slice(1).split('/').map(decodeURIComponent)
  const folder = path.join(DRIVES_DIR, 's3', encodeURIComponent(bucket))
  if (!fs.existsSync(folder)) return problem(404, 'NoSuchBucket')
  // Keys are names, not paths.
  const file = path.join(folder, encodeURIComponent(key.join('/')))
  if (arrived.method === 'PUT') {
    fs.writeFileSync(file, arrived.body)
    fs.writeFileSync(`${file}.type`, arrived.headers['content-type'] ?? '')
  } else if (!fs.existsSync(file)) return arrived.method === 'DELETE' ? { status: 204 } : problem(404, 'NoSuchKey')
  if (arrived.method === 'DELETE') {
    for (const one of [file, `${file}.type`]) fs.rmSync(one)
    return { status: 204 }
  }
  const body = fs.readFileSync(file)
  const headers = { etag: `"${createHash('md5').update(body).digest('hex')}"` }
  if (arrived.method === 'PUT') return { status: 200, headers }
  if (arrived.method !== 'GET' && arrived.method !== 'HEAD') return problem(405, 'MethodNotAllowed')
  const range = /^bytes=(\d+)-(\d+)$/.exec(arrived.headers.range ?? '')
  if (!range) return { status: 200, headers, body }
  const [from, to] = [Number(range[1]), Math.min(Number(range[2]), body.length - 1)]
  if (from > to) return problem(416, 'InvalidRange')
  return {
    status: 206,
    headers: { ...headers, 'content-range': `bytes ${from}-${to}/${body.length}` },
    body: body.subarray(from, to + 1),
  }
}

/** RFC 4918, 9.3 and 9.7: 409 if the parent is missing. */
function webdav({ method, path: at, headers, body }: Arrived): Given {
  if (!same(headers.authorization ?? '', `Basic ${Buffer.from(DRIVES_DAV).toString('base64')}`))
    return { status: 401, headers: { 'www-authenticate': 'Basic realm="drives"' } }
  const segments = at.split('/').slice(2).map(decodeURIComponent)
  const file = path.join(DRIVES_DIR, 'dav', ...segments.filter((segment) => segment !== '').map(encodeURIComponent))
  const there = fs.statSync(file, { throwIfNoEntry: false })
  if (method === 'GET' || method === 'HEAD')
    return there?.isFile() ? { status: 200, body: fs.readFileSync(file) } : { status: 404 }
  if (method !== 'PUT' && method !== 'MKCOL') return { status: 405 }
  if (there && (method === 'MKCOL' || there.isDirectory())) return { status: 405 }
  if (!fs.existsSync(path.dirname(file))) return { status: 409 }
  if (method === 'MKCOL') fs.mkdirSync(file)
  else fs.writeFileSync(file, body)
  return { status: there ? 204 : 201 }
}

const headersOf = ({ headers }: IncomingMessage) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value].flat().join(',')]))

for (const name of ['s3', 'dav']) fs.mkdirSync(path.join(DRIVES_DIR, name), { recursive: true })

type Fault = FreeAnswer & { path?: string; method?: string; times?: number }
let faults: Fault[] = []
function takeFault({ method, path: at }: Arrived): Fault | undefined {
  const found = faults.find(
    (fault) => (!fault.path || at.startsWith(fault.path)) && (!fault.method || fault.method === method),
  )
  if (found) found.times = (found.times ?? 1) - 1
  faults = faults.filter(({ times = 1 }) => times > 0)
  return found
}

const server = keptServer(async (request, response) => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  if (request.url === '/_sim/faults') {
    faults = request.method === 'POST' ? [...faults, JSON.parse(Buffer.concat(chunks).toString()) as Fault] : []
    return void response.end('{}')
  }
  const [at = '/', query] = (request.url ?? '/').split(/\?(.*)/s)
  const arrived = {
    method: request.method ?? '',
    path: at,
    query: new URLSearchParams(query),
    headers: headersOf(request),
    body: Buffer.concat(chunks),
  }
  const fault = takeFault(arrived)
  if (fault) return answerFreely(response, fault)
  const { status, headers = {}, body = '' } = arrived.path.startsWith('/dav/') ? webdav(arrived) : s3(arrived)
  const line = { method: arrived.method, path: arrived.path, digest: sha256(arrived.body), status }
  fs.appendFileSync(path.join(DRIVES_DIR, 'drives.jsonl'), `${JSON.stringify(line)}\n`)
  // Like S3: a download has a Content-Length.
  const length = status === 204 ? {} : { 'content-length': String(Buffer.byteLength(body)) }
  response.writeHead(status, { ...headers, ...length }).end(body)
})
server.listen(Number(DRIVES_PORT), '127.0.0.1', () =>
  console.log(`listening ${(server.address() as AddressInfo).port}`),
)
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => process.exit())
