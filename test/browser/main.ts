// `npm run test:browser`: opens our own pages and the Temporal UI in a real browser, on a stack of its own.
//   CHROMIUM_PATH=/opt/chromium npm run test:browser    npm run test:browser -- --required (a machine without a browser fails)
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { alone } from '../../dev/alone.ts'
import { writeFirstPage } from '../../dev/first-page.ts'
import { script } from '../../dev/parts.ts'
import { seed } from '../../dev/seed.ts'
import { startStack } from '../../dev/stack.ts'
import { type Console, consoleChecks } from './console.ts'
import { type Docs, docsChecks } from './docs.ts'
import { engineChecks } from './engine.ts'
import { firstPageChecks } from './first-page.ts'
import { sessionChecks } from './session.ts'
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

async function test(dir: string, browser: Browser): Promise<number> {
  const stack = await startStack({ dir, fast: true, ui: true, progress: say })
  const built = script('dev/console-build.ts', [], { name: 'console-build' })
  const [api] = await Promise.all([stack.startApi(), stack.startWorker()])
  const stripe = stack.urls.stripe_control ?? ''
  const mail = stack.urls.mail ?? ''
  const seeded = await seed({ ...stack.env, dir, api: api.url, mail, stripe })
  writeFirstPage(stack, seeded)
  const { store_id, business_id, api_token, publishable_key } = seeded
  const ui = stack.urls.temporal_ui
  if (!store_id || !business_id || !api_token || !publishable_key || !ui)
    throw new Error('the demo store or the Temporal UI is not running')
  if ((await built.ended) !== 0) throw new Error(`the console is not built\n${built.tail()}`)
  const store = { api: api.url, store_id, api_token, publishable_key }
  const docs: Docs = { ...store, browser, window: await browser.open([new URL(api.url).origin]) }
  const failed = await prove(docsChecks, docs)
  await docs.window.close()
  const pages = { api: api.url, mail, browser, window: await browser.open([api.url, mail]) }
  const unsafe = (await prove(firstPageChecks, pages)) + (await prove(sessionChecks, pages))
  await pages.window.close()
  const seen: Console = { ...store, business_id, stripe, mail, browser, window: await browser.open([api.url]) }
  const unseen = await prove(consoleChecks, seen)
  await seen.window.close()
  const engine = { ...store, stripe, ui, window: await browser.open([new URL(ui).origin]) }
  const missed = await prove(engineChecks, engine)
  await engine.window.close()
  await stack.stop()
  return failed + unsafe + unseen + missed
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
  const checks = [docsChecks, firstPageChecks, sessionChecks, consoleChecks, engineChecks].flat().length
  say(`${checks - failed} passed, ${failed} failed`)
  return failed === 0
})
