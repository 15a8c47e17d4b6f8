// What a person has to do: every planted trouble is found under Attention and ended there, what was found is recorded
// once, and each scope has its list.
import assert from 'node:assert/strict'
import type { Locator, Page } from 'playwright-core'
import type { AttentionItem } from '../../../client/client.ts'
import { newId } from '../../../entities/kit/ids.ts'
import { database } from '../../kit/shop.ts'
import { type Refund, stuckRefund } from '../orders.ts'
import { until } from '../until.ts'
import { quiet } from '../window.ts'
import { ownStore } from './own-stores.ts'
import {
  type Check,
  type Console,
  elsewhere,
  follow,
  form,
  inBusiness,
  inStore,
  loseAnswer,
  main,
  open,
  operator,
  tabTo,
} from './pages.ts'
import { planted, record, troubles } from './plants.ts'

/** Without the marks of code, as the console shows it. */
const plain = (text: string) => text.replaceAll('`', '')

/** The item of a kind that is about this, as the API lists it. */
async function itemOf(on: Console, kind: string, about: string): Promise<AttentionItem | undefined> {
  const { items } = await operator(on)('GET /v1/attention', { query: { kind, limit: 100 } } as never)
  return items.find(({ id, subject }) => id === about || subject.id === about)
}

export const linkOf = (page: Page, { title }: Pick<AttentionItem, 'title'>) =>
  main(page).getByRole('link', { name: plain(title) })

/** Opens the item from the list. */
async function openItem(on: Console, page: Page, root: string, item: AttentionItem): Promise<Locator> {
  await open(on, `${root}/attention`, page)
  await linkOf(page, item).click()
  await page
    .getByRole('article', { name: plain(item.title) })
    .getByText('What to do')
    .waitFor()
  // It is called otherwise when its outcome is recorded.
  return page.getByRole('article')
}

const itemOfRefund = (on: Console, { id }: Refund) =>
  until('the item', async () => (await itemOf(on, 'refund', id)) ?? false)

/** A process of the demo business that could not be started. */
async function parkedStart(on: Console): Promise<string> {
  const id = newId()
  await database().query(
    `insert into outbox (id, tenant_id, kind, row_id, parked, tries, error) values ($1, $2, 'script', $3, true, 20, '3: No.')`,
    [id, on.business_id, newId()],
  )
  return id
}
const endStart = (id: string) => database().query('delete from outbox where id = $1', [id])

/** What is shown is read again when its window is looked at. */
const readAgain = (page: Page) => page.evaluate(`dispatchEvent(new Event('visibilitychange'))`)

/** How often an outcome was recorded, by the timeline of the refund. */
async function recordedOutcomes(on: Console, { id }: Refund): Promise<string[]> {
  const { items } = await operator(on)('GET /v1/stores/{storeId}/timeline', {
    path: { storeId: on.store_id },
    query: { subject: `refund:${id}` },
  })
  return items.flatMap(({ kind, details }) => (kind === 'resolved' ? String(details.outcome) : []))
}

const troubleChecks = troubles.map(
  (trouble): Check => [
    `${trouble} is found under Attention, and ended in the console alone`,
    async (on) => {
      const { page } = on.window
      const { root, kind, about, end } = await planted(on, trouble)
      const item = await until('the item', async () => (await itemOf(on, kind, about)) ?? false)
      const article = await openItem(on, page, root, item)
      await end({ on, page, article })
      await until('the end of the item', async () => (await itemOf(on, kind, about)) === undefined)
      await open(on, `${root}/attention`)
      assert.equal(await linkOf(page, item).count(), 0)
      // An item that was mended while it is open is none any more.
      quiet(on.window, [], ['404 /v1/stores/…/attention/…', '404 /v1/businesses/…/attention/…'])
      return plain(item.title)
    },
  ],
)

