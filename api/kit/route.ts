// A route is a value, declared once; the router, validation, permissions, /openapi.json and the typed client are derived from it.
//   route('GET /v1/stores/{storeId}', { may: 'admin', summary: 'Read a store', out: Store, run: ({ em, path }) => em.findOneOrFail(…) })
import type { Readable } from 'node:stream'
import type { EntityManager } from '@mikro-orm/postgresql'
import type { z } from 'zod'
import type { ProblemCode } from '../../rules/problems.ts'
import type { Refusal } from '../../rules/refusal.ts'
import type { Anyone, Headers, May, Member, Operator, Role, Visitor } from './caller.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'
export type Spec = `${Method} /${string}`

export type PathOf<S extends string> = S extends `${string}{${infer P}}${infer Rest}` ? { [K in P]: string } & PathOf<Rest> : unknown

/** What a visitor's route needs: nobody; a visitor, made on the spot; or one who is known (else 401). */
export type ContactNeed = 'optional' | 'created' | 'required'

type CallerOf<M extends May, C extends ContactNeed> = M extends 'visitor'
  ? C extends 'optional'
    ? Anyone
    : Visitor
  : M extends 'verified'
    ? Visitor
    : M extends 'account' | 'platform'
      ? Operator
      : M extends Role
        ? Member
        : null

type TenantOf<M extends May> = M extends 'visitor' | 'verified' | Role ? string : null

export type Shape = z.ZodObject
type Parsed<T> = T extends z.ZodType ? z.output<T> : Record<string, never>

export type Call<S extends string, M extends May, C extends ContactNeed, Q, B> = {
  em: EntityManager
  caller: CallerOf<M, C>
  tenant_id: TenantOf<M>
  path: PathOf<S>
  query: Parsed<Q>
  body: Parsed<B>
  /** Unix seconds. */
  now: number
  ip: string
  headers: Headers
  /** The body's bytes as they came: what a signature is checked on. */
  raw: Buffer
}

/** An answer whose status or headers are not the route's usual ones. */
export class Reply<T> {
  readonly status: number
  readonly body: T
  readonly headers: Record<string, string>
  constructor(status: number, body: T, headers: Record<string, string> = {}) {
    this.status = status
    this.body = body
    this.headers = headers
  }
}

/** An answer of bytes. They are opened when the status and headers are sent, for a HEAD never; Content-Length has to be among the headers. */
export class Download {
  readonly status: number
  readonly headers: Record<string, string>
  readonly open: (() => Promise<Readable>) | null
  constructor(status: number, headers: Record<string, string>, open: (() => Promise<Readable>) | null) {
    this.status = status
    this.headers = headers
    this.open = open
  }
}

/** A file that was sent, on this machine until the request is over. `name` as it was sent; SHA-256 in hexadecimal. */
export type SentFile = { name: string; content_type: string | undefined; path: string; size: number; digest: string }

export type Limits = { field: string; files_max: number; bytes_max: number }

export type Out<O> = O extends z.ZodType ? Loose<z.input<O>> : unknown
/** What is null in an answer may be undefined in an entity that was just made. */
type Loose<T> = T extends readonly (infer U)[]
  ? readonly Loose<U>[]
  : T extends object
    ? { [K in keyof T]: Loose<T[K]> | (null extends T[K] ? undefined : never) }
    : T

/** The row is the answer: after the commit it is read again, until it says how it went or the time to wait is over. */
export type Waiting<S extends string, O> = {
  /**
   * Undefined: not yet. Throws what has to be answered instead; a refusal that is returned is answered when what was written is undone (uploads). Holds no
   * connection between two calls.
   */
  until(look: { em: EntityManager; path: PathOf<S>; result: Out<O>; tenant_id: string }): Promise<Out<O> | Refusal | undefined>
  /** Whether there is something to wait for at all. */
  when?(result: Out<O>): boolean
  /** The time is over, or the engine is away: the answer then, or a refusal. */
  late(result: Out<O>, engineAway: boolean): Out<O>
}

