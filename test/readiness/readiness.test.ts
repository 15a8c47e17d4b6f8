// What an empty store lacks is named one by one, and the route that each check names mends it: then the store sells by
// cash and card, ships, books, sends mail and publishes.
import { afterAll, expect, jest, test } from '@jest/globals'
import { routes } from '../../api/routes.ts'
import { newId } from '../../entities/kit/ids.ts'
import { type CheckId, checks, readinessOf, type SetUp } from '../../rules/readiness/checks.ts'
import { dateIn } from '../kit/bookings/booking.ts'
import { importInto, launch, newCampaign, newTemplate } from '../kit/campaigns/campaigns.ts'
import { mailLedger } from '../kit/effects/provider.ts'
import {
  card,
  cartOf,
  cash,
  checkOut,
  pay,
  paymentOf,
  providerOf,
  sessionOf,
  sim,
  until,
} from '../kit/orders/buying.ts'
import { database, type Method, newEmail, newShop, type Shop, unique } from '../kit/shop.ts'
import { contentOf, reached, scheduled } from '../kit/social/publications.ts'
import { goBack, wentOn } from '../kit/social/social.ts'

jest.setTimeout(120_000)
afterAll(() => database().end())

type Check = { id: CheckId; capability: string; ready: boolean; mend: { method: Method; path: string } }

const readiness = async (shop: Shop): Promise<Check[]> => {
  const { status, body } = await shop.asOperator('GET', '/readiness')
  expect(status).toBe(200)
  return body.items
}
const lacks = async (shop: Shop): Promise<CheckId[]> =>
  (await readiness(shop)).filter(({ ready }) => !ready).map(({ id }) => id)

const everywhere = { name: 'Everywhere', countries: [], states: [], postal_codes: [], tax_bps: 0 }
const parcel = { id: 'parcel', name: 'Parcel', taxable: false, eta_text: '2 days', amount: 500 }
const prices = [{ market: 'us', amount: 1000 }]
const days = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']
const network = 'network_d_account'
const account = `Shop ${unique()}`

/** What an operator sends to the route of each check. `made`: what was answered to the checks before. */
const bodies: Record<CheckId, (made: Map<CheckId, { id: string }>) => object> = {
  market: () => ({ key: 'us', currency: 'USD', payment_methods: [], zones: [] }),
  payment_method: () => ({ payment_methods: [{ key: 'credit_card', type: 'card' }] }),
  price: () => ({ key: `tea-${unique()}`, status: 'active', variants: [{ prices, requires_shipping: true }] }),
  cash: () => ({
    payment_methods: [
      { key: 'cash', type: 'cash' },
      { key: 'credit_card', type: 'card' },
    ],
  }),
  card: () => ({ payment_methods: [{ key: 'credit_card', type: 'card' }] }),
  card_account: () => ({ return_url: 'https://shop.example/done', refresh_url: 'https://shop.example/again' }),
  location: () => ({ address: { country: 'US' } }),
  pickup_location: () => ({ address: { country: 'US' } }),
  zone: () => ({ zones: [{ ...everywhere, shipping_methods: [] }] }),
  shipping_method: () => ({ zones: [{ ...everywhere, shipping_methods: [parcel] }] }),
  service: () => ({ key: `cut-${unique()}` }),
  provider: () => ({ key: `mia-${unique()}` }),
  service_provider: (made) => ({
    ...{ service_id: made.get('service')?.id, provider_id: made.get('provider')?.id },
    ...{ working_days: [], specific_dates: [], durations: [{ duration: 60 }], slot_interval: 60, prices },
  }),
  provider_hours: () => ({ working_days: days.map((day) => ({ day, windows: [{ from: '09:00', to: '17:00' }] })) }),
  mailbox: () => {
    const { hostname, port } = new URL(process.env.SMTP_URL as string)
    return {
      ...{ key: 'news', email: `news@${unique()}.tillwright.test`, name: 'News' },
      smtp: { host: hostname, port: Number(port), security: 'none' },
    }
  },
  email_template: () => ({
    ...{ key: 'news', type: 'campaign', format: 'html', subject: 'News' },
    body: '<p>Hello</p><a href="{{ unsubscribe_url }}">Unsubscribe</a>',
  }),
  connection: () => ({ type: network }),
}

