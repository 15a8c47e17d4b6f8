// One request to a simulated network, and its answer.
import type { Network } from './state.ts'

/** `fields`: of the query, and of a form or a flat JSON body. */
export type Call = {
  method: string
  host: string
  path: string
  url: URL
  network: Network
  fields: Record<string, string>
  body: Buffer
  bearer: string | undefined
  /** `id:secret` of HTTP Basic. */
  basic: string | undefined
}
/** Strings are sent as they are, other bodies as JSON. `effect`: the request changed something. */
export type Answer = { status: number; headers?: Record<string, string>; body: unknown; effect?: boolean }
export type Handler = (call: Call) => Answer
