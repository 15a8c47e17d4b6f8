// The first view of the console: small, soon there, and there again after an upgrade.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import { gzipSync } from 'node:zlib'
import { quiet } from '../window.ts'
import { type Check, demo, inStore, main, open, settled, signIn } from './pages.ts'

const root = new URL('../../../', import.meta.url)

/** The scripts that the page needs before it draws anything: its own, and what they import at once. */
function firstScripts(): string[] {
  const read = (file: string) => fs.readFileSync(new URL(`console/dist/${file}`, root), 'utf8')
  const found = new Set<string>()
  const add = (file: string): void => {
    if (found.has(file)) return
    found.add(file)
    for (const [, name] of read(file).matchAll(/\b(?:from|import)\s*["'][.]\/([^"']+[.]js)["']/g)) add(`assets/${name}`)
  }
  for (const [, file] of read('index.html').matchAll(/(?:src|href)="\/console\/(assets\/[^"]+[.]js)"/g))
    add(file as string)
  return [...found]
}

/** The bytes that scripts have when they are compressed. */
function sizeOf(files: readonly string[]): number {
  return files.reduce((sum, file) => sum + gzipSync(fs.readFileSync(new URL(`console/dist/${file}`, root))).length, 0)
}

/** Each line ends with a newline. */
const linesIn = (folder: URL): number =>
  fs
    .readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => /[.](ts|tsx|css)$/.test(file))
    .reduce((sum, file) => sum + fs.readFileSync(new URL(file, folder), 'utf8').split('\n').length - 1, 0)

/** In milliseconds since the page was asked for. */
type Timing = { name: string; startTime: number; responseEnd: number }

/** The longest chain of requests of which each began after the one before had ended. */
function depthOf(all: readonly Timing[]): number {
  const depth = (at: Timing): number =>
    1 + Math.max(0, ...all.filter(({ responseEnd }) => responseEnd <= at.startTime).map(depth))
  return Math.max(0, ...all.map(depth))
}

const kilobytes = (bytes: number) => `${Math.round(bytes / 1024)} KB`

export const firstViewChecks: Check[] = [
  [
    'an operator signs in with a code, and the first view is small, at most three requests deep, and asks nobody else',
    async (on) => {
      const { page } = on.window
      await signIn(on, page)
      quiet(on.window)
      const browser = await page.context().newCDPSession(page)
      async function load() {
        await browser.send('Network.clearBrowserCache')
        await page.goto(`${on.api}/console/`)
        await main(page).getByRole('heading', { name: 'Attention' }).waitFor()
        const [shown, timings] = (await page.evaluate(`[
          performance.now(),
          performance.getEntriesByType('resource').map((one) => one.toJSON()),
        ]`)) as [number, Timing[]]
        quiet(on.window)
        const before = timings.filter(({ startTime }) => startTime < shown)
        const files = before.filter(({ name }) => name.includes('/assets/'))
        const requests = before.filter(({ name }) => /\/(v1\/|openapi)/.test(name))
        return { shown, files, requests }
      }
      // Two that are independent may follow each other by chance: a chain is there in each of three loads.
      const isDeep = ({ files, requests }: Awaited<ReturnType<typeof load>>) =>
        depthOf(requests) > 3 || depthOf(files) > 2
      let loaded = await load()
      for (let loads = 1; loads < 3 && isDeep(loaded); loads++) loaded = await load()
      const { shown, files, requests } = loaded
      assert.ok(requests.length > 2)
      assert.ok(depthOf(requests) <= 3, `${depthOf(requests)} requests in a row: ${JSON.stringify(requests)}`)
      // What the page names is loaded at once, and what a script of it loads, after that.
      assert.ok(depthOf(files) <= 2, `${depthOf(files)} files in a row: ${JSON.stringify(files)}`)
      const paths = [...new Set(files.map(({ name }) => new URL(name).pathname.replace('/console/', '')))]
      const [scripts, styles] = ['.js', '.css'].map((end) => sizeOf(paths.filter((path) => path.endsWith(end)))) as [
        number,
        number,
      ]
      assert.ok(scripts >= sizeOf(firstScripts()) && sizeOf(firstScripts()) > 50 * 1024)
      assert.ok(scripts <= 200 * 1024, `the first view loads ${scripts} bytes of JavaScript: ${paths}`)
      assert.ok(
        styles > 0 && scripts + styles <= 250 * 1024,
        `the first view loads ${scripts + styles} bytes: ${paths}`,
      )
      const lines = linesIn(new URL('console/src/', root))
      assert.ok(lines <= 10_150, `the console has ${lines} lines`)
      return `after ${Math.round(shown)} ms with a cold cache; ${kilobytes(scripts)} of scripts, ${kilobytes(styles)} of styles; ${depthOf(requests)} requests in a row; ${lines} lines`
    },
  ],
  [
    'the link of the first page leads into the console, signed in',
    async (on) => {
      const own = await on.browser.open([new URL(on.api).origin, new URL(on.mail).origin])
      await own.page.goto(`${on.api}/`)
      await own.page.getByRole('link', { name: `Open as ${demo}` }).click()
      await settled(own.page)
      await own.page.getByRole('button', { name: demo, exact: true }).waitFor()
      quiet(own)
      await own.close()
      return demo
    },
  ],
  [
    'a page whose files an upgrade has replaced is loaded again, and goes on',
    async (on) => {
      const { page } = on.window
      await open(on, inStore(on, '/attention'))
      await page.evaluate("sessionStorage.removeItem('reloaded')")
      let isReplaced = true
      page.on('request', (request) => {
        if (request.isNavigationRequest()) isReplaced = false
      })
      await page.route('**/assets/charts-*.js', (route) =>
        isReplaced ? route.fulfill({ status: 404, body: '' }) : route.continue(),
      )
      const loaded = page.waitForEvent('load')
      await page.getByRole('link', { name: 'Overview' }).click()
      await loaded
      await main(page).getByText('Sales by day').waitFor()
      await page.locator('.recharts-surface').first().waitFor()
      await page.unroute('**/assets/charts-*.js')
      const chunk = '/console/assets/charts-….js'
      // Whether the page says so before it is gone is a matter of time.
      quiet(on.window, [`404 ${chunk}`], [`TypeError: Failed to fetch dynamically imported module: ${chunk}`])
      return 'once'
    },
  ],
]
