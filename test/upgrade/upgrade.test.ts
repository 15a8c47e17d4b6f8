// A database of an older version is migrated and works: every record is readable as documented, encrypted values
// decrypt under the old key, searches find its records, and a visitor can buy.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals'
import { Ajv2020 } from 'ajv/dist/2020.js'
import pg from 'pg'
import { document } from '../../api/document.ts'
import type { Route } from '../../api/kit/route.ts'
import { routes as table } from '../../api/routes.ts'
import { type Process, script } from '../../dev/parts.ts'
import { type Api, type Stack, startStack } from '../../dev/stack.ts'
import { type Orm, openOrm } from '../../entities/kit/database/orm.ts'
import { decrypt } from '../../entities/kit/encrypted.ts'
import { sealedColumns } from '../../entities/platform/sealed-columns.ts'
import { signIn, until } from '../kit/codes.ts'
import { sendEvent, sim } from '../kit/orders/buying.ts'
import { type Answer, http, type Method } from '../kit/shop.ts'
import { recordings, restore } from './recording.ts'

jest.setTimeout(180_000)

const recorded = recordings()
const migrations = fs
  .readdirSync(new URL('../../entities/migrations', import.meta.url))
  .map((file) => file.replace('.ts', ''))

let stack: Stack
beforeAll(async () => {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), `tillwright-test-${process.pid}-upgrade-`))
  stack = await startStack({ dir, fast: true, parts: ['postgres', 'temporal', 'stripe', 'mail'] })
  Object.assign(process.env, stack.env, { TEST_STRIPE_CONTROL: stack.urls.stripe_control, TEST_MAIL: stack.urls.mail })
  // This process reads its settings once: they include the key of each recording.
  process.env.SECRETS_KEY = recorded.map(({ about }) => about.secrets_key).join(',')
})
afterAll(() => stack.stop())

test('There are databases of older versions, one of them before the last two migrations', () => {
  expect(recorded.map(({ name }) => name).filter((name) => !migrations.includes(name))).toEqual([])
  expect(recorded.length).toBeGreaterThanOrEqual(2)
  expect(migrations.indexOf(recorded[0]?.name ?? '')).toBeLessThanOrEqual(migrations.length - 3)
})

const routes = (table as readonly Route[]).filter(
  ({ method, path: at }) => method === 'GET' && /^\/v1\/(stores\/\{\w+\}\/|accounts)/.test(at),
)
/**
 * The paths of a refund and of a message of a research use the id that its caller chose. A reply of the model is read
 * with the message that it answers.
 */
type Listed = { id?: string; refund_id?: string; message_id?: string; role?: string }
const ajv = new Ajv2020({ strict: false, validateFormats: false })
ajv.addSchema({ $id: 'document', ...(JSON.parse(JSON.stringify(document())) as object) })
const pointer = (at: string) =>
  at.replaceAll('~', '~0').replaceAll('/', '~1').replaceAll('{', '%7B').replaceAll('}', '%7D')

