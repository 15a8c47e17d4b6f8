// Every kind of page in light and in dark, on a wide screen and on a phone; and by the keyboard alone.
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { looksWell } from '../looks.ts'
import { paidOrder, stuckRefund } from '../orders.ts'
import { quiet } from '../window.ts'
import {
  act,
  type Check,
  type Console,
  closed,
  elsewhere,
  firstCells,
  follow,
  form,
  inBusiness,
  inStore,
  main,
  open,
  operator,
  press,
  tabTo,
} from './pages.ts'

const shown = (path: string) => (page: Page) => follow(page, path)

/** What each kind of page is called, and how it is opened. Sign-in and its dialog: sessions.ts. */
async function kindsOfPages(on: Console): Promise<[string, (page: Page) => Promise<void>][]> {
  const [{ id: order }, { id: refund }] = [await paidOrder(on), await stuckRefund(on)]
  const taxonomy = await operator(on)('POST /v1/stores/{storeId}/taxonomies', {
    path: { storeId: on.store_id },
    body: { key: `looks-${Date.now()}` },
  } as never)
  return [
    ['attention of all', shown('/attention')],
    ['attention of the installation', shown('/platform/attention')],
    ['an open item', shown(inStore(on, `/attention?item=${refund}`))],
    ['overview', shown(inStore(on, '/overview'))],
    ['timeline', shown(inStore(on, `/timeline?subject=order:${order}`))],
    ['a choice of timelines', shown(inStore(on, '/timeline'))],
    ['data', shown(inStore(on, '/data'))],
    ['a list', shown(inStore(on, '/data/orders'))],
    ['a record', shown(inStore(on, `/data/orders/${order}`))],
    [
      'a form that creates',
      async (page) => {
        await follow(page, inStore(on, '/data/products'))
        await act(page, 'Create')
        await form(page).getByLabel('Key').first().waitFor()
      },
    ],
    [
      'a form that deletes',
      async (page) => {
        await follow(page, inStore(on, `/data/taxonomies/${taxonomy.id}`))
        await act(page, 'Delete')
        await form(page).getByRole('button', { name: 'Delete' }).waitFor()
      },
    ],
    ['the store itself', shown(inStore(on, '/record'))],
    ['the account', shown('/account/data/accounts/me')],
    ['attention of a business', shown(inBusiness(on, '/attention'))],
    ['overview of a business', shown(inBusiness(on, '/overview'))],
    ['a list of a business', shown(inBusiness(on, '/data/bookings'))],
  ]
}

