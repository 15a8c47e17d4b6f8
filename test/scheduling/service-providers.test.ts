// A link between a service and a provider has bookable hours, durations and prices: invalid values are refused with
// their pointers.
import { beforeAll, describe, expect, test } from '@jest/globals'
import { bookAhead } from '../kit/bookings/booking-rows.ts'
import { eitherApi, newShop, type Shop, unique } from '../kit/shop.ts'

let shop: Shop
beforeAll(async () => {
  shop = await newShop()
})

const made = async (path: string, at = shop) => (await at.asOperator('POST', path, { key: unique() })).body.id as string
const pair = async (at = shop) => ({
  service_id: await made('/services', at),
  provider_id: await made('/providers', at),
})
const create = (body: Record<string, unknown>, at = shop) =>
  at.asOperator('POST', '/service-providers', { slot_interval: 30, ...body }, eitherApi())
const read = (id: string, at = shop) => at.asOperator('GET', `/service-providers/${id}`, undefined, eitherApi())
const update = (id: string, body: unknown) => shop.asOperator('PUT', `/service-providers/${id}`, body)
const remove = (id: string) => shop.asOperator('DELETE', `/service-providers/${id}`)
const codeAndPlaces = ({
  status,
  body,
}: {
  status: number
  body: { code: string; errors?: { pointer: string }[] }
}) => [status, body.code, body.errors?.map(({ pointer }) => pointer)]
const unknownId = '0199aaaa-0000-7000-8000-000000000000'
const us = { market: 'us', currency: 'USD', amount: 500 }
const nine = { from: '09:00', to: '17:00' }

test('A link is read back as it was written', async () => {
  const given = {
    working_days: [
      { day: 'monday', windows: [nine, { from: '22:00', to: '02:00' }] },
      {
        day: 'sunday',
        windows: [
          { from: '00:00', to: '24:00' },
          { from: '08:00', to: '08:00' },
        ],
      },
    ],
    specific_dates: [
      { date: '2030-12-24', windows: [] },
      { date: '2030-12-31', windows: [nine] },
    ],
    durations: [{ duration: 30 }, { duration: 1440 }],
    prices: [us],
    slot_interval: 15,
    concurrent_limit: 3,
  }
  const answer = await create({ ...(await pair()), ...given })
  expect(answer.status).toBe(201)
  expect(answer.body).toMatchObject(given)
  expect((await read(answer.body.id)).body).toEqual(answer.body)
  expect((await update(answer.body.id, answer.body)).body).toEqual({ ...answer.body, updated_at: expect.any(Number) })
})

test('A new link has no hours, no prices and one spot by default', async () => {
  const { body } = await create(await pair())
  expect(body).toMatchObject({
    working_days: [],
    specific_dates: [],
    durations: [],
    prices: [],
    slot_interval: 30,
    concurrent_limit: 1,
  })
})

test('An update of a link keeps absent fields and cannot change its pair', async () => {
  const both = await pair()
  const { body } = await create({ ...both, prices: [us], durations: [{ duration: 60 }] })
  const changed = await update(body.id, { concurrent_limit: 2, prices: [{ market: 'eu', amount: 7 }] })
  expect(changed.body).toMatchObject({
    ...both,
    durations: [{ duration: 60 }],
    concurrent_limit: 2,
    prices: [{ market: 'eu', currency: 'EUR', amount: 7 }],
  })
  expect(
    (await update(body.id, { ...both, service_id: both.service_id.toUpperCase(), slot_interval: 45 })).body
      .slot_interval,
  ).toBe(45)
  for (const name of ['service_id', 'provider_id'])
    expect(codeAndPlaces(await update(body.id, { [name]: unknownId }))).toEqual([422, 'cannot_change', [`/${name}`]])
})

test('A pair of service and provider has one link, also for concurrent creations', async () => {
  const both = await pair()
  const answers = await Promise.all(Array.from({ length: 5 }, () => create(both)))
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409])
  for (const { body } of answers.filter(({ status }) => status === 409)) expect(body.code).toBe('link_exists')
})

test('Links are listed by service and by provider', async () => {
  const own = await newShop()
  const [one, two] = [await pair(own), await pair(own)]
  const links = [
    await create(one, own),
    await create({ ...one, provider_id: two.provider_id }, own),
    await create(two, own),
  ].map(({ body }) => body.id)
  const ids = async (query: string) =>
    (await own.asOperator('GET', `/service-providers?sort_direction=asc&${query}`)).body.items.map(
      ({ id }: { id: string }) => id,
    )
  expect(await ids('')).toEqual(links)
  expect(await ids(`service_id=${one.service_id}`)).toEqual([links[0], links[1]])
  expect(await ids(`provider_id=${two.provider_id}`)).toEqual([links[1], links[2]])
  expect(await ids(`service_id=${one.service_id}&provider_id=${two.provider_id}`)).toEqual([links[1]])
  expect((await own.asOperator('GET', '/service-providers?service_id=1')).status).toBe(422)
  expect((await shop.asOperator('GET', `/service-providers?service_id=${one.service_id}`)).body.items).toEqual([])
})

test('A link whose pair has future bookings cannot be deleted', async () => {
  const both = await pair()
  const { body } = await create(both)
  const elsewhere = await bookAhead(shop, { ...both, provider_id: await made('/providers') }, ['confirmed'])
  const bookings = await bookAhead(shop, both, ['confirmed', 'no_show'])
  const refused = await remove(body.id)
  expect([refused.status, refused.body.code, refused.body.bookings]).toEqual([409, 'bookings_ahead', 1])
  await bookings.end()
  expect((await remove(body.id)).body).toEqual({ success: true })
  expect((await remove(body.id)).status).toBe(404)
  await elsewhere.end()
})

