// The HTTP server: request ids, CORS for public paths, one log line per request, errors as problems.
import { pipeline } from 'node:stream/promises'
import { setImmediate as turn } from 'node:timers/promises'
import type Router from '@koa/router'
import Koa, { type Context } from 'koa'
import { unixNow } from '../../adapters/clock.ts'
import { log, logRequest } from '../../adapters/log.ts'
import { requestSeconds } from '../../adapters/metrics.ts'
import { config } from '../../config.ts'
import type { Orm } from '../../entities/kit/database/orm.ts'
import { newId } from '../../entities/kit/ids.ts'
import { Refusal } from '../../rules/refusal.ts'
import { bodyLimitOf } from '../limits/body-limit.ts'
import { siteOf } from '../limits/networks.ts'
import { refusalPage } from './answer/browser-page.ts'
import { bug, fromDatabase, type Problem, problem } from './answer/errors.ts'
import { isKnown } from './answer/etag.ts'
import { declares } from './answer/problems.ts'
import { forReader } from './answer/reader.ts'
import { Download } from './answer/replies.ts'
import { readBody } from './body/body.ts'
import type { Incoming, Outgoing } from './exchange.ts'
import { admit, type Complete, handle, identifiesEarly, identifyEarly } from './handle.ts'
import { routeHint } from './nearest-route.ts'
import type { Route } from './route.ts'
import { SegmentRouter } from './router.ts'

const requestIdOf = (given: string): string => (/^[\x21-\x7e]{1,128}$/.test(given) ? given : newId())

// Paths that browsers of any origin may call: storefronts, the countries for their address forms, and public files.
const publicPaths = /^\/(v1\/((storefront|customer|businesses|networks)\/|platform\/countries)|media\/)/

function allowOrigins(ctx: Context): boolean {
  if (!publicPaths.test(ctx.path)) return false
  ctx.set('Access-Control-Allow-Origin', '*')
  ctx.set('Access-Control-Expose-Headers', 'X-Service-Visitor-Token, X-Request-Id, Retry-After, Location')
  if (ctx.method !== 'OPTIONS') return false
  ctx.set('Access-Control-Allow-Methods', 'GET, POST, PUT, DELETE')
  ctx.set(
    'Access-Control-Allow-Headers',
    'Content-Type, Idempotency-Key, Prefer, X-Service-Publishable-Key, X-Service-Visitor-Token, X-Request-Id',
  )
  ctx.set('Access-Control-Max-Age', '86400')
  ctx.status = 204
  return true
}

function send(ctx: Context, { status, headers, body }: Problem): void {
  ctx.set(headers)
  ctx.status = status
  ctx.body = JSON.stringify(body)
  ctx.type = 'application/problem+json'
}

/** The problem of an error; a page where a browser opens a route for browsers. */
async function fail(ctx: Context, error: unknown): Promise<void> {
  const refusal = error instanceof Refusal ? error : fromDatabase(error)
  const found = problemOf(ctx, error, refusal)
  const page = refusalPage(found, refusal, ctx.state.route, { headers: ctx.headers, path: ctx.params ?? {} })
  if (!page) return send(ctx, found)
  ctx.set(page.headers)
  ctx.status = page.status
  return pour(ctx, page)
}

/** Logs the error, and returns its problem. */
function problemOf(ctx: Context, error: unknown, refusal: Refusal | undefined): Problem {
  const requestId = ctx.state.requestId as string
  if (refusal) {
    if (!(error instanceof Refusal))
      log.warn({ request_id: requestId, err: { message: (error as Error).message } }, 'database')
    else if (error.cause instanceof Error)
      log.warn({ request_id: requestId, code: error.code, err: { message: error.cause.message } }, 'refused')
    const route = ctx.state.route as Route | undefined
    const declared = !route || declares(route, refusal)
    if (!declared)
      log.error(
        { request_id: requestId, route: ctx._matchedRoute, code: refusal.code, status: refusal.status },
        'undeclared problem',
      )
    // The document does not list the code: in development and tests this is answered as a bug.
    return declared || !config.development
      ? problem(forReader(refusal, route, { headers: ctx.headers, path: ctx.params ?? {} }), requestId, route)
      : bug(requestId)
  }
  log.error({ request_id: requestId, route: ctx._matchedRoute, err: error }, 'bug')
  return bug(requestId)
}

/** A client that reads nothing for this long is disconnected. */
const readerLimitMs = 60_000
/**
 * The rest of a request body is read and discarded for this long after the answer: closing the connection earlier could
 * lose the answer.
 */
const leftoverLimitMs = 60_000

/**
 * Sends exactly Content-Length bytes, otherwise aborts the connection: a client must not take a truncated file for a
 * complete one.
 */
async function pour(ctx: Context, { open }: Download): Promise<void> {
  const stream = ctx.method === 'HEAD' ? null : await open?.()
  ctx.respond = false
  if (!stream) {
    ctx.res.end()
    return
  }
  let left = Number(ctx.response.get('Content-Length'))
  ctx.res.setTimeout(readerLimitMs, () => ctx.res.destroy())
  try {
    await pipeline(
      stream,
      async function* (chunks: AsyncIterable<Buffer>) {
        for await (const chunk of chunks) {
          left -= chunk.length
          if (left < 0) break
          yield chunk
        }
        if (left !== 0) throw new Error('the size of a file differs from its row')
      },
      ctx.res,
    )
  } catch (error) {
    // A client that disconnects is not an error.
    if ((error as { code?: string }).code !== 'ERR_STREAM_PREMATURE_CLOSE')
      log.warn({ request_id: ctx.state.requestId, err: { message: (error as Error).message } }, 'download')
  }
}

