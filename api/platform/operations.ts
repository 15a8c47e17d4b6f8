// Operational endpoints: health, readiness, metrics, and the API documentation without third-party assets.
import { createRequire } from 'node:module'
import path from 'node:path'
import type Router from '@koa/router'
import { registry } from '../../adapters/metrics.ts'
import { engineIsThere } from '../../adapters/temporal.ts'
import { type Orm, unitOf } from '../../entities/kit/database/orm.ts'
import { staticFile } from './static-files.ts'

const page = `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Tillwright API</title>
<link rel="icon" href="data:,"><link rel="stylesheet" href="/docs/swagger-ui.css"><style>
@media (max-width: 640px) { .swagger-ui .opblock-tag, .swagger-ui .opblock-tag small { display: block; padding: 4px 0 } .swagger-ui .opblock-body { overflow-x: auto } }
</style></head><body><div id="docs"></div>
<script src="/docs/swagger-ui-bundle.js"></script><script src="/docs/start.js"></script></body></html>`

const startScript = `SwaggerUIBundle({ url: '/openapi.json', dom_id: '#docs', deepLinking: true, docExpansion: 'none', filter: true, tryItOutEnabled: true, persistAuthorization: false })`

const assets = path.dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))
const assetTypes: Record<string, string> = { 'swagger-ui.css': 'text/css', 'swagger-ui-bundle.js': 'text/javascript' }

/** The document as `npm run openapi` wrote it: making it takes two seconds of processor time. */
const document = new URL('../openapi.json', import.meta.url)

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
  router.get('/openapi.json', staticFile(document, 'application/json'))
  router.get('/docs', (ctx) => {
    ctx.set(
      'Content-Security-Policy',
      "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    )
    ctx.set('Referrer-Policy', 'no-referrer')
    ctx.type = 'text/html'
    ctx.body = page
  })
  router.get('/docs/start.js', (ctx) => {
    ctx.type = 'text/javascript'
    ctx.body = startScript
  })
  for (const [name, type] of Object.entries(assetTypes))
    router.get(`/docs/${name}`, staticFile(path.join(assets, name), type, 3_600))
}