/** Resources that the demo store of that version did not have. It has all others. */
const members = 'audiences/{audienceId}/members'
const payments = [`${members}/{memberId}/payments`, `${members}/{memberId}/payments/{paymentId}`]
const refunds = [`${members}/{memberId}/refunds`, `${members}/{memberId}/payments/{paymentId}/refunds/{refundId}`]
const audiences = [
  'audiences/{id}',
  members,
  `${members}/{memberId}`,
  'audiences/{audienceId}/tiers',
  'audiences/{audienceId}/tiers/{id}',
  ...payments,
  ...refunds,
]
const campaigns = [
  ...[
    'campaigns/{id}',
    'campaigns/{id}/enrollments',
    'campaigns/{id}/messages',
    'campaigns/{id}/imports',
    'campaigns/{id}/imports/{importId}',
  ],
  ...['campaign-enrollments/{id}', 'campaign-enrollments/{id}/messages', 'campaign-messages/{id}'],
]
const [run, posts] = ['lead-research/runs/{runId}', 'social-publications/{publicationId}']
const social = [
  ...[
    'social-connections/{id}',
    'social-publications/{id}',
    'social-publications/engagement/syncs/{id}',
    `${posts}/metrics`,
    `${posts}/comments`,
  ],
  ...[`${posts}/comments/{commentId}/thread`, `${posts}/comments/{commentId}/replies/{replyId}`],
]
const research = [run, `${run}/messages`, `${run}/messages/{messageId}`, `${run}/sources`, `${run}/sources/{sourceId}`]
const rest = [
  'build-hooks/{id}',
  'integrations/{id}',
  'workflow-connections/{id}',
  'orders/{orderId}/shipments/{id}',
  ...campaigns,
  ...social,
  ...research,
]
const usual = [...rest, 'attention/{id}', 'orders/{orderId}/disputes/{disputeId}', ...audiences]
const content = [
  'collections/{id}',
  'entries/{id}',
  'media/{id}',
  'forms/{formId}/submissions/{id}',
  'taxonomies/{id}',
  'taxonomies/{id}/children',
]
const [orders, people, agents] = [
  '20261122000008_names',
  '20261122000014_provisions',
  '20261126000023_social-read-pauses',
]
const absentFrom: Record<string, string[]> = {
  '20261121000003_automation': [...usual, ...content],
  [orders]: [...rest, ...audiences],
  [people]: [...rest, refunds[1] as string],
  [agents]: [
    ...[refunds[1] as string, 'build-hooks/{id}', 'orders/{orderId}/shipments/{id}', 'workflow-connections/{id}'],
    ...['campaign-enrollments/{id}', 'campaign-enrollments/{id}/messages', 'campaign-messages/{id}'],
    ...['social-publications/engagement/syncs/{id}', `${posts}/comments/{commentId}/replies/{replyId}`],
  ],
}

// biome-ignore lint/suspicious/noExplicitAny: rows of every table
type Row = any

