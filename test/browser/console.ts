// The console in a real browser, as operators use it: what they see, what they type, and what must not happen twice.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import { gzipSync } from 'node:zlib'
import type { Page, Route } from 'playwright-core'
import { client } from '../../client/client.ts'
import type { OpenApi } from '../../console/src/kit/document/operations.ts'
import { type Node, recordOf, treeOf } from '../../console/src/kit/document/tree.ts'
import { seriousFindings } from './axe.ts'
import { type Engine, paidOrder, stuckRefund } from './engine.ts'
import { until } from './until.ts'
import type { Browser, Window } from './window.ts'

export type Console = Omit<Engine, 'ui' | 'window'> & {
  business_id: string
  mail: string
  browser: Browser
  window: Window
}
export type Check = [guarantee: string, prove: (on: Console) => Promise<string>]

const demo = 'demo@tillwright.test'
const root = new URL('../../', import.meta.url)
const loading = '.mantine-Loader-root, .mantine-Skeleton-root'

// Pages

const open = async (on: Console, path: string, page: Page = on.window.page) => {
  await page.goto(`${on.api}/console${path}`)
  await settled(page)
}

/** Goes on within the page, as a link does. */
async function follow(page: Page, path: string): Promise<void> {
  await page.evaluate(`(() => {
    history.pushState(null, '', '/console${path}')
    dispatchEvent(new PopStateEvent('popstate'))
  })()`)
  await settled(page)
}

/** Nothing is loading any more. */
async function settled(page: Page): Promise<void> {
  await page.locator('main h1').first().waitFor()
  await until('the page', async () => (await page.locator('main').locator(loading).count()) === 0)
}

const main = (page: Page) => page.locator('main')
const form = (page: Page) => page.getByRole('dialog')
const inStore = (on: Console, path: string) => `/stores/${on.store_id}${path}`

/** The code that the next mail to the address has. */
async function codeFor(mail: string, email: string, ask: () => Promise<void>): Promise<string> {
  const to = encodeURIComponent(email)
  const before = (await (await fetch(`${mail}/messages?to=${to}`)).json()) as unknown[]
  await ask()
  const answer = await fetch(`${mail}/messages/wait?to=${to}&after=${before.length}&timeout_ms=20000`)
  const [message] = (await answer.json()) as { text: string }[]
  return /\b\d{6}\b/.exec(message?.text ?? '')?.[0] ?? ''
}

async function typeCode(on: Console, page: Page, email: string): Promise<void> {
  const code = await codeFor(on.mail, email, async () => {
    await page.getByLabel('E-mail address').fill(email)
    await page.getByRole('button', { name: 'Send me a code' }).click()
  })
  await page.getByLabel('Digit 1 of the code').click()
  await page.keyboard.type(code)
}

async function signIn(on: Console, page: Page, email = demo): Promise<void> {
  await page.goto(`${on.api}/console/`)
  await typeCode(on, page, email)
  await settled(page)
}

/** Another browser, signed in as somebody. */
async function elsewhere(on: Console, email = demo): Promise<Window> {
  const window = await on.browser.open([new URL(on.api).origin])
  await signIn(on, window.page, email)
  return window
}

const operator = ({ api, api_token }: Console) =>
  client({ base: api, headers: { authorization: `Bearer ${api_token}` } })

/** Fails for anything that the browser refused, reported or fetched from another host. */
function quiet(window: Window, allowed: RegExp = /^$/): void {
  const { foreign, violations, errors } = window.take()
  const others = errors.filter(({ text, url }) => !allowed.test(`${text} ${url}`))
  assert.deepEqual({ foreign, violations, errors: others }, { foreign: [], violations: [], errors: [] })
}

const scrolls = (page: Page) => page.evaluate('document.documentElement.scrollWidth > innerWidth') as Promise<boolean>

/** Lets a request that changes something reach the API, and loses the answer. */
const loseAnswer = async (route: Route) => {
  if (route.request().method() === 'GET') return route.fallback()
  await route.fetch()
  await route.abort('connectionreset')
}

const press = (page: Page, name: string) => form(page).getByRole('button', { name, exact: true }).click()

/** Sends the form, whose answer is lost. */
async function sendInVain(page: Page, address: string, button: string): Promise<void> {
  await page.route(address, loseAnswer)
  await press(page, button)
  await form(page).getByText('No answer arrived', { exact: true }).waitFor()
  await page.unroute(address)
}

