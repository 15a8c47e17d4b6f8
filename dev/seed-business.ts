// The demo business `old-town`: a hairdresser on the older surface, with a service, a provider and its hours.
import type { Call } from './seed.ts'

export const businessKey = 'old-town'

const weekdays = ['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY'] as const
const block = (value: string) => [{ key: 'name', type: 'text' as const, value }]

/** Keeps existing records: an earlier start may have been interrupted. Returns the id of the business; that of another account stays, and a new one is created. */
export async function openBusiness(call: Call): Promise<string> {
  const { items } = await call('GET /v1/businesses', { query: { query: businessKey } })
  const found = items.find(({ key }) => key === businessKey)
  const { id: businessId } =
    found ??
    (await call('POST /v1/businesses', {
      body: { key: businessKey, timezone: 'America/Los_Angeles', billingEmail: 'billing@tillwright.test', settings: { name: 'Old Town Hair' } },
    }))
  const path = { businessId }
  const { items: services } = await call('GET /v1/businesses/{businessId}/services', { path })
  const prices = [{ market: 'booking', amount: 4500 }]
  const service =
    services.find(({ key }) => key === 'cut') ??
    (await call('POST /v1/businesses/{businessId}/services', { path, body: { key: 'cut', slug: { en: 'cut' }, blocks: block('Cut'), prices } }))
  const { items: providers } = await call('GET /v1/businesses/{businessId}/providers', { path })
  const provider =
    providers.find(({ key }) => key === 'ida') ??
    (await call('POST /v1/businesses/{businessId}/providers', { path, body: { key: 'ida', slug: { en: 'ida' }, blocks: block('Ida') } }))
  const { items: links } = await call('GET /v1/businesses/{businessId}/service-providers', { path })
  if (links.length > 0) return businessId
  const workingDays = weekdays.map((day) => ({ day, workingHours: [{ from: 540, to: 1020 }] }))
  await call('POST /v1/businesses/{businessId}/service-providers', {
    path,
    body: { serviceId: service.id, providerId: provider.id, workingDays, specificDates: [], slotInterval: 30 },
  })
  return businessId
}