const formChecks: Check[] = [
  [
    'what was found is recorded once: after a reload, a lost answer and a double click',
    async (on) => {
      const { page } = on.window
      const refund = await stuckRefund(on)
      const article = await openItem(on, page, inStore(on, ''), await itemOfRefund(on, refund))
      const note = 'The dashboard shows no such refund.'
      await article.getByRole('radio', { name: 'It was not carried out' }).check()
      await article.getByLabel('Note').fill(note)
      await page.reload()
      await article.getByText('What to do').waitFor()
      assert.equal(await article.getByLabel('Note').inputValue(), note)
      assert.equal(await article.getByRole('radio', { name: 'It was not carried out' }).isChecked(), true)
      await page.route('**/attention/*/resolve', loseAnswer)
      await article.getByRole('button', { name: 'Record it' }).click()
      await article.getByText('No answer arrived', { exact: true }).waitFor()
      await page.unroute('**/attention/*/resolve')
      let sent = 0
      page.on('request', (request) => {
        if (request.method() === 'POST' && request.url().endsWith('/resolve')) sent++
      })
      await article.getByRole('button', { name: 'Record it' }).dblclick()
      await article.getByText('This is done').waitFor()
      assert.deepEqual([sent, await recordedOutcomes(on, refund)], [1, ['rejected']])
      // Later it is found again, and corrected.
      await open(on, inStore(on, '/attention'))
      await page.getByRole('link', { name: 'Recently resolved' }).click()
      await main(page).locator(`a[href*="${refund.id}"]`).click()
      const correct = article.getByRole('button', { name: 'Correct what was recorded' })
      await correct.click()
      await article.getByRole('radio', { name: 'It was carried out' }).check()
      assert.equal(await article.getByRole('radio').count(), 1)
      await article.getByLabel('Note').fill('The bank shows it.')
      await page.route('**/attention/*/resolve', loseAnswer)
      await article.getByRole('button', { name: 'Record it' }).click()
      // Its answer is lost as well, and what was recorded is read: the form closes by itself.
      await article.getByText('The bank shows it.').first().waitFor()
      await correct.waitFor()
      await page.unroute('**/attention/*/resolve')
      assert.equal(await article.getByRole('button', { name: 'Record it' }).count(), 0)
      assert.deepEqual(await recordedOutcomes(on, refund), ['succeeded', 'rejected'])
      quiet(on.window, ['ERR_CONNECTION_RESET /v1/stores/…/attention/…/resolve'])
      return note
    },
  ],
  [
    'of two operators who record what they found, the second reads the first record, and nothing is replaced unseen',
    async (on) => {
      const { page } = on.window
      const refund = await stuckRefund(on)
      const item = await itemOfRefund(on, refund)
      const other = await elsewhere(on)
      const theirs = await openItem(on, other.page, inStore(on, ''), item)
      const mine = await openItem(on, page, inStore(on, ''), item)
      await theirs.getByRole('radio', { name: 'It was carried out' }).check()
      await theirs.getByLabel('Note').fill('I see it there.')
      // Before the list is read again.
      await other.page.route('**/v1/attention?**', (route) => route.abort('aborted'))
      await record(mine, 'It was not carried out')
      await theirs.getByRole('button', { name: 'Record it' }).click()
      await theirs.getByRole('alert').waitFor()
      const refusal = await theirs.getByRole('alert').innerText()
      assert.deepEqual(await recordedOutcomes(on, refund), ['rejected'])
      assert.equal(await theirs.getByLabel('Note').inputValue(), 'I see it there.')
      await other.close()
      quiet(on.window)
      return refusal.replaceAll('\n', ' ')
    },
  ],
  [
    'an item that ends by itself says so, wherever it was opened, and nothing can be recorded about it',
    async (on) => {
      const { page } = on.window
      const start = await parkedStart(on)
      // It is in no page of this list.
      await open(on, inBusiness(on, `/attention?status=resolved&item=${start}`))
      const article = page.getByRole('article')
      await article.getByText('What to do', { exact: true }).waitFor()
      await article.getByRole('button', { name: 'Record it' }).waitFor()
      await endStart(start)
      await until('the end', async () => {
        await readAgain(page)
        return (await article.getByText('It has left the list.').count()) > 0
      })
      assert.equal(await article.getByText('What to do', { exact: true }).count(), 0)
      assert.equal(await article.getByRole('button', { name: /Record it|Correct/ }).count(), 0)
      // From here on it is asked for no longer.
      await open(on, inBusiness(on, '/attention'))
      quiet(on.window, ['404 /v1/businesses/…/attention/…'])
      return 'it has left the list'
    },
  ],
  [
    'an item that left the list is done only when it is read to be',
    async (on) => {
      const { page } = on.window
      const refund = await stuckRefund(on)
      const item = await itemOfRefund(on, refund)
      const article = await openItem(on, page, inStore(on, ''), item)
      const address = `**/attention/${refund.id}`
      await page.route(address, (route) => route.abort('connectionrefused'))
      await operator(on)('POST /v1/stores/{storeId}/attention/{id}/resolve', {
        path: { storeId: on.store_id, id: refund.id },
        body: { outcome: 'rejected', note: 'Recorded elsewhere.' },
      })
      await until('the list without it', async () => {
        await readAgain(page)
        return (await linkOf(page, item).count()) === 0
      })
      await page.getByText('The API does not answer').waitFor()
      assert.equal(await article.getByText('What to do', { exact: true }).count(), 1)
      assert.equal(await article.getByText('This is done').count(), 0)
      await page.unroute(address)
      await article.getByText('Recorded elsewhere.').first().waitFor()
      await article.getByText('This is done').waitFor()
      quiet(on.window, ['ERR_CONNECTION_REFUSED /v1/stores/…/attention/…'])
      return plain(item.title)
    },
  ],
  [
    'what was recorded is said at once, and its form is not shown empty, until the item is read again',
    async (on) => {
      const { page } = on.window
      const refund = await stuckRefund(on)
      const article = await openItem(on, page, inStore(on, ''), await itemOfRefund(on, refund))
      await article.getByRole('radio', { name: 'It was not carried out' }).check()
      await article.getByLabel('Note').fill('There is none.')
      let isHeld = true
      const held: (() => void)[] = []
      await page.route('**/attention**', async (route) => {
        if (isHeld && route.request().method() === 'GET') await new Promise<void>((go) => held.push(go))
        await route.fallback()
      })
      await article.getByRole('button', { name: 'Record it' }).click()
      await article.getByText('Recorded.', { exact: true }).waitFor()
      assert.equal(await article.getByRole('radio').count(), 0)
      assert.equal(await article.getByText('This is done').count(), 0)
      isHeld = false
      for (const go of held) go()
      await article.getByText('This is done').waitFor()
      assert.equal(await article.getByText('Recorded.', { exact: true }).count(), 0)
      await page.unroute('**/attention**')
      quiet(on.window)
      return 'Recorded.'
    },
  ],
  [
    'times of Attention name their zone',
    async (on) => {
      const { page } = on.window
      const refund = await stuckRefund(on)
      const { timezone } = await operator(on)('GET /v1/stores/{storeId}', { path: { storeId: on.store_id } })
      const article = await openItem(on, page, inStore(on, ''), await itemOfRefund(on, refund))
      const shown = [main(page).getByText(/^Looked at/), article.getByText(/^Since/)]
      for (const one of shown) assert.match(await one.innerText(), new RegExp(`\\d:\\d\\d.* \\(${timezone}\\)$`))
      quiet(on.window)
      return timezone
    },
  ],
  [
    'an unknown refund is resolved by the keyboard alone',
    async (on) => {
      const { page } = on.window
      const refund = await stuckRefund(on)
      const item = await itemOfRefund(on, refund)
      await open(on, inStore(on, '/attention'))
      await tabTo(page, linkOf(page, item))
      await page.keyboard.press('Enter')
      const article = page.getByRole('article')
      await article.getByText('What to do').waitFor()
      await tabTo(page, article.getByRole('radio').first())
      // A group of radios is one stop; arrows choose within it.
      await page.keyboard.press('Space')
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('Tab')
      assert.equal(
        await article.getByLabel('Note').evaluate((element) => element === element.ownerDocument.activeElement),
        true,
      )
      await page.keyboard.type('Looked it up.')
      await tabTo(page, article.getByRole('button', { name: 'Record it' }))
      await page.keyboard.press('Enter')
      await article.getByText('This is done').waitFor()
      const recorded = await recordedOutcomes(on, refund)
      assert.equal(recorded.length, 1)
      quiet(on.window)
      return recorded.join()
    },
  ],
]

