// A network lists what its members offer, as their tables say, and finds it by text, place, price, category, stock and
// free time.
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals'
import { type Orm, openOrm, unitOf } from '../../entities/kit/database/orm.ts'
import { holdListings, refreshListings } from '../../entities/networks/listings.ts'
import { distanceOf, EARTH_RADIUS_M, METERS_PER_MILE, type Point } from '../../rules/geo.ts'
import { type Business, newBusiness } from '../kit/business.ts'
import { until } from '../kit/codes.ts'
import { send as upload } from '../kit/content/files.ts'
import { locationOf } from '../kit/orders/buying.ts'
import {
  type Answer,
  database,
  eitherApi,
  http,
  type Method,
  newShop,
  type Operator,
  operator,
  type Shop,
  unique,
} from '../kit/shop.ts'

jest.setTimeout(240_000)

let platform: Operator
let orm: Orm
beforeAll(async () => {
  platform = await operator(process.env.SUPER_EMAIL?.split(',')[0])
  orm = await openOrm({ url: process.env.DATABASE_URL as string, pool: 2 })
})
afterAll(async () => {
  await orm.close()
  await database().end()
})

const manage = (method: Method, path = '', body?: unknown): Promise<Answer> =>
  http(method, `/v1/platform/networks${path}`, { headers: platform.headers, body, base: eitherApi() })
type Network = { id: string; key: string }
async function newNetwork(...tenant_ids: string[]): Promise<Network> {
  const { status, body } = await manage('POST', '', { key: `city-${unique()}`, name: 'City', tenant_ids })
  if (status !== 201) throw new Error(`no network: ${status} ${JSON.stringify(body)}`)
  await walked(...tenant_ids)
  return body
}
/** Resolves when all listings of these tenants were rebuilt. */
const walked = (...tenants: string[]) =>
  until(
    async () =>
      (await database().query('select 1 from listing_walks where tenant_id = any($1)', [tenants])).rowCount === 0,
    60_000,
  )

const search = (network: Network, kind: string, given: Record<string, unknown> = {}): Promise<Answer> => {
  const query = Object.entries(given).map(([name, value]): [string, string] => [
    name,
    typeof value === 'object' ? JSON.stringify(value) : String(value),
  ])
  return http('GET', `/v1/networks/${network.key}/${kind}?${new URLSearchParams(query)}`, { base: eitherApi() })
}
const idsIn = ({ body }: Answer): string[] => body.items.map(({ id }: { id: string }) => id)
async function found(network: Network, kind: string, given: Record<string, unknown> = {}): Promise<string[]> {
  const seen: string[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const answer: Answer = await search(network, kind, { ...given, cursor })
    if (answer.status !== 200) throw new Error(`not found: ${answer.status} ${JSON.stringify(answer.body)}`)
    seen.push(...idsIn(answer))
    cursor = answer.body.cursor
  }
  return seen
}

test('The platform manages networks, and their members are marked as such', async () => {
  const [shop, salon] = await Promise.all([newShop(), newBusiness()])
  const key = `city-${unique()}`
  const created = await manage('POST', '', { key, name: 'Old town', tenant_ids: [shop.store_id, salon.id, salon.id] })
  expect([created.status, created.body]).toEqual([
    201,
    {
      id: expect.any(String),
      key,
      name: 'Old town',
      tenant_ids: [shop.store_id, salon.id].sort(),
      created_at: expect.any(Number),
      updated_at: expect.any(Number),
    },
  ])
  const { id } = created.body
  expect((await manage('GET', `/${id}`)).body).toEqual(created.body)
  expect((await manage('GET', '?limit=100')).body.items).toContainEqual(created.body)
  expect((await shop.asOperator('GET', `/v1/stores/${shop.store_id}`)).body.is_network).toBe(true)
  const taken = await manage('POST', '', { key, name: 'Other' })
  expect([taken.status, taken.body.code]).toEqual([409, 'key_taken'])
  const unknown = await manage('PUT', `/${id}`, { tenant_ids: [salon.id, '0199aaaa-0000-7000-8000-0000000000bb'] })
  expect([unknown.status, unknown.body.errors[0].pointer]).toEqual([422, '/tenant_ids/1'])
  const changed = await manage('PUT', `/${id}`, { name: 'New town', tenant_ids: [salon.id] })
  expect([changed.status, changed.body]).toEqual([
    200,
    { ...created.body, name: 'New town', tenant_ids: [salon.id], updated_at: expect.any(Number) },
  ])
  expect((await shop.asOperator('GET', `/v1/stores/${shop.store_id}`)).body.is_network).toBe(false)
  expect((await salon.ask('GET', '')).body.isNetwork).toBe(true)
  expect((await manage('DELETE', `/${id}`)).body).toEqual({ success: true })
  expect((await salon.ask('GET', '')).body.isNetwork).toBe(false)
  expect((await manage('GET', `/${id}`)).status).toBe(404)
  const gone = await search({ id, key }, 'services')
  expect([gone.status, gone.body.code]).toEqual([404, 'not_found'])
})

