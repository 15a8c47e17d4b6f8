// A server that speaks TLS and offers HTTP/2 first, in front of one that does not: dev/front.ts in a process of its
// own.
//   const front = await startFront(dir, Number(new URL(receiver.url).port))
import path from 'node:path'
import type { FrontEntry, FrontFault } from '../../../dev/front.ts'
import { script } from '../../../dev/parts.ts'

export type Front = {
  port: number
  /** The environment of a process that is to trust it. */
  env: { NODE_EXTRA_CA_CERTS: string }
  fault(fault: FrontFault): Promise<unknown>
  heal(): Promise<unknown>
  log(): Promise<FrontEntry[]>
  /** The requests since the last call; armed faults are removed. */
  drain(): Promise<FrontEntry[]>
  stop(): Promise<void>
}

/** `onSlow`: a TLS handshake begins that takes so long. */
export async function startFront(dir: string, to: number, onSlow?: (ms: number) => void): Promise<Front> {
  const certificate = path.join(dir, 'front.pem')
  const child = script('dev/front.ts', [], {
    name: 'front',
    env: { ...process.env, FRONT_TO: String(to), FRONT_CERTIFICATE: certificate },
    log: path.join(dir, 'front.log'),
    onLine: (line) => line.startsWith('slow handshake') && onSlow?.(Number(line.split(' ')[2])),
  })
  const [, port, controlPort] = /listening (\d+) (\d+)/.exec(await child.said(/listening/)) ?? []
  const ask = async (method: string, at: string, body?: unknown) =>
    (
      await fetch(`http://127.0.0.1:${controlPort}${at}`, { method, ...(body ? { body: JSON.stringify(body) } : {}) })
    ).json() as Promise<FrontEntry[]>
  return {
    port: Number(port),
    env: { NODE_EXTRA_CA_CERTS: certificate },
    fault: (fault) => ask('POST', '/faults', fault),
    heal: () => ask('DELETE', '/faults'),
    log: () => ask('GET', '/log'),
    async drain() {
      const entries = await ask('GET', '/log')
      await Promise.all([ask('DELETE', '/log'), ask('DELETE', '/faults')])
      return entries
    },
    stop: () => child.stop(),
  }
}
