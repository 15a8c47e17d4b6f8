// A bucket of AWS or of another server that speaks the S3 protocol. S3 shows a file only after its PUT is complete.
import fs from 'node:fs'
import { pipeline, type Readable, Transform } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import type { S3Client } from '@aws-sdk/client-s3'
import { Agent, type Dispatcher, request } from 'undici'
import { BucketAway, NoSuchFile } from '../../rules/content/storage-errors.ts'
import type { Bucket, Place } from './bucket.ts'

export type S3Options = {
  /** Null: AWS. Other servers are addressed by path. */
  endpoint: string | null
  name: string
  region: string
  /** Null: found by the default chain of the AWS SDK, such as the role of the pod or of the instance. */
  credentials: { accessKeyId: string; secretAccessKey: string } | null
}

/** Milliseconds to wait after each failed try. All calls may be repeated. */
const pauses = [200, 1_000]
/**
 * Of one try, to the end of the response; of a GET, to its headers, because its reader may be slow. A PUT has enough
 * for 50 MiB at 4 Mbit/s.
 */
const limitsMs = { PUT: 120_000, GET: 20_000, DELETE: 20_000 }

type Method = keyof typeof limitsMs
type Output = { $metadata: { httpStatusCode?: number }; ContentLength?: number | undefined; Body?: unknown }

/** What the SDK gives to a request handler. */
type Asked = {
  protocol: string
  hostname: string
  port?: number
  path: string
  query: Record<string, string>
  method: Dispatcher.HttpMethod
  headers: Record<string, string>
  body?: Readable | Uint8Array | string
}

/**
 * Sends by undici: the SDK's own handler keeps the file of a failed upload open, and ends the download of a slow reader
 * when it limits idle servers.
 */
function requestHandler() {
  const dispatcher = new Agent({ allowH2: false, connectTimeout: 5_000, bodyTimeout: 30_000, keepAliveTimeout: 10_000 })
  return {
    async handle(asked: Asked, { abortSignal }: { abortSignal?: AbortSignal } = {}) {
      const { protocol, hostname, port, path, query, method, headers, body = null } = asked
      const { statusCode, ...answer } = await request(`${protocol}//${hostname}${port ? `:${port}` : ''}${path}`, {
        ...{ query, method, headers, body, dispatcher, signal: abortSignal ?? null },
        headersTimeout: limitsMs.PUT,
      })
      const given = Object.entries(answer.headers).map(([name, value]) => [name, [value].flat().join(',')])
      return { response: { statusCode, headers: Object.fromEntries(given), body: answer.body } }
    },
  }
}

const silent = () => {}

/** The SDK is imported where a bucket is used: it takes 0.2 s and 11 MiB. */
async function connect({ endpoint, region, credentials }: S3Options) {
  const { S3Client, PutObjectCommand, GetObjectCommand, DeleteObjectCommand } = await import('@aws-sdk/client-s3')
  const client = new S3Client({
    region,
    ...(endpoint ? { endpoint, forcePathStyle: true } : {}),
    ...(credentials ? { credentials } : {}),
    requestHandler: requestHandler(),
    // A stream is not sent twice: tries are repeated below, each with a stream of its own.
    maxAttempts: 1,
    // Many servers refuse checksums in trailers. The signed digest protects uploads, and TLS downloads.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    expectContinueHeader: false,
    // Otherwise it writes to the console. What fails is thrown below, without the secrets that its texts may have.
    logger: { debug: silent, info: silent, warn: silent, error: silent },
  })
  return { client, PutObjectCommand, GetObjectCommand, DeleteObjectCommand }
}

/** The credentials cannot be fetched. The status of who refused them says nothing of a file. */
class NoCredentials extends Error {}

/** The client keeps them until they expire. */
const fetchCredentials = (client: S3Client) =>
  client.config.credentials().catch((error) => {
    throw new NoCredentials(`no credentials: ${partsOf(error).code}`)
  })

