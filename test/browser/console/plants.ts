// What goes wrong for the checks of Attention: each trouble is planted once, through the API, the simulators or SQL,
// and says how an operator ends it.
import assert from 'node:assert/strict'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Locator, Page } from 'playwright-core'
import { client } from '../../../client/client.ts'
import { newId } from '../../../entities/kit/ids.ts'
import { database } from '../../kit/shop.ts'
import { json, operatorOf, paidOrder, sim, stuckRefund } from '../orders.ts'
import { until } from '../until.ts'
import { ownStore } from './own-stores.ts'
import { type Console, closed, form, inBusiness, inStore, main, press } from './pages.ts'

/** An item is open in the page. */
export type Shown = { on: Console; page: Page; article: Locator }
/** `root`: of the store or business in the console. `about`: the id of the item, or of the record that it is about. */
export type Planted = { root: string; kind: string; about: string; end(shown: Shown): Promise<void> }

/** Follows the link to the form of the request that mends what is wrong. */
async function mend({ page, article }: Shown, summary: string): Promise<void> {
  await article.getByRole('link', { name: summary, exact: true }).click()
  await form(page).getByRole('button', { name: 'Cancel' }).waitFor()
}

/** Records what was found, in the form of the item. */
export async function record(article: Locator, choice: string, note = 'Looked it up.'): Promise<void> {
  await article.getByRole('radio', { name: choice }).check()
  await article.getByLabel('Note').fill(note)
  await article.getByRole('button', { name: 'Record it' }).click()
  await article.getByText('This is done').waitFor()
}
const recording =
  (choice: string) =>
  ({ article }: Shown) =>
    record(article, choice)

const update = (text: string, values: unknown[]) => database().query(text, values)

const unknownRefundOf = async (on: Console): Promise<Planted> => ({
  root: inStore(on, ''),
  kind: 'refund',
  about: (await stuckRefund(on)).id,
  end: recording('It was not carried out'),
})

/** A cancelled order whose refund the provider refused. */
async function refundDue(on: Console): Promise<Planted> {
  const order = await paidOrder(on)
  await update(`update orders set status = 'cancelled', cancelled_at = updated_at where id = $1`, [order.id])
  await sim(on.stripe, '/faults', {
    ...{ fault: 'status', status: 402, method: 'POST', path: '/v1/refunds' },
    ...{ body_match: order.intent, times: 1 },
  })
  const { id } = await operatorOf(on)('POST /v1/stores/{storeId}/orders/{orderId}/refunds', {
    path: { storeId: on.store_id, orderId: order.id },
    body: { refund_id: newId(), amount: order.total },
  })
  return {
    root: inStore(on, ''),
    kind: 'refund_due',
    about: id,
    async end(shown) {
      const { page } = shown
      await mend(shown, 'Refund a payment')
      await form(page)
        .getByLabel('Amount')
        .fill(String(order.total / 100))
      await press(page, 'Refund')
      await closed(page)
    },
  }
}

/** It is answered at the provider; the page that is open learns of it by itself. */
async function disputed(on: Console): Promise<Planted> {
  const order = await paidOrder(on)
  const dispute = (status: string) => sim(on.stripe, `/payments/${order.intent}/dispute`, { status })
  await dispute('needs_response')
  return {
    root: inStore(on, ''),
    kind: 'dispute',
    about: order.id,
    async end({ article }) {
      await article.getByText(/^Due \d/).waitFor()
      await article.getByText(/^Answer it in the dashboard of the payment provider before the deadline/).waitFor()
      await dispute('won')
      await article.getByText('This is done').waitFor()
    },
  }
}

async function pausedCampaign(on: Console): Promise<Planted> {
  const path = { storeId: on.store_id }
  const call = operatorOf(on)
  const { items } = await call('GET /v1/stores/{storeId}/campaigns', { path, query: { query: 'Spring' } })
  const { id } = await call('POST /v1/stores/{storeId}/campaigns/{id}/duplicate', {
    path: { ...path, id: items[0]?.id ?? '' },
    body: { name: `Bounced ${Date.now()}` },
  })
  await update(
    `update campaigns
     set status = 'paused', begun_at = updated_at, paused_reason = '{"code": "too_many_bounces", "message": "Too many bounced."}'
     where id = $1`,
    [id],
  )
  return {
    root: inStore(on, ''),
    kind: 'campaign',
    about: id,
    async end(shown) {
      await mend(shown, 'Resume a paused campaign')
      await press(shown.page, 'Resume')
      await closed(shown.page)
    },
  }
}

async function disabledWebhook(on: Console): Promise<Planted> {
  const { id } = await operatorOf(on)('POST /v1/stores/{storeId}/webhooks', {
    path: { storeId: on.store_id },
    body: {
      key: `gone-${Date.now()}`,
      url: 'http://127.0.0.1:9/in',
      events: [{ event: 'account.updated' }],
    },
  } as never)
  await update(`update webhooks set enabled = false, disabled_reason = 'gone' where id = $1`, [id])
  return {
    root: inStore(on, ''),
    kind: 'webhook',
    about: id,
    async end(shown) {
      const { page } = shown
      await mend(shown, 'Update a webhook')
      await form(page).getByRole('switch', { name: 'Enabled' }).check()
      await press(page, 'Save')
      await closed(page)
    },
  }
}

