// Every slot shown as free can be booked: hours of the store's calendar minus booked time, computed without reading
// orders.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { nodesOf, readsOf, recordStatements, rowsOf } from '../kit/database/statements.ts'
import { database, eitherApi, newShop, type Shop, unique } from '../kit/shop.ts'

type Slot = { from: number; to: number; spots: number }
type Days = { date: string; slots: Slot[] }[]
type Provider = { provider_id: string; days: Days }

let shop: Shop
beforeAll(async () => {
  shop = await newShop({ timezone: 'Europe/Berlin' })
})
afterAll(() => database().end())

const weekdays = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']
const every = (from: string, to: string, days = weekdays) => days.map((day) => ({ day, windows: [{ from, to }] }))
const made = async (path: string, body: Record<string, unknown> = {}) => {
  const answer = await shop.asOperator('POST', path, { key: unique(), ...body })
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body))
  return answer.body.id as string
}
const link = (service_id: string, provider_id: string, more: Record<string, unknown> = {}) =>
  made('/service-providers', {
    key: undefined,
    service_id,
    provider_id,
    working_days: every('09:00', '12:00'),
    slot_interval: 60,
    ...more,
  })

/** A service with one provider: three hours of every day, unless the link says otherwise. */
async function bookable(more: Record<string, unknown> = {}) {
  const [service_id, provider_id] = [await made('/services'), await made('/providers')]
  const link_id = await link(service_id, provider_id, more)
  return { service_id, provider_id, link_id }
}

const ask = (service_id: string, search: string, at = shop) =>
  at.asOperator('GET', `/services/availability?service_id=${service_id}&${search}`, undefined, eitherApi())
const see = (service_id: string, search: string) =>
  shop.asVisitor('GET', `/services/availability?service_id=${service_id}&${search}`)
const providersOf = async (service_id: string, search: string): Promise<Provider[]> => {
  const { status, body } = await ask(service_id, search)
  if (status !== 200) throw new Error(JSON.stringify(body))
  return body.providers
}
const daysOf = async (service_id: string, search: string): Promise<Days> =>
  (await providersOf(service_id, search))[0]?.days ?? []

const clock = new Intl.DateTimeFormat('sv-SE', { timeZone: 'Europe/Berlin', dateStyle: 'short', timeStyle: 'short' })
/** `2040-03-05 09:00` in the store's time zone. */
const wall = (at: number) => clock.format(at * 1000)
const starts = (days: Days) => days.flatMap(({ slots }) => slots.map(({ from }) => wall(from)))
/** In winter time. */
const at = (date: string, time: string) => Date.parse(`${date}T${time}:00+01:00`) / 1000
const taken = (provider_id: string, date: string, slots: [number, number][]) =>
  database().query(
    'insert into schedule_days (tenant_id, provider_id, local_date, taken) values ($1, $2, $3, $4) on conflict (provider_id, local_date) do update set taken = excluded.taken',
    [shop.store_id, provider_id, date, JSON.stringify(slots)],
  )

test('Availability of a month shows every working hour in the store’s time', async () => {
  const { service_id } = await bookable({ working_days: every('09:00', '11:00', ['monday', 'friday']) })
  const days = await daysOf(service_id, 'month=2040-02')
  expect(days.map(({ date }) => date)).toEqual(
    ['03', '06', '10', '13', '17', '20', '24', '27'].map((day) => `2040-02-${day}`),
  )
  expect(days[0]).toEqual({
    date: '2040-02-03',
    slots: [
      { from: at('2040-02-03', '09:00'), to: at('2040-02-03', '10:00'), spots: 1 },
      { from: at('2040-02-03', '10:00'), to: at('2040-02-03', '11:00'), spots: 1 },
    ],
  })
})

test('Availability of a date range includes both of its days', async () => {
  const { service_id } = await bookable()
  expect((await daysOf(service_id, 'from=2040-02-28&to=2040-03-01')).map(({ date }) => date)).toEqual([
    '2040-02-28',
    '2040-02-29',
    '2040-03-01',
  ])
  const day = await daysOf(service_id, 'from=2040-02-29&to=2040-02-29')
  expect(starts(day)).toEqual(['2040-02-29 09:00', '2040-02-29 10:00', '2040-02-29 11:00'])
  expect((await see(service_id, 'from=2040-02-29&to=2040-02-29')).body.providers[0].days).toEqual(day)
})