test('A link of another store returns 404, and so do its service and provider', async () => {
  const other = await newShop()
  const theirs = await pair(other)
  const { body } = await create(theirs, other)
  for (const answer of [await read(body.id), await update(body.id, { slot_interval: 5 }), await remove(body.id)])
    expect(answer.status).toBe(404)
  const ours = await pair()
  expect(codeAndPlaces(await create({ ...ours, service_id: theirs.service_id }))).toEqual([
    422,
    'service_unknown',
    ['/service_id'],
  ])
  expect(codeAndPlaces(await create({ ...ours, provider_id: theirs.provider_id }))).toEqual([
    422,
    'provider_unknown',
    ['/provider_id'],
  ])
  expect((await read(body.id, other)).status).toBe(200)
})

describe('Refused links', () => {
  const many = (count: number, make: (n: number) => unknown) => Array.from({ length: count }, (_, n) => make(n))
  test.each<[string, Record<string, unknown>, string, string]>([
    ['an unknown service', { service_id: unknownId }, 'service_unknown', '/service_id'],
    ['an unknown provider', { provider_id: unknownId }, 'provider_unknown', '/provider_id'],
    ['no interval', { slot_interval: undefined }, 'invalid_input', '/slot_interval'],
    ['an interval of nothing', { slot_interval: 0 }, 'invalid_input', '/slot_interval'],
    ['an interval of more than a day', { slot_interval: 1441 }, 'invalid_input', '/slot_interval'],
    ['half a minute', { durations: [{ duration: 0.5 }] }, 'invalid_input', '/durations/0/duration'],
    ['a duration twice', { durations: [{ duration: 5 }, { duration: 5 }] }, 'invalid_input', '/durations/1/duration'],
    ['no spots', { concurrent_limit: 0 }, 'invalid_input', '/concurrent_limit'],
    ['room for too many', { concurrent_limit: 1001 }, 'invalid_input', '/concurrent_limit'],
    ['an invalid day', { working_days: [{ day: 'someday', windows: [] }] }, 'invalid_input', '/working_days/0/day'],
    [
      'a day twice',
      { working_days: many(2, () => ({ day: 'Monday', windows: [] })) },
      'invalid_input',
      '/working_days/1/day',
    ],
    [
      'an invalid time',
      { working_days: [{ day: 'monday', windows: [{ from: '24:00', to: '9' }] }] },
      'invalid_input',
      '/working_days/0/windows/0/from',
    ],
    [
      'an invalid date',
      { specific_dates: [{ date: '2030-02-30', windows: [] }] },
      'invalid_input',
      '/specific_dates/0/date',
    ],
    [
      'a date twice',
      { specific_dates: many(2, () => ({ date: '2030-02-03', windows: [] })) },
      'invalid_input',
      '/specific_dates/1/date',
    ],
    [
      'too many dates',
      {
        specific_dates: many(1001, (n) => ({
          date: `${2000 + Math.floor(n / 28)}-02-${String((n % 28) + 1).padStart(2, '0')}`,
          windows: [],
        })),
      },
      'invalid_input',
      '/specific_dates',
    ],
    ['an unknown market', { prices: [us, { market: 'xx', amount: 1 }] }, 'market_unknown', '/prices/1/market'],
    [
      'another currency than the market’s',
      { prices: [{ ...us, currency: 'EUR' }] },
      'currency_mismatch',
      '/prices/0/currency',
    ],
    ['two prices in one market', { prices: [us, us] }, 'invalid_input', '/prices/1/market'],
    ['a negative price', { prices: [{ ...us, amount: -1 }] }, 'invalid_input', '/prices/0/amount'],
    ['an unknown field', { colour: 'red' }, 'invalid_input', '/colour'],
  ])('A link with %s is refused with its pointer', async (_, wrong, code, pointer) => {
    const refused = await create({ ...(await pair()), ...wrong })
    expect([refused.status, refused.body.code]).toEqual([422, code])
    expect(codeAndPlaces(refused)[2]).toContain(pointer)
  })

  test('An invalid update of a link is refused as well', async () => {
    const { body } = await create(await pair())
    expect(codeAndPlaces(await update(body.id, { prices: [{ market: 'xx', amount: 1 }] }))).toEqual([
      422,
      'market_unknown',
      ['/prices/0/market'],
    ])
    expect(codeAndPlaces(await update(body.id, { slot_interval: 0 }))).toEqual([
      422,
      'invalid_input',
      ['/slot_interval'],
    ])
  })
})

describe('Markets of links', () => {
  const market = async () => (await shop.asOperator('POST', '/markets', { key: unique(), currency: 'CHF' })).body
  const drop = (id: string) => shop.asOperator('DELETE', `/markets/${id}`)

  test('A market in which a link has a price cannot be deleted', async () => {
    const { id, key } = await market()
    const link = await create({ ...(await pair()), prices: [{ market: key, amount: 1 }] })
    const refused = await drop(id)
    expect([refused.status, refused.body.code, refused.body.used_by]).toEqual([409, 'market_in_use', ['services']])
    await update(link.body.id, { prices: [] })
    expect((await drop(id)).status).toBe(200)
  })

  test('A market is deleted or a link gets a price in it, never both', async () => {
    for (let round = 0; round < 5; round++) {
      const [{ id, key }, both] = [await market(), await pair()]
      const [gone, link] = await Promise.all([drop(id), create({ ...both, prices: [{ market: key, amount: 1 }] })])
      expect([`${gone.status} ${link.status}`]).toContainEqual(expect.stringMatching(/^(200 422|409 201)$/))
    }
  })
})
