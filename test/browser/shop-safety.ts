// What may go wrong around a checkout in a real browser: each ends with one order or none, and the page says which.
import assert from 'node:assert/strict'
import type { BrowserContextOptions, Locator, Page } from 'playwright-core'
import { client } from '../../client/client.ts'
import { type Shopping as Shop, withConfig } from './shop.ts'
import { until } from './until.ts'

export type Shopping = Shop & { publishable_key: string; stripe_control: string }
type Check = [guarantee: string, prove: (shopping: Shopping) => Promise<string>]
type Item = { items: { id: string; key: string; zones: object[] }[] }

const email = `grace-${process.pid}@tillwright.test`
const address = { Name: 'Grace Buyer', Street: '5 Elm Street', 'Postal code': '97201', City: 'Portland', State: 'OR' }
const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true }).click()
const field = (page: Page, name: string) => page.getByRole('textbox', { name })
const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { name, level: 1 }).waitFor()
const total = (page: Page, money: string) => page.getByRole('row', { name: `Total ${money}`, exact: true }).waitFor()
const said = (page: Page, text: string | RegExp) => page.getByRole('alert').filter({ hasText: text }).first().waitFor()

const operatorOf = ({ api, api_token }: Shopping) => client({ base: api, token: api_token })

/** A page of a new visitor. */
async function newcomer({ shop, window: { page } }: Shopping): Promise<Page> {
  await page.goto(`${shop}/contact`)
  await page.evaluate('localStorage.clear(); sessionStorage.clear()')
  return page
}
async function add({ shop }: Shopping, page: Page, key: string): Promise<void> {
  await page.goto(`${shop}/products/${key}`)
  await press(page, 'Add to cart')
  await page.getByRole('link', { name: 'It is in your cart' }).waitFor()
}
async function openCart({ shop }: Shopping, page: Page): Promise<void> {
  await page.goto(`${shop}/cart`)
  await heading(page, /cart/)
}
/** A gift card in the cart needs no address. */
async function giftCard(shopping: Shopping, page: Page, payment = 'Cash'): Promise<void> {
  await add(shopping, page, 'gift-card')
  await openCart(shopping, page)
  await total(page, '$25.00')
  await field(page, 'E-mail').fill(email)
  await page.getByLabel(payment).check()
}
async function fillAddress(page: Page, change: Partial<typeof address> = {}): Promise<void> {
  for (const [name, value] of Object.entries({ ...address, ...change })) await field(page, name).fill(value)
}

async function visitorOf({ api, publishable_key }: Shopping, page: Page): Promise<ReturnType<typeof client>> {
  const visitorToken = (await page.evaluate("localStorage.getItem('visitor')")) as string
  return client({ base: api, publishableKey: publishable_key, visitorToken })
}
async function ordersOf(shopping: Shopping, page: Page): Promise<{ status: string; total: number }[]> {
  const { items } = await (await visitorOf(shopping, page))('GET /v1/storefront/orders')
  return items.map(({ status, money }) => ({ status, total: money.total }))
}
async function assertOneOrder(shopping: Shopping, page: Page, total = 2500): Promise<void> {
  await heading(page, /^Order/)
  assert.deepEqual(
    (await ordersOf(shopping, page)).map((order) => order.total),
    [total],
  )
}
const tokenIn = (page: Page) => page.evaluate("localStorage.getItem('visitor')")

const ofCarts = '**/storefront/carts/**'
/** The next checkout is carried out, and its answer is lost. `isDown`: carts cannot be reached from then on. */
const loseAnswer = (page: Page, isDown: boolean) =>
  page.route(
    '**/checkout',
    async (route) => {
      await route.fetch()
      if (isDown) await page.route(ofCarts, (later) => later.abort())
      await route.abort()
    },
    { times: 1 },
  )

/** The work with another tab of the same browser. */
async function inTab<T>({ page }: { page: Page }, work: (tab: Page) => Promise<T>): Promise<T> {
  const tab = await page.context().newPage()
  try {
    return await work(tab)
  } finally {
    await tab.close()
  }
}