test('Availability of a time range includes slots that begin at both ends, also past midnight', async () => {
  const { service_id } = await bookable({ working_days: every('22:00', '02:00') })
  const between = (from: number, to: number) => daysOf(service_id, `from=${from}&to=${to}`)
  const night = await between(at('2040-02-10', '23:00'), at('2040-02-11', '01:00'))
  expect(starts(night)).toEqual(['2040-02-10 23:00', '2040-02-11 00:00', '2040-02-11 01:00'])
  expect(starts(await between(at('2040-02-10', '23:01'), at('2040-02-11', '00:59')))).toEqual(['2040-02-11 00:00'])
  expect(starts(await between(at('2040-02-11', '00:00'), at('2040-02-11', '00:00')))).toEqual(['2040-02-11 00:00'])
  expect(await between(at('2040-02-11', '02:00'), at('2040-02-11', '21:59'))).toEqual([])
})

test('Availability covers at most 62 days', async () => {
  const { service_id } = await bookable()
  expect(await daysOf(service_id, 'from=2040-01-01&to=2040-03-02')).toHaveLength(62)
  const from = at('2040-01-01', '00:00')
  expect((await ask(service_id, `from=${from}&to=${from + 62 * 86_400}`)).status).toBe(200)
  for (const search of [
    'from=2040-01-01&to=2040-03-03',
    `from=${from}&to=${from + 62 * 86_400 + 1}`,
    'from=1970-01-01&to=9998-12-31',
  ]) {
    const { status, body } = await ask(service_id, search)
    expect([search, status, body.code, body.errors[0].pointer]).toEqual([search, 422, 'range_too_long', 'to'])
  }
})

test.each([
  ['', ['from', 'to']],
  ['from=2040-01-01', ['to']],
  ['to=2040-01-01', ['from']],
  ['month=2040-01&from=2040-01-01', ['from']],
  ['month=2040-01&from=2040-01-01&to=2040-01-02', ['from', 'to']],
  ['month=2040-13', ['month']],
  ['month=1969-12', ['month']],
  ['from=2040-02-30&to=2040-03-01', ['from']],
  ['from=2040-02-01&to=tomorrow', ['to']],
  ['from=-1&to=5', ['from']],
  ['from=2040-02-01&to=2224800000', ['to']],
  ['from=2040-02-02&to=2040-02-01', ['to']],
  ['from=2224800001&to=2224800000', ['to']],
  ['from=2040-02-02&to=2040-02-02&duration=0', ['duration']],
  ['from=2040-02-02&to=2040-02-02&duration=1441', ['duration']],
  ['from=2040-02-02&to=2040-02-02&provider_id=ann', ['provider_id']],
])('Availability with %p is refused with its pointer', async (search, pointers) => {
  const { status, body } = await ask('0199aaaa-0000-7000-8000-000000000000', search)
  expect([status, ...new Set(body.errors?.map(({ pointer }: { pointer: string }) => pointer))]).toEqual([
    422,
    ...pointers,
  ])
})

test('Availability needs a service of this store', async () => {
  const unnamed = await shop.asOperator('GET', '/services/availability?month=2040-01')
  expect([unnamed.status, unnamed.body.errors[0].pointer]).toEqual([422, 'service_id'])
  const { service_id } = await bookable()
  const other = await newShop()
  expect((await ask(service_id, 'month=2040-01', other)).body.code).toBe('not_found')
  expect((await other.asVisitor('GET', `/services/availability?service_id=${service_id}&month=2040-01`)).status).toBe(
    404,
  )
})

test('Availability is answered at the end of the calendar', async () => {
  const { service_id } = await bookable()
  for (const [search, status] of [
    ['month=9998-12', 200],
    ['from=9998-12-31&to=9998-12-31', 200],
    ['from=253370764799&to=253370764799', 200],
    ['from=253370764799&to=253370764800', 422],
    ['from=9998-12-31&to=9999-01-01', 422],
    ['month=9999-01', 422],
    ['month=1970-01', 200],
    ['from=0&to=0', 200],
  ] as const)
    expect([search, (await ask(service_id, search)).status]).toEqual([search, status])
})

test('Working hours follow the local clock across a spring clock change', async () => {
  const { service_id } = await bookable({ working_days: every('09:00', '10:00') })
  const days = await daysOf(service_id, 'month=2040-03')
  expect(starts(days)).toEqual(Array.from({ length: 31 }, (_, n) => `2040-03-${String(n + 1).padStart(2, '0')} 09:00`))
  const apart = (day: number) => ((days[day]?.slots[0]?.from ?? 0) - (days[day - 1]?.slots[0]?.from ?? 0)) / 3600
  // Sunday the 25th has 23 hours.
  expect([apart(23), apart(24), apart(25)]).toEqual([24, 23, 24])
})

