// `npm run test:browser`: opens our own pages, the Temporal UI, the shop and the simulator's card form in a real
// browser, on a stack of its own.
//   npm run test:browser -- --only 'two tabs|reload' (the checks whose sentence fits)
//   npm run test:browser -- --within 240 (fails if the checks take more seconds: for a quiet machine, and by hand)
//   CHROMIUM_PATH=/opt/chromium npm run test:browser
//   npm run test:browser -- --required (a machine without a browser fails)
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { alone } from '../../dev/alone.ts'
import { cardChecks } from './card-form.ts'
import { consoleChecks } from './console.ts'
import { startDemo } from './demo.ts'
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

/** `seconds`: of the checks alone. */
async function test(dir: string, browser: Browser): Promise<{ passed: number; failed: number; seconds: number }> {
  const demo = await startDemo(dir, say)
  const { api, store_id, business_id, api_token, publishable_key, config, shop } = demo
  const { stripe, stripe_control, mail, social, ui, page_origin } = demo
  const store = { api, store_id, api_token, publishable_key }
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
  await all([api], docsChecks, { ...store, browser })
  await all([api, mail], firstPageChecks, { api, mail, browser })
  await all([api, mail], sessionChecks, { api, mail, browser })
  await all([api], consoleChecks, { ...store, business_id, stripe: stripe_control, mail, social, browser })
  await all([ui], engineChecks, { ...store, stripe: stripe_control, ui })
  await all([stripe, page_origin], cardChecks, { stripe, page_origin })
  await all([shop, api, stripe], shopChecks, { ...store, shop, config, mail })
  await all([shop, api, stripe], shopSafetyChecks, { ...store, shop, config, mail, stripe_control })
  const seconds = (performance.now() - since) / 1000
  await demo.stop()
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