const scopeChecks: Check[] = [
  [
    'the lists of all stores and businesses, of the installation and of a business show what belongs to them',
    async (on) => {
      const { page } = on.window
      const refund = await stuckRefund(on)
      const item = await itemOfRefund(on, refund)
      await open(on, '/attention')
      await linkOf(page, item).click()
      await page
        .getByRole('article', { name: plain(item.title) })
        .getByText('What to do')
        .waitFor()
      const start = await parkedStart(on)
      for (const path of ['/platform/attention', inBusiness(on, '/attention')]) {
        await open(on, path)
        assert.equal(await linkOf(page, item).count(), 0, path)
        await main(page).locator(`a[href*="${start}"]`).click()
        const article = page.getByRole('article')
        await article.getByRole('button', { name: 'Record it' }).waitFor()
      }
      await endStart(start)
      // A link to the item of another store.
      await open(on, inBusiness(on, `/attention?item=${refund.id}`))
      await main(page).getByRole('alert').waitFor()
      assert.equal(await page.getByRole('article').count(), 0)
      quiet(on.window, ['404 /v1/businesses/…/attention/…'])
      return plain(item.title)
    },
  ],
  [
    'a business has its overview, drawn by what is chosen, and the timeline of an order',
    async (on) => {
      const { page } = on.window
      await open(on, inBusiness(on, '/overview'))
      await main(page).getByText('What is needed to sell').waitFor()
      for (const heading of ['Bookings of today', 'Publications due'])
        await main(page).getByRole('heading', { name: heading }).waitFor()
      await planted(on, 'an unknown capture of a business')
      for (const what of ['Orders', 'Bookings']) {
        await page.getByRole('combobox', { name: 'What is shown by day' }).click()
        await page.getByRole('option', { name: what }).click()
        await main(page)
          .getByRole('heading', { name: `${what} by day` })
          .waitFor()
      }
      await page.reload()
      await main(page).getByRole('heading', { name: 'Bookings by day' }).waitFor()
      await page.locator('.recharts-surface').first().waitFor()
      const { items } = await operator(on)('GET /v1/businesses/{businessId}/orders', {
        path: { businessId: on.business_id },
        query: {},
      })
      const order = items[0]?.id ?? (await planted(on, 'an unknown capture of a business')).about
      await open(on, inBusiness(on, `/timeline?subject=order:${order}`))
      const entries = main(page).getByRole('listitem')
      await entries.first().waitFor()
      quiet(on.window)
      return `${await entries.count()} entries`
    },
  ],
  [
    'what other stores wait for is counted on an empty list and in the menu of stores',
    async (on) => {
      const { page } = on.window
      await stuckRefund(on)
      const { id } = await ownStore(on, 'empty')
      const counts = async () => {
        const { items } = await operator(on)('GET /v1/attention', { query: { limit: 100 } })
        const own = items.filter(({ tenant }) => tenant?.id === on.store_id)
        return [items.filter(({ tenant }) => tenant?.id !== id).length, own.length] as const
      }
      await open(on, `/stores/${id}/attention`)
      const others = main(page).getByRole('link', { name: /in your other stores and businesses$/ })
      await others.waitFor()
      // Other items may come or end meanwhile.
      await until('the count of all others', async () => {
        await readAgain(page)
        return (await others.innerText()).startsWith(`${(await counts())[0]} item`)
      })
      await page.getByRole('button', { name: /^empty/i }).click()
      const demo = page.getByRole('menuitem', { name: /^Demo store/ })
      await until('the count of the store', async () => {
        await readAgain(page)
        return (await demo.locator('b').innerText()).trim() === String((await counts())[1])
      })
      assert.equal(
        await page
          .getByRole('menuitem', { name: /^empty/i })
          .locator('b')
          .count(),
        0,
      )
      await page.keyboard.press('Escape')
      await others.click()
      await page.waitForURL(/\/console\/attention$/)
      quiet(on.window)
      return (await counts()).join(' and ')
    },
  ],
  [
    'a new store says that nothing has to be done, and each thing that it lacks leads to a form that mends it',
    async (on) => {
      const { page } = on.window
      const { id } = await ownStore(on, 'calm')
      await open(on, `/stores/${id}/attention`)
      await main(page).getByText('Nothing needs you').waitFor()
      await main(page)
        .getByText(/^The list has no item\. Looked at \d/)
        .waitFor()
      const overview = `/stores/${id}/overview`
      await open(on, overview)
      // Without sales, the axis has no other amount.
      const amounts = page.locator('.recharts-surface text').filter({ hasText: '$' })
      await amounts.first().waitFor()
      assert.deepEqual(await amounts.allTextContents(), ['$0.00'])
      const mends = main(page).getByRole('listitem').getByRole('link', { name: 'Mend' })
      await mends.first().waitFor()
      const count = await mends.count()
      for (let at = 0; at < count; at++) {
        await follow(page, overview)
        await mends.nth(at).click()
        await form(page).getByRole('button', { name: 'Cancel' }).waitFor()
        assert.equal(await form(page).getByRole('alert').count(), 0, page.url())
      }
      assert.ok(count > 5)
      quiet(on.window)
      return `${count} forms`
    },
  ],
]

export const attentionChecks: Check[] = [...troubleChecks, ...formChecks, ...scopeChecks]