test('Hours skipped in spring are not offered, and hours repeated in autumn are offered once', async () => {
  const { service_id } = await bookable({ working_days: every('01:00', '04:00') })
  expect(starts(await daysOf(service_id, 'from=2040-03-25&to=2040-03-25'))).toEqual([
    '2040-03-25 01:00',
    '2040-03-25 03:00',
  ])
  const [autumn] = await daysOf(service_id, 'from=2040-10-28&to=2040-10-28')
  expect(starts(autumn ? [autumn] : [])).toEqual(['2040-10-28 01:00', '2040-10-28 02:00', '2040-10-28 03:00'])
  expect(autumn?.slots.map(({ from, to }) => to - from)).toEqual([3600, 3600, 3600])
  expect((autumn?.slots[2]?.from ?? 0) - (autumn?.slots[1]?.from ?? 0)).toBe(7200)
})

test('Past slots are not offered', async () => {
  const { service_id } = await bookable({ working_days: every('00:00', '24:00') })
  const day = 86_400
  const now = Math.floor(Date.now() / 1000)
  const slots = (await daysOf(service_id, `from=${now - 2 * day}&to=${now + day}`)).flatMap(({ slots }) => slots)
  expect(slots.length).toBeGreaterThan(20)
  expect(slots.every(({ from }) => from >= now)).toBe(true)
  expect(await daysOf(service_id, 'month=2020-01')).toEqual([])
})

test('Hours of a specific date apply to that date alone', async () => {
  const windows = [{ from: '15:00', to: '16:00' }]
  const specific_dates = [
    { date: '2040-02-02', windows },
    { date: '2040-02-03', windows: [] },
  ]
  const { service_id } = await bookable({ working_days: every('09:00', '10:00'), specific_dates })
  expect(starts(await daysOf(service_id, 'from=2040-02-01&to=2040-02-04'))).toEqual([
    '2040-02-01 09:00',
    '2040-02-02 15:00',
    '2040-02-04 09:00',
  ])
})

test('A fully booked slot is not offered, whichever service booked it', async () => {
  const { service_id, provider_id } = await bookable({ concurrent_limit: 2 })
  const single = await made('/services')
  await link(single, provider_id)
  const date = '2040-02-07'
  const [nine, ten, eleven] = ['09:00', '10:00', '11:00'].map((time) => at(date, time)) as [number, number, number]
  await taken(provider_id, date, [
    [nine, nine + 1800],
    [ten, ten + 3600],
    [ten, ten + 3600],
  ])
  const spots = async (of: string) =>
    (await daysOf(of, `from=${date}&to=${date}`)).flatMap(({ slots }) => slots.map(({ from, spots }) => [from, spots]))
  expect(await spots(service_id)).toEqual([
    [nine, 1],
    [eleven, 2],
  ])
  expect(await spots(single)).toEqual([[eleven, 1]])
  expect(
    (await see(single, 'month=2040-02')).body.providers[0].days.find((day: { date: string }) => day.date === date)
      .slots,
  ).toHaveLength(1)
})

test('A booking across midnight blocks both days', async () => {
  const { service_id, provider_id } = await bookable({
    working_days: every('22:00', '02:00'),
    durations: [{ duration: 120 }],
  })
  const [eleven, one] = [at('2040-02-10', '23:00'), at('2040-02-11', '01:00')]
  for (const date of ['2040-02-10', '2040-02-11']) await taken(provider_id, date, [[eleven, one]])
  expect(starts(await daysOf(service_id, `from=${at('2040-02-10', '12:00')}&to=${at('2040-02-11', '12:00')}`))).toEqual(
    [],
  )
  // A slot that begins after midnight belongs to the day on which it begins.
  expect(starts(await daysOf(service_id, 'from=2040-02-11&to=2040-02-11'))).toEqual([
    '2040-02-11 22:00',
    '2040-02-11 23:00',
  ])
})

test('A provider without a free slot is returned with no days', async () => {
  const { service_id, provider_id } = await bookable()
  await taken(provider_id, '2040-02-07', [[at('2040-02-07', '00:00'), at('2040-02-08', '00:00')]])
  expect(await providersOf(service_id, 'from=2040-02-07&to=2040-02-07')).toEqual([{ provider_id, days: [] }])
})

