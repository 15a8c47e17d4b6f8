// Services whose calendars are as full as they may be.
import { type Made, type Maker, many } from './maker.ts'

export type Calendar = { service_id: string; providers: string[]; slotsOf(day: number): { from: number; to: number }[] }

export async function fillCalendars({ asOperator, asVisitor, unique }: Maker, taxonomies: Made[]): Promise<Calendar> {
  const blocks = many(100, (nth) => ({ key: `b${nth}`, type: 'text', value: 'word '.repeat(50) }))
  const prices = [
    { market: 'us', amount: 1000 },
    { market: 'eu', amount: 1000 },
  ]
  const days = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']
  const windows = many(24, (hour) => ({
    from: `${String(hour).padStart(2, '0')}:00`,
    to: `${String(hour + 1).padStart(2, '0')}:00`,
  }))
  const service = await asOperator('a service', 'POST', '/services', () => ({
    key: unique(),
    blocks,
    taxonomies,
    slug: { en: unique() },
  }))
  const date = (nth: number) => new Date(Date.UTC(2030, 0, 1) + nth * 86_400_000).toISOString().slice(0, 10)
  const plain = {
    durations: [{ duration: 30 }],
    slot_interval: 30,
    prices,
    concurrent_limit: 1000,
    working_days: days.map((day) => ({ day, windows: [{ from: '00:00', to: '24:00' }] })),
  }
  const providers: string[] = []
  for (let nth = 0; nth < 3; nth++) {
    const provider = await asOperator('a provider', 'POST', '/providers', () => ({ key: unique(), blocks, taxonomies }))
    providers.push(provider.id)
    const link = await asOperator('a link', 'POST', '/service-providers', () => ({
      service_id: service.id,
      provider_id: provider.id,
      ...plain,
    }))
    if (nth === 0)
      await asOperator('a link of a thousand dates of 24 windows', 'PUT', `/service-providers/${link.id}`, () => ({
        ...plain,
        service_id: service.id,
        provider_id: provider.id,
        specific_dates: many(1_000, (n) => ({ date: date(n), windows })),
        working_days: days.map((day) => ({ day, windows })),
      }))
  }
  const minutes = await asOperator('a service of every minute', 'POST', '/services', () => ({ key: unique() }))
  const provider = await asOperator('a provider of every minute', 'POST', '/providers', () => ({ key: unique() }))
  await asOperator('a link of every minute', 'POST', '/service-providers', () => ({
    ...plain,
    service_id: minutes.id,
    provider_id: provider.id,
    slot_interval: 1,
    durations: many(25, (nth) => ({ duration: 1 + nth })),
  }))
  for (const range of [
    'from=2030-01-01&to=2030-01-01',
    'from=2030-01-01&to=2030-02-28&duration=1',
    'month=2030-01&duration=1',
    'month=2030-01',
  ])
    await asVisitor(`free minutes: ${range}`, 'GET', `/services/availability?service_id=${minutes.id}&${range}`)
  await asVisitor(
    'free slots of two months',
    'GET',
    `/services/availability?service_id=${service.id}&from=2030-01-01&to=2030-03-01`,
  )
  const slotsOf = (day: number) =>
    many(48, (nth) => ({
      from: Date.UTC(2030, 0, 1 + day) / 1000 + nth * 1800,
      to: Date.UTC(2030, 0, 1 + day) / 1000 + (nth + 1) * 1800,
    }))
  return { service_id: service.id, providers, slotsOf }
}
