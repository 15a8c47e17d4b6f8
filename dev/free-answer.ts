// An answer of any status, headers and body, as a gateway or a broken server gives it: also one that is cut off, or slow.
import type { ServerResponse } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'

export type FreeAnswer = {
  status?: number
  headers?: Record<string, string>
  /** A text is sent as it is, anything else as its JSON. */
  body?: unknown
  /** The body is announced as twice as long as it is, and the connection is closed after it. */
  cut?: boolean
  /** Milliseconds between the headers and the body, and once more between its halves. */
  slow_ms?: number
}

export async function answerFreely(response: ServerResponse, { status = 200, headers = {}, body = '', cut = false, slow_ms = 0 }: FreeAnswer): Promise<void> {
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
  const bodiless = status === 204 || status === 304
  const length = bodiless ? {} : { 'content-length': String(cut ? 2 * bytes.length + 1 : bytes.length) }
  response.writeHead(status, { ...(typeof body === 'string' ? {} : { 'content-type': 'application/json' }), ...length, ...headers })
  if (bodiless || response.req.method === 'HEAD') return void response.end()
  if (slow_ms > 0) {
    response.flushHeaders()
    await pause(slow_ms)
    response.write(bytes.subarray(0, bytes.length >> 1))
    await pause(slow_ms)
  }
  const rest = slow_ms > 0 ? bytes.subarray(bytes.length >> 1) : bytes
  if (!cut) return void response.end(rest)
  response.flushHeaders()
  response.write(rest, () => response.socket?.destroy())
}
