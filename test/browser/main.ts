// `npm run test:browser`: opens /docs, the Temporal UI, the shop and the simulator's card form in a real browser, on a
// stack of its own.
//   CHROMIUM_PATH=/opt/chromium npm run test:browser    npm run test:browser -- --required (a machine without a browser fails)
import fs from 'node:fs'
import type { Server } from 'node:http'
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { alone } from '../../dev/alone.ts'
import { seed } from '../../dev/seed.ts'
import { buildShop, serveShop, shopConfig } from '../../dev/shop.ts'
import { type Stack, startStack } from '../../dev/stack.ts'
import { cardChecks, servePages } from './card-form.ts'
import { type Docs, docsChecks } from './docs.ts'
import { engineChecks } from './engine.ts'
import { shopChecks } from './shop.ts'
import { type Browser, findChromium, startBrowser, type Window } from './window.ts'

const { values: asked } = parseArgs({ options: { required: { type: 'boolean' } } })
const say = (line: string) => console.log(line)

/** Runs all checks in turn; returns the number of those that failed. */
async function prove<T extends { window: Window }>(
  checks: readonly [string, (on: T) => Promise<string>][],
  on: T,
): Promise<number> {
  let failed = 0
  for (const [guarantee, check] of checks)
    try {
      say(`  ok      ${guarantee} (${await check(on)})`)
    } catch (error) {
      failed++
      const file = path.join(os.tmpdir(), `tillwright-browser-${process.pid}-${failed}.png`)
      await on.window.page.screenshot({ path: file }).catch(() => {})
      say(
        `  FAILED  ${guarantee}\n${error instanceof Error ? error.stack : error}\n  requests: ${JSON.stringify(on.window.take())}\n  screenshot: ${file}`,
      )
    }
  return failed
}

/** The shop on an origin of its own, as `npm start` serves it. */
async function openShop(dir: string, { urls, ports }: Stack, publishable_key: string): Promise<[string, Server]> {
  const config = path.join(dir, 'shop.json')
  fs.writeFileSync(config, JSON.stringify(shopConfig(urls, publishable_key)))
  const building = buildShop()
  const server = await serveShop(config, ports.shop, building)
  await building
  return [`http://127.0.0.1:${ports.shop}`, server]
}

async function test(dir: string, browser: Browser): Promise<number> {
  const stack = await startStack({ dir, fast: true, ui: true, progress: say })
  const [api] = await Promise.all([stack.startApi(), stack.startWorker()])
  const stripe = stack.urls.stripe_control ?? ''
  const { store_id, api_token, publishable_key } = await seed({
    ...stack.env,
    dir,
    api: api.url,
    mail: stack.urls.mail ?? '',
    stripe,
  })
  const ui = stack.urls.temporal_ui
  if (!store_id || !api_token || !publishable_key || !ui)
    throw new Error('the demo store or the Temporal UI is not running')
  const store = { api: api.url, store_id, api_token, publishable_key }
  const docs: Docs = { ...store, window: await browser.open([new URL(api.url).origin]) }
  const failed = await prove(docsChecks, docs)
  await docs.window.close()
  const engine = { ...store, stripe, ui, window: await browser.open([new URL(ui).origin]) }
  const missed = await prove(engineChecks, engine)
  await engine.window.close()
  const [shop, server] = await openShop(dir, stack, publishable_key)
  const [sim, mail] = [stack.urls.stripe ?? '', stack.urls.mail ?? '']
  const { server: pages, page_origin } = await servePages(sim)
  const cards = { stripe: sim, page_origin, window: await browser.open([sim, page_origin]) }
  const unpaid = await prove(cardChecks, cards)
  await cards.window.close()
  const shopping = { ...store, shop, mail, window: await browser.open([shop, store.api, sim]) }
  const unsold = await prove(shopChecks, shopping)
  await shopping.window.close()
  for (const one of [server, pages]) {
    one.close()
    one.closeAllConnections()
  }
  await stack.stop()
  return failed + missed + unpaid + unsold
}

const file = findChromium(process.env)
if (!file) {
  say('Skipped: no browser found. Install Chromium or set CHROMIUM_PATH.')
  process.exit(asked.required ? 1 : 0)
}
await alone('browser', async (dir) => {
  const browser = await startBrowser(file)
  say(`Chromium ${browser.version}, ${file}`)
  const failed = await test(dir, browser)
  await browser.close()
  const checks = docsChecks.length + engineChecks.length + cardChecks.length + shopChecks.length
  say(`${checks - failed} passed, ${failed} failed`)
  return failed === 0
})
