// Every list and every kind of record of the document opens; lists page, sort and filter, 100,000 records too.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import type { Page } from 'playwright-core'
import type { OpenApi } from '../../../console/src/kit/document/operations.ts'
import { treeOf } from '../../../console/src/kit/document/tree.ts'
import { until } from '../until.ts'
import { quiet } from '../window.ts'
import { crowdedStore, type Everything, once, storeOfEverything } from './own-stores.ts'
import { type Check, type Console, firstCells, follow, form, inStore, main, open, operator, settled } from './pages.ts'

// Every list and record

const document: OpenApi = JSON.parse(fs.readFileSync(new URL('../../../api/openapi.json', import.meta.url), 'utf8'))
const tree = treeOf(document)
const withPagesOfTheirOwn = new Set(['attention', 'timeline', 'overview', 'readiness'])
const readable = [...tree.nodes.values()].filter(
  ({ get, key }) =>
    get && !key.startsWith('/v1/storefront') && !key.split('/').some((segment) => withPagesOfTheirOwn.has(segment)),
)

/** Opened by their address, with the reason why no link leads there. */
const withoutLink: Record<string, string> = {
  '/v1/stores/{}/social-publications/engagement/syncs/{}': 'No route lists syncs: one is opened by its id.',
  '/v1/businesses/{}/integrations/config/{}': 'It is read by the type of an integration, by the pages of visitors.',
}
/** Lists that have no record in the stores of this check. */
const withoutRecord: Record<string, string> = {
  '/v1/stores/{}/orders/{}/digital-products': 'The order is of goods and of booked time.',
  '/v1/businesses/{}/orders/{}/digital-products': 'The order is of goods and of booked time.',
  '/v1/businesses/{}/agents/{}/usage': 'The agent has called no model.',
}

const withoutIds = (path: string) =>
  path.replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[\da-f-]{22}/g, '{}').replaceAll(/(?<=\/(?:countries|config)\/)\w+/g, '{}')

/** The path of the API that a page of the console is about. */
const apiPathOf = (path: string) =>
  withoutIds(path)
    .replace(/^\/(stores|businesses)\/\{\}\/(data|record)/, '/v1/$1/{}')
    .replace(/^\/platform\/data/, '/v1/platform')
    .replace(/^\/account\/data/, '/v1')

/** `dangling`: places of records that a link names and that are none. */
/** `paths` were opened; `places` are the same without ids. */
type Seen = { paths: Set<string>; places: Set<string>; empty: Set<string>; dangling: Set<string> }

/** Opens what the page leads to, depth first: the first record of each kind, and each list below a record. */
async function visit(on: Console, path: string, seen: Seen): Promise<void> {
  const place = apiPathOf(path)
  // Of a list that was empty in one record, that of another record is opened as well.
  if (seen.paths.has(path) || (seen.places.has(place) && !seen.empty.has(place))) return
  seen.paths.add(path)
  seen.places.add(place)
  const { page } = on.window
  await follow(page, path)
  const shown = async (selector: string) => (await main(page).locator(selector).allInnerTexts()).join(' ')
  const fault = await shown('[role="alert"]')
  if (/There is no such/.test(fault)) {
    seen.places.delete(place)
    seen.dangling.add(place)
    return
  }
  assert.equal(fault, '', `${path} shows a fault`)
  assert.notEqual(await shown('h1'), '', `${path} has no title`)
  const isEmpty =
    (await main(page)
      .getByText(/^No .* yet$/)
      .count()) > 0
  if (isEmpty) seen.empty.add(place)
  else seen.empty.delete(place)
  const links = (await main(page)
    .locator('a')
    .evaluateAll((all) => all.map((one) => one.getAttribute('href') ?? ''))) as string[]
  const own = /^\/[a-z]+\/[0-9a-f-]{36}/.exec(path)?.[0] ?? ''
  for (const link of new Set(links.map((one) => one.replace('/console', '').replace(/\?.*/, ''))))
    if (link.startsWith(own) && /\/data\/|\/record$/.test(link)) await visit(on, link, seen)
}

/** The address of a record that no link leads to. The demo business charges cards by an integration. */
function addressIn(on: Console, { id, rows }: Everything, key: string): string {
  if (key.endsWith('/config/{}')) return `/businesses/${on.business_id}/data/integrations/config/payment`
  const [, surface] = /^\/v1\/(\w+)\//.exec(key) ?? []
  const rest = key
    .replace(/^\/v1\/\w+\/\{\}/, '')
    .replaceAll(/([\w-]+)\/\{\}/g, (_, list: string) => `${list}/${rows[list]}`)
  return `/${surface}/${id}/data${rest}`
}

