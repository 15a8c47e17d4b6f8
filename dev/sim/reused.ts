// A server may close an idle connection at any moment, also as the next request arrives. Its client cannot tell whether
// that request was read.
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'

const used = new WeakSet<Socket>()
let closing: 'none' | 'writes' | 'all' = 'none'

/** Which requests on a connection that has served another one close it: requests of other methods than GET, or all. */
export function closeReused(given: unknown): void {
  if (given !== 'none' && given !== 'writes' && given !== 'all')
    throw new SyntaxError('closes: must be none, writes or all')
  closing = given
}

/** True: the connection is closed, and the request was not read. */
export function meetsClosing({ socket, method }: IncomingMessage): boolean {
  const isReused = used.has(socket)
  used.add(socket)
  if (!isReused || closing === 'none' || (closing === 'writes' && method === 'GET')) return false
  socket.destroy()
  return true
}