const connectionOf = async (on: Console, type: 'network_b_business' | 'network_d_account') => {
  const { items } = await operatorOf(on)('GET /v1/stores/{storeId}/social-connections', {
    path: { storeId: on.store_id },
    query: {},
  })
  const found = items.find((one) => one.type === type)
  assert.ok(found, `the demo store has no account of ${type}`)
  return found
}

async function lapsedConnection(on: Console): Promise<Planted> {
  const { id, name } = await connectionOf(on, 'network_b_business')
  await update(
    `update social_connections set status = 'needs_reconnect', reason = '{"code": "grant_ended", "message": "The grant ended."}' where id = $1`,
    [id],
  )
  return {
    root: inStore(on, ''),
    kind: 'social_connection',
    about: id,
    async end(shown) {
      const { api, browser, social } = shown.on
      const { page, article } = shown
      await article.getByRole('button', { name: 'Connect the Instagram account' }).click()
      await page.waitForURL(/\/v1\/social\/consent\/network_b_business/)
      const consent = page.url()
      // At the network, where the owner of the account is signed in.
      const there = await browser.open([api, social].map((url) => new URL(url).origin))
      await there.page.goto(consent)
      const asks = await there.page.getByRole('link', { name: /^Connect to/ }).getAttribute('href')
      const asked = new URL(String(asks))
      asked.searchParams.set('sim_account', name)
      await there.page.goto(asked.href)
      await there.close()
    },
  }
}

