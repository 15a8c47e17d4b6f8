// The HTTP server of a simulator: an error of a handler is printed and answered with 500, and a client that disconnects
// is none.
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { keptServer } from './kept-server.ts'

export function serve(handle: (req: IncomingMessage, res: ServerResponse) => Promise<void>): Server {
  return keptServer((req, res) => {
    handle(req, res).catch((error: Error) => {
      // A client that disconnected during the read is not an error.
      if (req.destroyed && !req.complete) return
      console.error(JSON.stringify({ msg: 'failed', path: req.url?.split('?')[0], error: error.stack }))
      if (!res.headersSent) res.writeHead(500).end()
    })
  })
}

export const listen = (server: Server, at: number) =>
  new Promise<number>((resolve, reject) => {
    server.once('error', reject)
    server.listen(at, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
  })

export async function bytesOf(req: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of req) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}
