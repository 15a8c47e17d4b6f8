// One request to a simulated network, and its answer.
import type { Network } from './state.ts'

/** `fields`: of the query, and of a form, a multipart body or the first level of a JSON body. */
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