test('Providers come in the order they were added and are filtered by id, duration and price', async () => {
  const [service_id, ann, bob, eve] = [
    await made('/services'),
    await made('/providers'),
    await made('/providers'),
    await made('/providers'),
  ]
  await link(service_id, eve, { durations: [{ duration: 30 }], prices: [{ market: 'eu', amount: 1 }] })
  await link(service_id, bob, {
    durations: [{ duration: 60 }, { duration: 180 }],
    prices: [{ market: 'us', amount: 1 }],
  })
  await link(service_id, ann, { prices: ['us', 'eu'].map((market) => ({ market, amount: 1 })) })
  const day = 'from=2040-02-07&to=2040-02-07'
  const found = async (more = '') =>
    (await providersOf(service_id, `${day}${more}`)).map(({ provider_id, days }) => [provider_id, starts(days).length])
  expect(await found()).toEqual([
    [ann, 3],
    [bob, 4],
    [eve, 3],
  ])
  expect(await found(`&provider_id=${bob}`)).toEqual([[bob, 4]])
  expect(await found('&duration=180')).toEqual([
    [ann, 0],
    [bob, 1],
    [eve, 0],
  ])
  expect(await found('&duration=60')).toEqual([
    [ann, 3],
    [bob, 3],
    [eve, 0],
  ])
  expect(await found('&market=us')).toEqual([
    [ann, 3],
    [bob, 4],
  ])
  expect(await found('&market=nowhere')).toEqual([])
  expect(await found('&provider_id=0199aaaa-0000-7000-8000-000000000000')).toEqual([])
})

test('Inactive providers and services have no slots', async () => {
  const { service_id, provider_id } = await bookable()
  const second = await made('/providers')
  await link(service_id, second)
  await shop.asOperator('PUT', `/providers/${provider_id}`, { status: 'archived' })
  expect((await providersOf(service_id, 'month=2040-02')).map((one) => one.provider_id)).toEqual([second])
  expect((await see(service_id, 'month=2040-02')).body.providers).toHaveLength(1)
  await shop.asOperator('PUT', `/services/${service_id}`, { status: 'draft' })
  expect(await providersOf(service_id, 'month=2040-02')).toEqual([{ provider_id: second, days: [] }])
  expect((await see(service_id, 'month=2040-02')).status).toBe(404)
})

test('A service without providers has none in its availability', async () => {
  expect((await ask(await made('/services'), 'month=2040-02')).body).toEqual({ providers: [] })
})

describe('Cost', () => {
  let own: Awaited<ReturnType<typeof recordStatements>>
  beforeAll(async () => {
    own = await recordStatements()
  })
  afterAll(() => own.close())

  test('Availability costs two statements with ten past days or a hundred thousand', async () => {
    const { service_id, provider_id } = await bookable()
    const path = `/services/availability?service_id=${service_id}&month=2040-02`
    const past = (count: number) =>
      database().query(
        `insert into schedule_days (tenant_id, provider_id, local_date, taken)
         select $1, $2, to_char(date '2039-12-31' - n, 'YYYY-MM-DD'), '[[1, 2]]' from generate_series(1, $3) as n on conflict do nothing`,
        [shop.store_id, provider_id, count],
      )
    await past(10)
    const few = await own.statementsOf(shop, 'GET', path)
    await past(100_000)
    await database().query('analyze schedule_days')
    const many = await own.statementsOf(shop, 'GET', path)
    expect([few.length, many.length]).toEqual([2, 2])
    expect(many.map(({ text }) => text).join()).not.toMatch(/orders|order_bookings|begin/)
    const plan = await own.planOf(many[1] as (typeof many)[number])
    const days = readsOf(plan, 'schedule_days')
    expect(days.length).toBeGreaterThan(0)
    expect(days.flatMap(nodesOf)).not.toContain('Seq Scan')
    expect(days.reduce((sum, node) => sum + rowsOf(node), 0)).toBeLessThan(100)
  })
})

test('Availability with too many slots is refused before they are computed', async () => {
  const durations = Array.from({ length: 50 }, (_, n) => ({ duration: n + 1 }))
  const { service_id } = await bookable({ working_days: every('00:00', '24:00'), slot_interval: 1, durations })
  const refused = await see(service_id, 'from=2040-03-01&to=2040-05-01')
  expect([refused.status, refused.body.code, refused.body.errors[0].pointer]).toEqual([422, 'too_many_slots', 'to'])
  expect((await see(service_id, 'from=2040-03-01&to=2040-05-01&duration=50')).status).toBe(422)
  expect((await see(service_id, 'from=2040-03-01&to=2040-03-20&duration=50')).status).toBe(200)
})