/** What the other side does after the route of a check. */
const afterwards: Partial<Record<CheckId, (shop: Shop, answer: { authorization_url: string }) => Promise<unknown>>> = {
  async card_account(shop) {
    const { account_id } = await providerOf(shop)
    const able = { charges_enabled: true, details_submitted: true, payouts_enabled: true }
    await sim('POST', `/accounts/${account_id}`, able)
    await until(async () => (await providerOf(shop)).ready)
  },
  async connection(shop, { authorization_url }) {
    const page = await wentOn(authorization_url)
    page.searchParams.set('sim_account', account)
    const answer = await fetch(page, { redirect: 'manual' })
    await goBack(new URL(answer.headers.get('location') as string))
    await until(async () => !(await lacks(shop)).includes('connection'))
  },
}

/** Mends what is missing, the first one first, by the route that it names alone. */
async function mendAll(shop: Shop): Promise<Map<CheckId, { id: string }>> {
  const made = new Map<CheckId, { id: string }>()
  for (let at = (await readiness(shop)).find(({ ready }) => !ready); at; ) {
    const { id, mend } = at
    expect([id, made.has(id)]).toEqual([id, false])
    const answer = await shop.asOperator(mend.method, mend.path, bodies[id](made))
    expect([id, answer.status, answer.status < 300 ? null : answer.body]).toEqual([id, answer.status, null])
    made.set(id, answer.body)
    await afterwards[id]?.(shop, answer.body)
    const now = await readiness(shop)
    expect(now.find((check) => check.id === id)).toMatchObject({ ready: true })
    at = now.find(({ ready }) => !ready)
  }
  return made
}

test('A new store that is mended by its checks alone sells, ships, books, mails and publishes', async () => {
  const shop = await newShop()
  expect(await lacks(shop)).toEqual([
    ...['price', 'card_account', 'location', 'shipping_method', 'service', 'provider', 'service_provider'],
    ...['provider_hours', 'mailbox', 'email_template', 'connection'],
  ])
  const made = await mendAll(shop)
  expect(await lacks(shop)).toEqual([])

  const product = made.get('price') as unknown as { id: string; variants: { id: string }[] }
  const items = [{ product_id: product.id, variant_id: product.variants[0]?.id as string, quantity: 1 }]
  const shipped = {
    shipping_address: { country: 'US', state: 'OR', postal_code: '97201' },
    shipping_method_id: 'parcel',
  }
  const buy = async (how: object, more: object = shipped, of = items) => {
    const visitor = await shop.visitor()
    const answer = await checkOut(visitor, await cartOf(visitor, of, more as Record<string, unknown>), how)
    expect([answer.status, answer.body.code]).toEqual([200, undefined])
    return answer
  }
  expect((await buy(cash)).body.payment).toMatchObject({ amount: 1500 })
  const byCard = await buy(card)
  await pay(sessionOf(byCard))
  await until(async () => (await paymentOf(shop, byCard.body.order_id)).status === 'paid')

  const pair = { service_id: made.get('service')?.id, provider_id: made.get('provider')?.id }
  const day = dateIn(2)
  const free = await shop.asVisitor('GET', `/services/availability?service_id=${pair.service_id}&from=${day}&to=${day}`)
  const [slot] = free.body.providers[0].days[0].slots
  const booked = { booking_items: [{ ...pair, slots: [{ from: slot.from, to: slot.to }] }] }
  expect((await buy(cash, booked, [])).body.payment).toMatchObject({ amount: 1000 })

  const email = newEmail('reader')
  const campaign = await shop.asOperator('POST', '/campaigns', {
    ...{ name: 'News', mailbox_ids: [made.get('mailbox')?.id] },
    steps: [{ template_id: made.get('email_template')?.id }],
  })
  await importInto(shop, campaign.body.id, { emails: [email] })
  expect((await launch(shop, campaign.body.id)).status).toBe(200)
  await until(async () => (await mailLedger(email)).length > 0)

  const { items: connections } = (await shop.asOperator('GET', '/social-connections?status=active')).body
  const { id } = await scheduled(shop, connections[0].id, await contentOf(shop, network, 'text'))
  expect((await reached(shop, id, ['published', 'failed', 'unknown'])).status).toBe('published')
})

