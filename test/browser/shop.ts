// The shop in a real browser: a visitor finds, buys, books, joins, reviews, signs in and writes, on a wide screen and
// on a phone, by mouse and by keyboard.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import type { Page } from 'playwright-core'
import { client } from '../../client/client.ts'
import { seriousFindings } from './axe.ts'
import type { Window } from './window.ts'

/** `config`: the file of what the pages say of the shop. */
export type Shopping = {
  shop: string
  config: string
  api: string
  mail: string
  store_id: string
  api_token: string
  window: Window
}
type Check = [guarantee: string, prove: (shopping: Shopping) => Promise<string>]

const address = { Name: 'Ada Buyer', Street: '5 Elm Street', 'Postal code': '97201', City: 'Portland', State: 'OR' }
const email = `ada-${process.pid}@tillwright.test`

async function visit({ shop, window: { page } }: Shopping, path: string): Promise<Page> {
  await page.goto(`${shop}${path}`)
  await page.locator('h1').first().waitFor()
  return page
}
const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true }).click()
const field = (page: Page, name: string) => page.getByRole('textbox', { name })

async function addToCart(shopping: Shopping, key: string): Promise<Page> {
  const page = await visit(shopping, `/products/${key}`)
  await press(page, 'Add to cart')
  await page.getByRole('link', { name: 'It is in your cart' }).click()
  await page.getByRole('heading', { name: 'Your cart' }).waitFor()
  return page
}

async function payByCard(page: Page, card: string): Promise<void> {
  const frame = page.frameLocator('iframe')
  await frame.getByLabel(card).check()
  await frame.getByRole('button', { name: /^Pay/ }).click()
}

async function signIn(shopping: Shopping): Promise<void> {
  const page = await visit(shopping, '/account')
  const to = `to=${encodeURIComponent(email)}`
  const before = (await (await fetch(`${shopping.mail}/messages?${to}`)).json()) as unknown[]
  await field(page, 'E-mail').fill(email)
  await press(page, 'Send me a code')
  await page.getByText('We sent a code to').waitFor()
  const wait = `${shopping.mail}/messages/wait?${to}&after=${before.length}&timeout_ms=20000`
  const [message] = (await (await fetch(wait)).json()) as { text: string }[]
  await field(page, 'Code').fill(/\b\d{6}\b/.exec(message?.text ?? '')?.[0] ?? '')
  await press(page, 'Sign in')
  await page.getByRole('heading', { name: 'Your account' }).waitFor()
}

/** No request went to another host, none broke the policy, and the console has no error. Returns what was requested. */
function quiet({ window }: Shopping): URL[] {
  const { asked, ...others } = window.take()
  assert.deepEqual(others, { foreign: [], errors: [], violations: [] })
  return asked
}

/** The work with another config in the pages that are opened meanwhile. */
export async function withConfig(file: string, change: object, work: () => Promise<unknown>): Promise<void> {
  const text = fs.readFileSync(file, 'utf8')
  fs.writeFileSync(file, JSON.stringify({ ...JSON.parse(text), ...change }))
  try {
    await work()
  } finally {
    fs.writeFileSync(file, text)
  }
}

type Timing = { name: string; initiatorType: string; startTime: number; responseEnd: number }
/**
 * The longest chain of requests of which each began after the one before had ended: all but the document, its script
 * and style, and what the provider's frame loads. Two that are independent may follow each other by chance: a chain is
 * there in each of three loads.
 */
async function longestChain({ shop }: Pick<Shopping, 'shop'>, page: Page, loads = 3): Promise<number> {
  await page.waitForLoadState('networkidle')
  const all = (await page.evaluate("performance.getEntriesByType('resource').map((one) => one.toJSON())")) as Timing[]
  const ours = all.filter(
    ({ name, initiatorType }) => !name.startsWith(`${shop}/assets/`) && initiatorType !== 'iframe',
  )
  // A picture leads to no other request.
  const before = (at: Timing) =>
    ours.filter(({ initiatorType, responseEnd }) => initiatorType !== 'img' && responseEnd <= at.startTime)
  const depthOf = (at: Timing): number => 1 + Math.max(0, ...before(at).map(depthOf))
  const depth = Math.max(...ours.map(depthOf))
  if (depth > 3 && loads > 1) {
    await page.reload()
    return longestChain({ shop }, page, loads - 1)
  }
  assert.ok(depth <= 3, `${page.url()} takes ${depth} requests in a row: ${JSON.stringify(ours)}`)
  return depth
}

