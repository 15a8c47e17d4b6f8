// A bucket of a server that speaks the S3 protocol, addressed by path. S3 shows a file only after its PUT is complete.
import fs from 'node:fs'
import { pipeline, type Readable, Transform } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import aws4 from 'aws4'
import { Agent, request } from 'undici'
import { BucketAway, NoSuchFile } from '../../rules/content/storage-errors.ts'
import { textOfBytes } from '../../rules/input/bytes.ts'
import type { Bucket, Place } from './object-storage.ts'

export type S3Options = { endpoint: string; name: string; region: string; accessKeyId: string; secretAccessKey: string }

const empty = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855' // SHA-256 of nothing
/** Milliseconds to wait after each failed try. All calls may be repeated. */
const pauses = [200, 1_000]
/** Enough for 50 MiB at 4 Mbit/s. */
const putLimitMs = 120_000
const limitMs = 20_000

/** `length`: the bytes that the response body must have. */
type Asked = {
  method: 'PUT' | 'GET' | 'DELETE'
  key: string
  headers?: Record<string, string>
  digest?: string
  body?: () => Readable
  length?: number
}
type Answered = { status: number; length: number | undefined; body: Readable & { dump(): Promise<void> } }

export function s3Bucket({ endpoint, name, region, accessKeyId, secretAccessKey }: S3Options): Bucket {
  const agent = new Agent({ allowH2: false, connectTimeout: 5_000, bodyTimeout: 30_000, keepAliveTimeout: 10_000 })
  const base = new URL(endpoint)
  const keyOf = ({ tenant_id, id }: Place, file: string) => `${tenant_id}/${id}/${file}`

  async function once({ method, key, headers = {}, digest = empty, body }: Asked): Promise<Answered> {
    const path = `${base.pathname.replace(/\/+$/, '')}/${name}/${key}`
    const signed = aws4.sign(
      { service: 's3', region, method, path, headers: { Host: base.host, 'X-Amz-Content-Sha256': digest, ...headers } },
      { accessKeyId, secretAccessKey },
    )
    const limit = body ? putLimitMs : limitMs
    const answer = await request(`${base.origin}${path}`, {
      method,
      headers: signed.headers as Record<string, string>,
      body: body?.() ?? null,
      dispatcher: agent,
      headersTimeout: limit,
      // A download has no total limit: its reader may be slow.
      ...(method === 'GET' ? {} : { signal: AbortSignal.timeout(limit) }),
    })
    const length = answer.headers['content-length']
    return { status: answer.statusCode, length: length === undefined ? undefined : Number(length), body: answer.body }
  }

  /** The response, if it has one of these statuses; null if there is no such file. Any other response and a failed request are retried, then throw BucketAway. */
  async function ask(asked: Asked, expected: readonly number[]): Promise<Answered | null> {
    for (let tries = 0; ; tries++) {
      let wrong: Error
      try {
        const answer = await once(asked)
        if (expected.includes(answer.status)) {
          if (asked.length === undefined || answer.length === undefined || answer.length === asked.length) return answer
          wrong = new Error(`${asked.method}: the bucket answered ${answer.length} bytes instead of ${asked.length}`)
          await answer.body.dump().catch(() => {})
        } else {
          // Only the code of the error document is kept: the rest may repeat the signed request.
          const code = /<Code>([A-Za-z0-9]{1,64})<\/Code>/.exec((await text(answer.body)).slice(0, 4_000))?.[1]
          if (answer.status === 404 && code !== 'NoSuchBucket' && asked.method !== 'PUT') return null
          wrong = new Error(`${asked.method}: the bucket answered ${answer.status}${code ? ` ${code}` : ''}`)
          if (answer.status < 500 && answer.status !== 429) throw new BucketAway(wrong)
        }
      } catch (error) {
        if (error instanceof BucketAway) throw error
        wrong = new Error(`${asked.method}: ${(error as { code?: string }).code ?? (error as Error).name}`)
      }
      const wait = pauses[tries]
      if (wait === undefined) throw new BucketAway(wrong)
      await pause(wait)
    }
  }

  const dumped = async (answer: Promise<Answered | null>) => (await answer)?.body.dump().catch(() => {})

  return {
    async put(place, file, { path, size, digest, mime_type }) {
      const headers = { 'Content-Type': mime_type, 'Content-Length': String(size) }
      await dumped(
        ask(
          { method: 'PUT', key: keyOf(place, file), headers, digest, body: () => fs.createReadStream(path) },
          [200, 201],
        ),
      )
    },
    async open(place, file, size, range) {
      const headers: Record<string, string> = range ? { Range: `bytes=${range.from}-${range.to}` } : {}
      const length = range ? range.to - range.from + 1 : size
      const answer = await ask({ method: 'GET', key: keyOf(place, file), headers, length }, [range ? 206 : 200])
      if (!answer) throw new NoSuchFile()
      return pipeline(answer.body, exactly(length), () => {})
    },
    async remove(place, files) {
      await Promise.all(files.map((file) => dumped(ask({ method: 'DELETE', key: keyOf(place, file) }, [200, 204]))))
    },
  }
}

/** Passes the bytes on, and fails at the end if their number is another: a body without `Content-Length` may end early. */
function exactly(length: number): Transform {
  let left = length
  return new Transform({
    transform(chunk: Buffer, _, done) {
      left -= chunk.length
      done(null, chunk)
    },
    flush: (done) => done(left === 0 ? null : new Error(`a file ended ${left} bytes early`)),
  })
}

async function text(body: Readable): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body) {
    chunks.push(chunk as Buffer)
    size += (chunk as Buffer).length
    if (size > 65_536) break
  }
  return textOfBytes(Buffer.concat(chunks), 'application/xml')
}
