// Legal requests at their limits, and cursors and texts that no client makes, are answered or refused: none is a server
// error, and none occupies a process.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { openOrm, unitOf } from '../entities/kit/database/orm.ts'
import { daysOf } from '../entities/scheduling/service-providers.ts'
import { dateIn } from './kit/bookings/booking.ts'
import { type Business, newBusiness } from './kit/business.ts'
import { until } from './kit/codes.ts'
import { refusalOf } from './kit/orders/buying.ts'
import { database, eitherApi, http, operator, unique } from './kit/shop.ts'

let salon: Business
beforeAll(async () => {
  salon = await newBusiness()
})
afterAll(async () => database().end())

const everyDay = ['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY', 'SUNDAY'].map((day) => ({
  day,
  workingHours: [{ from: 540, to: 1020 }],
}))

async function linked(
  providerId: string,
  specificDates: object[] = [],
  workingDays: object[] = everyDay,
): Promise<string> {
  const { id: serviceId } = await salon.make('/services', { prices: [{ market: 'booking', amount: 1000 }] })
  await salon.make('/service-providers', { serviceId, providerId, workingDays, specificDates, slotInterval: 60 })
  return serviceId
}

test('A search for free time on the last days of the calendar is refused', async () => {
  const { id } = await salon.make('/providers')
  await linked(id, [], [])
  const end = 253_402_300_799
  const { status, body } = await salon.see(`/providers?ids=${id}&from=${end - 86_400}&to=${end}`)
  expect([status, body.errors?.[0]]).toMatchObject([422, { pointer: 'to', code: 'too_big' }])
})

test('A filter by a block of text that cannot be stored, or is nested too deeply, is refused', async () => {
  const blocks = (value: string) =>
    salon.see(`/services?blocks=${encodeURIComponent(`[{"key":"name","value":${value}}]`)}`)
  for (const value of ['"\\u0000"', '"\\ud800"', '{"\\u0000":1}', `${'['.repeat(200)}${']'.repeat(200)}`]) {
    const { status, body } = await blocks(value)
    expect([value.slice(0, 12), status, body.errors?.[0]?.pointer]).toEqual([value.slice(0, 12), 422, 'blocks'])
  }
  // As deep as the length of an address allows.
  const answer = await fetch(
    `${eitherApi()}/v1/businesses/${salon.id}/services?blocks=[{"key":"a","value":${'['.repeat(5000)}${']'.repeat(5000)}}]`,
    {
      headers: { 'x-service-publishable-key': salon.publishableKey },
    },
  )
  expect(answer.status).toBe(422)
})

test('A parameter that is sent in both of its spellings is refused as one that is sent twice', async () => {
  const [both, twice] = await Promise.all(
    ['sortOrder=asc&sortDirection=desc', 'sortDirection=asc&sortDirection=desc'].map((query) =>
      salon.see(`/services?${query}`),
    ),
  )
  expect([both?.status, both?.body.errors]).toEqual([422, twice?.body.errors])
})

test('Working time of more hours than an answer can hold is refused for all services at once', async () => {
  const { id } = await salon.make('/providers')
  const dates = (year: number) =>
    Array.from({ length: 1000 }, (_, nth) => ({
      date: new Date(Date.UTC(year, 0, 1) + nth * 86_400_000).toISOString().slice(0, 10),
      workingHours: [{ from: 600, to: 660 }],
    }))
  const services: string[] = []
  for (let year = 2030; year < 2120; year += 3) services.push(await linked(id, dates(year)))
  expect(refusalOf(await salon.see(`/providers/${id}/working-time`))).toEqual([422, 'serviceId', 'too_many_slots'])
  const { status, body } = await salon.see(`/providers/${id}/working-time?serviceId=${services[0]}`)
  expect([status, body.specificDates.length, body.specificDates[0]]).toEqual([
    200,
    1000,
    { date: '2030-01-01', workingHours: [{ from: 600, to: 660 }] },
  ])
})

