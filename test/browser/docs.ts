// /docs in a real browser: a reader sees the first operation soon, finds every operation of every audience, enters
// credentials, sends a request and reads the answer, all of it from our own server.
import assert from 'node:assert/strict'
import type { Locator, Page } from 'playwright-core'
import { type Audience, audiences } from '../../api/openapi/audiences.ts'
import { seriousFindings } from './axe.ts'
import { looksWell } from './looks.ts'
import { limitOf, load, slowdown } from './speed.ts'
import { type Browser, quiet as quietIn, type Window } from './window.ts'

export type Docs = {
  api: string
  store_id: string
  api_token: string
  publishable_key: string
  browser: Browser
  window: Window
}
export type Check = [guarantee: string, prove: (docs: Docs) => Promise<string>]
type Operations = Record<string, Record<string, { tags: string[] }>>
type Document = { paths: Operations; webhooks?: Operations }
type Answer = { status: number; body: unknown }

const documentOf = async (api: string, audience: Audience) =>
  (await (await fetch(`${api}/openapi.json?audience=${audience}`)).json()) as Document

/** The parts of an address behind # by which Scalar names an operation. */
type Operation = `${'GET' | 'POST' | 'PUT' | 'DELETE'}/v1/${string}`
const list: Operation = 'GET/v1/stores/{storeId}/products'
const create: Operation = 'POST/v1/stores/{storeId}/products'
const storefront: Operation = 'GET/v1/storefront/products'

const open = (docs: Docs, audience: Audience, at = '') =>
  docs.window.page.goto(`${docs.api}/docs?audience=${audience}${at}`)
const entry = (page: Page, operation: string) => page.locator(`aside a[href$="/${operation}"]`)
const section = (page: Page, operation: string) => page.locator(`[id$="/${operation}"]`)

/** Unfolds all groups of operations in the sidebar. */
const unfold = (page: Page) =>
  page.evaluate(`(() => {
    for (const button of document.querySelectorAll('aside li > div > button'))
      if (button.getAttribute('aria-expanded') === 'false') button.click()
  })()`)

/**
 * Milliseconds from the click on an entry of the sidebar until the operation is painted in view. The page is idle
 * before: while it still draws another operation, Scalar may lose a click.
 */
const timeOf = (page: Page, operation: string) =>
  page.evaluate(`new Promise((resolve, reject) => {
    setTimeout(() => reject(new Error('${operation} is not in view after a minute')), 60_000)
    const id = '/${operation}'
    const link = [...document.querySelectorAll('aside a')].find((one) => one.getAttribute('href').endsWith(id))
    let since
    const look = () => {
      const shown = [...document.querySelectorAll('section')].find((one) => one.id.endsWith(id))
      const top = shown?.querySelector('h3')?.getBoundingClientRect().top ?? -1
      const isThere = top >= 0 && top < innerHeight && shown.textContent.includes('Test Request')
      requestAnimationFrame(isThere ? () => setTimeout(() => resolve(performance.now() - since)) : look)
    }
    const idle = (next) => requestIdleCallback(() => setTimeout(next, 250))
    idle(() => idle(() => {
      since = performance.now()
      link.click()
      look()
    }))
  })`) as Promise<number>

const linksOf = (page: Page, selector: string) =>
  page.locator(selector).evaluateAll((links) => links.map((link) => link.getAttribute('href') ?? '')) as Promise<
    string[]
  >

const middleOf = <T>(values: T[]): T => values[Math.floor(values.length / 2)] as T
/** The name of the group of operations in addresses of the page. */
const groupOf = (methods: Operations[string]) =>
  (Object.values(methods)[0]?.tags[0] ?? '').toLowerCase().replaceAll(' ', '-')
const median = (numbers: number[]) => middleOf(numbers.toSorted((a, b) => a - b))

/** At once, as an editor would close brackets that are typed. */
async function fill(field: Locator, value: string): Promise<void> {
  await field.click()
  await field.press('ControlOrMeta+a')
  await field.page().keyboard.insertText(value)
}

const dialog = ({ window: { page } }: Docs) => page.getByRole('dialog')

/**
 * Opens the form of the operation, fills in what is given, sends the request, and reads the answer off the page. Fails
 * unless the page shows what the server answered.
 */
