// What axe finds on a page or in a frame: only what keeps people from using it.
import fs from 'node:fs'
import { createRequire } from 'node:module'
import type { Frame, Page } from 'playwright-core'

const source = fs.readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
type Finding = { id: string; impact: string | null; nodes: { html: string }[] }

/** Serious and critical findings, each with the first element that it concerns. Other frames are not looked at. */
export async function seriousFindings(of: Page | Frame): Promise<string[]> {
  // The page's policy does not concern what a debugger evaluates.
  await of.evaluate(source)
  const found = (await of.evaluate(
    'axe.run(document, { iframes: false }).then(({ violations }) => violations)',
  )) as Finding[]
  return found
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 160)}`)
}
