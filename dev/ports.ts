// Free ports outside the range of outgoing connections, so that a part can stop and start again on its port.
import { createServer, type Server } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

const given = new Set<number>()

/** Null if the port is taken. */
const listening = (port: number): Promise<Server | null> =>
  new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(null))
    server.listen(port, '127.0.0.1', () => resolve(server))
  })

async function isFree(port: number): Promise<boolean> {
  const server = await listening(port)
  if (server) await new Promise((done) => server.close(done))
  return server !== null
}

/**
 * False if the port is not free. As long as this process lives, it also listens 10,000 ports below: no other process
 * draws the port before a part listens on it, or while the part is stopped.
 */
async function take(port: number): Promise<boolean> {
  if (given.has(port)) return false
  const isDrawn = port >= 20_000 && port <= 29_999
  const claim = isDrawn ? await listening(port - 10_000) : null
  if ((isDrawn && !claim) || !(await isFree(port))) {
    claim?.close()
    return false
  }
  claim?.unref()
  given.add(port)
  return true
}

/**
 * Below the range of outgoing connections: there, a client that reconnects to a stopped server could connect to itself.
 */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < 200; tries++) {
    const port = 20_000 + Math.floor(Math.random() * 10_000)
    if (await take(port)) return port
  }
  throw new Error('There is no free port between 20000 and 29999.')
}

/** The wanted port if it becomes free in time, else another one. */
export async function portNear(wanted: number | undefined, patienceMs = 0): Promise<number> {
  if (!wanted) return freePort()
  for (const until = Date.now() + patienceMs; ; await sleep(100)) {
    if (await take(wanted)) return wanted
    if (Date.now() >= until) return freePort()
  }
}
