// A server that speaks TLS and offers HTTP/2 first, in front of one that does not: dev/front.ts in a process of its own.
//   const front = await startFront(dir, receiver.url)
import path from 'node:path'
import type { FrontEntry, FrontFault } from '../../dev/front.ts'
import { script } from '../../dev/parts.ts'

export type Front = {
  url: string
  /** What a process that is to believe it needs in its environment. */
  env: { NODE_EXTRA_CA_CERTS: string }
  fault(fault: FrontFault): Promise<unknown>
  /** What arrived since the last look. */
  log(): Promise<FrontEntry[]>
  stop(): Promise<void>
}

export async function startFront(dir: string, to: string): Promise<Front> {
  const certificate = path.join(dir, 'front.pem')
  const child = script('dev/front.ts', [], {
    name: 'front',
    env: { ...process.env, FRONT_TO: new URL(to).port, FRONT_CERTIFICATE: certificate },
    log: path.join(dir, 'front.log'),
  })
  const [, port, controlPort] = /listening (\d+) (\d+)/.exec(await child.said(/listening/)) ?? []
  const ask = async (method: string, at: string, body?: unknown) =>
    (await fetch(`http://127.0.0.1:${controlPort}${at}`, { method, ...(body ? { body: JSON.stringify(body) } : {}) })).json()
  return {
    url: `https://localhost:${port}`,
    env: { NODE_EXTRA_CA_CERTS: certificate },
    fault: (fault) => ask('POST', '/faults', fault),
    async log() {
      const entries = (await ask('GET', '/log')) as FrontEntry[]
      await Promise.all([ask('DELETE', '/log'), ask('DELETE', '/faults')])
      return entries
    },
    stop: () => child.stop(),
  }
}