const everything = {
  store: once((on) => storeOfEverything(on, 'store')),
  business: once((on) => storeOfEverything(on, 'business')),
}

// Lists

/** The rows that the page shows are those that the API returns for the filters in its address. Returns their number. */
async function agree(on: Console, page: Page, root: string, list: string, names: readonly string[]): Promise<number> {
  await page.waitForURL((url) => names.every((name) => url.searchParams.has(name)))
  const query = new URL(page.url()).searchParams
  query.set('limit', '50')
  const answer = await fetch(`${on.api}/v1${root}/${list}?${query}`, {
    headers: { authorization: `Bearer ${on.api_token}` },
  })
  const { items } = (await answer.json()) as { items: { id: string }[] }
  await settled(page)
  const shown = () =>
    main(page)
      .locator('tbody tr td:first-child a')
      .evaluateAll((all) => all.map((one) => one.getAttribute('href')?.split('/').at(-1) ?? ''))
  await until(`the rows of ${page.url()}`, async () => String(await shown()) === String(items.map(({ id }) => id)))
  return items.length
}

/** Adds a filter, and lets `fill` choose its value. */
async function filterBy(page: Page, name: string, fill: () => Promise<void>): Promise<void> {
  await page.getByRole('button', { name: 'Filter', exact: true }).click()
  await page.getByRole('menuitem', { name, exact: true }).click()
  await fill()
  await page.getByRole('button', { name: 'Apply' }).click()
}

/** A time as an input of dates takes it. */
const wallClock = (at: number, timeZone: string): string =>
  new Date(at * 1000).toLocaleString('sv-SE', { timeZone }).replace(' ', 'T').slice(0, 16)

const choose =
  (page: Page, name: string, ...options: string[]) =>
  async () => {
    await page.getByRole('combobox', { name }).press('ArrowDown')
    for (const option of options) await page.getByRole('option', { name: option, exact: true }).click()
    // What is open covers what is below.
    await page.getByRole('combobox', { name }).press('Tab')
  }

const crowded = once(crowdedStore)
/** The addresses of `count` contacts, from the n-th on, towards the first or the last. */
const people = (from: number, count: number, step: 1 | -1 | 1000 | -1000) =>
  Array.from({ length: count }, (_, n) => `c${String(from + n * step).padStart(6, '0')}@tillwright.test`)

