// Each example of the API document is sent to the demo store in order and accepted; each answer matches the document.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { document as documentOf, examples } from '../../api/document.ts'
import { ids } from '../../api/examples/example.ts'
import { type Seeded, seed } from '../../dev/seed/seed.ts'
import { pay, until } from '../kit/orders/buying.ts'
import { type Answer, api, http, type Method } from '../kit/shop.ts'
import { startOauth } from '../kit/social/oauth.ts'
import { goBack, wentOn } from '../kit/social/social.ts'

const document = JSON.parse(JSON.stringify(documentOf()))
const ajv = new Ajv2020({ strict: false })
formats.default(ajv)
ajv.addFormat('binary', true).addSchema(document, 'openapi')

const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'tillwright-examples-'))
let shop: Seeded
let operator: Record<string, string>
let visitor: Record<string, string>
let authorization: Awaited<ReturnType<typeof startOauth>> | undefined
beforeAll(async () => {
  shop = await seed({ dir, api: api(), mail: String(process.env.TEST_MAIL), stripe: String(process.env.TEST_STRIPE) })
  operator = { authorization: `Bearer ${shop.api_token}` }
}, 120_000)
afterAll(async () => {
  await authorization?.stop()
  fs.rmSync(dir, { recursive: true })
})

const escaped = (part: string) => encodeURIComponent(part.replaceAll('/', '~1'))
const isDeclared = (spec: string, { status, body }: Answer): unknown => {
  const [method = '', at = ''] = spec.split(' ')
  const validate = ajv.compile({
    $ref: `openapi#/paths/${escaped(at)}/${method.toLowerCase()}/responses/${status}/content/application~1json/schema`,
  })
  return validate(body) || validate.errors
}

/** The resource of the demo store that an example's id or a path's last parameter stands for. */
const real = new Map<string, string>()
const resourceOf = (at: string): string =>
  /([\w-]+)(?:\/\{\w+\})?$/.exec(at.replace(/\/(inventory|preview|checkout)$/, ''))?.[1] ?? ''
const singular = (resource: string) =>
  resource
    .replaceAll('-', '_')
    .replace(/ies$/, 'y')
    .replace(/(x)es$|s$/, '$1')

function remember(spec: string, body: Answer['body']): void {
  const resource = resourceOf(spec.split(' ')[1] ?? '')
  if (resource === 'stores' || !body.id) return
  real.set(resource, body.id)
  const known: Record<string, string> = ids
  const name = resource === 'workflow-connections' ? 'connection' : singular(resource)
  if (known[name]) real.set(known[name], body.id)
  if (resource === 'products') real.set(ids.variant, body.variants[0].id)
}

const filled = (at: string): string =>
  at.replaceAll(
    /([\w-]+)\/\{(\w+)\}/g,
    (_, resource: string) => `${resource}/${resource === 'stores' ? shop.store_id : real.get(resource)}`,
  )

async function send(spec: string, given: unknown): Promise<Answer> {
  const [method, at] = spec.split(' ') as [Method, string]
  const body = JSON.parse(
    Object.values(ids).reduce((text, id) => text.replaceAll(id, real.get(id) ?? id), JSON.stringify(given ?? {})),
  )
  if (body.version !== undefined) body.version = (await http('GET', filled(at), { headers: operator })).body.version
  const answer = await http(method, filled(at), {
    ...(method === 'GET' ? {} : { body }),
    headers: at.startsWith('/v1/storefront/') ? visitor : operator,
  })
  if (answer.status < 300 && method === 'POST') remember(spec, answer.body)
  return answer
}

const wrong: unknown[] = []
const declared = async (spec: string, body?: unknown): Promise<Answer> => {
  const answer = await send(spec, body)
  const verdict = answer.status < 300 ? isDeclared(spec, answer) : answer.body
  if (verdict !== true) wrong.push({ spec, status: answer.status, verdict })
  return answer
}

