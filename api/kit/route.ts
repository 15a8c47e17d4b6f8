// A route is a value, declared once; the router, validation, permissions, /openapi.json and the typed client are
// derived from it.
//   route('GET /v1/stores/{storeId}', { may: 'admin', summary: 'Read a store', out: Store, run: ({ em, path }) => … })
import type { EntityManager } from '@mikro-orm/postgresql'
import type { z } from 'zod'
import type { Link } from '../../entities/audiences/member-tokens.ts'
import type { Orm } from '../../entities/kit/database/orm.ts'
import type { ProblemCode } from '../../rules/problems.ts'
import type { Refusal } from '../../rules/refusal.ts'
import type { Download, NotYet, PageText, Reply } from './answer/replies.ts'
import type { Anyone, Customer, Headers, May, Member, Operator, Role, Visitor } from './caller.ts'
import type { Incoming, Outgoing } from './exchange.ts'
import { surfaceOf } from './path-surface.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'
export type Spec = `${Method} /${string}`
/**
 * What a route answers with, except for the problems that it refuses with. 206, 304 and 416 of a Download, and 304 of
 * an answer with a tag, are not declared.
 */
type Status = 200 | 201 | 202 | 303 | 404 | 409

export type PathOf<S extends string> = S extends `${string}{${infer P}}${infer Rest}`
  ? { [K in P]: string } & PathOf<Rest>
  : unknown
/** The names of the path parameters. */
type ParameterOf<S extends string> = string extends S ? string : keyof PathOf<S> & string

/**
 * The visitor that a route needs: `optional` needs none, `created` creates one if the request has no token, `required`
 * answers 401.
 */
export type ContactNeed = 'optional' | 'created' | 'required'

type CallerOf<M extends May, C extends ContactNeed> = M extends 'visitor'
  ? C extends 'optional'
    ? Anyone
    : Visitor
  : M extends 'customer'
    ? Customer<C extends 'optional' ? Anyone : Visitor>
    : M extends 'verified'
      ? Visitor
      : M extends 'member-link'
        ? Link
        : M extends 'account' | 'platform'
          ? Operator
          : M extends Role
            ? Member
            : null

type TenantOf<M extends May> = M extends 'visitor' | 'verified' | 'customer' | 'member-link' | Role ? string : null

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
  /** The bytes of the body, for checking a signature. */
  raw: Buffer
}

/** Visitors that one IP address may create in a window. */
export type NewVisitors = { name: string; most: number; windowS: number }

/** The files that a route takes instead of JSON. */
export type FileLimits = { field: string; files_max: number; bytes_max: number }

/** The message that a route takes instead of JSON. `type`: its media type. */
export type MessageLimits = { type: string; bytes_max: number }

export type Out<O> = O extends z.ZodType ? Loose<z.input<O>> : unknown
/** A field that is null in an answer may be undefined in an entity that was just created. */
type Loose<T> = T extends readonly (infer U)[]
  ? readonly Loose<U>[]
  : T extends object
    ? { [K in keyof T]: Loose<T[K]> | (null extends T[K] ? undefined : never) }
    : T

/** The fields that `out` declares, or bytes. */
export type Answer<O> = Out<O> | Download

/**
 * How a `Reply` with `pending` is waited for: after the commit the row is polled until it has an outcome or
 * ANSWER_WAIT_MS has passed. What was read before the wait is not passed on: an answer after a wait is the record as it
 * is then.
 */
