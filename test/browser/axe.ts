// What axe finds wrong with the accessibility of a page or a frame. Other frames are not looked at.
import fs from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Frame, Page } from 'playwright-core'

const source = fs.readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')
type Finding = { id: string; impact: string | null; nodes: { html: string }[] }

/** Colours are read after they have faded in. Animations without an end are not waited for. */
const settled = `Promise.allSettled(document.getAnimations()
  .filter((one) => one.effect.getComputedTiming().endTime !== Infinity)
  .map((one) => one.finished))`

async function findings(of: Page | Frame): Promise<Finding[]> {
  await of.evaluate(`${settled}.then(() => {})`)
  // The policy of a page does not apply to what its debugger evaluates.
  if (await of.evaluate("typeof axe === 'undefined'")) await of.evaluate(source)
  return (await of.evaluate('axe.run(document, { iframes: false }).then(({ violations }) => violations)')) as Finding[]
}

const lineOf = ({ id, impact, nodes }: Finding): string => `${id} (${impact}): ${nodes[0]?.html.slice(0, 200)}`

/** All findings as lines: rule, impact and the first element. */
export const axeFindings = async (of: Page | Frame): Promise<string[]> => (await findings(of)).map(lineOf)

/** Only what keeps people from using it. */
export const seriousFindings = async (of: Page | Frame): Promise<string[]> =>
  (await findings(of)).filter(({ impact }) => impact === 'serious' || impact === 'critical').map(lineOf)
