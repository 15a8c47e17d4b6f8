// Services, providers and links of a business have the fields of both its modules; visitors find what is active and
// public.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { dateIn, scheduleOf } from '../kit/bookings/booking.ts'
import { type Business, newBusiness } from '../kit/business.ts'
import { type Answer, database, eitherApi, http, unique } from '../kit/shop.ts'

let salon: Business
let other: Business
beforeAll(async () => {
  ;[salon, other] = await Promise.all([newBusiness(), newBusiness()])
})
afterAll(async () => database().end())

const made = (path: string, body: object = {}, at = salon) => at.make(path, body)
const everyDay = (...workingHours: { from: number; to: number }[]) =>
  ['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY', 'SUNDAY'].map((day) => ({ day, workingHours }))
const nine = { from: 540, to: 780 }
async function linked(service: object = {}, provider: object = {}, link: object = {}) {
  const [{ id: serviceId }, { id: providerId }] = await Promise.all([
    made('/services', service),
    made('/providers', provider),
  ])
  const body = { serviceId, providerId, workingDays: everyDay(nine), specificDates: [], slotInterval: 60, ...link }
  const { status, body: record } = await salon.ask('POST', '/service-providers', body)
  if (status !== 201) throw new Error(`not linked: ${status} ${JSON.stringify(record)}`)
  return { serviceId, providerId, link: record }
}
const month = () => dateIn(40).slice(0, 7)
const slotsOf = async (
  { serviceId }: { serviceId: string },
  ask: (path: string) => Promise<Answer> = (path) => salon.ask('GET', path),
) => (await ask(`/bookings/availability?serviceId=${serviceId}&month=${month()}`)).body
const ids = ({ body }: Answer) => body.items.map(({ id }: { id: string }) => id)

test('A service is read, listed and changed with the fields of both variants', async () => {
  const given = {
    ...{
      key: unique(),
      slug: { en: `cut-${unique()}` },
      access: 'private',
      nodeIds: [salon.id],
      networkIds: [other.id],
      status: 'DRAFT',
    },
    ...{
      prices: [{ market: 'booking', amount: 4200 }],
      durations: [{ duration: 30 }, { duration: 10, isPause: true }],
      isApprovalRequired: true,
    },
    ...{
      location: { street1: 'Main Street 1', country: 'US', postalCode: '10001', lat: 40.7, lng: -74 },
      blocks: [{ key: 'name', type: 'text', value: 'Cut' }],
    },
  }
  const service = await made('/services', given)
  expect(service).toMatchObject({
    ...given,
    prices: [{ market: 'booking', currency: 'USD', amount: 4200 }],
    durations: [
      { duration: 30, isPause: false },
      { duration: 10, isPause: true },
    ],
    ...{ providers: [], taxonomies: [], createdAt: expect.any(Number), updatedAt: expect.any(Number) },
  })
  expect(Object.keys(service).filter((name) => name.includes('_') || name === 'segments')).toEqual([])
  expect((await salon.ask('GET', `/services/${service.id}`)).body).toEqual(service)
  expect((await salon.ask('GET', `/services/${given.slug.en}?locale=en`)).body).toEqual(service)
  expect((await salon.ask('GET', `/services?ids=${service.id}&statuses=draft`)).body).toEqual({
    items: [service],
    cursor: null,
  })
  const changed = await salon.ask('PUT', `/services/${service.id}`, {
    ...service,
    location: null,
    durations: [],
    access: 'public',
    status: 'ACTIVE',
  })
  expect([changed.status, changed.body]).toMatchObject([
    200,
    { location: null, durations: [], access: 'public', isApprovalRequired: true, status: 'ACTIVE' },
  ])
  expect((await salon.ask('DELETE', `/services/${service.id}`)).body).toEqual({ success: true })
  expect((await salon.ask('GET', `/services/${service.id}`)).status).toBe(404)
})

test('A provider has one spot at a time unless it says otherwise', async () => {
  const provider = await made('/providers', { audienceIds: [salon.id], nodeIds: [], access: 'public' })
  expect(provider).toMatchObject({
    audienceIds: [salon.id],
    nodeIds: [],
    networkIds: [],
    access: 'public',
    concurrentLimit: 1,
    status: 'ACTIVE',
  })
  const changed = await salon.ask('PUT', `/providers/${provider.id}`, { concurrentLimit: 3 })
  expect([changed.status, changed.body]).toEqual([
    200,
    { ...provider, concurrentLimit: 3, updatedAt: expect.any(Number) },
  ])
  expect((await salon.ask('GET', `/providers?ids=${provider.id}`)).body.items).toEqual([changed.body])
})