export type Waiting<S extends string, O, P> = {
  /**
   * Returns the answer; a NotYet with the record as it is, or undefined where `late` throws, if there is no outcome
   * yet. A thrown refusal is answered at once; a returned one is answered after the upload was undone. No connection is
   * held between two calls.
   */
  until(look: {
    em: EntityManager
    path: PathOf<S>
    pending: P
    tenant_id: string
  }): Promise<Answer<O> | Reply<Out<O>> | Refusal | NotYet<Answer<O>> | undefined>
  /**
   * Returns or throws the answer when the time has passed, or when Temporal is unreachable. `latest`: of the last
   * NotYet. Left out, `latest` is the answer. It must throw if `until` returns undefined.
   */
  late?(latest: Answer<O>, engineAway: boolean, pending: P): Answer<O> | Reply<Out<O>>
  /**
   * How long it waits, instead of ANSWER_WAIT_MS. A process that stops does not wait so long: it answers `late` at
   * once.
   */
  limit_ms?(pending: P): number
  /** The longest pause between two polls: for outcomes that usually take seconds. 50 by default. */
  poll_ms?: number
}

/** Fields of a body that are not in its shape, and other names of those that are. */
type BodyFields<S extends string> = {
  /** Further names under which a body may repeat a path parameter, beside the `id` of the record. */
  repeats?: Readonly<Record<string, ParameterOf<S>>>
  /** The record that a body may be sent back as, where the answer holds it and is not it. */
  record?: z.ZodType
  /**
   * Names of the body by the names of the engine that refuses it: a fault at `/booking_items/0` is answered at
   * `/items/0`.
   */
  places?: Readonly<Record<string, string>>
}

/** How a request is read, and what is checked before its transaction begins. */
type RequestRules<S extends string> = {
  /** Headers that the route reads, other than credentials. */
  headers?: Readonly<Record<string, { description: string; required?: true }>>
  /** The body is passed to `run` as bytes and is not parsed, for signed events. */
  unparsed?: true
  /** The largest body in bytes, where the shape does not tell it. */
  bytesMax?: number
  /** Before the body is read: throws the refusal of headers whose form is wrong. */
  precheck?(headers: Headers): void
  /**
   * Proves the sender of a body of more than 16 KiB before it is read, where no credential of the kit does; throws a
   * refusal.
   */
  prove?(call: { em: EntityManager; path: PathOf<S>; headers: Headers; ip: string }): Promise<{ tenant_id: string }>
  /** The limit of visitors that this route creates, by IP address, besides the one of all routes. */
  newVisitors?(): NewVisitors
  /**
   * Values of the record's `status`: with any other, the request is refused, or changes nothing. A client offers it
   * with these only (`x-while`).
   */
  while?: readonly string[]
}

/** What is answered in place of JSON, or beside it. */
type OtherAnswers = {
  /** For clients that poll: the answer has a weak `ETag`, and 304 takes its place for one who has it. */
  tagged?: true
  /** Media types of the Download that the route answers with. */
  types?: readonly string[]
  /** Beside `out`, the answer is a page where `Accept` names HTML. */
  page?: true
  /**
   * Browsers open the route: a refusal is a page of this text where `Accept` names HTML, instead of a problem. The kit
   * has the texts of 429 and 5xx.
   */
  refusal?(refusal: Refusal, path: Readonly<Record<string, string>>): PageText
}

export type Declaration<S extends string, M extends May, C extends ContactNeed, Q, B, O, P = undefined> = {
  may: M
  /**
   * Name of the operation in generated clients, if the one derived from method and path (openapi/names.ts) is not good.
   */
  operation?: string
  summary: string
  description?: string
  contact?: C
  /**
   * A credential that other routes refuse. `store-session`: sessions opened through a store may call this account-level
   * route. `former-token`: for ten seconds after a sign-in, the token that it replaced may still call this route of
   * visitors; it proves nothing. `refresh-cookie`: the refresh token of an operator, as a cookie of our own pages
   * (accounts/refresh-cookie.ts).
   */
  accepts?: 'store-session' | 'former-token' | 'refresh-cookie'
  /**
   * It starts what an archived store does not do any more: 403 `store_archived` for its operators. Visitors of one are
   * refused everywhere.
   */
  active?: true
  /** Path parameters that are text and not UUIDs, such as a slug or a country code. */
  textParameters?: readonly ParameterOf<S>[]
  query?: Q
  body?: B
  out?: O
  /**
   * The usual status of the answer, 200 by default, or the usual one and others: 200 beside 201 if the same request was
   * made before, 202 if the outcome is not there in time, 303 with a Download that has a Location, 404 and 409 with
   * `out` as the body.
   */
  status?: Status | readonly [Status, ...Status[]]
  /** Problem codes that the route may answer with, in addition to those of its kind (problems.ts). */
  refuses?: readonly ProblemCode[]
  fields?: BodyFields<S>
  request?: RequestRules<S>
  answers?: OtherAnswers
  /**
   * Whether `run` has a transaction: by default for all methods but GET. A POST has none if it changes nothing, or
   * makes its changes in one statement. A function decides by the body, which is not checked yet.
   */
  transaction?: boolean | ((body: unknown) => boolean)
  /** The kit commits its transaction. It must not call a provider. */
  run(call: Call<S, M, C, Q, B>): Promise<Answer<O> | Reply<Answer<O>, P>> | Answer<O> | Reply<Answer<O>, P>
  wait?: Waiting<S, O, P>
}