test('Free time is found by the single dates of its span alone, of a link that has a thousand', async () => {
  const { id } = await salon.make('/providers')
  const day = (at: number) => new Date(at * 1000).toISOString().slice(0, 10)
  const begin = Date.parse(`${dateIn(10)}T00:00:00Z`) / 1000
  const dates = Array.from({ length: 1000 }, (_, nth) => ({
    date: day(begin + nth * 86_400),
    workingHours: nth === 500 ? [{ from: 1380, to: 60 }] : [],
  }))
  const serviceId = await linked(id, dates, [])
  const at = begin + 500 * 86_400 + 1380 * 60
  const free = async (from: number, to: number) =>
    (await salon.see(`/providers?ids=${id}&from=${from}&to=${to}`)).body.items.length
  expect([
    await free(at, at),
    await free(at + 3600, at + 3600),
    await free(at - 7200, at - 3600),
    await free(at - 86_400, at + 86_400),
  ]).toEqual([1, 1, 0, 1])
  const month = day(at).slice(0, 7)
  const { providers } = (await salon.see(`/bookings/availability?serviceId=${serviceId}&month=${month}`)).body
  expect(
    providers[0].days.flatMap(({ slots }: { slots: { from: number }[] }) => slots.map(({ from }) => from)),
  ).toContain(at)
  const orm = await openOrm({ url: process.env.DATABASE_URL as string, pool: 1 })
  const span = { first: day(at), last: day(at + 86_400), market: undefined, provider_id: undefined, all: true }
  const read = await daysOf(unitOf(orm, salon.id), salon.id, { service_id: serviceId, ...span })
  await orm.close()
  expect(read?.links[0]?.specific_dates.map(({ date }) => date)).toEqual([day(at - 86_400), day(at), day(at + 86_400)])
})

test('A booking of more than a hundred slots of a provider is delivered, and can be sent back', async () => {
  const { id: providerId } = await salon.make('/providers')
  const { id: serviceId } = await salon.make('/services', { prices: [{ market: 'booking', amount: 1 }] })
  const workingDays = everyDay.map(({ day }) => ({ day, workingHours: [{ from: 0, to: 1440 }] }))
  await salon.make('/service-providers', { serviceId, providerId, workingDays, specificDates: [], slotInterval: 60 })
  const webhook = await salon.make('/webhooks', {
    url: 'http://127.0.0.1:9/',
    headers: {},
    enabled: true,
    events: [{ event: 'booking.created' }],
  })
  const begin = Date.parse(`${dateIn(60)}T00:00:00Z`) / 1000
  const slots = Array.from({ length: 120 }, (_, nth) => ({ from: begin + nth * 3600, to: begin + (nth + 1) * 3600 }))
  const items = [slots.slice(0, 60), slots.slice(60)].map((some) => ({ serviceId, providerId, slots: some }))
  const booked = await salon.ask('POST', '/bookings', { items, paymentMethodId: 'cash' })
  expect([booked.status, booked.body.parts?.[0].slots]).toEqual([201, slots])
  const [delivery] = (await salon.ask('GET', `/webhooks/${webhook.id}/deliveries`)).body.items
  const { status, body } = await salon.ask('GET', `/webhooks/${webhook.id}/deliveries/${delivery.id}`)
  expect([status, body.event?.data.parts[0].slots]).toEqual([200, slots])
  expect((await salon.ask('PUT', `/bookings/${booked.body.id}`, booked.body)).body).toEqual(booked.body)
})

test('A network refuses a forged cursor, and measures places that are next to each other', async () => {
  const platform = await operator(process.env.SUPER_EMAIL?.split(',')[0])
  const settings = { location: { lat: 1e-200, lng: 0 } }
  expect((await salon.ask('PUT', '', { settings })).status).toBe(200)
  const [first, second] = [await salon.make('/services'), await salon.make('/services')]
  const key = `city-${unique()}`
  await http('POST', '/v1/platform/networks', {
    headers: platform.headers,
    body: { key, name: 'City', tenant_ids: [salon.id] },
  })
  await until(
    async () => (await database().query('select 1 from listing_walks where tenant_id = $1', [salon.id])).rowCount === 0,
    30_000,
  )
  const search = (query: Record<string, string>) =>
    http('GET', `/v1/networks/${key}/services?${new URLSearchParams(query)}`, { base: eitherApi() })
  for (const place of [
    { lat: 0, lng: 0 },
    { lat: 5e-324, lng: -5e-324 },
    { lat: 1e-200, lng: 1e-170 },
  ]) {
    const { status, body } = await search({ location: JSON.stringify(place), limit: '100' })
    expect([
      status,
      body.items?.map(({ distance }: { distance: number }) => distance).every((one: number) => one === 0),
    ]).toEqual([200, true])
  }
  for (const query of [{ sortBy: 'newest' }, { location: '{"lat":0,"lng":0}' }]) {
    const page = await search({ ...query, limit: '1' } as never)
    const [scope, , id] = JSON.parse(Buffer.from(page.body.cursor, 'base64url').toString())
    const cursor = Buffer.from(JSON.stringify([scope, null, id])).toString('base64url')
    expect(refusalOf(await search({ ...query, limit: '1', cursor } as never))).toEqual([400, undefined, 'bad_cursor'])
  }
  expect([first, second].map(({ status }) => status)).toEqual(['ACTIVE', 'ACTIVE'])
})