function discardBody({ req }: Context): void {
  if (req.complete || req.destroyed) return
  req.on('error', () => {})
  req.resume()
  const late = setTimeout(() => req.complete || req.socket.destroy(), leftoverLimitMs)
  req.once('close', () => clearTimeout(late))
}

/** Number of `Host` headers. */
function hosts({ rawHeaders }: Context['req']): number {
  let count = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string
    if (name.length === 4 && name.toLowerCase() === 'host') count++
  }
  return count
}

/** `/v1/stores/{storeId}` → `/v1/stores/:storeId` */
const routerPath = (path: string) => path.replaceAll(/\{(\w+)\}/g, ':$1')

const nothing = Buffer.alloc(0)

/** Admits the request, reads its body and handles it. */
async function answer(orm: Orm, route: Route, incoming: Incoming, complete: Complete): Promise<Outgoing> {
  admit(route, incoming)
  if (route.handle) return route.handle(orm, route, incoming)
  if (route.method === 'GET') return handle(orm, route, incoming, complete)
  route.request.precheck?.(incoming.headers)
  const identify = identifiesEarly(route) ? () => identifyEarly(orm, route, incoming) : undefined
  const body = await readBody(incoming.request, { most: bodyLimitOf(route), network: siteOf(incoming.ip), identify })
  try {
    return await handle(orm, route, { ...incoming, bytes: body.bytes, now: unixNow() }, complete)
  } finally {
    body.release()
  }
}

/** `complete` completes the JSON of an answer; `more` adds paths that are no routes. */
type Parts = { complete: Complete; more: (router: Router) => void }

export function serve(orm: Orm, routes: readonly Route[], { complete, more }: Parts): Koa {
  /** Behind a proxy that speaks https: browsers come back by https alone. */
  const isSecure = config.publicUrl.startsWith('https:')
  const app = new Koa({ proxy: config.trustedProxies > 0, maxIpsCount: config.trustedProxies })
  const router = new SegmentRouter({ strict: false })
  more(router)
  for (const route of routes) {
    router.register(routerPath(route.path), [route.method.toLowerCase()], async (ctx) => {
      ctx.state.route = route
      const incoming: Incoming = {
        request: ctx.req,
        found: ctx.params as Record<string, string>,
        search: new URLSearchParams(ctx.querystring),
        headers: ctx.headers,
        bytes: nothing,
        ip: ctx.ip,
        now: unixNow(),
      }
      const { status, headers, body, tenant_id } = await answer(orm, route, incoming, complete)
      ctx.state.tenantId = tenant_id
      ctx.set(headers)
      ctx.status = status
      if (body instanceof Download) return pour(ctx, body)
      // A page may have megabytes: it is serialized as JSON in a separate turn of the event loop.
      await turn()
      // Before the body, of which Koa would guess a type.
      ctx.type = 'application/json'
      const text = JSON.stringify(body)
      if (route.answers.tagged && status === 200 && isKnown(ctx, text)) return
      ctx.body = text
    })
  }

  app.use(async (ctx, next) => {
    const since = performance.now()
    const requestId = requestIdOf(ctx.get('X-Request-Id'))
    ctx.state.requestId = requestId
    ctx.set('X-Request-Id', requestId)
    ctx.set('X-Content-Type-Options', 'nosniff')
    // Answers depend on headers with credentials, which caches do not consider.
    ctx.set('Cache-Control', 'no-store')
    if (isSecure) ctx.set('Strict-Transport-Security', 'max-age=31536000')
    if (allowOrigins(ctx)) return
    try {
      // RFC 9112, 3.2: a proxy in front may have used the other value.
      if (hosts(ctx.req) > 1)
        throw new Refusal(400, 'bad_request', 'The request has more than one `Host` header.', {
          headers: { Connection: 'close' },
        })
      // RFC 9112, 6.1: the body would be read as if only its last coding were there.
      if (!/^(chunked)?$/i.test(ctx.get('Transfer-Encoding')))
        throw new Refusal(400, 'bad_request', 'The only transfer coding of a body is `chunked`.', {
          headers: { Connection: 'close' },
        })
      await next()
      if (ctx.status === 404 && ctx.body === undefined)
        throw new Refusal(404, 'no_route', routeHint(routes, ctx.method, ctx.path))
      if (ctx.status === 405 || ctx.status === 501)
        throw new Refusal(
          405,
          'method_not_allowed',
          `The path does not support this method. It supports ${ctx.response.get('Allow')}.`,
        )
    } catch (error) {
      await fail(ctx, error)
    }
    discardBody(ctx)
    const seconds = (performance.now() - since) / 1000
    // The pattern is logged, not the path: a path may contain a secret.
    const pattern = String(ctx._matchedRoute ?? 'none')
    requestSeconds.observe({ method: ctx.method, route: pattern, status: String(ctx.status) }, seconds)
    logRequest({
      request_id: requestId,
      method: ctx.method,
      route: pattern,
      status: ctx.status,
      ms: Math.round(seconds * 10_000) / 10,
      tenant: ctx.state.tenantId,
    })
  })
  app.use(router.routes())
  app.use(router.allowedMethods())
  app.on('error', (error: Error) => log.warn({ err: { message: error.message } }, 'connection'))
  return app
}