/** A declaration without the types of the values that its functions pass on. */
type Untyped = Omit<
  Declaration<string, May, ContactNeed, Shape | undefined, Shape | undefined, z.ZodType | undefined, unknown>,
  'run'
> & {
  run(call: unknown): unknown
  upload?: FileLimits
  message?: MessageLimits
  /** Reads the body and handles the request in place of the kit. */
  handle?(orm: Orm, route: Route, incoming: Incoming): Promise<Outgoing>
}

const defaults = {
  contact: 'required',
  textParameters: [],
  refuses: [],
  fields: {},
  request: {},
  answers: {},
} satisfies Partial<Untyped>

/** What the spec and the declaration imply. */
const derived = <S extends Spec>(spec: S, declared: Untyped) => {
  const [method, path] = spec.split(' ') as [Method, string]
  const parameters = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string)
  const surface = surfaceOf(path)
  const { status = 200, fields, out } = declared
  const statuses = typeof status === 'number' ? ([status] as const) : status
  const repeats: Readonly<Record<string, string>> = { ...ownIdOf(method, path, parameters), ...fields?.repeats }
  return {
    spec,
    method,
    path,
    parameters,
    surface,
    /** The path parameter that names the tenant. */
    tenant: surface === 'business' ? 'businessId' : 'storeId',
    status: statuses[0],
    statuses,
    repeats,
    record: fields?.record ?? out,
    transaction: declared.transaction ?? method !== 'GET',
  }
}

export type Route<S extends Spec = Spec, Q = unknown, B = unknown, O = unknown> = Omit<Untyped, 'status'> &
  Required<Pick<Untyped, keyof typeof defaults>> &
  ReturnType<typeof derived<S>> & {
    /** Always undefined: carries the types to the client. */
    types?: { query: Q; body: B; out: O }
  }

/**
 * The `id` of a record is in the path of its PUT, under any name of the parameter. In the body of another route, it is
 * that of the record that the path is about.
 */
function ownIdOf(method: Method, path: string, parameters: readonly string[]): Record<string, string> {
  const last = parameters.at(-1)
  return last !== undefined && (last === 'id' || (method === 'PUT' && path.endsWith('}'))) ? { id: last } : {}
}

/** A route whose values were typed by its caller, as `route` and the declarations of uploads, messages and lists do. */
export const untypedRoute = <S extends Spec, Q, B, O>(spec: S, declared: Untyped): Route<S, Q, B, O> => ({
  ...defaults,
  ...declared,
  ...derived(spec, declared),
})

export const route = <
  const S extends Spec,
  const M extends May,
  const C extends ContactNeed = 'required',
  Q extends Shape | undefined = undefined,
  B extends Shape | undefined = undefined,
  O extends z.ZodType | undefined = undefined,
  P = undefined,
>(
  spec: S,
  declared: Declaration<S, M, C, Q, B, O, P>,
): Route<S, Q, B, O> => untypedRoute(spec, declared)
