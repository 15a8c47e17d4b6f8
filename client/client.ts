// A typed client of the API. It uses fetch and nothing else, so it runs in Node and in browsers.
//   const call = client({ base: 'https://shop.example', token })
//   const product = await call('POST /v1/stores/{storeId}/products', { path: { storeId }, body: { key: 'tea' } })
import type { Operations } from './api.ts'

export type * from './api.ts'

/** Method and path of an operation, as in the OpenAPI document. */
export type Spec = keyof Operations

type Part<S extends Spec, Name extends string> = Operations[S] extends Record<Name, infer T> ? T : undefined

/** The JSON body that an operation takes; undefined if it takes none. */
export type Body<S extends Spec> = Operations[S] extends { body?: infer B } ? B : undefined
/** What an operation returns. */
export type Answer<S extends Spec> = Operations[S]['answer']

/** An object without required fields may be left out. */
type Named<Name extends string, T> = T extends undefined
  ? unknown
  : Record<string, never> extends T
    ? { [N in Name]?: T }
    : { [N in Name]: T }

/** What a call takes beside its operation. */
export type Input<S extends Spec> = Named<'path', Part<S, 'path'>> &
  Named<'query', Part<S, 'query'>> &
  Named<'form', Part<S, 'form'>> &
  (Operations[S] extends { body: infer B }
    ? { body: B }
    : Operations[S] extends { body?: infer B }
      ? { body?: B }
      : unknown) & {
    headers?: Record<string, string>
    /**
     * Cancels the call, for example `AbortSignal.timeout(20_000)`. What the server has received already still happens.
     */
    signal?: AbortSignal
  }

type Arguments<S extends Spec> = Record<string, never> extends Input<S> ? [input?: Input<S>] : [input: Input<S>]

export type Call = <S extends Spec>(spec: S, ...input: Arguments<S>) => Promise<Answer<S>>

export type ClientOptions = {
  /** Scheme and host of the API, without a path. */
  base: string
  /** An operator's session or API token. */
  token?: string
  /** The publishable key of a store or business, for calls of its visitors. */
  publishableKey?: string
  /** The token of a visitor who was here before. */
  visitorToken?: string | undefined
  /** Called with the token of a new visitor. The API sends it once: store it. */
  onVisitorToken?: (token: string) => void
  /** Sent with every call. */
  headers?: Record<string, string>
  /** Replaces the global fetch. */
  fetch?: typeof fetch
}

/** One fault of a request: `pointer` is a JSON pointer into the body, or the name of a query parameter. */
export type Fault = { pointer: string; code: string; detail: string }

/** Thrown for every response that is not a success: a problem document (RFC 9457). `code` is stable. */
export class ApiProblem extends Error {
  override name = 'ApiProblem'
  readonly status: number
  /** `unreadable` if the response is not a problem document, for example a gateway's page. */
  readonly code: string
  readonly errors: readonly Fault[]
  readonly requestId: string | null
  /** The whole document, with its further members. */
  readonly document: Readonly<Record<string, unknown>>
  /** Seconds after which the same request may be repeated; null if the API does not say so. */
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

/** Arrays are sent as repeated names. Null and undefined are not sent. */
type QueryValue = string | number | boolean | readonly (string | number | boolean)[] | null | undefined

type Untyped = {
  path?: Record<string, string>
  query?: Record<string, QueryValue>
  body?: unknown
  form?: FormData
  headers?: Record<string, string>
  signal?: AbortSignal
}

function addressOf(base: string, path: string, input: Untyped): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = input.path?.[name]
    // An empty segment would lead to another route.
    if (value === undefined || value === '') throw new TypeError(`${path} needs ${name}`)
    return encodeURIComponent(value)
  })
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(input.query ?? {})) {
    if (value === null || value === undefined) continue
    // An empty array is sent as an empty value, which the API refuses. Left out, it would mean no filter.
    for (const one of !Array.isArray(value) ? [value] : value.length > 0 ? value : [''])
      search.append(name, String(one))
  }
  return `${base.replace(/\/+$/, '')}${filled}${search.size > 0 ? `?${search}` : ''}`
}

function parsed(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Throws an ApiProblem for a refusal, and what fetch throws where no response arrives. It never repeats a request. */
export function client(options: ClientOptions): Call {
  const send = options.fetch ?? fetch
  let { visitorToken } = options
  return async (spec, ...[given]) => {
    const input = (given ?? {}) as Untyped
    const [method, path] = spec.split(' ') as [string, string]
    const response = await send(addressOf(options.base, path, input), {
      method,
      headers: {
        ...(options.token ? { authorization: `Bearer ${options.token}` } : {}),
        ...(options.publishableKey ? { 'x-service-publishable-key': options.publishableKey } : {}),
        ...options.headers,
        ...(visitorToken && /^\/v1\/(storefront|businesses)\//.test(path)
          ? { 'x-service-visitor-token': visitorToken }
          : {}),
        ...(input.body === undefined ? {} : { 'content-type': 'application/json' }),
        ...input.headers,
      },
      // fetch sets the content type of a form: it names the boundary.
      ...(input.form ? { body: input.form } : input.body === undefined ? {} : { body: JSON.stringify(input.body) }),
      ...(input.signal ? { signal: input.signal } : {}),
    })
    const value = parsed(await response.text())
    const token = response.headers.get('x-service-visitor-token')
    if (token && token !== visitorToken) {
      visitorToken = token
      options.onVisitorToken?.(token)
    }
    if (!response.ok)
      throw new ApiProblem(spec, response.status, (value ?? {}) as Record<string, unknown>, response.headers)
    return value as never
  }
}

/** Operations that return a page. */
export type ListSpec = { [S in Spec]: Answer<S> extends { items: unknown[]; cursor: string | null } ? S : never }[Spec]
export type Item<S extends ListSpec> = Answer<S> extends { items: (infer T)[] } ? T : never

/**
 * Every record of a list, page after page: `for await (const order of each(call, 'GET /v1/stores/{storeId}/orders', {
 * path }))`.
 */
export async function* each<S extends ListSpec>(
  call: Call,
  spec: S,
  ...[given]: Arguments<S>
): AsyncGenerator<Item<S>, void, undefined> {
  const input = (given ?? {}) as Untyped
  const next = call as (spec: ListSpec, input: Untyped) => Promise<{ items: unknown[]; cursor: string | null }>
  let cursor = input.query?.cursor
  do {
    const page = await next(spec, { ...input, query: { ...input.query, cursor } })
    yield* page.items as Item<S>[]
    cursor = page.cursor
  } while (cursor)
}
