// Operational endpoints: health, readiness and metrics.
import type Router from '@koa/router'
import { registry } from '../../adapters/metrics.ts'
import { engineIsThere } from '../../adapters/temporal.ts'
import { type Orm, unitOf } from '../../entities/kit/database/orm.ts'

export function operations(router: Router, orm: Orm, stopping: () => boolean): void {
  router.get('/health', (ctx) => {
    ctx.body = { status: 'ok' }
  })
  router.get('/ready', async (ctx) => {
    const [database, temporal] = await Promise.all([
      unitOf(orm, null)
        .execute('select 1')
        .then(
          () => true,
          () => false,
        ),
      engineIsThere(),
    ])
    // Only PostgreSQL decides: without Temporal, cash checkouts still work.
    ctx.status = database && !stopping() ? 200 : 503
    ctx.body = { ready: ctx.status === 200, database, temporal }
  })
  router.get('/metrics', async (ctx) => {
    ctx.type = registry.contentType
    ctx.body = await registry.metrics()
  })
}
