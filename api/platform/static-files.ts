// Serves files of the installation, such as the OpenAPI document: read and compressed once, with an ETag.
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { Context } from 'koa'

type Static = { bytes: Buffer; zipped: Buffer; etag: string }

/** A handler that answers with the file. It is read at the first request; zlib works in a thread of its own. `maxAge`: seconds without asking again. */
export function staticFile(file: string | URL, type: string, maxAge = 0): (ctx: Context) => Promise<void> {
  let loading: Promise<Static> | undefined
  const load = async (): Promise<Static> => {
    const bytes = await readFile(file)
    return {
      bytes,
      zipped: await promisify(gzip)(bytes),
      etag: `W/"${createHash('sha256').update(bytes).digest('base64url')}"`,
    }
  }
  return async (ctx) => {
    loading ??= load()
    const { bytes, zipped, etag } = await loading.catch((error) => {
      loading = undefined
      throw error
    })
    ctx.set('Cache-Control', maxAge > 0 ? `public, max-age=${maxAge}` : 'public, no-cache')
    ctx.set('ETag', etag)
    ctx.vary('Accept-Encoding')
    ctx.type = type
    ctx.status = 200
    if (ctx.fresh) {
      ctx.status = 304
      return
    }
    const isZipped = ctx.acceptsEncodings('gzip', 'identity') === 'gzip'
    if (isZipped) ctx.set('Content-Encoding', 'gzip')
    ctx.body = isZipped ? zipped : bytes
  }
}