describe.each(recorded)('The database of $name', (recording) => {
  const { about, name } = recording
  const operator = { authorization: `Bearer ${about.api_token}` }
  const asOperator = (method: Method, at: string, body?: unknown): Promise<Answer> =>
    http(method, at, { body, headers: operator })
  let [api, worker, db, orm]: [Api?, Process?, pg.Pool?, Orm?] = []
  const rows = async (sql: string, ...values: unknown[]): Promise<Row[]> =>
    (await (db as pg.Pool).query(sql, values)).rows

  beforeAll(async () => {
    const target = new URL(String(stack.env.DATABASE_URL))
    target.pathname = `/before_${name}`
    const env = { DATABASE_URL: target.href, SECRETS_KEY: about.secrets_key }
    const admin = new pg.Client({ connectionString: String(stack.env.DATABASE_URL) })
    await admin.connect()
    await admin.query(`create database "before_${name}"`)
    await admin.end()
    await restore(recording, target.href)
    const migrate = script('entities/migrate.ts', [], { name: 'migrate', env: { ...process.env, ...env } })
    expect([await migrate.ended, migrate.tail()]).toEqual([0, expect.stringMatching(/applied|nothing to apply/)])
    ;[api, worker] = await Promise.all([
      stack.startApi(env),
      stack.startWorker({
        ...env,
        RECONCILE_EVERY_MS: '2000',
        ...(process.env.TEST_BUNDLE ? { WORKFLOW_BUNDLE: process.env.TEST_BUNDLE } : {}),
      }),
    ])
    process.env.TEST_API = api.url
    db = new pg.Pool({ connectionString: target.href, max: 2 })
    orm = await openOrm({ url: target.href, pool: 2 })
  })
  afterAll(async () => {
    await Promise.all([orm?.close(true), db?.end(), api?.stop(), worker?.stop()])
  })

  test('A migrated database equals the schema of the entities', async () => {
    const { rows } = await (db as pg.Pool).query<{ name: string }>('select name from mikro_orm_migrations order by id')
    expect(rows.map((row) => row.name)).toEqual(migrations.sort())
    const changes = (await (orm as Orm).schema.getUpdateSchemaSQL()).split(/;\s*/).map((line) => line.trim())
    expect(changes.filter((line) => line !== '' && !/"(migration_lock|mikro_orm_migrations)"/.test(line))).toEqual([])
  })

  test('A migrated database is readable by its operator, and every answer is as documented', async () => {
    const read = new Map<string, unknown>()
    const wrong: unknown[] = []
    async function look(route: Route, at: string): Promise<unknown> {
      if (read.has(at)) return read.get(at)
      const { status, body } = await asOperator('GET', at.endsWith('/media') ? `${at}?limit=100` : at)
      const ref = `document#/paths/${pointer(route.path)}/get/responses/200/content/application~1json/schema`
      const validate = ajv.getSchema(ref) ?? ajv.compile({ $ref: ref })
      if (status !== 200 || !validate(body)) wrong.push([at, status, status === 200 ? validate.errors : body])
      read.set(at, body)
      return body
    }
    /** Every path of a route here: its parameters are ids of the list above it. */
    async function addresses(pattern: string): Promise<string[]> {
      const at = pattern.replace(/^(\/v1\/stores)\/\{\w+\}/, `$1/${about.store_id}`)
      const [, before, rest] = /^(.*?)\/\{\w+\}(.*)$/.exec(at) ?? []
      if (before === undefined || rest === undefined) return [at]
      const list = routes.find((route) => new RegExp(`^${route.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(before))
      if (!list) return []
      const lists = await addresses(before)
      const ids = await Promise.all(
        lists.map(async (one) => {
          const body = (await look(list, one)) as { items?: Listed[] } | Listed[]
          const named = (Array.isArray(body) ? body : (body.items ?? [])).filter(({ role }) => role !== 'assistant')
          return named.map(({ id, refund_id, message_id }) => `${one}/${refund_id ?? message_id ?? id}${rest}`)
        }),
      )
      return (await Promise.all(ids.flat().map((one) => (one.includes('{') ? addresses(one) : [one])))).flat()
    }
    const nowhere: string[] = []
    for (const route of routes.filter(({ query, out }) => out && (!query || query.safeParse({}).success))) {
      const found = await addresses(route.path)
      if (found.length === 0) nowhere.push(route.path)
      for (const one of found) await look(route, one)
    }
    expect(wrong).toEqual([])
    expect(read.size).toBeGreaterThan(60)
    expect(nowhere.map((at) => at.replace('/v1/stores/{storeId}/', '')).sort()).toEqual(
      // Reactions are of businesses in the recordings.
      [...(absentFrom[name] ?? usual), 'reactions/{id}'].sort(),
    )
  })

  test('A migrated database decrypts under the key that encrypted it', async () => {
    let opened = 0
    for (const { table: at, column } of sealedColumns((orm as Orm).em.fork()).values()) {
      const { rows } = await (db as pg.Pool).query<{ sealed: string }>(
        `select ${column} as sealed from ${at} where ${column} is not null`,
      )
      for (const { sealed } of rows) expect(typeof decrypt(sealed)).toBe('string')
      opened += rows.length
    }
    expect(opened).toBeGreaterThan(10)
  })

  test('A migrated database lets its operator sign in', async () => {
    // Each requests a code of its own, and the catcher keeps them all.
    const session = await signIn(about.email, recorded.indexOf(recording) + 1)
    const { status, body } = await http('GET', '/v1/accounts/me', {
      headers: { authorization: `Bearer ${session.access_token}` },
    })
    expect([status, body.email]).toEqual([200, about.email])
  })

  test('A migrated database is searchable once its values and its search text have their form', async () => {
    const [product] = await rows(
      "update products set key = key || 'e\u0301' where tenant_id = $1 and id = (select max(id::text)::uuid from products where tenant_id = $1) returning id, key",
      about.store_id,
    )
    for (const script of ['normalize-forms', 'reindex-search', 'repair-mixed-writes']) {
      expect((await asOperator('POST', '/v1/platform/scripts', { name: script })).status).toBeLessThan(300)
      await until(
        async () => (await rows(`select 1 from script_runs where status = 'succeeded' and name = $1`, script)).length,
        30_000,
      )
    }
    expect(await rows('select key from products where id = $1', product.id)).toEqual([
      { key: product.key.normalize('NFC') },
    ])
    const { body } = await asOperator('GET', `/v1/stores/${about.store_id}/products`)
    expect(body.items.length).toBeGreaterThan(1)
    for (const { id, key } of body.items) {
      const found = await asOperator('GET', `/v1/stores/${about.store_id}/products?query=${key.split('-')[0]}`)
      expect(found.body.items.map((one: { id: string }) => one.id)).toContain(id)
    }
  })

  const event = (type: string, account: string, object: Record<string, unknown>) =>
    sendEvent({
      id: `evt_${type}_${recorded.indexOf(recording)}_${String(object.id)}`,
      type,
      account,
      data: { object },
    })

  if (name >= orders)
    test('A migrated database goes on with pages, refunds and redeemed codes of orders', async () => {
      expect(
        (
          await rows(
            'select o.contact_id = r.contact_id as same from promo_redemptions r join orders o on o.id = r.order_id',
          )
        ).map(({ same }) => same),
      ).toEqual([true, true, true])
      const [page] = await rows(
        `select p.* from payment_sessions p join orders o on o.id = p.order_id where o.status = 'pending' and p.state = 'open'`,
      )
      const object = {
        ...{
          id: page.provider_session_id,
          object: 'checkout.session',
          status: 'complete',
          payment_status: 'paid',
          metadata: { payment_session: page.id },
        },
        ...{ amount_total: Number(page.amount), currency: 'usd', payment_intent: 'pi_of_the_open_page' },
      }
      expect((await event('checkout.session.completed', page.provider_account_id, object)).status).toBe(200)
      const order = `/v1/stores/${about.store_id}/orders/${page.order_id}`
      expect((await asOperator('GET', `${order}/payment`)).body).toMatchObject({
        status: 'paid',
        captured_amount: Number(page.amount),
      })
      const [refund] = await rows(`select * from refunds where status = 'unknown' and order_id is not null`)
      const resolve = `/v1/stores/${about.store_id}/orders/${refund.order_id}/refunds/${refund.refund_id}/resolve`
      expect((await asOperator('POST', resolve, { outcome: 'succeeded', note: 'seen' })).body).toMatchObject({
        status: 'succeeded',
      })
    })

  if (name >= people)
    test('A migrated database goes on with the memberships that it had', async () => {
      const of = (email: string) =>
        rows(
          `select m.*, s.id as row, s.provider_account_id as account, s.provider_subscription_id as subscription, s.provider_customer_id as customer, s.amount, p.provider_price_id as price
           from contact_channels h join audience_members m on m.contact_id = h.contact_id join subscriptions s on s.member_id = m.id left join audience_prices p on p.id = s.price_id
           where h.address = $1 order by s.id`,
          `${email}@people.test`,
        )
      const member = async (email: string) => (await of(email))[0]
      const live = await member('live')
      const end = Number(live.paid_through_at) + 2_592_000
      const line = {
        ...{
          parent: { subscription_item_details: { subscription: live.subscription, proration: false } },
          pricing: { price_details: { price: live.price } },
        },
        ...{ period: { start: Number(live.paid_through_at), end }, quantity: 1, subtotal: Number(live.amount) },
      }
      const invoice = {
        ...{
          id: 'in_renewal',
          object: 'invoice',
          status: 'paid',
          currency: 'usd',
          amount_paid: Number(live.amount),
          billing_reason: 'subscription_cycle',
        },
        ...{
          customer: live.customer,
          parent: { subscription_details: { subscription: live.subscription, metadata: {} } },
          lines: { has_more: false, data: [line] },
        },
      }
      expect((await event('invoice.paid', live.account, invoice)).status).toBe(200)
      expect(Number((await member('live')).paid_through_at)).toBe(end)

      // The page that could not be closed has expired, which the worker reads: its subscription is given up, and the
      // one that waited is next.
      const waiting = async () =>
        (
          await rows(
            'select status from subscriptions where member_id = $1 order by created_at, id',
            (
              await member('waiting')
            ).id,
          )
        ).map(({ status }) => status)
      expect(await waiting()).toEqual(['pending', 'waiting'])
      const [page] = await rows(
        'select * from payment_sessions where subscription_id = $1',
        (await member('waiting')).row,
      )
      const object = {
        object: 'checkout.session',
        status: 'expired',
        payment_status: 'unpaid',
        amount_total: null,
        currency: null,
        metadata: {},
      }
      const at = `/v1/checkout/sessions/${page.provider_session_id}`
      await sim('POST', '/faults', {
        fault: 'answer',
        method: 'GET',
        path: at,
        times: 100,
        status: 200,
        body: { id: page.provider_session_id, ...object },
      })
      await until(async () => {
        const [first, second] = await waiting()
        return first === 'given_up' && second !== 'waiting'
      }, 60_000)

      // Its grace is over. The simulator is a new one: it does not know the subscription, and the sweep ends the
      // membership.
      await rows(
        `update audience_members set access_until = paid_through_at + 1 where id = $1 returning id`,
        (await member('late')).id,
      )
      await until(async () => (await member('late')).status === 'expired', 60_000)

      const [refund] =
        await rows(`select r.*, s.member_id, m.audience_id from refunds r join subscriptions s on s.id = r.subscription_id join audience_members m on m.id = s.member_id
        where r.status = 'unknown'`)
      const resolve = `/v1/stores/${about.store_id}/audiences/${refund.audience_id}/members/${refund.member_id}/payments/${refund.payment_id}/refunds/${refund.refund_id}/resolve`
      expect((await asOperator('POST', resolve, { outcome: 'rejected', note: 'not there' })).body).toMatchObject({
        status: 'rejected',
      })
    })

  test('A migrated database sells by card, and the event settles the payment', async () => {
    const { body: providers } = await asOperator('GET', `/v1/stores/${about.store_id}/payment-providers`)
    // The simulator is a new one: the account of then is created there.
    await sim('POST', `/accounts/${providers.items[0].account_id}`, {
      charges_enabled: true,
      details_submitted: true,
      payouts_enabled: true,
    })
    const shop = { 'x-service-publishable-key': about.publishable_key }
    const { body: known } = await http('POST', '/v1/storefront/account/identify', {
      body: { email: 'new@tillwright.test' },
      headers: shop,
    })
    const headers = { ...shop, 'x-service-visitor-token': known.visitor_token }
    const { body: goods } = await http('GET', '/v1/storefront/products?query=tea', { headers })
    const { body: cart } = await http('POST', '/v1/storefront/carts/current', { headers })
    const filled = {
      product_items: [{ product_id: goods.items[0].id, variant_id: goods.items[0].variants[0].id, quantity: 1 }],
      shipping_address: {
        name: 'Ada',
        street1: '5 Elm Street',
        city: 'Portland',
        state: 'OR',
        postal_code: '97201',
        country: 'US',
      },
      shipping_method_id: 'us-standard',
    }
    await http('PUT', `/v1/storefront/carts/${cart.id}`, { body: filled, headers })
    const paying = { payment_method_key: 'credit_card', return_url: 'https://shop.example/thanks' }
    const bought = await http('POST', `/v1/storefront/carts/${cart.id}/checkout`, { body: paying, headers })
    expect([bought.status, bought.body.payment_action?.type]).toEqual([200, 'card_embedded_checkout'])
    await sim('POST', `/checkout_sessions/${bought.body.payment_action.client_secret.split('_secret_')[0]}/pay`, {
      outcome: 'succeeded',
    })
    const payment = `/v1/stores/${about.store_id}/orders/${bought.body.order_id}/payment`
    await until(async () => (await asOperator('GET', payment)).body.status === 'paid', 30_000)
  })
})