export const lookChecks: Check[] = [
  [
    'axe finds nothing serious and nothing scrolls sideways, in light and dark, at 1280 and 375 pixels',
    async (on) => {
      const { page } = on.window
      const pages = await kindsOfPages(on)
      await open(on, '/attention')
      for (const [name, show] of pages) {
        await show(page)
        await looksWell(page, name)
      }
      quiet(on.window)
      return `${4 * pages.length} looks`
    },
  ],
  [
    'values within values have room on a phone, and pictures are seen',
    async (on) => {
      const { page } = on.window
      const { items } = await operator(on)('GET /v1/stores/{storeId}/products', {
        path: { storeId: on.store_id },
        query: { limit: 100 },
      })
      const product = items.find(({ blocks, variants }) => variants.length > 1 && blocks.some(({ media }) => media))
      await page.setViewportSize({ width: 375, height: 812 })
      await open(on, inStore(on, `/data/products/${product?.id}`))
      await main(page).locator('dd img').first().waitFor()
      const widths = await main(page)
        .locator('dd')
        .evaluateAll((values) => values.map((value) => value.getBoundingClientRect().width))
      assert.ok(Math.min(...widths) > 140, `${Math.min(...widths)} pixels`)
      const table = main(page).locator('section[tabindex]').first()
      assert.match(
        await table.evaluate(
          (element) => element.ownerDocument.defaultView?.getComputedStyle(element).backgroundAttachment ?? '',
        ),
        /local.*scroll/,
      )
      await open(on, inStore(on, '/overview'))
      const outcomes = main(page).getByRole('region', { name: 'How requests ended' })
      const [needed, given] = await outcomes.evaluate(({ scrollWidth, clientWidth }) => [scrollWidth, clientWidth])
      assert.equal(needed, given)
      await page.setViewportSize({ width: 1280, height: 900 })
      quiet(on.window)
      return `${Math.min(...widths)} pixels or more`
    },
  ],
  [
    'the state of an address stays in its place, and what is said of a field begins as a sentence',
    async (on) => {
      const { page } = on.window
      await open(on, inStore(on, `/data/orders/${(await paidOrder(on)).id}`))
      const address = main(page).locator('dt', { hasText: 'Shipping address' }).locator('xpath=../dd')
      const names = await address.locator('dt').allInnerTexts()
      assert.ok(names.indexOf('City') < names.indexOf('State'), names.join())
      // What became of the order is no part of its address.
      assert.equal(await main(page).locator('dt').first().innerText(), 'Fulfillment status')
      await open(on, inStore(on, '/data/promo-codes?do=POST'))
      await form(page).getByText('Active codes can be redeemed.', { exact: true }).waitFor()
      await press(page, 'Cancel')
      quiet(on.window)
      return names.join()
    },
  ],
  [
    'a page that is not there leads to one that is, and a store is titled by its name',
    async (on) => {
      const { page } = on.window
      await page.goto(`${on.api}/console${inStore(on, '/nowhere')}`)
      await page.getByText('There is no such page').waitFor()
      await page.getByRole('link', { name: 'To the first page' }).click()
      await main(page).getByRole('heading', { name: 'Attention', level: 1 }).waitFor()
      await open(on, inStore(on, '/record'))
      await main(page).getByRole('heading', { name: 'Demo store', level: 1 }).waitFor()
      quiet(on.window)
      return 'Attention'
    },
  ],
  [
    'what was saved a moment ago does not lie in the future',
    async (on) => {
      const window = await elsewhere(on)
      const { page } = window
      const { id } = await operator(on)('POST /v1/stores/{storeId}/taxonomies', {
        path: { storeId: on.store_id },
        body: { key: `moment-${Date.now()}` },
      } as never)
      await page.clock.setFixedTime(Date.now() - 60_000)
      await open(on, inStore(on, `/data/taxonomies/${id}?do=PUT`), page)
      await form(page).getByLabel('Key').fill(`moments-${Date.now()}`)
      await page.clock.setFixedTime(Date.now() + 1000)
      await press(page, 'Save')
      await closed(page)
      await main(page).getByText('Changed just now').waitFor()
      await window.close()
      return 'just now'
    },
  ],
  [
    'on a phone the keyboard reaches the content, the menu and a record',
    async (on) => {
      const { page } = on.window
      await page.setViewportSize({ width: 375, height: 812 })
      await open(on, inStore(on, '/data/orders'))
      await page.keyboard.press('Tab')
      assert.equal(await page.evaluate('document.activeElement.textContent'), 'To the content')
      await page.keyboard.press('Tab')
      await page.keyboard.press('Enter')
      await page.getByRole('dialog').getByRole('link', { name: 'Overview' }).waitFor()
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      await tabTo(page, main(page).locator('tbody a').first())
      await page.keyboard.press('Enter')
      await page.waitForURL(/orders\/[0-9a-f-]{36}/)
      await page.setViewportSize({ width: 1280, height: 900 })
      quiet(on.window)
      return 'by Tab and Enter'
    },
  ],
  [
    'a record is created by the keyboard alone',
    async (on) => {
      const { page } = on.window
      const key = `by-keys-${Date.now()}`
      await open(on, inStore(on, '/data/taxonomies'))
      await tabTo(page, main(page).getByRole('button', { name: 'Create', exact: true }))
      await page.keyboard.press('Enter')
      await form(page).getByLabel('Key').waitFor()
      await tabTo(page, form(page).getByLabel('Key'))
      await page.keyboard.type(key)
      await tabTo(page, form(page).getByRole('button', { name: 'Create', exact: true }))
      await page.keyboard.press('Space')
      await main(page).locator('h1', { hasText: key }).waitFor()
      await open(on, inStore(on, '/data/taxonomies'))
      assert.ok((await firstCells(page)).includes(key))
      quiet(on.window)
      return key
    },
  ],
]
