// An API in this process that has pages only: without routes, without a database, and without lines in the log.
//   const pages = await servePages((router) => consolePages(router, folder))   and `await pages.stop()` at the end
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type Router from '@koa/router'
import type { Orm } from '../../../entities/kit/database/orm.ts'

export async function servePages(more: (router: Router) => void): Promise<{ url: string; stop(): void }> {
  // Read when the module of the log is loaded.
  process.env.LOG_LEVEL = 'silent'
  const { serve } = await import('../../../api/kit/server.ts')
  const app = serve({} as Orm, [], { complete: async (_orm, _route, _tenant, body) => body, more })
  const server = createServer(app.callback())
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop() {
      server.closeAllConnections()
      server.close()
    },
  }
}
