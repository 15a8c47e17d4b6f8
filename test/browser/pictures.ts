// `npm run pictures`: takes the pictures of the README again, on a stack of its own, and writes them into
// docs/pictures.
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import sharp from 'sharp'
import { alone } from '../../dev/alone.ts'
import { type Console, inStore, main, open, signIn } from './console/pages.ts'
import { overdueRefund, plants } from './console/plants.ts'
import { startDemo } from './demo.ts'
import { stuckRefund } from './orders.ts'
import { findChromium, startBrowser } from './window.ts'

type Clip = { x: number; y: number; width: number; height: number }

/** With few colours, as a README is loaded with its pictures. */
async function take(page: Page, name: string, clip?: Clip): Promise<void> {
  const file = fileURLToPath(new URL(`../../docs/pictures/${name}.png`, import.meta.url))
  // The pointer stands beside what is drawn, and nothing fades.
  await page.mouse.move(0, 0)
  const taken = await page.screenshot({ animations: 'disabled', ...(clip ? { clip } : {}) })
  await sharp(taken).png({ palette: true }).toFile(file)
  console.log(`docs/pictures/${name}.png`)
}

/** What a person has to do in the demo store, with one refund open. */
async function attention(on: Console, page: Page): Promise<void> {
  for (const trouble of ['a dispute', 'a refund that is due', 'a connection to renew'] as const)
    await plants[trouble](on)
  await stuckRefund(on, 1900)
  const { id } = await stuckRefund(on, 1900)
  await open(on, inStore(on, `/attention?item=${id}`), page)
  await main(page).locator('svg').getByRole('button').first().waitFor()
  await take(page, 'attention')
}

/** A refund that was not answered until its deadline, without the frame of the page. */
async function timeline(on: Console, page: Page): Promise<void> {
  const id = await overdueRefund(on, 1900)
  await open(on, inStore(on, `/timeline?subject=refund:${id}`), page)
  await main(page).locator('svg').getByRole('button').first().waitFor()
  const frame = await main(page).boundingBox()
  const card = await main(page).locator('figure').boundingBox()
  if (!frame || !card) throw new Error('the timeline is not drawn')
  await take(page, 'timeline', { ...frame, y: 0, height: Math.ceil(card.y + card.height + 20) })
}

/** A product of the shop, as visitors see it. */
async function product(shop: string, page: Page): Promise<void> {
  await page.goto(shop)
  await page
    .getByRole('link', { name: /Oak stool/ })
    .first()
    .click()
  await page.getByRole('button', { name: 'Add to cart' }).waitFor()
  await page.locator('img').first().waitFor()
  await page.waitForLoadState('networkidle')
  await take(page, 'shop')
}

const file = findChromium(process.env)
if (!file) throw new Error('No browser found. Install Chromium or set CHROMIUM_PATH.')
await alone('pictures', async (dir) => {
  const browser = await startBrowser(file)
  const demo = await startDemo(dir, console.log)
  const { api, shop, stripe, stripe_control } = demo
  const window = await browser.open([api, shop, stripe].map((url) => new URL(url).origin))
  const on: Console = { ...demo, stripe: stripe_control, browser, window }
  await signIn(on, window.page)
  await timeline(on, window.page)
  await attention(on, window.page)
  await product(shop, window.page)
  await window.close()
  await browser.close()
  await demo.stop()
  return true
})
