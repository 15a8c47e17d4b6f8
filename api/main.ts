// Starts one API process. It keeps no state: any number may run in parallel.
import http from 'node:http'
import { flushCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'
import { log } from '../adapters/log.ts'
import { watchBodies, watchOutbox } from '../adapters/metrics.ts'
import { closeClient } from '../adapters/temporal.ts'
import { removeAbandonedFolders } from '../adapters/temporary-folders.ts'
import { config } from '../config.ts'
import { openOrm, unitOf } from '../entities/kit/database/orm.ts'
import { countOutbox } from '../entities/kit/outbox.ts'
import { managePage } from './audiences/manage-page.ts'
import { withBlockMedia } from './content/block-media.ts'
import { stopWaiting } from './kit/answer/answer.ts'
import { answerMalformed } from './kit/body/malformed.ts'
import { serve } from './kit/server.ts'
import { heldBytes } from './limits/held-bytes.ts'
import { consolePages } from './platform/console.ts'
import { firstPage } from './platform/first-page.ts'
import { operations } from './platform/operations.ts'
import { reference } from './platform/reference.ts'
import { routes } from './routes.ts'

const orm = await openOrm({ url: config.databaseUrl, pool: config.databasePool })
let stopping = false
const app = serve(orm, routes, {
  complete: withBlockMedia,
  more(router) {
    operations(router, orm, () => stopping)
    reference(router)
    firstPage(router, { file: config.developmentPage, hasConsole: config.console })
    const built = fileURLToPath(new URL('../console/dist', import.meta.url))
    consolePages(router, config.console ? built : null, config.publicUrl)
    managePage(router)
  },
})
watchBodies(heldBytes)
watchOutbox(() => countOutbox(unitOf(orm, null)))
void removeAbandonedFolders().catch(() => {})

// By default Node checks for late requests every 30 s, which would turn a limit of 10 s into one of 40 s.
const server = http.createServer(
  { connectionsCheckingInterval: Math.min(1_000, config.headersLimitMs) },
  app.callback(),
)
// The limit of uploads. Every other body has a shorter one in kit/body/body.ts.
server.requestTimeout = 15 * 60_000
server.headersTimeout = config.headersLimitMs
server.keepAliveTimeout = 65_000
server.on('clientError', answerMalformed)
server.listen(config.port, config.host, () => {
  const address = server.address()
  log.info({ port: address && typeof address === 'object' ? address.port : config.port }, 'listening')
  // With NODE_COMPILE_CACHE, the next start takes a third less time. Flushed here, as a killed process would not write
  // it.
  flushCompileCache()
})

/** Drains: finishes the open requests, accepts no new ones, then exits. */
async function stop(): Promise<void> {
  if (stopping) return
  stopping = true
  stopWaiting()
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