const block = (key: string, value: unknown, type = 'text') => ({ key, type, value })
const booking = (amount: number) => [{ market: 'booking', amount }]
const everyDay = ['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY', 'SUNDAY'].map((day) => ({
  day,
  workingHours: [{ from: 0, to: 1440 }],
}))
const link = (at: Business, serviceId: string, providerId: string, more: object = {}) =>
  at.make('/service-providers', {
    serviceId,
    providerId,
    workingDays: everyDay,
    specificDates: [],
    slotInterval: 60,
    ...more,
  })

/** As it is answered: with all of its fields. */
const address = {
  name: null,
  street1: null,
  street2: null,
  city: 'Berlin',
  state: null,
  postalCode: null,
  country: 'DE',
}

describe('A network of a store and a business', () => {
  let salon: Business
  let shop: Shop
  let city: Network
  beforeAll(async () => {
    ;[salon, shop] = await Promise.all([newBusiness(), newShop()])
    const settings = {
      name: 'Old Town Salon',
      logo: 'https://salon.example/logo.png',
      address: { city: 'Berlin', country: 'DE' },
      location: { lat: 52.52, lng: 13.4 },
    }
    await salon.ask('PUT', '', { settings })
    city = await newNetwork(salon.id, shop.store_id)
  })

  test('A service is found with its price, length, business and distance', async () => {
    const blocks = [
      block('name', { de: 'Schnitt', en: 'Haircut' }, 'localized_text'),
      block('description', 'With a wash'),
    ]
    const cut = await salon.make('/services', {
      blocks,
      prices: booking(4500),
      durations: [{ duration: 30 }, { duration: 15, isPause: true }],
    })
    const { id: providerId } = await salon.make('/providers')
    const { id: linkId } = await link(salon, cut.id, providerId, { prices: booking(3900) })
    const berlin = { lat: 52.5, lng: 13.4, radius: 5 }
    const answer = await search(city, 'services', { query: 'haircut wash', location: berlin })
    const expected = {
      ...{ id: cut.id, name: 'Haircut', description: 'With a wash', price: 3900, currency: 'USD', duration: 45 },
      business: {
        id: salon.id,
        name: 'Old Town Salon',
        slug: expect.stringMatching(/^salon-/),
        logo: 'https://salon.example/logo.png',
        rating: null,
        address,
      },
      distance: Math.round(distanceOf(berlin, { lat: 52.52, lng: 13.4 })),
    }
    expect([answer.status, answer.body]).toEqual([200, { items: [expected], cursor: null }])
    const { distance: _, ...near } = expected
    expect((await search(city, 'services', { query: 'haircut' })).body.items).toEqual([near])
    expect(await found(city, 'services', { query: 'haircut', location: { lat: 52.7, lng: 13.4, radius: 5 } })).toEqual(
      [],
    )
    expect(await found(city, 'services', { query: 'haircut', priceMin: 3900, priceMax: 3900 })).toEqual([cut.id])
    expect(await found(city, 'services', { query: 'haircut', priceMin: 3901 })).toEqual([])
    // Its place and price are its own as soon as they are written.
    await salon.ask('PUT', `/services/${cut.id}`, { location: { lat: 0, lng: -179.99 } })
    await salon.ask('DELETE', `/service-providers/${linkId}`)
    expect((await search(city, 'services', { location: { lat: 0, lng: 179.99, radius: 2 } })).body.items).toMatchObject(
      [{ id: cut.id, price: 4500, distance: 2224 }],
    )
    const providers = await search(city, 'providers', { serviceId: cut.id })
    expect(providers.body.items).toEqual([])
  })

  test('A provider is found with its services, and by free time', async () => {
    const [cut, color, secret] = [
      await salon.make('/services', { blocks: [block('name', 'Cut')] }),
      await salon.make('/services'),
      await salon.make('/services', { access: 'private' }),
    ]
    const [anna, bob] = [
      await salon.make('/providers', { blocks: [block('bio', 'Ten years'), block('name', 'Anna')] }),
      await salon.make('/providers'),
    ]
    for (const { id } of [cut, color, secret]) await link(salon, id, anna.id)
    await link(salon, color.id, bob.id, { workingDays: [] })
    const { body } = await search(city, 'providers', { query: 'anna', location: { lat: 52.52, lng: 13.4 } })
    expect(body).toEqual({
      items: [
        {
          ...{ id: anna.id, name: 'Anna', bio: 'Ten years', image: null, distance: 0 },
          services: [
            { id: cut.id, name: 'Cut' },
            { id: color.id, name: color.key },
          ],
          business: { id: salon.id, name: 'Old Town Salon', address },
        },
      ],
      cursor: null,
    })
    expect((await found(city, 'providers', { serviceId: color.id, limit: 1 })).sort()).toEqual([anna.id, bob.id].sort())
    expect(await found(city, 'providers', { serviceId: color.id, available: true, limit: 1 })).toEqual([anna.id])
    expect(await found(city, 'providers', { serviceId: secret.id })).toEqual([])
  })

  test('A product is found by its category and stock, sorted by price, those without one last', async () => {
    const place = await locationOf(shop)
    const [goods, tea] = await Promise.all(
      ['goods', 'tea'].map(
        async (key) => (await shop.asOperator('POST', '/taxonomies', { key: `${key}-${unique()}` })).body,
      ),
    )
    const image = (await upload(shop, [{ name: 'a.txt', bytes: 'no image' }])).body.items[0].id
    const product = async (
      amount: number | null,
      available: number | null,
      taxonomies = [{ taxonomy_id: goods.id, entry_ids: [] }],
    ) => {
      const inventory = available === null ? {} : { inventory: [{ location_id: place, available }] }
      const variants = [{ prices: amount === null ? [] : [{ market: 'us', amount }], ...inventory }]
      const { body } = await shop.asOperator('POST', '/products', {
        key: `p-${unique()}`,
        taxonomies,
        variants,
        blocks: [block('file', image, 'media')],
      })
      expect(body).toMatchObject({ id: expect.any(String) })
      return body.id as string
    }
    const [a, b, c, d] = [
      await product(300, 5),
      await product(100, 0),
      await product(200, null, [{ taxonomy_id: tea.id, entry_ids: [] }]),
      await product(null, 1),
    ]
    const by = (given: object = {}) => found(city, 'products', { sortBy: 'price', limit: 1, ...given })
    expect(await by()).toEqual([b, c, a, d])
    expect(await by({ sortOrder: 'desc' })).toEqual([a, c, b, d])
    expect(await by({ sortBy: 'newest' })).toEqual([d, c, b, a])
    expect((await by({ sortBy: 'rating' })).sort()).toEqual([a, b, c, d].sort())
    expect(await by({ inStock: true })).toEqual([c, a, d])
    expect(await by({ category: tea.key })).toEqual([c])
    expect(await by({ category: goods.key, priceMax: 300 })).toEqual([b, a])
    expect((await search(city, 'products', { category: tea.key })).body.items).toEqual([
      {
        ...{
          id: c,
          name: expect.stringMatching(/^p-/),
          description: null,
          price: 200,
          currency: 'USD',
          images: [],
          inventory: null,
        },
        business: { id: shop.store_id, name: expect.any(String), slug: expect.any(String), logo: null, rating: null },
      },
    ])
    // A renamed or deleted category is that of its products soon.
    await shop.asOperator('PUT', `/taxonomies/${tea.id}`, { key: `coffee-${tea.key}` })
    await walked(shop.store_id)
    expect([await by({ category: tea.key }), await by({ category: `coffee-${tea.key}` })]).toEqual([[], [c]])
    await shop.asOperator('DELETE', `/taxonomies/${tea.id}`)
    await walked(shop.store_id)
    expect(await by({ category: `coffee-${tea.key}` })).toEqual([])
    await shop.asOperator('DELETE', `/products/${c}`)
    expect(await by()).toEqual([b, a, d])
  })

  test('What is private, no longer active or of an archived business is not found', async () => {
    const [own, other] = [await newBusiness(), await newNetwork()]
    const network = await newNetwork(own.id)
    const kinds = await Promise.all([
      own.make('/services', { access: 'private' }),
      own.make('/services', { status: 'DRAFT' }),
      own.make('/services', { networkIds: [other.id] }),
      own.make('/services', { networkIds: [other.id, network.id] }),
      own.make('/services'),
    ])
    const [secret, , , both, plain] = kinds
    expect((await found(network, 'services')).sort()).toEqual([both.id, plain.id].sort())
    await own.ask('PUT', `/services/${secret.id}`, { access: 'public' })
    await own.ask('PUT', `/services/${plain.id}`, { status: 'ARCHIVED' })
    expect((await found(network, 'services')).sort()).toEqual([secret.id, both.id].sort())
    await own.ask('PUT', '', { status: 'ARCHIVED' })
    expect(await found(network, 'services')).toEqual([])
    await own.ask('PUT', '', { status: 'ACTIVE' })
    expect((await found(network, 'services')).length).toBe(2)
    await manage('PUT', `/${network.id}`, { tenant_ids: [] })
    expect(await found(network, 'services')).toEqual([])
    await own.ask('PUT', `/services/${plain.id}`, { status: 'ACTIVE' })
    expect(await found(network, 'services')).toEqual([])
  })

  test('A cursor of another query is refused, and a sort by distance needs a place', async () => {
    const { body } = await search(city, 'products', { limit: 1 })
    expect(typeof body.cursor).toBe('string')
    for (const given of [{ sortBy: 'price' }, { query: 'p' }, { priceMin: 1 }]) {
      const answer = await search(city, 'products', { ...given, cursor: body.cursor })
      expect([answer.status, answer.body.code]).toEqual([400, 'bad_cursor'])
    }
    expect((await search(city, 'services', { cursor: body.cursor })).status).toBe(400)
    expect((await search(city, 'products', { limit: 3, cursor: body.cursor })).status).toBe(200)
    const unplaced = await search(city, 'services', { sortBy: 'distance' })
    expect([unplaced.status, unplaced.body.errors[0].pointer]).toEqual([422, 'location'])
    for (const location of [{ lat: 91, lng: 0 }, { lat: 0, lng: 0, radius: 501 }, { lat: 0 }])
      expect((await search(city, 'services', { location })).status).toBe(422)
    expect((await search(city, 'products', { sortBy: 'distance' })).status).toBe(422)
  })
})