export function s3Bucket(options: S3Options): Bucket {
  const connected = connect(options)
  const keyOf = ({ tenant_id, id }: Place, file: string) => ({
    Bucket: options.name,
    Key: `${tenant_id}/${id}/${file}`,
  })

  /**
   * The output, or null if there is no such file. Any other response and a failed request are retried, then throw
   * BucketAway.
   */
  async function ask<T extends Output>(
    method: Method,
    expected: { statuses: readonly number[]; length?: number },
    send: (sdk: Awaited<typeof connected>, abortSignal: AbortSignal) => Promise<T>,
  ): Promise<T | null> {
    const sdk = await connected
    for (let tries = 0; ; tries++) {
      let wrong: Error
      try {
        const output = await within(limitsMs[method], async (signal) => {
          await fetchCredentials(sdk.client)
          return send(sdk, signal)
        })
        const { $metadata, ContentLength: length = expected.length } = output
        const status = $metadata.httpStatusCode ?? 0
        const right = expected.statuses.includes(status)
        if (right && length === expected.length) return output
        await (output.Body as Dispatcher.ResponseData['body'] | undefined)?.dump().catch(() => {})
        wrong = new Error(
          `${method}: the bucket answered ${right ? `${length} bytes instead of ${expected.length}` : status}`,
        )
      } catch (error) {
        const { status, code } = partsOf(error)
        if (status === 404 && code !== 'NoSuchBucket' && method !== 'PUT') return null
        wrong = new Error(status ? `${method}: the bucket answered ${status} ${code}` : `${method}: ${code}`)
        if (status && status < 500 && status !== 429) throw new BucketAway(wrong)
      }
      const wait = pauses[tries]
      if (wait === undefined) throw new BucketAway(wrong)
      await pause(wait)
    }
  }

  return {
    async put(place, file, { path, size, digest, mime_type }) {
      await ask('PUT', { statuses: [200, 201] }, async ({ client, PutObjectCommand }, abortSignal) => {
        const body = fs.createReadStream(path)
        // The request fails with this error, which may occur before anything reads the stream.
        body.on('error', () => {})
        const command = new PutObjectCommand({
          ...keyOf(place, file),
          ...{ Body: body, ContentLength: size, ContentType: mime_type },
        })
        // Without it, the SDK signs that the payload is unsigned.
        command.middlewareStack.add(
          (next) => (args) => {
            ;(args.request as Asked).headers['x-amz-content-sha256'] = digest
            return next(args)
          },
          { step: 'build' },
        )
        return client.send(command, { abortSignal }).finally(() => body.destroy())
      })
    },
    async open(place, file, size, range) {
      const part = range ? { Range: `bytes=${range.from}-${range.to}` } : {}
      const length = range ? range.to - range.from + 1 : size
      const output = await ask(
        'GET',
        { statuses: [range ? 206 : 200], length },
        ({ client, GetObjectCommand }, abortSignal) =>
          client.send(new GetObjectCommand({ ...keyOf(place, file), ...part }), { abortSignal }),
      )
      if (!output) throw new NoSuchFile()
      return pipeline(output.Body as Readable, exactly(length), () => {})
    },
    async remove(place, files) {
      await Promise.all(
        files.map((file) =>
          ask('DELETE', { statuses: [200, 204] }, ({ client, DeleteObjectCommand }, abortSignal) =>
            client.send(new DeleteObjectCommand(keyOf(place, file)), { abortSignal }),
          ),
        ),
      )
    },
  }
}

/** Limits what ignores the signal, too: the SDK fetches credentials without one. */
async function within<T>(limitMs: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController()
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    const late = new DOMException('', 'TimeoutError')
    reject(late)
    controller.abort(late)
  }, limitMs)
  try {
    return await Promise.race([work(controller.signal), promise])
  } finally {
    clearTimeout(timer)
  }
}

/** Only the status and a code of an error are logged: its text may repeat the signed request. */
function partsOf(error: unknown): { status: number | undefined; code: string } {
  if (error instanceof NoCredentials) return { status: undefined, code: error.message }
  const { $metadata, name, code } = error as { $metadata?: Output['$metadata']; name: string; code?: unknown }
  const said = typeof code === 'string' ? code : name
  return { status: $metadata?.httpStatusCode, code: /^\w{1,64}$/.test(said) ? said : 'Error' }
}

/**
 * Passes the bytes on, and fails at the end if their number is another: a body without `Content-Length` may end early.
 */
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
