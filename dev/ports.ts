// Free ports outside the range of outgoing connections, so that a part can stop and start again on its port.
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

const given = new Set<number>()

export const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })

/** Below the range of outgoing connections: there, a client that reconnects to a stopped server could connect to itself. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < 200; tries++) {
    const port = 20_000 + Math.floor(Math.random() * 10_000)
    if (given.has(port) || !(await isFree(port))) continue
    given.add(port)
    return port
  }
  throw new Error('There is no free port between 20000 and 29999.')
}

/** The wanted port if it becomes free in time, else another one. */
export async function portNear(wanted: number | undefined, patienceMs = 0): Promise<number> {
  if (!wanted) return freePort()
  for (const until = Date.now() + patienceMs; ; await sleep(100)) {
    if (!given.has(wanted) && (await isFree(wanted))) break
    if (Date.now() >= until) return freePort()
  }
  given.add(wanted)
  return wanted
}
