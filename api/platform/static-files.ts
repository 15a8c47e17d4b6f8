// Answers with files of the installation, such as the OpenAPI document: read once, compressed once per coding, with an
// ETag.
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Context } from 'koa'

export type Handler = (ctx: Context) => Promise<void>

/** Returns the result of the first call that succeeded. */
export function cached<T>(work: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined
  return () => {
    result ??= work().catch((error) => {
      result = undefined
      throw error
    })
    return result
  }
}

const isMissing = (error: unknown) => ['ENOENT', 'ENOTDIR'].includes(String((error as { code?: string }).code))
/** Null where there is no such file. */
export const ifThere = <T>(looking: Promise<T>): Promise<T | null> =>
  looking.catch((error) => {
    if (isMissing(error)) return null
    throw error
  })

/** zlib works in a thread of its own. At this quality brotli is faster than gzip, and its output is smaller. */
const codings = {
  br: (bytes: Buffer) => promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  gzip: (bytes: Buffer) => promisify(gzip)(bytes),
}

/** Caches ask again before each use. */
const revalidated = 'public, no-cache'
/** `Cache-Control` of files whose name changes with their content. */
export const immutable = 'public, max-age=31536000, immutable'

const isCompressible = (type: string) => /^text\/|\b(javascript|json|xml)\b/.test(type)

/**
 * A handler that answers with the bytes, which are loaded at the first request. `type`: a media type, or the end of a
 * file's name.
 */
export function staticBytes(load: () => Promise<Buffer>, type: string, cache = revalidated): Handler {
  const loaded = cached(async () => {
    const bytes = await load()
    return {
      bytes,
      etag: `W/"${createHash('sha256').update(bytes).digest('base64url')}"`,
      br: cached(() => codings.br(bytes)),
      gzip: cached(() => codings.gzip(bytes)),
    }
  })
  return async (ctx) => {
    const file = await loaded()
    ctx.set('Cache-Control', cache)
    ctx.set('ETag', file.etag)
    ctx.type = type
    ctx.status = 200
    const isText = isCompressible(ctx.response.type)
    const accepted = isText ? ctx.acceptsEncodings().map((name) => name.toLowerCase()) : []
    if (isText) ctx.vary('Accept-Encoding')
    if (ctx.fresh) {
      ctx.status = 304
      return
    }
    const coding = (['br', 'gzip'] as const).find((name) => accepted.includes(name))
    if (coding) ctx.set('Content-Encoding', coding)
    ctx.body = coding ? await file[coding]() : file.bytes
  }
}

export const staticFile = (file: string | URL, type: string, cache?: string): Handler =>
  staticBytes(() => readFile(file), type, cache)
