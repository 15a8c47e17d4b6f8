// An operator who searches for effects that need attention finds them in the Temporal UI by the filter that the README
// names.
import assert from 'node:assert/strict'
import { type Shop, stuckRefund } from './orders.ts'
import { until } from './until.ts'
import type { Window } from './window.ts'

export type Engine = Shop & { ui: string; window: Window }
type Check = [guarantee: string, prove: (engine: Engine) => Promise<string>]

export const engineChecks: Check[] = [
  [
    'a refund that ended unknown is found in the Temporal UI by ExecutionStatus="Failed" AND EffectStatus="unknown"',
    async (engine) => {
      const { page } = engine.window
      const { id: refund } = await stuckRefund(engine)
      const id = `refund/${refund}`
      const list = (query: string) => `${engine.ui}/namespaces/default/workflows?query=${encodeURIComponent(query)}`
      const rows = page.locator(`a[href*="${refund}"]`)
      const shown = await until('the refund in the list', async () => {
        await page.goto(list('ExecutionStatus="Failed" AND EffectStatus="unknown"'))
        // Temporal lists closed workflows a moment later: then the page is loaded again.
        await rows
          .first()
          .waitFor({ timeout: 20_000 })
          .catch(() => {})
        return (await rows.count()) || undefined
      })
      await page.goto(list('ExecutionStatus="Failed" AND EffectStatus="succeeded"'))
      await page.getByText('No Results').first().waitFor()
      assert.equal(await rows.count(), 0, 'another query shows it too')
      await page.goto(`${engine.ui}/namespaces/default/workflows/${encodeURIComponent(id)}`)
      await page.getByText('Failed').first().waitFor()
      assert.ok(shown > 0)
      const { foreign } = engine.window.take()
      return `${id}${foreign.length > 0 ? `; the UI also wanted ${[...new Set(foreign.map((url) => new URL(url).host))].join(', ')}, in vain` : ''}`
    },
  ],
]
