// One request, drawn from the seed and its number: caller, route, path and body; ids are those that the run knows by
// then.
import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { type Random, random } from '../chaos/random.ts'
import { wireOf } from '../kit/content/files.ts'
import { type CallerName, type Callers, callerFor } from './callers.ts'
import { namedBy, type Operation, type Schema, templateOf } from './document.ts'
import { jsonOf, odd, oddText, spoiled } from './odd-values.ts'
import type { Owner, Pool } from './pool.ts'
import { valuesOf } from './values.ts'

export type Request = {
  n: number
  operation: Operation
  method: string
  caller: CallerName
  /** How it was made: `taken`, `valid`, `odd`, `spoiled`, … */
  way: string
  path: string
  query: string
  headers: Record<string, string>
  /** As it goes over the wire; undefined for none. */
  sent: Buffer | undefined
  /** The body's JSON value, if it has one. */
  body: unknown
}

export type Made = {
  operations: readonly Operation[]
  schemas: Record<string, Schema>
  pool: Pool
  callers: Callers
  signingSecret: string
  files: readonly Buffer[]
}

const weightOf = ({ method, path, body }: Operation): number =>
  method === 'POST' && body && !path.endsWith('}') ? 2.5 : method === 'DELETE' ? 0.7 : method === 'PUT' ? 1.3 : 1

/** New keys and ids for a body that was accepted before, which would be refused a second time. */
function renewed(
  body: Record<string, unknown>,
  { properties = {} }: Schema,
  n: number,
  draw: Random,
): Record<string, unknown> {
  const fresh: Record<string, () => unknown> = {
    key: () =>
      `${String(body.key)
        .slice(0, 8)
        .replaceAll(/[^a-z0-9]/g, 'k')}-${n}`,
    code: () => (/^\d{6}$/.test(String(body.code)) ? body.code : `CODE${n}`),
    email: () => `fuzz-${n}@tillwright.test`,
    ...Object.fromEntries(
      ['refund_id', 'delivery_id', 'reply_id', 'message_id'].map((name) => [name, () => idFrom(draw)]),
    ),
  }
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => [
      name,
      typeof value === 'string' && name in fresh && name in properties && draw.chance(0.9) ? fresh[name]?.() : value,
    ]),
  )
}

const hex = (draw: Random, digits: number) =>
  Array.from({ length: digits }, () => draw.whole(0, 15).toString(16)).join('')
const idFrom = (draw: Random): string =>
  `${hex(draw, 8)}-${hex(draw, 4)}-7${hex(draw, 3)}-8${hex(draw, 3)}-${hex(draw, 12)}`
const oddPart = (draw: Random): string =>
  draw.weighted([
    [6, encodeURIComponent(oddText(draw).toWellFormed()) || 'x'],
    [1, '%ff'],
    [1, '%00'],
    [1, '%2e%2e'],
    [1, '%'],
    [1, 'null'],
  ])

/** Latin letters only: nothing else fits into a header. */
const oddHeaders = (draw: Random): Record<string, string> => ({
  'x-request-id': draw.pick(['fuzz', 'x'.repeat(128), 'x'.repeat(129), 'a b', '"', 'é', '%0d%0a', '-']),
  accept: draw.pick(['*/*', 'text/html', 'application/xml', 'x']),
  ...draw.pick<Record<string, string>>([
    { range: draw.pick(['bytes=0-1', 'bytes=99999999-', 'bytes=-0', 'items=1', 'bytes=5-1']) },
    { 'if-none-match': '*' },
    { 'x-forwarded-for': draw.pick(['127.0.0.1', '::1', 'x', "' or 1=1"]) },
    { 'x-http-method-override': 'DELETE' },
    { cookie: 'a=b; c' },
    { 'accept-language': 'x'.repeat(4000) },
    {},
  ]),
})