test('A link is read back as it was written, in minutes', async () => {
  const given = {
    workingDays: [
      { day: 'MONDAY', workingHours: [nine, { from: 1320, to: 120 }] },
      {
        day: 'SUNDAY',
        workingHours: [
          { from: 0, to: 1440 },
          { from: 480, to: 480 },
          { from: 1200, to: 0 },
        ],
      },
    ],
    specificDates: [
      { date: '2030-12-24', workingHours: [] },
      { date: '2030-12-31', workingHours: [nine] },
    ],
    ...{
      slotInterval: 15,
      prices: [{ market: 'booking', currency: 'USD', amount: 1 }],
      durations: [{ duration: 20, isPause: false }],
    },
  }
  const { serviceId, providerId, link } = await linked({}, {}, given)
  expect(link).toEqual({
    id: expect.any(String),
    serviceId,
    providerId,
    ...given,
    createdAt: expect.any(Number),
    updatedAt: expect.any(Number),
  })
  expect((await salon.ask('GET', `/service-providers?serviceId=${serviceId}&providerId=${providerId}`)).body).toEqual({
    items: [link],
    cursor: null,
  })
  const changed = await salon.ask('PUT', `/service-providers/${link.id}`, { slotInterval: 30, workingDays: [] })
  expect([changed.status, changed.body]).toEqual([
    200,
    { ...link, slotInterval: 30, workingDays: [], updatedAt: expect.any(Number) },
  ])
  const again = await salon.ask('POST', '/service-providers', {
    serviceId,
    providerId,
    workingDays: [],
    specificDates: [],
    slotInterval: 5,
  })
  expect([again.status, again.body.code]).toEqual([409, 'link_exists'])
  expect((await salon.ask('DELETE', `/service-providers/${link.id}`)).body).toEqual({ success: true })
})

test('Wrong fields of a link are refused at their pointers', async () => {
  const { serviceId, providerId } = await linked()
  const refused = async (body: object) => {
    const base = { serviceId, providerId, workingDays: [], specificDates: [], slotInterval: 5 }
    const answer = await salon.ask('POST', '/service-providers', { ...base, ...body })
    return [answer.status, ...answer.body.errors.map(({ pointer }: { pointer: string }) => pointer)]
  }
  expect(await refused({ workingDays: [{ day: 'MONDAY', workingHours: [{ from: 1440, to: 1441 }] }] })).toEqual([
    422,
    '/workingDays/0/workingHours/0/from',
    '/workingDays/0/workingHours/0/to',
  ])
  expect(await refused({ durations: [{ duration: 1000 }, { duration: 441 }] })).toEqual([422, '/durations'])
  expect(await refused({ prices: [{ market: 'moon', amount: 1 }] })).toEqual([422, '/prices/0/market'])
  expect(await refused({ slotInterval: undefined, workingDays: undefined, specificDates: undefined })).toEqual([
    422,
    '/workingDays',
    '/specificDates',
    '/slotInterval',
  ])
  const foreign = await made('/services', {}, other)
  expect(await refused({ serviceId: foreign.id })).toEqual([422, '/serviceId'])
})

test('A slot lasts the sum of its steps: those of the link before those of the service', async () => {
  const own = await linked({ durations: [{ duration: 45 }, { duration: 15, isPause: true }, { duration: 30 }] })
  const lengths = async (cut: { serviceId: string }) => {
    const { providers } = await slotsOf(cut)
    return [
      ...new Set(
        providers[0].days.flatMap(({ slots }: { slots: { from: number; to: number }[] }) =>
          slots.map(({ from, to }) => (to - from) / 60),
        ),
      ),
    ]
  }
  expect(await lengths(own)).toEqual([90])
  const changed = await salon.ask('PUT', `/service-providers/${own.link.id}`, {
    durations: [{ duration: 20 }, { duration: 20 }],
  })
  expect(changed.status).toBe(200)
  expect(await lengths(own)).toEqual([40])
  expect(await lengths(await linked())).toEqual([60])
})

test('A month has its free slots with the limit of the provider', async () => {
  const cut = await linked({}, { concurrentLimit: 4 })
  const { providers } = await slotsOf(cut)
  expect(providers).toMatchObject([{ providerId: cut.providerId }])
  const [year, number] = month().split('-').map(Number) as [number, number]
  expect(providers[0].days.length).toBe(new Date(Date.UTC(year, number, 0)).getUTCDate())
  const first = Date.UTC(year, number - 1, 1, 9) / 1000
  expect(providers[0].days[0]).toEqual({
    date: `${month()}-01`,
    slots: [0, 1, 2, 3].map((hour) => ({ from: first + hour * 3600, to: first + (hour + 1) * 3600, spots: 4 })),
  })
  const missing = await salon.ask('GET', `/bookings/availability?serviceId=${cut.serviceId}`)
  expect([missing.status, missing.body.errors[0].pointer]).toEqual([422, 'month'])
})