/** The work with other zones in the market of the shop. */
async function withZones(shopping: Shopping, zones: object[], work: () => Promise<void>): Promise<void> {
  const call = operatorOf(shopping)
  const path = { storeId: shopping.store_id }
  const { items } = (await call('GET /v1/stores/{storeId}/markets', { path })) as Item
  const market = items.find(({ key }) => key === 'us')
  assert.ok(market)
  const put = (all: object[]) =>
    call('PUT /v1/stores/{storeId}/markets/{id}', { path: { ...path, id: market.id }, body: { zones: all as never } })
  await put(zones)
  try {
    await work()
  } finally {
    await put(market.zones)
  }
}
const zone = (name: string, amount: number, more: object) => ({
  ...{ name, countries: [], states: [], postal_codes: [], tax_bps: 0, ...more },
  shipping_methods: [
    { id: `${name}-slow`, name: `${name} slow`, taxable: true, eta_text: 'a week', amount },
    { id: `${name}-fast`, name: `${name} fast`, taxable: true, eta_text: 'a day', amount: amount + 1000 },
  ],
})

/** A product of a dollar, in as many variants as units are given. */
async function newProduct(shopping: Shopping, key: string, ...stock: number[]): Promise<{ id: string }> {
  const call = operatorOf(shopping)
  const path = { storeId: shopping.store_id }
  const [location] = await call('GET /v1/stores/{storeId}/locations', { path })
  const variants = stock.map((available, n) => ({
    ...{ sku: `${key}-${n}`, requires_shipping: false, prices: [{ market: 'us', amount: 100 }] },
    inventory: [{ location_id: location?.id as string, available }],
  }))
  const blocks = [{ key: 'name', type: 'text' as const, value: key }]
  return call('POST /v1/stores/{storeId}/products', { path, body: { key, slug: { en: key }, blocks, variants } })
}