/** Types a whole body. */
async function typeJson(page: Page, body: object | string): Promise<void> {
  await form(page).getByRole('switch', { name: 'As JSON' }).check()
  await form(page)
    .getByLabel('Body')
    .fill(typeof body === 'string' ? body : JSON.stringify(body))
}

const closed = (page: Page) => page.waitForURL((url) => !url.search.includes('do='))

// Sizes

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

const linesIn = (folder: URL): number =>
  fs
    .readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => /[.](ts|tsx|css)$/.test(file))
    .reduce((sum, file) => sum + fs.readFileSync(new URL(file, folder), 'utf8').split('\n').length, 0)

// Every list and record

const document: OpenApi = JSON.parse(fs.readFileSync(new URL('api/openapi.json', root), 'utf8'))
const tree = treeOf(document)
const asked = ({ get }: Node) => get?.query.some((one) => one.required && one.name !== 'limit') ?? false
const withPagesOfTheirOwn = new Set(['attention', 'timeline', 'overview', 'readiness'])
const lists = [...tree.nodes.values()].filter(
  (node) => node.get && node.kind !== 'record' && !asked(node) && !withPagesOfTheirOwn.has(node.segment),
)
const withoutIds = (path: string) =>
  path.replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[\da-f-]{22}/g, '{}').replaceAll(/(?<=countries\/)\w+/g, '{}')

/** The path of the API that a page of the console is about. */
const apiPathOf = (path: string) =>
  withoutIds(path)
    .replace(/^\/(stores|businesses)\/\{\}\/(data|record)/, '/v1/$1/{}')
    .replace(/^\/platform\/data/, '/v1/platform')
    .replace(/^\/account\/data/, '/v1')

/** Opens what the page leads to, depth first: the first record of each table, and each list below a record. */
async function visit(on: Console, path: string, seen: Set<string>): Promise<void> {
  const place = apiPathOf(path)
  if (seen.has(place)) return
  seen.add(place)
  const { page } = on.window
  await follow(page, path)
  const shown = async (selector: string) => (await main(page).locator(selector).allInnerTexts()).join(' ')
  assert.equal(await shown('[role="alert"]'), '', `${path} shows a fault`)
  assert.notEqual(await shown('h1'), '', `${path} has no title`)
  const links = (await main(page)
    .locator('table tbody tr:first-child a, section h2 a, nav[aria-label="Beside this list"] a')
    .evaluateAll((all) => all.map((one) => one.getAttribute('href') ?? ''))) as string[]
  for (const link of links.filter((one) => one.includes('/data/') || one.endsWith('/record')))
    await visit(on, link.replace('/console', ''), seen)
}

/** Creates a taxonomy when neither the cookie nor the access token of the page is valid any more. */
async function createAfterTheEnd(on: Console, page: Page): Promise<string> {
  await open(on, inStore(on, '/data/taxonomies'), page)
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  const key = `typed-${Date.now()}`
  await form(page).getByLabel('Key').fill(key)
  await page.context().clearCookies()
  await page.evaluate(
    `fetch('/v1/auth/refresh', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' })`,
  )
  // From here on the access token of the page is over.
  const expire = (route: Route) =>
    route.continue({ headers: { ...route.request().headers(), authorization: 'Bearer till_at_over' } })
  await page.route('**/v1/**/taxonomies', expire, { times: 1 })
  await press(page, 'Create')
  await page.getByText('Your session has ended').waitFor()
  return key
}

