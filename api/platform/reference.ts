// The reference at /docs, which Scalar draws from the document of one audience, and the documents at /openapi.json. All
// of it comes from this process.
import { createHash, randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { setImmediate as turn } from 'node:timers/promises'
import type Router from '@koa/router'
import type { Context } from 'koa'
import { noSuch } from '../../rules/input/nearest-name.ts'
import { notAnOption } from '../../rules/input/validation-errors.ts'
import { type Fault, invalidInput } from '../../rules/refusal.ts'
import { type Audience, audiences } from '../openapi/audiences.ts'
import { partFor } from '../openapi/parts.ts'
import type { Json } from '../openapi/schemas.ts'
import { cached, type Handler, immutable, staticBytes, staticFile } from './static-files.ts'

/** The document as `npm run openapi` wrote it: making it takes two seconds of processor time. */
const built = new URL('../openapi.json', import.meta.url)

const bytesOfParts = cached(async () => {
  const whole = JSON.parse(await readFile(built, 'utf8')) as Json
  const bytes = new Map<Audience, Buffer>()
  for (const audience of audiences) {
    // Other requests are served in between.
    await turn()
    bytes.set(audience, Buffer.from(JSON.stringify(partFor(whole, audience))))
  }
  return bytes
})

const documents = new Map<string | undefined, Handler>([
  [undefined, staticFile(built, 'application/json')],
  ...audiences.map((audience) => {
    const load = async () => (await bytesOfParts()).get(audience) as Buffer
    return [audience, staticBytes(load, 'application/json')] as const
  }),
])

/** The value of the parameter `audience`, if it is sent. 422 invalid_input. */
function audienceOf({ query: { audience } }: Context): Audience | undefined {
  const found = audiences.find((one) => one === audience)
  if (audience !== undefined && !found)
    throw invalidInput([{ pointer: 'audience', code: 'invalid_value', detail: notAnOption(audiences) }])
  return found
}

/** 422 for a parameter that the document does not have, as every route answers. */
function refuseOthers({ query }: Context): void {
  const faults: Fault[] = []
  for (const name of Object.keys(query))
    if (name !== 'audience')
      faults.push({
        pointer: name,
        code: 'unknown_parameter',
        detail: noSuch('query parameter', name, ['audience'], faults),
      })
  if (faults.length > 0) throw invalidInput(faults)
}

const labels: Record<Audience, string> = {
  storefront: 'Storefronts',
  operator: 'Operators',
  business: 'Businesses',
  platform: 'Platform',
}

const style = `:root { --scalar-custom-header-height: 48px }
body { margin: 0 }
header {
  position: sticky; top: 0; z-index: 10; box-sizing: border-box; height: 48px; padding: 0 20px; display: flex;
  align-items: center; gap: 24px; overflow-x: auto; font: 14px/1.4 system-ui, sans-serif;
  color: var(--scalar-color-1); background: var(--scalar-background-1);
  border-bottom: 1px solid var(--scalar-border-color)
}
header strong { font-weight: 600 }
nav { display: flex; gap: 4px; margin-right: auto }
header a { padding: 4px 10px; border-radius: 4px; color: var(--scalar-color-2); text-decoration: none }
header a:hover, header a:focus-visible { color: var(--scalar-color-1); background: var(--scalar-background-2) }
header a[aria-current] { color: var(--scalar-color-1); background: var(--scalar-background-3); font-weight: 600 }
@media (max-width: 600px) {
  header { padding: 0 8px; font-size: 13px }
  header a { padding: 4px 7px }
  header strong, header a[download] { display: none }
}
`

// The policy allows no compiled code, which Scalar's validation would try, and no style element without the nonce,
// which Scalar gives to the first one only.
const script = `globalThis.__zod_globalConfig = { jitless: true }
const { content: nonce } = document.querySelector('meta[property=csp-nonce]')
const createElement = document.createElement.bind(document)
document.createElement = (name, options) => {
  const element = createElement(name, options)
  if (name === 'style') element.nonce = nonce
  return element
}
document.addEventListener('DOMContentLoaded', () => {
  const main = document.getElementById('reference')
  Scalar.createApiReference(main, {
    url: main.dataset.document,
    agent: { disabled: true },
    mcp: { disabled: true },
    telemetry: false,
    withDefaultFonts: false,
    persistAuth: false,
    hideModels: true,
    hideClientButton: true,
    showDeveloperTools: 'never',
    documentDownloadType: 'direct',
  })
})
`

const pageOf = (audience: Audience, scalar: string, nonce: string): string => {
  const document = `/openapi.json?audience=${audience}`
  const link = (one: Audience) =>
    `<a href="/docs?audience=${one}"${one === audience ? ' aria-current="page"' : ''}>${labels[one]}</a>`
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Tillwright API</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><meta property="csp-nonce" content="${nonce}">
<link rel="icon" href="data:,"><link rel="stylesheet" href="/docs/page.css">
<link rel="preload" as="fetch" href="${document}" crossorigin>
<script defer src="/docs/page.js"></script><script defer src="/docs/${scalar}"></script></head>
<body><header><strong>Tillwright API</strong><nav aria-label="Audience">${audiences.map(link).join('')}</nav>
<a href="/openapi.json" download>All operations</a></header>
<div id="reference" data-document="${document}"></div></body></html>
`
}

/** Scalar sets styles by attributes of elements, which have no nonce. */
const policyOf = (nonce: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "style-src-attr 'unsafe-inline'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')

/** Scalar's script, and its name, which changes with it. Its module is loaded for the first reader. */
const scalar = cached(async () => {
  const { referenceScript } = await import('./reference-script.ts')
  const bytes = referenceScript()
  const hash = createHash('sha256').update(bytes).digest('base64url').slice(0, 16)
  return { name: `scalar-${hash}.js`, handler: staticBytes(async () => bytes, 'text/javascript', immutable) }
})

export function reference(router: Router): void {
  router.get('/openapi.json', (ctx) => {
    refuseOthers(ctx)
    return documents.get(audienceOf(ctx))?.(ctx)
  })
  router.get('/docs', async (ctx) => {
    const audience = audienceOf(ctx) ?? audiences[0]
    const nonce = randomBytes(16).toString('base64url')
    ctx.set('Content-Security-Policy', policyOf(nonce))
    ctx.set('Referrer-Policy', 'no-referrer')
    ctx.type = 'text/html'
    ctx.body = pageOf(audience, (await scalar()).name, nonce)
  })
  router.get(
    '/docs/page.css',
    staticBytes(async () => Buffer.from(style), 'text/css'),
  )
  router.get(
    '/docs/page.js',
    staticBytes(async () => Buffer.from(script), 'text/javascript'),
  )
  router.get('/docs/:name', async (ctx) => {
    const { name, handler } = await scalar()
    // During an upgrade, the page may come from a process of another version: that script is not kept.
    if (!/^scalar-[\w-]{16}\.js$/.test(ctx.params.name ?? '')) return
    await handler(ctx)
    if (ctx.params.name !== name) ctx.set('Cache-Control', 'no-store')
  })
}
