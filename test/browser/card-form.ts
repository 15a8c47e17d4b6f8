// The simulator's browser library on a page of another origin: its interface is that of Stripe's, and each test card
// does what it says.
import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import type { FrameLocator, Page } from 'playwright-core'
import { listen } from '../../dev/sim/server.ts'
import { seriousFindings } from './axe.ts'
import type { Window } from './window.ts'

export type Cards = { stripe: string; page_origin: string; window: Window }
type Check = [guarantee: string, prove: (cards: Cards) => Promise<string>]

const seller = 'acct_browser'
type Session = { id: string; client_secret: string; url: string | null; status: string }

async function stripe({ stripe }: Cards, path: string, form?: Record<string, string>): Promise<Session> {
  const answer = await fetch(`${stripe}${path}`, {
    method: form ? 'POST' : 'GET',
    headers: {
      ...{ authorization: 'Bearer sk_test_browser', 'stripe-account': seller },
      ...{ 'stripe-version': '2026-10-28.endive', 'content-type': 'application/x-www-form-urlencoded' },
    },
    ...(form ? { body: new URLSearchParams(form) } : {}),
  })
  assert.equal(answer.status, 200, await answer.clone().text())
  return (await answer.json()) as Session
}

const session = (cards: Cards, more: Record<string, string>) =>
  stripe(cards, '/v1/checkout/sessions', {
    ...{ mode: 'payment', ui_mode: 'embedded_page', 'line_items[0][quantity]': '1' },
    ...{ 'line_items[0][price_data][currency]': 'usd', 'line_items[0][price_data][unit_amount]': '1900' },
    ...{ 'line_items[0][price_data][product_data][name]': 'Tea towel', ...more },
  })
const statusOf = async (cards: Cards, id: string) => (await stripe(cards, `/v1/checkout/sessions/${id}`)).status