export const consoleChecks: Check[] = [
  [
    'an operator signs in with a code, and the first view is small and asks nobody else',
    async (on) => {
      const { page } = on.window
      await signIn(on, page)
      await open(on, '/')
      const { asked: requests } = on.window.take()
      await open(on, '/')
      const again = on.window.take()
      assert.deepEqual([again.foreign, again.violations, again.errors], [[], [], []])
      const scripts = requests.map((url) => url.pathname).filter((path) => path.endsWith('.js'))
      const first = [...new Set(scripts)].map((path) => path.replace('/console/', ''))
      const needed = sizeOf(firstScripts())
      assert.ok(needed > 50 * 1024 && needed <= 200 * 1024, `the first view needs ${needed} bytes of JavaScript`)
      const lines = linesIn(new URL('console/src/', root))
      assert.ok(lines <= 10_000, `the console has ${lines} lines`)
      return `${Math.round(needed / 1024)} KB, ${Math.round(sizeOf(first) / 1024)} KB with what is loaded later; ${lines} lines`
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
    'every list and every kind of record of the document opens, without a fault or an error',
    async (on) => {
      const { page } = on.window
      const seen = new Set<string>()
      for (const home of [
        inStore(on, '/data'),
        `/businesses/${on.business_id}/data`,
        '/platform/data',
        '/account/data',
      ]) {
        await follow(page, home)
        await main(page).locator('ul a').first().waitFor()
        const tops = (await main(page)
          .locator('ul a')
          .evaluateAll((all) => all.map((one) => one.getAttribute('href') ?? ''))) as string[]
        for (const top of tops) await visit(on, top.replace('/console', ''), seen)
        quiet(on.window)
      }
      // Below a record there may be none in the demo store; its list is opened from the record that it has.
      const reachable = lists.filter(({ parent }) => parent?.segment !== '{}' || seen.has(parent.key))
      const missed = reachable.map(({ key }) => key).filter((key) => !seen.has(key))
      assert.deepEqual(missed, [])
      const records = [...tree.nodes.values()].filter((node) => node.segment === '{}' && seen.has(node.key))
      assert.ok(records.length > 30, `only ${records.length} kinds of records were opened`)
      return `${seen.size} pages, ${records.length} kinds of records of ${lists.filter((one) => recordOf(one)).length} lists`
    },
  ],
  [
    'a list pages by cursors that its address keeps, there and back',
    async (on) => {
      const { page } = on.window
      await open(on, '/platform/data/countries')
      const first = () => main(page).locator('tbody tr').first().innerText()
      const seen = [await first()]
      for (let pages = 0; pages < 2; pages++) {
        await page.getByRole('button', { name: 'Next' }).click()
        await until('another page', async () => (await first()) !== seen.at(-1))
        seen.push(await first())
      }
      const address = page.url()
      await page.getByRole('button', { name: 'Previous' }).click()
      await until('the page before', async () => (await first()) === seen[1])
      await page.goto(address)
      await settled(page)
      assert.equal(await first(), seen[2])
      quiet(on.window)
      return seen.map((one) => one.split(/\s/)[0]).join(', ')
    },
  ],
  [
    'a filter, a search and a sort order are in the address, and survive a reload',
    async (on) => {
      const { page } = on.window
      await open(on, inStore(on, '/data/products'))
      await page.getByRole('button', { name: 'Filter' }).click()
      await page.getByRole('menuitem', { name: 'Status' }).click()
      await page.getByRole('combobox', { name: 'Status' }).click()
      await page.getByRole('option', { name: 'Archived' }).click()
      await page.getByRole('button', { name: 'Apply' }).click()
      await page.getByText('Nothing matches the filters').waitFor()
      await page.reload()
      await page.getByText('Nothing matches the filters').waitFor()
      await page.getByRole('button', { name: 'Clear the filters' }).click()
      await page.getByLabel('Search').fill('tea')
      await page.waitForURL(/query=tea/)
      await page.getByRole('button', { name: 'Key', exact: true }).click()
      await page.waitForURL(/sort_field=key/)
      quiet(on.window)
      return new URL(page.url()).search
    },
  ],
  [
    'a record named <script>, and one written from right to left, are text on every page',
    async (on) => {
      const { page } = on.window
      const name = '<script>window.wasRun = true</script><img src=x onerror="window.wasRun = true">'
      const rtl = 'قائمة العملاء'
      for (const [key, label] of [
        ['script-name', name],
        ['rtl-name', rtl],
      ] as const) {
        await open(on, inStore(on, '/data/audiences'))
        await page.getByRole('button', { name: 'Create', exact: true }).click()
        await form(page).getByLabel('Key').fill(`${key}-${Date.now()}`)
        await form(page).getByLabel('Name').fill(label)
        const kind = form(page).getByRole('combobox', { name: /Kind/ })
        if (await kind.count()) {
          await kind.first().click()
          await page.getByRole('option', { name: 'Open' }).click()
        }
        await form(page).getByRole('button', { name: 'Create', exact: true }).click()
        await main(page).locator('h1', { hasText: label }).waitFor()
        assert.equal(await main(page).locator('h1').innerText(), label)
        assert.equal(await main(page).locator('h1').getAttribute('dir'), 'auto')
        await page.getByRole('link', { name: 'Audiences' }).first().click()
        await main(page).locator('tbody').getByText(label).waitFor()
      }
      assert.equal(await page.evaluate('window.wasRun'), undefined)
      quiet(on.window)
      return 'created, listed and opened'
    },
  ],
  [
    'what the API does not accept is said at its field, and what was typed stays over a reload',
    async (on) => {
      const { page } = on.window
      await open(on, inStore(on, '/data/markets'))
      await page.getByRole('button', { name: 'Create', exact: true }).click()
      await form(page).getByLabel('Key').fill('nowhere')
      await form(page).getByLabel('Currency').fill('doubloons')
      await form(page).getByRole('button', { name: 'Create', exact: true }).click()
      const field = form(page).getByLabel('Currency')
      await until('the fault', async () => (await field.getAttribute('aria-invalid')) === 'true')
      await page.reload()
      await form(page).getByText('What you had typed is here again.').waitFor()
      assert.equal(await form(page).getByLabel('Currency').inputValue(), 'doubloons')
      await form(page).getByRole('button', { name: 'Cancel' }).click()
      quiet(on.window, /422/)
      return 'doubloons'
    },
  ],
  [
    'a refund whose answer is lost, sent again after a reload and by a double click, is one refund',
    async (on) => {
      const { page } = on.window
      const order = await paidOrder(on)
      const path = inStore(on, `/data/orders/${order}/refunds`)
      await open(on, path)
      await page.getByRole('button', { name: 'Create', exact: true }).click()
      await form(page).getByLabel('Amount').fill('5')
      const address = `**/orders/${order}/refunds`
      await page.route(address, loseAnswer)
      await form(page).getByRole('button', { name: 'Create', exact: true }).click()
      await form(page).getByText('No answer arrived', { exact: true }).waitFor()
      await page.unroute(address)
      await page.reload()
      await form(page)
        .getByText(/It is still the same request/)
        .waitFor()
      await form(page).getByRole('button', { name: 'Create', exact: true }).dblclick()
      await main(page).locator('h1').waitFor()
      await page.waitForURL((url) => !url.search.includes('do='))
      const refunds = await operator(on)('GET /v1/stores/{storeId}/orders/{orderId}/refunds', {
        path: { storeId: on.store_id, orderId: order },
      })
      assert.deepEqual(
        refunds.items.map(({ amount }) => amount),
        [500],
      )
      quiet(on.window, /ERR_CONNECTION_RESET|Failed to load/)
      return 'one of 5.00'
    },
  ],
  [
    'a refund whose answer is lost, changed to what is refused and back, is one refund',
    async (on) => {
      const { page } = on.window
      const order = await paidOrder(on)
      await open(on, inStore(on, `/data/orders/${order}/refunds?do=POST`))
      const amount = form(page).getByLabel('Amount')
      await amount.fill('5')
      await sendInVain(page, `**/orders/${order}/refunds`, 'Create')
      await amount.fill('0')
      await press(page, 'Create')
      await until('the fault', async () => (await amount.getAttribute('aria-invalid')) === 'true')
      await amount.fill('5')
      await press(page, 'Create')
      await closed(page)
      const { items } = await operator(on)('GET /v1/stores/{storeId}/orders/{orderId}/refunds', {
        path: { storeId: on.store_id, orderId: order },
      })
      assert.deepEqual(
        items.map((one) => one.amount),
        [500],
      )
      quiet(on.window, /ERR_CONNECTION_RESET|Failed to load|422/)
      return 'one of 5.00'
    },
  ],
  [
    'a shipment whose answer is lost is not sent over what it changed, also after a reload',
    async (on) => {
      const { page } = on.window
      const order = await paidOrder(on)
      const path = { storeId: on.store_id, orderId: order }
      const lines = await operator(on)('GET /v1/stores/{storeId}/orders/{orderId}/products', { path })
      await open(on, inStore(on, `/data/orders/${order}/shipments?do=POST`))
      await typeJson(page, '{ "items": ')
      await press(page, 'Create')
      await form(page).getByText('A value cannot be read').waitFor()
      await form(page)
        .getByLabel('Body')
        .fill(JSON.stringify({ items: [{ line_id: lines[0]?.id, quantity: 1 }] }))
      await sendInVain(page, `**/orders/${order}/shipments`, 'Create')
      await press(page, 'Send again')
      await form(page).getByText('It may have been done', { exact: true }).waitFor()
      await page.reload()
      await form(page).getByText('It is still the same request').waitFor()
      await press(page, 'Create')
      await form(page).getByText('It may have been done', { exact: true }).waitFor()
      assert.equal(await form(page).getByRole('button', { name: 'Save mine over it' }).count(), 0)
      const { items } = await operator(on)('GET /v1/stores/{storeId}/orders/{orderId}/shipments', { path })
      assert.equal(items.length, 1)
      await press(page, 'Start afresh')
      await press(page, 'Cancel')
      quiet(on.window, /ERR_CONNECTION_RESET|Failed to load|409/)
      return 'one shipment'
    },
  ],
  [
    'stock that is changed by a number, without an answer, is changed once',
    async (on) => {
      const { page } = on.window
      const call = operator(on)
      const store = { storeId: on.store_id }
      const { items } = await call('GET /v1/stores/{storeId}/products', { path: store, query: { limit: 100 } })
      const [location] = await call('GET /v1/stores/{storeId}/locations', { path: store })
      const product = items.find(({ variants }) => variants.length > 0)
      const row = { variant_id: product?.variants[0]?.id ?? '', location_id: location?.id ?? '' }
      const path = { ...store, id: product?.id ?? '' }
      await call('PUT /v1/stores/{storeId}/products/{id}/inventory', {
        path,
        body: { inventory: [{ ...row, available: 40 }] },
      })
      await open(on, inStore(on, `/data/products/${path.id}/inventory?do=updateProductInventory`))
      await typeJson(page, { inventory: [{ ...row, delta: 2 }] })
      await sendInVain(page, `**/products/${path.id}/inventory`, 'Save')
      await press(page, 'Send again')
      await form(page).getByText('It may have been done', { exact: true }).waitFor()
      const levels = await call('GET /v1/stores/{storeId}/products/{id}/inventory', { path })
      assert.equal(
        levels.find((one) => one.variant_id === row.variant_id && one.location_id === row.location_id)?.available,
        42,
      )
      await page.keyboard.press('Escape')
      quiet(on.window, /ERR_CONNECTION_RESET|Failed to load|409/)
      return '42'
    },
  ],
  [
    'a request that the API cannot tell from another one says so, also after a reload',
    async (on) => {
      const { page } = on.window
      await open(on, inStore(on, '/data/taxonomies?do=POST'))
      await form(page).getByLabel('Key').fill(`lost-${Date.now()}`)
      await sendInVain(page, '**/taxonomies', 'Create')
      await form(page).getByText('the API cannot tell that it is the same request').waitFor()
      await press(page, 'Cancel')
      await page.getByRole('button', { name: 'Create', exact: true }).click()
      await form(page).getByText('The API cannot tell the two requests apart').waitFor()
      await page.reload()
      await form(page).getByText('The API cannot tell the two requests apart').waitFor()
      await press(page, 'Start afresh')
      assert.equal(await form(page).getByLabel('Key').inputValue(), '')
      await press(page, 'Cancel')
      quiet(on.window, /ERR_CONNECTION_RESET|Failed to load/)
      return 'until it is started afresh'
    },
  ],
  [
    'what was typed before another operator changed the record is not saved over it unseen',
    async (on) => {
      const { page } = on.window
      const call = operator(on)
      const [location] = await call('GET /v1/stores/{storeId}/locations', { path: { storeId: on.store_id } })
      await open(on, inStore(on, `/data/locations/${location?.id}?do=PUT`))
      await form(page).getByLabel('City').fill('Typed before')
      await page.keyboard.press('Escape')
      await form(page).waitFor({ state: 'detached' })
      const city = `Theirs ${Date.now()}`
      await call('PUT /v1/stores/{storeId}/locations/{id}', {
        path: { storeId: on.store_id, id: location?.id ?? '' },
        body: { address: { ...location?.address, city } },
      } as never)
      await open(on, inStore(on, `/data/locations/${location?.id}`))
      await main(page).getByText(city).waitFor()
      await page.getByRole('button', { name: 'Edit' }).click()
      await form(page).getByText('What you had typed is here again.').waitFor()
      assert.equal(await form(page).getByLabel('City').inputValue(), 'Typed before')
      await press(page, 'Save')
      await form(page).getByText('Changed meanwhile').waitFor()
      await press(page, 'Go on editing')
      await press(page, 'Save')
      await main(page).getByText('Typed before').waitFor()
      quiet(on.window)
      return `${city}, then what was typed`
    },
  ],
  [
    'a file that is uploaded is in the list, and no secret to be copied',
    async (on) => {
      const { page } = on.window
      await open(on, inStore(on, '/data/media?do=POST'))
      const buffer = Buffer.from(
        'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
        'base64',
      )
      const before = await operator(on)('GET /v1/stores/{storeId}/media', {
        path: { storeId: on.store_id },
        query: { limit: 100 },
      })
      await page.locator('input[type="file"]').setInputFiles({ name: 'dot.png', mimeType: 'image/png', buffer })
      await press(page, 'Upload')
      await page.getByText('Uploaded').waitFor()
      assert.equal(await page.getByText('Copy this now').count(), 0)
      const rows = before.items.length + 1
      await until(
        'the file in the list',
        async () => (await main(page).locator('tbody tr').count()) >= Math.min(rows, 50),
      )
      quiet(on.window)
      return `${rows} files`
    },
  ],
  [
    'a header that is added deletes no hidden one: its value has to be typed again',
    async (on) => {
      const { page } = on.window
      const call = operator(on)
      const store = { storeId: on.store_id }
      const { id } = await call('POST /v1/stores/{storeId}/webhooks', {
        path: store,
        body: {
          key: `headers-${Date.now()}`,
          url: 'https://hooks.tillwright.test/in',
          events: [{ event: 'order.created' }],
          headers: { authorization: 'Bearer first' },
        },
      } as never)
      await open(on, inStore(on, `/data/webhooks/${id}?do=PUT`))
      await form(page).getByText('The stored values are hidden').waitFor()
      await press(page, 'Add entry')
      const [names, values] = [
        form(page).getByLabel('Name', { exact: true }),
        form(page).getByLabel('Value', { exact: true }),
      ]
      await names.last().fill('authorization')
      await form(page).getByText('Another entry has this name.').first().waitFor()
      await names.last().fill('x-added')
      await values.last().fill('second')
      await press(page, 'Save')
      await form(page).getByText('The stored value is hidden').waitFor()
      await values.first().fill('Bearer again')
      await press(page, 'Save')
      await closed(page)
      const { headers } = await call('GET /v1/stores/{storeId}/webhooks/{id}', { path: { ...store, id } })
      assert.deepEqual(Object.keys(headers).sort(), ['authorization', 'x-added'])
      await call('DELETE /v1/stores/{storeId}/webhooks/{id}', { path: { ...store, id } })
      quiet(on.window)
      return 'both are there'
    },
  ],
  [
    'an entry of a list keeps what was typed in it when another one is removed',
    async (on) => {
      const { page } = on.window
      await open(on, inStore(on, '/data/products?do=POST'))
      await press(page, 'Add variant')
      for (let count = 0; count < 2; count++) await press(page, 'Add attribute')
      await form(page).getByRole('combobox', { name: 'Kind of Attribute 1' }).click()
      await page.getByRole('option', { name: 'JSON' }).click()
      await form(page).getByLabel('Attribute 1', { exact: true }).fill('{ "broken":')
      await form(page).getByLabel('Attribute 2', { exact: true }).fill('blue')
      await press(page, 'Remove Attribute 1')
      assert.equal(await form(page).getByLabel('Attribute 1', { exact: true }).inputValue(), 'blue')
      assert.equal(await form(page).getByText('This is not valid JSON.').count(), 0)
      await press(page, 'Cancel')
      quiet(on.window)
      return 'blue'
    },
  ],
  [
    'an id that is pasted where a record is chosen is taken',
    async (on) => {
      const { page } = on.window
      const id = '01a229c6-5dc2-7336-931f-00e48f1fac7b'
      await open(on, inStore(on, '/data/orders'))
      await page.getByRole('button', { name: 'Filter' }).click()
      await page.getByRole('menuitem', { name: 'Contact ID' }).click()
      await page.getByRole('combobox', { name: 'Contact ID' }).fill(id)
      await page.getByRole('option', { name: id }).click()
      await page.getByRole('button', { name: 'Apply' }).click()
      await page.waitForURL(new RegExp(`contact_id=${id}`))
      await open(on, inStore(on, '/data/orders?created_at_from=x'))
      quiet(on.window, /404|422/)
      return id
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
      on.window.take()
      return 'once'
    },
  ],
  [
    'of two operators who change one record, the second is told what the first has changed',
    async (on) => {
      const { page } = on.window
      const other = await elsewhere(on)
      const { items } = await operator(on)('GET /v1/stores/{storeId}/locations', {
        path: { storeId: on.store_id },
      }).then((found) => ({ items: found }))
      const path = inStore(on, `/data/locations/${items[0]?.id}`)
      const city = async (at: Page, name: string) => {
        await form(at).getByLabel('City').fill(name)
        await form(at).getByRole('button', { name: 'Save' }).click()
      }
      for (const at of [page, other.page]) {
        await open(on, path, at)
        await at.getByRole('button', { name: 'Edit' }).click()
        await form(at).getByLabel('City').waitFor()
      }
      const [theirs, mine] = [`Springfield ${Date.now()}`, `Shelbyville ${Date.now()}`]
      await city(other.page, theirs)
      await form(other.page).waitFor({ state: 'detached' })
      await city(page, mine)
      await form(page).getByText('Changed meanwhile').waitFor()
      assert.equal(await form(page).getByLabel('City').inputValue(), mine)
      await form(page).getByRole('button', { name: 'Save mine over it' }).click()
      await main(page).getByText(mine).waitFor()
      await other.close()
      quiet(on.window)
      return `${theirs}, then ${mine}`
    },
  ],
  [
    'a session that ends in mid-edit asks to sign in over the page, and saves what was typed',
    async (on) => {
      const own = await elsewhere(on)
      const { page } = own
      const key = await createAfterTheEnd(on, page)
      await typeCode(on, page, demo)
      await main(page).locator('h1', { hasText: key }).waitFor()
      await own.close()
      return key
    },
  ],
  [
    'a request that waits for a sign-in is given up with the session, with what was typed',
    async (on) => {
      const own = await elsewhere(on)
      const { page } = own
      const key = await createAfterTheEnd(on, page)
      await page.getByRole('button', { name: 'Sign out instead' }).click()
      await page.getByText('Sign in to Tillwright').waitFor()
      assert.equal(
        await page.evaluate("Object.keys(sessionStorage).filter((key) => key.startsWith('draft ')).length"),
        0,
      )
      await typeCode(on, page, demo)
      await settled(page)
      const { items } = await operator(on)('GET /v1/stores/{storeId}/taxonomies', {
        path: { storeId: on.store_id },
        query: { limit: 100 },
      })
      assert.deepEqual(
        items.filter((one) => one.key === key),
        [],
      )
      await own.close()
      return 'not created'
    },
  ],
  [
    'an account is changed on its own page',
    async (on) => {
      const { page } = on.window
      await open(on, '/account/data/accounts/me?do=PUT')
      const name = `Demo ${Date.now()}`
      await form(page).getByLabel('Name').fill(name)
      await press(page, 'Save')
      await main(page).getByText(name).first().waitFor()
      await page.getByRole('button', { name: 'More actions' }).click()
      await page.getByRole('menuitem', { name: 'Delete' }).waitFor()
      await page.keyboard.press('Escape')
      await open(on, '/account/data/accounts/me?do=PUT')
      await form(page).getByLabel('Name').fill('')
      await press(page, 'Save')
      await closed(page)
      await until('no name', async () => (await main(page).getByText(name).count()) === 0)
      quiet(on.window)
      return name
    },
  ],
  [
    'an API that does not answer is said, and the page goes on when it answers again',
    async (on) => {
      const { page } = on.window
      await open(on, inStore(on, '/data'))
      const silence = (route: Route) => route.abort('connectionrefused')
      await page.route('**/{v1,health}/**', silence)
      await page.route('**/health', silence)
      await page.getByRole('link', { name: 'Orders', exact: true }).first().click()
      await page.getByText('The API does not answer').waitFor()
      await page.unroute('**/{v1,health}/**')
      await page.unroute('**/health')
      // It is asked every few seconds.
      await page.getByText('The API does not answer').waitFor({ state: 'detached' })
      await main(page).locator('table, [class*="empty"]').first().waitFor()
      assert.equal(await main(page).getByRole('alert').count(), 0)
      quiet(on.window, /ERR_CONNECTION_REFUSED|Failed to load/)
      return 'the list is there'
    },
  ],
  [
    'an unknown refund is found in Attention, drawn, resolved with a note, and gone',
    async (on) => {
      const { page } = on.window
      const refund = await stuckRefund(on)
      await open(on, inStore(on, '/attention'))
      await main(page).locator(`a[href*="${refund}"]`).click()
      const detail = page.getByRole('article')
      await detail.getByText('What to do').waitFor()
      const marks = detail.locator('svg [role="button"]')
      await marks.first().waitFor()
      const sentences = await marks.evaluateAll((all) => all.map((one) => one.getAttribute('aria-label') ?? ''))
      assert.ok(
        sentences.some((one) => /never sent again/.test(one)),
        sentences.join('\n'),
      )
      await marks.last().focus()
      const caption = () => detail.locator('figcaption').innerText()
      const last = await caption()
      await page.keyboard.press('ArrowLeft')
      await until('the moment before', async () => (await caption()) !== last)
      assert.deepEqual(await seriousFindings(page), [])
      await detail.getByRole('radio', { name: 'It was not carried out' }).check()
      await detail.getByLabel('Note').fill('Looked at the dashboard: there is no such refund.')
      await detail.getByRole('button', { name: 'Record it' }).click()
      await detail.getByText('This is done').waitFor()
      assert.equal(await main(page).locator(`a[href*="${refund}"]`).count(), 0)
      quiet(on.window)
      return `${sentences.length} moments`
    },
  ],
  [
    'what a role may not do is not offered',
    async (on) => {
      const email = `admin-${Date.now()}@tillwright.test`
      await operator(on)('POST /v1/stores/{storeId}/members', {
        path: { storeId: on.store_id },
        body: { email, role: 'admin' },
      })
      const theirs = await elsewhere(on, email)
      const { page } = theirs
      await open(on, inStore(on, '/data/members'), page)
      assert.equal(await page.getByRole('button', { name: 'Create', exact: true }).count(), 0)
      await open(on, inStore(on, '/record'), page)
      assert.equal(await page.getByRole('button', { name: 'Rotate' }).count(), 0)
      assert.equal(await page.getByRole('button', { name: 'Edit' }).count(), 1)
      await page.getByRole('button', { name: /Demo store/ }).click()
      await page.getByRole('menuitem', { name: 'New store' }).waitFor()
      assert.equal(await page.getByRole('menuitem', { name: 'Installation' }).count(), 0)
      quiet(theirs)
      await theirs.close()
      return email
    },
  ],
  [
    'two tabs share one session, and end it together',
    async (on) => {
      const own = await elsewhere(on)
      const second = await own.page.context().newPage()
      await open(on, inStore(on, '/data/products'), second)
      await open(on, inStore(on, '/data/orders'), own.page)
      await second.reload()
      await settled(second)
      await own.page.getByRole('button', { name: demo, exact: true }).click()
      await own.page.getByRole('menuitem', { name: 'Sign out' }).click()
      for (const page of [own.page, second]) await page.getByText('Sign in to Tillwright').waitFor()
      quiet(own)
      await own.close()
      return 'signed out of both'
    },
  ],
  [
    'axe finds nothing serious on any kind of page, in light and in dark',
    async (on) => {
      const { page } = on.window
      const order = await paidOrder(on)
      const pages = [
        '/attention',
        '/overview',
        `/timeline?subject=order:${order}`,
        '/data',
        '/data/orders',
        `/data/orders/${order}`,
        '/data/products?do=createProduct',
        '/record',
      ]
      for (const scheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme: scheme })
        for (const path of pages) {
          await follow(page, inStore(on, path))
          assert.deepEqual([path, scheme, await seriousFindings(page)], [path, scheme, []])
        }
      }
      await page.emulateMedia({ colorScheme: 'light' })
      quiet(on.window)
      return `${2 * pages.length} pages`
    },
  ],
  [
    'on a phone of 375 pixels nothing scrolls sideways, and the keyboard reaches everything',
    async (on) => {
      const { page } = on.window
      const order = await paidOrder(on)
      await page.setViewportSize({ width: 375, height: 812 })
      for (const path of [
        '/attention',
        '/overview',
        `/timeline?subject=order:${order}`,
        '/data',
        '/data/orders',
        `/data/orders/${order}`,
        '/data/products?do=createProduct',
        '/record',
      ]) {
        await open(on, inStore(on, path))
        assert.deepEqual([path, await scrolls(page)], [path, false])
      }
      await open(on, inStore(on, '/data/orders'))
      await page.keyboard.press('Tab')
      assert.equal(await page.evaluate('document.activeElement.textContent'), 'To the content')
      await page.keyboard.press('Tab')
      await page.keyboard.press('Enter')
      await page.getByRole('dialog').getByRole('link', { name: 'Overview' }).waitFor()
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      await main(page).locator('tbody a').first().focus()
      await page.keyboard.press('Enter')
      await page.waitForURL(/orders\/[0-9a-f-]{36}/)
      await page.setViewportSize({ width: 1280, height: 900 })
      quiet(on.window)
      return 'eight pages'
    },
  ],
]
