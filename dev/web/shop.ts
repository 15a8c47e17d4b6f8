// The shop for visitors (examples/shop) on an origin of its own, with the address of the API and the key of the demo
// store, as a server of static files in front of production would serve it.
import fs from 'node:fs'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { keptServer } from '../sim/kept-server.ts'
import { build } from './build.ts'

const dist = fileURLToPath(new URL('../../examples/shop/dist', import.meta.url))

/** What the page says of the shop. `stripe_js`: the library of the simulator, in place of Stripe's. */
export type ShopConfig = { api: string; publishable_key: string; market: string; stripe_js?: string }

/** Its address on this machine. */
export const shopUrl = ({ shop }: { shop: number }): string => `http://127.0.0.1:${shop}`

export const buildShop = (): Promise<void> => build('examples/shop', ['client/client.ts'])

export function shopConfig(urls: { api: string; stripe: string | null }, publishable_key: string): ShopConfig {
  return {
    ...{ api: urls.api, publishable_key, market: 'us' },
    ...(urls.stripe ? { stripe_js: `${urls.stripe}/_sim/stripe.js` } : {}),
  }
}

/** The hosts of Stripe: https://docs.stripe.com/security/guide#content-security-policy */
const stripe = {
  scripts: 'https://js.stripe.com https://*.js.stripe.com',
  frames: 'https://js.stripe.com https://*.js.stripe.com https://checkout.stripe.com https://hooks.stripe.com',
  connects: 'https://api.stripe.com https://checkout.stripe.com',
  images: 'https://*.stripe.com',
}

function policyOf({ api, stripe_js }: ShopConfig): string {
  const sim = stripe_js && new URL(stripe_js).origin
  const of = (name: keyof typeof stripe) => sim ?? stripe[name]
  const origin = new URL(api).origin
  return [
    "default-src 'none'",
    `script-src 'self' ${of('scripts')}`,
    "style-src 'self'",
    `img-src 'self' data: ${origin} ${of('images')}`,
    `connect-src 'self' ${origin} ${of('connects')}`,
    `frame-src ${of('frames')}`,
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ')
}

const types: Record<string, string> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
}

/** The page with its config, as Vite writes it where VITE_SHOP is set. Nothing in it is markup. */
const pageOf = (page: string, config: ShopConfig) =>
  page.replace('%VITE_SHOP%', () => JSON.stringify(config).replaceAll('<', '\\u003c').replaceAll('&', '\\u0026'))

function send(response: ServerResponse, file: string, config: ShopConfig): void {
  const isHashed = file.includes(`${path.sep}assets${path.sep}`)
  // Read before the head is sent: a file that is gone is answered with 500.
  const bytes = file.endsWith('.html') ? pageOf(fs.readFileSync(file, 'utf8'), config) : fs.readFileSync(file)
  response
    .writeHead(200, {
      'content-type': `${types[path.extname(file)] ?? 'application/octet-stream'}; charset=utf-8`,
      'content-security-policy': policyOf(config),
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'strict-origin-when-cross-origin',
      'cache-control': isHashed ? 'public, max-age=31536000, immutable' : 'no-store',
    })
    .end(bytes)
}

const waiting = (text: string) =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><meta http-equiv="refresh" content="1"><title>Shop</title><p>${text}</p></html>`

const isFile = (file: string) => fs.statSync(file, { throwIfNoEntry: false })?.isFile() === true

/** `said`: why there is no shop yet. Any path without a file is a page of the shop. */
function answer({ url = '/' }: IncomingMessage, response: ServerResponse, file: string, said: string | null): void {
  const pathname = url.replace(/[?#].*/, '')
  const index = path.join(dist, 'index.html')
  // While another process replaces its build there is none.
  if (said !== null || !isFile(index)) {
    response
      .writeHead(503, { 'content-type': 'text/html; charset=utf-8', 'retry-after': '1' })
      .end(waiting(said ?? 'The shop is being replaced …'))
    return
  }
  const config: ShopConfig = JSON.parse(fs.readFileSync(file, 'utf8'))
  const wanted = path.join(dist, path.normalize(pathname))
  if (wanted.startsWith(`${dist}${path.sep}assets${path.sep}`) && isFile(wanted)) send(response, wanted, config)
  else if (pathname.startsWith('/assets/')) response.writeHead(404).end()
  else send(response, index, config)
}

/** Serves what `building` builds; until then a page that waits. `file`: the config. */
export function serveShop(file: string, port: number, building: Promise<void>): Promise<Server> {
  let said: string | null = 'The shop is being built …'
  building.then(
    () => (said = null),
    () => (said = 'The shop could not be built: see the terminal.'),
  )
  const server = keptServer((request, response) => {
    try {
      answer(request, response, file, said)
    } catch (error) {
      // What one request meets, such as a shop.json that is half saved, does not end the stack.
      console.error(`  shop: ${request.method} ${request.url} failed (config: ${file}): ${error}`)
      response.writeHead(500, { 'content-type': 'text/plain' }).end('The shop cannot be shown: see the terminal.')
    }
  })
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () => resolve(server))
  })
}