const pages = [
  '/',
  '/?in=kitchen',
  '/products/oak-stool',
  '/book',
  '/book/haircut',
  '/club',
  '/contact',
  '/account',
  '/cart',
]

export const shopChecks: Check[] = [
  [
    'the first page shows what is sold, in three requests in a row behind the page and its script',
    async (shopping) => {
      const page = await visit(shopping, '/')
      await page.getByRole('img', { name: 'Oak stool' }).waitFor()
      const depth = await longestChain(shopping, page)
      assert.ok(quiet(shopping).some(({ pathname }) => pathname.includes('/media/')))
      return `${depth} in a row, pictures included`
    },
  ],
  [
    'a visitor searches, filters by a term, and reads that a variant is sold out',
    async (shopping) => {
      const page = await visit(shopping, '/')
      await page.getByRole('searchbox').fill('oak')
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: 'Results for “oak”' }).waitFor()
      await page.getByRole('link', { name: 'Oak stool' }).waitFor()
      await page.getByRole('link', { name: 'Kitchen' }).click()
      await page.getByRole('link', { name: 'Stoneware mug' }).click()
      await page.getByLabel('Clay (sold out)').waitFor()
      assert.equal(await page.getByLabel('Clay (sold out)').isDisabled(), true)
      quiet(shopping)
      return page.url()
    },
  ],
  [
    'goods and a haircut are bought together by card with a code, and the order is paid',
    async (shopping) => {
      await addToCart(shopping, 'tea-towel')
      const page = await visit(shopping, '/book/haircut')
      await press(page, 'Later')
      await page.locator('.calendar button:enabled').first().click()
      await page.locator('.slots button').first().click()
      await page.getByRole('button', { name: 'Remove Haircut' }).waitFor()
      await field(page, 'E-mail').fill(email)
      for (const [name, value] of Object.entries(address)) await field(page, name).fill(value)
      await field(page, 'Promo code').fill('WELCOME10')
      await page.getByRole('row', { name: 'Discount' }).waitFor()
      await press(page, 'Order now')
      await payByCard(page, 'Declined')
      await page.frameLocator('iframe').getByText('Your card was declined.').waitFor()
      await payByCard(page, 'Accepted')
      await page.getByRole('heading', { name: /^Thank you: order/ }).waitFor()
      await page.getByText(/: confirmed, paid/).waitFor()
      quiet(shopping)
      return (await page.locator('h1').textContent()) ?? ''
    },
  ],
  [
    'an order is picked up and paid in cash, and a gift card needs no address',
    async (shopping) => {
      const page = await addToCart(shopping, 'gift-card')
      await page.getByRole('row', { name: 'Total $25.00', exact: true }).waitFor()
      assert.equal(await page.getByLabel('Postal code').count(), 0)
      await addToCart(shopping, 'beeswax-candles')
      await page.getByLabel(/^Pick it up/).check()
      await page.getByRole('row', { name: 'Total $47.00', exact: true }).waitFor()
      await page.getByLabel('Cash').check()
      await press(page, 'Order now')
      await page.getByRole('heading', { name: /^Order/ }).waitFor()
      await page.getByText('not paid yet').waitFor()
      assert.equal(await page.getByRole('button', { name: 'Pay by card' }).count(), 0)
      quiet(shopping)
      return page.url()
    },
  ],
  [
    'an order that was left at its card form is paid later',
    async (shopping) => {
      const page = await addToCart(shopping, 'gift-card')
      await page.getByRole('row', { name: 'Total $25.00', exact: true }).waitFor()
      await press(page, 'Order now')
      await page.frameLocator('iframe').getByRole('button', { name: /^Pay/ }).waitFor()
      await visit(shopping, '/account')
      await page
        .getByRole('link', { name: /^Order/ })
        .first()
        .click()
      await press(page, 'Pay by card')
      await payByCard(page, 'Accepted')
      await page.getByText(/, paid/).waitFor()
      await page.getByRole('heading', { name: /^Thank you: order/ }).waitFor()
      quiet(shopping)
      return (await page.locator('h1').textContent()) ?? ''
    },
  ],
  [
    'no page takes more than three requests in a row, with a cart, an address, and an order at its card form',
    async (shopping) => {
      const page = await addToCart(shopping, 'gift-card')
      await page.getByRole('row', { name: 'Total $25.00', exact: true }).waitFor()
      await field(page, 'E-mail').fill(email)
      await press(page, 'Order now')
      await page.frameLocator('iframe').getByRole('button', { name: /^Pay/ }).waitFor()
      const { pathname, search } = new URL(page.url())
      assert.equal(search, '?pay')
      await addToCart(shopping, 'beeswax-candles')
      for (const [name, value] of Object.entries(address)) await field(page, name).fill(value)
      await page.getByRole('row', { name: /^Total/ }).waitFor()
      const depths: Record<string, number> = {}
      for (const path of [...pages, pathname, `${pathname}${search}`]) {
        await visit(shopping, path)
        depths[path.replaceAll(/[0-9a-f-]{36}/g, '…')] = await longestChain(shopping, page)
      }
      await payByCard(page, 'Accepted')
      await page.getByText(/: confirmed, paid/).waitFor()
      await page.reload()
      await page.getByText(/: confirmed, paid/).waitFor()
      depths['/thanks'] = await longestChain(shopping, page)
      await visit(shopping, '/cart')
      await press(page, 'Remove Beeswax candles')
      await page.getByRole('heading', { name: 'Your cart is empty' }).waitFor()
      quiet(shopping)
      return Object.entries(depths)
        .map(([path, depth]) => `${path} ${depth}`)
        .join(', ')
    },
  ],
  [
    'a visitor joins the club by card and becomes a member',
    async (shopping) => {
      const page = await visit(shopping, '/club')
      await field(page, 'E-mail').fill(email)
      await press(page, 'Join by card')
      await payByCard(page, 'Asks for confirmation')
      await page.frameLocator('iframe').getByRole('button', { name: 'Confirm the payment' }).click()
      await page.getByText('You are a member.').waitFor()
      quiet(shopping)
      return page.url()
    },
  ],
  [
    'a visitor rates and reviews what they bought, and another review is refused in words',
    async (shopping) => {
      const page = await visit(shopping, '/products/tea-towel')
      await page.getByLabel('4', { exact: true }).check()
      await field(page, 'Review').fill('It dries <script>alert(1)</script> everything.')
      await press(page, 'Send')
      await page.getByText('Thank you for your opinion.').waitFor()
      const own = page.locator('.opinions li', { hasText: 'It dries <script>' }).first()
      await own.waitFor()
      assert.match((await own.textContent()) ?? '', /Verified buyer/)
      quiet(shopping)
      // Sent again, as after a lost answer: the same words are there.
      await press(page, 'Send')
      await page.getByRole('button', { name: 'Send', exact: true }).waitFor()
      assert.equal(await page.locator('.problems').count(), 0)
      shopping.window.take()
      await field(page, 'Review').fill('It dries *nothing* any more.')
      await press(page, 'Send')
      await page
        .getByRole('alert')
        .filter({ hasText: /review/ })
        .waitFor()
      shopping.window.take()
      return (await page.locator('.stars').first().getAttribute('aria-label')) ?? ''
    },
  ],
  [
    'a visitor who has signed in by the code of an e-mail finds their orders, bookings and membership on any device',
    async (shopping) => {
      await signIn(shopping)
      const { page } = shopping.window
      await page.evaluate('localStorage.clear()')
      await signIn(shopping)
      const list = (name: string) => page.getByRole('region', { name }).getByRole('listitem')
      await list('Bookings').filter({ hasText: 'Haircut' }).waitFor()
      await list('Memberships').filter({ hasText: 'Tea club' }).waitFor()
      const count = await list('Orders').count()
      assert.ok(count >= 3, `${count} orders`)
      quiet(shopping)
      await press(page, 'Sign out')
      await page.getByRole('heading', { name: 'Sign in' }).waitFor()
      return `${count} orders`
    },
  ],
  [
    'where a tax depends on the address, a booking alone asks for it',
    async (shopping) => {
      const { page } = shopping.window
      await withConfig(shopping.config, { market: 'eu' }, async () => {
        await visit(shopping, '/book/haircut')
        await press(page, 'Later')
        await page.locator('.calendar button:enabled').last().click()
        await page.locator('.slots button').last().click()
        await page.getByText('Enter where it goes to see the total.').waitFor()
        await field(page, 'E-mail').fill(email)
        for (const [name, value] of Object.entries(address)) await field(page, name).fill(value)
        await page.getByLabel('Country').selectOption('DE')
        await page.getByRole('row', { name: 'Contains tax €7.18' }).waitFor()
        await page.getByLabel('Cash').check()
        await press(page, 'Order now')
        await page.getByRole('row', { name: 'Total €45.00' }).waitFor()
        await page.getByRole('heading', { name: /^Order/ }).waitFor()
      })
      quiet(shopping)
      return (await page.locator('h1').textContent()) ?? ''
    },
  ],
  [
    'the contact form is sent, and arrives at the store',
    async (shopping) => {
      const page = await visit(shopping, '/contact')
      for (const [name, value] of Object.entries({ Name: 'Ada', Email: email, Message: 'Do you ship to Alaska?' }))
        await field(page, name).fill(value)
      await press(page, 'Send')
      await page.getByText('Thank you. We answer').waitFor()
      const operator = client({ base: shopping.api, token: shopping.api_token })
      const { items } = await operator('GET /v1/stores/{storeId}/forms/{formId}/submissions', {
        path: { storeId: shopping.store_id, formId: 'contact' },
      })
      assert.ok(JSON.stringify(items).includes(email))
      quiet(shopping)
      return `${items.length} submissions`
    },
  ],
  [
    'a visitor token that the store does not know is replaced, and the shop opens',
    async (shopping) => {
      const page = await visit(shopping, '/contact')
      await page.evaluate(`localStorage.setItem('visitor', 'till_vt_${'x'.repeat(43)}')`)
      await visit(shopping, '/')
      await page.getByRole('link', { name: 'Tea towel' }).waitFor()
      assert.notEqual(await page.evaluate("localStorage.getItem('visitor')"), `till_vt_${'x'.repeat(43)}`)
      shopping.window.take()
      return 'a new visitor'
    },
  ],
  [
    'the keyboard alone reaches the content and puts a product into the cart',
    async (shopping) => {
      const page = await visit(shopping, '/products/serving-board')
      await page.keyboard.press('Tab')
      await page.keyboard.press('Enter')
      const focus = () =>
        page.evaluate('document.activeElement.textContent || document.activeElement.name || document.activeElement.id')
      const seen: unknown[] = []
      for (let tabs = 0; tabs < 10 && seen.at(-1) !== 'Add to cart'; tabs++) {
        await page.keyboard.press('Tab')
        seen.push(await focus())
      }
      assert.equal(seen.at(-1), 'Add to cart', JSON.stringify(seen))
      await page.keyboard.press('Enter')
      await page.getByRole('link', { name: 'It is in your cart' }).waitFor()
      quiet(shopping)
      return `${seen.length} tabs`
    },
  ],
  [
    'on a phone and in both colour schemes no page is wider than the screen, and axe finds nothing serious',
    async (shopping) => {
      const { page } = shopping.window
      const found: string[] = []
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        for (const [n, path] of pages.entries()) {
          // Both widths in both schemes would look at every page four times.
          const width = (n % 2 === 0) === (colorScheme === 'light') ? 375 : 1280
          await page.setViewportSize({ width, height: 800 })
          await visit(shopping, path)
          await page.waitForLoadState('networkidle')
          const widest = Number(await page.evaluate('document.documentElement.scrollWidth'))
          if (widest > width) found.push(`${path} is ${widest} wide at ${width}`)
          found.push(...(await seriousFindings(page)).map((finding) => `${path} ${colorScheme}: ${finding}`))
        }
      }
      assert.deepEqual(found, [])
      quiet(shopping)
      return `${pages.length} pages, twice`
    },
  ],
]
