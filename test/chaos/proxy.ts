// A proxy between our processes and their servers: passes everything unchanged, and breaks a connection at a chosen
// byte on request.
import net, { type Socket } from 'node:net'

/**
 * `there` is from our process to the server. Counted for each connection from the moment of the request to break it.
 */
export type Cut = { direction: 'there' | 'back'; after_bytes: number; times: number }

export type Link = {
  port: number
  /** The next `times` connections that come so far break; `struck` is called for each. */
  cut(cut: Cut, struck: () => void): void
  /** Forgets the breaks that have not happened. */
  heal(): void
  stop(): Promise<void>
}

type Armed = { cut: Cut; struck: () => void; seen: WeakMap<Socket, number> }

export async function openLink(to: number): Promise<Link> {
  let armed: Armed[] = []
  const open = new Set<Socket>()

  /** How many bytes of this chunk still pass; undefined: all of them. */
  function passing(client: Socket, direction: Cut['direction'], bytes: number): number | undefined {
    for (const one of armed) {
      if (one.cut.direction !== direction) continue
      const seen = one.seen.get(client) ?? 0
      one.seen.set(client, seen + bytes)
      if (seen + bytes < one.cut.after_bytes) continue
      one.cut.times--
      if (one.cut.times <= 0) armed = armed.filter((other) => other !== one)
      one.struck()
      return Math.max(0, one.cut.after_bytes - seen)
    }
    return undefined
  }

  function forward(client: Socket, from: Socket, into: Socket, direction: Cut['direction'], end: () => void): void {
    from.on('data', (chunk: Buffer) => {
      const most = passing(client, direction, chunk.length)
      if (most === undefined) {
        if (!into.write(chunk)) {
          from.pause()
          into.once('drain', () => from.resume())
        }
        return
      }
      from.pause()
      // What passes arrives before the reset does.
      into.write(chunk.subarray(0, most), () => setTimeout(end, 2))
    })
    from.on('end', () => into.end())
    from.on('error', end)
    from.on('close', () => setTimeout(end, 50))
  }

  const server = net.createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    const up = net.connect({ port: to, host: '127.0.0.1', allowHalfOpen: true, noDelay: true })
    open.add(client).add(up)
    const end = () => {
      for (const socket of [client, up]) {
        if (!socket.destroyed) socket.resetAndDestroy()
        open.delete(socket)
      }
    }
    forward(client, client, up, 'there', end)
    forward(client, up, client, 'back', end)
  })
  await new Promise<void>((done, fail) => server.once('error', fail).listen(0, '127.0.0.1', done))
  return {
    port: (server.address() as net.AddressInfo).port,
    cut: (cut, struck) => void armed.push({ cut: { ...cut }, struck, seen: new WeakMap() }),
    heal() {
      armed = []
    },
    async stop() {
      const closed = new Promise((done) => server.close(done))
      for (const socket of open) socket.destroy()
      await closed
    },
  }
}
