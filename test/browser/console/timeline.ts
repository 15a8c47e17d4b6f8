// The timeline of an effect, drawn: what its marks say to those who do not see them.
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { database } from '../../kit/shop.ts'
import { seriousFindings } from '../axe.ts'
import { looksWell } from '../looks.ts'
import { paidOrder } from '../orders.ts'
import { until } from '../until.ts'
import { quiet } from '../window.ts'
import { linkOf } from './attention.ts'
import { type Check, inStore, main, open, operator } from './pages.ts'
import { overdueRefund, record, replacedRefund } from './plants.ts'

const marksOf = (page: Page) => main(page).locator('svg').getByRole('button')

/** What the marks of the first picture say, in their order. */
async function said(page: Page): Promise<string[]> {
  await marksOf(page).first().waitFor()
  return marksOf(page).evaluateAll((all) => all.map((one) => one.getAttribute('aria-label') ?? ''))
}

/** What is written beside the marks of the first picture, and the colour of each. */
async function drawn(page: Page): Promise<[name: string, colour: string][]> {
  await marksOf(page).first().waitFor()
  return marksOf(page).evaluateAll((all) =>
    all.map((one): [string, string] => {
      const body = one.querySelector('[class*="_body_"]')
      const style = body && one.ownerDocument.defaultView?.getComputedStyle(body)
      return [one.querySelector('text')?.textContent ?? '', style?.stroke ?? '']
    }),
  )
}

/** A colour of the theme, as the browser computes it. */
const colour = (page: Page, name: string) =>
  page.evaluate(`(() => {
    const probe = document.body.appendChild(document.createElement('i'))
    probe.style.color = 'var(--mantine-color-${name})'
    const computed = getComputedStyle(probe).color
    probe.remove()
    return computed
  })()`)

/** Fails unless the marks say these, in this order and no other. */
function agree(marks: readonly string[], expected: readonly RegExp[]): void {
  assert.equal(marks.length, expected.length, marks.join('\n'))
  for (const [at, pattern] of expected.entries()) assert.match(marks[at] as string, pattern)
}

const requested = /The refund of .*1\.00.* was requested\.$/
const claimed = /A worker picked up the refund/
const sent = /from here on, the payment provider may have received it\.$/
const silence = /No answer of the payment provider had come by the deadline\.$/
const unknown = /^Deadline passed: unknown, .* cannot be proved: unknown\. It is never sent again\.$/
const late = /A signed event of the payment provider says that it was carried out, after the outcome was recorded\.$/

export const timelineChecks: Check[] = [
  [
    'a deadline that passed, its resolution, evidence that contradicts it and its correction are drawn',
    async (on) => {
      const { page } = on.window
      const id = await overdueRefund(on)
      const subject = inStore(on, `/timeline?subject=refund:${id}`)
      const item = async () => {
        const { items } = await operator(on)('GET /v1/attention', { query: { kind: 'refund', limit: 100 } } as never)
        return items.find((one) => one.id === id)
      }
      await open(on, subject)
      const course = [requested, claimed, sent, silence]
      agree(await said(page), [...course, unknown])
      const doubt = await colour(page, 'orange-6')
      assert.deepEqual((await drawn(page)).slice(3), [
        ['No answer', doubt],
        ['Deadline passed: unknown', doubt],
      ])

      const first = await until('the item', async () => (await item()) ?? false)
      await open(on, inStore(on, '/attention'))
      await linkOf(page, first).click()
      await record(page.getByRole('article'), 'It was not carried out', 'There is none in the dashboard.')
      // The provider's event arrives after all.
      await database().query(
        `update refunds
         set late_evidence = '{"event": "evt_late", "status": "succeeded"}', needs_attention = true,
           late_at = to_timestamp((resolution ->> 'at')::float8 + 0.001)
         where id = $1`,
        [id],
      )
      await open(on, subject)
      agree(await said(page), [...course, unknown, /An operator recorded that it was not carried out\.$/, late])

      const second = await until('the item', async () => (await item()) ?? false)
      assert.match(second.title, /evidence contradicts what was recorded/)
      await open(on, inStore(on, '/attention'))
      await linkOf(page, second).click()
      const article = page.getByRole('article')
      await article.getByText('Known later').waitFor()
      await record(article, 'It was carried out', 'The event is right.')
      await open(on, subject)
      const marks = await said(page)
      agree(marks, [
        ...[...course, unknown],
        /An operator recorded that it was not carried out\. It was corrected later\.$/,
        late,
        /An operator recorded that it was carried out\.$/,
      ])
      assert.deepEqual(await seriousFindings(page), [])

      // Arrows lead from mark to mark, and the caption says what is there.
      const caption = () => main(page).locator('figcaption').first().innerText()
      await marksOf(page).last().focus()
      const last = await caption()
      await page.keyboard.press('ArrowLeft')
      await until('the moment before', async () => (await caption()) !== last)
      quiet(on.window)
      return `${marks.length} moments`
    },
  ],
  [
    'an outcome that later ones replaced is drawn and listed beside each of them',
    async (on) => {
      const { page } = on.window
      const id = await replacedRefund(on)
      await open(on, inStore(on, `/timeline?subject=refund:${id}`))
      const broken = /^No answer, .* ended without an answer\.$/
      const proved = /^Settled, .*: a signed event of the payment provider proves it\./
      agree(await said(page), [...[requested, claimed, sent, broken], /^Unknown, .* cannot be proved/, proved, proved])
      const [doubt, good, bad] = [
        await colour(page, 'orange-6'),
        await colour(page, 'teal-6'),
        await colour(page, 'red-6'),
      ]
      assert.deepEqual((await drawn(page)).slice(4), [
        ['Unknown', doubt],
        ['Settled', good],
        ['Settled', bad],
      ])
      // Each of the two is reported by the provider, after the outcome was recorded.
      assert.equal(await main(page).locator('svg path[data-late]').count(), 2)
      for (const outcome of ['Unknown', 'Succeeded', 'Rejected'])
        await main(page).getByRole('listitem').filter({ hasText: outcome }).first().waitFor()
      await looksWell(page, 'three outcomes')
      quiet(on.window)
      return 'three outcomes'
    },
  ],
  [
    'the timeline of an order is found by its number',
    async (on) => {
      const { page } = on.window
      const { id, number } = await paidOrder(on)
      await open(on, inStore(on, '/timeline'))
      await page.getByRole('combobox', { name: 'Order' }).fill(String(number))
      await page.getByRole('option', { name: String(number) }).click()
      await page.waitForURL((url) => url.searchParams.get('subject') === `order:${id}`)
      await marksOf(page).first().waitFor()
      quiet(on.window)
      return String(number)
    },
  ],
]