export const dataChecks: Check[] = [
  [
    'every list and every kind of record of the document opens, without a fault or an error',
    async (on) => {
      const [store, business] = [await everything.store(on), await everything.business(on)]
      // The console learns of new stores when it is loaded.
      await open(on, '/account/data')
      const seen: Seen = { paths: new Set(), places: new Set(), empty: new Set(), dangling: new Set() }
      const ofBusiness = `/businesses/${business.id}/data`
      for (const home of [
        // These have rows below them.
        `/stores/${store.id}/data/orders/${store.rows.orders}`,
        `/stores/${store.id}/data/audiences/${store.rows['paid-audiences']}/tiers`,
        `/stores/${store.id}/data/audiences/${store.rows.audiences}`,
        `/stores/${store.id}/data/campaign-enrollments/${store.rows['campaign-enrollments']}`,
        `${ofBusiness}/orders/${business.rows.orders}`,
        `${ofBusiness}/agents/${business.rows.agents}/chats/${business.rows.chats}`,
        `/stores/${store.id}/data`,
        `/stores/${store.id}/record`,
        ofBusiness,
        `/businesses/${business.id}/record`,
        '/platform/data',
        '/account/data',
      ])
        await visit(on, home, seen)
      for (const key of Object.keys(withoutLink)) {
        assert.ok(!seen.places.has(key), `a page leads to ${key}`)
        await visit(on, addressIn(on, key.startsWith('/v1/stores') ? store : business, key), seen)
      }
      quiet(
        on.window,
        [...seen.dangling].map((key) => `404 ${key.replaceAll('{}', '…')}`),
      )
      const missed = readable.map(({ key }) => key).filter((key) => !seen.places.has(key))
      assert.deepEqual(
        { missed, dangling: [...seen.dangling].toSorted(), empty: [...seen.empty].toSorted() },
        {
          missed: [],
          dangling: [],
          empty: Object.keys(withoutRecord).toSorted(),
        },
      )
      const kinds = readable.filter(({ segment }) => segment === '{}').length
      return `${seen.places.size} pages, ${kinds} kinds of records`
    },
  ],
  [
    'a list of 100,000 records pages by cursors that its address keeps, there and back, in order',
    async (on) => {
      const { page } = on.window
      const { id, count } = await crowded(on)
      await open(on, `/stores/${id}/data/contacts`)
      const rows = async (expected: string[]) => {
        await until(`the rows from ${expected[0]} on`, async () => String(await firstCells(page)) === String(expected))
      }
      await rows(people(count, 50, -1))
      for (const from of [count - 50, count - 100]) {
        await page.getByRole('button', { name: 'Next' }).click()
        await rows(people(from, 50, -1))
      }
      const address = page.url()
      await page.getByRole('button', { name: 'Previous' }).click()
      await rows(people(count - 50, 50, -1))
      await page.goto(address)
      await rows(people(count - 100, 50, -1))

      // Sorted the other way, from its first page.
      await page.getByRole('button', { name: /^Created/ }).click()
      await page.waitForURL(/sort_direction=asc/)
      await rows(people(1, 50, 1))
      await page.getByRole('button', { name: 'Next' }).click()
      await rows(people(51, 50, 1))

      await filterBy(page, 'Status', choose(page, 'Status', 'Archived'))
      await rows(people(1000, 50, 1000))
      quiet(on.window)
      return address.replace(on.api, '')
    },
  ],
  [
    'filters by a choice, several choices, an id, a time and yes or no show what the API finds',
    async (on) => {
      const { page } = on.window
      const found: string[] = []
      const store = inStore(on, '')
      const { id, since, count } = await crowded(on)
      await open(on, `/stores/${id}/data/contacts`)
      await filterBy(page, 'Created from', () =>
        page
          .getByLabel('Created from')
          .last()
          .fill(wallClock(since + count - 60, 'Europe/Berlin')),
      )
      found.push(`time ${await agree(on, page, `/stores/${id}`, 'contacts', ['created_at_from'])}`)
      assert.match(String(found), / [1-9]/)

      const { items: orders } = await operator(on)('GET /v1/stores/{storeId}/orders', {
        path: { storeId: on.store_id },
        query: { limit: 1 },
      })
      const contact = orders[0]?.contact_id ?? ''
      await open(on, inStore(on, '/data/orders'))
      await filterBy(page, 'Contact', async () => {
        await page.getByRole('combobox', { name: 'Contact', exact: true }).fill(contact)
        // Until it was searched, the first contacts are offered, too.
        await until('the contact alone', async () => (await page.getByRole('option').count()) === 1)
        await page.getByRole('option').click()
      })
      assert.ok((await agree(on, page, store, 'orders', ['contact_id'])) > 0)
      found.push('id')
      await page.getByRole('button', { name: 'Remove the filter Contact' }).click()
      await filterBy(page, 'Statuses', choose(page, 'Statuses', 'Confirmed', 'Cancelled'))
      found.push(`choices ${await agree(on, page, store, 'orders', ['statuses'])}`)
      assert.equal(new URL(page.url()).searchParams.getAll('statuses').length, 2)

      await page.getByRole('button', { name: 'Remove the filter Statuses' }).click()
      await filterBy(page, 'Verified', choose(page, 'Verified', 'No'))
      const unverified = await agree(on, page, store, 'orders', ['verified'])
      assert.ok(unverified > 0)
      found.push(`yes or no ${unverified}`)

      await open(on, inStore(on, '/data/products'))
      await filterBy(page, 'Status', choose(page, 'Status', 'Archived'))
      await page.getByText('Nothing matches the filters').waitFor()
      await page.reload()
      await page.getByText('Nothing matches the filters').waitFor()
      await page.getByRole('button', { name: 'Clear the filters' }).click()
      await page.getByLabel('Search').fill('tea')
      found.push(`search ${await agree(on, page, store, 'products', ['query'])}`)
      quiet(on.window)

      // An id that no contact has, and a time that is none, are said and break nothing.
      const id7 = '01a229c6-5dc2-7336-931f-00e48f1fac7b'
      await open(on, inStore(on, '/data/orders'))
      await filterBy(page, 'Contact', async () => {
        await page.getByRole('combobox', { name: 'Contact', exact: true }).fill(id7)
        await page.getByRole('option', { name: id7 }).click()
      })
      await page.waitForURL(new RegExp(`contact_id=${id7}`))
      await page.getByText('Nothing matches the filters').waitFor()
      await open(on, inStore(on, '/data/orders?created_at_from=x'))
      await main(page).getByRole('alert').waitFor()
      quiet(on.window, ['422 /v1/stores/…/orders'], ['404 /v1/stores/…/contacts/…'])
      return found.join(', ')
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
]
