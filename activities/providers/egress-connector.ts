// Connections to hosts that the guard allows: the name is resolved once, and the connected address is checked again
// before the first byte.
import net from 'node:net'
import tls from 'node:tls'
import type { buildConnector } from 'undici'
import { hostName } from '../../rules/input/ip-addresses.ts'
import { EgressError, type Guard } from './egress-guard.ts'

const connectMs = 5_000

export type Connector = {
  /** A connection on which nothing was written yet, encrypted for `https:`. Rejects within 5 seconds. */
  open(to: buildConnector.Options): Promise<net.Socket>
  /** The options of TLS for a host. */
  trust(host: string): tls.ConnectionOptions
}

/** `ca` is trusted as well. */
export function newConnector(guard: Guard, ca: string | undefined): Connector {
  const trust = (host: string) => ({
    servername: net.isIP(host) ? '' : host,
    // Explicit, so that no environment variable can switch it off.
    rejectUnauthorized: true,
    ...(ca ? { ca } : {}),
  })

  async function open({ hostname, port, protocol }: buildConnector.Options): Promise<net.Socket> {
    const { inTime, end } = deadline()
    let socket: net.Socket | undefined
    try {
      const addresses = await inTime(guard.addresses(hostname))
      const host = hostName(hostname)
      socket = connectTo(host, Number(port) || (protocol === 'https:' ? 443 : 80), addresses)
      await inTime(ready(socket, 'connect'))
      guard.checkAddresses(host, [socket.remoteAddress ?? ''])
      if (protocol !== 'https:') return socket
      const secure = tls.connect({ socket, host, ALPNProtocols: ['http/1.1'], ...trust(host) })
      socket = secure
      await inTime(ready(secure, 'secureConnect'))
      return secure
    } catch (error) {
      socket?.destroy()
      throw error
    } finally {
      end()
    }
  }

  return { open, trust }
}

/** The time that all steps of one connection have. */
function deadline() {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(
    () => late.reject(new EgressError('egress_not_sent', `no connection within ${connectMs} ms`)),
    connectMs,
  ).unref()
  return {
    inTime: <T>(step: Promise<T>): Promise<T> => Promise.race([step, late.promise]),
    end: () => clearTimeout(timer),
  }
}

function connectTo(host: string, port: number, addresses: readonly string[]): net.Socket {
  const found = addresses.map((address) => ({ address, family: net.isIP(address) }))
  return net.connect({
    host,
    port,
    // Not called where the host is an address, which was checked before.
    lookup: (_host, _options, callback) => callback(null, found),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: 1_000,
    noDelay: true,
  })
}

function ready(socket: net.Socket, event: 'connect' | 'secureConnect'): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  socket.once(event, resolve)
  // Not `once`: an error before undici adds its own listener would end the process.
  socket.on('error', reject)
  socket.once('close', () => reject(new Error('the connection was closed')))
  promise.catch(() => {})
  return promise
}
