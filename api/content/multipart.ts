// Streams the files of a multipart body (RFC 7578) to the local disk within limits, and deletes them when the request
// ends.
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import { rm } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import path from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Busboy } from '@fastify/busboy'
import { newTemporaryFolder } from '../../adapters/temporary-folders.ts'
import { shortName } from '../../rules/content/media.ts'
import { BucketAway } from '../../rules/content/storage-errors.ts'
import { type Fault, invalid, invalidInput, Refusal } from '../../rules/refusal.ts'
import { brokeOff, refuseEncodings, tooSlow } from '../kit/body/body.ts'
import type { FileLimits } from '../kit/route.ts'

/**
 * An uploaded file, on the local disk until the request ends. `name` is the client's; `digest` is SHA-256 in
 * hexadecimal, `size` is in bytes.
 */
export type SentFile = { name: string; content_type: string | undefined; path: string; size: number; digest: string }

/** A body of which nothing arrives for this long is refused. */
const silenceMaxMs = 30_000
/** Allowance for the headers and boundaries of one part, in bytes. */
const partMax = 32 * 1024

const malformed = (detail: string) => new Refusal(400, 'malformed_multipart', detail)
const tooLarge = (at: string, what: string, { bytes_max }: FileLimits) => {
  const detail = `${what} is larger than ${bytes_max / 1024 / 1024} MiB.`
  return new Refusal(413, 'too_large', detail, { faults: [{ pointer: at, code: 'too_large', detail }] })
}
const tooMany = ({ field, files_max }: FileLimits) =>
  invalid(`/${field}`, 'too_many_files', `Expected at most ${files_max} files.`)

function parserOf({ headers }: IncomingMessage, limits: FileLimits) {
  const type = headers['content-type']
  if (!type || !/^multipart\/form-data\b/i.test(type))
    throw new Refusal(415, 'unsupported_media_type', 'Send `multipart/form-data`.')
  try {
    return new Busboy({
      headers: { ...headers, 'content-type': type },
      preservePath: true,
      // A part of this field is a file even without a file name.
      isPartAFile: (field, _, name) => name !== undefined || field === limits.field,
      limits: {
        fileSize: limits.bytes_max,
        files: limits.files_max,
        fields: 10,
        fieldSize: 1024,
        parts: limits.files_max + 11,
        headerPairs: 20,
        headerSize: 16_384,
      },
    })
  } catch {
    throw malformed('The content type has no boundary.')
  }
}

async function received(request: IncomingMessage, folder: string, limits: FileLimits): Promise<SentFile[]> {
  refuseEncodings(request)
  const parser = parserOf(request, limits)
  const declared = Number(request.headers['content-length'] ?? 0)
  if (declared > limits.files_max * (limits.bytes_max + partMax)) throw tooLarge('', 'The body', limits)

  const files: SentFile[] = []
  const faults: Fault[] = []
  const writing: Promise<void>[] = []
  const done = Promise.withResolvers<void>()
  const stop = new AbortController()
  let wrong: unknown

  async function keep(stream: Readable, name: string | undefined, content_type: string, index: number): Promise<void> {
    const file: SentFile = { name: name ?? '', content_type, path: path.join(folder, `${index}`), size: 0, digest: '' }
    files[index] = file
    const hash = createHash('sha256')
    await pipeline(
      stream,
      async function* (chunks: AsyncIterable<Buffer>) {
        for await (const chunk of chunks) {
          hash.update(chunk)
          file.size += chunk.length
          yield chunk
        }
      },
      fs.createWriteStream(file.path, { flags: 'wx', mode: 0o600 }),
      { signal: stop.signal },
    )
    file.digest = hash.digest('hex')
    if (file.size === 0)
      faults.push({ pointer: `/${limits.field}/${index}`, code: 'empty', detail: 'The file is empty.' })
  }

  const failed = (error: unknown) => {
    if (stop.signal.aborted) return
    wrong = error
    done.reject(error)
    stop.abort()
    request.unpipe(parser)
    request.resume()
  }
  const silence = setTimeout(() => failed(tooSlow()), silenceMaxMs)
  parser.on(
    'file',
    (field: string | undefined, stream: Readable, name: string | undefined, _encoding: string, type: string) => {
      // Errors of a stream that was aborted or skipped are ignored.
      stream.on('error', () => {})
      if (stop.signal.aborted || field !== limits.field) {
        if (faults.length < 100)
          faults.push({ pointer: `/${field ?? ''}`, code: 'unknown_field', detail: 'There is no such field.' })
        stream.resume()
        return
      }
      const index = writing.length
      stream.once('limit', () => failed(tooLarge(`/${field}/${index}`, `"${shortName(name ?? '')}"`, limits)))
      writing.push(
        keep(stream, name, type, index).catch((error) => {
          // An error of the disk is the server's: 503 instead of 400.
          const ofDisk = 'syscall' in error
          failed(ofDisk ? new BucketAway(error) : malformed('A part of the body ended early.'))
        }),
      )
    },
  )
  parser.on('field', (field: string) => {
    faults.push({ pointer: `/${field}`, code: 'unknown_field', detail: 'There is no such field.' })
  })
  for (const limit of ['filesLimit', 'partsLimit', 'fieldsLimit'] as const)
    parser.on(limit, () => failed(tooMany(limits)))
  parser.on('error', () => failed(malformed('The body is not valid multipart/form-data, or its end is missing.')))
  parser.on('finish', () => done.resolve())
  request.on('data', () => silence.refresh())
  const gone = () => request.complete || failed(brokeOff())
  request.once('close', gone)
  request.once('error', gone)
  request.pipe(parser)
  try {
    await done.promise
    await Promise.all(writing)
    // Writing a file may fail after the end of the body.
    if (wrong) throw wrong
  } finally {
    clearTimeout(silence)
    request.off('close', gone)
    request.off('error', gone)
    request.on('error', () => {})
    await Promise.allSettled(writing)
  }
  if (faults.length === 0 && files.length === 0)
    throw invalid(`/${limits.field}`, 'required', 'Send at least one file.')
  if (faults.length > 0) throw invalidInput(faults)
  return files
}

/**
 * Runs `work` with the files of the body, and deletes them afterwards. 400, 408, 413, 415, 422, 503
 * storage_unavailable.
 */
export async function withFiles<T>(
  request: IncomingMessage,
  limits: FileLimits,
  work: (files: SentFile[]) => Promise<T>,
): Promise<T> {
  const folder = await newTemporaryFolder('upload').catch((error: Error) => {
    throw new BucketAway(error)
  })
  try {
    return await work(await received(request, folder, limits))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