export const shopSafetyChecks: Check[] = [
  [
    'a double click orders once, and the way back leads to an empty cart',
    async (shopping) => {
      const page = await newcomer(shopping)
      await giftCard(shopping, page)
      await page.getByRole('button', { name: 'Order now' }).dblclick()
      await assertOneOrder(shopping, page)
      await page.goBack()
      await heading(page, 'Your cart is empty')
      await page.goForward()
      await assertOneOrder(shopping, page)
      return page.url()
    },
  ],
  [
    'whatever a visitor does after the answer of a checkout was lost, there is one order, and it is shown',
    async (shopping) => {
      const ways: Record<string, (page: Page) => Promise<unknown>> = {
        'see the total again': (page) => press(page, 'See the total'),
        'type something': (page) => field(page, 'Promo code').fill('X'),
        'remove a line': (page) => press(page, 'Remove Gift card'),
        reload: (page) => page.reload(),
        'look around and add something': (page) =>
          page.goto(`${shopping.shop}/products/gift-card`).then(() => page.waitForLoadState('networkidle')),
      }
      for (const go of Object.values(ways)) {
        const page = await newcomer(shopping)
        await giftCard(shopping, page)
        await loseAnswer(page, true)
        await press(page, 'Order now')
        await said(page, 'The shop cannot be reached')
        await page.unroute(ofCarts)
        await go(page)
        await assertOneOrder(shopping, page)
      }
      const page = await newcomer(shopping)
      await giftCard(shopping, page)
      await loseAnswer(page, false)
      await press(page, 'Order now')
      await assertOneOrder(shopping, page)
      return ['wait', ...Object.keys(ways)].join(', ')
    },
  ],
  [
    'a reload at the card form comes back to the form of the same order',
    async (shopping) => {
      const page = await newcomer(shopping)
      await giftCard(shopping, page, 'Credit card')
      await press(page, 'Order now')
      const form = page.frameLocator('iframe').getByRole('button', { name: 'Pay $25.00' })
      await form.waitFor()
      await page.reload()
      await form.waitFor()
      await assertOneOrder(shopping, page)
      return page.url()
    },
  ],
  [
    'two tabs that begin at once are one visitor with one cart, and both hold what was added in either',
    async (shopping) => {
      const page = await newcomer(shopping)
      await inTab({ page }, async (tab) => {
        await Promise.all([page, tab].map((one) => one.goto(`${shopping.shop}/products/gift-card`)))
        await Promise.all([page, tab].map((one) => press(one, 'Add to cart')))
        for (const one of [page, tab]) await one.getByRole('link', { name: 'It is in your cart' }).waitFor()
        await openCart(shopping, tab)
        await total(tab, '$50.00')
      })
      const contacts = (await (await visitorOf(shopping, page))('POST /v1/storefront/carts/current')).product_items
      assert.deepEqual(
        contacts.map(({ quantity }) => quantity),
        [2],
      )
      return 'one cart of two'
    },
  ],
  [
    'a checkout in another tab is shown, and its lines are not bought again',
    async (shopping) => {
      const page = await newcomer(shopping)
      await giftCard(shopping, page)
      await inTab({ page }, async (tab) => {
        await openCart(shopping, tab)
        await total(tab, '$25.00')
        await field(tab, 'E-mail').fill(email)
        await tab.getByLabel('Cash').check()
        await press(tab, 'Order now')
        await heading(tab, /^Order/)
      })
      await field(page, 'Promo code').fill('X')
      await heading(page, /^Order/)
      await add(shopping, page, 'tea-towel')
      const { product_items } = await (await visitorOf(shopping, page))('POST /v1/storefront/carts/current')
      assert.equal(product_items.length, 1)
      assert.equal(product_items[0]?.quantity, 1)
      return 'one line'
    },
  ],
  [
    'a total that changed in another tab is not ordered before it was seen',
    async (shopping) => {
      const page = await newcomer(shopping)
      await add(shopping, page, 'gift-card')
      await (await visitorOf(shopping, page))('POST /v1/storefront/account/identify', { body: { email } })
      await openCart(shopping, page)
      await total(page, '$25.00')
      // The last change is priced before the other tab adds something.
      await Promise.all([page.waitForResponse(/\/quote$/), page.getByLabel('Cash').check()])
      await inTab({ page }, (tab) => add(shopping, tab, 'gift-card'))
      await press(page, 'Order now')
      await said(page, 'The total is')
      await total(page, '$50.00')
      assert.deepEqual(await ordersOf(shopping, page), [])
      await page.getByLabel('Cash').check()
      await press(page, 'Order now')
      await assertOneOrder(shopping, page, 5000)
      return '$50.00'
    },
  ],
  [
    'an order goes to the address on the page, and not to the one that another tab has written',
    async (shopping) => {
      const page = await newcomer(shopping)
      await add(shopping, page, 'beeswax-candles')
      await openCart(shopping, page)
      await field(page, 'E-mail').fill(email)
      await fillAddress(page)
      await page.getByRole('row', { name: /^Total/ }).waitFor()
      await page.getByLabel('Cash').check()
      await inTab({ page }, async (tab) => {
        await openCart(shopping, tab)
        await tab.getByRole('row', { name: /^Total/ }).waitFor()
        await Promise.all([tab.waitForResponse(/\/quote$/), field(tab, 'Street').fill('9 Oak Street')])
        const cart = await (await visitorOf(shopping, page))('POST /v1/storefront/carts/current')
        assert.equal(cart.shipping_address?.street1, '9 Oak Street')
      })
      await press(page, 'Order now')
      await heading(page, /^Order/)
      const { items } = await (await visitorOf(shopping, page))('GET /v1/storefront/orders')
      assert.deepEqual(
        items.map((order) => order.shipping_address?.street1),
        [address.Street],
      )
      return address.Street
    },
  ],
  [
    'a sign-in and a sign-out in one tab are those of the other one, and no tab ends the session of another',
    async (shopping) => {
      const page = await newcomer(shopping)
      await giftCard(shopping, page)
      const before = await tokenIn(page)
      const own = `signer-${process.pid}@tillwright.test`
      await inTab({ page }, async (tab) => {
        const to = `to=${encodeURIComponent(own)}`
        const mails = (await (await fetch(`${shopping.mail}/messages?${to}`)).json()) as unknown[]
        await tab.goto(`${shopping.shop}/account`)
        await field(tab, 'E-mail').fill('mistyped@tillwright.test')
        await press(tab, 'Send me a code')
        await press(tab, 'Use another address')
        await field(tab, 'E-mail').fill(own)
        await press(tab, 'Send me a code')
        await tab.getByText(`We sent a code to ${own}`).waitFor()
        const wait = `${shopping.mail}/messages/wait?${to}&after=${mails.length}&timeout_ms=20000`
        const [mail] = (await (await fetch(wait)).json()) as { text: string }[]
        await field(tab, 'Code').fill(/\b\d{6}\b/.exec(mail?.text ?? '')?.[0] ?? '')
        await press(tab, 'Sign in')
        await heading(tab, 'Your account')
        // The first tab has read the new visitor, and goes on as them.
        await page.getByText(`Signed in as ${own}.`).waitFor()
        assert.equal(await field(page, 'E-mail').count(), 0)
        await field(page, 'Promo code').fill('WELCOME10')
        await total(page, '$22.50')
        const token = await tokenIn(page)
        assert.notEqual(token, before)
        await press(page, 'Order now')
        await heading(page, /^Order/)
        assert.equal(await tokenIn(tab), token)
        await press(tab, 'Sign out')
        await heading(tab, 'Sign in')
        await page.getByRole('link', { name: 'Sign in' }).waitFor()
        await add(shopping, page, 'gift-card')
        assert.notEqual(await tokenIn(page), token)
      })
      return own
    },
  ],
  [
    'a visitor who expires with a full cart in memory is a new one, and a shop that does not open ends nobody',
    async (shopping) => {
      const page = await newcomer(shopping)
      await giftCard(shopping, page)
      const valid = await tokenIn(page)
      for (const change of [{ publishable_key: 'till_pk_rotated' }, { market: 'nowhere' }, { api: shopping.shop }])
        await withConfig(shopping.config, change, async () => {
          await page.goto(`${shopping.shop}/products/gift-card`)
          await heading(page, 'The shop is closed for a moment')
        })
      assert.equal(await tokenIn(page), valid)
      await press(page, 'Try again')
      await page.getByRole('link', { name: 'Cart (1)' }).waitFor()
      await page.evaluate(`localStorage.setItem('visitor', 'till_vt_${'x'.repeat(43)}')`)
      await press(page, 'Add to cart')
      await page.getByRole('link', { name: 'It is in your cart' }).waitFor()
      await page.getByRole('link', { name: 'Cart (1)' }).click()
      await total(page, '$25.00')
      return 'a new cart of one'
    },
  ],
  [
    'after a payment that could not be started, the next cart with the same lines is ordered',
    async (shopping) => {
      const page = await newcomer(shopping)
      for (const [status, code, text] of [
        [402, 'card_declined', 'declined'],
        [400, 'parameter_unknown', 'could not be started'],
      ] as const) {
        await add(shopping, page, 'gift-card')
        const fault = { fault: 'status', path: '/v1/checkout/sessions', method: 'POST', status, code, times: 1 }
        await fetch(`${shopping.stripe_control}/_sim/faults`, { method: 'POST', body: JSON.stringify(fault) })
        await openCart(shopping, page)
        await total(page, '$25.00')
        await field(page, 'E-mail').fill(email)
        await page.getByLabel('Credit card').check()
        await press(page, 'Order now')
        await said(page, text)
        await page.getByRole('button', { name: 'Order now' }).click()
        await page.frameLocator('iframe').getByRole('button', { name: /^Pay/ }).waitFor()
      }
      const states = (await ordersOf(shopping, page)).map(({ status }) => status)
      assert.deepEqual(states, ['pending', 'cancelled', 'pending', 'cancelled'])
      return states.join(', ')
    },
  ],
  [
    'goods are shipped through any zone of a country, and through one for the rest of the world',
    async (shopping) => {
      const zones = [
        zone('oregon', 300, { countries: ['US'], states: ['OR'] }),
        zone('states', 700, { countries: ['US'] }),
        zone('world', 2500, {}),
      ]
      await withZones(shopping, zones, async () => {
        const page = await newcomer(shopping)
        await add(shopping, page, 'beeswax-candles')
        await openCart(shopping, page)
        await field(page, 'E-mail').fill(email)
        await fillAddress(page)
        await total(page, '$25.00')
        await fillAddress(page, { State: 'NY', 'Postal code': '10001' })
        await total(page, '$29.00')
        await page.getByLabel('states fast').check()
        await total(page, '$39.00')
        await page.getByLabel('Country').selectOption('JP')
        await total(page, '$47.00')
        await page.getByLabel('Cash').check()
        await press(page, 'Order now')
        await assertOneOrder(shopping, page, 4700)
      })
      await withZones(shopping, [zone('world', 2500, {})], async () => {
        const page = await newcomer(shopping)
        await add(shopping, page, 'beeswax-candles')
        await openCart(shopping, page)
        await field(page, 'E-mail').fill(email)
        await fillAddress(page, { Name: '   ' })
        await page.getByLabel('Country').selectOption('AX')
        await press(page, 'See the total')
        await field(page, 'Name').and(page.locator(':invalid')).waitFor()
        await fillAddress(page)
        await total(page, '$47.00')
        await page.getByLabel('Cash').check()
        await press(page, 'Order now')
        await assertOneOrder(shopping, page, 4700)
      })
      return 'Oregon, New York, Japan, Åland'
    },
  ],
  [
    'what is not sold any more stands in the cart to be removed, and does not lock it',
    async (shopping) => {
      const path = { storeId: shopping.store_id }
      const call = operatorOf(shopping)
      const products = await Promise.all(['gone-a', 'gone-b', 'gone-c'].map((key) => newProduct(shopping, key, 5)))
      const page = await newcomer(shopping)
      await add(shopping, page, 'gift-card')
      for (const key of ['gone-a', 'gone-b', 'gone-c']) await add(shopping, page, key)
      const [a, b, c] = products.map(({ id }) => id)
      await call('PUT /v1/stores/{storeId}/products/{id}', {
        path: { ...path, id: a as string },
        body: { status: 'archived' },
      })
      for (const id of [b, c])
        await call('DELETE /v1/stores/{storeId}/products/{id}', { path: { ...path, id: id as string } })
      await openCart(shopping, page)
      const lines = page.getByRole('button', { name: 'Remove No longer available' })
      await lines.nth(2).waitFor()
      // Removing one drops those that the store has deleted; the archived one stays to be removed.
      await lines.nth(1).click()
      await lines.nth(1).waitFor({ state: 'detached' })
      await lines.click()
      await total(page, '$25.00')
      await newProduct(shopping, 'sold-out', 0)
      await page.goto(`${shopping.shop}/products/sold-out`)
      await page.getByText('Sold out', { exact: true }).waitFor()
      assert.equal(await page.getByRole('button', { name: 'Add to cart' }).isDisabled(), true)
      return 'archived, deleted, sold out'
    },
  ],
  [
    'a quantity that was cleared stays, changes are made in their order, and a place to pick up ends with the goods',
    async (shopping) => {
      const page = await newcomer(shopping)
      await add(shopping, page, 'gift-card')
      await add(shopping, page, 'beeswax-candles')
      await openCart(shopping, page)
      await page.getByLabel(/^Pick it up/).check()
      await total(page, '$47.00')
      const quantity = page.getByLabel('Quantity of Gift card')
      await quantity.fill('')
      await quantity.blur()
      assert.equal(await quantity.inputValue(), '1')
      await quantity.fill('3')
      // The click takes the focus from the quantity: both are sent.
      await press(page, 'Remove Beeswax candles')
      await total(page, '$75.00')
      await field(page, 'E-mail').fill(email)
      await page.getByLabel('Cash').check()
      await press(page, 'Order now')
      await assertOneOrder(shopping, page, 7500)
      return '$75.00'
    },
  ],
  [
    'a visitor of another zone and language reads the times of the store in the language of the shop',
    async (shopping) => {
      const browser = shopping.window.page.context().browser()
      const options: BrowserContextOptions = { timezoneId: 'Asia/Tokyo', locale: 'de-DE' }
      const context = await browser?.newContext(options)
      assert.ok(context)
      try {
        const page = await context.newPage()
        await page.goto(`${shopping.shop}/book/haircut`)
        await press(page, 'Later')
        await page.locator('.calendar button:enabled').first().click()
        const slot = page.locator('.slots button').first()
        // Browsers write narrow spaces.
        const plain = async (at: Locator) => ((await at.textContent()) ?? '').replaceAll(/\s/g, ' ')
        const shown = /[\d:]+( [AP]M)? – [\d:]+ [AP]M/.exec(await plain(slot))?.[0]
        assert.ok(shown)
        await slot.click()
        const line = await plain(page.locator('.lines small'))
        assert.ok(line.includes(`${shown} P`) && / P[SD]T$/.test(line), `${line}, and not ${shown}`)
        await field(page, 'E-mail').fill(email)
        await page.getByLabel('Cash').check()
        await press(page, 'Order now')
        await heading(page, /^Order/)
        assert.ok((await plain(page.getByRole('rowheader').first())).includes(`${shown} P`))
        return shown
      } finally {
        await context.close()
      }
    },
  ],
  [
    'a card form whose library does not load says so, and is opened by another try',
    async (shopping) => {
      const page = await newcomer(shopping)
      await giftCard(shopping, page, 'Credit card')
      shopping.window.take()
      await page.route('**/_sim/stripe.js', (route) => route.abort())
      await press(page, 'Order now')
      await said(page, 'cannot be reached')
      await page.unroute('**/_sim/stripe.js')
      await press(page, 'Try again')
      await page.frameLocator('iframe').getByRole('button', { name: 'Pay $25.00' }).waitFor()
      const { errors } = shopping.window.take()
      assert.deepEqual(
        errors.filter(({ url }) => url === ''),
        [],
      )
      return 'opened'
    },
  ],
  [
    'records of any content are text, and break no page',
    async (shopping) => {
      const name = `<b onclick="alert(1)">\u202eodd</b> ${'long'.repeat(60)}`
      const values = { name, description: { deep: { er: 1 } }, title: [{}], text: null }
      const blocks = Object.entries(values).map(([key, value]) => ({ key, type: 'any', value }))
      const variant = { requires_shipping: false, prices: [{ market: 'us', amount: 1 }] }
      const attributes = [null, 7, 'x', { name: ['n'], value: { v: 1 } }]
      await operatorOf(shopping)('POST /v1/stores/{storeId}/products', {
        path: { storeId: shopping.store_id },
        body: { key: 'odd', slug: { en: 'odd', ar: 'غريب' }, blocks, variants: [{ ...variant, attributes }] },
      })
      const page = await newcomer(shopping)
      shopping.window.take()
      await page.setViewportSize({ width: 375, height: 800 })
      await add(shopping, page, 'غريب')
      for (const path of [
        '/products/odd',
        '/',
        '/cart',
        '/?query=%3Cb%3E%26&in=%22%3E',
        '/account',
        '/orders/%2e%2e',
      ]) {
        await page.goto(`${shopping.shop}${path}`)
        await page.locator('h1, [role=alert] p').first().waitFor()
        assert.equal(await page.locator('b[onclick]').count(), 0)
        assert.ok(Number(await page.evaluate('document.documentElement.scrollWidth')) <= 375, path)
      }
      const errors = shopping.window.take().errors.filter(({ text }) => !text.includes('status of 4'))
      assert.deepEqual(errors, [])
      await page.setViewportSize({ width: 1280, height: 900 })
      return 'text'
    },
  ],
  [
    'every page has its title when it is read, and an address that is none is said',
    async (shopping) => {
      const { page } = shopping.window
      const pages: Record<string, string> = { '/products/oak-stool': 'Oak stool', '/book/haircut': 'Haircut' }
      const none = ['/%E0%A4%A', '/constructor', '/valueOf', '/nothing/here']
      for (const [path, title] of [...Object.entries(pages), ...none.map((at) => [at, 'This page does not exist'])]) {
        await page.goto(`${shopping.shop}${path}`)
        await heading(page, title as string)
        await until(`the title ${title}`, async () => (await page.title()).startsWith(`${title} – `))
      }
      return Object.values(pages).join(', ')
    },
  ],
]