async function ask(
  docs: Docs,
  operation: Operation,
  { credential, fields = {}, body }: { credential?: string; fields?: Record<string, string>; body?: object },
): Promise<Answer> {
  const { page } = docs.window
  await section(page, operation).getByRole('button', { name: 'Test Request' }).click()
  const form = dialog(docs)
  if (credential !== undefined) {
    const authentication = form.getByRole('button', { name: /^Authentication/ })
    if ((await authentication.getAttribute('aria-expanded')) === 'false') await authentication.click()
    await fill(form.locator('.scalar-password-input').first(), credential)
  }
  for (const [name, value] of Object.entries(fields)) await fill(form.locator(`tr#${name}`).getByLabel('Value'), value)
  if (body) await fill(form.locator('.cm-content').first(), JSON.stringify(body))
  const answered = page.waitForResponse((response) => response.url().includes('/v1/'))
  await form.getByRole('button', { name: /^Send/ }).first().click()
  const response = await answered
  const shown = form.getByRole('region', { name: 'Response' })
  await shown.getByText(String(response.status())).first().waitFor()
  const text = await response.text()
  await page.getByRole('button', { name: 'Close Client' }).click()
  return { status: response.status(), body: JSON.parse(text) }
}

/** Fails for other refusals than these. Returns what was requested. */
const quiet = ({ window }: Docs, refused: readonly string[] = []): URL[] =>
  quietIn(window, refused).filter(({ protocol }) => protocol !== 'data:')

/** Milliseconds on a quiet machine: until the first operation is there, and until another one is. */
const [firstMs, openMs] = [2_000, 300]

