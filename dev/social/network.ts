// What the simulator knows of one social network: one value, in one file of networks/. No other file compares a letter.
import type { Controls } from '../sim/control.ts'
import type { Letter } from './state.ts'

export type Network = {
  letter: Letter
  /** Its hosts, each a folder of the simulator. */
  hosts: readonly string[]
  /** The first that fits a call handles it. */
  routes: readonly Route[]
  consent: Consent
  refusals: Refusals
  /** Makes the id of a post or a comment. */
  newId(): string
  /** Makes the id of an account of its name; by default, digits. */
  accountId?(name: string): string
  /** An account owns pages, which have tokens of their own. */
  pages?: true
  /** What an answer says of its limits, and how it refuses beyond them. `account`: whose token the call has. */
  limit?(call: Call, account: string): Limit
  /** Publishes what an owner posts without the app; by default a post, or a story. */
  publish?(given: { owner: string; text: string }): { id: string }
  /** Controls of its own. */
  controls?: Controls
}

/** How its accounts consent, and which tokens they grant. */
export type Consent = {
  /** Consent needs a `code_challenge` (RFC 7636). */
  pkce?: true
  /** The app authenticates by HTTP Basic, not by fields. */
  basic?: true
  /** Seconds for which an access token is valid. */
  expires_in: number
  /** The access token of a code is traded for one of 60 days. */
  short?: true
  /**
   * What a refresh does to the refresh token: `rotated` replaces it, and revokes the family when a replaced one comes
   * again. Left out, there is none.
   */
  refresh?: 'kept' | 'rotated'
  /** The answer to a code; by default that of RFC 6749. */
  granted?(access_token: string, account: string): object
}

/** Its refusals, in its own shape. */
export type Refusals = {
  /** Of a token that is not valid. */
  token(): Answer
  /** Of a code, a refresh token or an app. `error`: of RFC 6749. */
  grant(error: string): Answer
  /** Of an injected fault. */
  injected(status: number, fault: Injected): Answer
}
export type Injected = {
  code?: string | undefined
  subcode?: number | undefined
  is_transient?: boolean | undefined
  reason?: string | undefined
}

export type Limit = { headers: Record<string, string>; refusal?: Answer }

/**
 * One request to a simulated network. `fields`: of the query, and of a form, a multipart body or the first level of a
 * JSON body.
 */
export type Call = {
  method: string
  host: string
  path: string
  /** Named parts of the path. */
  params: Record<string, string>
  url: URL
  network: Network
  headers: Record<string, string | string[] | undefined>
  fields: Record<string, string>
  /** The body, if it is a JSON object. */
  json: Record<string, unknown>
  /** Files of a multipart body. */
  files: Record<string, Buffer>
  body: Buffer
  bearer: string | undefined
  /** `id:secret` of HTTP Basic. */
  basic: string | undefined
}
/** What a request made visible: a post, or a comment on or in the thread of `parent_id`. */
export type Visible = { id: string; text: string; parent_id: string | null }
/** Strings are sent as they are, other bodies as JSON. `effect`: the request changed something. */
export type Answer = {
  status: number
  headers?: Record<string, string>
  body: unknown
  effect?: boolean
  visible?: Visible
}
/** A promise waits for a file; its function then carries out the request without waiting. */
export type Handler = (call: Call) => Answer | Promise<() => Answer>
/** `:v` in a path is a version of Graph. */
export type Route = [method: string, at: string, handler: Handler]
