// How the checks of the console move about in it: they sign in, open pages, and use lists and forms as people do.
import assert from 'node:assert/strict'
import type { Locator, Page, Route } from 'playwright-core'
import { operatorOf, type Shop } from '../orders.ts'
import { until } from '../until.ts'
import type { Browser, Window } from '../window.ts'

export type Console = Shop & {
  business_id: string
  mail: string
  social: string
  browser: Browser
  window: Window
}
export type Check = [guarantee: string, prove: (on: Console) => Promise<string>]

export const demo = 'demo@tillwright.test'
const loading = '.mantine-Loader-root, .mantine-Skeleton-root'

// Pages

export const open = async (on: Console, path: string, page: Page = on.window.page) => {
  await page.goto(`${on.api}/console${path}`)
  await settled(page)
}

/** Goes on within the page, as a link does. */
export async function follow(page: Page, path: string): Promise<void> {
  await page.evaluate(`(() => {
    history.pushState(null, '', '/console${path}')
    dispatchEvent(new PopStateEvent('popstate'))
  })()`)
  await settled(page)
}

/** Nothing is loading any more. */
export async function settled(page: Page): Promise<void> {
  await page.locator('main h1').first().waitFor()
  await until('the page', async () => (await page.locator('main').locator(loading).count()) === 0)
}

export const main = (page: Page): Locator => page.locator('main')
export const form = (page: Page): Locator => page.getByRole('dialog')
export const inStore = (on: Console, path: string): string => `/stores/${on.store_id}${path}`
export const inBusiness = (on: Console, path: string): string => `/businesses/${on.business_id}${path}`
export const operator = (on: Console) => operatorOf(on)

// Sessions

/** The code that the next mail to the address has. */
async function codeFor(mail: string, email: string, ask: () => Promise<void>): Promise<string> {
  const to = encodeURIComponent(email)
  const before = (await (await fetch(`${mail}/messages?to=${to}`)).json()) as unknown[]
  await ask()
  const answer = await fetch(`${mail}/messages/wait?to=${to}&after=${before.length}&timeout_ms=20000`)
  const [message] = (await answer.json()) as { text: string }[]
  return /\b\d{6}\b/.exec(message?.text ?? '')?.[0] ?? ''
}

export async function typeCode(on: Console, page: Page, email: string): Promise<void> {
  const code = await codeFor(on.mail, email, async () => {
    await page.getByLabel('E-mail address').fill(email)
    await page.getByRole('button', { name: 'Send me a code' }).click()
  })
  await page.getByLabel('Digit 1 of the code').click()
  await page.keyboard.type(code)
}

export async function signIn(on: Console, page: Page, email = demo): Promise<void> {
  await page.goto(`${on.api}/console/`)
  await typeCode(on, page, email)
  await settled(page)
}

/** Another browser, signed in as another operator. It may open pages of `others`. */
export async function elsewhere(on: Console, email = demo, others: readonly string[] = []): Promise<Window> {
  const window = await on.browser.open([on.api, ...others].map((url) => new URL(url).origin))
  await signIn(on, window.page, email)
  return window
}

// Forms

/** Lets a request that changes something reach the API, and loses the answer. */
export const loseAnswer = async (route: Route) => {
  if (route.request().method() === 'GET') return route.fallback()
  await route.fetch()
  await route.abort('connectionreset')
}

export const press = (page: Page, name: string) => form(page).getByRole('button', { name, exact: true }).click()

/** Sends the form, whose answer is lost. */
export async function sendInVain(page: Page, address: string, button: string): Promise<void> {
  await page.route(address, loseAnswer)
  await press(page, button)
  await form(page).getByText('No answer arrived', { exact: true }).waitFor()
  await page.unroute(address)
}

/** Types a whole body. */
export async function typeJson(page: Page, body: object | string): Promise<void> {
  await form(page).getByRole('switch', { name: 'As JSON' }).check()
  await form(page)
    .getByLabel('Body')
    .fill(typeof body === 'string' ? body : JSON.stringify(body))
}

export const closed = (page: Page) => page.waitForURL((url) => !url.search.includes('do='))

/** An action of a record or a list, from the buttons beside its title or from the menu behind them. */
export async function act(page: Page, name: string): Promise<void> {
  const button = main(page).getByRole('button', { name, exact: true })
  if ((await button.count()) > 0) return button.first().click()
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name, exact: true }).click()
}

// Lists

/** The texts of the first column. */
export const firstCells = (page: Page): Promise<string[]> =>
  main(page).locator('tbody tr td:first-child').allInnerTexts()

/** Presses Tab until `wanted` has the focus. Fails when it cannot be reached. */
export async function tabTo(page: Page, wanted: Locator, key = 'Tab'): Promise<void> {
  for (let presses = 0; presses < 250; presses++) {
    if (await wanted.evaluate((element) => element === element.ownerDocument.activeElement)) return
    await page.keyboard.press(key)
  }
  assert.fail(`the keyboard does not reach ${wanted}`)
}
