// /docs in a real browser: a reader finds every operation, enters credentials, sends a request and reads the answer,
// all of it from our own server.
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import type { Window } from './window.ts'

export type Docs = { api: string; store_id: string; api_token: string; publishable_key: string; window: Window }
export type Check = [guarantee: string, prove: (docs: Docs) => Promise<string>]
type Document = {
  paths: Record<string, Record<string, { operationId: string; tags: string[] }>>
  webhooks: Record<string, { post: { operationId: string } }>
}
type Answer = { status: number; type: string; body: unknown }

const list = { tag: 'Products', id: 'listProducts' }
const create = { tag: 'Products', id: 'createProduct' }
const storefront = { tag: 'Storefront catalog', id: 'listStorefrontProducts' }
type Operation = typeof list

const documentOf = async (api: string) => (await (await fetch(`${api}/openapi.json`)).json()) as Document
const operationsOf = ({ paths }: Document) => Object.values(paths).flatMap((methods) => Object.values(methods))
const linkTo = ({ tag, id }: Operation) => `#/${encodeURIComponent(tag)}/${id}`
const block = (page: Page, { id }: Operation) => page.locator(`.opblock[id$="-${id}"]`)

/** Pressed by script, because the page may still be scrolling to the operation before. */
async function press({ window: { page } }: Docs, name: string, isOpen: boolean): Promise<void> {
  const heading = (open: boolean) => page.locator(`.opblock-tag[data-tag="${name}"][data-is-open="${open}"]`)
  await heading(isOpen).dispatchEvent('click')
  await heading(!isOpen).waitFor()
}

/** Opens an operation by its heading, as a reader does. */
async function unfold(docs: Docs, operation: Operation): Promise<void> {
  if (
    (await docs.window.page.locator(`.opblock-tag[data-tag="${operation.tag}"]`).getAttribute('data-is-open')) ===
    'false'
  )
    await press(docs, operation.tag, false)
  const here = block(docs.window.page, operation)
  if (!(await here.locator('.opblock-body').isVisible()))
    await here.locator('.opblock-summary-control').dispatchEvent('click')
  await here.locator('.opblock-body').waitFor()
}

async function authorize({ window: { page } }: Docs, given: Record<string, string>): Promise<void> {
  await page.locator('.scheme-container .btn.authorize:not(.modal-btn)').click()
  for (const [scheme, value] of Object.entries(given)) {
    const container = page.locator('.dialog-ux .auth-container', { hasText: scheme })
    const logout = container.getByRole('button', { name: 'Remove authorization' })
    if (await logout.isVisible()) await logout.click()
    await container.locator('input').fill(value)
    await container.locator('.btn.authorize').click()
    await logout.waitFor()
  }
  await page.locator('.dialog-ux .btn-done').first().click()
}

/**
 * Fills in what is given, presses Execute, and reads the answer off the page; fails unless the page shows what the
 * server answered.
 */
async function ask(
  { window: { page } }: Docs,
  operation: Operation,
  { fields = {}, body }: { fields?: Record<string, string>; body?: object },
): Promise<Answer> {
  const here = block(page, operation)
  for (const [name, value] of Object.entries(fields))
    await here.locator(`tr[data-param-name="${name}"] input`).fill(value)
  if (body) await here.locator('textarea.body-param__text').fill(JSON.stringify(body))
  const answered = page.waitForResponse((response) => response.url().includes('/v1/'))
  await here.locator('.btn.execute').click()
  const response = await answered
  const shown = here.locator('.live-responses-table tr.response').first()
  await shown.waitFor()
  assert.match((await shown.locator('.response-col_status').innerText()).trim(), new RegExp(`^${response.status()}`))
  const text = await response.text()
  // The page renders text in pieces, with spaces of its own.
  const bare = (what: string) => what.replaceAll(/\s+/g, '')
  assert.ok(
    bare(await shown.locator('.response-col_description .microlight').first().innerText()).includes(
      bare(text).slice(0, 40),
    ),
    'the page shows another body',
  )
  return { status: response.status(), type: response.headers()['content-type'] ?? '', body: JSON.parse(text) }
}

/** No request went to another host, none was refused, and the console has no error but that of an intended refusal. */
function quiet({ window }: Docs, refused = 0): number {
  const { asked, foreign, errors, violations } = window.take()
  assert.deepEqual({ foreign, violations }, { foreign: [], violations: [] })
  const [meant, others] = [
    errors.filter(({ url }) => url.includes('/v1/')),
    errors.filter(({ url }) => !url.includes('/v1/')),
  ]
  assert.deepEqual(others, [])
  assert.equal(meant.length, refused, `refused: ${JSON.stringify(meant)}`)
  return asked.length
}