/** All listings of a tenant, without what they have from the statement's order. */
const listingsOf = async (em: { execute(sql: string, values: unknown[]): Promise<unknown> }, tenantId: string) =>
  em.execute('select * from network_listings where tenant_id = ? order by network_id, kind, record_id', [tenantId])

/** The listings as they are, and as they are made from nothing. */
async function rebuilt(tenantId: string): Promise<{ listed: unknown; made: unknown }> {
  const em = unitOf(orm, tenantId)
  await em.begin()
  try {
    await holdListings(em, tenantId)
    const listed = await listingsOf(em, tenantId)
    await em.execute('delete from network_listings where tenant_id = ?', [tenantId])
    const all = async (table: string): Promise<string[]> =>
      ((await em.execute(`select id from ${table} where tenant_id = ?`, [tenantId])) as { id: string }[]).map(
        ({ id }) => id,
      )
    await refreshListings(em, tenantId, {
      service: await all('services'),
      provider: await all('providers'),
      product: await all('products'),
    })
    return { listed, made: await listingsOf(em, tenantId) }
  } finally {
    await em.rollback()
  }
}

test('After 1,000 random writes at once, listings are what the tables say', async () => {
  let seed = 20_261_123
  const random = (below: number): number => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fff_ffff
    return Math.floor((seed / 0x8000_0000) * below)
  }
  const [own, idle] = await Promise.all([newBusiness(), newBusiness()])
  const networks = [await newNetwork(own.id), await newNetwork(own.id, idle.id)]
  const ids: Record<'services' | 'providers' | 'products' | 'service-providers' | 'taxonomies', string[]> = {
    services: [],
    providers: [],
    products: [],
    'service-providers': [],
    taxonomies: [],
  }
  const any = (list: readonly string[]): string => list[random(list.length)] ?? '0199aaaa-0000-7000-8000-0000000000bb'
  const statuses: Record<number, number> = {}
  const said = async (asked: Promise<Answer>) => {
    const answer = await asked
    statuses[answer.status] = (statuses[answer.status] ?? 0) + 1
    return answer
  }
  const add = async (resource: keyof typeof ids, body: object) => {
    const { status, body: made } = await said(own.ask('POST', `/${resource}`, body))
    if (status === 201) ids[resource].push(made.id)
  }
  const prices = () => (random(3) === 0 ? [] : [{ market: ['booking', 'us'][random(2)], amount: random(1000) }])
  const fields = () => ({
    status: ['ACTIVE', 'ACTIVE', 'DRAFT'][random(3)],
    blocks: [block('name', `word${random(5)}`)],
    taxonomies: ids.taxonomies.length > 0 && random(2) === 0 ? [{ taxonomyId: any(ids.taxonomies), entryIds: [] }] : [],
  })
  const shown = () => ({
    access: ['public', 'public', 'private'][random(3)],
    networkIds: random(3) === 0 ? [networks[random(2)]?.id] : [],
  })
  const place = () => (random(2) === 0 ? null : { lat: random(180) - 90, lng: random(360) - 180 })
  const service = () => ({ ...fields(), ...shown(), prices: prices(), location: place() })
  const product = () => ({ ...fields(), variants: [{ prices: prices() }] })
  const hours = { workingDays: [], specificDates: [], slotInterval: 30 }
  const writes: (() => Promise<unknown>)[] = [
    () => add('services', { key: unique(), ...service() }),
    () => add('providers', { key: unique(), ...fields(), ...shown() }),
    () => add('products', { key: unique(), ...product() }),
    () => add('taxonomies', { key: unique() }),
    () =>
      add('service-providers', {
        serviceId: any(ids.services),
        providerId: any(ids.providers),
        prices: prices(),
        ...hours,
      }),
    () =>
      add('service-providers', {
        serviceId: any(ids.services),
        providerId: any(ids.providers),
        prices: prices(),
        ...hours,
      }),
    () => said(own.ask('PUT', `/services/${any(ids.services)}`, service())),
    () => said(own.ask('PUT', `/services/${any(ids.services)}`, { prices: prices() })),
    () => said(own.ask('PUT', `/providers/${any(ids.providers)}`, { ...fields(), ...shown() })),
    () => said(own.ask('PUT', `/products/${any(ids.products)}`, product())),
    () => said(own.ask('PUT', `/service-providers/${any(ids['service-providers'])}`, { prices: prices() })),
    () => said(own.ask('DELETE', `/service-providers/${any(ids['service-providers'])}`)),
    () =>
      said(
        own.ask(
          'DELETE',
          `/${['services', 'providers', 'products', 'taxonomies'][random(4)]}/${any(Object.values(ids)[random(5)] as string[])}`,
        ),
      ),
    () => said(own.ask('PUT', `/taxonomies/${any(ids.taxonomies)}`, { key: unique() })),
    () => said(own.ask('PUT', '', { settings: { location: { lat: random(180) - 90, lng: random(360) - 180 } } })),
    () => said(manage('PUT', `/${networks[1]?.id}`, { tenant_ids: random(2) === 0 ? [idle.id] : [own.id, idle.id] })),
  ]
  for (const write of writes.slice(0, 4)) for (let n = 0; n < 5; n++) await write()
  const turns = Array.from({ length: 980 }, () => writes[random(writes.length)] as () => Promise<unknown>)
  await Promise.all(
    Array.from({ length: 12 }, async () => {
      for (let write = turns.pop(); write; write = turns.pop()) await write()
    }),
  )
  await walked(own.id, idle.id)
  expect(Object.keys(statuses).filter((status) => Number(status) >= 500)).toEqual([])
  expect((statuses[200] ?? 0) + (statuses[201] ?? 0)).toBeGreaterThan(500)
  const { listed, made } = await rebuilt(own.id)
  expect((made as unknown[]).length).toBeGreaterThan(50)
  expect(listed).toEqual(made)
})