/** The request of this number. Its ids depend on the answers by then; everything else depends on the seed. */
export function requestsOf(
  seed: number,
  { operations, schemas, pool, callers, signingSecret, files }: Made,
): (n: number) => Request {
  let owner: Owner = 'mine'
  const values = valuesOf(schemas, (name, draw) => pool.known(owner)(name, draw))
  const weights = operations.map((operation) => [weightOf(operation), operation] as const)
  const drawn = (schema: Schema, name: string, draw: Random) =>
    fc.sample(values(schema, name), { seed: draw.whole(0, 2 ** 31), numRuns: 1 })[0]

  function pathFor({ path }: Operation, by: { name: string; owner: Owner }, draw: Random): string {
    const parts = path.split('/')
    const last = parts.findLastIndex((part) => part.startsWith('{'))
    if (last < 0) return path
    const rest = parts.slice(last + 1)
    const known = pool.address(templateOf(parts.slice(0, last + 1).join('/')), by, draw)
    if (known && draw.chance(0.9)) return [...known.split('/'), ...rest].join('/')
    const filled = parts.map((part, at) => {
      if (!part.startsWith('{')) return part
      const name = namedBy(parts.slice(0, at + 1).join('/'), part.slice(1, -1))
      const id = pool.known(draw.chance(0.9) ? owner : draw.pick(['mine', 'theirs', 'none']))(
        name,
        draw.whole(0, 1_000_000),
      )
      // The store in a path is the caller's own more often than the other ids.
      if (id !== undefined && draw.chance(name === 'store_id' ? 0.97 : 0.8))
        return encodeURIComponent(String(id).toWellFormed())
      return draw.chance(0.5) ? idFrom(draw) : oddPart(draw)
    })
    return filled.map((part, at) => (at > 0 && part === '' ? 'x' : part)).join('/')
  }

  function queryFor({ parameters }: Operation, way: string, draw: Random): string {
    const search = parameters
      .filter(
        ({ in: place, required }) =>
          place === 'query' && (required ? way !== 'spoiled' || draw.chance(0.8) : draw.chance(0.2)),
      )
      .map(({ name, schema }) => {
        if (way === 'odd' && draw.chance(0.5)) return [name, oddText(draw).toWellFormed()]
        if (way === 'spoiled' && draw.chance(0.3))
          return [
            name,
            draw.pick([
              '-1',
              '0',
              '101',
              '1e3',
              'null',
              'x',
              '',
              'a,b',
              '{',
              '[]',
              '[{"taxonomy_id":1}]',
              '9'.repeat(30),
            ]),
          ]
        const value = drawn(schema, name, draw)
        return [
          name,
          Array.isArray(value) ? value.join(',') : typeof value === 'object' ? JSON.stringify(value) : String(value),
        ]
      })
      .map(([name, value]) => `${name}=${encodeURIComponent(String(value).toWellFormed())}`)
    if (way === 'spoiled')
      search.push(
        draw.pick([
          'no_such=1',
          '%ff=%ff',
          'limit=1&limit=2',
          '&&=',
          '__proto__=1',
          'cursor=bm9uc2Vuc2U',
          'cursor=null',
        ]),
      )
    return search.join('&')
  }

  function upload(way: string, draw: Random): { sent: Buffer; type: string } {
    const boundary = `fuzz${hex(draw, 12)}`
    const count = way === 'spoiled' ? draw.pick([0, 1, 25]) : draw.whole(1, 2)
    const list = Array.from({ length: count }, () => ({
      name:
        way === 'odd'
          ? oddText(draw)
              .replaceAll(/["\r\n]/g, '_')
              .toWellFormed()
          : 'picture.png',
      bytes: draw.chance(way === 'spoiled' ? 0.5 : 0.05) ? Buffer.from(oddText(draw)) : draw.pick(files),
      field: way === 'spoiled' && draw.chance(0.3) ? 'file' : 'files',
      type: draw.pick(['image/png', '', 'text/plain']),
    }))
    const wire = wireOf(list, boundary)
    const cut = way === 'spoiled' && draw.chance(0.3) ? wire.subarray(0, wire.length - 10) : wire
    return { sent: cut, type: `multipart/form-data; boundary=${way === 'spoiled' && draw.chance(0.1) ? '' : boundary}` }
  }

  /** The body of a request of this kind, and the kind it finally has. */
  function bodyFor(
    operation: Operation,
    schema: Schema,
    way: string,
    n: number,
    caller: { name: string; owner: Owner },
    draw: Random,
  ): { body: unknown; query: string | null; path?: string | undefined } {
    const offered = way === 'taken' ? pool.offered(operation, caller) : null
    if (offered) return { body: offered.body, query: null, path: offered.path }
    const taken = pool.taken(operation, caller, draw)
    const isRecord = taken?.body !== null && typeof taken?.body === 'object'
    if (!taken || !isRecord || draw.chance(way === 'taken' || way === 'varied' ? 0 : 0.4))
      return { body: drawn(schema, '', draw), query: null }
    const body = renewed(structuredClone(taken.body as Record<string, unknown>), schema, n, draw)
    const names = Object.keys(schema.properties ?? {})
    if (way === 'varied' && names.length > 0) {
      const name = draw.pick(names)
      body[name] = drawn(schema.properties?.[name] ?? {}, name, draw)
    }
    for (const [name, value] of Object.entries(body)) {
      const other =
        typeof value === 'string' && name.endsWith('_id') && draw.chance(0.3)
          ? pool.known(owner)(name, draw.whole(0, 1_000_000))
          : undefined
      if (other !== undefined) body[name] = other
    }
    return {
      body,
      query: taken.query,
      ...(draw.chance(0.6) && taken.by.name === caller.name ? { path: taken.path } : {}),
    }
  }

  return (n) => {
    const draw = random(seed, String(n))
    // Each in its turn now and then, so that none is left out by chance.
    const chosen = draw.weighted(weights)
    const isTurn = n % 5 === 0
    const operation = isTurn ? (operations[(n / 5) % operations.length] ?? chosen) : chosen
    const name = callerFor(operation, draw)
    const caller = callers[name]
    owner = draw.chance(0.93) ? caller.owner : draw.pick(['mine', 'theirs', 'none'] as const)
    const by = { name, owner }
    const way = draw.weighted<string>(
      operation.body
        ? [
            [34, 'taken'],
            [20, 'varied'],
            [20, 'valid'],
            [12, 'odd'],
            [14, 'spoiled'],
          ]
        : [
            [25, 'taken'],
            [45, 'valid'],
            [16, 'odd'],
            [14, 'spoiled'],
          ],
    )
    const path =
      way === 'odd' && draw.chance(0.3)
        ? operation.path.replaceAll(/\{\w+\}/g, () => (draw.chance(0.6) ? oddPart(draw) : idFrom(draw)))
        : pathFor(operation, by, draw)
    const headers: Record<string, string> = { ...caller.headers, ...(draw.chance(0.08) ? oddHeaders(draw) : {}) }
    const query =
      way === 'taken' && !operation.body
        ? (pool.taken(operation, by, draw)?.query ?? '')
        : queryFor(operation, way, draw)
    const request: Request = {
      n,
      operation,
      method: operation.method,
      caller: name,
      way,
      path,
      query,
      headers,
      sent: undefined,
      body: undefined,
    }
    if (!isTurn && draw.chance(0.015))
      return {
        ...request,
        way: 'method',
        method: draw.pick(['PATCH', 'HEAD', 'OPTIONS', 'DELETE', 'PUT', 'POST', 'GET', 'PROPFIND']),
      }
    if (!operation.body || (!operation.body.required && draw.chance(0.15))) return request
    if (operation.body.type === 'multipart/form-data') {
      const { sent, type } = upload(way, draw)
      return { ...request, sent, headers: { ...headers, 'content-type': type } }
    }
    const { body, query: also, path: there } = bodyFor(operation, operation.body.schema, way, n, by, draw)
    const record = body as Record<string, unknown>
    if (body && typeof record.version === 'number' && draw.chance(0.8))
      record.version = pool.version(path) ?? record.version
    const {
      text,
      type,
      headers: more,
    } = way === 'spoiled'
      ? spoiled(body, operation.body.type, draw)
      : { text: jsonOf(way === 'odd' ? odd(body, draw) : body), type: operation.body.type, headers: {} }
    const sent = Buffer.from(text as string)
    // The provider's signature: without it the body is not read.
    const at = Math.floor(Date.now() / 1000)
    const signature: Record<string, string> =
      operation.name.endsWith('/webhooks/stripe') && draw.chance(0.7)
        ? {
            'stripe-signature': `t=${at},v1=${createHmac('sha256', signingSecret).update(`${at}.`).update(sent).digest('hex')}`,
          }
        : {}
    return {
      ...request,
      path: there ?? path,
      query: also ?? query,
      headers: { ...headers, ...(type === '' ? {} : { 'content-type': type }), ...more, ...signature },
      sent,
      body: parsed(sent),
    }
  }
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString())
  } catch {
    return undefined
  }
}