test('A store without markets, methods and zones is mended from its first market on', async () => {
  const shop = await newShop()
  await database().query('delete from markets where tenant_id = $1', [shop.store_id])
  await database().query('delete from locations where tenant_id = $1', [shop.store_id])
  // Without a location, there is none for pickup whose address is missing.
  expect(await lacks(shop)).toEqual(Object.keys(checks).filter((id) => id !== 'pickup_location'))
  const market = await shop.asOperator('POST', '/markets', bodies.market(new Map()))
  expect(market.status).toBe(201)
  const found = await readiness(shop)
  for (const id of ['payment_method', 'cash', 'card', 'zone', 'shipping_method'])
    expect(found.find((check) => check.id === id)).toMatchObject({
      ready: false,
      mend: { method: 'PUT', path: `/v1/stores/${shop.store_id}/markets/${market.body.id}` },
    })
  expect(found.find(({ id }) => id === 'location')?.mend.method).toBe('POST')
  for (const id of ['payment_method', 'cash', 'zone'] as const) {
    const { mend } = (await readiness(shop)).find((check) => check.id === id) as Check
    await shop.asOperator(mend.method, mend.path, bodies[id](new Map()))
    expect(await lacks(shop)).not.toContain(id)
  }
})

test('A draft product is named by the check of prices, which changes it', async () => {
  const shop = await newShop()
  const { body } = await shop.asOperator('POST', '/products', { key: 'draft', status: 'draft', variants: [{ prices }] })
  const { mend } = (await readiness(shop)).find(({ id }) => id === 'price') as Check
  expect(mend).toEqual({ method: 'PUT', path: `/v1/stores/${shop.store_id}/products/${body.id}`, role: 'admin' })
  await shop.asOperator(mend.method, mend.path, { status: 'active' })
  expect(await lacks(shop)).not.toContain('price')
})

test('A refusal for a lack of set-up is one sentence for visitors, and a route for operators', async () => {
  const shop = await newShop()
  const made = await shop.asOperator('POST', '/products', {
    key: 'pot',
    variants: [{ prices: [...prices, { market: 'eu', amount: 900 }], requires_shipping: true }],
  })
  const items = [{ product_id: made.body.id, variant_id: made.body.variants[0].id, quantity: 1 }]
  const visitor = await shop.visitor()
  const cart = await cartOf(visitor, items)
  const refused = await checkOut(visitor, cart, card)
  expect(refused.body).toMatchObject({
    ...{ status: 422, code: 'payment_provider_not_connected' },
    detail: 'Cards cannot be taken here yet.',
    errors: [{ detail: 'Cards cannot be taken here yet.' }],
  })
  expect(refused.body.mends).toBeUndefined()

  // An operator replaces the items of the order by some that have no price.
  const order = (await checkOut(visitor, cart, cash)).body.order_id
  const free = await shop.asOperator('POST', '/products', { key: 'gift', variants: [{ prices: [] }] })
  const put = await shop.asOperator('PUT', `/orders/${order}`, {
    version: 1,
    product_items: [{ product_id: free.body.id, variant_id: free.body.variants[0].id, quantity: 1 }],
  })
  expect(put.body).toMatchObject({
    code: 'price_missing',
    detail: 'There is no price in the market us.',
    mends: [{ check: 'price', method: 'PUT', path: `/v1/stores/${shop.store_id}/products/{id}` }],
  })

  const template = await newTemplate(shop, { status: 'draft' })
  const campaign = await newCampaign(shop, { steps: [{ template_id: template.id }] })
  expect((await launch(shop, campaign.id)).body).toMatchObject({
    code: 'campaign_not_ready',
    errors: expect.arrayContaining([expect.objectContaining({ code: 'template_not_active' })]),
    mends: [{ check: 'email_template', method: 'POST', path: `/v1/stores/${shop.store_id}/email-templates` }],
  })
})