describe('Places', () => {
  type Placed = { id: string; point: Point; price: number | null }
  let own: Business
  let earth: Network
  const placed: Placed[] = []
  const centers: Point[] = [
    { lat: 89.9, lng: 20 },
    { lat: -90, lng: 0 },
    { lat: 0, lng: 180 },
    { lat: 66, lng: -179.9 },
    { lat: 52.52, lng: 13.4 },
  ]
  beforeAll(async () => {
    own = await newBusiness()
    const wrap = (lng: number) => ((((lng + 180) % 360) + 360) % 360) - 180
    for (const [turn, { lat, lng }] of centers.entries())
      for (let n = 0; n < 120; n++) {
        // Denser towards the centre, and some at the same place.
        const [off, angle] = [(n % 40) ** 2 / 200, n * 2.4]
        const north = lat + off * Math.cos(angle)
        const flipped = Math.abs(north) > 90 ? Math.sign(north) * 180 - north : north
        const width = Math.max(0.05, Math.cos((flipped * Math.PI) / 180))
        const point = { lat: flipped, lng: wrap(lng + (off * Math.sin(angle)) / width) }
        placed.push({
          id: `0199aaaa-0000-7000-8${String(turn).padStart(3, '0')}-${String(n * 7919).padStart(12, '0')}`,
          point,
          price: n % 10 === 0 ? null : n % 7,
        })
      }
    // Half a metre outside of the largest circle, due north of its centre: rounded, it is inside.
    const edge = 52.52 + ((500 * METERS_PER_MILE + 0.4) / EARTH_RADIUS_M) * (180 / Math.PI)
    placed.push({ id: '0199aaaa-0000-7000-8999-000000000001', point: { lat: edge, lng: 13.4 }, price: null })
    // Of this test alone: ids of other files' rows are random.
    const rows = placed.map(({ id, point, price }) => ({
      id,
      point,
      prices: price === null ? [] : [{ market: 'booking', currency: 'USD', amount: price }],
    }))
    await database().query(
      `insert into services (id, created_at, updated_at, tenant_id, key, slug, blocks, taxonomies, status, location, prices)
       select x.id, 1, 1, $1, x.id, '{}', '[]', '[]', 'active', x.point, x.prices from jsonb_to_recordset($2::jsonb) as x(id uuid, point jsonb, prices jsonb)`,
      [own.id, JSON.stringify(rows)],
    )
    earth = await newNetwork(own.id)
  })

  /** By brute force: the nearest first, those at the same metre by id. */
  const nearest = (center: Point, miles: number) =>
    placed
      .map(({ id, point }) => ({ id, exact: distanceOf(center, point) }))
      .filter(({ exact }) => Math.round(exact) <= miles * METERS_PER_MILE)
      .map(({ id, exact }) => ({ id, distance: Math.round(exact) }))
      .sort((a, b) => a.distance - b.distance || (a.id < b.id ? -1 : 1))

  test('Pages by distance are those of brute force, at the poles and over the antimeridian, too', async () => {
    for (const center of centers)
      for (const [radius, limit] of [
        [500, 7],
        [25, 3],
        [120, 100],
      ] as const) {
        const seen: { id: string; distance: number }[] = []
        for (let cursor: string | null = ''; cursor !== null; ) {
          const { body }: Answer = await search(earth, 'services', { location: { ...center, radius }, limit, cursor })
          seen.push(...body.items.map(({ id, distance }: { id: string; distance: number }) => ({ id, distance })))
          cursor = body.cursor
        }
        const expected = nearest(center, radius)
        expect([center, radius, seen]).toEqual([center, radius, expected])
      }
  })

  test('Pages by price have each service in the circle once, those without a price last', async () => {
    for (const center of centers) {
      const within = new Set(nearest(center, 300).map(({ id }) => id))
      const expected = placed
        .filter(({ id }) => within.has(id))
        .sort((a, b) => (a.price ?? 99) - (b.price ?? 99) || (a.id < b.id ? -1 : 1))
        .map(({ id }) => id)
      expect(
        await found(earth, 'services', { location: { ...center, radius: 300 }, sortBy: 'price', limit: 9 }),
      ).toEqual(expected)
    }
  })

  test('While others come and go, no service that stays is skipped or seen twice', async () => {
    const center = centers[4] as Point
    const stays = nearest(center, 400).map(({ id }) => id)
    let over = false
    const others = (async () => {
      while (!over) {
        const made = await Promise.all(
          [0, 1, 2].map((n) =>
            own.make('/services', { location: { lat: center.lat + n / 5, lng: center.lng }, prices: booking(n) }),
          ),
        )
        await Promise.all(made.map(({ id }) => own.ask('DELETE', `/services/${id}`)))
      }
    })()
    try {
      for (const sortBy of ['distance', 'price', 'newest']) {
        const seen = await found(earth, 'services', { location: { ...center, radius: 400 }, sortBy, limit: 2 })
        expect(new Set(seen).size).toBe(seen.length)
        const left = seen.filter((id) => stays.includes(id))
        expect([sortBy, left.toSorted()]).toEqual([sortBy, stays.toSorted()])
      }
    } finally {
      over = true
      await others
    }
  })
})