/** Preparations between two examples. */
const before: Record<string, () => Promise<void>> = {
  async 'POST /v1/storefront/account/identify'() {
    visitor = { 'x-service-publishable-key': String(shop.publishable_key) }
  },
  async 'PUT /v1/storefront/carts/{id}'() {
    real.set('carts', (await declared('POST /v1/storefront/carts/current')).body.id)
  },
  async 'POST /v1/storefront/carts/{id}/checkout'() {
    await declared('POST /v1/storefront/carts/{id}/quote')
  },
  async 'POST /v1/stores/{storeId}/contacts/{id}/merge/preview'() {
    real.set(ids.source_contact, (await declared('POST /v1/storefront/account/identify', {})).body.contact.id)
  },
  async 'PUT /v1/stores/{storeId}/audiences/{id}'() {
    // The paid one of the examples needs a payment provider.
    await declared('POST /v1/stores/{storeId}/audiences', { key: 'readers', type: { type: 'open' } })
  },
  async 'POST /v1/stores/{storeId}/campaigns/{id}/launch'() {
    await http('PUT', `${filled('/v1/stores/{storeId}')}/email-templates/${real.get(ids.email_template)}`, {
      headers: operator,
      body: { type: 'campaign' },
    })
  },
  async 'POST /v1/stores/{storeId}/oauth/connect'() {
    authorization = await startOauth(dir)
    await declared('POST /v1/stores/{storeId}/integrations', { key: 'sign-in', provider: authorization.client })
    const example = examples.find(({ spec }) => spec === 'POST /v1/stores/{storeId}/oauth/connect')
    await authorization.accept(example?.body as Parameters<typeof authorization.accept>[0])
  },
  async 'POST /v1/stores/{storeId}/social-publications'() {
    const { authorization_url } = (
      await declared('POST /v1/stores/{storeId}/social-connections/oauth/connect', { type: 'network_b_business' })
    ).body
    const page = await wentOn(authorization_url)
    page.searchParams.set('sim_account', 'Examples')
    const back = await fetch(page, { redirect: 'manual' })
    await goBack(new URL(back.headers.get('location') as string))
    const { items } = (await declared('GET /v1/stores/{storeId}/social-connections')).body
    real.set(
      ids.social_connection,
      items.find(({ type, status }: Record<string, string>) => type === 'network_b_business' && status === 'active').id,
    )
  },
  async 'PUT /v1/stores/{storeId}/media/{id}'() {
    real.set(
      'media',
      (await http('GET', `${filled('/v1/stores/{storeId}')}/media?limit=1`, { headers: operator })).body.items[0].id,
    )
  },
}
const after: Record<string, (body: Answer['body']) => Promise<void>> = {
  async 'POST /v1/stores/{storeId}/payment-providers/stripe/connect'() {
    real.set(ids.payment_provider, (await declared('GET /v1/stores/{storeId}/payment-providers')).body.items[0].id)
  },
  async 'POST /v1/storefront/account/identify'(body) {
    visitor['x-service-visitor-token'] = body.visitor_token
    real.set(ids.contact, body.contact.id)
  },
  async 'POST /v1/stores/{storeId}/social-publications'(body) {
    real.set('social-publications', body.publication.id)
  },
  async 'POST /v1/storefront/carts/{id}/checkout'(body) {
    real.set('orders', body.order_id)
    await pay(body.payment_action.client_secret.split('_secret_')[0])
    await until(
      async () => (await declared('GET /v1/stores/{storeId}/orders/{orderId}/payment')).body.status === 'paid',
    )
    real.set(ids.order_line, (await declared('GET /v1/stores/{storeId}/orders/{orderId}/products')).body[0].id)
  },
}

test('Every example of the document works in the demo store, and every answer is as declared', async () => {
  for (const { spec, body } of examples) {
    await before[spec]?.()
    const answer = await declared(spec, body)
    if (answer.status < 300) await after[spec]?.(answer.body)
  }
  expect(wrong).toEqual([])
  const lists = Object.entries(
    document.paths as Record<string, Record<string, { parameters: { name?: string; required?: boolean }[] }>>,
  )
    .filter(
      ([at, { get }]) =>
        get &&
        /^\/v1\/stores\/\{storeId\}\/[\w-]+$/.test(at) &&
        !get.parameters.some(({ name, required }) => name !== 'storeId' && required),
    )
    .map(([at]) => `GET ${at}`)
  expect(lists.length).toBeGreaterThan(15)
  for (const spec of lists) await declared(spec)
  expect(wrong).toEqual([])
}, 120_000)