export const docsChecks: Check[] = [
  [
    'the page and all it needs come from our own origin, and nothing is said to be wrong',
    async (docs) => {
      await docs.window.page.goto(`${docs.api}/docs`)
      await docs.window.page.locator('.opblock-tag').first().waitFor()
      const asked = docs.window.take()
      assert.deepEqual({ ...asked, asked: [] }, { asked: [], foreign: [], errors: [], violations: [] })
      const paths = asked.asked.filter(({ protocol }) => protocol !== 'data:').map(({ pathname }) => pathname)
      for (const needed of [
        '/docs',
        '/docs/swagger-ui.css',
        '/docs/swagger-ui-bundle.js',
        '/docs/start.js',
        '/openapi.json',
      ])
        assert.ok(paths.includes(needed), needed)
      return `${paths.length} requests, all to ${docs.api}`
    },
  ],
  [
    'every operation of the document is listed, and no other',
    async (docs) => {
      const { page } = docs.window
      const tags = await page
        .locator('.opblock-tag')
        .evaluateAll((headings) => headings.map((heading) => heading.getAttribute('data-tag') ?? ''))
      const shown: string[] = []
      // One open at a time: with nearly all of them open, the page loses some.
      for (const tag of tags) {
        await press(docs, tag, false)
        const ids = await page.locator('.opblock').evaluateAll((blocks) => blocks.map(({ id }) => id))
        shown.push(...ids.filter((id) => !id.startsWith('operations-webhooks-')))
        await press(docs, tag, true)
      }
      // Events are below all tags, and always open.
      const events = await page.locator('.opblock').evaluateAll((blocks) => blocks.map(({ id }) => id))
      const { webhooks } = await documentOf(docs.api)
      assert.deepEqual(
        events.filter((id) => id.startsWith('operations-webhooks-')).toSorted(),
        Object.values(webhooks)
          .map(({ post }) => `operations-webhooks-${post.operationId}`)
          .toSorted(),
      )
      const wanted = operationsOf(await documentOf(docs.api)).flatMap(({ tags, operationId }) =>
        tags.map((tag) => `operations-${tag.replaceAll(' ', '_')}-${operationId}`),
      )
      assert.deepEqual(shown.toSorted(), wanted.toSorted())
      assert.ok(shown.length > 150)
      quiet(docs)
      return `${shown.length} operations, ${events.length} events`
    },
  ],
  [
    'with an API token a list is read and a product is made, from the page',
    async (docs) => {
      await unfold(docs, list)
      await authorize(docs, { bearer: docs.api_token })
      const before = await ask(docs, list, { fields: { storeId: docs.store_id } })
      assert.equal(before.status, 200)
      const count = (before.body as { items: unknown[] }).items.length
      assert.ok(count > 0)
      await unfold(docs, create)
      const made = await ask(docs, create, {
        fields: { storeId: docs.store_id },
        body: { key: `from-the-page-${Date.now()}` },
      })
      assert.equal(made.status, 201, JSON.stringify(made.body))
      quiet(docs)
      return `${count} products, then ${(made.body as { key: string }).key}`
    },
  ],
  [
    'with the publishable key alone the storefront is read',
    async (docs) => {
      await unfold(docs, storefront)
      await authorize(docs, { publishableKey: docs.publishable_key })
      const { status, body } = await ask(docs, storefront, {})
      assert.equal(status, 200, JSON.stringify(body))
      const count = (body as { items: unknown[] }).items.length
      assert.ok(count > 0)
      quiet(docs)
      return `${count} products`
    },
  ],
  [
    'a link to an operation opens it, and the authorisation is kept',
    async (docs) => {
      const { page } = docs.window
      // A change of the part behind # alone would load nothing.
      await page.goto('about:blank')
      await page.goto(`${docs.api}/docs${linkTo(storefront)}`)
      await block(page, storefront).locator('.opblock-body').waitFor()
      assert.equal(await page.locator('.opblock.is-open').count(), 1)
      assert.equal((await ask(docs, storefront, {})).status, 200)
      await unfold(docs, list)
      assert.equal((await ask(docs, list, { fields: { storeId: docs.store_id } })).status, 200)
      quiet(docs)
      return `${linkTo(storefront)}, both credentials`
    },
  ],
  [
    'a wrong body and a wrong token are answered as problems, and the page shows them',
    async (docs) => {
      await unfold(docs, create)
      const wrong = await ask(docs, create, { fields: { storeId: docs.store_id }, body: { key: 7 } })
      assert.deepEqual([wrong.status, wrong.type.split(';')[0]], [422, 'application/problem+json'])
      assert.deepEqual(
        (wrong.body as { errors: { pointer: string }[] }).errors.map(({ pointer }) => pointer),
        ['/key'],
      )
      await authorize(docs, { bearer: 'till_sk_nobody' })
      await unfold(docs, list)
      const stranger = await ask(docs, list, { fields: { storeId: docs.store_id } })
      assert.deepEqual([stranger.status, stranger.type.split(';')[0]], [401, 'application/problem+json'])
      quiet(docs, 2)
      return `${(wrong.body as { code: string }).code}, ${(stranger.body as { code: string }).code}`
    },
  ],
  [
    'text written into the page runs no script and requests no other host',
    async (docs) => {
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
        await fetch('https://cdn.example/told').catch(() => {})
      })()`)
      const ran = await docs.window.page.evaluate('window.wasRun === true')
      const { foreign, violations } = docs.window.take()
      assert.deepEqual({ ran, foreign }, { ran: false, foreign: [] })
      const refused = violations.map((violation) => violation.split(' ')[0]).toSorted()
      assert.deepEqual(refused, ['connect-src', 'img-src', 'script-src-elem', 'script-src-elem'])
      return refused.join(', ')
    },
  ],
]
