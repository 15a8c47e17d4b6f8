// What axe finds wrong with the accessibility of a page.
import fs from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'

const source = fs.readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

/** Its findings as lines: rule, impact and the first element. */
export async function axeFindings(page: Page): Promise<string[]> {
  // The policy of a page does not apply to what its debugger evaluates.
  await page.evaluate(source)
  return (await page.evaluate(`axe.run().then(({ violations }) =>
    violations.map(({ id, impact, nodes }) => id + ' (' + impact + '): ' + nodes[0].html))`)) as string[]
}
