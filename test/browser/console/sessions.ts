// Who is signed in: sessions that end in mid-edit, an API that does not answer, roles, and two tabs.
import assert from 'node:assert/strict'
import type { Page, Route } from 'playwright-core'
import { database } from '../../kit/shop.ts'
import { looksWell } from '../looks.ts'
import { quiet } from '../window.ts'
import {
  type Check,
  type Console,
  demo,
  elsewhere,
  form,
  inStore,
  main,
  open,
  operator,
  press,
  settled,
  typeCode,
} from './pages.ts'
import { plants } from './plants.ts'

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

export const sessionPageChecks: Check[] = [
  [
    'a session that ends in mid-edit asks to sign in over the page, and saves what was typed',
    async (on) => {
      const own = await elsewhere(on)
      const { page } = own
      const key = await createAfterTheEnd(on, page)
      await looksWell(page, 'the dialog of an expired session')
      await typeCode(on, page, demo)
      await main(page).locator('h1', { hasText: key }).waitFor()
      quiet(own, ['401 /v1/auth/refresh', '401 /v1/stores/…/taxonomies'])
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
      quiet(own, ['401 /v1/auth/refresh', '401 /v1/stores/…/taxonomies'])
      await own.close()
      return 'not created'
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
      quiet(
        on.window,
        ['ERR_CONNECTION_REFUSED /v1/stores/…/orders'],
        ['/health', '/v1/attention', '/v1/accounts/me', '/v1/accounts/me/memberships'].map(
          (path) => `ERR_CONNECTION_REFUSED ${path}`,
        ),
      )
      return 'the list is there'
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
      // The role that the API names for what mends an item counts more than that of its route.
      const { about } = await plants['a disabled webhook'](on)
      await page.route('**/v1/attention?**', async (route) => {
        const response = await route.fetch()
        const text = response.status() === 200 ? await response.text() : ''
        await route.fulfill({ response, body: text.replaceAll('"role":"admin"', '"role":"owner"') })
      })
      await open(on, inStore(on, `/attention?item=${about}`), page)
      await page.getByRole('article').getByText('Needs the role owner').waitFor()
      assert.equal(await page.getByRole('link', { name: 'Update a webhook' }).count(), 0)
      await page.unroute('**/v1/attention?**')
      await open(on, inStore(on, `/attention?item=${about}`), page)
      await page.getByRole('link', { name: 'Update a webhook' }).waitFor()
      await database().query(`update webhooks set enabled = true, disabled_reason = null where id = $1`, [about])
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
      quiet(own)
      await own.page.getByRole('button', { name: demo, exact: true }).click()
      await own.page.getByRole('menuitem', { name: 'Sign out' }).click()
      for (const page of [own.page, second]) await page.getByText('Sign in to Tillwright').waitFor()
      await looksWell(own.page, 'the sign-in')
      // What the other tab asks for while the session ends is refused.
      const { errors, violations, foreign } = own.take()
      const others = errors.filter(({ text }) => !text.includes('a status of 401'))
      assert.deepEqual({ others, violations, foreign }, { others: [], violations: [], foreign: [] })
      await own.close()
      return 'signed out of both'
    },
  ],
]
