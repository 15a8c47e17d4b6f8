// One API process. It keeps no state: any number of them may run side by side.
import http from 'node:http'
import { flushCompileCache } from 'node:module'
import { config } from '../config.ts'
import { openOrm } from '../entities/orm.ts'
import { document } from './document.ts'
import { log } from './kit/log.ts'
import { watchOutbox } from './kit/metrics.ts'
import { removeLostFiles } from './kit/multipart.ts'
import { operations } from './kit/operations.ts'
import { serve } from './kit/server.ts'
import { closeClient } from './kit/temporal.ts'
import { routes } from './routes.ts'

const orm = await openOrm({ url: config.databaseUrl, pool: config.databasePool })
let stopping = false
const app = serve(orm, routes, (router) => operations(router, orm, document, () => stopping))
watchOutbox(orm)
void removeLostFiles().catch(() => {})

// Node looks for late requests every 30 s, unless it is told to: a limit of 10 s would be one of 40.
const server = http.createServer({ connectionsCheckingInterval: Math.min(1_000, config.headersLimitMs) }, app.callback())
// Files may take their time; the kit waits for every other body (kit/input.ts).
server.requestTimeout = 15 * 60_000
server.headersTimeout = config.headersLimitMs
server.keepAliveTimeout = 65_000
server.listen(config.port, config.host, () => {
  const address = server.address()
  log.info({ port: address && typeof address === 'object' ? address.port : config.port }, 'listening')
  // With NODE_COMPILE_CACHE set, the next start is a third shorter, also after one that is killed.
  flushCompileCache()
})

/** Answers what was asked before, takes nothing new, then leaves. */
async function stop(): Promise<void> {
  if (stopping) return
  stopping = true
  server.closeIdleConnections()
  const closed = new Promise((done) => server.close(done))
  const late = setTimeout(() => server.closeAllConnections(), config.answerWaitMs + 5_000)
  await closed
  clearTimeout(late)
  await closeClient()
  await orm.close(true)
  log.info('stopped')
  log.flush()
  process.exit(0)
}
process.on('SIGTERM', () => void stop())
process.on('SIGINT', () => void stop())
