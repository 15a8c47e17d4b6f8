// The weak ETag of an answer in JSON, for clients that poll.
import { createHash } from 'node:crypto'
import type { Context } from 'koa'
import { isCached } from '../../../rules/content/byte-ranges.ts'

/**
 * Tags an answer, and answers 304 to a client that has it. Koa's own check serves no browser: they add `Cache-Control:
 * no-cache` to a request with `If-None-Match`.
 */
export function isKnown(ctx: Context, text: string): boolean {
  const etag = `W/"${createHash('sha256').update(text).digest('base64url')}"`
  ctx.set('ETag', etag)
  if (!isCached(ctx.get('If-None-Match') || undefined, etag)) return false
  ctx.status = 304
  return true
}