test('Bookings have the service’s price where the link has none, and the provider’s limit', async () => {
  const prices = [
    { market: 'booking', amount: 1500 },
    { market: 'us', amount: 900 },
  ]
  const cut = await linked(
    { prices, durations: [{ duration: 60 }] },
    { concurrentLimit: 2 },
    { prices: [{ market: 'us', amount: 1000 }] },
  )
  const offers = (await salon.ask('GET', `/services/${cut.serviceId}`)).body.providers
  expect(offers).toMatchObject([
    {
      providerId: cut.providerId,
      prices: [
        { market: 'us', amount: 1000 },
        { market: 'booking', amount: 1500 },
      ],
      durations: [{ duration: 60, isPause: false }],
    },
  ])
  const { from, to } = (await slotsOf(cut)).providers[0].days[0].slots[0]
  const key = { 'x-service-publishable-key': salon.publishableKey }
  const buy = async () => {
    const { body } = await http('POST', '/v1/storefront/account/identify', { body: {}, headers: key })
    const headers = { ...key, 'x-service-visitor-token': body.visitor_token }
    const cart = (await http('POST', '/v1/storefront/carts/current', { headers, body: {} })).body.id
    const items = [{ service_id: cut.serviceId, provider_id: cut.providerId, slots: [{ from, to }] }]
    await http('PUT', `/v1/storefront/carts/${cart}`, { headers, body: { market: 'booking', booking_items: items } })
    const quote = await http('POST', `/v1/storefront/carts/${cart}/quote`, { headers, body: {} })
    const checkout = await http('POST', `/v1/storefront/carts/${cart}/checkout`, {
      headers,
      body: { payment_method_key: 'cash' },
      base: eitherApi(),
    })
    return { total: quote.body.money?.total, status: checkout.status, code: checkout.body.code }
  }
  const bought = await Promise.all(Array.from({ length: 8 }, buy))
  expect(bought.filter(({ status }) => status === 200).length).toBe(2)
  expect(bought.filter(({ status, code }) => status === 409 && code === 'slot_taken').length).toBe(6)
  expect(bought.map(({ total }) => total)).toEqual(Array(8).fill(1500))
  const { taken, booked } = await scheduleOf(salon.id)
  expect(taken).toEqual(booked)
})

test('A market in which a service has a price cannot be deleted', async () => {
  const market = await made('/markets', { currency: 'CHF' })
  const { id } = await made('/services', { prices: [{ market: market.key, amount: 1000 }] })
  const refused = await salon.ask('DELETE', `/markets/${market.id}`)
  expect([refused.status, refused.body.code, refused.body.usedBy]).toEqual([409, 'market_in_use', ['services']])
  await salon.ask('PUT', `/services/${id}`, { prices: [] })
  expect((await salon.ask('DELETE', `/markets/${market.id}`)).status).toBe(200)
})

test('Working time is that of all services together, or of one', async () => {
  const cut = await linked(
    {},
    {},
    {
      specificDates: [
        { date: '2030-12-24', workingHours: [] },
        { date: '2030-12-25', workingHours: [] },
      ],
    },
  )
  const color = await made('/services')
  const later = {
    workingDays: everyDay({ from: 780, to: 900 }).slice(0, 1),
    specificDates: [{ date: '2030-12-24', workingHours: [nine] }],
    slotInterval: 30,
  }
  await made('/service-providers', { serviceId: color.id, providerId: cut.providerId, ...later })
  const at = `/providers/${cut.providerId}/working-time`
  expect((await salon.ask('GET', at)).body).toEqual({
    workingDays: [{ day: 'MONDAY', workingHours: [{ from: 540, to: 900 }] }, ...everyDay(nine).slice(1)],
    specificDates: [{ date: '2030-12-24', workingHours: [nine] }],
    outcastDates: [{ date: '2030-12-25', workingHours: [] }],
  })
  const ofOne = await salon.see(`${at}?serviceId=${color.id}`)
  expect([ofOne.status, ofOne.body]).toEqual([
    200,
    { workingDays: later.workingDays, specificDates: later.specificDates, outcastDates: [] },
  ])
  expect((await other.ask('GET', at)).status).toBe(404)
})