export type Declaration<S extends string, M extends May, C extends ContactNeed, Q, B, O> = {
  may: M
  /** The operation's name in generated clients, where the method and the path do not say it well (openapi/names.ts). */
  operation?: string
  summary: string
  description?: string
  contact?: C
  query?: Q
  body?: B
  out?: O
  /** 200 unless said otherwise; creating POSTs say 201. */
  status?: 200 | 201
  /** Creates (201), and answers 200 where the same request was made before. */
  replays?: true
  /** Path parameters that need not be ids (a slug, a country code). */
  words?: readonly (keyof PathOf<S> & string)[]
  /** An account-level route that sessions opened through a store may call too. */
  storeSessions?: true
  /** Further names under which a body may repeat a path parameter: the contract calls it so. */
  repeats?: Readonly<Record<string, keyof PathOf<S> & string>>
  /** The request headers that the route reads, beside credentials. */
  requestHeaders?: Readonly<Record<string, { description: string; required?: true }>>
  /** Reads the body as bytes and checks nothing (signed events). */
  unparsed?: boolean
  /** Answers a Download, and with these types. */
  answers?: readonly string[]
  /** Codes of problems that it may answer, besides those that every route of its kind does (problems.ts). */
  refuses?: readonly ProblemCode[]
  /** Refusals whose body may be `out` instead of a problem. */
  refusesAs?: readonly (404 | 409)[]
  /** A POST that changes nothing, or whose one statement changes everything: no transaction around it. */
  reads?: true
  /** In one transaction, which only the kit commits; no provider is called from here. */
  run(call: Call<S, M, C, Q, B>): Promise<Out<O> | Reply<Out<O>>> | Out<O> | Reply<Out<O>>
  wait?: Waiting<S, O>
}

/** What becomes of files that are sent; their types are the business of whoever declares them. */
export type Steps = Limits & {
  check(files: readonly SentFile[]): Promise<unknown>
  write(call: unknown): Promise<unknown>
  keep(written: unknown): Promise<void>
  undo(call: unknown): Promise<void>
}

export type Route<S extends Spec = Spec, Q = unknown, B = unknown, O = unknown> = {
  spec: S
  method: Method
  path: string
  parameters: string[]
  may: May
  contact: ContactNeed
  operation: string | undefined
  summary: string
  description: string | undefined
  query: Shape | undefined
  body: Shape | undefined
  out: z.ZodType | undefined
  status: 200 | 201
  replays: boolean
  words: readonly string[]
  storeSessions: boolean
  repeats: Readonly<Record<string, string>>
  requestHeaders: Readonly<Record<string, { description: string; required?: true }>>
  unparsed: boolean
  answers: readonly string[] | undefined
  refuses: readonly ProblemCode[]
  refusesAs: readonly number[]
  /** Takes files instead of JSON (upload.ts). */
  upload: Steps | undefined
  reads: boolean
  run(call: unknown): unknown
  wait: Waiting<string, z.ZodType> | undefined
  /** Never there; carries the types to the client. */
  types?: { query: Q; body: B; out: O }
}

export function route<
  const S extends Spec,
  const M extends May,
  const C extends ContactNeed = 'required',
  Q extends Shape | undefined = undefined,
  B extends Shape | undefined = undefined,
  O extends z.ZodType | undefined = undefined,
>(spec: S, declared: Declaration<S, M, C, Q, B, O>): Route<S, Q, B, O> {
  const [method, path] = spec.split(' ') as [Method, string]
  return {
    spec,
    method,
    path,
    parameters: [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string),
    may: declared.may,
    contact: declared.contact ?? 'required',
    operation: declared.operation,
    summary: declared.summary,
    description: declared.description,
    query: declared.query,
    body: declared.body,
    out: declared.out,
    status: declared.status ?? 200,
    replays: declared.replays ?? false,
    words: declared.words ?? [],
    storeSessions: declared.storeSessions ?? false,
    repeats: declared.repeats ?? {},
    requestHeaders: declared.requestHeaders ?? {},
    unparsed: declared.unparsed ?? false,
    answers: declared.answers,
    refuses: declared.refuses ?? [],
    refusesAs: declared.refusesAs ?? [],
    upload: undefined,
    reads: method === 'GET' || (declared.reads ?? false),
    run: declared.run as (call: unknown) => unknown,
    wait: declared.wait as Waiting<string, z.ZodType> | undefined,
  }
}