test('A location for pickup without an address is named, although goods can be shipped', async () => {
  const shop = await newShop()
  expect((await readiness(shop)).find(({ id }) => id === 'pickup_location')?.ready).toBe(true)
  await mendAll(shop)
  const corner = await shop.asOperator('POST', '/locations', { key: 'corner', address: null, is_pickup_location: true })
  expect(corner.status).toBe(201)
  expect(await lacks(shop)).toEqual(['pickup_location'])
  const [check] = (await readiness(shop)).filter(({ ready }) => !ready)
  expect(check?.mend.path).toBe(`/v1/stores/${shop.store_id}/locations/${corner.body.id}`)
  await shop.asOperator('PUT', `/locations/${corner.body.id}`, { address: { country: 'US' } })
  expect(await lacks(shop)).toEqual([])
})

test('Hours of past dates, closed dates and empty days are no hours to book', async () => {
  const shop = await newShop()
  const made = await mendAll(shop)
  const link = `/service-providers/${made.get('service_provider')?.id}`
  const windows = [{ from: '09:00', to: '17:00' }]
  const hours = async (working_days: object[], specific_dates: object[]) => {
    expect((await shop.asOperator('PUT', link, { working_days, specific_dates })).status).toBe(200)
    return (await lacks(shop)).includes('provider_hours')
  }
  const coming = dateIn(3)
  expect(await hours([], [{ date: '2020-01-01', windows }])).toBe(true)
  expect(await hours([], [{ date: coming, windows: [] }])).toBe(true)
  expect(await hours([{ day: 'monday', windows: [] }], [])).toBe(true)
  expect(await hours([], [{ date: coming, windows }])).toBe(false)
})

test('A store is an item while a checkout refuses what it offers, with the route that mends it', async () => {
  const shop = await newShop()
  const root = `/v1/stores/${shop.store_id}`
  const item = async () => {
    const { items } = (await shop.asOperator('GET', '/attention?kind=readiness')).body
    expect(items.length).toBeLessThanOrEqual(1)
    return items[0] && { title: items[0].title.split(' cannot ')[1], mend: items[0].mend, todo: items[0].what_to_do }
  }
  // Nothing is offered yet.
  expect(await item()).toBeUndefined()
  const tea = await shop.asOperator('POST', '/products', {
    ...{ key: 'tea', status: 'active', variants: [{ prices: [], requires_shipping: true }] },
  })
  const product = `/products/${tea.body.id}`
  expect(await item()).toMatchObject({
    title: 'sell what it offers: nothing has a price in a market.',
    mend: { method: 'PUT', path: root + product, role: 'admin' },
  })
  await shop.asOperator('PUT', product, { variants: [{ id: tea.body.variants[0].id, prices }] })
  // Without a shipping method it is shipped without a charge, which no address is needed for.
  expect(await item()).toBeUndefined()

  const { items: markets } = (await shop.asOperator('GET', '/markets')).body
  const market = `/markets/${markets.find(({ key }: { key: string }) => key === 'us').id}`
  await shop.asOperator('PUT', market, { zones: [{ ...everywhere, shipping_methods: [parcel] }] })
  const [location] = (await shop.asOperator('GET', '/locations')).body
  expect(await item()).toMatchObject({
    title: 'ship what it offers: no location has an address with a country.',
    mend: { method: 'PUT', path: `${root}/locations/${location.id}` },
  })
  await shop.asOperator('PUT', product, { variants: [{ id: tea.body.variants[0].id, requires_shipping: false }] })
  expect(await item()).toBeUndefined()
  await shop.asOperator('PUT', product, { variants: [{ id: tea.body.variants[0].id, requires_shipping: true }] })
  await shop.asOperator('PUT', `/locations/${location.id}`, { address: { country: 'US' } })
  expect(await item()).toBeUndefined()

  const corner = await shop.asOperator('POST', '/locations', { key: 'corner', address: null, is_pickup_location: true })
  for (const { id } of markets)
    await shop.asOperator('PUT', `/markets/${id}`, { payment_methods: [{ key: 'credit_card', type: 'card' }] })
  const both = await item()
  expect(both).toMatchObject({
    title: 'sell what it offers: no method of payment can be used.',
    mend: { method: 'POST', path: `${root}/payment-providers/stripe/connect`, role: 'owner' },
  })
  expect(both?.todo).toContain(checks.pickup_location.what_to_do)
  await shop.asOperator('PUT', market, { payment_methods: [{ key: 'cash', type: 'cash' }] })
  expect((await item())?.mend).toMatchObject({ path: `${root}/locations/${corner.body.id}` })
  await shop.asOperator('PUT', `/locations/${corner.body.id}`, { address: { country: 'US' } })
  expect(await item()).toBeUndefined()

  await database().query('delete from markets where tenant_id = $1', [shop.store_id])
  expect((await item())?.mend).toEqual({ method: 'POST', path: `${root}/markets`, role: 'admin' })
  await shop.asOperator('PUT', product, { status: 'draft' })
  expect(await item()).toBeUndefined()
})

