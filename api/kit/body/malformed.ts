// Answers requests that Node's HTTP parser refuses with a problem document, and closes their connections.
import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import { Refusal } from '../../../rules/refusal.ts'
import { problem } from '../answer/errors.ts'

const refusals: Record<string, Refusal> = {
  HPE_HEADER_OVERFLOW: new Refusal(431, 'headers_too_large', 'The request line and headers are larger than 16 KiB.'),
  ERR_HTTP_REQUEST_TIMEOUT: new Refusal(408, 'too_slow', 'The request did not arrive in time.'),
}
const malformed = new Refusal(400, 'bad_request', 'The request is not a valid HTTP/1.1 request.')

/**
 * Listener of the server's `clientError` event. Writes nothing if an answer was started or the client has disconnected.
 */
export function answerMalformed(error: Error & { code?: string; bytesParsed?: number }, socket: Socket): void {
  const begun = (socket as Socket & { _httpMessage?: { headersSent: boolean } })._httpMessage?.headersSent
  if (error.code === 'ECONNRESET' || !socket.writable || begun) {
    socket.destroy()
    return
  }
  const requestId = randomUUID()
  const { status, body } = problem(refusals[error.code ?? ''] ?? malformed, requestId)
  const text = JSON.stringify(body)
  const headers = [
    'Content-Type: application/problem+json',
    'X-Content-Type-Options: nosniff',
    `Content-Length: ${Buffer.byteLength(text)}`,
    `X-Request-Id: ${requestId}`,
    'Connection: close',
  ]
  socket.end([`HTTP/1.1 ${status} ${body.title}`, ...headers, '', text].join('\r\n'))
}
