// One HTTP attempt that knows its phase: whether a byte of the request was written decides whether it may ever be sent
// again.
import { Agent, type Dispatcher } from 'undici'
import { textOfBytes } from '../../rules/input/bytes.ts'

/** Removes file names and lines of OpenSSL's sources from its errors, such as `TLS: wrong version number`. */
export const withoutSources = (message: string): string =>
  message
    .replace(/(?:[0-9A-Fa-f]+:)?error:[0-9A-Fa-f]{8}:[^:\n]*:[^:\n]*:([^:\n]*)(?::[^\n]*)?\n?/g, 'TLS: $1; ')
    .replace(/; $/, '')

/**
 * No final status line came. `written`: a byte of the request may have left. Has no `code`: Stripe's SDK would retry
 * ECONNRESET by itself.
 */
export class CallFailed extends Error {
  readonly written: boolean
  constructor(written: boolean, cause: unknown) {
    super(
      `${written ? 'no answer' : 'not sent'}: ${cause instanceof Error ? withoutSources(cause.message) : String(cause)}`,
      { cause },
    )
    this.written = written
  }
}

/** The body is longer than the limit; what was received is dropped. */
export class BodyTooLarge extends Error {
  constructor(max: number) {
    super(`the body is longer than ${max} bytes`)
  }
}

/**
 * HTTP/1.1 alone. An HTTP/2 session outlives a network path that drops packets, so that every call on it is lost, and
 * undici resends a request by itself after REFUSED_STREAM and GOAWAY. On HTTP/1.1, one request at a time, undici 8.12
 * resends nothing, and a call that times out closes its connection.
 */
const options = { allowH2: false, connect: { timeout: 5_000 }, connections: 64 }
const kept = new Agent({ ...options, pipelining: 1, keepAliveTimeout: 4_000 })
const closing = new Agent({ ...options, pipelining: 0 })

/**
 * Connections to hosts that the installation or our rules name. An effect has one of its own: a server that closes an
 * idle connection as the next request arrives cannot be distinguished from a lost answer, which would be an unknown
 * outcome. Reads, which may be repeated, keep theirs.
 */
export const agentFor = (calls: 'effect' | 'read'): Dispatcher => (calls === 'read' ? kept : closing)

export type Answer = { status: number; headers: Record<string, string | string[] | undefined>; body(): Promise<string> }

export type CallOptions = {
  path: string
  method: string
  headers: Record<string, string>
  body?: string | Uint8Array
  timeoutMs: number
  /** The time by performance.now() after which a connection is not used any more. */
  firstByteBy?: number
  /** Bytes; the body of a longer answer rejects with BodyTooLarge. */
  bodyMax?: number
}

/**
 * Resolves at the final status line; a body that breaks off afterwards is still an answer. Rejects with CallFailed.
 * Nothing is retried.
 */
export function call(dispatcher: Dispatcher, origin: string, o: CallOptions): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  const end = Promise.withResolvers<string>()
  end.promise.catch(() => {})
  const chunks: Buffer[] = []
  let size = 0
  let written = false
  let answered = false
  let over = false
  let controller: Dispatcher.DispatchController | undefined
  let type: string | string[] | undefined

  const timer = setTimeout(() => {
    const late = new Error(`no answer within ${Math.round(o.timeoutMs)} ms`)
    over = true
    if (controller) controller.abort(late)
    // Still without a connection: onRequestStart aborts the request if one is made later.
    else reject(new CallFailed(false, late))
  }, o.timeoutMs)

  dispatcher.dispatch(
    {
      origin,
      path: o.path,
      method: o.method as Dispatcher.HttpMethod,
      headers: o.headers,
      body: o.body ?? null,
      headersTimeout: 0,
      bodyTimeout: 0,
    },
    {
      // On an established connection, just before the first byte.
      onRequestStart(current) {
        controller = current
        if (over || (o.firstByteBy !== undefined && performance.now() > o.firstByteBy)) {
          current.abort(new Error('too late to send'))
          return
        }
        written = true
      },
      onResponseStart(_, status, headers) {
        if (status < 200) return
        answered = true
        type = headers['content-type']
        resolve({ status, headers, body: () => end.promise })
      },
      onResponseData(current, chunk) {
        size += chunk.length
        if (o.bodyMax === undefined || size <= o.bodyMax) chunks.push(chunk)
        else current.abort(new BodyTooLarge(o.bodyMax))
      },
      onResponseEnd() {
        clearTimeout(timer)
        end.resolve(textOfBytes(Buffer.concat(chunks), [type].flat()[0]))
      },
      onResponseError(_, error) {
        clearTimeout(timer)
        if (answered) end.reject(error)
        else reject(new CallFailed(written, error))
      },
    },
  )
  return promise
}
