// The agent of the demo business: an integration of the simulated model, tea, and an hour that can be booked. At every start, as the model's address may be another one.
import type { Call } from './seed.ts'

export const agentKey = 'ida'
const key = 'models'
const block = (value: string) => [{ key: 'name', type: 'text' as const, value }]
const priced = (markets: string[], amount: number) => markets.map((market) => ({ market, amount }))
const workingDays = (['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY', 'SUNDAY'] as const).map((day) => ({
  day,
  workingHours: [{ from: 540, to: 1020 }],
}))

/** Tea for sale, and an hour that is free every day. */
async function stock(call: Call, businessId: string): Promise<void> {
  const path = { businessId }
  const of = <T extends { key: string }>({ items }: { items: T[] }, wanted: string) => items.find((one) => one.key === wanted)
  if (!of(await call('GET /v1/businesses/{businessId}/products', { path, query: { query: 'green-tea' } }), 'green-tea')) {
    const [location] = await call('GET /v1/businesses/{businessId}/locations', { path })
    await call('POST /v1/businesses/{businessId}/products', {
      path,
      body: {
        ...{ key: 'green-tea', slug: { en: 'green-tea' }, blocks: block('Green tea, 100 g') },
        variants: [{ prices: priced(['us'], 900), requiresShipping: false, inventory: location ? [{ locationId: location.id, available: 1_000 }] : [] }],
      },
    })
  }
  const { items: services } = await call('GET /v1/businesses/{businessId}/services', { path, query: { query: 'hour' } })
  if (services.some((one) => one.key === 'hour')) return
  const { items: providers } = await call('GET /v1/businesses/{businessId}/providers', { path })
  const provider = providers.find((one) => one.key === 'ida')
  if (!provider) return
  const { id: serviceId } = await call('POST /v1/businesses/{businessId}/services', {
    path,
    body: { key: 'hour', slug: { en: 'hour' }, blocks: block('An hour with Ida'), prices: priced(['booking', 'us'], 6000) },
  })
  const link = { serviceId, providerId: provider.id, workingDays, specificDates: [], slotInterval: 60 }
  await call('POST /v1/businesses/{businessId}/service-providers', { path, body: link })
}

/** Keeps an agent that exists, with what its users changed. Returns its id. */
export async function openAgent(call: Call, businessId: string, { url, apiKey }: { url: string; apiKey: string }): Promise<string> {
  const path = { businessId }
  await stock(call, businessId)
  const provider = { type: 'llm_a' as const, apiKey, model: 'simulated', baseUrl: `${url}/v1` }
  const { items: integrations } = await call('GET /v1/businesses/{businessId}/integrations', { path, query: { type: provider.type } })
  const found = integrations.find((one) => one.key === key)
  if (!found) await call('POST /v1/businesses/{businessId}/integrations', { path, body: { key, provider } })
  else await call('PUT /v1/businesses/{businessId}/integrations/{id}', { path: { ...path, id: found.id }, body: { provider } })
  const { items: agents } = await call('GET /v1/businesses/{businessId}/agents', { path })
  const agent = agents.find((one) => one.key === agentKey)
  if (agent) return agent.id
  const body = {
    ...{ key: agentKey, name: 'Ida', modelId: key, handoverEmail: 'people@tillwright.test' },
    prompt: 'You answer the visitors of Old Town Hair, a hairdresser that also sells tea. Look things up with your tools. Never invent a price or a time.',
  }
  return (await call('POST /v1/businesses/{businessId}/agents', { path, body })).id
}
