// A Temporal that accepts every start and starts nothing: the model makes the steps itself.
import { once } from 'node:events'
import { createServer } from 'node:http2'
import type { AddressInfo } from 'node:net'

/** An empty message of gRPC: not compressed, of no bytes. */
const empty = Buffer.alloc(5)

export async function idleEngine(): Promise<{ address: string; stop(): void }> {
  const server = createServer()
  const sessions = new Set<{ destroy(): void }>()
  server.on('session', (session) => sessions.add(session))
  server.on('stream', (stream) => {
    stream.on('error', () => {})
    stream.respond({ ':status': 200, 'content-type': 'application/grpc+proto' }, { waitForTrailers: true })
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }))
    stream.end(empty)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop() {
      for (const session of sessions) session.destroy()
      server.close()
    },
  }
}
