// `npm run test:browser`: opens our own pages, the Temporal UI, the shop and the simulator's card form in a real
// browser, on a stack of its own.
//   npm run test:browser -- --only 'two tabs|reload' (the checks whose sentence fits)
//   npm run test:browser -- --within 240 (fails if the checks take more seconds: for a quiet machine, and by hand)
//   CHROMIUM_PATH=/opt/chromium npm run test:browser
//   npm run test:browser -- --required (a machine without a browser fails)
import fs from 'node:fs'
import type { Server } from 'node:http'
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { alone } from '../../dev/alone.ts'
import { seed } from '../../dev/seed/seed.ts'
import { type Stack, startStack } from '../../dev/stack.ts'
import { buildConsole } from '../../dev/web/console.ts'
import { writeFirstPage } from '../../dev/web/first-page.ts'
import { buildShop, serveShop, shopConfig, shopUrl } from '../../dev/web/shop.ts'
import { database } from '../kit/shop.ts'
import { cardChecks, servePages } from './card-form.ts'
import { consoleChecks } from './console.ts'
import { docsChecks } from './docs.ts'
import { engineChecks } from './engine.ts'
import { firstPageChecks } from './first-page.ts'
import { sessionChecks } from './session.ts'
import { shopChecks } from './shop.ts'
import { shopSafetyChecks } from './shop-safety.ts'
import { type Browser, findChromium, startBrowser, type Window } from './window.ts'

const { values: asked } = parseArgs({
  options: { required: { type: 'boolean' }, only: { type: 'string' }, within: { type: 'string' } },
})
const say = (line: string) => console.log(line)

type Checks<T> = readonly [string, (on: T) => Promise<string>][]

const only = new RegExp(asked.only ?? '')
const fits = ([guarantee]: readonly [string, unknown]) => only.test(guarantee)
const everyCheck = [
  ...[docsChecks, firstPageChecks, sessionChecks, consoleChecks, engineChecks, cardChecks, shopChecks],
  shopSafetyChecks,
].flat() as [string, unknown][]
if (!everyCheck.some(fits)) {
  say(`No check has a sentence that fits --only '${asked.only}'.`)
  process.exit(1)
}
const withinS = Number(asked.within ?? Infinity)
if (!(withinS > 0)) {
  say(`--within: expected seconds, not '${asked.within}'.`)
  process.exit(1)
}

/** Runs all checks in turn; returns the number of those that failed. */
async function prove<T extends { window: Window }>(checks: Checks<T>, on: T): Promise<number> {
  let failed = 0
  for (const [guarantee, check] of checks)
    try {
      const since = performance.now()
      const found = await check(on)
      say(`  ok      ${guarantee} (${found}; ${((performance.now() - since) / 1000).toFixed(1)} s)`)
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
async function openShop(config: string, { urls, ports }: Stack, publishable_key: string): Promise<Server> {
  fs.writeFileSync(config, JSON.stringify(shopConfig(urls, publishable_key)))
  const building = buildShop()
  const server = await serveShop(config, ports.shop, building)
  await building
  return server
}

/** What the kit of the other tests reads. */
function equipKit({ env, urls }: Stack, api: string): void {
  Object.assign(process.env, env, {
    TEST_API: api,
    TEST_API_2: api,
    TEST_STRIPE: urls.stripe,
    TEST_STRIPE_CONTROL: urls.stripe_control,
    TEST_MAIL: urls.mail,
    TEST_SOCIAL: urls.social,
  })
}

/** `seconds`: of the checks alone. */
async function test(dir: string, browser: Browser): Promise<{ passed: number; failed: number; seconds: number }> {
  const stack = await startStack({ dir, fast: true, ui: true, progress: say })
  const built = buildConsole()
  const [api] = await Promise.all([stack.startApi(), stack.startWorker(), built])
  const { stripe, stripe_control, mail, social, temporal_ui: ui } = stack.urls
  const simulators = { mail: mail ?? '', stripe: stripe_control ?? '', social: social ?? '' }
  const seeded = await seed({ ...stack.env, dir, api: api.url, ...simulators })
  writeFirstPage(stack, seeded)
  const { store_id, business_id, api_token, publishable_key } = seeded
  if (
    !store_id ||
    !business_id ||
    !api_token ||
    !publishable_key ||
    !ui ||
    !stripe ||
    !stripe_control ||
    !mail ||
    !social
  )
    throw new Error('the demo store or a part of the stack is not running')
  equipKit(stack, api.url)
  const store = { api: api.url, store_id, api_token, publishable_key }
  const shop = shopUrl(stack.ports)
  const config = path.join(dir, 'shop.json')
  const servers = [await openShop(config, stack, publishable_key)]
  const { server, page_origin } = await servePages(stripe)
  servers.push(server)

  const counts = { passed: 0, failed: 0 }
  const since = performance.now()
  /** In a window that opens only these addresses. */
  async function all<T extends { window: Window }>(
    origins: readonly string[],
    checks: Checks<T>,
    on: Omit<T, 'window'>,
  ): Promise<void> {
    if (!checks.some(fits)) return
    // The others go on in the window that the first one has signed in.
    const wanted = checks.filter((check, at) => at === 0 || fits(check))
    const window = await browser.open(origins.map((url) => new URL(url).origin))
    const failed = await prove(wanted, { ...on, window } as T)
    await window.close()
    counts.failed += failed
    counts.passed += wanted.length - failed
  }
  await all([api.url], docsChecks, { ...store, browser })
  await all([api.url, mail], firstPageChecks, { api: api.url, mail, browser })
  await all([api.url, mail], sessionChecks, { api: api.url, mail, browser })
  await all([api.url], consoleChecks, { ...store, business_id, stripe: stripe_control, mail, social, browser })
  await all([ui], engineChecks, { ...store, stripe: stripe_control, ui })
  await all([stripe, page_origin], cardChecks, { stripe, page_origin })
  await all([shop, api.url, stripe], shopChecks, { ...store, shop, config, mail })
  await all([shop, api.url, stripe], shopSafetyChecks, { ...store, shop, config, mail, stripe_control })
  const seconds = (performance.now() - since) / 1000
  await database().end()
  for (const one of servers) {
    one.close()
    one.closeAllConnections()
  }
  await stack.stop()
  return { ...counts, seconds }
}

const file = findChromium(process.env)
if (!file) {
  say('Skipped: no browser found. Install Chromium or set CHROMIUM_PATH.')
  process.exit(asked.required ? 1 : 0)
}
await alone('browser', async (dir) => {
  const browser = await startBrowser(file)
  say(`Chromium ${browser.version}, ${file}`)
  const { passed, failed, seconds } = await test(dir, browser)
  await browser.close()
  say(`${passed} passed, ${failed} failed, in ${seconds.toFixed(0)} s without the start of the stack`)
  if (seconds > withinS) say(`FAILED: more than ${withinS} s`)
  return failed === 0 && seconds <= withinS
})