/** A shop of another origin: each of its pages has the library, and `#card` to mount into. */
export async function servePages(stripe: string): Promise<{ server: Server; page_origin: string }> {
  const html = `<!doctype html><html lang="en"><link rel="icon" href="data:,"><title>A shop</title><main id="card"></main><script src="${stripe}/_sim/stripe.js"></script></html>`
  const server = createServer((_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end(html))
  return { server, page_origin: `http://localhost:${await listen(server, 0)}` }
}

async function openPage(cards: Cards): Promise<Page> {
  const { page } = cards.window
  await page.goto(`${cards.page_origin}/checkout`)
  return page
}

async function mount(cards: Cards, secret: string, method = 'createEmbeddedCheckoutPage'): Promise<FrameLocator> {
  const page = await openPage(cards)
  await page.evaluate(
    `(async () => {
      const stripe = Stripe('pk_test_browser', { stripeAccount: '${seller}' })
      window.form = await stripe.${method}({
        fetchClientSecret: async () => '${secret}', onComplete: () => { window.isComplete = true } })
      window.form.mount('#card')
    })()`,
  )
  const frame = page.frameLocator('iframe')
  await frame.getByRole('button', { name: 'Pay $19.00' }).waitFor()
  return frame
}

async function choose(frame: FrameLocator, card: string): Promise<void> {
  await frame.getByLabel(card).check()
  await frame.getByRole('button', { name: 'Pay $19.00' }).click()
}

export const cardChecks: Check[] = [
  [
    'a form that never redirects calls onComplete, and can be unmounted, mounted again and destroyed',
    async (cards) => {
      await fetch(`${cards.stripe}/_sim/accounts/${seller}`, { method: 'POST', body: '{"charges_enabled": true}' })
      const { id, client_secret } = await session(cards, { redirect_on_completion: 'never' })
      const frame = await mount(cards, client_secret, 'initEmbeddedCheckout')
      const { page } = cards.window
      const inner = page.frame({ name: 'embedded-checkout' })
      assert.ok(inner)
      assert.deepEqual(await seriousFindings(inner), [])
      await page.evaluate("window.form.unmount(); window.form.mount(document.getElementById('card'))")
      await frame.getByRole('button', { name: 'Pay $19.00' }).waitFor()
      await choose(frame, 'Accepted')
      await page.waitForFunction('window.isComplete === true')
      await frame.getByText('The payment is complete.').waitFor()
      assert.equal(await statusOf(cards, id), 'complete')
      await page.evaluate('window.form.destroy()')
      assert.equal(await page.locator('iframe').count(), 0)
      return page.url()
    },
  ],
  [
    'a second form at the same time, a wrong key and a wrong secret are refused as by the library',
    async (cards) => {
      const { client_secret } = await session(cards, { redirect_on_completion: 'never' })
      await mount(cards, client_secret)
      const refusal = async (call: string) =>
        (await cards.window.page.evaluate(
          `(async () => { try { await ${call} } catch (error) { return error.name } })()`,
        )) as string
      const refused = [
        await refusal(`Stripe('pk_test_browser').initEmbeddedCheckout({ clientSecret: '${client_secret}' })`),
        await refusal("Stripe('sk_test_browser')"),
      ]
      await cards.window.page.evaluate('window.form.destroy()')
      refused.push(await refusal("Stripe('pk_test_browser').initEmbeddedCheckout({ clientSecret: 'cs_test_1' })"))
      refused.push(await refusal("Stripe('pk_test_browser').initEmbeddedCheckout({})"))
      assert.deepEqual(refused, Array(4).fill('IntegrationError'))
      return 'IntegrationError'
    },
  ],
  [
    'a declined card and a refused confirmation leave the form open, and a confirmed one returns to the page',
    async (cards) => {
      const return_url = `${cards.page_origin}/done?session={CHECKOUT_SESSION_ID}`
      const { id, client_secret } = await session(cards, { return_url })
      const frame = await mount(cards, client_secret)
      await choose(frame, 'Declined')
      await frame.getByText('Your card was declined.').waitFor()
      await choose(frame, 'Asks for confirmation')
      await frame.getByRole('button', { name: 'Refuse it' }).click()
      await frame.getByText('We are unable to authenticate').waitFor()
      assert.equal(await statusOf(cards, id), 'open')
      await choose(frame, 'Asks for confirmation')
      await frame.getByRole('button', { name: 'Confirm the payment' }).click()
      await cards.window.page.waitForURL(`${cards.page_origin}/done?session=${id}`)
      assert.equal(await statusOf(cards, id), 'complete')
      return 'declined, refused, confirmed'
    },
  ],
  [
    'a slow card shows that it is processed, and cannot be paid twice',
    async (cards) => {
      const { client_secret } = await session(cards, { return_url: `${cards.page_origin}/slow` })
      const frame = await mount(cards, client_secret)
      await choose(frame, 'Slow')
      assert.equal(await frame.getByRole('button', { name: 'Processing …' }).isDisabled(), true)
      await cards.window.page.waitForURL(`${cards.page_origin}/slow`)
      return 'one payment'
    },
  ],
  [
    'a hosted checkout and the form of another account open as pages, and nothing breaks the policy',
    async (cards) => {
      const { page } = cards.window
      const hosted = {
        ui_mode: 'hosted_page',
        success_url: `${cards.page_origin}/yes`,
        cancel_url: `${cards.page_origin}/no`,
      }
      const { url } = await session(cards, hosted)
      await page.goto(String(url))
      await page.getByRole('button', { name: 'Pay $19.00' }).waitFor()
      assert.equal(await page.getByRole('link', { name: 'Back to the shop' }).getAttribute('href'), hosted.cancel_url)
      await page.getByRole('button', { name: 'Pay $19.00' }).click()
      await page.waitForURL(hosted.success_url)
      const { foreign, violations } = cards.window.take()
      assert.deepEqual({ foreign, violations }, { foreign: [], violations: [] })
      return String(url).split('#')[0] as string
    },
  ],
]