test('Of a store that offers services alone, a link of active records is mended', async () => {
  const shop = await newShop()
  const root = `/v1/stores/${shop.store_id}`
  const named = async (path: string) => (await shop.asOperator('POST', path, { key: `k-${unique()}` })).body.id
  const [service_id, provider_id] = [await named('/services'), await named('/providers')]
  const item = async () => (await shop.asOperator('GET', '/attention?kind=readiness')).body.items[0]
  const ofLinks = checks.price.of_services.what_to_do
  expect(await item()).toMatchObject({
    mend: { method: 'POST', path: `${root}/service-providers` },
    what_to_do: expect.stringContaining(ofLinks),
  })
  // More links of archived providers than are looked at, before the one that is offered.
  await database().query(
    `with archived_providers as (
       insert into providers (id, created_at, updated_at, tenant_id, key, slug, blocks, taxonomies, status)
       select gen_random_uuid(), 1, 1, $1, 'former-' || n, '{}', '[]', '[]', 'archived'
       from generate_series(1, 150) n
       returning id
     )
     insert into service_providers (id, created_at, updated_at, tenant_id, service_id, provider_id, working_days,
       specific_dates, durations, slot_interval, prices)
     select gen_random_uuid(), 1, 1, $1, $2, id, '[]', '[]', '[]', 60, '[]'
     from archived_providers`,
    [shop.store_id, service_id],
  )
  const link = await shop.asOperator('POST', '/service-providers', {
    ...{ service_id, provider_id, working_days: [], specific_dates: [], durations: [{ duration: 60 }] },
    ...{ slot_interval: 60, prices: [] },
  })
  expect(link.status).toBe(201)
  const mend = { method: 'PUT', path: `${root}/service-providers/${link.body.id}`, role: 'admin' }
  expect((await item()).mend).toEqual(mend)
  expect((await readiness(shop)).find(({ id }) => id === 'price')).toMatchObject({ mend, what_to_do: ofLinks })
  await shop.asOperator('PUT', mend.path, { prices })
  expect(await item()).toBeUndefined()
})

test('Texts of checks are for people, and their roles are those of their routes', () => {
  for (const kind of ['store', 'business'] as const)
    for (const { id, title, what_to_do, mend } of readinessOf({ kind } as SetUp, newId())) {
      for (const text of [title, what_to_do]) expect([id, text]).toEqual([id, expect.not.stringMatching(/`|\/v1\/|_/)])
      const path = new RegExp(
        `^${mend.method} ${mend.path.replace(/[0-9a-f-]{36}/, '\\{\\w+\\}').replace('{id}', '\\{\\w+\\}')}$`,
      )
      expect([id, routes.find(({ spec }) => path.test(spec))?.may]).toEqual([id, mend.role])
    }
})

test('Another store has its own checks, and strangers read none', async () => {
  const [shop, other] = [await newShop(), await newShop()]
  expect((await shop.asOperator('GET', `/v1/stores/${other.store_id}/readiness`)).status).toBe(404)
})