/** A graph whose only request reaches a receiver that breaks the connection. */
async function stuckGraph(on: Console): Promise<Planted> {
  const receiver = http.createServer((request) => request.resume().on('end', () => request.socket.destroy()))
  await new Promise<void>((listening) => receiver.listen(0, '127.0.0.1', listening))
  receiver.unref()
  const { webhook_url } = await operatorOf(on)('POST /v1/stores/{storeId}/workflows', {
    path: { storeId: on.store_id },
    body: {
      key: `stuck-${Date.now()}`,
      nodes: {
        start: { type: 'trigger' },
        tell: { type: 'http', method: 'post', url: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/` },
      },
      edges: [{ source: 'start', target: 'tell', output: 'default' }],
    },
  } as never)
  const begun = await fetch(`${on.api}${new URL(webhook_url).pathname}`, { method: 'POST', headers: json, body: '{}' })
  const execution = (await begun.json()) as { id: string }
  return {
    root: inStore(on, ''),
    kind: 'node_run',
    about: execution.id,
    async end({ article }) {
      await record(article, 'It was carried out')
      receiver.close()
    },
  }
}

/** The network carried it out, did not answer, and lists it later than it is looked for. */
async function unknownPost(on: Console): Promise<Planted> {
  const call = operatorOf(on)
  const path = { storeId: on.store_id }
  const connection = await connectionOf(on, 'network_d_account')
  const caption = `Is it there? ${newId()}`
  await sim(on.social, '/settings', { network: 'd', account: connection.name, lag_s: 120 })
  await sim(on.social, '/faults', {
    ...{ path: '/api.x.com/2/tweets', fault: 'reset_after_read' },
    ...{ body_match: caption.slice(-12), after_effect: true },
  })
  const { publication } = await call('POST /v1/stores/{storeId}/social-publications', {
    path,
    body: { social_connection_id: connection.id, content: { type: 'network_d_account', caption } },
  })
  await call('POST /v1/stores/{storeId}/social-publications/{id}/schedule', {
    path: { ...path, id: publication.id },
    body: { scheduled_at: Math.floor(Date.now() / 1000) },
  })
  return {
    root: inStore(on, ''),
    kind: 'social_reveal',
    about: publication.id,
    end: recording('It was published'),
  }
}

/** A store that offers a product, and has no method of payment. */
async function unreadyStore(on: Console): Promise<Planted> {
  const { id, call } = await ownStore(on, 'unready')
  await call('POST', '/products', {
    key: 'voucher',
    variants: [{ requires_shipping: false, prices: [{ market: 'us', amount: 100 }] }],
  })
  await update(`update markets set payment_methods = '[]' where tenant_id = $1`, [id])
  return {
    root: `/stores/${id}`,
    kind: 'readiness',
    about: id,
    async end({ page, article }) {
      await article.getByRole('link', { name: 'See what is missing' }).click()
      const line = main(page).getByRole('listitem').filter({ hasText: 'Add a method of payment to a market.' })
      await line.getByRole('link', { name: 'Mend' }).click()
      await press(page, 'Add payment method')
      const methods = form(page).getByRole('group', { name: 'Payment methods' })
      await methods.getByRole('textbox', { name: 'Key' }).fill('cash')
      await methods.getByRole('combobox', { name: 'Type' }).click()
      await page.getByRole('option', { name: 'Cash' }).click()
      await press(page, 'Save')
      await closed(page)
    },
  }
}

/** A booking of the demo business that was approved, and whose capture was not answered. */
async function unknownCapture(on: Console): Promise<Planted> {
  const call = operatorOf(on)
  const path = { businessId: on.business_id }
  const { publishableKey } = await call('GET /v1/businesses/{businessId}', { path })
  const visitor = client({ base: on.api, publishableKey })
  const { items: services } = await call('GET /v1/businesses/{businessId}/services', { path })
  const service = services.find(({ key }) => key === 'colour')
  const month = new Date(Date.now() + 40 * 86_400_000).toISOString().slice(0, 7)
  const { providers } = await visitor('GET /v1/businesses/{businessId}/bookings/availability', {
    path,
    query: { serviceId: service?.id ?? '', month },
  })
  const chosen = providers.find(({ days }) => days.length > 0)
  const [slot] = chosen?.days[0]?.slots ?? []
  assert.ok(service && chosen && slot, 'no slot is free')
  const { booking, paymentAction } = await visitor('POST /v1/businesses/{businessId}/bookings/checkout', {
    path,
    body: {
      items: [{ serviceId: service.id, providerId: chosen.providerId, slots: [{ from: slot.from, to: slot.to }] }],
      paymentMethodId: 'credit_card',
      email: 'ada@tillwright.test',
    },
  })
  const session = 'clientSecret' in paymentAction ? paymentAction.clientSecret.split('_secret_')[0] : ''
  await sim(on.stripe, `/checkout_sessions/${session}/pay`, { outcome: 'succeeded' })
  const at = { path: { ...path, id: booking.id } }
  const intent = await until('the authorisation', async () => {
    const { payment } = await call('GET /v1/businesses/{businessId}/bookings/{id}', at)
    return payment.status === 'authorized' && (payment.providerPaymentId ?? false)
  })
  await sim(on.stripe, '/faults', {
    ...{ fault: 'reset_after_read', method: 'POST', path: `/v1/payment_intents/${intent}/capture` },
    ...{ after_effect: false, times: 1 },
  })
  await assert.rejects(
    call('PUT /v1/businesses/{businessId}/bookings/{id}', { ...at, body: { status: 'CONFIRMED' } }),
    {
      code: 'capture_unknown',
    },
  )
  return {
    root: inBusiness(on, ''),
    kind: 'authorization_end',
    about: booking.id,
    end: recording('It was carried out'),
  }
}

/** In the order in which they are ended: the last ones take the longest to come. */
export const plants = {
  'an unknown refund': unknownRefundOf,
  'a refund that is due': refundDue,
  'a dispute': disputed,
  'a paused campaign': pausedCampaign,
  'a disabled webhook': disabledWebhook,
  'a connection to renew': lapsedConnection,
  'a store that cannot sell': unreadyStore,
  'a stuck graph': stuckGraph,
  'an unknown capture of a business': unknownCapture,
  'an unknown post': unknownPost,
} satisfies Record<string, (on: Console) => Promise<Planted>>
export type Trouble = keyof typeof plants
export const troubles = Object.keys(plants) as Trouble[]

let planting: Record<Trouble, Promise<Planted>> | undefined
/** All of them at once, the first time that one is wanted. */
export function planted(on: Console, trouble: Trouble): Promise<Planted> {
  planting ??= Object.fromEntries(
    troubles.map((one) => {
      const work = plants[one](on)
      // It is reported by the check that needs it.
      work.catch(() => {})
      return [one, work]
    }),
  ) as Record<Trouble, Promise<Planted>>
  return planting[trouble]
}

/** A refund whose worker was killed while it waited: its deadline passed a minute ago, and no answer was recorded. */
export async function overdueRefund(on: Console, amount = 100): Promise<string> {
  const { id } = await stuckRefund(on, amount)
  await update(
    `update refunds
     set created_at = created_at - 60, claimed_at = claimed_at - interval '60 s', sent_at = sent_at - interval '60 s',
       deadline_at = deadline_at - interval '60 s', settled_at = deadline_at - interval '60 s', answered_at = null
     where id = $1`,
    [id],
  )
  return id
}

/** A refund whose outcome was unknown, until events said that it was carried out, and then that it was not. */
export async function replacedRefund(on: Console): Promise<string> {
  const { id } = await stuckRefund(on)
  await update(
    `update refunds
     set status = 'rejected', error = '{"code": "refund_failed", "message": "The bank sent it back."}',
       evidence = '{"event": "evt_third"}', settled_at = settled_at + interval '0.2 s',
       replaced = jsonb_build_array(
         jsonb_build_object(
           'slot', 'settled', 'at', (extract(epoch from settled_at) * 1000)::bigint, 'attempt', attempt,
           'answered_ms', (extract(epoch from answered_at) * 1000)::bigint, 'status', status, 'error', error,
           'evidence', evidence
         ),
         jsonb_build_object(
           'slot', 'settled', 'at', (extract(epoch from settled_at) * 1000)::bigint + 100, 'attempt', attempt,
           'answered_ms', null, 'status', 'succeeded', 'error', null, 'evidence', '{"event": "evt_second"}'::jsonb
         )
       )
     where id = $1`,
    [id],
  )
  return id
}
