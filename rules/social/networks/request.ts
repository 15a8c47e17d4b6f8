// A request to a network, as a value that activities send.

export type App = { client_id: string; client_secret: string }
/** The methods of requests that change something. */
type Change = 'POST' | 'PUT' | 'DELETE'

/** `token`: an access token, sent as a header. At most one of `form`, `json` and `bytes` is the body. */
export type SocialRequest = {
  method: 'GET' | Change
  host: string
  path: string
  query?: Record<string, string>
  form?: Record<string, string>
  json?: unknown
  bytes?: { type: string; data: Uint8Array }
  headers?: Record<string, string>
  token?: string
  /** The scheme of the header that the token is sent in; Bearer without one. */
  scheme?: 'OAuth'
  /** HTTP Basic. */
  basic?: App
}

/** A place of a network's API. `{v}` in a path is SOCIAL_GRAPH_VERSION. */
export type At = { host: string; path: string }
/** `token`: an access token; `version`: of Graph. */
export type Access = { token: string; version: string }

export const versioned = (path: string, version: string): string => path.replace('{v}', version)

/** A read with an access token. */
export const readRequest = (
  { host, path }: At,
  query: Record<string, string>,
  { token, version }: Access,
): SocialRequest => ({ method: 'GET', host, path: versioned(path, version), token, query })