test('Visitors find what is active and public, operators all', async () => {
  const shown = await linked()
  const hidden = [await linked({ access: 'private' }), await linked({ status: 'DRAFT' })]
  const secret = await linked({}, { access: 'private' })
  for (const { serviceId } of hidden) {
    expect((await salon.see(`/services/${serviceId}`)).status).toBe(404)
    expect((await salon.ask('GET', `/services/${serviceId}`)).status).toBe(200)
    expect((await salon.see(`/bookings/availability?serviceId=${serviceId}&month=${month()}`)).status).toBe(404)
    expect((await salon.ask('GET', `/bookings/availability?serviceId=${serviceId}&month=${month()}`)).status).toBe(200)
    expect(ids(await salon.see(`/service-providers?serviceId=${serviceId}`))).toEqual([])
    expect(ids(await salon.ask('GET', `/service-providers?serviceId=${serviceId}`)).length).toBe(1)
  }
  const all = [shown, secret, ...hidden].map(({ serviceId }) => serviceId)
  expect(ids(await salon.see(`/services?ids=${all}`)).sort()).toEqual([shown.serviceId, secret.serviceId].sort())
  expect(ids(await salon.ask('GET', `/services?ids=${all}`)).sort()).toEqual([...all].sort())
  expect(ids(await salon.see(`/services?ids=${all}&statuses=DRAFT`))).toEqual([])
  expect((await salon.see(`/providers/${secret.providerId}`)).status).toBe(404)
  expect((await salon.see(`/providers/${secret.providerId}/working-time`)).status).toBe(404)
  expect((await salon.see(`/services/${secret.serviceId}`)).body.providers).toEqual([])
  expect((await salon.ask('GET', `/services/${secret.serviceId}`)).body.providers.length).toBe(1)
  expect((await slotsOf(secret, salon.see)).providers).toEqual([])
  expect((await slotsOf(secret)).providers.length).toBe(1)
  const storefront = await http('GET', `/v1/storefront/services?ids=${all}`, {
    headers: { 'x-service-publishable-key': salon.publishableKey },
  })
  expect(ids(storefront).sort()).toEqual([shown.serviceId, secret.serviceId].sort())
})

test('Visitors change nothing', async () => {
  const headers = { 'x-service-publishable-key': salon.publishableKey }
  const { serviceId } = await linked()
  const at = `/v1/businesses/${salon.id}/services`
  expect((await http('POST', at, { headers, body: { key: unique() } })).status).toBe(401)
  expect((await http('PUT', `${at}/${serviceId}`, { headers, body: { key: unique() } })).status).toBe(401)
  expect((await http('DELETE', `${at}/${serviceId}`, { headers })).status).toBe(401)
  const foreign = await http('GET', at, { headers: { 'x-service-publishable-key': other.publishableKey } })
  expect([foreign.status, foreign.body.code]).toEqual([404, 'not_found'])
})