async function checkAudience(docs: Docs, audience: Audience): Promise<string> {
  const { page } = docs.window
  await open(docs, audience)
  const { paths, webhooks = {} } = await documentOf(docs.api, audience)
  // A reader opens a group, and the operations of it one after the other.
  const group = `#tag/${groupOf(middleOf(Object.values(paths)))}`
  await page.locator(`aside a[href="${group}"]`).click()
  await page.locator(`aside a[href^="${group}/"]`).first().waitFor()
  const times: number[] = []
  const slowdowns: number[] = []
  for (const link of await linksOf(page, `aside a[href^="${group}/"]`)) {
    slowdowns.push(slowdown())
    times.push(await timeOf(page, link.slice(group.length + 1)))
  }
  const limit = limitOf(openMs, slowdowns)
  assert.ok(median(times) <= limit, `median of ${times.map(Math.round)} ms over ${limit}; ${load(slowdowns)}`)
  // Groups inside of groups.
  for (let depth = 0; depth < 2; depth++) await unfold(page)
  const named = (operations: Operations) =>
    Object.entries(operations).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()}${path}`),
    )
  const [operations, events] = [named(paths), named(webhooks)]
  await entry(page, operations.at(-1) as string).waitFor()
  const shown = await linksOf(page, 'aside a')
  const after = (prefix: RegExp) => shown.flatMap((link) => prefix.exec(link)?.[1] ?? [])
  assert.deepEqual(after(/^#tag\/[\w-]+\/([A-Z]+\/.*)$/).toSorted(), operations.toSorted())
  assert.equal(after(/^#webhook\/(POST\/.*)$/).length, events.length)
  quiet(docs)
  const figures = `median ${Math.round(median(times))}, slowest ${Math.round(Math.max(...times))} ms`
  return `${operations.length} operations, ${events.length} events; opening: ${figures}; ${load(slowdowns)}`
}

/** Without the colours of Scalar's own texts. */
const oursIn = async (page: Page): Promise<string[]> =>
  (await seriousFindings(page)).filter((finding) => !finding.startsWith('color-contrast'))

export const docsChecks: Check[] = [
  [
    'the first operation is soon there, with all that the page needs from our own origin',
    async (docs) => {
      const times: number[] = []
      const slowdowns: number[] = []
      for (let round = 0; round < 3; round++) {
        slowdowns.push(slowdown(), slowdown())
        // With nothing in its cache.
        const cold = await docs.browser.open([new URL(docs.api).origin])
        const since = performance.now()
        await cold.page.goto(`${docs.api}/docs`)
        await entry(cold.page, 'GET/v1/storefront/markets').waitFor()
        times.push(performance.now() - since)
        const asked = quiet({ ...docs, window: cold })
        const paths = asked.map(({ pathname }) => pathname.replace(/scalar-[\w-]+/, 'scalar'))
        assert.deepEqual(paths.toSorted(), [
          '/docs',
          '/docs/page.css',
          '/docs/page.js',
          '/docs/scalar.js',
          '/openapi.json',
        ])
        await cold.close()
      }
      slowdowns.push(slowdown(), slowdown())
      const limit = limitOf(firstMs, slowdowns)
      const figures = `${times.map(Math.round).join(', ')} ms with a cold cache; ${load(slowdowns)}`
      // What else the machine does only makes it slower.
      assert.ok(Math.min(...times) <= limit, `${figures}; at most ${Math.round(limit)}`)
      return figures
    },
  ],
  ...audiences.map(
    (audience): Check => [
      `every operation and event for the audience ${audience} is listed, and no other; opening one is quick`,
      (docs) => checkAudience(docs, audience),
    ],
  ),
  [
    'with an API token a list is read and a product is made, from the page',
    async (docs) => {
      await open(docs, 'operator', `#tag/products/${list}`)
      const fields = { storeId: docs.store_id }
      const before = await ask(docs, list, { credential: docs.api_token, fields })
      assert.equal(before.status, 200, JSON.stringify(before.body))
      const count = (before.body as { items: unknown[] }).items.length
      assert.ok(count > 0)
      const made = await ask(docs, create, { fields, body: { key: `from-the-page-${Date.now()}` } })
      assert.equal(made.status, 201, JSON.stringify(made.body))
      quiet(docs)
      return `${count} products, then ${(made.body as { key: string }).key}`
    },
  ],
  [
    'a wrong body and a wrong token are answered as problems, and the page shows them',
    async (docs) => {
      await docs.window.page.goto('about:blank')
      await open(docs, 'operator', `#tag/products/${list}`)
      const fields = { storeId: docs.store_id }
      const wrong = await ask(docs, create, { credential: docs.api_token, fields, body: { key: 7 } })
      const { code, errors } = wrong.body as { code: string; errors: { pointer: string }[] }
      assert.deepEqual([wrong.status, errors.map(({ pointer }) => pointer)], [422, ['/key']])
      const stranger = await ask(docs, list, { credential: 'till_sk_nobody', fields })
      assert.equal(stranger.status, 401)
      quiet(docs, ['401 /v1/stores/…/products', '422 /v1/stores/…/products'])
      return `${code}, ${(stranger.body as { code: string }).code}`
    },
  ],
  [
    'a link to an operation opens it, and with the publishable key alone the storefront is read',
    async (docs) => {
      // A change of the part behind # alone would load nothing.
      await docs.window.page.goto('about:blank')
      await open(docs, 'storefront', `#tag/storefront-catalog/${storefront}`)
      const { status, body } = await ask(docs, storefront, { credential: docs.publishable_key })
      assert.equal(status, 200, JSON.stringify(body))
      const count = (body as { items: unknown[] }).items.length
      assert.ok(count > 0)
      quiet(docs)
      return `${count} products`
    },
  ],
  [
    'the switch leads from audience to audience',
    async (docs) => {
      const { page } = docs.window
      await open(docs, 'operator')
      for (const [label, title] of [
        ['Platform', 'Tillwright for platform administrators'],
        ['Storefronts', 'Tillwright for storefronts'],
      ] as const) {
        await page.getByRole('navigation', { name: 'Audience' }).getByRole('link', { name: label }).click()
        await page.getByRole('heading', { name: title }).waitFor()
      }
      await looksWell(page, 'the reference', oursIn)
      quiet(docs)
      return page.url().replace(docs.api, '')
    },
  ],
  [
    'text written into the page runs no script and requests no other host',
    async (docs) => {
      await open(docs, 'storefront')
      docs.window.take()
      // The browser's console is not subject to the page's policy: only the elements that it adds are.
      await docs.window.page.evaluate(`(async () => {
        const script = document.createElement('script')
        script.textContent = 'window.wasRun = true'
        const far = document.createElement('script')
        far.src = 'https://cdn.example/evil.js'
        const image = document.createElement('img')
        image.src = 'https://cdn.example/pixel.png'
        document.body.append(script, far, image)
        document.body.insertAdjacentHTML('beforeend', '<style>body { display: none }</style>')
        await fetch('https://cdn.example/told').catch(() => {})
      })()`)
      const ran = await docs.window.page.evaluate('window.wasRun === true')
      const { foreign, violations } = docs.window.take()
      assert.deepEqual({ ran, foreign }, { ran: false, foreign: [] })
      const refused = violations.map((violation) => violation.split(' ')[0]).toSorted()
      assert.deepEqual(refused, ['connect-src', 'img-src', 'script-src-elem', 'script-src-elem', 'style-src-elem'])
      return refused.join(', ')
    },
  ],
]
