// How a page looks to everyone: on a wide screen and on a phone, in light and in dark.
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { seriousFindings } from './axe.ts'

const widths = [1280, 375] as const
const schemes = ['light', 'dark'] as const

/** Fails for what axe finds serious, or for all `findings` of it, and where the page scrolls sideways. */
export async function looksWell(
  page: Page,
  name: string,
  findings: (page: Page) => Promise<string[]> = seriousFindings,
): Promise<void> {
  for (const width of widths) {
    await page.setViewportSize({ width, height: 900 })
    for (const colorScheme of schemes) {
      await page.emulateMedia({ colorScheme })
      // The page hears of it with the next frame, and colours fade then.
      await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))')
      assert.deepEqual([name, width, colorScheme, await findings(page)], [name, width, colorScheme, []])
    }
    const isWide = await page.evaluate('document.documentElement.scrollWidth > innerWidth')
    assert.equal(isWide, false, `${name} scrolls sideways at ${width} px`)
  }
  await page.emulateMedia({ colorScheme: 'light' })
  await page.setViewportSize({ width: 1280, height: 900 })
}
