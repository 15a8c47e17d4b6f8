// A response with any status, headers and body, as from a gateway or a broken server; it can be cut off or slow.
import type { ServerResponse } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'

export type FreeAnswer = {
  status?: number
  headers?: Record<string, string>
  /** Strings are sent as they are, other values as JSON. */
  body?: unknown
  /**
   * Content-Length is twice the length of the body, and the connection is closed after the body. `half`: after half of
   * it.
   */
  cut?: boolean | 'half'
  /** Milliseconds between headers and body, and between the halves of the body. */
  slow_ms?: number
}

export async function answerFreely(
  response: ServerResponse,
  { status = 200, headers = {}, body = '', cut = false, slow_ms = 0 }: FreeAnswer,
): Promise<void> {
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
  const bodiless = status === 204 || status === 304
  const length = bodiless ? {} : { 'content-length': String(cut ? 2 * bytes.length + 1 : bytes.length) }
  response.writeHead(status, {
    ...(typeof body === 'string' ? {} : { 'content-type': 'application/json' }),
    ...length,
    ...headers,
  })
  if (bodiless || response.req.method === 'HEAD') return void response.end()
  if (slow_ms > 0) {
    response.flushHeaders()
    await pause(slow_ms)
    response.write(bytes.subarray(0, bytes.length >> 1))
    await pause(slow_ms)
  }
  const rest =
    slow_ms > 0 ? bytes.subarray(bytes.length >> 1) : bytes.subarray(0, cut === 'half' ? bytes.length >> 1 : undefined)
  if (!cut) return void response.end(rest)
  response.flushHeaders()
  response.write(rest, () => response.socket?.destroy())
}
