// The API as a typed function. The types derive from the route table; no code of the server is included, so that it runs in a browser too.
//   const call = client({ base: 'https://shop.example', headers: { authorization: `Bearer ${token}` } })
//   const product = await call('POST /v1/stores/{storeId}/products', { path: { storeId }, body: { key: 'tea' } })
// Throws an ApiProblem with the status and stable code of a refusal.
import type { z } from 'zod'
import type { PathOf, Route, Shape } from './kit/route.ts'
import type { routes } from './routes.ts'

type Table = (typeof routes)[number]
export type Spec = Table['spec']
type Found<S extends Spec> = Extract<Table, { spec: S }>

type BodyOf<R> = R extends Route<infer _S, infer _Q, infer B, infer _O> ? (B extends Shape ? z.input<B> : undefined) : never
type AnswerOf<R> = R extends Route<infer _S, infer _Q, infer _B, infer O> ? (O extends z.ZodType ? z.output<O> : unknown) : never

/** A list is sent as a repeated parameter; null and undefined are not sent. */
type QueryValue = string | number | boolean | readonly (string | number)[] | null | undefined

type Plain = string | number | boolean
/** The type of a parameter; objects are sent as JSON. */
type Sent<V> = V extends readonly (infer U)[] ? ([U] extends [Plain] ? U | readonly U[] : string) : V extends Plain ? V : string
/** Parameters that the server parses from text (kit/query.ts) have the parsed type. */
type Value<T extends z.ZodType> = string[] extends z.input<T> ? Sent<NonNullable<z.output<T>>> : z.input<T> | Extract<z.output<T>, Plain>
type Fields = Readonly<Record<string, z.ZodType>>
type Missable<F extends Fields> = { [N in keyof F]: undefined extends z.input<F[N]> ? N : never }[keyof F]
type Query<F extends Fields> = { [N in Missable<F>]?: Value<F[N]> | null | undefined } & { [N in Exclude<keyof F, Missable<F>>]: Value<F[N]> }
type QueryOf<R> = R extends Route<infer _S, infer Q, infer _B, infer _O> ? (Q extends z.ZodObject<infer F extends Fields> ? Query<F> : undefined) : never

// Optional if there are no parameters, or none of the fields is required.
type Part<Name extends string, T> = T extends undefined ? unknown : Record<string, never> extends T ? { [N in Name]?: T } : { [N in Name]: T }
type PathPart<S> = keyof PathOf<S & string> extends never ? unknown : { path: PathOf<S & string> }
export type CallOptions<S extends Spec> = PathPart<S> &
  Part<'body', BodyOf<Found<S>>> &
  Part<'query', QueryOf<Found<S>>> & {
    headers?: Record<string, string>
    signal?: AbortSignal
    /** For routes that take files. */
    form?: FormData
  }
/** The JSON body of a route. */
export type Body<S extends Spec> = BodyOf<Found<S>>
export type Answer<S extends Spec> = AnswerOf<Found<S>>

type Arguments<S extends Spec> = Record<string, never> extends CallOptions<S> ? [request?: CallOptions<S>] : [request: CallOptions<S>]

export type ClientOptions = {
  /** Scheme and host, without a path. */
  base: string
  /** Sent with every call: a bearer token, or a store's publishable key. */
  headers?: Record<string, string>
  /** Token of a returning visitor. */
  visitorToken?: string | undefined
  /** Called with the token of a new visitor. Store it: it is returned once. */
  onVisitorToken?: (token: string) => void
  fetch?: typeof fetch
}

export type Fault = { pointer: string; code: string; detail: string }

/** A problem document (RFC 9457). `code` is stable; `errors` point into the body or name a query parameter. */
export class ApiProblem extends Error {
  override name = 'ApiProblem'
  readonly status: number
  readonly code: string
  readonly errors: readonly Fault[]
  readonly requestId: string | null
  /** The whole document, including further members. */
  readonly document: Readonly<Record<string, unknown>>
  /** Seconds after which the same request may be repeated. */
  readonly retryAfterS: number | null
  constructor(spec: string, status: number, document: Record<string, unknown>, headers: Headers) {
    const code = typeof document.code === 'string' ? document.code : 'unreadable'
    super(`${spec}: ${status} ${code}${typeof document.detail === 'string' ? `: ${document.detail}` : ''}`)
    this.status = status
    this.code = code
    this.errors = Array.isArray(document.errors) ? document.errors : []
    this.requestId = headers.get('x-request-id')
    this.document = document
    this.retryAfterS = headers.has('retry-after') ? Number(headers.get('retry-after')) : null
  }
}

type Loose = {
  path?: Record<string, string>
  query?: Record<string, QueryValue>
  body?: unknown
  form?: FormData
  headers?: Record<string, string>
  signal?: AbortSignal
}

function addressOf(base: string, path: string, request: Loose): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = request.path?.[name]
    // An empty segment would match another route.
    if (value === undefined || value === '') throw new TypeError(`The path parameter ${name} of ${path} is missing.`)
    return encodeURIComponent(value)
  })
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(request.query ?? {})) {
    if (value === null || value === undefined) continue
    // An empty list is sent as an empty value, which the API refuses. Left out, it would mean no filter.
    for (const one of !Array.isArray(value) ? [value] : value.length > 0 ? value : ['']) search.append(name, String(one))
  }
  return `${base.replace(/\/+$/, '')}${filled}${search.size > 0 ? `?${search}` : ''}`
}

function readable(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Throws an ApiProblem for a refusal, and the error of `fetch` if there is no answer. Requests are not retried. */
export function client(options: ClientOptions) {
  const send = options.fetch ?? fetch
  let { visitorToken } = options
  return async <S extends Spec>(spec: S, ...[request]: Arguments<S>): Promise<Answer<S>> => {
    const given = (request as Loose | undefined) ?? {}
    const [method, path] = spec.split(' ') as [string, string]
    const answer = await send(addressOf(options.base, path, given), {
      method,
      headers: {
        ...options.headers,
        ...(visitorToken && path.startsWith('/v1/storefront/') ? { 'x-service-visitor-token': visitorToken } : {}),
        ...(given.body === undefined ? {} : { 'content-type': 'application/json' }),
        ...given.headers,
      },
      // For a form, fetch sets the content type with its boundary.
      ...(given.form ? { body: given.form } : given.body === undefined ? {} : { body: JSON.stringify(given.body) }),
      ...(given.signal ? { signal: given.signal } : {}),
    })
    const value = readable(await answer.text())
    const token = answer.headers.get('x-service-visitor-token')
    if (token && token !== visitorToken) {
      visitorToken = token
      options.onVisitorToken?.(token)
    }
    if (!answer.ok) throw new ApiProblem(spec, answer.status, (value ?? {}) as Record<string, unknown>, answer.headers)
    return value as Answer<S>
  }
}