describe('Lists', () => {
  const search = (resource: string, given: Record<string, unknown>) =>
    `/${resource}?${new URLSearchParams(Object.entries(given).map(([name, value]): [string, string] => [name, typeof value === 'object' ? JSON.stringify(value) : String(value)]))}`
  const found = async (given: Record<string, unknown>, resource = 'services', at = other) =>
    ids(await at.ask('GET', search(resource, given))).sort()
  const text = (key: string, value: unknown) => ({ key, type: 'text', value })

  test('Blocks are found by key and value: by one of them, or with matchAll by all', async () => {
    const of = (...blocks: object[]) => made('/services', { blocks }, other)
    const [a, b, c] = [
      await of(text('city', 'Rome')),
      await of(text('city', 'Rome'), text('floor', '1')),
      await of(text('city', 'Oslo'), text('floor', '1')),
    ]
    const wanted = [
      { key: 'city', value: 'Rome' },
      { key: 'floor', value: '1' },
    ]
    const all = [a, b, c].map(({ id }) => id).sort()
    expect(await found({ blocks: wanted })).toEqual(all)
    expect(await found({ blocks: wanted, matchAll: false })).toEqual(all)
    expect(await found({ blocks: wanted, matchAll: true })).toEqual([b.id])
    expect(await found({ blocks: [{ key: 'floor' }] })).toEqual([b.id, c.id].sort())
    expect(await found({ blocks: [{ key: 'city', value: 'Rom' }] })).toEqual([])
    const wrong = await other.ask('GET', search('services', { blocks: [{ name: 'city' }] }))
    expect([wrong.status, wrong.body.errors[0].pointer]).toEqual([422, 'blocks'])
    expect((await other.ask('GET', search('services', { blocks: Array(21).fill({ key: 'a' }) }))).status).toBe(422)
  })

  test('Records are found by a node and by the price that visitors pay', async () => {
    const booking = (amount: number) => [{ market: 'booking', amount }]
    const [cheap, dear, unlinked] = [
      await linked({ prices: booking(500), nodeIds: [other.id] }),
      await linked({ prices: booking(500) }, { nodeIds: [other.id] }, { prices: booking(9000) }),
      (await made('/services', { prices: [...booking(700), { market: 'us', amount: 1 }] })).id,
    ]
    const secret = await linked({ prices: booking(600) }, { access: 'private' }, { prices: booking(100) })
    const priced = async (given: Record<string, number>) =>
      found(
        { ids: [cheap.serviceId, dear.serviceId, unlinked, secret.serviceId].join(','), ...given } as never,
        'services',
        salon,
      )
    expect(await priced({ priceFrom: 500, priceTo: 500 })).toEqual([cheap.serviceId])
    expect(await priced({ priceFrom: 501 })).toEqual([dear.serviceId, unlinked, secret.serviceId].sort())
    expect(await priced({ priceTo: 8999 })).toEqual([cheap.serviceId, unlinked, secret.serviceId].sort())
    expect(await priced({ priceFrom: 501, priceTo: 8999 })).toEqual([unlinked, secret.serviceId].sort())
    const providers = [cheap, dear, secret].map(({ providerId }) => providerId).join(',')
    expect(await found({ ids: providers, priceTo: 1000 }, 'providers', salon)).toEqual(
      [cheap.providerId, secret.providerId].sort(),
    )
    expect(await found({ nodeId: other.id }, 'services', salon)).toEqual([cheap.serviceId])
    expect(await found({ nodeId: other.id }, 'providers', salon)).toEqual([dear.providerId])
  })

  test('Pages of what is free between two times follow each other without a gap', async () => {
    const at = await newBusiness('Australia/Lord_Howe')
    const day = dateIn(20)
    const [from, to] = [Date.parse(day) / 1000, Date.parse(day) / 1000 + 7200]
    const wanted: string[] = []
    for (let turn = 0; turn < 12; turn++) {
      const [{ id: serviceId }, { id: providerId }] = [
        await made('/services', {}, at),
        await made('/providers', {}, at),
      ]
      const hours = turn % 3 === 0 ? [] : everyDay({ from: 0, to: 1440 })
      await made(
        '/service-providers',
        { serviceId, providerId, workingDays: hours, specificDates: [], slotInterval: 60 },
        at,
      )
      // Taken in all of the span, whose hours are those of two local dates at most.
      if (turn % 3 === 1)
        await database().query(
          `insert into schedule_days (tenant_id, provider_id, local_date, taken)
           select $1, $2, to_char(to_timestamp(s) at time zone 'Australia/Lord_Howe', 'YYYY-MM-DD'), $4::jsonb from unnest($3::bigint[]) s on conflict do nothing`,
          [at.id, providerId, [from - 7200, to + 7200], JSON.stringify([[from - 7200, to + 7200]])],
        )
      if (turn % 3 === 2) wanted.push(serviceId)
    }
    const seen: string[] = []
    const sizes: number[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { status, body } = await at.see(search('services', { from, to, limit: 4, cursor }))
      expect(status).toBe(200)
      seen.push(...body.items.map(({ id }: { id: string }) => id))
      sizes.push(body.items.length)
      cursor = body.cursor
    }
    expect(seen).toEqual(wanted.toReversed())
    expect(sizes.reduce((sum, size) => sum + size)).toBe(4)
    expect(sizes.length).toBe(3)
    expect(ids(await at.ask('GET', search('providers', { from, to, limit: 100 }))).length).toBe(4)
    expect(ids(await at.ask('GET', search('services', { from: 1000, to: 2000 })))).toEqual([])
  })

  test('A span needs both ends, in order, and has at most 31 days', async () => {
    const refused = async (given: Record<string, unknown>) => {
      const { status, body } = await salon.see(search('providers', given))
      return [status, body.errors?.[0]?.pointer]
    }
    expect(await refused({ from: 1 })).toEqual([422, 'to'])
    expect(await refused({ to: 1 })).toEqual([422, 'from'])
    expect(await refused({ from: 2, to: 1 })).toEqual([422, 'to'])
    expect(await refused({ from: 0, to: 31 * 86_400 + 1 })).toEqual([422, 'to'])
    expect(await refused({ from: 0, to: 31 * 86_400 })).toEqual([200, undefined])
  })
})
